"""What every stage of formation works with: store, models, clock. Asks the store for a subject's embedder."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from toldonce.clock import Clock
from toldonce.concurrency import Turns
from toldonce.metrics import Metrics
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.embedder_router import EmbedderRouter
from toldonce.providers.protocols import Embedder, LanguageModel, TokenCounter
from toldonce.providers.token_counter import token_counter
from toldonce.store.store import Store
from toldonce.time_zones import read_zone
from toldonce.types import FormationResult, Lease, Memory, MemoryId, Subject

# Memories kept of one formation: a large subject's quotations go through it in portions.
_MAX_KEPT = 1_000


class KnownMemories:
    """Reads memories for one attempt of a formation. Its commit is refused if they changed meanwhile."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[Subject, MemoryId], Memory] = {}

    async def get_many(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """Do as `MemoryRepository.get_many`, but read each memory once."""
        known = {id_: self._known[subject, id_] for id_ in ids if (subject, id_) in self._known}
        lacking = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        for memory in await self._store.memories.get_many(subject, lacking):
            known[memory.id] = memory
            if len(self._known) < _MAX_KEPT:
                self._known[subject, memory.id] = memory
        return [known[id_] for id_ in ids if id_ in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The store, the models and the clock, as the engine wired them."""

    store: Store
    embedder: Embedder
    """The embedder of the subject that is worked on: see `for_subject`."""
    model: LanguageModel | None
    """None: the built-in rules extract."""
    clock: Clock
    zone: tzinfo
    """Where the subject's user is: see `for_subject`."""
    setting_zone: tzinfo | None = None
    """Where the users are who do not say it; None: `zone`."""
    profiles: ProfileRegistry = field(default_factory=ProfileRegistry)
    counter: TokenCounter = field(default_factory=token_counter)
    metrics: Metrics = field(default_factory=Metrics)
    log_text: bool = False
    """Whether log lines may carry the words of memories."""
    turns: Turns = field(default_factory=Turns)
    """Held by subject while memories are changed by hand, so that each change sees the one before it."""
    embedders: EmbedderRouter | None = None
    """All embedders that may be in use; None: `embedder` is the only one."""

    known: KnownMemories | None = None
    """What this attempt of a formation has read; None: every step reads the store."""

    async def memories(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """Read memories as `MemoryRepository.get_many` does."""
        return await (self.known or self.store.memories).get_many(subject, ids)

    async def for_subject(self, subject: Subject) -> "Runtime":
        """Return the runtime for work on `subject`: its time zone, and the embedder by which it is read now."""
        embedder = self.embedder if self.embedders is None else await self.embedders.for_subject(subject)
        setting = self.setting_zone or self.zone
        zone = await user_zone(self.store, subject, setting)
        is_same = embedder is self.embedder and zone is self.zone
        return self if is_same else replace(self, embedder=embedder, zone=zone, setting_zone=setting)

    async def for_cached_subject(self, subject: Subject) -> "Runtime":
        """Do as `for_subject` by what is known without a read; a write in another space raises `SpaceMovedError`."""
        if self.embedders is None:
            return self
        embedder = await self.embedders.cached_for(subject)
        return self if embedder is self.embedder else replace(self, embedder=embedder)


Stage = Callable[[Lease, Runtime], Awaitable[FormationResult]]
"""Turns a lease into what is to be committed. Writes nothing itself."""


async def user_zone(store: Store, subject: Subject, otherwise: tzinfo) -> tzinfo:
    """Return the time zone that a subject's fact names; `otherwise` without a fact that names a known one."""
    fact = await store.memories.in_slot(subject, "identity", "time_zone")
    return (read_zone(fact.value) if fact is not None else None) or otherwise
