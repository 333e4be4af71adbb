"""The steps of a turn, wired over an engine's components: what the engine's services share. Opens nothing.

Recall is wired at once. What records, forms and maintains is loaded at its first use: it is most of the package, and a
process that only searches needs none of it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from toldonce.concurrency import ForkGuard
from toldonce.engine.components import FRESH_S, Components
from toldonce.engine.lazy_property import lazy_property
from toldonce.engine.preload import load_turns
from toldonce.engine.retrieval import Retriever
from toldonce.errors import StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.providers.circuit_breaker import CircuitBreaker, GuardedModel
from toldonce.providers.embedder_router import EmbedderRouter
from toldonce.providers.token_counter import CachingCounter
from toldonce.types import Subject

if TYPE_CHECKING:
    from toldonce.engine.agents import AgentService
    from toldonce.engine.context_builder import ContextBuilder
    from toldonce.engine.source_import import ImportService
    from toldonce.engine.turn import TurnService
    from toldonce.maintenance.eraser import Eraser
    from toldonce.maintenance.reembed import Reembedder
    from toldonce.maintenance.sweep import SweepSchedule
    from toldonce.worker.bulk import BulkWorker
    from toldonce.worker.loop import Worker


class Steps:
    """Recall, recording, formation and erasure over one set of components."""

    def __init__(self, components: Components) -> None:
        settings, store = components.settings, components.store
        self.components = components
        self.lock = RLock()  # of the lazy properties of the engine
        self.breaker = CircuitBreaker(components.clock)
        self.embedders = EmbedderRouter(components.embedder, store.embeddings, components.opening)
        self.runtime = Runtime(
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
        self._fork_guard = ForkGuard()
        self.retriever = Retriever(components, self.runtime, self.embedders)
        self._is_worker_stopped = False
        components.erasures.follow = self._follow_erasures

    @lazy_property
    def worker(self) -> "Worker":
        """The worker of this engine."""
        from toldonce.engine.stages import STAGES
        from toldonce.maintenance.reindex_terms import TermReindexer
        from toldonce.worker.loop import Worker

        reindexer, reembedder, sweeps = TermReindexer(self.runtime), self.reembedder, self._sweeps

        async def chores(stop: Callable[[], bool]) -> bool:
            await reindexer.portion(stop)
            return await sweeps.portion(stop) | await reembedder.portion(stop)

        worker = Worker(self.runtime, STAGES, chores=chores, lost=self.eraser.empty_caches)
        if self._is_worker_stopped:
            worker.stop()
        return worker

    @lazy_property
    def _sweeps(self) -> "SweepSchedule":
        from toldonce.maintenance.sweep import SweepSchedule

        return SweepSchedule(self.runtime, self.components.settings.maintain_every_s)

    @lazy_property
    def reembedder(self) -> "Reembedder":
        """Brings a database of an earlier version into the default embedder's space."""
        from toldonce.maintenance.reembed import Reembedder

        return Reembedder(self.runtime)

    @lazy_property
    def contexts(self) -> "ContextBuilder":
        """Builds the blocks that memory adds to prompts."""
        from toldonce.engine.context_builder import ContextBuilder

        return ContextBuilder(self.components, self.retriever, self.runtime)

    @lazy_property
    def eraser(self) -> "Eraser":
        """Erases what users want erased."""
        from toldonce.maintenance.eraser import Eraser

        return Eraser(store=self.components.store, forget_texts=self.forget_texts)

    @lazy_property
    def turns(self) -> "TurnService":
        """Prepares and records turns."""
        from toldonce.engine.memory_tools import MemoryTools
        from toldonce.engine.turn import TurnService

        toolbox = partial(MemoryTools, runtime=self.runtime, retriever=self.retriever)
        return TurnService(self.components, self.contexts, self.worker, toolbox)

    @lazy_property
    def agents(self) -> "AgentService":
        """Recalls for and records the turns of coding agents."""
        from toldonce.engine.agents import AgentService

        return AgentService(self.components, self.contexts, self.turns)

    @lazy_property
    def imports(self) -> "ImportService":
        """Takes in what other products exported."""
        from toldonce.engine.source_import import ImportService, ImportSteps

        steps = ImportSteps(runtime=self.runtime, turns=self.turns, worker=self.worker)
        return ImportService(self.components, steps)

    def forget_texts(self, subject: Subject | None) -> None:
        """Drop texts of a subject that are kept in this process; None: of all subjects."""
        if isinstance(self.components.counter, CachingCounter):
            self.components.counter.forget()
        self.retriever.forget_texts()
        if "turns" in vars(self):
            self.turns.forget_texts(subject)

    async def _follow_erasures(self) -> None:
        """Empty the caches after an erasure, by whichever process."""
        await self.components.store.erasures.drop_cached()
        await self.eraser.empty_caches()
        if "worker" in vars(self) and self.worker.elsewhere is not None:
            self.worker.elsewhere.renew()

    async def look_around(self) -> None:
        """Follow what other processes merge and erase, each second until cancelled."""
        while True:
            await self.components.refresh()
            await asyncio.sleep(FRESH_S)

    def bulk_worker(self) -> "BulkWorker":
        """Return a worker that forms many subjects side by side, with the same counters."""
        from toldonce.engine.stages import STAGES
        from toldonce.worker.bulk import BulkWorker

        return BulkWorker(self.runtime, STAGES, counters=self.worker.counters)

    async def run_worker(self) -> None:
        """Form memories and do maintenance until the worker is stopped."""
        if self._is_worker_stopped:
            return
        # Loading takes tens of milliseconds, for which the event loop must not be held.
        await asyncio.to_thread(load_turns)
        looking = asyncio.create_task(self.look_around())
        try:
            await self.worker.run()
        finally:
            looking.cancel()
            with suppress(StoreUnavailableError):  # another process takes over when the lease expires
                await self._sweeps.close()

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Stop the worker after the formation in progress; `promptly`: or give that back for the next one."""
        with self.lock:  # a thread may be making the worker
            self._is_worker_stopped = True
            if "worker" in vars(self):
                self.worker.stop(promptly=promptly)

    async def close(self) -> None:
        """Finish what was accepted, then close the components. Maintenance in progress stops within a second.

        In a forked process nothing happens: all of it is the parent's.
        """
        if self._fork_guard.is_forked:
            return
        self.closing.set()
        self.stop_worker()
        if "turns" in vars(self):
            await self.turns.close()
        if "_sweeps" in vars(self):
            with suppress(StoreUnavailableError):  # another process takes over when the lease expires
                await self._sweeps.close()
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
