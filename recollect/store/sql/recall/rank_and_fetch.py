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
from typing import TypeVar

from recollect.store.protocol import Rank
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.memories.read import memories_within
from recollect.store.sql.recall.snapshot_cache import SnapshotCache
from recollect.types import Memory, MemoryId, Subject, SubjectSnapshot

T = TypeVar("T")
ReadSnapshot = Callable[[SqlConnection, Subject, str], SubjectSnapshot]
"""Reads a subject in a space, within the caller's transaction."""


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
        memories = [
            memory
            for snapshot in snapshots
            for memory in _fetch(db, snapshot, wanted.get(snapshot.subject, ()), subjects[snapshot.subject], cache)
        ]
    return result, memories


def _fetch(
    db: SqlConnection, snapshot: SubjectSnapshot, ids: Sequence[MemoryId], space: str, cache: SnapshotCache
) -> list[Memory]:
    known = cache.memories(space, snapshot, ids)
    missing = [memory_id for memory_id in ids if memory_id not in known]
    if missing:
        fetched = cache.put_memories(space, snapshot, memories_within(db, snapshot.subject, missing))
        known |= {memory.id: memory for memory in fetched}
    return [known[memory_id] for memory_id in ids if memory_id in known]
