"""What every part of the engine's API stands on: the wired steps, and whose memory a name means. Opens nothing."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Self
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.engine.components import Components
from recollect.engine.context_builder import ContextBuilder
from recollect.engine.memory_tools import MemoryTools
from recollect.engine.retrieval import Retriever
from recollect.engine.turn import TurnService
from recollect.errors import StoreUnavailableError, UnknownMemoryError
from recollect.formation.extract import extract
from recollect.formation.index_turns import index_turns
from recollect.formation.reader import RuleReader
from recollect.formation.runtime import Runtime
from recollect.formation.summarize import summarize
from recollect.maintenance.reindex_terms import TermReindexer
from recollect.maintenance.sweep import SweepSchedule
from recollect.profiles.policies import Profile
from recollect.providers.circuit_breaker import CircuitBreaker, GuardedModel
from recollect.providers.embedder_router import EmbedderRouter
from recollect.types import MemoryId, Subject
from recollect.worker.loop import Worker

ListOf = list
"""Inside a class whose method is `list`, the type."""


class Wired:
    """The steps, wired over given parts."""

    def __init__(self, parts: Components) -> None:
        """Wire given parts; `open` is the usual way in."""
        self.settings = parts.settings
        self.clock = parts.clock
        self.counter = parts.counter
        self.metrics = parts.metrics
        self._store = parts.store
        self._parts = parts
        self._breaker = CircuitBreaker(parts.clock)
        self._embedders = EmbedderRouter(parts.embedder, parts.store, parts.opening)
        self._rule_reader = RuleReader(budget_s=parts.settings.form_budget_s)
        self._tools = Runtime(
            reader=self._rule_reader,
            store=parts.store,
            embedder=parts.embedder,
            model=_guarded(parts, self._breaker),
            clock=parts.clock,
            zone=ZoneInfo(parts.settings.time_zone),
            profiles=parts.profiles,
            metrics=parts.metrics,
            log_text=parts.settings.log_memory_text,
            counter=parts.counter,
            embedders=self._embedders,
        )
        self._closing = False
        self._tending = tending = SweepSchedule(self._tools, parts.settings.maintain_every_s)
        reterming = TermReindexer(self._tools)

        async def chores(stop: Callable[[], bool]) -> bool:
            await reterming.portion(stop)
            return await tending.portion(stop)

        self._stages = {"index": index_turns, "extract": extract, "episodes": summarize}
        self._worker = Worker(self._tools, self._stages, chores=chores)
        self._finder = Retriever(parts, self._embedders)
        self._prompts = ContextBuilder(parts, self._finder, self._tools)
        toolbox = partial(MemoryTools, tools=self._tools, finder=self._finder)
        self.turns = TurnService(parts, self._prompts, self._worker, toolbox)

    async def close(self) -> None:
        """Finish what was accepted and let go of the store. Maintenance under way stops within a second."""
        self._closing = True
        self._worker.stop()
        await self.turns.close()
        with suppress(StoreUnavailableError):  # another process goes on when the lease has run out
            await self._tending.close()
        await asyncio.to_thread(self._rule_reader.close)
        await self._embedders.close()
        if self._parts.reranker is not None:
            await self._parts.reranker.close()
        if self._parts.model is not None:
            await self._parts.model.close()
        await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject behind a user's name.

        Raises:
            BadSubjectError: the name cannot be a user.
        """
        return user if isinstance(user, Subject) else Subject("user", user or self.settings.default_user or "local")

    def profile(self, name: str) -> Profile:
        """Return a profile.

        Raises:
            UnknownProfileError: there is none of that name.
        """
        return self._parts.profiles.get(name)


def _guarded(parts: Components, breaker: CircuitBreaker) -> GuardedModel | None:
    if parts.model is None:
        return None
    return GuardedModel(parts.model, breaker, parts.clock, timeout_s=parts.settings.form_timeout_s)


def memory_id_of(text: str) -> MemoryId:
    """Read an id that somebody typed.

    Raises:
        UnknownMemoryError: it is no id, so no memory has it.
    """
    try:
        return MemoryId(str(UUID(text)))
    except ValueError:
        raise UnknownMemoryError(text) from None
