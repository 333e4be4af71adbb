"""Vectors on their way to pgvector and back: its binary form has its most significant byte first. Pure.

Encrypted ones (`store/encryption/sealer.py`) are left as they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

from toldonce.store.sql.database import Row

_NUMBER = np.dtype("<f4")
_SENT = np.dtype(">f4")
# Before its numbers pgvector sends how many there are, and two bytes that mean nothing.
_HEAD_BYTES = 4


class PackedVector(bytes):
    """The numbers of one vector as the store packs them: float32, least byte first."""


class _EmbeddingDumper(Dumper):
    """Writes a vector as pgvector's `vector_recv` reads it: two 16-bit numbers (its length, 0), then the numbers."""

    format = Format.BINARY

    def dump(self, obj: PackedVector) -> Buffer:
        numbers = np.frombuffer(obj, dtype=_NUMBER)
        return len(numbers).to_bytes(2, "big") + b"\0\0" + numbers.astype(_SENT).tobytes()


def teach(cursor: psycopg.Cursor[Row], oid: int) -> None:
    """Teach a cursor to send vectors; `oid` is the server's number of their type."""
    cursor.adapters.register_dumper(PackedVector, type("_Numbered", (_EmbeddingDumper,), {"oid": oid}))


def is_sealed(data: bytes) -> bool:
    """Return whether the bytes of vectors are encrypted: those of plain ones are four for each number."""
    return len(data) % _NUMBER.itemsize != 0


def chunks(data: bytes, dim: int) -> Iterator[tuple[int, PackedVector | None, bytes | None]]:
    """Cut the packed vectors of a memory into the last columns of rows: number, vector, and all if it is encrypted."""
    if is_sealed(data):
        yield 0, None, data
        return
    size = dim * _NUMBER.itemsize
    for chunk, start in enumerate(range(0, len(data), size)):
        yield chunk, PackedVector(data[start : start + size]), None


def received(rows: Sequence[Row]) -> list[Row]:
    """Turn the numbers in the last column, as the server sends them, into packed vectors."""
    if any(row[-1] is not None and is_sealed(row[-1]) for row in rows):
        return [row if row[-1] is None or is_sealed(row[-1]) else received([row])[0] for row in rows]
    sent = [b"" if row[-1] is None else row[-1] for row in rows]
    # All at once: numpy's calls for each vector would take longer than reading it.
    numbers = np.frombuffer(b"".join(sent), _SENT).astype(_NUMBER).tobytes()
    ends = accumulate(map(len, sent))
    return [
        (*row[:-1], None if row[-1] is None else numbers[end - len(row[-1]) : end])
        for row, end in zip(rows, ends, strict=True)
    ]


def packed(rows: Iterable[Row]) -> Iterator[Row]:
    """Turn the numbers in the first column, as the server sends them, into packed vectors."""
    return (row if is_sealed(row[0]) else (_turned(row[0]), *row[1:]) for row in rows)


def _turned(sent: bytes) -> bytes:
    return np.frombuffer(sent, _SENT).astype(_NUMBER).tobytes()


def joined(rows: Sequence[Row], *, at: int = 0) -> list[Row]:
    """Do as `received` for rows of single chunks, a vector as pgvector sends it last; put a memory's chunks in one row.

    Args:
        rows: Those of a memory together.
        at: The column of the memory's id.
    """
    found: list[Row] = []
    for row in received([(*row[:-1], _without_head(row[-1])) for row in rows]):
        if found and found[-1][at] == row[at]:
            found[-1] = (*row[:-1], found[-1][-1] + row[-1])
        else:
            found.append(row)
    return found


def _without_head(sent: bytes | None) -> bytes | None:
    return sent if sent is None or is_sealed(sent) else sent[_HEAD_BYTES:]
