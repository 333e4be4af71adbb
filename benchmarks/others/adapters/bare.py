"""numpy over SQLite, without any product: the least that keeping and finding vectors costs. Writes one file."""

import json
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.others.adapters.adapter_server import Asked, Given, serve

_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (id TEXT PRIMARY KEY, user TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS memory_user ON memory (user);
"""
_SELECT = "SELECT id, text FROM memory WHERE id IN (SELECT value FROM json_each(?))"
_INSERT = "INSERT INTO memory (id, user, text, vector) VALUES (?, ?, ?, ?)"


class _UserVectors:
    """Vectors of one user, in an array with room to grow."""

    def __init__(self, ids: list[str], vectors: npt.NDArray[np.float32]) -> None:
        self._ids, self._vectors = ids, vectors

    def append(self, memory_id: str, vector: npt.NDArray[np.float32]) -> None:
        if len(self._ids) == len(self._vectors):
            grown = np.empty((max(16, 2 * len(self._vectors)), len(vector)), np.float32)
            grown[: len(self._ids)] = self._vectors
            self._vectors = grown
        self._vectors[len(self._ids)] = vector
        self._ids.append(memory_id)

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[str]:
        cosines = self._vectors[: len(self._ids)] @ vector
        best = np.argpartition(cosines, -limit)[-limit:] if len(cosines) > limit else np.arange(len(cosines))
        return [self._ids[place] for place in best[np.argsort(-cosines[best])]]


class Bare:
    """One table of all users; a user's vectors are read once and kept in memory."""

    def __init__(self, folder: Path, dim: int) -> None:
        """Open the database."""
        self._dim = dim
        self._db = sqlite3.connect(folder / "bare.sqlite3", isolation_level=None, check_same_thread=False)
        self._db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + _SCHEMA)
        self._users: dict[str, _UserVectors] = {}

    def load(self, memories: Sequence[Given]) -> list[str]:
        """Insert all in one transaction."""
        ids = [str(uuid.uuid4()) for _ in memories]
        vectors = [np.array(memory.vector, np.float32) for memory in memories]
        self._db.execute("BEGIN")
        self._db.executemany(
            _INSERT,
            [
                (memory_id, memory.user, memory.text, vector.tobytes())
                for memory_id, memory, vector in zip(ids, memories, vectors, strict=True)
            ],
        )
        self._db.execute("COMMIT")
        for memory_id, memory, vector in zip(ids, memories, vectors, strict=True):
            if memory.user in self._users:
                self._users[memory.user].append(memory_id, vector)
        return ids

    def loaded(self) -> None:
        """Do nothing: nothing is put off."""

    def search(self, asked: Asked) -> list[str]:
        """Compare all vectors of the user, then read the texts of the nearest."""
        if asked.user not in self._users:
            self._users[asked.user] = self._read(asked.user)
        ids = self._users[asked.user].nearest(np.array(asked.vector, np.float32), asked.limit)
        found = dict(self._db.execute(_SELECT, (json.dumps(ids),)))
        return [memory_id for memory_id in ids if memory_id in found]

    nearest = search

    def add(self, memory: Given) -> str:
        """Insert one row."""
        [memory_id] = self.load([memory])
        return memory_id

    def delete(self, user: str, memory_id: str) -> None:
        """Delete one row; the user's vectors are read again at the next search."""
        self._db.execute("DELETE FROM memory WHERE id = ?", (memory_id,))
        self._users.pop(user, None)

    def size(self) -> int:
        """Count the rows."""
        return int(self._db.execute("SELECT count(*) FROM memory").fetchone()[0])

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _read(self, user: str) -> _UserVectors:
        rows = self._db.execute("SELECT id, vector FROM memory WHERE user = ?", (user,)).fetchall()
        vectors = np.frombuffer(b"".join(vector for _, vector in rows), np.float32).reshape(len(rows), self._dim)
        return _UserVectors([memory_id for memory_id, _ in rows], vectors)


if __name__ == "__main__":
    serve(Bare)
