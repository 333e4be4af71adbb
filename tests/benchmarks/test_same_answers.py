"""However a subject's memories come to be in memory, a question finds the same ones with the same scores."""

from collections.abc import Collection
from pathlib import Path

import pytest

from benchmarks.same_answers import compare
from soak import whole_only
from stores import DURABLE, url_of
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.types import SubjectSnapshot

# The largest is as large to PostgreSQL as to SQLite, and takes it four times as long to write.
SIZES = [
    *((kind, count) for kind in DURABLE for count in (100, 1_000)),
    pytest.param("file", 3_000, marks=whole_only),
]


@pytest.mark.parametrize(("kind", "count"), SIZES)
async def test_a_question_has_the_same_answer_read_whole_cached_or_updated(
    kind: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged: list[int] = []
    advance = GrowingArrays.advance

    def counted(
        arrays: GrowingArrays, version: int, fresh: SubjectSnapshot, changed: Collection[bytes]
    ) -> SubjectSnapshot | None:
        merged.append(len(changed))
        return advance(arrays, version, fresh, changed)

    monkeypatch.setattr(GrowingArrays, "advance", counted)
    compared = await compare(url_of(kind, tmp_path), count, questions=10)

    assert compared.memories == count
    assert [len(answer) for answer in compared.whole] == [50] * 10
    assert list(compared.ways) == ["brought forward", "then cached", "read again", "read again, then cached"]
    assert compared.differing == []
    assert merged


async def test_what_differs_is_named_by_its_way(tmp_path: Path) -> None:
    compared = await compare(url_of("file", tmp_path), 100, questions=2)
    first = compared.ways["read again"][0]
    compared.ways["read again"] = [first[::-1], *compared.ways["read again"][1:]]

    assert compared.differing == ["read again: 1 of 2"]
