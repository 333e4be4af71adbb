"""What is known about subjects while a document is taken back: a table on disk, gone when it is closed."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

from toldonce.curation.new_notes import fold_wording
from toldonce.engine.markdown_document import plain_words, words_hash, words_of
from toldonce.types import Memory, MemoryId, MemoryState

_SCHEMA = """
CREATE TABLE memory (
    place INT, id BLOB, hash TEXT, state TEXT, exported INT, line INT DEFAULT 0, PRIMARY KEY (place, id)
) WITHOUT ROWID;
CREATE TABLE words (place INT, mark BLOB, PRIMARY KEY (place, mark)) WITHOUT ROWID;
"""
_PAGE = 1_000


class SpooledMemory(NamedTuple):
    """A memory that was listed."""

    hash: str
    state: MemoryState
    line: int
    """Of the document; 0: none yet."""


class MemorySpool:
    """Memories of subjects, by the subject's place in the document."""

    def __init__(self) -> None:
        """Begin an empty table; as it is on disk, its size is not bounded by memory."""
        self._table = sqlite3.connect("", isolation_level=None)
        self._table.executescript(_SCHEMA)

    def close(self) -> None:
        """Delete it."""
        self._table.close()

    def add(self, place: int, memories: Sequence[Memory], exported_at: datetime) -> None:
        """Note memories of a subject. What ended before the export does not count as known: it may be said again."""
        rows, marks = [], []
        for memory in memories:
            is_new = memory.known_from > exported_at
            is_active = memory.state is MemoryState.ACTIVE
            rows.append(
                (place, _key(memory.id), words_hash(words_of(memory)), memory.state.value, is_active and not is_new)
            )
            if is_active or is_new:
                marks.append((place, _mark(words_of(memory))))
        self._table.execute("BEGIN")
        self._table.executemany(
            "INSERT OR REPLACE INTO memory (place, id, hash, state, exported) VALUES (?, ?, ?, ?, ?)", rows
        )
        self._table.executemany("INSERT OR IGNORE INTO words VALUES (?, ?)", marks)
        self._table.execute("COMMIT")

    def note_words(self, place: int, words: str) -> None:
        """Note that something with these words is known by now."""
        self._table.execute("INSERT OR IGNORE INTO words VALUES (?, ?)", (place, _mark(words)))

    def has_words(self, place: int, words: str) -> bool:
        """Return whether these words are known, or were since the export."""
        found = self._table.execute("SELECT 1 FROM words WHERE place = ? AND mark = ?", (place, _mark(words)))
        return found.fetchone() is not None

    def find(self, place: int, memory_id: MemoryId) -> SpooledMemory | None:
        """Return a memory of a subject."""
        sql = "SELECT hash, state, line FROM memory WHERE place = ? AND id = ?"
        row = self._table.execute(sql, (place, _key(memory_id))).fetchone()
        return None if row is None else SpooledMemory(row[0], MemoryState(row[1]), row[2])

    def note_line(self, place: int, memory_id: MemoryId, line: int) -> None:
        """Note in which line of the document a memory is."""
        self._table.execute("UPDATE memory SET line = ? WHERE place = ? AND id = ?", (line, place, _key(memory_id)))

    def note_end(self, place: int, memory_id: MemoryId) -> None:
        """Note that a memory ended meanwhile."""
        sql = "UPDATE memory SET state = ?, exported = 0 WHERE place = ? AND id = ?"
        self._table.execute(sql, (MemoryState.CLOSED.value, place, _key(memory_id)))

    def removed(self, place: int) -> Iterator[MemoryId]:
        """Yield the memories of a subject that were exported and are in no line."""
        sql = "SELECT id FROM memory WHERE place = ? AND exported AND line = 0 AND id > ? ORDER BY id LIMIT ?"
        after = b""
        while page := self._table.execute(sql, (place, after, _PAGE)).fetchall():
            for (key,) in page:
                yield MemoryId(str(UUID(bytes=key)))
            after = page[-1][0]


def _key(memory_id: MemoryId) -> bytes:
    return UUID(memory_id).bytes


def _mark(words: str) -> bytes:
    """Return a hash of words that is the same where adding them would strengthen what is known."""
    return blake2b(fold_wording(plain_words(words)).encode(), digest_size=16).digest()
