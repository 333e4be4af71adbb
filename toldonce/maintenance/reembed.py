"""Re-embed memories with the chosen embedder, while the old vectors serve. Reads and writes the store.

A subject's memories are given vectors beside those they have, in small commits; then one commit switches the subject
over, if nothing came meanwhile that lacks any; then the old vectors are dropped. The vectors themselves tell
how far it came: whatever ends it, the next run continues with memories that lack some.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import BadEmbedderError
from toldonce.formation.recallable import index_pieces
from toldonce.formation.runtime import Runtime
from toldonce.providers.protocols import Embedder
from toldonce.types import EmbedderKind, Memory, MemoryId, ReembedBacklog, ReembedReport, Subject, Vector

# Memories embedded and committed at once: what a kill costs at most, and some 10 ms of the writer.
BATCH_SIZE = 128
# Rows of old vectors dropped in one commit, for the same reason.
DROPPED = 2_000
# After so many passes of which each found new memories, the subject is switched all the same: who writes without a
# pause must not keep it from ever being complete. What came in the last one is embedded right after the switch.
PASSES = 10
_PAGE_SIZE = 1000
# Characters from which memories are cut into pieces in a thread: some 3 ms.
_LARGE_TEXT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedProgress:
    """How far it came."""

    done: int
    """Memories."""
    of: int
    """As many as there were to do when it began."""


Telling = Callable[[ReembedProgress], None]


async def reembed_backlog(
    runtime: Runtime, space: str, usual: str, *, missing: bool = False
) -> AsyncIterator[ReembedBacklog]:
    """Iterate over the subjects that need embedding in a space, by name."""
    page = await runtime.store.embeddings.reembed_backlog(space, usual=usual, limit=_PAGE_SIZE, missing=missing)
    while page:
        for backlog in page:
            if backlog.memories or backlog.elsewhere:
                yield backlog
        last = page[-1].subject.text
        page = await runtime.store.embeddings.reembed_backlog(
            space, usual=usual, after=last, limit=_PAGE_SIZE, missing=missing
        )


async def reembed(
    runtime: Runtime, embedder: Embedder, *, dry_run: bool, tell: Telling, missing: bool = False
) -> ReembedReport:
    """Bring all subjects into the space of an embedder that was chosen.

    What has no vector at all has mostly no words, either; `missing` looks at it all the same.

    Raises:
        ModelError: the embedder failed: the old vectors serve what is not switched yet, and the next run goes on.
        BadEmbedderError: it gave vectors for none of the memories.
    """
    waiting = [
        backlog async for backlog in reembed_backlog(runtime, embedder.space, runtime.embedder.space, missing=missing)
    ]
    total = sum(backlog.memories for backlog in waiting)
    if dry_run:
        return ReembedReport(space=embedder.space, subjects=len(waiting), memories=total)
    done = dropped = 0
    for backlog in waiting:
        work = _SubjectReembedding(runtime, embedder, backlog.subject, missing=missing)
        async for count in work.run():
            done += count
            tell(ReembedProgress(done=min(done, total), of=total))
        dropped += await drop_others(runtime, backlog.subject)
    # What a former run switched over and did not come to drop.
    if any(other.memories for other in await runtime.store.embeddings.space_counts() if other.space != embedder.space):
        async for subject in _everybody(runtime):
            dropped += await drop_others(runtime, subject)
    tell(ReembedProgress(done=total, of=total))
    return ReembedReport(space=embedder.space, subjects=len(waiting), memories=done, dropped=dropped)


class Reembedder:
    """Brings all subjects into the default embedder's space, in a database that had another default.

    Several processes may do so: what one has embedded the others find done.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._after: str | None = None
        self._is_over = False

    async def portion(self, stop: Callable[[], bool]) -> bool:
        """Re-embed what waits among some subjects; return whether more may wait.

        Args:
            stop: Asked after each commit; where it says so, the rest waits for the next time.

        Raises:
            ModelError: The embedder failed.
        """
        if self._after is None:
            self._after, self._is_over = "", not await self._may_wait()
        if not self._is_over:
            embedder = self._runtime.embedder
            page = await self._runtime.store.embeddings.read_elsewhere(embedder.space, after=self._after)
            for subject in page.subjects:
                async for _ in _SubjectReembedding(self._runtime, embedder, subject).run():
                    if stop():
                        return True
                await drop_others(self._runtime, subject)
            self._after, self._is_over = page.last, not page.last
        return not self._is_over

    async def _may_wait(self) -> bool:
        """Return whether the default embedder is the chosen one, and vectors of another were ever stored."""
        embeddings = self._runtime.store.embeddings
        chosen = await embeddings.chosen()
        if chosen is None or chosen.spec.kind is not EmbedderKind.MULTILINGUAL:
            return False
        return chosen.space == self._runtime.embedder.space and len(await embeddings.space_names()) > 1


