"""Restore closed memories, for undo and edits, without what else is closed or forgotten. Reads the store, embeds."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from toldonce.extraction.redaction import build_redaction
from toldonce.formation.forgotten_answers import (
    MAX_ANSWERED,
    find_answers,
    find_answers_among,
    read_question_with_answer,
)
from toldonce.formation.forgotten_words import is_forgotten
from toldonce.formation.quotations import added_quotations, without_stretches
from toldonce.formation.recallable import rebuild_index_data
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, outdated_memory, stale_stretches
from toldonce.formation.summaries import added_episodes, sentences_that_return, without_sentences
from toldonce.formation.withheld import disjoint, with_secrets
from toldonce.resolution.slots import slot_mark, value_mark
from toldonce.resolution.undo_plan import UndoHistory, closes
from toldonce.types import (
    Action,
    AddMemory,
    CloseMemory,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    Subject,
    Withheld,
)

_QUOTING = frozenset({MemoryKind.TURN, MemoryKind.EPISODE})
MAX_DECISIONS = 10_000
"""Decisions read for one memory: far more than a memory ever has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What comes back."""

    memories: tuple[Memory, ...]
    """Those that come back as they were."""
    reopened: tuple[ReopenMemory, ...]
    """One for each of them."""
    added: tuple[AddMemory, ...]
    """Quotations and episodes in place of those that may not come back as they were."""
    closes: tuple[CloseMemory, ...]
    """Shorter quotations that these take the place of."""


async def restore(
    runtime: Runtime, returning: Sequence[Memory], *, undone: frozenset[MemoryId] = frozenset()
) -> Restored:
    """Bring back memories of one subject.

    A quotation or an episode had been shortened, perhaps, for more reasons than the one that is gone: it comes back
    without what else is closed or forgotten. Of several of the same message the fullest comes back.

    Args:
        runtime: Store, embedder and clock.
        returning: What comes back, closed until now.
        undone: Memories that are taken back with it: for these nothing is withheld.
    """
    same = [memory for memory in returning if memory.kind not in _QUOTING or not memory.evidence]
    quotations: list[Memory] = []
    closed: list[Memory] = []
    episodes: list[tuple[Memory, list[str]]] = []
    back = {memory.id for memory in returning}
    quoting = [memory for memory in returning if memory not in same]
    for memory in _one_each([*quoting, *await _answers_left(runtime, returning, back)]):
        found = await _Still(runtime, memory, frozenset(back), undone).read()
        is_shown = memory.state is MemoryState.ACTIVE and memory.id not in back
        whole = replace(found.fullest, state=MemoryState.ACTIVE, valid_to=None, closed_at=None)
        if memory.kind is MemoryKind.TURN:
            withheld = await found.withheld()
            if withheld == disjoint(memory.detail.withheld):
                same += [] if is_shown else [memory]
            elif left := without_stretches(whole, with_secrets(whole.text, withheld), runtime):
                quotations.append(left)
                closed += [memory] if is_shown else []
        else:
            kept = found.sentences([known for known in returning if known.kind not in _QUOTING])
            if kept is None and whole.text == memory.text:
                same.append(memory)
            else:
                episodes.append((without_sentences(whole, kept or [whole.text], runtime), kept or [whole.text]))
    added = [*await added_quotations(quotations, runtime), *await added_episodes(episodes, runtime)]
    now = runtime.clock.now()
    return Restored(
        memories=tuple(same),
        reopened=tuple(await rebuild_index_data(runtime, same)),
        added=tuple(added),
        closes=tuple(CloseMemory(id=known.id, valid_to=max(known.valid_from, now), closed_at=now) for known in closed),
    )


async def _answers_left(runtime: Runtime, returning: Sequence[Memory], back: Collection[MemoryId]) -> list[Memory]:
    """Find quoted answers to returning messages that were shortened or closed whole for what is back.

    An answer goes with each part of its message that is forgotten, and is closed for the first of them alone.
    """
    found: list[Memory] = []
    places = {said.ref for memory in returning for said in memory.evidence if said.role == "user"}
    for place in sorted(places)[:MAX_ANSWERED]:
        for conversation, seq in await find_answers(place, returning[0].subject, runtime):
            quoting = await runtime.store.memories.from_source(returning[0].subject, conversation, seq=seq)
            versions = [memory for memory in quoting if memory.kind is MemoryKind.TURN]
            shown = [memory for memory in versions if memory.state is MemoryState.ACTIVE or memory.id in back]
            if not shown:
                found += [memory for memory in versions if await _cause_is_back(runtime, memory, back)]
            elif shown[0].id not in back and any(stretch.because in back for stretch in shown[0].detail.withheld):
                found.append(shown[0])
    return found


async def _cause_is_back(runtime: Runtime, quotation: Memory, back: Collection[MemoryId]) -> bool:
    lines = await runtime.store.decisions.list(quotation.subject, memory=quotation.id, limit=MAX_DECISIONS)
    ends = [line for line in lines if closes(line, quotation.id)]
    cause = ends[-1].target_id if ends and ends[-1].action is Action.CLOSE else None
    known = await runtime.store.memories.get_many(quotation.subject, [cause]) if cause else []
    return bool(known) and (cause in back or known[0].state is MemoryState.ACTIVE)


def _one_each(memories: Iterable[Memory]) -> list[Memory]:
    """Return one quotation, or episode, for each message: the one that leaves out least."""
    found: dict[tuple[MemoryKind, str, int], Memory] = {}
    for memory in sorted(memories, key=_left_out):
        source = memory.evidence[0]
        found.setdefault((memory.kind, source.conversation, source.seq), memory)
    return list(found.values())


def _left_out(memory: Memory) -> tuple[int, int, str]:
    """Order quotations of one message, or episodes of the same turns, by how much they leave out."""
    return (sum(stretch.end - stretch.start for stretch in memory.detail.withheld), -len(memory.text), memory.id)


class _Still:
    """What keeps a quotation or an episode from coming back whole."""

    def __init__(
        self, runtime: Runtime, memory: Memory, back: frozenset[MemoryId], undone: frozenset[MemoryId]
    ) -> None:
        self._runtime = runtime
        self._memory = memory
        self._back = back
        self._undone = undone
        self._others: list[Memory] = []
        self.fullest = memory
        """Of the same message, or the same turns, what leaves out least, whether it comes back or not."""
        self._outdated: list[Outdated] = []

    async def read(self) -> "_Still":
        """Read what else rests on the same messages, and what of it is closed or forgotten."""
        memory, source = self._memory, self._memory.evidence[0]
        seq = source.seq if memory.kind is MemoryKind.TURN else None
        found = await self._runtime.store.memories.from_source(memory.subject, source.conversation, seq=seq)
        places = {said.ref for said in memory.evidence}
        self._others = [
            known
            for known in found
            if known.id not in self._undone and any(said.ref in places for said in known.evidence)
        ]
        self.fullest = min((known for known in (*self._others, memory) if self._is_version(known)), key=_left_out)
        self._outdated = [old for known in self._others for old in await self._closed(known)]
        if memory.kind is MemoryKind.TURN and source.role == "assistant":
            self._outdated += await self._forgotten_questions(source)
        return self

    async def _forgotten_questions(self, source: Evidence) -> list[Outdated]:
        """Find what is closed or forgotten of the message that a quoted answer answers."""
        subject = self._memory.subject
        read = await read_question_with_answer(source, subject, self._runtime)
        if not read:
            return []
        asked = await self._runtime.store.memories.from_source(subject, source.conversation, seq=read[0].seq)
        closed = [old for memory in asked if memory.id not in self._undone for old in await self._closed(memory)]
        return [*closed, *find_answers_among(read, closed, of=read[:1])]

    def _is_version(self, other: Memory) -> bool:
        """Whether a memory quotes the same message, or sums up the same turns."""
        mine, theirs = self._memory.evidence[0], other.evidence[0]
        return other.kind is self._memory.kind and mine.ref == theirs.ref

    async def _closed(self, memory: Memory) -> list[Outdated]:
        if memory.state is not MemoryState.CLOSED or memory.kind in _QUOTING or memory.id in self._back:
            return []
        lines = await self._runtime.store.decisions.list(memory.subject, memory=memory.id, limit=MAX_DECISIONS)
        ends = [line for line in lines if closes(line, memory.id)]
        replaced = bool(ends) and ends[-1].action is Action.REPLACE and memory.kind is MemoryKind.FACT
        if not ends or not (ends[-1].action is Action.CLOSE or replaced):
            return []
        mark = _said_value(memory) if memory.key else None
        facts = await self._runtime.store.memories.facts(memory.subject) if mark else []
        if any(_said_value(fact) == mark for fact in facts):
            return []  # it was said again since
        return [outdated_memory(memory, until=None, is_topic=is_forgotten(memory, lines))]

    async def withheld(self) -> tuple[Withheld, ...]:
        """Return the stretches that a quotation must leave out."""
        memory = self._memory
        shown = [memory, *(other for other in self._others if self._is_version(other))]
        stretches = {stretch for other in shown for stretch in other.detail.withheld}
        causes = {MemoryId(stretch.because) for stretch in stretches if stretch.because} - self._back
        known = await self._runtime.store.memories.get_many(memory.subject, sorted(causes))
        ended = causes - {other.id for other in known if other.state is not MemoryState.CLOSED}
        text = self.fullest.text
        secrets = set(build_redaction(text).secrets)
        stay = [stretch for stretch in stretches if _stays(stretch, ended, secrets)]
        return disjoint((*stay, *stale_stretches(text, memory.evidence[0], self._outdated)))

    def sentences(self, holding: Sequence[Memory]) -> list[str] | None:
        """Return the sentences of an episode that come back; None: all of them.

        Args:
            holding: What holds again.
        """
        active = [memory for memory in self._others if self._is_version(memory) and memory.state is MemoryState.ACTIVE]
        again = [outdated_memory(memory, until=None, is_topic=True) for memory in holding]
        return sentences_that_return(self.fullest, active[0] if active else None, back=again, still=self._outdated)


def _stays(stretch: Withheld, ended: Collection[str], secrets: Collection[tuple[int, int]]) -> bool:
    """Whether what a stretch was left out for is still so; secrets are struck out in any case."""
    if stretch.because:
        return stretch.because in ended
    return (stretch.start, stretch.end) not in secrets


async def shortened_quotations(runtime: Runtime, returning: Sequence[Memory]) -> list[CloseMemory]:
    """End the quotations of a part of a message, and episodes without a sentence, where the whole comes back."""
    now = runtime.clock.now()
    closes: dict[MemoryId, CloseMemory] = {}
    for memory in returning:
        if memory.kind not in (MemoryKind.TURN, MemoryKind.EPISODE) or not memory.evidence:
            continue
        source = memory.evidence[0]
        for other in await runtime.store.memories.from_source(memory.subject, source.conversation, seq=source.seq):
            if other.kind is memory.kind and other.state is MemoryState.ACTIVE and other.id != memory.id:
                closes[other.id] = CloseMemory(id=other.id, valid_to=max(other.valid_from, now), closed_at=now)
    return list(closes.values())


async def read_past(
    runtime: Runtime, subject: Subject, memories: Sequence[Memory], decided: Iterable[Decision] = ()
) -> UndoHistory:
    """Read what taking back memories rests on: their decisions, what they closed, and the facts that hold.

    Args:
        runtime: Store and clock.
        subject: The owner of the memories.
        memories: What is to be taken back.
        decided: Decisions about them that are known already.
    """
    known = {memory.id: memory for memory in memories}
    lines = {line.id: line for line in decided}
    await read_lines(runtime, subject, [memory for memory in memories if memory.kind is not MemoryKind.TURN], lines)
    others = {other for line in lines.values() for other in (line.memory_id, line.target_id) if other} - known.keys()
    related = await runtime.store.memories.get_many(subject, sorted(others))
    await read_lines(runtime, subject, related, lines)
    known |= {memory.id: memory for memory in related}
    ordered = sorted(lines.values(), key=lambda line: (line.at, line.id))
    return UndoHistory(memories=known, decisions=ordered, active=await runtime.store.memories.facts(subject))


def _said_value(fact: Memory) -> tuple[str, str]:
    """Return what facts share that give the same slot the same value."""
    return slot_mark(fact.key, fact.value, fact.speaker), value_mark(fact.value)


async def read_lines(
    runtime: Runtime, subject: Subject, memories: Sequence[Memory], lines: dict[str, Decision]
) -> None:
    """Add the decisions about memories to `lines`, by their ids."""
    for memory in memories:
        found = await runtime.store.decisions.list(subject, memory=memory.id, limit=MAX_DECISIONS)
        lines |= {line.id: line for line in found}
