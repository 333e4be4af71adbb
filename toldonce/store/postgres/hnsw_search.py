"""Vectors of a subject that has an index: a sample, and those that a recall requests. On a connection.

Everything else of such a subject is read, cached and ranked like any other's. The sample, drawn evenly from all, tells
recall how far a vector stands out.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from toldonce.store.postgres.dialect import dialect_statements
from toldonce.store.postgres.vector_codec import joined
from toldonce.store.sql.database import Row, SqlConnection
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.store.sql.subjects import space_of
from toldonce.types import Subject, SubjectSnapshot, Vector, VectorBlocks, VectorRequest

SQL, TEMPLATES = dialect_statements("recall"), dialect_statements("near")
# Memories in the sample: mean and deviation of 2,000 are within 2 % of those of all.
SAMPLE = 2_000
# If no more memories are of the requested kinds, all their vectors are read.
EXACT_SEARCH_THRESHOLD = 2_000
# If most near memories are of other kinds, the index is asked for four times as many, up to this number.
_MAX_ASKED, _WIDER = 20_000, 4
# Dimensions that pgvector indexes in full and in half precision.
MAX_WHOLE_DIMENSIONS, MAX_HALVED_DIMENSIONS = 2_000, 4_000

Places = npt.NDArray[np.intp]


class HnswSearch:
    """Searches the indexes of one database; caches what never changes."""

    def __init__(self) -> None:
        self._spaces: dict[str, tuple[int, int]] = {}
        self._schema = ""

    def indexed(self, db: SqlConnection, subject: Subject, space: str) -> bool:
        """Return whether the subject's vectors in `space` are indexed."""
        return bool(fetch(db, SQL["is_near"], subject.key, space))

    def with_vectors(
        self, db: SqlConnection, snapshot: SubjectSnapshot, space: str, sought: VectorRequest
    ) -> SubjectSnapshot:
        """Add the requested vectors to a snapshot that has a sample."""
        asked = [vector for vector in sought.vectors if vector.any()]
        if snapshot.sampled_vectors is None or not asked or not len(snapshot):
            return snapshot
        with db:  # the search settings of the index are for this transaction
            found = self._of_kinds(db, snapshot, space, sought, asked)
            snapshot = self._with_vectors(db, snapshot, space, found)
            if sought.expand is not None:
                snapshot = self._with_vectors(db, snapshot, space, sought.expand(snapshot))
        return snapshot

    def _of_kinds(
        self, db: SqlConnection, snapshot: SubjectSnapshot, space: str, sought: VectorRequest, asked: Sequence[Vector]
    ) -> Places:
        """Find memories of the requested kinds that are near to any of the vectors."""
        there = np.flatnonzero(np.isin(snapshot.kinds, sought.kinds))
        if len(there) <= EXACT_SEARCH_THRESHOLD:
            return there
        fetch(db, TEMPLATES["look_further"])
        near = [self._nearest(db, snapshot, space, sought, vector) for vector in asked]
        return np.unique(np.concatenate(near))

    def _nearest(
        self, db: SqlConnection, snapshot: SubjectSnapshot, space: str, sought: VectorRequest, vector: Vector
    ) -> Places:
        statement = self.statement(db, snapshot.subject, space)
        text, most = as_text(vector), sought.limit_each
        while True:
            rows = fetch(db, statement, text, most)
            places = _places(snapshot, dict.fromkeys(row[0] for row in rows))
            places = places[np.isin(snapshot.kinds[places], sought.kinds)]
            if len(places) >= sought.limit_each or len(rows) < most or most >= _MAX_ASKED:
                return places[: sought.limit_each]
            most = min(most * _WIDER, _MAX_ASKED)

    def statement(self, db: SqlConnection, subject: Subject, space: str) -> str:
        """Return the query for the nearest vectors as the index answers it: only the vector is a parameter."""
        number, dim = self._space(db, space)
        if not self._schema:
            self._schema = str(fetch_value(db, TEMPLATES["vectors_schema"]))
        return TEMPLATES["nearest"].format(subject=subject.key, space=number, type=type_of(self._schema, dim))

    def _space(self, db: SqlConnection, name: str) -> tuple[int, int]:
        """Return number and length of a space; it has vectors, and neither ever changes."""
        if name not in self._spaces:
            self._spaces[name] = space_of(db, name) or (0, 0)
        return self._spaces[name]

    def _with_vectors(
        self, db: SqlConnection, snapshot: SubjectSnapshot, space: str, places: Places
    ) -> SubjectSnapshot:
        """Append the vectors of some memories."""
        lacking = np.setdiff1d(places, snapshot.vector_of)
        if not len(lacking):
            return snapshot
        number, dim = self._space(db, space)
        rows = joined(
            fetch(db, SQL["vectors_of"], snapshot.subject.key, number, [snapshot.ids[place] for place in lacking])
        )
        numbers = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(-1, dim)
        owners = _places(snapshot, (row[0] for row in rows)).astype(np.int32)
        return replace(
            snapshot,
            vectors=VectorBlocks((*snapshot.vectors.blocks, numbers), dim),
            vector_of=np.concatenate(
                (snapshot.vector_of, np.repeat(owners, [len(row[1]) // (4 * dim) for row in rows]))
            ),
        )


def sample(db: SqlConnection, subject: Subject, space: int, ids: Sequence[bytes]) -> list[Row]:
    """Read the vectors of some memories, drawn evenly over the time in which they were stored."""
    places = np.unique(np.linspace(0, len(ids) - 1, SAMPLE).astype(np.intp)).tolist() if ids else []
    return joined(fetch(db, SQL["vectors_of"], subject.key, space, [ids[place] for place in places]))


def type_of(schema: str, dim: int) -> str:
    """Return the type that an index of this dimension holds, qualified: ToldOnce has a table of the same name.

    >>> type_of("public", 256), type_of("extensions", 3072)
    ('"public".vector(256)', '"extensions".halfvec(3072)')
    """
    return f'"{schema}".{"vector" if dim <= MAX_WHOLE_DIMENSIONS else "halfvec"}({dim})'


def as_text(vector: Vector) -> str:
    """Write a vector as pgvector reads it, exactly."""
    return f"[{','.join(map(repr, vector.astype(np.float64).tolist()))}]"


def _places(snapshot: SubjectSnapshot, ids: Iterable[bytes]) -> Places:
    """Return the positions of memories by id; newer memories are left out."""
    found = ((bisect_left(snapshot.ids, id_), id_) for id_ in ids)
    return np.array([place for place, id_ in found if snapshot.ids[place : place + 1] == [id_]], dtype=np.intp)
