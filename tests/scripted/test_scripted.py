"""Forty scripted conversations: memory contains exactly what they say, with a good model and by rules."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from soak import only_whole, sampled
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.types import ConversationId, Evidence, Memory, MemoryId, MemoryKind, MemoryState, RecalledMemory, Subject

from .cases import KINDS, Case, cases
from .known import MISSES, known_misses, misses_of, written
from .playback import Played, play
from .table import PAGE, Row, table, with_table
from .verdict import Finding, Flaw, findings

CASES = {case.name: case for case in cases()}
# `make test` has every 14th conversation; `make soak` has all.
HELD = sampled(CASES.values(), 14)
# What is held after these is right, but a question of theirs does not bring it, or brings a quotation before it.
NOT_RECALLED = {"negation_meat", "quotation_novel", "speakers_pasted_chat", "tool_search"}
# Of all conversations so many must be right without a model.
BY_RULES = 0.45


@pytest.fixture(scope="module")
def rows() -> Sequence[Row]:
    """Conversations, with the model and by rules."""
    return asyncio.run(_rows())


async def _rows() -> Sequence[Row]:
    embedder = MultilingualEmbedder()
    return [
        Row(
            case=case,
            rules=findings(await play(case, embedder, scripted=False)),
            model=findings(await play(case, embedder, scripted=True)),
        )
        for case in HELD
    ]


def test_there_are_forty_and_at_least_three_of_each_kind() -> None:
    assert len(CASES) == 40
    assert {kind: count for kind in KINDS if (count := sum(kind in case.kinds for case in CASES.values())) < 3} == {}


@pytest.mark.parametrize("name", CASES)
def test_a_conversation_is_long_enough_to_show_something(name: str) -> None:
    case = CASES[name]
    assert 2 <= len(case.session) <= 4
    assert 6 <= sum(len(session.turns) for session in case.session) <= 20
    for session in case.session:
        assert all(item.quote in session.turns[item.turn - 1].text for item in session.model)
        assert all(session.turns[item.turn - 1].role == "user" for item in session.model)


@pytest.mark.soak
def test_memory_is_right_after_each_conversation_with_a_model_that_answers_well(rows: Sequence[Row]) -> None:
    wrong = {row.case.name: [str(finding) for finding in row.model] for row in rows if row.model}
    assert wrong.keys() == NOT_RECALLED & {row.case.name for row in rows}, wrong
    assert {finding.flaw for row in rows for finding in row.model} <= {Flaw.RECALL}


@pytest.mark.soak
def test_the_rules_hold_not_one_false_memory(rows: Sequence[Row]) -> None:
    assert [(row.case.name, str(finding)) for row in rows for finding in row.rules if finding.flaw is Flaw.FALSE] == []


@pytest.mark.soak
def test_without_a_model_only_what_is_known_is_missed(rows: Sequence[Row]) -> None:
    held = {case.name for case in HELD}
    known = {name: found for name, found in known_misses().items() if name in held}
    assert misses_of(rows) == known, "see `python -m tests.scripted -v`; `--write` notes the misses again"


@pytest.mark.soak
@only_whole
def test_without_a_model_no_fewer_are_right(rows: Sequence[Row]) -> None:
    assert sum(not row.rules for row in rows) >= BY_RULES * len(rows)


def test_no_false_memory_is_among_the_known_misses() -> None:
    assert [name for name, found in known_misses().items() if Flaw.FALSE in found or name not in CASES] == []


@pytest.mark.soak
@only_whole
def test_the_page_shows_what_is_right(rows: Sequence[Row]) -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_table(page, table(rows)), "`python -m tests.scripted --write` writes the table again"


@pytest.mark.soak
@only_whole
def test_writing_the_misses_leaves_false_memories_to_the_tests(rows: Sequence[Row]) -> None:
    text = MISSES.read_text("utf-8")
    assert written(rows, text) == text
    wrong = replace(rows[0], rules=[Finding(Flaw.FALSE, "a lie"), Finding(Flaw.MISSING, "a truth")])
    assert known_misses(written([wrong], text)) == {wrong.case.name: {Flaw.MISSING: ["a truth"]}}


SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


def held(
    text: str, *, turn: int = 1, kind: MemoryKind = MemoryKind.NOTE, state: MemoryState = MemoryState.ACTIVE
) -> Memory:
    return Memory(
        id=MemoryId("0199"),
        subject=Subject("user", "ana"),
        kind=kind,
        text=text,
        valid_from=SAID,
        known_from=SAID,
        state=state,
        evidence=(
            Evidence(
                conversation=ConversationId("one"),
                seq=turn,
                hash=turn,
                role="user",
                speaker="user",
                quote=text,
                said_at=SAID,
            ),
        ),
    )


def case_of(session: object = None, **store: object) -> Case:
    return Case.model_validate(
        {
            "name": "made-up",
            "kind": "update",
            "about": "…",
            "session": session or [{"at": SAID, "turns": [{"role": "user", "text": "I live in Oslo."}]}],
            "store": {"holds": [{"says": ["oslo"], "not": ["rome"], "turn": "1.1"}], **store},
            "recall": [{"ask": "Where do I live?", "first": ["oslo"], "never": [["rome"]]}],
        }
    )


def after(case: Case, *memories: Memory, shown: Sequence[Memory] = ()) -> set[Flaw]:
    played = Played(
        case=case,
        active=[memory for memory in memories if memory.state is MemoryState.ACTIVE],
        closed=[memory for memory in memories if memory.state is MemoryState.CLOSED],
        turns={("one", 1): "1.1", ("one", 2): "1.2"},
        recalls=[[RecalledMemory(memory=memory, score=1, similarity=1, word_share=1, reasons=()) for memory in shown]],
    )
    return {finding.flaw for finding in findings(played)}


OSLO, ROME = held("Ana lives in Oslo."), held("Ana lives in Rome.")
SAID_ROME = held("I live in Rome.", kind=MemoryKind.TURN)


def test_a_verdict_names_each_flaw() -> None:
    case = case_of(closed=[{"says": ["rome"]}])
    ended = replace(ROME, state=MemoryState.CLOSED)
    assert after(case, OSLO, ended, shown=[OSLO]) == set()
    assert after(case, ended, shown=[OSLO]) == {Flaw.MISSING}
    assert after(case, OSLO, shown=[OSLO]) == {Flaw.CLOSED}
    assert after(case, OSLO, ended, ROME, shown=[OSLO]) == {Flaw.FALSE}
    assert after(case, OSLO, ended, held("Ana likes Oslo."), shown=[OSLO]) == {Flaw.DOUBLE}
    assert after(case, held("Ana lives in Oslo.", turn=2), ended, shown=[OSLO]) == {Flaw.SOURCE}


def test_a_quotation_of_what_ended_stays_beside_what_ended_it() -> None:
    case = case_of(
        session=[
            {
                "at": SAID,
                "turns": [{"role": "user", "text": "I live in Rome."}, {"role": "user", "text": "I moved to Oslo."}],
                "model": [
                    {"key": "location", "value": "Rome", "turn": 1, "quote": "I live in Rome."},
                    {
                        "text": "Ana lives in Oslo.",
                        "turn": 2,
                        "quote": "I moved to Oslo.",
                        "ends": "Ana lives in Rome.",
                    },
                ],
            }
        ],
        closed=[{"says": ["rome"]}],
        holds=[{"says": ["oslo"], "not": ["rome"], "turn": "1.2"}],
    )
    moved = held("I moved to Oslo.", turn=2, kind=MemoryKind.TURN)
    assert after(case, moved, SAID_ROME, shown=[moved]) == set()
    assert after(case, SAID_ROME, shown=[OSLO]) == {Flaw.MISSING, Flaw.KEPT, Flaw.CLOSED}
    assert after(case, moved, ROME, shown=[moved]) == {Flaw.FALSE, Flaw.CLOSED}


def test_a_quotation_of_nothing_lasting_is_no_false_memory_but_kept_for_nothing() -> None:
    case = case_of(absent=[["moon"]])
    assert after(case, OSLO, held("Oslo has rain.", kind=MemoryKind.TURN), shown=[OSLO]) == set()
    assert after(case, OSLO, held("The moon is up.", kind=MemoryKind.TURN), shown=[OSLO]) == {Flaw.KEPT}
    assert after(case, OSLO, held("It rains.", kind=MemoryKind.TURN), shown=[OSLO]) == {Flaw.KEPT}


def test_what_ended_may_be_quoted_only_behind_what_holds() -> None:
    case = case_of()
    assert after(case, OSLO, shown=[OSLO, SAID_ROME]) == set()
    assert after(case, OSLO, shown=[SAID_ROME, OSLO]) == {Flaw.RECALL}
    assert after(case, OSLO, shown=[OSLO, ROME]) == {Flaw.RECALL}
    assert after(case, OSLO) == {Flaw.RECALL}


def test_what_is_absent_is_false_even_where_more_may_be_held() -> None:
    case = case_of(absent=[["moon"]], only=False)
    assert after(case, OSLO, held("Ana sings."), shown=[OSLO]) == set()
    assert after(case, OSLO, held("Ana lives on the moon."), shown=[OSLO]) == {Flaw.FALSE}
