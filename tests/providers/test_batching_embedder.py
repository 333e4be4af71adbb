"""Calls at the same time are one call; whoever fails fails alone, and nobody waits for ever."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from toldonce.errors import ModelError
from toldonce.providers import batching_embedder
from toldonce.providers.batching_embedder import MAX_TEXTS, BatchingEmbedder
from toldonce.testing import WordEmbedder
from toldonce.types import Vectors


class Model(WordEmbedder):
    """Notes what it is asked; refuses a text, or fails by a defect."""

    def __init__(self) -> None:
        super().__init__(32)
        self.asked: list[list[str]] = []
        self.called = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        self.called.set()
        await self.gate.wait()
        if "defect" in texts:
            raise RuntimeError("a defect")
        if "bad" in texts:
            raise ModelError("refused")
        return await super().embed(texts)


async def rows(*texts: str) -> Vectors:
    return await WordEmbedder(32).embed(texts)


async def test_what_is_asked_at_the_same_time_is_asked_once_and_each_gets_its_own() -> None:
    model = Model()
    embedder = BatchingEmbedder(model)
    wanted = [["tea", "bees"], [], ["honey"], ["Oslo", "Rome", "tea"]]
    found = await asyncio.gather(*map(embedder.embed, wanted))
    assert model.asked == [["tea", "bees", "honey", "Oslo", "Rome", "tea"]]
    for texts, got in zip(wanted, found, strict=True):
        assert got.shape == (len(texts), 32)
        assert np.array_equal(got, await rows(*texts))
    assert (embedder.space, embedder.dim) == (model.space, 32)


async def test_what_comes_while_a_call_is_out_goes_with_the_next() -> None:
    model = Model()
    model.gate.clear()
    embedder = BatchingEmbedder(model)
    first = asyncio.create_task(embedder.embed(["one"]))
    await model.called.wait()
    others = [asyncio.create_task(embedder.embed([text])) for text in ("two", "three")]
    await asyncio.sleep(0)
    model.gate.set()
    await asyncio.gather(first, *others)
    assert model.asked == [["one"], ["two", "three"]]


async def test_a_call_has_so_many_texts_at_most_but_nobodys_are_torn_apart() -> None:
    model = Model()
    embedder = BatchingEmbedder(model)
    sizes = (MAX_TEXTS - 1, 1, 1, MAX_TEXTS + 5)
    await asyncio.gather(*(embedder.embed(["tea"] * size) for size in sizes))
    assert [len(texts) for texts in model.asked] == [MAX_TEXTS, 1, MAX_TEXTS + 5]


async def test_a_text_that_is_refused_costs_nobody_else() -> None:
    model = Model()
    embedder = BatchingEmbedder(model)
    good, bad, other = await asyncio.gather(
        *(embedder.embed([text]) for text in ("tea", "bad", "bees")), return_exceptions=True
    )
    assert isinstance(bad, ModelError)
    assert isinstance(good, np.ndarray)
    assert isinstance(other, np.ndarray)
    assert np.array_equal(np.concatenate([good, other]), await rows("tea", "bees"))
    with pytest.raises(ModelError):
        await embedder.embed(["bad"])
    assert model.asked[-1] == ["bad"]
    assert len(model.asked) == 1 + 3 + 1, "one that asks alone is not asked twice"


async def test_a_defect_reaches_all_who_wait_and_the_next_are_served() -> None:
    embedder = BatchingEmbedder(Model())
    found = await asyncio.gather(*(embedder.embed([text]) for text in ("tea", "defect")), return_exceptions=True)
    assert [type(item) for item in found] == [RuntimeError, RuntimeError]
    assert len(await embedder.embed(["tea"])) == 1


async def test_who_gives_up_harms_nobody_and_closing_lets_all_go() -> None:
    model = Model()
    model.gate.clear()
    embedder = BatchingEmbedder(model)
    one, two, three = (asyncio.create_task(embedder.embed([text])) for text in ("one", "two", "three"))
    await model.called.wait()
    one.cancel()
    await asyncio.sleep(0)
    model.gate.set()
    assert np.array_equal(await two, await rows("two"))
    assert len(await three) == 1
    model.gate.clear()
    model.called.clear()
    left = asyncio.create_task(embedder.embed(["four"]))
    await model.called.wait()
    await embedder.close()
    await asyncio.gather(left, return_exceptions=True)
    assert left.cancelled()
    await embedder.close()


async def test_what_was_embedded_ahead_is_there_without_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching_embedder, "MAX_TEXTS", 2)
    model = Model()
    embedder = BatchingEmbedder(model)
    await embedder.prefetch(["tea", "bees", "tea", "honey"])
    assert model.asked == [["tea", "bees"], ["honey"]]
    assert np.array_equal(await embedder.embed(["honey", "tea"]), await rows("honey", "tea"))
    assert len(model.asked) == 2
    assert np.array_equal(await embedder.embed(["honey", "Oslo"]), await rows("honey", "Oslo"))
    assert model.asked[2:] == [["honey", "Oslo"]]
    embedder.forget()
    await embedder.prefetch(["bad"])
    await embedder.embed(["tea"])
    assert model.asked[3:] == [["bad"], ["tea"]]


async def test_a_model_is_far_where_no_call_was_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = BatchingEmbedder(Model())
    told = [embedder.is_remote]
    await embedder.embed(["tea"])
    told.append(embedder.is_remote)
    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)
    assert [*told, embedder.is_remote] == [None, False, True]
