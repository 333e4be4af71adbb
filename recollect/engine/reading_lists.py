"""What somebody reads beside their own: shared memories, and global ones while they are new. Reads the store."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from recollect.store.store import Store
from recollect.types import GLOBAL, MemoryKind, Subject, SubjectSnapshot

# Users whose subscriptions are kept between two recalls; who is dropped costs one more read.
_MAX_CACHED = 10_000
_TURN = MemoryKind.TURN.number


class ReadingListCache:
    """The subscriptions of users, each valid for the version of its subject."""

    def __init__(self, store: Store) -> None:
        """Take the store."""
        self._store = store
        self._kept: OrderedDict[Subject, tuple[int, tuple[Subject, ...]]] = OrderedDict()

    async def of(self, subject: Subject, *, cold_start: int) -> list[Subject]:
        """List what a recall for a subject reads: its own first, then shared, then global where that may be wanted."""
        own = [subject]
        owner = subject.owner
        if subject.kind == "app" and owner is not None and owner.kind == "user":
            # Not kept: what the app knows may stand while its user subscribes.
            return own + (await self._store.apps.subscriptions(owner))[1]
        if subject.kind != "user":
            return own
        if subject not in self._kept:
            await self._read(subject)
        own += self._kept[subject][1]
        return [*own, GLOBAL] if cold_start else own

    async def still(self, subject: Subject, version: int) -> bool:
        """Whether the list that `of` gave holds at the version that was read; if not, `of` gives the one that does."""
        known = self._kept.get(subject)
        if known is None or known[0] == version:
            return True
        await self._read(subject)
        return self._kept[subject][1] == known[1]

    async def _read(self, subject: Subject) -> None:
        version, shared = await self._store.apps.subscriptions(subject)
        self._kept[subject] = (version, tuple(shared))
        self._kept.move_to_end(subject)
        while len(self._kept) > _MAX_CACHED:
            self._kept.popitem(last=False)


def skip_global_if_warm(hots: Sequence[SubjectSnapshot], cold_start: int) -> Sequence[SubjectSnapshot]:
    """Leave the global memories out for whoever has enough of their own."""
    if cold_start and hots[-1].subject == GLOBAL and np.count_nonzero(hots[0].kinds != _TURN) >= cold_start:
        return hots[:-1]
    return hots
