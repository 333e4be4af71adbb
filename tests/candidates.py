"""Candidates, facts and stored memories for tests of resolution."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import BatchState, Case
from toldonce.resolution.values import Claim, ResolveInputs
from toldonce.types import Candidate, ConversationId, Evidence, Memory, MemoryId, MemoryKind, Subject

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(days=30)
ANA = Subject("user", "ana")


def evidence(*, at: datetime = NOW, seq: int = 9, chat: str = "new", quote: str = "as I said") -> Evidence:
    return Evidence(
        conversation=ConversationId(chat), seq=seq, hash=seq, role="user", speaker="user", quote=quote, said_at=at
    )


def case_of(candidate: Candidate, batch: BatchState) -> Case:
    """Make the case of a batch's first candidate."""
    return Case(batch, 0, Claim(candidate, evidence()), ResolvePolicy(), ResolveInputs(now=NOW))


def note(text: str, **changes: object) -> Candidate:
    made = Candidate(kind=MemoryKind.NOTE, text=text, speaker="user", seq=9, quote=text, valid_from=NOW, importance=0.5)
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name real fields


def fact(key: str, value: str, **changes: object) -> Candidate:
    made = Candidate(
        kind=MemoryKind.FACT,
        text=f"The user: {key} {value}.",
        category="identity",
        key=key,
        value=value,
        speaker="user",
        seq=9,
        quote=f"{key} {value}",
        valid_from=NOW,
        importance=0.8,
        confidence=1.0,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name real fields


def stored(candidate: Candidate, *, number: int = 1, said: Evidence | None = None) -> Memory:
    said = said or evidence(at=BEFORE, seq=2, chat="old")
    return Memory(
        id=MemoryId(f"01900000-0000-7000-8000-{number:012}"),
        subject=ANA,
        kind=candidate.kind,
        text=candidate.text,
        type=candidate.type,
        category=candidate.category,
        key=candidate.key,
        value=candidate.value,
        importance=candidate.importance,
        confidence=candidate.confidence,
        valid_from=said.said_at,
        known_from=said.said_at,
        evidence=(said,),
    )
