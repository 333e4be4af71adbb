"""How a memory's numbers are packed into the `hot` table's columns, and unpacked for many at once. Pure."""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from toldonce.text import source_key, term_keys
from toldonce.types import IdColumn, Subject, SubjectSnapshot, VectorBlocks

Row = tuple[Any, ...]
Array = npt.NDArray[Any]

FIXED = np.dtype(
    [
        ("kind", "u1"),
        ("role", "u1"),
        ("length", "<i4"),
        ("importance", "<f4"),
        ("confidence", "<f4"),
        ("valid_from", "<i8"),
        ("uses", "<i4"),
        ("last_used_at", "<i8"),
    ]
)
"""What a memory has exactly one of, without gaps: 34 bytes."""
_FIXED = struct.Struct("<BBiffqiq")
TERM = np.dtype([("key", "<u4"), ("count", "<u2")])
"""A term in a memory: 6 bytes; ascending by key."""
SOURCE = np.dtype([("hash", "<i8"), ("key", "<i8")])
_SOURCE = struct.Struct("<qq")
_MAX_COUNT = 2**16 - 1
_ROLES = {"user": 1, "assistant": 2}
_OTHER_ROLE = 3
FLOAT_BYTES = 4
# What recall derives of each memory, and of each term of a subject with up to so many memories.
DERIVED_MEMORY_BYTES, DERIVED_TERM_BYTES = 56, 16
MAX_TERMS_DERIVED = 5_000
# If less than one in so many memories has vectors, looking up each is faster than counting all.
_SPARSE_THRESHOLD = 8


def pack_fixed(
    *, kind: int, role: int, length: int, weights: tuple[float, float], times: tuple[int, int, int]
) -> bytes:
    """Pack a memory's single numbers.

    Args:
        kind: Its place in `KIND_ORDER`.
        role: See `pack_evidence`.
        length: Number of its terms, repeats counted.
        weights: Importance and confidence.
        times: When it became true, how often it was used, when last (0: never).
    """
    return _FIXED.pack(kind, role, length, *weights, *times)


def unpack_fixed(data: bytes) -> tuple[int, int]:
    """Return role and length, which the `fixed` column alone holds."""
    _, role, length, *_ = _FIXED.unpack(data)
    return role, length


def kind_number(data: bytes) -> int:
    """Return the kind in a `fixed` column."""
    return data[0]


def with_length(data: bytes, length: int) -> bytes:
    """Return a `fixed` column with another number of terms."""
    kind, role, _, *rest = _FIXED.unpack(data)
    return _FIXED.pack(kind, role, length, *rest)


def pack_terms(terms: Mapping[str, int], salt: bytes) -> bytes:
    """Pack the terms under their hashes. Two that meet in one hash are one, with both counts."""
    known = term_keys(salt)
    keys = [known[term] for term in terms]
    counts = dict(zip(keys, terms.values(), strict=True))
    if len(counts) < len(keys):
        counts = {}
        for key, count in zip(keys, terms.values(), strict=True):
            counts[key] = counts.get(key, 0) + count
    if max(counts.values(), default=0) > _MAX_COUNT:
        counts = {key: min(count, _MAX_COUNT) for key, count in counts.items()}
    return _term_struct(len(counts)).pack(*chain.from_iterable(sorted(counts.items())))


@lru_cache(maxsize=1024)
def _term_struct(count: int) -> struct.Struct:
    """Return the layout of so many terms."""
    return struct.Struct(f"<{count * 'IH'}")


def pack_sources(sources: Iterable[tuple[int, str, int]]) -> bytes:
    """Pack the sources, each (hash, conversation, seq), by which a request that holds them already is told."""
    return b"".join([_SOURCE.pack(hash_, source_key(conversation, seq)) for hash_, conversation, seq in sources])


def pack_evidence(evidence: Iterable[tuple[str, int, str, int]]) -> tuple[int, bytes]:
    """Pack the sources of a memory, each (role, hash, conversation, seq).

    Returns:
        Whose words it is, those of its first source, as `SubjectSnapshot.roles` says it; and the sources.
    """
    rows = list(evidence)
    role = _ROLES.get(rows[0][0], _OTHER_ROLE) if rows else 0
    return role, pack_sources(row[1:] for row in rows)


