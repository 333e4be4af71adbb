"""The steps of a turn, wired over an engine's components: what the engine's services share. Opens nothing."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from zoneinfo import ZoneInfo

from recollect.engine.components import Components
from recollect.engine.context_builder import ContextBuilder
from recollect.engine.memory_tools import MemoryTools
from recollect.engine.retrieval import Retriever
from recollect.engine.stages import STAGES
from recollect.engine.turn import TurnService
from recollect.errors import StoreUnavailableError
from recollect.formation.reader import RuleReader
from recollect.formation.runtime import Runtime
from recollect.maintenance.eraser import Eraser
from recollect.maintenance.reindex_terms import TermReindexer
from recollect.maintenance.sweep import SweepSchedule
from recollect.providers.circuit_breaker import CircuitBreaker, GuardedModel
from recollect.providers.embedder_router import EmbedderRouter
from recollect.providers.token_counter import CachingCounter
from recollect.worker.bulk import BulkWorker
from recollect.worker.loop import Worker


class Steps:
    """Recall, recording, formation and erasure over one set of components."""

    def __init__(self, components: Components) -> None:
        """Wire the steps; nothing runs yet."""
        settings, store = components.settings, components.store
        self.components = components
        self.breaker = CircuitBreaker(components.clock)
        self.embedders = EmbedderRouter(components.embedder, store.embeddings, components.opening)
        self._rule_reader = RuleReader(budget_s=settings.form_budget_s)
        self.runtime = Runtime(
            reader=self._rule_reader,
            store=store,
            embedder=components.embedder,
            model=_guarded(components, self.breaker),
            clock=components.clock,
            zone=ZoneInfo(settings.time_zone),
            profiles=components.profiles,
            metrics=components.metrics,
            log_text=settings.log_memory_text,
            counter=components.counter,
            embedders=self.embedders,
        )
        self.closing = asyncio.Event()
        self._sweeps = sweeps = SweepSchedule(self.runtime, settings.maintain_every_s)
        reindexer = TermReindexer(self.runtime)

        async def chores(stop: Callable[[], bool]) -> bool:
            await reindexer.portion(stop)
            return await sweeps.portion(stop)

        self.worker = Worker(self.runtime, STAGES, chores=chores)
        self.retriever = Retriever(components, self.embedders)
        self.contexts = ContextBuilder(components, self.retriever, self.runtime)
        self.eraser = Eraser(store=store, forget_texts=partial(_forget_texts, components))
        toolbox = partial(MemoryTools, runtime=self.runtime, retriever=self.retriever)
        self.turns = TurnService(components, self.contexts, self.worker, toolbox)

    def bulk_worker(self) -> BulkWorker:
        """Return a worker that forms many subjects side by side, with the same counters."""
        return BulkWorker(self.runtime, STAGES, counters=self.worker.counters)

    async def run_worker(self) -> None:
        """Form memories and do maintenance until the worker is stopped."""
        try:
            await self.worker.run()
        finally:
            with suppress(StoreUnavailableError):  # another process takes over when the lease expires
                await self._sweeps.close()

    async def close(self) -> None:
        """Finish what was accepted, then close the components. Maintenance in progress stops within a second."""
        self.closing.set()
        self.worker.stop()
        await self.turns.close()
        with suppress(StoreUnavailableError):  # another process takes over when the lease expires
            await self._sweeps.close()
        await asyncio.to_thread(self._rule_reader.close)
        await self.embedders.close()
        if self.components.reranker is not None:
            await self.components.reranker.close()
        if self.components.model is not None:
            await self.components.model.close()
        await self.components.store.close()


def _guarded(components: Components, breaker: CircuitBreaker) -> GuardedModel | None:
    if components.model is None:
        return None
    return GuardedModel(components.model, breaker, components.clock, timeout_s=components.settings.form_timeout_s)


def _forget_texts(components: Components) -> None:
    if isinstance(components.counter, CachingCounter):
        components.counter.forget()
