"""What people do to memories by hand: keep a sentence, close a memory. Reads and writes the store."""

import asyncio
import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recollect.errors import StaleSubjectError, StoreUnavailableError
from recollect.ids import id_text, new_id
from recollect.tend.making_room import ASKING_ATTEMPTS, Planned, make_room
from recollect.tend.reembed import mend
from recollect.text import normalise, squeeze, terms
from recollect.types import (
    KIND_ORDER,
    NO_DETAIL,
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    Detail,
    Evidence,
    Hot,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Sought,
    StrengthenMemory,
    Subject,
    Vector,
)
from recollect.work.telling import tell_room
from recollect.work.tools import Tools

# Two spellings of one sentence lie nearer than this for any embedder; only they are compared letter by letter.
_NEARLY_EQUAL = 0.9
# Where an index finds them, so many notes that may be another spelling of a text.
_MOST_ALIKE = 50
_NOTE = KIND_ORDER.index(MemoryKind.NOTE)
_PUNCTUATION = re.compile("[.,;:!?…'\"‘’“”()]")
# Somebody else's commits came between reading and writing so often that something is wrong.
_STALE_TRIES = 20


class ByHand(NamedTuple):
    """What somebody wants kept."""

    text: str
    importance: float
    type: str = ""
    profile: str = "default"
    reason: str = "added by hand"
    held: str = ""
    """Why it must wait for review; empty where it need not."""
    evidence: tuple[Evidence, ...] = ()
    detail: Detail = NO_DETAIL


async def add_by_hand(tools: Tools, subject: Subject, wanted: ByHand, *, home: Subject | None = None) -> Memory:
    """Keep a sentence as a note; one that is known but for case and punctuation is strengthened and returned.

    Where the subject is full, room is made in the same commit. A memory that thereby went into another is returned as
    what they say together. `home` is whose log its evidence points into, where that is another's.
    """
    tools = await tools.of(subject)
    [vector] = await tools.embedder.embed([wanted.text])
    async with tools.turns.setdefault(subject, asyncio.Lock()):
        return await _add(tools, subject, wanted, vector, home)


async def _add(tools: Tools, subject: Subject, wanted: ByHand, vector: Vector, home: Subject | None) -> Memory:
    fresh = _note(tools, subject, wanted)
    for attempt in range(_STALE_TRIES):
        of_now = await tools.of(subject)
        if of_now is not tools:  # it was embedded anew meanwhile
            tools = of_now
            [vector] = await tools.embedder.embed([wanted.text])
        hot = await tools.store.hot(subject, tools.embedder.space, sought=_like(vector))
        known = await _same(tools, hot, wanted.text, vector)
        change = _strengthened(known, wanted) if known else _added(tools, fresh, vector)
        planned = Planned(
            subject=subject, profile=wanted.profile, hot=hot, changes=[change], ask=attempt < ASKING_ATTEMPTS
        )
        further, room_made = await make_room(planned, tools)
        decisions = [_decision(tools, known or fresh, *_how(known, wanted), wanted.text), *room_made]
        try:
            await tools.store.apply(subject, [change, *further], decisions, subject_version=hot.version, home=home)
        except StaleSubjectError:
            continue
        except StoreUnavailableError:
            # One retry, then without a model; whether the write took effect is read back first.
            if not further or attempt >= ASKING_ATTEMPTS:
                raise
            if not await tools.store.memories(subject, [fresh.id]):
                continue
        tell_room(subject, room_made, tools)
        folded = [one.memory_id for one in room_made if one.target_id == fresh.id and one.action is Action.FOLD]
        return (await tools.store.memories(subject, [*filter(None, folded), (known or fresh).id]))[0]
    raise StaleSubjectError(f"{subject.text} kept changing; nothing was added, try again")


def _strengthened(known: Memory, wanted: ByHand) -> Change:
    importance = max(known.importance, wanted.importance)
    return StrengthenMemory(id=known.id, importance=importance, evidence=wanted.evidence)


def _added(tools: Tools, fresh: Memory, vector: Vector) -> Change:
    vectors = (vector,) if vector.any() else ()
    return AddMemory(memory=fresh, space=tools.embedder.space, vectors=vectors, terms=terms(fresh.text))


