"""Results are kept while one piece of work lasts, in its threads too, and by no one else."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from toldonce import memo
from toldonce.memo import remembered, remembered_each, remembering


@pytest.fixture
def seen() -> list[str]:
    return []


@pytest.fixture
def length(seen: list[str]) -> Callable[[str], int]:
    @remembered
    def measure(text: str) -> int:
        seen.append(text)
        return len(text)

    return measure


def test_nothing_is_kept_after_the_work(length: Callable[[str], int], seen: list[str]) -> None:
    with remembering():
        assert [length("Oslo"), length("Oslo"), length("Rome")] == [4, 4, 4]
        with remembering():
            length("Oslo")
        length("Oslo")
        kept = memo._kept.get()
        assert kept
        assert len(kept) == 2

    assert seen == ["Oslo", "Rome"]
    assert kept == {}
    length("Oslo")
    length("Oslo")
    assert seen == ["Oslo", "Rome", "Oslo", "Oslo"]


def test_no_result_is_kept_that_an_error_took_the_place_of() -> None:
    calls = []

    @remembered
    def fail(text: str) -> str:
        calls.append(text)
        raise ValueError(text)

    with remembering():
        for _ in range(2):
            with pytest.raises(ValueError, match="Oslo"):
                fail("Oslo")

    assert calls == ["Oslo", "Oslo"]


def test_the_results_kept_are_bounded(
    length: Callable[[str], int], seen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "MAX_KEPT", 3)
    with remembering():
        for number in range(10):
            length(f"text {number}")
            kept = memo._kept.get()
            assert kept is not None
            assert len(kept) <= 3
        length("text 9")

    assert len(seen) == 10


async def test_threads_share_results_and_other_work_does_not(length: Callable[[str], int], seen: list[str]) -> None:
    async def form() -> None:
        with remembering():
            await asyncio.to_thread(length, "Oslo")
            length("Oslo")

    await asyncio.gather(form(), form())

    assert seen == ["Oslo", "Oslo"]


def test_of_several_things_only_the_new_ones_are_worked_out() -> None:
    asked: list[list[str]] = []

    @remembered_each
    def lengths(texts: Sequence[str]) -> list[int]:
        asked.append(list(texts))
        return [len(text) for text in texts]

    assert lengths(["Oslo", "Ulm", "Oslo"]) == [4, 3, 4]
    with remembering():
        assert lengths(["Ulm", "Oslo"]) == [3, 4]
        assert lengths(["Bergen", "Ulm"]) == [6, 3]
        assert lengths([]) == []
    assert asked == [["Oslo", "Ulm"], ["Ulm", "Oslo"], ["Bergen"]]
