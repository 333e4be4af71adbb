"""What one formation works on. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from toldonce.clock import Clock
from toldonce.extraction.sources import CarriedText
from toldonce.ids import new_id
from toldonce.profiles.policies import Profile
from toldonce.providers.protocols import Embedder
from toldonce.resolution.values import Neighbour, Neighbours
from toldonce.types import (
    Action,
    AddMemory,
    CloseMemory,
    Decision,
    FormationKey,
    Lease,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    ReopenMemory,
    SubjectSnapshot,
    Vectors,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredMemories:
    """What comes back with a formation."""

    memories: tuple[Memory, ...] = ()
    """As they are once they are back."""
    changes: tuple[ReopenMemory, ...] = ()
    """One for each of `memories`."""
    closes: tuple[CloseMemory, ...] = ()
    """Quotations of a part of a message that comes back whole."""
    added: tuple[AddMemory, ...] = ()
    """Quotations and episodes that come back without what is still closed or forgotten."""
    decisions: tuple[Decision, ...] = ()

    def beside(self, neighbours: Neighbours, vectors: Vectors, embedder: Embedder) -> Neighbours:
        """Put what comes back among the memories that candidates are weighed against."""
        if not self.memories:
            return neighbours
        notes = [
            (memory, change.vectors[0])
            for memory, change in zip(self.memories, self.changes, strict=True)
            if memory.kind is MemoryKind.NOTE and change.vectors
        ]
        near = [
            [
                *found,
                *(
                    Neighbour(memory=memory, similarity=float(embedder.relevance(np.vecdot(row, vector)[None])[0]))
                    for memory, row in notes
                ),
            ]
            for found, vector in zip(neighbours.near, vectors, strict=True)
        ]
        facts = [memory for memory in self.memories if memory.kind is MemoryKind.FACT]
        return Neighbours(near=near, facts=[*neighbours.facts, *facts])


NOTHING_BACK = RestoredMemories()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionBatch:
    """What one formation works on."""

    lease: Lease
    profile: Profile
    messages: tuple[LoggedMessage, ...]
    """The new ones that were not edited away."""
    earlier: tuple[LoggedMessage, ...]
    snapshot: SubjectSnapshot
    ended: frozenset[MemoryId]
    """Memories that this formation closes because an edit took back what they rest on: nothing is weighed against them,
    or an edit that says the same again would be ignored as known and its memory lost."""
    options: Mapping[str, Any]
    """What the conversation was opened with."""
    tags: tuple[str, ...] = ()
    """Tags of what is formed here."""
    formed_seq: int
    """The last message of the conversation that this formation is done with."""
    back: RestoredMemories = NOTHING_BACK
    """What comes back because what replaced it was taken back: candidates are weighed against it as well."""
    invented: Mapping[int, str] = field(default_factory=dict)
    """What messages say within a game, a story or a supposition, by `seq`; empty where no model is asked."""
    carried: Mapping[int, CarriedText] = field(default_factory=dict)
    """Messages that carry others' words, by `seq`; empty where no model is asked."""

    @property
    def shown(self) -> frozenset[int]:
        """Messages that a model is shown though they may have no own words: parts of games, texts to work on."""
        return frozenset({*self.invented, *(seq for seq, carried in self.carried.items() if carried.given)})

    @property
    def sources(self) -> frozenset[str]:
        """Roles whose words form memories."""
        return frozenset(self.profile.form.sources)


def ignored(key: FormationKey, reason: str, clock: Clock, *, seq: int | None = None, text: str = "") -> Decision:
    """Log that a message, or all that was to be formed, is left out: nothing vanishes in silence."""
    return Decision(
        id=new_id(clock),
        subject=key.subject,
        at=clock.now(),
        action=Action.IGNORE,
        memory_id=None,
        target_id=None,
        reason=reason,
        text=text,
        profile=key.profile,
        conversation=key.conversation,
        seq=seq,
    )


def by_formation(decision: Decision, key: FormationKey, seq: int | None = None) -> Decision:
    """Name the formation that decided: its profile, its conversation and the message."""
    return replace(decision, profile=key.profile, conversation=key.conversation, seq=seq)
