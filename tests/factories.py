"""Values for tests: a message, a turn, a memory, with what matters for the test named and the rest sensible."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from toldonce.clock import Clock
from toldonce.ids import new_id
from toldonce.testing import NEW_YEAR, FakeClock
from toldonce.text import hash64, normalise, terms
from toldonce.types import (
    Action,
    AddMemory,
    ConversationId,
    Decision,
    Evidence,
    FormationRequest,
    InjectionRecord,
    Memory,
    MemoryId,
    MemoryKind,
    Message,
    RecordedTurn,
    Subject,
    Turn,
    Vector,
)

ANA = Subject("user", "ana")
BEN = Subject("user", "ben")
SPACE = "test-4"


def message(
    text: str, role: str = "user", *, said_at: datetime = NEW_YEAR, complete: bool = True, calls: Sequence[str] = ()
) -> Message:
    """Make a message; equal role and words are equal messages."""
    return Message(
        role=role,
        text=text,
        said_at=said_at,
        call_ids=tuple(calls),
        payload="{}" if calls else None,
        complete=complete,
        hash=hash64(role, normalise(text), *calls),
    )


def dialogue(*texts: str, said_at: datetime = NEW_YEAR) -> list[Message]:
    """Make messages of user and assistant in turn, the user first; the assistant's carry their anchors."""
    found: list[Message] = []
    for place, text in enumerate(texts):
        said = message(text, "user" if place % 2 == 0 else "assistant", said_at=said_at)
        found.append(said if place % 2 == 0 else anchored(said, found[-1]))
    return found


def anchored(answer: Message, question: Message) -> Message:
    """Give an assistant message the anchor it has behind that user message."""
    return replace(answer, anchor=hash64("anchor", str(question.hash), str(answer.hash)))


def turn(
    *texts: str,
    subject: Subject = ANA,
    external_id: str | None = None,
    append: bool = False,
    said_at: datetime = NEW_YEAR,
    formations: Sequence[FormationRequest] = (),
    recall: InjectionRecord | None = None,
) -> Turn:
    """Make a turn out of user and assistant texts in turn, the user first; an even number ends in the reply."""
    said = dialogue(*texts, said_at=said_at)
    reply = said.pop() if len(said) % 2 == 0 else None
    return Turn(
        subject=subject,
        external_id=external_id,
        append=append,
        messages=tuple(said),
        reply=reply,
        said_at=said_at,
        formations=tuple(formations),
        recall=recall,
    )


def due(
    subject: Subject = ANA, *, stage: str = "extract", version: str = "rules-1", due_at: datetime = NEW_YEAR
) -> FormationRequest:
    """Make a formation due."""
    return FormationRequest(key_subject=subject, profile="default", stage=stage, version=version, due_at=due_at)


def evidence(conversation: ConversationId, seq: int, *, role: str = "user", quote: str = "") -> Evidence:
    """Point to a message."""
    return Evidence(
        conversation=conversation,
        seq=seq,
        hash=hash64(conversation, str(seq)),
        role=role,
        speaker=role,
        quote=quote,
        said_at=NEW_YEAR,
    )


def memory(
    text: str,
    *,
    clock: Clock | None = None,
    subject: Subject = ANA,
    kind: MemoryKind = MemoryKind.NOTE,
    slot: str = "",
    sources: Sequence[Evidence] = (),
) -> Memory:
    """Make a memory; `slot` is category and key of a fact: `identity/name`."""
    clock = clock or FakeClock()
    category, _, key = slot.partition("/")
    return Memory(
        id=MemoryId(new_id(clock)),
        subject=subject,
        kind=MemoryKind.FACT if slot else kind,
        text=text,
        category=category,
        key=key,
        value=text if slot else "",
        valid_from=clock.now(),
        known_from=clock.now(),
        evidence=tuple(sources),
    )


def add(known: Memory, *, vector: Sequence[float] | None = (1, 0, 0, 0), space: str = SPACE) -> AddMemory:
    """Add a memory, with the terms of its text and one vector (None: without)."""
    vectors: tuple[Vector, ...] = () if vector is None else (np.array(vector, dtype=np.float32),)
    return AddMemory(memory=known, space=space if vectors else "", vectors=vectors, terms=dict(terms(known.text)))


def decision(
    known: Memory, action: Action = Action.ADD, *, clock: Clock | None = None, target: MemoryId | None = None
) -> Decision:
    """Decide on a memory."""
    clock = clock or FakeClock()
    return Decision(
        id=new_id(clock),
        subject=known.subject,
        at=clock.now(),
        action=action,
        memory_id=known.id,
        target_id=target,
        reason="because",
        text=known.text,
    )


def recall_record(*items: tuple[Subject, MemoryId, float], at: datetime = NEW_YEAR) -> InjectionRecord:
    """Note what was put into a request."""
    return InjectionRecord(id=new_id(FakeClock(at)), at=at, query_hash=7, items=items, block_hash="abc", tokens=12)


def at(recorded: RecordedTurn) -> tuple[tuple[int, ...], int | None]:
    """Say what recording a turn wrote: the new messages' places, and the reply's."""
    return recorded.appended, recorded.reply_seq
