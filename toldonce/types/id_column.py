"""Ids of memories as a column of bytes: a list would need an object for each. Pure."""

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

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
        """Return the number of ids."""
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
        """Compare with another column or a list."""
        if isinstance(other, IdColumn):
            return self._bytes == other._bytes
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # compared by its content, like a list

    def __repr__(self) -> str:
        """Return the ids as a list."""
        return f"IdColumn({list(self)!r})"
