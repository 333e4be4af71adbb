"""The memories while a batch is decided: the existing ones, and what the batch has added so far. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.slots import slot_mark, value_mark
from toldonce.resolution.values import Claim, EndedMemory, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.text.slot_owner import names_owner, reaches_speaker, slot_owner
from toldonce.types import Action, Candidate, Evidence, Memory, MemoryId, MemoryKind


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemory:
    """A memory to weigh against: an existing one, or one the batch has just decided to add."""

    memory: Memory | None
    place: int | None
    """Its place in the batch, where the batch made it."""
    kind: MemoryKind
    text: str
    type: str
    key: str
    value: str
    speaker: str
    importance: float
    confidence: float
    valid_from: datetime
    evidence: tuple[Evidence, ...]
    fallback: datetime
    """When it was stored, for memories without evidence."""

    @property
    def last_said(self) -> tuple[datetime, str, int]:
        """When it was last said, in which conversation and where in it."""
        newest = max(self.evidence, key=lambda source: (source.said_at, source.seq), default=None)
        return (newest.said_at, newest.conversation, newest.seq) if newest else (self.fallback, "", 0)


def of_memory(memory: Memory) -> KnownMemory:
    """Take an existing memory."""
    return KnownMemory(
        memory=memory,
        place=None,
        kind=memory.kind,
        text=memory.text,
        type=memory.type,
        key=memory.key,
        value=memory.value,
        speaker=memory.speaker,
        importance=memory.importance,
        confidence=memory.confidence,
        valid_from=memory.valid_from,
        evidence=memory.evidence,
        fallback=memory.known_from,
    )


def of_candidate(candidate: Candidate, evidence: tuple[Evidence, ...], place: int) -> KnownMemory:
    """Take a candidate that the batch adds."""
    return KnownMemory(
        memory=None,
        place=place,
        kind=candidate.kind,
        text=candidate.text,
        type=candidate.type,
        key=candidate.key,
        value=candidate.value,
        speaker=candidate.speaker,
        importance=candidate.importance,
        confidence=candidate.confidence,
        valid_from=candidate.valid_from,
        evidence=evidence,
        fallback=candidate.valid_from,
    )


def is_newer(evidence: Evidence, known: KnownMemory) -> bool:
    """Whether a statement was made strictly after a memory was last said.

    Within a conversation time and then place decide, across conversations the time alone. What a batch read
    earlier in the very same message is older.
    """
    said_at, conversation, seq = known.last_said
    if known.place is not None and evidence.ref == (conversation, seq):
        return True
    if evidence.conversation == conversation:
        return (evidence.said_at, evidence.seq) > (said_at, seq)
    return evidence.said_at > said_at


@dataclass(slots=True)
class BatchState:
    """The state that decisions of one batch share."""

    neighbours: Neighbours
    done: list[ResolvedCandidate] = field(default_factory=list)
    closed: set[MemoryId] = field(default_factory=set)
    """Existing memories that the batch has ended."""

    def facts(self) -> Iterator[KnownMemory]:
        """Go through the facts that hold."""
        for memory in self.neighbours.facts:
            if memory.id not in self.closed and memory.kind is MemoryKind.FACT:
                yield of_memory(memory)
        yield from self._added(MemoryKind.FACT)

    def notes(self, place: int, similar: float = 0.0) -> Iterator[tuple[KnownMemory, float]]:
        """Go through the existing notes near a candidate that hold, with their similarity."""
        near = self.neighbours.near[place] if place < len(self.neighbours.near) else ()
        for neighbour in near:
            memory = neighbour.memory
            if memory.id not in self.closed and memory.kind is MemoryKind.NOTE and neighbour.similarity >= similar:
                yield of_memory(memory), neighbour.similarity

    def added_notes(self) -> Iterator[KnownMemory]:
        """Go through the notes the batch has added."""
        return self._added(MemoryKind.NOTE)

    def active(self, place: int) -> Iterator[KnownMemory]:
        """Go through what holds: facts, the existing notes near a candidate, and what the batch has added."""
        yield from self.facts()
        for known, _ in self.notes(place):
            yield known
        yield from self.added_notes()

    def _added(self, kind: MemoryKind) -> Iterator[KnownMemory]:
        for place, decided in enumerate(self.done):
            added = decided.action in (Action.ADD, Action.REPLACE) and decided.valid_to is None
            if added and decided.candidate.kind is kind:
                yield of_candidate(decided.candidate, decided.evidence, place)

    def find(self, memory_id: MemoryId) -> KnownMemory | None:
        """Find an existing memory among those shown that still holds."""
        shown = [*self.neighbours.facts, *(neighbour.memory for near in self.neighbours.near for neighbour in near)]
        for memory in shown:
            if memory.id == memory_id and memory.id not in self.closed:
                return of_memory(memory)
        return None

    def named(self, candidate: Candidate) -> KnownMemory | None:
        """Find what a model says that a candidate updates, if it still holds: what it was shown, or wrote before."""
        return self.find(candidate.replaces) if candidate.replaces else self._item(candidate.replaces_item)

    def _item(self, number: int) -> KnownMemory | None:
        """Find what became of an item of the model's answer: the known memory that it repeats, or itself."""
        for place, decided in enumerate(self.done if number else ()):
            if decided.candidate.item != number:
                continue
            if decided.successor is not None:
                return self._item(decided.successor.item)
            if decided.strengthens and decided.target is not None:
                return self.find(decided.target.id)
            if decided.action in (Action.ADD, Action.REPLACE) and decided.valid_to is None:
                return of_candidate(decided.candidate, decided.evidence, place)
        return None

    def end(self, known: KnownMemory, valid_to: datetime, by: Candidate) -> tuple[EndedMemory, ...]:
        """End a memory that holds: an existing one, which is returned, or one of the batch.

        Args:
            known: The memory.
            valid_to: When it ended.
            by: The candidate that ends it.
        """
        valid_to = max(valid_to, known.valid_from)
        if known.place is not None:
            self.done[known.place] = replace(self.done[known.place], valid_to=valid_to, successor=by)
            return ()
        if known.memory is None or known.memory.id in self.closed:
            return ()
        self.closed.add(known.memory.id)
        return (EndedMemory(memory=known.memory, valid_to=valid_to),)

    def add_evidence(self, place: int, evidence: Evidence) -> None:
        """Let a memory that the batch adds rest on a further quote."""
        earlier = self.done[place]
        if evidence not in earlier.evidence:
            self.done[place] = replace(earlier, evidence=(*earlier.evidence, evidence))


