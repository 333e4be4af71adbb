"""Find the existing memories that candidates are weighed against. Reads the store."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from recollect.ids import id_text
from recollect.resolve.ending import may_end
from recollect.resolve.plan import Neighbour, Neighbours
from recollect.text import term_key, terms
from recollect.types import KIND_ORDER, Candidate, Hot, Memory, MemoryId, MemoryKind, Sought, Vectors
from recollect.work.tools import Tools

_NOTE = KIND_ORDER.index(MemoryKind.NOTE)
_FACT = KIND_ORDER.index(MemoryKind.FACT)
# Notes read because they rest on the same messages as a fact: more than this restate nothing in particular.
_MOST_RESTATING = 200
# Notes that a request to forget may name: whoever means more says so twice.
_MOST_NAMED = 50


async def nearest(
    hot: Hot, vectors: Vectors, tools: Tools, *, most: int, kinds: Sequence[int] = (_NOTE,)
) -> list[list[Neighbour]]:
    """Find, for each vector, the memories nearest in meaning, best first.

    Args:
        hot: The subject's active memories.
        vectors: Shape (candidates, dim); a row of zeros has no neighbours.
        tools: Store and embedder.
        most: How many for each.
        kinds: Places in `KIND_ORDER` of the kinds that count.
    """
    if hot.background is not None and len(vectors):  # the index is asked
        sought = Sought(vectors=vectors, most=most, kinds=tuple(kinds))
        hot = await tools.store.hot(hot.subject, tools.embedder.space, sought=sought)
    rows = np.flatnonzero(np.isin(hot.kinds[hot.vector_of], kinds)) if len(hot.vectors) else np.zeros(0, np.intp)
    if not len(rows) or not len(vectors):
        return [[] for _ in vectors]
    stored, owners = hot.vectors[rows], hot.vector_of[rows]
    # vecdot runs in this thread alone: on two busy cores a matrix product's threads wait for one another.
    picked = [_top(np.vecdot(stored, vector), owners, most) for vector in vectors]
    ids = {owner: MemoryId(id_text(hot.ids[owner])) for near in picked for owner, _ in near}
    read = {memory.id: memory for memory in await tools.store.memories(hot.subject, list(ids.values()))}
    found: list[list[Neighbour]] = []
    for place, near in enumerate(picked):
        similar = tools.embedder.relevance(np.array([cosine for _, cosine in near], dtype=np.float32))
        found.append(
            [
                Neighbour(memory=read[ids[owner]], similarity=float(similarity))
                for (owner, _), similarity in zip(near, similar, strict=True)
                if ids[owner] in read and vectors[place].any()
            ]
        )
    return found


async def gather_neighbours(
    hot: Hot, candidates: Sequence[Candidate], vectors: Vectors, tools: Tools, *, most: int
) -> Neighbours:
    """Read what the candidates of one batch may repeat, correct or end."""
    facts = await tools.store.facts(hot.subject)
    restating = await _restating(hot, tools) if facts and candidates else []
    near = await nearest(hot, vectors, tools, most=most)
    for place, candidate in enumerate(candidates):
        if may_end(candidate):
            near[place] = [*near[place], *await _of_its_words(hot, candidate, near[place], tools)]
    return Neighbours(near=near, facts=facts, restating=restating)


async def sharing(hot: Hot, said: Iterable[str], tools: Tools, *, most: int) -> list[Memory]:
    """Find the notes that share terms with what was said, those of the rarest terms first."""
    keys = np.array(sorted({term_key(hot.salt, term) for term in said}), dtype=np.uint32)
    hits = np.flatnonzero(np.isin(hot.terms, keys))
    owner = np.searchsorted(hot.term_start, hits, side="right") - 1
    notes = hot.kinds[owner] == _NOTE
    hits, owner = hits[notes], owner[notes]
    if not len(hits):
        return []
    _, which, held = np.unique(hot.terms[hits], return_inverse=True, return_counts=True)
    weight = np.zeros(len(hot))
    np.add.at(weight, owner, np.log1p(len(hot) / held)[which])
    places = np.argsort(-weight, kind="stable")[:most]
    ids = [MemoryId(id_text(hot.ids[place])) for place in places if weight[place] > 0]
    read = {memory.id: memory for memory in await tools.store.memories(hot.subject, ids)}
    return [read[one] for one in ids if one in read]


async def _of_its_words(hot: Hot, candidate: Candidate, near: Sequence[Neighbour], tools: Tools) -> list[Neighbour]:
    """Find the notes that an end may mean: it names them by a word, and need not be like them."""
    there = {one.memory.id for one in near}
    named = await sharing(hot, terms(candidate.forgets or candidate.text), tools, most=_MOST_NAMED)
    return [Neighbour(memory=memory, similarity=0.0) for memory in named if memory.id not in there]


def without(neighbours: Neighbours, ended: frozenset[MemoryId]) -> Neighbours:
    """Leave out memories that are about to be closed."""
    if not ended:
        return neighbours
    return Neighbours(
        near=[[one for one in near if one.memory.id not in ended] for near in neighbours.near],
        facts=[fact for fact in neighbours.facts if fact.id not in ended],
        restating=[note for note in neighbours.restating if note.id not in ended],
    )


async def _restating(hot: Hot, tools: Tools) -> list[Memory]:
    owner = np.repeat(np.arange(len(hot)), np.diff(hot.source_start))
    kinds = hot.kinds[owner]
    shared = np.isin(hot.source_key, hot.source_key[kinds == _FACT])
    places = np.unique(owner[shared & (kinds == _NOTE)])[-_MOST_RESTATING:]
    return await tools.store.memories(hot.subject, [MemoryId(id_text(hot.ids[place])) for place in places])


def _top(cosines: npt.NDArray[np.float32], owners: npt.NDArray[np.int32], most: int) -> list[tuple[int, float]]:
    """Return the best rows' memories, each once, best first."""
    best: dict[int, float] = {}
    for row in np.argsort(-cosines, kind="stable"):
        best.setdefault(int(owners[row]), float(cosines[row]))
        if len(best) == most:
            break
    return list(best.items())
