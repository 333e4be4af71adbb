"""Messages that are no quotations yet, ranked among the memories: what was said a moment ago is known. Pure.

Their ids are unstored ones (`ids.unstored_id`), which sort after those of all memories.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from toldonce.ids import is_unstored
from toldonce.recall.as_of import SnapshotItem, build_snapshot
from toldonce.recall.order import is_worth_showing
from toldonce.recall.pack import RankedMemory
from toldonce.recall.query import Query
from toldonce.recall.rank import RankedRow
from toldonce.text import source_key
from toldonce.types import IdColumn, MemoryKind, SubjectSnapshot, VectorBlocks

# Maximum share of the memories asked for that such messages take from others which rank higher.
_MAX_SHARE = 0.5
_TURN = MemoryKind.TURN.number


def with_unindexed(snapshot: SubjectSnapshot, messages: Sequence[SnapshotItem]) -> SubjectSnapshot:
    """Return a snapshot with messages beside its memories, but for those that are quotations in it by now.

    Args:
        snapshot: The subject's memories.
        messages: Quotations of the same subject, with vectors of the same space.
    """
    fresh = [item for item in messages if not _is_quoted(snapshot, item)]
    if not fresh:
        return snapshot
    fresh.sort(key=lambda item: item.memory.id)
    dim = snapshot.vectors.dim or next((len(vector) for item in fresh for vector in item.vectors), 0)
    added = build_snapshot(snapshot.subject, fresh, salt=snapshot.salt, dim=dim)

    def joined(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate((old, new))

    return replace(
        snapshot,
        ids=IdColumn(joined(IdColumn.of(snapshot.ids).array, IdColumn.of(added.ids).array)),
        kinds=joined(snapshot.kinds, added.kinds),
        importance=joined(snapshot.importance, added.importance),
        confidence=joined(snapshot.confidence, added.confidence),
        valid_from=joined(snapshot.valid_from, added.valid_from),
        last_used_at=joined(snapshot.last_used_at, added.last_used_at),
        uses=joined(snapshot.uses, added.uses),
        roles=joined(snapshot.roles, added.roles),
        length=joined(snapshot.length, added.length),
        vectors=VectorBlocks((*snapshot.vectors.blocks, *added.vectors.blocks), dim),
        vector_of=joined(snapshot.vector_of, added.vector_of + np.int32(len(snapshot))),
        terms=joined(snapshot.terms, added.terms),
        counts=joined(snapshot.counts, added.counts),
        term_start=joined(snapshot.term_start, snapshot.term_start[-1] + added.term_start[1:]),
        source_hash=joined(snapshot.source_hash, added.source_hash),
        source_key=joined(snapshot.source_key, added.source_key),
        source_start=joined(snapshot.source_start, snapshot.source_start[-1] + added.source_start[1:]),
    )


def _is_quoted(snapshot: SubjectSnapshot, message: SnapshotItem) -> bool:
    """Return whether the snapshot has a quotation of a message, which was indexed after it was read."""
    keys = [source_key(source.conversation, source.seq) for source in message.memory.evidence]
    places = np.flatnonzero(np.isin(snapshot.source_key, np.array(keys, dtype=np.int64)))
    owners = snapshot.source_start.searchsorted(places, side="right") - 1
    return bool((snapshot.kinds[owners] == _TURN).any())


def put_unindexed_first(
    ranked: Sequence[RankedMemory], query: Query, spares: Mapping[bytes, RankedRow]
) -> list[RankedMemory]:
    """Put what was said a moment ago first, the newest before all, as it may have changed what is known.

    A standing fact that bears on the query as well follows it as an ordinary memory, unless it is about health or
    another hard constraint: these never wait for room.

    Args:
        ranked: Standing facts first, then best first.
        query: The query.
        spares: See `Ranking.spares`.
    """
    said = [found for found in ranked if is_unstored(found.row.id) and is_worth_showing(found.row, query)]
    if not said:
        return list(ranked)
    said = sorted(said[: max(1, int(query.limit * _MAX_SHARE))], key=lambda found: found.memory.valid_from)[::-1]
    moved = {found.row.id for found in said}
    standing, near, lowered = list[RankedMemory](), list[RankedMemory](), list[RankedMemory]()
    for found in ranked:
        if found.row.id in moved:
            continue
        spare = None if found.memory.is_safety_critical else spares.get(found.row.id)
        if not found.row.standing:
            near.append(found)
        elif spare is None:
            standing.append(found)
        else:
            lowered.append(found._replace(row=spare))
    best = max(found.row.evidence for found in (*said, *lowered, *near))
    first = [found._replace(row=found.row._replace(evidence=best)) for found in (*said, *lowered)]
    return [*standing, *first, *near]
