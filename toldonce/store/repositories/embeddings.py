"""Repository of embeddings: which embedders were chosen, and how memories change from one to another.

A subject is read in one space at a time. A change first gives its memories vectors in a second space, and then switches
the subject over in one commit; until then all reads and writes use the old space.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from toldonce.clock import to_micros
from toldonce.store.executor import StoreContext, check_limit
from toldonce.store.sql import embeddings
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.types import EmbedderRecord, MemoryId, MissingVectors, ReembedBacklog, SpaceCount, Subject, Vector


class EmbeddingRepository:
    """Embedders, vector spaces, and the vectors that memories lack."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

    async def embedders(self) -> list[EmbedderRecord]:
        """List the chosen embedders, newest (the one in use) first, then those that were only used."""
        return await self._executor.read(embeddings.embedders)

    async def choose(self, record: EmbedderRecord, *, former: EmbedderRecord) -> None:
        """Choose an embedder for the database: new subjects are read in its space from now on.

        Existing subjects stay in the space they are read in (`former` if none was ever chosen) until they are
        switched. The record of a known embedder is overwritten.

        Raises:
            VectorSizeError: Vectors of another length are stored under the name of its space.
        """
        now = to_micros(self._context.clock.now())
        await self._executor.write(lambda db: embeddings.choose(db, record, former, now))

    async def space_of(self, subject: Subject) -> str | None:
        """Return the space that a subject is read in, or would be if it began now; None if none was ever chosen."""
        return await self._executor.read_inline(
            lambda db: fetch_value(db, embeddings.SQL["space_of_subject"], subject.key)
        )

    async def reembed_backlog(
        self, space: str, *, usual: str, after: str = "", limit: int = 1000, missing: bool = False
    ) -> list[ReembedBacklog]:
        """List the subjects that are not read in `space` or lack vectors in it, with the number of such memories.

        The last subject of a page is always listed, waiting or not, so that only an empty list is the end.

        Args:
            space: Space that subjects should be read in.
            usual: Space that subjects are read in while no embedder was ever chosen.
            after: Continue after the subject with this name.
            limit: Number of subjects to look at.
            missing: See `missing_vectors`.
        """
        check_limit(limit)
        return await self._executor.read(
            partial(embeddings.reembed_backlog, space=space, usual=usual, after=after, limit=limit, missing=missing)
        )

    async def missing_vectors(
        self, subject: Subject, space: str, *, after: MemoryId | None, since: int, limit: int, missing: bool = False
    ) -> MissingVectors:
        """Read active memories that need vectors in a space and have none, ordered by id.

        In the space that the subject is read in, a memory without vectors elsewhere needs none, unless `missing`;
        in any other space, only facts that never had vectors need none.

        Args:
            subject: Owner of the memories.
            space: Space to look at.
            after: Continue after this memory.
            since: Only memories that changed after this version of the subject; 0 means all.
            limit: Maximum number of memories.
            missing: Include memories that have no vectors at all.
        """
        check_limit(limit)
        return await self._executor.read(
            partial(
                embeddings.missing_vectors,
                subject=subject,
                space=space,
                after=after,
                since=since,
                limit=limit,
                missing=missing,
            )
        )

    async def write_vectors(self, subject: Subject, space: str, vectors: Mapping[MemoryId, Sequence[Vector]]) -> int:
        """Give memories vectors in a space, in addition to those they have; return how many memories got some.

        Memories that were closed or erased meanwhile get none, nor do those that have some by now. The version moves
        only if the subject is read in that space.

        Raises:
            VectorSizeError: A vector does not fit the space.
        """
        reach = self._context.failpoint.reach

        def work(db: SqlConnection) -> int:
            added = embeddings.write_vectors(db, subject, space, vectors)
            reach("embedding")
            return added

        added = await self._executor.write(work, subject)
        reach("embedded")
        return added

    async def switch_space(self, subject: Subject, space: str, *, since: int, whole: bool = True) -> bool:
        """Read and write a subject in a space from now on; False, and no change, if vectors are missing there.

        Args:
            subject: Owner of the memories.
            space: Space of the embedder that was chosen last.
            since: Version of the subject at which no vector was missing.
            whole: False switches even if memories were added since: they arrive faster than they can be embedded.

        Raises:
            StaleSubjectError: Another embedder was chosen since.
        """
        reach = self._context.failpoint.reach

        def work(db: SqlConnection) -> bool:
            switched = embeddings.switch(db, subject, space, since=since, whole=whole)
            reach("switching")
            return switched

        switched = await self._executor.write(work, subject)
        reach("switched")
        return switched

    async def drop_other_vectors(self, subject: Subject, *, limit: int) -> int:
        """Drop up to `limit` vector rows in spaces that the subject neither is nor will be read in; return how many."""
        reach = self._context.failpoint.reach

        def work(db: SqlConnection) -> int:
            dropped = embeddings.drop_others(db, subject, limit=limit)
            if dropped:
                reach("dropping")
            return dropped

        # Usually there is nothing to drop, and a read does not occupy the writer.
        if not await self._executor.read_inline(lambda db: fetch(db, embeddings.SQL["other_spaces"], subject.key)):
            return 0
        dropped = await self._executor.write(work, subject)
        if dropped:
            reach("dropped")
        return dropped

    async def space_names(self) -> list[str]:
        """List the spaces that vectors were ever stored in, oldest first."""
        rows = await self._executor.read(lambda db: fetch(db, embeddings.SQL["space_names"]))
        return [str(name) for (name,) in rows]

    async def space_counts(self) -> list[SpaceCount]:
        """Count what is stored in each space, for operators (slow with millions of memories)."""
        rows = await self._executor.read(lambda db: fetch(db, embeddings.SQL["space_counts"]))
        return [SpaceCount(space=name, dim=dim, memories=held, subjects=read) for name, dim, held, read in rows]