def _how(known: Memory | None, wanted: ByHand) -> tuple[Action, str]:
    if known:
        return Action.MERGE, f"{wanted.reason} again"
    return (Action.HOLD, wanted.held) if wanted.held else (Action.ADD, wanted.reason)


async def close_by_hand(tools: Tools, memory: Memory) -> Memory:
    """Close a memory; one that is closed already stays as it is."""
    if memory.state is MemoryState.CLOSED:
        return memory
    now = tools.clock.now()
    change = CloseMemory(id=memory.id, valid_to=max(memory.valid_from, now), closed_at=now)
    text = memory.text if memory.kind is not MemoryKind.TURN else ""
    decision = _decision(tools, memory, Action.CLOSE, "forgotten by hand", text)
    await tools.store.apply(memory.subject, [change], [decision])
    return (await tools.store.memories(memory.subject, [memory.id]))[0]


async def link_by_hand(tools: Tools, memory: Memory, to: Subject) -> Memory:
    """Put a memory into another subject; return the row there."""
    made = _decision(tools, replace(memory, subject=to), Action.LINK, "linked from another subject", memory.text)
    await tools.store.link(memory.subject, memory.id, to, terms=terms(memory.text), decision=made)
    await mend(tools, to)
    return (await tools.store.memories(to, [memory.id]))[0]


async def unlink_by_hand(tools: Tools, memory: Memory) -> None:
    """Take a memory from its subject."""
    made = _decision(tools, memory, Action.UNLINK, "taken from this subject alone", "")
    await tools.store.unlink(memory.subject, memory.id, decision=made)


async def _same(tools: Tools, hot: Hot, text: str, vector: Vector) -> Memory | None:
    ids = [MemoryId(id_text(hot.ids[place])) for place in _alike(hot, vector)]
    asked = _wording(text)
    return next((one for one in await tools.store.memories(hot.subject, ids) if _wording(one.text) == asked), None)


def _alike(hot: Hot, vector: Vector) -> list[int]:
    """Find the places of notes that may be another spelling of a text."""
    if not vector.any():  # signs alone have no vector, and are near only to what has none either
        near = np.setdiff1d(np.arange(len(hot)), hot.vector_of)
    elif len(hot.vectors):
        near = np.unique(hot.vector_of[np.vecdot(hot.vectors, vector) > _NEARLY_EQUAL])
    else:
        return []
    return [place for place in near.tolist() if KIND_ORDER[hot.kinds[place]] is MemoryKind.NOTE]


def _like(vector: Vector) -> Sought | None:
    """Say which vectors tell what a text may be another spelling of; None: all, to know which memories have none."""
    return Sought(vectors=vector[None, :], most=_MOST_ALIKE, kinds=(_NOTE,)) if vector.any() else None


def _wording(text: str) -> str:
    """Fold case, white space and punctuation of sentences; signs that carry meaning stay.

    >>> _wording("I like C!") == _wording("i like  C."), _wording("I like C++") == _wording("I like C")
    (True, False)
    """
    return squeeze(_PUNCTUATION.sub(" ", normalise(text))) or text


def _note(tools: Tools, subject: Subject, wanted: ByHand) -> Memory:
    now = tools.clock.now()
    return Memory(
        id=MemoryId(new_id(tools.clock)),
        subject=subject,
        kind=MemoryKind.NOTE,
        text=wanted.text,
        type=wanted.type,
        importance=wanted.importance,
        valid_from=now,
        known_from=now,
        profile=wanted.profile,
        state=MemoryState.HELD if wanted.held else MemoryState.ACTIVE,
        speaker=wanted.evidence[0].speaker if wanted.evidence else "",
        evidence=wanted.evidence,
        detail=wanted.detail,
    )


def _decision(tools: Tools, memory: Memory, action: Action, reason: str, text: str) -> Decision:
    return Decision(
        id=new_id(tools.clock),
        subject=memory.subject,
        at=tools.clock.now(),
        action=action,
        memory_id=memory.id,
        target_id=None,
        reason=reason,
        text=text,
        profile=memory.profile,
    )
