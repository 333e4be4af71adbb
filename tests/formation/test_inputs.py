"""Batches are bounded by characters; echoes of recalled memories form nothing and leave a decision."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sample_chats import asks, assistant, request, user
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce
from toldonce.formation.inputs import MAX_CHARACTERS, characters, take_batch
from toldonce.types import ConversationId, LoggedMessage

KNOWN = "The user's ferry to Aarhus leaves at 7 on Monday."
ASKED = "When does my ferry to Aarhus leave?"
ANSWER = "Early in the week."
SAID = datetime(2026, 1, 1, tzinfo=UTC)


async def told(engine: AsyncToldOnce, words: str) -> list[tuple[str, str]]:
    """Recall a memory, then say something in the same conversation; return reasons and texts of the decisions."""
    await engine.add(KNOWN, user="ana")
    ana = asks("ana", conversation="ferry")
    first, second = request(user(ASKED)), request(user(ASKED), assistant(ANSWER), user(words))
    turn = await engine.turns.prepare(first, ana)
    assert [item.memory.text for item in turn.items] == [KNOWN]
    await engine.turns.finish(first, ana, Reply(text=ANSWER, complete=True), turn)
    await engine.form()
    await engine.turns.finish(second, ana, Reply(text="Noted.", complete=True), None)
    await engine.form()
    return [(line.reason, line.text) for line in await engine.history.decisions(user="ana")]


async def test_what_is_left_out_as_an_echo_is_a_decision(engine: AsyncToldOnce) -> None:
    lines = await told(engine, f"* {KNOWN}\nI play the tuba in a brass band.")
    assert ("only repeats what was recalled", f"* {KNOWN}") in lines


@pytest.mark.parametrize("words", [KNOWN.replace("7", "9"), KNOWN.replace("Monday", "Friday"), f"{KNOWN[:-1]}? No."])
async def test_what_differs_in_a_sign_is_no_echo(engine: AsyncToldOnce, words: str) -> None:
    assert "only repeats what was recalled" not in [reason for reason, _ in await told(engine, words)]


def logged(text: str) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=SAID,
        recorded_at=SAID,
        complete=True,
        hash=17,
    )


SHORT = logged("Hello.")
HALF = replace(SHORT, text="x" * (MAX_CHARACTERS // 2))
LONG = replace(SHORT, text="x" * (2 * MAX_CHARACTERS))


def test_messages_are_taken_as_long_as_there_is_room() -> None:
    assert take_batch([SHORT] * 64) == [SHORT] * 64
    assert take_batch([HALF, HALF, SHORT]) == [HALF, HALF]
    assert take_batch([SHORT, LONG, SHORT]) == [SHORT]
    assert take_batch([]) == []


def test_one_message_is_always_taken() -> None:
    assert take_batch([LONG, SHORT]) == [LONG]


def test_characters_are_counted_over_all_messages() -> None:
    assert characters([HALF, HALF]) == MAX_CHARACTERS
