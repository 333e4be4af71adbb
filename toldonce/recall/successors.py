"""Find what a user said later about the thing of a statement, in whatever words, by meaning alone. Pure.

"Our backend uses MongoDB" and "we ended up going with Postgres after all" share no telling word, and a question about
the database may be near the first alone. But of all that was said later, the second is the nearest to the first, and of
all that was said before it, the first is the nearest to the second: each is the other's nearest neighbour in its
direction of time.
"""

import numpy as np
import numpy.typing as npt

from toldonce.types import KEPT_IMPORTANCE, QUESTION_FLAG, MemoryKind, SubjectSnapshot

# Cosine from which two such neighbours are about one thing. Of our own English updates in plain words
# (`benchmarks.updates`), 71 % are each other's neighbours at this cosine or more; so are a third of all messages
# with one that was said later.
MIN_COSINE = 0.35
# The best rows of which a successor is looked for; each takes two passes over the subject's vectors.
MAX_COMPARED_ROWS = 4
# Of more memories, only those that the query finds are compared: a pass over 5,000 takes 0.2 ms.
MAX_MEMORIES = 5_000
_TURN = MemoryKind.TURN.number
_USER = 1


def find_successors(
    snapshot: SubjectSnapshot, positions: npt.NDArray[np.intp], evidence: npt.NDArray[np.float64]
) -> dict[int, int]:
    """Return the position of the later statement for each of the best positions that has one.

    Args:
        snapshot: A subject's memories.
        positions: Where the rows of a prompt are in it, best first.
        evidence: n: what speaks for each memory; -inf for those that are not to be shown.
    """
    if len(snapshot) > MAX_MEMORIES or snapshot.sampled_vectors is not None:
        return {}
    stated = (snapshot.kinds == _TURN) & (snapshot.roles % QUESTION_FLAG == _USER)
    stated &= (snapshot.importance >= np.float32(KEPT_IMPORTANCE)) & (evidence > -np.inf)
    best = positions[stated[positions]][:MAX_COMPARED_ROWS].tolist()
    if not best:
        return {}
    owners = snapshot.vector_of
    first = np.ones(len(owners), dtype=np.bool_)
    first[1:] = owners[1:] != owners[:-1]
    rows = np.flatnonzero(first & stated[owners])
    row_of = dict(zip(owners[rows].tolist(), rows.tolist(), strict=True))
    said = snapshot.valid_from[owners[rows]]

    def nearest(place: int, allowed: npt.NDArray[np.bool_]) -> int | None:
        """Return the statement nearest to another one, of those allowed, if it is near enough."""
        [vector] = snapshot.vectors.take(np.array([row_of[place]]))
        cosines = np.where(allowed, snapshot.vectors.cosines(vector)[rows], -1.0)
        top = int(cosines.argmax())
        return int(owners[rows[top]]) if cosines[top] >= MIN_COSINE else None

    found: dict[int, int] = {}
    for place in best:
        if place in row_of:
            later = nearest(place, said > snapshot.valid_from[place])
            if later is not None and nearest(later, said < snapshot.valid_from[later]) == place:
                found[place] = later
    return found
