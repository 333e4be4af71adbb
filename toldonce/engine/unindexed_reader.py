"""What users said that waits to be indexed, for a recall: most of the time nothing. Reads the store.

The reading of messages is loaded with the first of these.
"""

from collections.abc import Sequence

from toldonce.formation.runtime import Runtime
from toldonce.recall.as_of import SnapshotItem
from toldonce.recall.query import RecallRequest
from toldonce.store.store import Store
from toldonce.types import Subject

# Conversations that may wait, of each subject that is read; the newest.
_MAX_WAITING = 20
# Kinds of subjects that no conversation is indexed for.
_NEVER_INDEXED = frozenset({"global", "shared"})


class UnindexedReader:
    """Reads messages that are no quotations yet."""

    def __init__(self, store: Store, runtime: Runtime) -> None:
        self._store = store
        self._runtime = runtime

    def waits_now(self, request: RecallRequest, subjects: Sequence[Subject]) -> bool:
        """Return, from any thread, whether something may wait: `read` takes an event loop."""
        indexed = _indexed(request, subjects)
        return bool(indexed) and self._store.formations.unindexed_in_caller(indexed, limit=1) != []

    async def read(self, request: RecallRequest, subjects: Sequence[Subject]) -> dict[Subject, list[SnapshotItem]]:
        """Read what waits for the subjects of a reading list and is not in the request, as quotations."""
        indexed = _indexed(request, subjects)
        waiting = await self._store.formations.unindexed(indexed, limit=_MAX_WAITING) if indexed else []
        if not waiting:
            return {}
        from toldonce.formation.unindexed import read_unindexed

        return {
            subject: await read_unindexed(
                [place for place in waiting if place.key.subject == subject],
                await self._runtime.for_cached_subject(subject),
                present=request.present,
            )
            for subject in dict.fromkeys(place.key.subject for place in waiting)
        }


def _indexed(request: RecallRequest, subjects: Sequence[Subject]) -> list[Subject]:
    """Return the subjects that conversations are indexed for, if the policy reads quotations."""
    return [subject for subject in subjects if subject.kind not in _NEVER_INDEXED] if request.policy.turns else []
