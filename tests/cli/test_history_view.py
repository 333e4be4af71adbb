"""How a memory with its history reads."""

from dataclasses import replace
from datetime import UTC, datetime

from factories import ANA, decision, evidence, memory
from toldonce.cli.history_view import lines_of
from toldonce.engine import MemoryHistory
from toldonce.testing import FakeClock
from toldonce.types import Action, ConversationId, LoggedMessage, MemoryState

TALK = ConversationId("0198c0de-0000-7000-8000-00000000000c")


def logged(text: str) -> LoggedMessage:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return LoggedMessage(
        conversation=TALK,
        seq=7,
        parent_seq=6,
        role="user",
        text=text,
        name="Ana",
        said_at=at,
        recorded_at=at,
        complete=True,
        hash=1,
    )


def test_a_replaced_memory_names_what_replaced_it_and_the_words_it_rests_on() -> None:
    clock = FakeClock()
    source = replace(evidence(TALK, 7, quote="I live in Rome"), speaker="Ana")
    rome = replace(
        memory("Ana lives in Rome.", clock=clock, slot="identity/location", sources=[source]),
        state=MemoryState.CLOSED,
        closed_at=clock.now(),
        valid_to=clock.now(),
    )
    oslo = memory("Ana lives in Oslo.", clock=clock)
    made = replace(decision(rome, clock=clock), reason="nothing like it is known")
    replaced = replace(decision(oslo, Action.REPLACE, clock=clock, target=rome.id), reason="one place at a time")
    history = MemoryHistory(
        memory=rome, decisions=(made, replaced), related=(oslo,), sources=(logged("Well, I live in Rome now."),)
    )

    text = "\n".join(lines_of(history, UTC))
    assert text.startswith("Ana lives in Rome.\n")
    assert f"of          {ANA.text}" in text
    assert "slot        location = Ana lives in Rome." in text
    assert "state       closed since 2026-01-01 00:00" in text
    assert (
        f"2026-01-01 00:00  Ana, message 7 of {TALK}\n    “I live in Rome”\n    in: Well, I live in Rome now." in text
    )
    assert "add: nothing like it is known" in text
    assert f"replace: one place at a time\n    replaced by {oslo.id}  Ana lives in Oslo." in text


def test_the_new_memory_names_what_it_replaced() -> None:
    clock = FakeClock()
    rome, oslo = memory("Ana lives in Rome.", clock=clock), memory("Ana lives in Oslo.", clock=clock)
    history = MemoryHistory(
        memory=oslo, decisions=(decision(oslo, Action.REPLACE, target=rome.id),), related=(rome,), sources=()
    )

    assert f"    replaces {rome.id}  Ana lives in Rome." in list(lines_of(history, UTC))


def test_words_of_the_log_cannot_steer_the_terminal() -> None:
    source = evidence(TALK, 7, quote="red \x1b[31m")
    history = MemoryHistory(
        memory=memory("Ana \x1b]0;x\x07", sources=[source]), decisions=(), related=(), sources=(logged("a\x1bb"),)
    )

    assert "\x1b" not in "".join(lines_of(history, UTC))
