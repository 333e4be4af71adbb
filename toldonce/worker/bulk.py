"""A worker for backlogs, such as a replay: many subjects at once, with joined embedding calls. Uses the store."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from toldonce.errors import ToldOnceError
from toldonce.formation.runtime import Runtime, Stage
from toldonce.metrics import Metrics
from toldonce.providers.batching_embedder import BatchingEmbedder
from toldonce.providers.protocols import Embedder
from toldonce.types import FormationKey, FormationStatus, Lease, Subject, Vectors
from toldonce.worker.counters import WorkerCounters
from toldonce.worker.loop import Worker

# Subjects formed concurrently. They take turns waiting for the disk and the embedder; more would only compete for the
# processor.
MAX_CONCURRENT_SUBJECTS = 8
# Formations looked up in one round, so that prefetching embeds a few thousand texts at most.
_BATCH_SIZE = 64
# With this many subjects in a round, embedding calls are joined anyway, and prefetching would only cost time.
_PREFETCH_THRESHOLD = MAX_CONCURRENT_SUBJECTS


class BulkWorker(Worker):
    """A worker for backlogs: the same formations in the same order, with less waiting.

    Subjects are formed concurrently, and their simultaneous embedding calls are joined. Formations of one subject run
    one after the other; if its embedder is remote, their texts are prefetched and embedded together.
    """

    batch_size = _BATCH_SIZE

    def __init__(self, runtime: Runtime, stages: Mapping[str, Stage], *, counters: WorkerCounters) -> None:
        super().__init__(runtime, stages)
        self.counters = counters
        self._joined: dict[str, BatchingEmbedder] = {}

    async def drain(self) -> int:
        """See `Worker.drain`."""
        try:
            return await super().drain()
        finally:
            for joined in self._joined.values():
                await joined.close()

    @property
    def concurrency(self) -> int:
        """See `Worker.concurrency`. With a model, no more concurrent calls than any worker makes."""
        return super().concurrency if self._runtime.model else MAX_CONCURRENT_SUBJECTS

    def runtime_for(self, runtime: Runtime) -> Runtime:
        """See `Worker.runtime_for`."""
        return replace(runtime, embedder=self._join(runtime.embedder))

    async def _round(self, *, heed_stop: bool) -> int:
        """Form what has been due longest; what comes next is prefetched with the next round."""
        await self._upkeep.finish_erasing()
        due = await self._runtime.store.formations.due(self._runtime.clock.now(), limit=self.batch_size)
        await self.prefetch(due)
        room = asyncio.Semaphore(self.concurrency)

        async def form(keys: list[FormationKey]) -> int:
            async with room:
                return await self.form_in_order(keys, heed_stop=heed_stop)

        subjects: dict[Subject, list[FormationKey]] = {}
        for key in due:
            subjects.setdefault(key.subject, []).append(key)
        return sum(await asyncio.gather(*(form(keys) for keys in subjects.values())))

    async def prefetch(self, due: Sequence[FormationKey]) -> None:
        """Embed the texts of due formations, as far as they are known before the formations run."""
        subjects = {key.subject for key in due}
        if len(subjects) >= _PREFETCH_THRESHOLD:
            return
        for joined in self._joined.values():
            joined.forget()
        ahead: defaultdict[BatchingEmbedder, list[str]] = defaultdict(list)
        for subject in subjects:
            runtime = self.runtime_for(await self._runtime.for_subject(subject))
            joined = self._join(runtime.embedder)
            waiting = {
                status.key: status for status in await runtime.store.formations.list(subject=subject, limit=1000)
            }
            for key in due:
                # A formation that was begun and did not finish is only run under its lease, which counts the attempt.
                is_fresh = key in waiting and not waiting[key].attempts
                if not is_fresh or joined.is_remote is False or (runtime.model and key.stage != "index"):
                    continue
                texts = await self._texts(waiting[key], runtime)
                if joined.is_remote is None:  # the first call measures whether it is remote
                    await joined.prefetch(texts)
                ahead[joined] += texts
        for joined, texts in ahead.items():
            await joined.prefetch(texts)

    def _join(self, embedder: Embedder) -> BatchingEmbedder:
        if isinstance(embedder, BatchingEmbedder):
            return embedder
        return self._joined.setdefault(embedder.space, BatchingEmbedder(embedder))

    async def _texts(self, waiting: FormationStatus, runtime: Runtime) -> list[str]:
        """Run a stage, which writes nothing, up to its first embedding call; return the texts of that call."""
        embedder = _DryRunEmbedder(runtime.embedder)
        lease = Lease(
            key=waiting.key,
            token=0,
            until=runtime.clock.now(),
            attempts=0,
            formed_seq=waiting.formed_seq,
            last_seq=waiting.last_seq,
        )
        ahead = replace(runtime, embedder=embedder, metrics=Metrics())
        # An error here occurs again when the formation itself runs, and is handled there.
        await asyncio.gather(self._stages[waiting.key.stage](lease, ahead), return_exceptions=True)
        return embedder.texts


class _DryRunDoneError(ToldOnceError):
    """Aborts a stage once the texts that it embeds are known."""


class _DryRunEmbedder(BatchingEmbedder):
    """Dry-run embedder: records the texts a stage would embed, then aborts the stage."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        raise _DryRunDoneError("the texts are known")
