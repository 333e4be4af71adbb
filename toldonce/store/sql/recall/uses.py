"""Uses of memories that are counted in the cache before they are written. Pure."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from toldonce.clock import from_micros
from toldonce.ids import id_bytes
from toldonce.types import Memory, MemoryId, SubjectSnapshot


def place_of(snapshot: SubjectSnapshot, id_: bytes | None) -> int | None:
    """Return the position of a memory in a snapshot; None if it is not there."""
    if id_ is None:
        return None
    place = bisect_left(snapshot.ids, id_)
    return place if place < len(snapshot.ids) and snapshot.ids[place] == id_ else None


def with_one_use(
    snapshot: SubjectSnapshot, ids: Sequence[MemoryId], at: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the counts and times of use with one more use of some memories, `at` in microseconds."""
    uses, last_used_at = snapshot.uses.copy(), snapshot.last_used_at.copy()
    for memory in ids:
        place = place_of(snapshot, id_bytes(memory))
        if place is not None:
            uses[place] += 1
            last_used_at[place] = max(last_used_at[place], at)
    return uses, last_used_at


def with_known_uses(fresh: SubjectSnapshot, known: SubjectSnapshot) -> SubjectSnapshot:
    """Return rows that were just read with the uses that the cache counts, and that are written later."""
    used = np.flatnonzero(known.uses)
    if len(fresh) < len(used):
        places = [(here, at) for here, id_ in enumerate(fresh.ids) if (at := place_of(known, id_)) is not None]
    else:
        places = [(here, at) for at in used.tolist() if (here := place_of(fresh, known.ids[at])) is not None]
    if not any(fresh.uses[here] < known.uses[at] for here, at in places):
        return fresh
    uses, last_used_at = fresh.uses.copy(), fresh.last_used_at.copy()
    for here, at in places:
        uses[here] = max(uses[here], known.uses[at])
        last_used_at[here] = max(last_used_at[here], known.last_used_at[at])
    return replace(fresh, uses=uses, last_used_at=last_used_at)


def memory_with_uses(memory: Memory, snapshot: SubjectSnapshot) -> Memory:
    """Return a memory that was just read with the uses that the cache counts, and that are written later."""
    place = place_of(snapshot, id_bytes(memory.id))
    if place is None or snapshot.uses[place] <= memory.uses:
        return memory
    return replace(memory, uses=int(snapshot.uses[place]), last_used_at=from_micros(int(snapshot.last_used_at[place])))
