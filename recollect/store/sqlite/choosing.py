"""A whole recall's reading in one snapshot: subjects, then those of their memories that are wanted. On a connection."""

from collections.abc import Sequence
from typing import TypeVar

import apsw

from recollect.store.protocol import Rank
from recollect.store.sqlite.cache import HotCache
from recollect.store.sqlite.hot import hot_within
from recollect.store.sqlite.memories import memories_within
from recollect.types import Hot, Memory, Subject

T = TypeVar("T")


def choose(
    db: apsw.Connection, subjects: Sequence[Subject], space: str, rank: Rank[T], *, cache: HotCache, term_key: bytes
) -> tuple[T, list[Memory]]:
    """Read, let `rank` choose, and read what it chose: see `Store.choose`."""
    with db:  # one snapshot for all
        hots = [hot_within(db, subject, space, cache=cache, term_key=term_key) for subject in subjects]
        wanted, outcome = rank(hots)
        found: list[Memory] = []
        for hot in hots:
            ids = wanted.get(hot.subject, ())
            known = cache.memories(space, hot, ids)
            missing = [memory for memory in ids if memory not in known]
            if missing:
                read = cache.put_memories(space, hot, memories_within(db, hot.subject, missing))
                known |= {memory.id: memory for memory in read}
            found += [known[memory] for memory in ids if memory in known]
    return outcome, found


def chosen_of_kept(hots: Sequence[Hot], space: str, rank: Rank[T], cache: HotCache) -> tuple[T, list[Memory]] | None:
    """Do as `choose` with what is kept alone; None where a memory that is wanted is not."""
    wanted, outcome = rank(hots)
    found: list[Memory] = []
    for hot in hots:
        ids = wanted.get(hot.subject, ())
        known = cache.memories(space, hot, ids)
        if len(known) < len(ids):
            return None
        found += known.values()
    return outcome, found
