"""Columns of a subject's snapshot that snapshots share: ids, and vectors in blocks. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from toldonce.types.memory import Vector, Vectors

Floats = npt.NDArray[np.float32]
# A change within a block copies it. Comparing 154 MB with a vector takes a tenth longer in blocks of 1.5 MB than in
# blocks of 8 MB, for which numpy asks the system for large pages; blocks of 16 MB save another fiftieth.
MAX_BLOCK_BYTES = 1 << 23
_FLOAT_BYTES = 4
# Blocks with less than this part of the most rows are small.
_SMALL_SHARE = 4


class VectorBlocks:
    """Rows of equal length in one order, kept as several arrays. Immutable."""

    __slots__ = ("blocks", "dim", "starts")

    def __init__(self, blocks: Sequence[Vectors], dim: int) -> None:
        """Join blocks, each of shape (rows, dim); there may be none."""
        self.blocks = tuple(blocks)
        """The arrays."""
        self.dim = dim
        """Length of each row."""
        starts = [0]
        for block in self.blocks:
            starts.append(starts[-1] + len(block))
        self.starts = starts
        """The place of each block's first row, and last the number of rows."""

    @classmethod
    def of(cls, rows: Vectors) -> "VectorBlocks":
        """Make one block of an array."""
        return cls((rows,), rows.shape[1])

    def __len__(self) -> int:
        return self.starts[-1]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return all rows as one array, for `np.asarray`."""
        joined = self.between(0, len(self))
        return np.array(joined, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, int]:
        """Number and length of the rows."""
        return len(self), self.dim

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return len(self) * self.dim * _FLOAT_BYTES

    def cosines(self, vector: Vector) -> Floats:
        """Return the product of each row with a vector: cosines, where all are of unit length.

        One dot product per row, in this thread: as fast as BLAS, whose own threads wait for each other if the cores are
        busy (10,000 rows: 0.4 ms against 8).
        """
        if len(self.blocks) == 1:
            of_all: Floats = np.vecdot(self.blocks[0], vector)
            return of_all
        products = np.empty(len(self), dtype=np.float32)
        for start, block in zip(self.starts, self.blocks, strict=False):
            np.vecdot(block, vector, out=products[start : start + len(block)])
        return products

    def products(self, vectors: Vectors, stop: int) -> Floats:
        """Return the products of some vectors with the rows before `stop`, as an array of shape (vectors, stop)."""
        products = np.empty((len(vectors), stop), dtype=np.float32)
        for start, block in zip(self.starts, self.blocks, strict=False):
            if start < stop:
                rows = block[: stop - start]
                products[:, start : start + len(rows)] = vectors @ rows.T
        return products

    def between(self, start: int, stop: int) -> Vectors:
        """Return adjacent rows: a view where one block has them."""
        found = [
            block[max(0, start - begin) : stop - begin]
            for begin, block in zip(self.starts, self.blocks, strict=False)
            if begin < stop and start < begin + len(block)
        ]
        if len(found) == 1:
            return found[0]
        return np.concatenate(found) if found else np.zeros((0, self.dim), dtype=np.float32)

    def take(self, places: npt.NDArray[np.intp]) -> Vectors:
        """Copy the rows at these places, which ascend."""
        bounds = np.searchsorted(places, self.starts).tolist()
        taken = np.empty((len(places), self.dim), dtype=np.float32)
        for number, block in enumerate(self.blocks):
            first, last = bounds[number], bounds[number + 1]
            if first < last:
                np.take(block, places[first:last] - self.starts[number], axis=0, out=taken[first:last])
        return taken

    def rearranged(self, fresh: Vectors, places: npt.NDArray[np.intp]) -> "VectorBlocks":
        """Return the rows at `places` among these rows followed by `fresh`; blocks that stay whole are shared."""
        made, step = _Arrangement(self.dim), max_block_rows(self.dim)
        ends = np.flatnonzero((np.diff(places) != 1) | (places[1:] == len(self))) + 1
        for start, end in zip([0, *ends.tolist()], [*ends.tolist(), len(places)], strict=True):
            if start == end:
                continue
            first = int(places[start])
            last = first + end - start
            if first >= len(self):
                for begin in range(first, last, step):
                    made.add_part(fresh[begin - len(self) : min(begin + step, last) - len(self)])
                continue
            for begin, block in zip(self.starts, self.blocks, strict=False):
                if begin < last and first < begin + len(block):
                    made.add_part(block[max(0, first - begin) : last - begin], block)
        return VectorBlocks(made.finish(), self.dim)


class _Arrangement:
    """Blocks that are being joined from parts of others."""

    def __init__(self, dim: int) -> None:
        self._max_rows = max_block_rows(dim)
        self._blocks: list[Vectors] = []
        self._parts: list[Vectors] = []
        self._rows = 0
        self._is_copied = False

    def add_part(self, part: Vectors, block: Vectors | None = None) -> None:
        """Add rows of `block`, or fresh ones.

        A whole block is shared. Small ones are joined with what is next to them, so that there are never many.
        """
        is_whole = block is not None and len(part) == len(block)
        part = block if is_whole and block is not None else part
        small = self._max_rows // _SMALL_SHARE
        if not self._parts or self._rows >= small:
            if is_whole and len(part) >= small:
                self._flush()
                self._blocks.append(part)
                return
            if self._rows + len(part) > self._max_rows:
                self._flush()
        self._parts.append(part)
        self._rows += len(part)
        self._is_copied = self._is_copied or not is_whole

    def finish(self) -> list[Vectors]:
        """Return the blocks."""
        self._flush()
        return self._blocks

    def _flush(self) -> None:
        if len(self._parts) > 1 or self._is_copied:
            joined = np.concatenate(self._parts)
            if len(joined) <= self._max_rows:
                self._blocks.append(joined)
            else:  # each with memory of its own: what is erased from one half must not stay with the other
                half = len(joined) // 2
                self._blocks += [joined[:half].copy(), joined[half:].copy()]
        else:
            self._blocks += self._parts
        self._parts, self._rows, self._is_copied = [], 0, False


def max_block_rows(dim: int) -> int:
    """Return how many rows of a length make a large block."""
    return max(1, MAX_BLOCK_BYTES // (_FLOAT_BYTES * max(1, dim)))


ID_BYTES = 16
# What each of the first bytes counts for: six bytes of milliseconds.
_MILLIS = 256 ** np.arange(5, -1, -1, dtype=np.int64)


class IdColumn(Sequence[bytes]):
    """A sequence of ids of 16 bytes each, read from one buffer."""

    __slots__ = ("_bytes", "_count", "array")

    def __init__(self, array: npt.NDArray[np.uint8]) -> None:
        """Read the rows of `array`, which has the shape (count, 16) and is contiguous."""
        self.array = array
        self._count = len(array)
        self._bytes = array.data.cast("B") if self._count else memoryview(b"")

    @classmethod
    def of(cls, ids: Iterable[bytes]) -> "IdColumn":
        """Copy ids into a column; a column is returned as it is.

        >>> IdColumn.of([bytes(16)]) == [bytes(16)]
        True
        """
        if isinstance(ids, cls):
            return ids
        return cls(np.frombuffer(b"".join(ids), dtype=np.uint8).reshape(-1, ID_BYTES))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...

    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        """Return an id, or a list of ids for a slice.

        >>> ids = IdColumn.of([bytes(16), bytes([1] * 16)])
        >>> ids[-1][0], ids[1:] == [ids[1]], ids[2:]
        (1, True, [])
        """
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        place = index + self._count if index < 0 else index
        if not 0 <= place < self._count:
            raise IndexError(f"there are {self._count} ids, and none at {index}")
        return bytes(self._bytes[place * ID_BYTES : (place + 1) * ID_BYTES])

    def millis(self) -> npt.NDArray[np.int64]:
        """Return when each was made, in milliseconds since 1970 UTC: an id begins with its time.

        >>> IdColumn.of([bytes([0, 0, 0, 0, 1, 2]) + bytes(10)]).millis().tolist()
        [258]
        """
        millis: npt.NDArray[np.int64] = self.array[:, : len(_MILLIS)] @ _MILLIS
        return millis

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IdColumn):
            return self._bytes == other._bytes
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # compared by its content, like a list

    def __repr__(self) -> str:
        return f"IdColumn({list(self)!r})"