def unpack(
    subject: Subject, version: int, salt: bytes, dim: int, rows: Sequence[Row], vectors: Sequence[Row] | None
) -> SubjectSnapshot:
    """Unpack a subject.

    Args:
        subject: Whose memories.
        version: Of the subject.
        salt: See `SubjectSnapshot`.
        dim: Length of a vector; 0 where there is none.
        rows: All of `hot`, ordered by id: (id, fixed, terms, sources), with the vectors fifth if `vectors` is None.
        vectors: Those of one space: (id, vectors), ordered by id; each id is one of the rows'.
    """
    ids, fixed_data, term_data, source_data, *joined = zip(*rows, strict=True) if rows else ((), (), (), ())
    owners, chunks = _vector_columns(ids, joined, vectors)
    fixed = np.frombuffer(b"".join(fixed_data), dtype=FIXED)
    terms = np.frombuffer(b"".join(term_data), dtype=TERM)
    sources = np.frombuffer(b"".join(source_data), dtype=SOURCE)
    numbers = np.frombuffer(b"".join(chunks), dtype=np.float32)
    return SubjectSnapshot(
        subject=subject,
        version=version,
        salt=salt,
        ids=IdColumn.of(ids),
        kinds=_column(fixed, "kind"),
        importance=_column(fixed, "importance"),
        confidence=_column(fixed, "confidence"),
        valid_from=_column(fixed, "valid_from"),
        last_used_at=_column(fixed, "last_used_at"),
        uses=_column(fixed, "uses"),
        roles=_column(fixed, "role"),
        length=_column(fixed, "length"),
        vectors=VectorBlocks((numbers.reshape(-1, dim),) if len(numbers) else (), dim),
        vector_of=_owners(ids, owners, _lengths(chunks) // (FLOAT_BYTES * (dim or 1))),
        terms=_column(terms, "key"),
        counts=_column(terms, "count"),
        term_start=_offsets(term_data, TERM.itemsize),
        source_hash=_column(sources, "hash"),
        source_key=_column(sources, "key"),
        source_start=_offsets(source_data, SOURCE.itemsize),
    )


def _vector_columns(
    ids: Sequence[bytes], joined: Sequence[Sequence[bytes | None]], vectors: Sequence[Row] | None
) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Return whose the vectors are, and the vectors, from the fifth column of the rows or from rows of their own."""
    if vectors is None:
        column = joined[0] if joined else ()
        if None not in column:
            return ids, cast("Sequence[bytes]", column)
        vectors = [pair for pair in zip(ids, column, strict=True) if pair[1] is not None]
    owners, chunks = zip(*vectors, strict=True) if vectors else ((), ())
    return owners, chunks


def _lengths(data: Sequence[bytes]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(len, data), dtype=np.int64, count=len(data))


def _owners(ids: Sequence[bytes], owners: Sequence[bytes], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return for each vector the place of its memory, as `SubjectSnapshot.vector_of`."""
    if ids == owners and np.add.reduce(counts) == len(ids):  # one each, as no memory is listed with none
        return np.arange(len(ids), dtype=np.int32)
    if len(owners) < len(ids) // _SPARSE_THRESHOLD:
        places = [bisect_left(ids, owner) for owner in owners]
    else:
        place = {id_: number for number, id_ in enumerate(ids)}
        places = [place[owner] for owner in owners]
    return np.repeat(np.array(places, dtype=np.int32), counts)


def _column(records: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    return records[name].copy()


def _offsets(data: Sequence[bytes], size: int) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum(_lengths(data) // size, out=offsets[1:])
    return offsets


def arrays_of(snapshot: SubjectSnapshot) -> dict[str, Array]:
    """Return all arrays of a subject but the vectors, by their names."""
    return {
        "ids": IdColumn.of(snapshot.ids).array,
        "kinds": snapshot.kinds,
        "importance": snapshot.importance,
        "confidence": snapshot.confidence,
        "valid_from": snapshot.valid_from,
        "last_used_at": snapshot.last_used_at,
        "uses": snapshot.uses,
        "roles": snapshot.roles,
        "length": snapshot.length,
        "vector_of": snapshot.vector_of,
        "terms": snapshot.terms,
        "counts": snapshot.counts,
        "term_start": snapshot.term_start,
        "source_hash": snapshot.source_hash,
        "source_key": snapshot.source_key,
        "source_start": snapshot.source_start,
    }


def with_arrays(
    snapshot: SubjectSnapshot, arrays: Mapping[str, Array], vectors: VectorBlocks, *, sampled: bool
) -> SubjectSnapshot:
    """Return version and marks of a subject with other arrays; whether the vectors are a sample."""
    columns: dict[str, Any] = {**arrays, "ids": IdColumn(arrays["ids"]), "vectors": vectors}
    return replace(snapshot, **columns, sampled_vectors=len(arrays["vector_of"]) if sampled else None)


def size_of(snapshot: SubjectSnapshot) -> int:
    """Return how many bytes the arrays of a subject take."""
    return snapshot.vectors.nbytes + sum(array.nbytes for array in arrays_of(snapshot).values())


def derived_size_of(snapshot: SubjectSnapshot) -> int:
    """Return about how many bytes what a recall derives of the arrays takes, which is kept with them."""
    terms = len(snapshot.terms) if len(snapshot) <= MAX_TERMS_DERIVED else 0
    return DERIVED_MEMORY_BYTES * len(snapshot) + DERIVED_TERM_BYTES * terms
