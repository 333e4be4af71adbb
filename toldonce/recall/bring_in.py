"""Bring what was said later about a thing into a prompt that shows what was said earlier. Pure."""

from collections.abc import Mapping, Sequence

from toldonce.recall.later import NONE, Later
from toldonce.recall.rank import RankedRow
from toldonce.types import MemoryKind

# Statements of a prompt that are brought in because they are later than one that is shown: in a full prompt, where each
# takes the place of one that bears on the question, and in others.
MAX_PULLED_IN, MAX_BROUGHT_IN = 1, 3


class _Placed:
    """Rows in the order in which they are to be shown."""

    def __init__(
        self, strong: Sequence[RankedRow], later: Mapping[bytes, Later], rows: Mapping[bytes, RankedRow], limit: int
    ) -> None:
        near = [row for row in strong if not row.standing]
        self.rows = [row for row in strong if row.standing]
        self.shown = {row.id for row in (*self.rows, *near[:limit])}
        self._later = later
        self._all = rows
        self._said = {source for row in strong if row.id in self.shown for source in row.sources}
        self._ids: set[bytes] = set()

    def add(self, row: RankedRow) -> None:
        """Show a row next."""
        self.rows.append(row)
        self._ids.add(row.id)
        self._said.update(row.sources)

    def lacks(self, row: RankedRow) -> bool:
        """Return whether a row has no place yet."""
        return row.id not in self._ids

    def newer_than(self, row: RankedRow) -> RankedRow | None:
        """Return what was said later than a row about the same thing, if it has no place yet."""
        found = self._later.get(row.id, NONE)
        if _is_models(row) or not found.ids or not self._ids.isdisjoint(found.ids):
            return None
        newest = self._all[found.ids[0]]
        if found.is_next and newest.id in self.shown:  # the tokens may end before its turn
            return newest._replace(evidence=row.evidence)
        is_said = bool(newest.sources) and self._said.issuperset(newest.sources)
        is_said = is_said or not self.shown.isdisjoint(found.ids)
        return None if is_said or _is_models(newest) else newest._replace(evidence=row.evidence)


def _is_models(row: RankedRow) -> bool:
    """Return whether a model wrote a row of messages: what changes is for it to say."""
    return row.kind is MemoryKind.NOTE and bool(row.sources)


def bring_in(
    strong: Sequence[RankedRow],
    few: Sequence[RankedRow],
    later: Mapping[bytes, Later],
    rows: Mapping[bytes, RankedRow],
    *,
    room: int,
    limit: int,
) -> list[RankedRow]:
    """Put the nearest later statement about each row that is shown beside it, and fill the room left.

    Args:
        strong: Rows that are shown, standing facts first, then best first.
        few: Rows that little speaks for, best first: they fill the room.
        later: See `find_later` and `find_successors`.
        rows: The rows of what was said later, by id.
        room: Number of rows that may be shown besides `strong`.
        limit: Number of rows that are shown besides standing facts.
    """
    placed = _Placed(strong, later, rows, limit)
    near = [row for row in strong if not row.standing]
    most, brought = MAX_PULLED_IN if len(near) >= limit else MAX_BROUGHT_IN, 0
    for row in near:
        newer = placed.newer_than(row) if brought < most and row.id in placed.shown else None
        for each in (newer, row) if len(near) >= limit else (row, newer):
            if each is not None and placed.lacks(each):
                placed.add(each)
                brought += each is newer and each.id not in placed.shown
    room -= brought
    for row in few:
        newer = placed.newer_than(row) if placed.lacks(row) else None
        for each in (newer, row) if room < 2 else (row, newer):  # if one has room, what was said later
            if each is not None and placed.lacks(each) and room > 0:
                placed.add(each)
                room -= 1
    return placed.rows
