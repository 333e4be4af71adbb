"""A whole recall's reading in one snapshot: subjects, then those of their memories that are wanted. On a connection."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from recollect.store.protocol import Rank
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.memories.read import memories_within
from recollect.store.sql.recall.snapshot_cache import SnapshotCache
from recollect.types import Memory, MemoryId, Subject, SubjectSnapshot

T = TypeVar("T")
Read = Callable[[SqlConnection, Subject, str], SubjectSnapshot]
"""Reads a subject in a space, within the snapshot of the caller's transaction."""


def choose(
    db: SqlConnection,
    subjects: Mapping[Subject, str],
    rank: Rank[T],
    *,
    read: Read,
    cache: SnapshotCache,
) -> tuple[T, list[Memory]]:
    """Read, let `rank` choose, and read what it chose: see `Store.choose`.

    Raises:
        SpaceMovedError: a subject is read in another space.
        TooLargeError: `read` has more to read than it may.
    """
    with db:  # one snapshot for all
        hots = [read(db, subject, space) for subject, space in subjects.items()]
        wanted, outcome = rank(hots)
        found = [
            memory
            for hot in hots
            for memory in _wanted(db, hot, wanted.get(hot.subject, ()), subjects[hot.subject], cache)
        ]
    return outcome, found


def _wanted(
    db: SqlConnection, hot: SubjectSnapshot, ids: Sequence[MemoryId], space: str, cache: SnapshotCache
) -> list[Memory]:
    known = cache.memories(space, hot, ids)
    missing = [memory for memory in ids if memory not in known]
    if missing:
        read = cache.put_memories(space, hot, memories_within(db, hot.subject, missing))
        known |= {memory.id: memory for memory in read}
    return [known[memory] for memory in ids if memory in known]
