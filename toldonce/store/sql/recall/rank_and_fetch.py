"""Read for a whole recall in one snapshot: rank the memories of subjects, then fetch the chosen ones. On a connection.

Recall reads twice: arrays of every memory to rank them, then the texts of the few that won. Both must see the same
state, else a memory that is erased or replaced in between would be ranked but missing, or shown although its
replacement was ranked. Therefore ranking is a callback, `rank`, which runs inside the snapshot, between the two reads.
Three rules follow for `rank`:

- It may run in another thread than the caller's: a large subject is read in a thread, and ranked there at once.
- It may run twice: a store that loses its connection, or finds that the subject has moved on, begins again.
- It must therefore be pure: it computes on the snapshots it is given, reads no clock, database or setting, and keeps
  no state that a second run would see.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from toldonce.store.executor import Rank, StoreContext, read_up_to
from toldonce.store.sql.database import SqlConnection, TooLargeError
from toldonce.store.sql.memories.read import memories_of_version, memories_within
from toldonce.store.sql.recall.snapshot import current_snapshot, read_snapshot, snapshot_within
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.types import ALL_VECTORS, Memory, MemoryId, Subject, SubjectSnapshot, VectorRequest

T = TypeVar("T")
ReadSnapshot = Callable[[SqlConnection, Subject, str], SubjectSnapshot]
"""Reads a subject in a space, within the caller's transaction."""
# A recall may stay on the event loop's thread if no subject has more memories than this cached, or more than this to be
# read: one to three milliseconds. Others go to a thread, so that other requests go on.
MAX_WEIGHED_ON_LOOP, MAX_READ_ON_LOOP = 5_000, 500


class ExactSnapshotReader:
    """Reads all vectors of a subject; small subjects on the event loop's thread. See `SnapshotReader`."""

    def __init__(self, context: StoreContext) -> None:
        self._executor = context.executor
        self._cache = context.cache
        self._term_key = context.term_key

    async def snapshot(self, subject: Subject, space: str, *, vectors: VectorRequest | None = None) -> SubjectSnapshot:
        """Read all active memories of `subject`; `vectors` makes no difference without an index."""
        del vectors
        read = partial(read_snapshot, subject=subject, space=space, cache=self._cache, term_key=self._term_key)
        small = self._cached_memories(subject, space) <= MAX_WEIGHED_ON_LOOP
        return await read_up_to(self._executor, read, MAX_READ_ON_LOOP, small=small)

    async def rank_and_fetch(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, vectors: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """Read, rank and read the chosen memories; `vectors` makes no difference without an index."""
        del vectors

        def work(db: SqlConnection, most: int | None = None) -> tuple[T, list[Memory]]:
            return self._rank_and_fetch(db, subjects, rank, most)

        small = all(self._cached_memories(subject, space) <= MAX_WEIGHED_ON_LOOP for subject, space in subjects.items())
        return await read_up_to(self._executor, work, MAX_READ_ON_LOOP, small=small)

    @property
    def ranks_in_callers(self) -> bool:
        """Whether `rank_and_fetch_in_caller` reads."""
        return self._executor.reads_in_callers

    def rank_and_fetch_in_caller(self, subjects: Mapping[Subject, str], rank: Rank[T]) -> tuple[T, list[Memory]] | None:
        """Do as `rank_and_fetch` in this thread; None if much is to be read: several threads may ask for the same."""
        try:
            done = self._executor.read_in_caller(lambda db: self._rank_and_fetch(db, subjects, rank, MAX_READ_ON_LOOP))
        except TooLargeError:
            return None
        return None if done is None else done[0]

    def _rank_and_fetch(
        self, db: SqlConnection, subjects: Mapping[Subject, str], rank: Rank[T], most: int | None
    ) -> tuple[T, list[Memory]]:
        if len(subjects) == 1:
            ((subject, space),) = subjects.items()
            snapshot = current_snapshot(db, subject, space, cache=self._cache)
            if snapshot is not None:
                wanted, result = rank([snapshot])
                memories = fetch_current(db, snapshot, wanted.get(subject, ()), space, self._cache)
                if memories is not None:
                    return result, memories
        read = partial(snapshot_within, cache=self._cache, term_key=self._term_key, most=most)
        return rank_and_fetch(db, subjects, rank, read=read, cache=self._cache)

    def _cached_memories(self, subject: Subject, space: str) -> int:
        cached = self._cache.get(subject, space)
        return 0 if cached is None else len(cached)


def rank_and_fetch(
    db: SqlConnection,
    subjects: Mapping[Subject, str],
    rank: Rank[T],
    *,
    read: ReadSnapshot,
    cache: SnapshotCache,
) -> tuple[T, list[Memory]]:
    """Read the subjects, rank their memories, and fetch those that `rank` wants.

    Args:
        db: Connection to read on.
        subjects: The reading list, each subject with the space that it is expected to be read in.
        rank: Returns the ids to fetch from each subject, and its result; see the rules above.
        read: Reads one subject's snapshot.
        cache: Memories that were fetched before.

    Returns:
        The result of `rank`, and the memories, subject by subject, in the order of its ids.

    Raises:
        SpaceMovedError: A subject is read in another space.
        TooLargeError: `read` has more to read than it may.
    """
    with db:  # one snapshot for both reads
        snapshots = [read(db, subject, space) for subject, space in subjects.items()]
        wanted, result = rank(snapshots)
        memories: list[Memory] = []
        for snapshot in snapshots:
            ids, space = wanted.get(snapshot.subject, ()), subjects[snapshot.subject]
            memories += _fetched(snapshot, ids, space, cache, partial(memories_within, db, snapshot.subject)) or ()
    return result, memories


def fetch_current(
    db: SqlConnection, snapshot: SubjectSnapshot, ids: Sequence[MemoryId], space: str, cache: SnapshotCache
) -> list[Memory] | None:
    """Return memories of a snapshot outside of its transaction; None if something was committed since."""
    read = partial(memories_of_version, db, snapshot.subject, version=snapshot.version)
    return _fetched(snapshot, ids, space, cache, read)


def _fetched(
    snapshot: SubjectSnapshot,
    ids: Sequence[MemoryId],
    space: str,
    cache: SnapshotCache,
    read: Callable[[Sequence[MemoryId]], list[Memory] | None],
) -> list[Memory] | None:
    """Return cached memories, and those that `read` returns; None if it returns none."""
    known = cache.memories(space, snapshot, ids)
    missing = [memory_id for memory_id in ids if memory_id not in known]
    if missing:
        fresh = read(missing)
        if fresh is None:
            return None
        known |= {memory.id: memory for memory in cache.put_memories(space, snapshot, fresh)}
    return [known[memory_id] for memory_id in ids if memory_id in known]
