"""A change of a subject with very many memories copies few of its vectors."""

from collections.abc import Sequence

import numpy as np
import pytest

from factories import ANA
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.snapshot_codec import pack_fixed, unpack
from toldonce.types import SubjectSnapshot, vector_blocks


def rows_of(ids: Sequence[int], *, version: int) -> SubjectSnapshot:
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    keys = [number.to_bytes(16, "big") for number in ids]
    vectors = [(key, np.full(2, number, "<f4").tobytes()) for key, number in zip(keys, ids, strict=True)]
    return unpack(ANA, version, b"", 2, [(key, fixed, b"", b"") for key in keys], vectors)


def test_closing_one_of_many_copies_one_block_of_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_blocks, "MAX_BLOCK_BYTES", 10 * 2 * 4)  # ten vectors
    arrays = GrowingArrays(rows_of(range(1, 11), version=1))
    for start in range(11, 52, 10):
        arrays.extend(rows_of(range(start, min(start + 10, 55)), version=1))
    before = arrays.advance(1, added := rows_of([60, 61], version=2), added.ids)
    after = arrays.advance(2, rows_of([], version=3), [(23).to_bytes(16, "big")])
    more = arrays.advance(3, added := rows_of([62], version=4), added.ids)

    assert before is not None
    assert after is not None
    assert more is not None
    is_shared = [any(np.shares_memory(block, old) for old in before.vectors.blocks) for block in after.vectors.blocks]
    assert is_shared == [True, True, False, True, True, True]
    assert np.shares_memory(before.vectors.blocks[-1], more.vectors.blocks[-1]), "the last block grows in place"
    assert [row[0] for row in np.asarray(before.vectors)] == [*range(1, 55), 60, 61]
    assert [row[0] for row in np.asarray(after.vectors)] == [*range(1, 23), *range(24, 55), 60, 61]
    assert [row[0] for row in np.asarray(more.vectors)] == [*range(1, 23), *range(24, 55), 60, 61, 62]


def test_portions_are_read_into_large_blocks_that_are_never_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_blocks, "MAX_BLOCK_BYTES", 10 * 2 * 4)  # ten vectors
    arrays = GrowingArrays(rows_of(range(1, 4), version=1))
    arrays.reserve(24)
    arrays.extend(rows_of(range(4, 7), version=1))
    [first] = arrays.latest.vectors.blocks
    for start in range(7, 25, 3):
        arrays.extend(rows_of(range(start, start + 3), version=1))
    blocks = arrays.latest.vectors.blocks

    assert [len(block) for block in blocks] == [10, 10, 4]
    assert np.shares_memory(first, blocks[0]), "there was room for all that was to come"
    assert [row[0] for row in np.asarray(arrays.latest.vectors)] == [*range(1, 25)]
