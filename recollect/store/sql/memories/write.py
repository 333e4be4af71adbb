"""Rows of new memories on their way into the tables, many of a table at once. Works on a connection."""

from collections.abc import Sequence

from recollect.store.sql.database import Row, SqlConnection
from recollect.store.sql.reopening import pack_numbers, pack_vectors
from recollect.store.sql.statements import load
from recollect.types import Vector

SQL = load("memory")
# In this order: what names a memory comes behind it.
_TABLES = ("add_memory", "add_evidence", "add_tag", "add_hot", "add_vectors")


class VectorPacker:
    """Packs vectors, and looks once whether a subject takes those of a space."""

    def __init__(self, db: SqlConnection) -> None:
        """Know nothing yet."""
        self._db = db
        self._taken: dict[tuple[int, str, int], int] = {}

    def pack(self, key: int, space: str, vectors: Sequence[Vector]) -> tuple[int, bytes] | None:
        """Do as `pack_vectors`, with what is known of the space."""
        lengths = {len(vector) for vector in vectors}
        number = self._taken.get((key, space, lengths.pop())) if len(lengths) == 1 else None
        if number is not None:
            return number, pack_numbers(vectors)
        packed = pack_vectors(self._db, key, space, vectors)
        if packed is not None:
            self._taken[key, space, len(vectors[0])] = packed[0]
        return packed


class InsertBatch:
    """The rows of some memories of one subject, until they are written."""

    def __init__(self, db: SqlConnection, key: int) -> None:
        """Hold none yet."""
        self._db = db
        self._key = key
        self._rows: dict[str, list[Row]] = {name: [] for name in _TABLES}
        self._packing = VectorPacker(db)

    def put(self, statement: str, *values: object) -> None:
        """Take a row of the subject's for one of the statements that add."""
        self._rows[statement].append((self._key, *values))

    def pack(self, space: str, vectors: Sequence[Vector]) -> tuple[int, bytes] | None:
        """Pack the vectors of a memory of the subject: see `pack_vectors`."""
        return self._packing.pack(self._key, space, vectors)

    def flush(self) -> None:
        """Write what is held: whatever is read or changed next may be among it."""
        for name, rows in self._rows.items():
            if rows:
                self._db.executemany(SQL[name], rows)
                rows.clear()
