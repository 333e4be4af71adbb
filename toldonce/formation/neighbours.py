"""Find the existing memories that candidates are weighed against. Reads the store."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.ma  # np.unique imports it when it is first called: 37 ms, on the event loop
import numpy.typing as npt

from toldonce.concurrency import run_in_thread_if_large
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_bytes, id_text
from toldonce.recall.top_k import top_k
from toldonce.resolution.values import Neighbour, Neighbours
from toldonce.text import term_key, terms
from toldonce.types import (
    KIND_ORDER,
    Candidate,
    ConversationId,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    SubjectSnapshot,
    VectorRequest,
    Vectors,
)

_NOTE = MemoryKind.NOTE.number
_FACT = MemoryKind.FACT.number
# Maximum number of notes that one request to forget may name.
_MAX_NAMED = 50
# Vectors compared in the time in which one is copied, and rows looked at first for each memory that is wanted.
_COPY_COST, _ROWS_EACH = 4, 4
# Rows from which they are searched in a thread: some 3 ms, and 100,000 memories would hold the event loop for 100.
_MANY_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory near a vector."""

    place: int
    """Its place in the snapshot."""
    cosine: float


@dataclass(frozen=True, slots=True)
class _Cosines:
    """The cosines of one vector with stored vectors, and the places of the memories that these belong to."""

    values: npt.NDArray[np.float32]
    owners: npt.NDArray[np.int32]


async def nearest(
    snapshot: SubjectSnapshot,
    vectors: Vectors,
    runtime: Runtime,
    *,
    limit: int,
    kinds: Sequence[int] = (_NOTE,),
    term_lists: Sequence[Iterable[str]] = (),
) -> list[list[Neighbour]]:
    """Find, for each vector, the memories nearest in meaning, best first.

    Args:
        snapshot: The subject's active memories.
        vectors: Shape (candidates, dim); a row of zeros has no neighbours.
        runtime: Store and embedder.
        limit: Maximum number of memories for each vector.
        kinds: Places in `KIND_ORDER` of the kinds that count.
        term_lists: The terms of each text. Where given, half of the places are for the notes that share the rarest of
            them.
    """
    if snapshot.sampled_vectors is not None and len(vectors):  # the index is asked
        sought = VectorRequest(vectors=vectors, limit_each=limit, kinds=tuple(kinds))
        snapshot = await runtime.store.snapshots.snapshot(snapshot.subject, runtime.embedder.space, vectors=sought)
    if not len(snapshot.vectors) or not len(vectors):
        return [[] for _ in vectors]
    searched = snapshot
    picked = await run_in_thread_if_large(
        len(snapshot) * len(vectors), lambda: _pick(searched, vectors, kinds, term_lists, limit), above=_MANY_ROWS
    )
    ids = {found.place: MemoryId(id_text(snapshot.ids[found.place])) for near in picked for found in near}
    read = {memory.id: memory for memory in await runtime.memories(snapshot.subject, list(ids.values()))}
    neighbours: list[list[Neighbour]] = []
    for vector, near in zip(vectors, picked, strict=True):
        similar = runtime.embedder.relevance(np.array([found.cosine for found in near], dtype=np.float32))
        neighbours.append(
            [
                Neighbour(memory=read[ids[found.place]], similarity=float(similarity))
                for found, similarity in zip(near, similar, strict=True)
                if ids[found.place] in read and vector.any()
            ]
        )
    return neighbours


def _pick(
    snapshot: SubjectSnapshot, vectors: Vectors, kinds: Sequence[int], term_lists: Sequence[Iterable[str]], limit: int
) -> list[list[_Near]]:
    """Pick the memories nearest to each vector, best first."""
    is_wanted = np.isin(np.arange(len(KIND_ORDER)), kinds)[snapshot.kinds]
    rows = None if is_wanted.all() else np.flatnonzero(is_wanted[snapshot.vector_of])
    if rows is not None and not len(rows):
        return [[] for _ in vectors]
    owners = snapshot.vector_of if rows is None else snapshot.vector_of[rows]
    cosines = [_Cosines(values, owners) for values in _compare(snapshot, vectors, rows)]
    picked = [_top(of_vector, limit) for of_vector in cosines]
    for place, terms_of_text in enumerate(term_lists):
        picked[place] = _with_sharing(picked[place], _sharing(snapshot, terms_of_text), cosines[place], limit)
    return picked


