"""Show the same content once: either a quotation or the notes formed from it. Pure."""

from collections.abc import Sequence

from toldonce.recall.rank import QUOTATION_LEAD, RankedRow
from toldonce.types import MemoryKind

_DISTILLED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


def collapse_sources(ranked: Sequence[RankedRow]) -> tuple[list[RankedRow], list[tuple[RankedRow, RankedRow]]]:
    """Keep the better of each quotation and the notes and facts formed from it.

    The note or fact is shown, with the higher evidence of both, unless the quotation scores more than `QUOTATION_LEAD`
    higher: then the quotation holds what is asked for and the note does not. Standing facts always stay, and so does a
    quotation that is kept: it says more than its facts quote. Several notes of one message stay, and so do episodes.

    Args:
        ranked: Rows of one or several subjects; standing facts first, then best first.

    Returns:
        The rows kept, sorted again where evidence was raised, and pairs (left out, shown in its place).
    """
    if not [row for row in ranked if row.kind is MemoryKind.TURN]:
        return list(ranked), []
    distilled: dict[int, list[int]] = {}
    for index, row in enumerate(ranked):
        if row.kind in _DISTILLED:
            for source in row.sources:
                distilled.setdefault(source, []).append(index)
    kept: list[RankedRow | None] = list(ranked)
    gone: list[tuple[RankedRow, RankedRow]] = []
    for index, row in enumerate(ranked):
        if row.is_kept:
            continue
        rivals = [rival for source in row.sources for rival in distilled.get(source, ()) if kept[rival] is not None]
        if rivals:
            _settle(index, rivals, kept, gone)
    shown = [row for row in kept if row is not None]
    return sorted(shown, key=_order), gone


def _settle(
    index: int, rivals: list[int], kept: list[RankedRow | None], gone: list[tuple[RankedRow, RankedRow]]
) -> None:
    turn = kept[index]
    notes = [(rival, note) for rival in rivals if (note := kept[rival]) is not None]
    if turn is None or not notes:
        return
    first, note = max(notes, key=lambda pair: (pair[1].evidence, -pair[0]))
    if turn.score <= note.score + QUOTATION_LEAD:
        if not note.standing and turn.evidence > note.evidence:
            kept[first] = note._replace(evidence=turn.evidence)
        kept[index] = None
        gone.append((turn, note))
        return
    for rival, lesser in notes:
        if not lesser.standing and len(lesser.sources) == 1:
            kept[rival] = None
            gone.append((lesser, turn))


def _order(row: RankedRow) -> tuple[bool, float]:
    # Sorting is stable: standing facts keep their order, ties keep that of the reading list and of ids.
    return (not row.standing, 0.0 if row.standing else -row.evidence)