async def embed_missing(runtime: Runtime, subject: Subject) -> None:
    """Embed what came to a subject with vectors of another space alone, such as a linked memory."""
    runtime = await runtime.for_subject(subject)
    work = _SubjectReembedding(runtime, runtime.embedder, subject)
    async for _ in work.catch_up(since=0):
        pass


async def drop_others(runtime: Runtime, subject: Subject) -> int:
    """Drop a subject's vectors of spaces that are over; return how many rows."""
    dropped = 0
    while portion := await runtime.store.embeddings.drop_other_vectors(subject, limit=DROPPED):
        dropped += portion
    return dropped


async def _everybody(runtime: Runtime) -> AsyncIterator[Subject]:
    page = await runtime.store.admin.subjects(limit=_PAGE_SIZE)
    while page:
        for subject in page:
            yield subject
        page = await runtime.store.admin.subjects(after=page[-1].text, limit=_PAGE_SIZE)


class _SubjectReembedding:
    """Re-embeds one subject."""

    def __init__(self, runtime: Runtime, embedder: Embedder, subject: Subject, *, missing: bool = False) -> None:
        self._store = runtime.store
        self._embedder = embedder
        self._subject = subject
        self._missing = missing
        self._seen = 0

    async def run(self) -> AsyncIterator[int]:
        """Embed what lacks vectors and switch over; tells how many were done with each portion."""
        since = 0
        for number in range(1, PASSES + 1):
            async for count in self.catch_up(since=since):
                yield count
            since = self._seen
            whole = number < PASSES
            if await self._store.embeddings.switch_space(self._subject, self._embedder.space, since=since, whole=whole):
                break
        async for count in self.catch_up(since=0):
            yield count

    async def catch_up(self, *, since: int) -> AsyncIterator[int]:
        """Embed what lacks vectors, of what changed since a version; notes the version at which nothing lacked."""
        after: MemoryId | None = None
        first = True
        while True:
            missing = await self._store.embeddings.missing_vectors(
                self._subject,
                self._embedder.space,
                after=after,
                since=since,
                limit=BATCH_SIZE,
                missing=self._missing,
            )
            if first:
                self._seen, first = missing.version, False
            if not missing.memories:
                return
            after = missing.memories[-1].id
            await self._store.embeddings.write_vectors(
                self._subject, self._embedder.space, await self._embedded(missing.memories)
            )
            yield len(missing.memories)

    async def _embedded(self, memories: Sequence[Memory]) -> dict[MemoryId, list[Vector]]:
        size = sum(len(memory.text) for memory in memories)
        pieces = await run_in_thread_if_large(
            size, lambda: [index_pieces(memory)[0] for memory in memories], above=_LARGE_TEXT
        )
        rows = await self._embedder.embed([piece for each in pieces for piece in each])
        if len(rows) != sum(map(len, pieces)):
            raise BadEmbedderError(self._embedder.space, f"it gave {len(rows)} vectors for other texts")
        vectors: dict[MemoryId, list[Vector]] = {}
        start = 0
        for memory, each in zip(memories, pieces, strict=True):
            vectors[memory.id] = [row for row in rows[start : start + len(each)] if row.any()]
            start += len(each)
        return vectors
