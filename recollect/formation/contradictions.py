"""Close what a later message contradicts or corrects where the candidates do not say so. Reads the store."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import evidence_of
from recollect.extraction.rules.extractor import corrections
from recollect.extraction.sentences import fold
from recollect.extraction.sources import ExtractionInput
from recollect.formation.batch import ExtractionBatch
from recollect.formation.inputs import LARGE_BATCH, characters
from recollect.formation.propose import ExtractionResult
from recollect.formation.quotations import MANY_ROWS, places
from recollect.formation.restated import clauses_behind, of_the_user, restated
from recollect.formation.runtime import Runtime
from recollect.formation.stale import Outdated, denied_value, outdated_memory
from recollect.ids import id_text
from recollect.lazy_pattern import LazyPattern
from recollect.text import terms
from recollect.text.update_screen import ScreenedText, may_contradict
from recollect.text.updates import Update, contradicts, topic_of
from recollect.types import (
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    SubjectSnapshot,
)

# A note that quotes its speaker is compared by what they said.
_FRAME = LazyPattern(r'\A[^":]{1,120}: "(?P<words>.*)"\Z', re.DOTALL)
REASON = "a later message says otherwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """What later messages contradict."""

    changes: Sequence[Change] = ()
    decisions: Sequence[Decision] = ()
    outdated: Sequence[Outdated] = ()
    """By which clauses of quotations are found that say the same."""


async def superseded(
    extracted: ExtractionResult, batch: ExtractionBatch, runtime: Runtime, *, gone: frozenset[MemoryId]
) -> Superseded:
    """Find what the messages of a batch contradict.

    Quotations lose what any message contradicts. Notes and facts are closed where rules read the messages: a model
    names itself what no longer holds.

    Args:
        extracted: What was read.
        batch: The messages, and the subject's active memories.
        runtime: Store and clock.
        gone: Memories that the same commit closes already.
    """
    said = {message.seq: evidence_of(message) for message in batch.messages}
    outdated = [_outdated(update, said[seq]) for seq, update in extracted.updates if seq in said]
    hot = batch.hot
    if not len(hot) or not extracted.by_rules:
        return Superseded(outdated=outdated)
    ended = await _contradicted(outdated, hot, runtime, gone=gone) if outdated else []
    if runtime.model is not None:  # it refused these messages, and may have put older ones into words of its own
        over = gone | {memory.id for memory, _ in ended}
        older = await restated(extracted.candidates, said, hot, runtime, gone=over)
        outdated += [outdated_memory(memory, until=until) for memory, until in older]
        ended += older
    now = runtime.clock.now()
    return Superseded(
        changes=[
            CloseMemory(id=memory.id, valid_to=max(memory.valid_from, until.said_at), closed_at=now)
            for memory, until in ended
        ],
        decisions=[_decision(memory, until, runtime) for memory, until in ended],
        outdated=outdated,
    )


def closed_within(
    changes: Sequence[Change], extracted: ExtractionResult, batch: ExtractionBatch, *, now: datetime
) -> list[Change]:
    """Store as closed what a later message of the same batch contradicts.

    Args:
        changes: What the batch adds, among other changes.
        extracted: What was read.
        batch: The messages.
        now: Time of the commit.
    """
    said = {message.seq: evidence_of(message) for message in batch.messages}
    outdated = [_outdated(update, said[seq]) for seq, update in extracted.updates if seq in said]
    if not outdated or not extracted.by_rules:
        return list(changes)
    return [_closed(change, outdated, now) if isinstance(change, AddMemory) else change for change in changes]


def _closed(change: AddMemory, outdated: Sequence[Outdated], now: datetime) -> AddMemory:
    memory = change.memory
    until = _ended_by(memory, outdated) if memory.state is MemoryState.ACTIVE else None
    if until is None:
        return change
    ends = max(memory.valid_from, until.said_at)
    return replace(change, memory=replace(memory, state=MemoryState.CLOSED, valid_to=ends, closed_at=now))


async def _contradicted(
    outdated: Sequence[Outdated], hot: SubjectSnapshot, runtime: Runtime, *, gone: frozenset[MemoryId]
) -> list[tuple[Memory, Evidence]]:
    """Find the notes and facts that messages contradict, each with that message."""
    found = await run_in_thread_if_large(len(hot), lambda: _places(hot, outdated), above=MANY_ROWS)
    ids = [MemoryId(id_text(hot.ids[place])) for place in found]
    memories = await runtime.memories(hot.subject, [id_ for id_ in ids if id_ not in gone])
    size = sum(len(memory.text) for memory in memories) * len(outdated)
    return await run_in_thread_if_large(size, lambda: _ended(memories, outdated), above=LARGE_BATCH)


def _places(hot: SubjectSnapshot, outdated: Sequence[Outdated]) -> list[int]:
    """Find the notes and facts that messages may contradict."""
    return sorted({place for kind in (MemoryKind.NOTE, MemoryKind.FACT) for place in places(hot, outdated, kind)})


def _ended(memories: Sequence[Memory], outdated: Sequence[Outdated]) -> list[tuple[Memory, Evidence]]:
    """Return the memories that a message contradicts, each with that message."""
    return [(memory, until) for memory in memories if (until := _ended_by(memory, outdated))]


def _decision(memory: Memory, until: Evidence, runtime: Runtime) -> Decision:
    return Decision.of(memory, Action.CLOSE, REASON, clock=runtime.clock, text=memory.text).said_in(until)


def _ended_by(memory: Memory, outdated: Sequence[Outdated]) -> Evidence | None:
    """Return the message that contradicts a memory; None where none does."""
    # All that is compared are parts of this text; the user may be called by name in it.
    text = ScreenedText("\n".join((memory.text, "the user", *(fold(said.quote) for said in memory.evidence))))
    for old in outdated:
        reached = bool(memory.evidence) and all(old.reaches(said) for said in memory.evidence)
        if reached and old.update and may_contradict(old.update, text) and _is_ended(memory, old.update):
            return old.until
    return None


def _is_ended(memory: Memory, update: Update) -> bool:
    """Return whether an update contradicts a memory, or the user's words that it rests on."""
    return contradicts(update, _words(of_the_user(memory))) or any(
        contradicts(update, clause) for clause in clauses_behind(memory)
    )


def _words(text: str) -> str:
    framed = _FRAME.match(text)
    return framed["words"] if framed else text


def _outdated(update: Update, until: Evidence) -> Outdated:
    searched = frozenset(term for word in topic_of(update) for term in terms(word))
    return Outdated(content=frozenset(), terms=searched - {"user"}, until=until, update=update)


async def misspoken(batch: ExtractionBatch, runtime: Runtime) -> list[Outdated]:
    """Find what was put right in the messages of a batch; without a model the rules' candidates tell most of it."""
    if "user" not in batch.sources:
        return []
    alone = runtime.model is None
    source = ExtractionInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=batch.lease.key.subject,
        sources=frozenset({"user"}),
        time_zone=runtime.zone,
    )
    found = await run_in_thread_if_large(
        characters(batch.messages), lambda: corrections(source, amounts_alone=alone), above=LARGE_BATCH
    )
    return [denied_value(fix.old, fix.meant or fix.new, evidence_of(message)) for message, fix in found]