def _compare(
    snapshot: SubjectSnapshot, vectors: Vectors, rows: npt.NDArray[np.intp] | None
) -> list[npt.NDArray[np.float32]]:
    """Compare each vector with the stored ones at some rows; None: with all."""
    if rows is None:
        return [snapshot.vectors.cosines(vector) for vector in vectors]
    # To copy vectors takes longer than to compare them: few are copied, of many all are compared.
    if len(rows) * _COPY_COST < len(snapshot.vectors):
        few = snapshot.vectors.take(rows)
        return [np.vecdot(few, vector) for vector in vectors]
    return [snapshot.vectors.cosines(vector)[rows] for vector in vectors]


async def gather_neighbours(
    snapshot: SubjectSnapshot, candidates: Sequence[Candidate], vectors: Vectors, runtime: Runtime, *, limit: int
) -> Neighbours:
    """Read what the candidates of one batch may repeat, correct or end."""
    facts = await runtime.store.memories.facts(snapshot.subject)
    near = await nearest(
        snapshot, vectors, runtime, limit=limit, term_lists=[terms(candidate.text) for candidate in candidates]
    )
    claimed = await _claimed(snapshot, candidates, runtime)
    for place, candidate in enumerate(candidates):
        there = {neighbour.memory.id for neighbour in near[place]}
        for named in dict.fromkeys((candidate.replaces, candidate.comparison.repeats)):
            if named in claimed and named not in there:
                near[place] = [*near[place], Neighbour(memory=claimed[named], similarity=0.0)]
        if candidate.forgets:
            near[place] = [*near[place], *await _of_its_words(snapshot, candidate, near[place], runtime)]
    return Neighbours(near=near, facts=facts)


async def find_notes_sharing_terms(
    snapshot: SubjectSnapshot, wanted: Iterable[str], runtime: Runtime, *, limit: int
) -> list[Memory]:
    """Find the notes that have any of these terms, those of the rarest terms first."""
    places = await run_in_thread_if_large(len(snapshot), lambda: _sharing(snapshot, wanted)[:limit], above=_MANY_ROWS)
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in places]
    read = {memory.id: memory for memory in await runtime.memories(snapshot.subject, ids)}
    return [read[id_] for id_ in ids if id_ in read]


def _sharing(snapshot: SubjectSnapshot, wanted: Iterable[str]) -> list[int]:
    """Find the places of the notes that have any of these terms, those of the rarest terms first."""
    keys = np.array(sorted({term_key(snapshot.salt, term) for term in wanted}), dtype=np.uint32)
    hits = np.flatnonzero(np.isin(snapshot.terms, keys))
    owner = np.searchsorted(snapshot.term_start, hits, side="right") - 1
    notes = snapshot.kinds[owner] == _NOTE
    hits, owner = hits[notes], owner[notes]
    if not len(hits):
        return []
    _, which, counts = np.unique(snapshot.terms[hits], return_inverse=True, return_counts=True)
    weight = np.zeros(len(snapshot))
    np.add.at(weight, owner, np.log1p(len(snapshot) / counts)[which])
    places: list[int] = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)].tolist()
    return places


