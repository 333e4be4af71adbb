"""Put what a user said later about a thing before what they said earlier about it. Pure.

"My budget is $600" and, months later, "we raised the budget to $650" are equally near to a question. Which of them
holds is not for recall to say: both are shown, dated, the later one first. Two statements are about one thing if they
are alike in meaning and share words that few of the compared statements have, whatever their language.
"""

from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

from recollect.recall.rank import RankedRow
from recollect.types import QUESTION_FLAG, MemoryKind, SubjectSnapshot

# Likeness from which two statements are about one thing: the mean of their cosine and of the share of their words,
# weighted by rarity. Of BEAM's changed values half of the pairs reach 0.35, of unrelated neighbours a quarter do 0.53.
LIKENESS_THRESHOLD = 0.45
# Statements that are compared with one another, each with each.
MAX_COMPARED = 100
_KINDS = np.array([MemoryKind.TURN.number, MemoryKind.NOTE.number])
_ASSISTANT = 2


def put_later_first(
    snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp], rows: Sequence[RankedRow], *, limit: int
) -> list[RankedRow]:
    """Move the nearest later statement directly before each older one that is shown.

    Args:
        snapshot: The subject's memories.
        positions: Where the rows are in the snapshot.
        rows: Best first.
        limit: How many of them are shown.
    """
    people = _are_of_people(snapshot, positions)
    places = np.flatnonzero(people)[:MAX_COMPARED]
    if len(places) < 2:
        return list(rows)
    likeness = _likeness(snapshot, positions[places])
    said = snapshot.valid_from[positions[places]]
    before: dict[int, int] = {}
    for number, place in enumerate(places.tolist()):
        if place >= limit:
            break
        later = np.where(said > said[number], likeness[number], 0.0)
        nearest = int(np.argmax(later))
        if later[nearest] >= LIKENESS_THRESHOLD:
            before[place] = int(places[nearest])
    return _moved(rows, before)


def _moved(rows: Sequence[RankedRow], before: dict[int, int]) -> list[RankedRow]:
    """Place rows before others; one that is before its older one already stays where it is."""
    ordered: list[RankedRow] = []
    placed: set[int] = set()

    def place(at: int, evidence: float) -> None:
        if at in placed:
            return
        placed.add(at)
        raised = max(evidence, rows[at].evidence)
        if at in before:
            place(before[at], raised)
        ordered.append(rows[at]._replace(evidence=raised))

    for at, row in enumerate(rows):
        place(at, row.evidence)
    return ordered


def _are_of_people(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which memories are statements of a person, not of a model, and no questions."""
    roles = snapshot.roles[positions]
    stated: npt.NDArray[np.bool_] = np.isin(snapshot.kinds[positions], _KINDS) & (roles < QUESTION_FLAG)
    stated &= roles != _ASSISTANT
    return stated


def _likeness(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return how alike memories are, an array of shape (memories, memories)."""
    count = len(positions)
    keys = [set(snapshot.terms[snapshot.term_start[at] : snapshot.term_start[at + 1]].tolist()) for at in positions]
    having: dict[int, int] = {}
    for each in keys:
        for key in each:
            having[key] = having.get(key, 0) + 1
    weights = {key: log(1 + count / holding) for key, holding in having.items()}
    totals = [sum(weights[key] for key in each) or 1.0 for each in keys]
    shared = np.zeros((count, count))
    for row in range(count):
        for column in range(row):
            both = sum(weights[key] for key in keys[row] & keys[column])
            shared[row, column] = shared[column, row] = both / min(totals[row], totals[column])
    return (shared + _cosines(snapshot, positions)) / 2


def _cosines(snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the cosines of the memories' first vectors; 0 where a memory has none at hand."""
    first = np.full(len(snapshot), -1, dtype=np.intp)
    first[snapshot.vector_of[::-1]] = np.arange(len(snapshot.vector_of))[::-1]
    rows = first[positions]
    vectors = np.zeros((len(positions), snapshot.vectors.dim), dtype=np.float32)
    order = np.argsort(rows)[np.count_nonzero(rows < 0) :]  # those that have one, ascending
    if len(order):
        vectors[order] = snapshot.vectors.take(rows[order])
    return np.asarray(vectors @ vectors.T, dtype=np.float64)