@dataclass(frozen=True)
class Case:
    """One claim to decide on, and all that the decision rests on."""

    batch: BatchState
    place: int
    """The claim's place in the batch."""
    claim: Claim
    policy: ResolvePolicy
    inputs: ResolveInputs

    @property
    def candidate(self) -> Candidate:
        """What is claimed."""
        return self.claim.candidate

    @property
    def evidence(self) -> Evidence:
        """The message that it was said in."""
        return self.claim.evidence

    def active(self) -> Iterator[KnownMemory]:
        """Go through the memories that the claim may end: see `BatchState.active`."""
        return self.batch.active(self.place)

    def notes(self) -> Iterator[tuple[KnownMemory, float]]:
        """Go through the existing notes near the claim, with their similarity."""
        return self.batch.notes(self.place)

    @cached_property
    def near(self) -> list[tuple[KnownMemory, float]]:
        """The notes near the claim, those of the batch among them, most similar first."""
        added = [(known, self.inputs.similar(known.place or 0, self.place)) for known in self.batch.added_notes()]
        return sorted([*self.notes(), *added], key=lambda pair: -pair[1])

    @property
    def message(self) -> str:
        """The own words of the message; the quote where they are not given."""
        return self.inputs.messages.get(self.place, self.candidate.quote)


def same_slot(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether a candidate and a fact fill the same slot of the same speaker."""
    return slot_mark(candidate.key, candidate.value, candidate.speaker) == slot_mark(
        known.key, known.value, known.speaker
    )


def same_owner(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether the slots of a candidate and of a fact belong to the same speaker."""
    return slot_owner(candidate.speaker) == slot_owner(known.speaker)


def concerns(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether a statement may end a memory: that of another speaker only if one of the two names the other."""
    said = f"{candidate.quote} {candidate.text}"
    if reaches_speaker(candidate.speaker, known.speaker, said if candidate.forgets else None):
        return True
    mine, theirs = slot_owner(candidate.speaker), slot_owner(known.speaker)
    return not candidate.forgets and (names_owner(said, theirs) or names_owner(known.text, mine))


def same_value(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether a candidate and a fact hold the same value."""
    return value_mark(candidate.value) == value_mark(known.value)