def _with_sharing(near: Sequence[_Near], sharing: Sequence[int], cosines: _Cosines, limit: int) -> list[_Near]:
    """Give half of the places to notes that share words: a statement taken back need not mean nearly the same."""
    kept = {found.place: found for found in near[: limit - limit // 2]}
    for place in sharing:
        if len(kept) == limit:
            break
        if place not in kept:
            cosine = float(cosines.values[cosines.owners == place].max(initial=0.0))
            kept[place] = _Near(place, cosine)
    rest = [found for found in near if found.place not in kept][: limit - len(kept)]
    return sorted((*kept.values(), *rest), key=lambda found: -found.cosine)


async def _claimed(
    snapshot: SubjectSnapshot, candidates: Sequence[Candidate], runtime: Runtime
) -> Mapping[MemoryId | None, Memory]:
    """Read the notes that a model says are corrected or repeated: it was shown them, near or not."""
    named = {named for candidate in candidates for named in (candidate.replaces, candidate.comparison.repeats)}
    wanted = [id_ for id_ in named if id_]
    if not wanted:
        return {}
    read = await runtime.memories(snapshot.subject, wanted)
    return {memory.id: memory for memory in read if memory.kind is MemoryKind.NOTE and _holds(snapshot, memory.id)}


def _holds(snapshot: SubjectSnapshot, memory: MemoryId) -> bool:
    id_ = id_bytes(memory)
    if id_ is None:
        return False
    place = bisect_left(snapshot.ids, id_)
    return place < len(snapshot.ids) and snapshot.ids[place] == id_


async def _of_its_words(
    snapshot: SubjectSnapshot, candidate: Candidate, near: Sequence[Neighbour], runtime: Runtime
) -> list[Neighbour]:
    """Find the notes that a request to forget may mean: it names them by a word, and need not be like them."""
    there = {neighbour.memory.id for neighbour in near}
    named = await find_notes_sharing_terms(snapshot, terms(candidate.forgets), runtime, limit=_MAX_NAMED)
    return [Neighbour(memory=memory, similarity=0.0) for memory in named if memory.id not in there]


async def add_requested(
    neighbours: Neighbours,
    candidates: Sequence[Candidate],
    snapshot: SubjectSnapshot,
    conversation: ConversationId,
    runtime: Runtime,
) -> Neighbours:
    """Add the notes that requests to forget mean without naming them: of a message, or all there are.

    Args:
        neighbours: What the candidates are weighed against so far.
        candidates: Of one batch.
        snapshot: The subject's active memories.
        conversation: Whose messages `Candidate.forgets_seqs` counts.
        runtime: The store.
    """
    near = [list(found) for found in neighbours.near]
    for place, candidate in enumerate(candidates):
        meant: list[Memory] = []
        if candidate.forgets_all:
            ids = [MemoryId(id_text(snapshot.ids[row])) for row in np.flatnonzero(snapshot.kinds == _NOTE).tolist()]
            meant = await runtime.memories(snapshot.subject, ids)
        for seq in candidate.forgets_seqs:
            meant += await runtime.store.memories.from_source(snapshot.subject, conversation, seq=seq)
        there = {neighbour.memory.id for neighbour in near[place]} if place < len(near) else set()
        if meant and place < len(near):
            near[place] += [
                Neighbour(memory=memory, similarity=0.0)
                for memory in meant
                if memory.state is MemoryState.ACTIVE and memory.kind is MemoryKind.NOTE and memory.id not in there
            ]
    return replace(neighbours, near=near)


def exclude(neighbours: Neighbours, ended: frozenset[MemoryId]) -> Neighbours:
    """Leave out memories that are about to be closed."""
    if not ended:
        return neighbours
    return Neighbours(
        near=[[neighbour for neighbour in near if neighbour.memory.id not in ended] for near in neighbours.near],
        facts=[fact for fact in neighbours.facts if fact.id not in ended],
    )


def _top(cosines: _Cosines, limit: int) -> list[_Near]:
    """Return the memories of the best rows, each once, best first."""
    values = cosines.values
    if not np.isfinite(values).all():  # a broken vector is no neighbour
        values = np.nan_to_num(values, nan=-1.0)
    best: dict[int, _Near] = {}
    rows = 0
    while len(best) < limit and rows < len(values):
        # Of a memory in several pieces, more than one may be among the best.
        rows = max(limit * _ROWS_EACH, rows * _ROWS_EACH)
        for row in top_k(values, rows).tolist():
            place = int(cosines.owners[row])
            best.setdefault(place, _Near(place, float(values[row])))
            if len(best) == limit:
                break
    return list(best.values())
