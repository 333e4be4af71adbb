"""Decisions written out as changes and as lines of the log."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np
import pytest

from toldonce.resolution.planned_changes import MemoryFactory, to_changes
from toldonce.resolution.values import EndedMemory, ResolvedCandidate, refusal
from toldonce.text import terms
from toldonce.types import (
    Action,
    AddMemory,
    Candidate,
    CloseMemory,
    ConversationId,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
    Vector,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANA = Subject("user", "ana")
SAID = Evidence(conversation=ConversationId("c"), seq=3, hash=3, role="user", speaker="user", quote="Oslo", said_at=NOW)
FACT = Candidate(
    kind=MemoryKind.FACT,
    text="The user lives in Oslo.",
    category="identity",
    key="City",
    value="Oslo",
    speaker="user",
    seq=3,
    quote="Oslo",
    valid_from=NOW,
)
NOTE = Candidate(
    kind=MemoryKind.NOTE, text="The user moved to Oslo.", speaker="user", seq=3, quote="Oslo", valid_from=NOW
)
ROME = Memory(
    id=MemoryId("rome"),
    subject=ANA,
    kind=MemoryKind.FACT,
    text="The user lives in Rome.",
    valid_from=NOW - timedelta(days=9),
    known_from=NOW - timedelta(days=9),
    evidence=(SAID,),
)


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"id-{next(numbers)}"


def vectors(_: str) -> tuple[Vector, ...]:
    return (np.ones(2, dtype=np.float32),)


def making() -> MemoryFactory:
    return MemoryFactory(
        subject=ANA,
        now=NOW,
        ids=ids(),
        profile="default",
        version="rules-1",
        conversation=ConversationId("c"),
        space="words-2",
        vectors=vectors,
        terms=terms,
    )


def test_u6_a_replacement_closes_before_it_adds_and_logs_both_sides() -> None:
    one = ResolvedCandidate(
        action=Action.REPLACE,
        candidate=FACT,
        evidence=(SAID,),
        target=ROME,
        reason="newer",
        closes=(EndedMemory(memory=ROME, valid_to=NOW),),
    )
    changes, (decision,) = to_changes([one], making())
    assert changes[0] == CloseMemory(id=ROME.id, valid_to=NOW, closed_at=NOW)
    added = changes[1]
    assert isinstance(added, AddMemory)
    assert (added.memory.key, added.memory.state, added.memory.version) == ("location", MemoryState.ACTIVE, "rules-1")
    assert (decision.action, decision.memory_id, decision.target_id) == (Action.REPLACE, added.memory.id, ROME.id)
    assert (decision.reason, decision.seq, decision.conversation) == ("newer", 3, "c")


def test_notes_have_vectors_and_facts_have_terms_alone() -> None:
    changes, _ = to_changes(
        [
            ResolvedCandidate(action=Action.ADD, candidate=candidate, evidence=(SAID,), reason="new")
            for candidate in (NOTE, FACT)
        ],
        making(),
    )
    note, fact = changes
    assert isinstance(note, AddMemory)
    assert isinstance(fact, AddMemory)
    assert (len(note.vectors), note.space, fact.vectors, fact.space) == (1, "words-2", (), "")
    assert note.terms
    assert fact.terms


def test_a_repetition_strengthens_with_new_evidence_only() -> None:
    fresh = Evidence(
        conversation=ConversationId("d"), seq=1, hash=1, role="user", speaker="user", quote="Rome", said_at=NOW
    )
    one = ResolvedCandidate(
        action=Action.MERGE,
        candidate=NOTE,
        evidence=(SAID, fresh),
        target=ROME,
        reason="same",
        strengthens=True,
        importance=0.7,
    )
    changes, (decision,) = to_changes([one], making())
    assert changes == [StrengthenMemory(id=ROME.id, importance=0.7, evidence=(fresh,))]
    assert (decision.memory_id, decision.target_id) == (ROME.id, ROME.id)


def test_what_is_held_is_stored_for_review() -> None:
    changes, (decision,) = to_changes(
        [ResolvedCandidate(action=Action.HOLD, candidate=NOTE, evidence=(SAID,), reason="an order")], making()
    )
    (added,) = changes
    assert isinstance(added, AddMemory)
    assert added.memory.state is MemoryState.HELD
    assert decision.memory_id == added.memory.id


def test_an_older_value_is_stored_closed_and_never_ends_before_it_began() -> None:
    for ended in (NOW + timedelta(days=1), NOW - timedelta(days=1)):
        one = ResolvedCandidate(action=Action.ADD, candidate=FACT, evidence=(SAID,), reason="late", valid_to=ended)
        (added,), _ = to_changes([one], making())
        assert isinstance(added, AddMemory)
        assert (added.memory.state, added.memory.closed_at) == (MemoryState.CLOSED, NOW)
        assert added.memory.valid_to == max(ended, NOW)


def test_what_is_refused_or_ended_adds_nothing_and_is_logged() -> None:
    ended = ResolvedCandidate(
        action=Action.CLOSE,
        candidate=FACT,
        evidence=(SAID,),
        target=ROME,
        reason="ended",
        closes=(EndedMemory(memory=ROME, valid_to=NOW),),
    )
    changes, decisions = to_changes([refusal(NOTE, "has no quote"), ended], making())
    assert changes == [CloseMemory(id=ROME.id, valid_to=NOW, closed_at=NOW)]
    assert [(line.action, line.memory_id, line.reason) for line in decisions] == [
        (Action.IGNORE, None, "has no quote"),
        (Action.CLOSE, ROME.id, "ended"),
    ]


@pytest.mark.parametrize(("action", "target"), [(Action.REPLACE, "id-1"), (Action.CLOSE, "rome")])
def test_a_further_memory_that_ends_has_a_line_of_its_own(action: Action, target: str) -> None:
    note = replace(ROME, id=MemoryId("note"), kind=MemoryKind.NOTE)
    one = ResolvedCandidate(
        action=action,
        candidate=FACT,
        evidence=(SAID,),
        target=ROME,
        reason="newer",
        closes=(EndedMemory(memory=ROME, valid_to=NOW), EndedMemory(memory=note, valid_to=NOW)),
    )
    _, (first, second) = to_changes([one], making())
    assert first.reason == "newer"
    assert (second.action, second.memory_id, second.target_id) == (Action.CLOSE, "note", target)
    assert (second.reason, second.text, second.seq) == ("was corrected together with it", note.text, 3)


@pytest.mark.parametrize(
    ("category", "key", "given", "stored"),
    [
        ("constraint", "allergy:peanuts", 0.5, 0.9),
        ("identity", "medication", 0.2, 0.9),
        ("constraint", "allergy:peanuts", 0.95, 0.95),
        ("constraint", "availability", 0.5, 0.5),
        ("identity", "city", 0.5, 0.5),
    ],
)
def test_what_harms_health_if_missed_is_stored_as_important(
    category: str, key: str, given: float, stored: float
) -> None:
    candidate = replace(FACT, category=category, key=key, importance=given)
    added = ResolvedCandidate(action=Action.ADD, candidate=candidate, evidence=(SAID,), reason="new")
    [change], _ = to_changes([added], making())
    assert isinstance(change, AddMemory)
    assert change.memory.importance == stored
