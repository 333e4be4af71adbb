"""LangGraph's store on ToldOnce, used by LangGraph itself. It is imported when a test runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from framework_examples import check_examples
from toldonce.engine import AsyncToldOnce
from toldonce.sync import ToldOnce
from toldonce.types import MemoryKind, Subject

if TYPE_CHECKING:
    from toldonce.integrations.langgraph import ToldOnceStore

ANA = ("memories", "ana")
HOSTILE = ("a/b%2F *", "ünï\tcødé\x7f", "\ud800")
ODD = {"text": '  two  blanks\u00a0\u2028\n\ud800 ] [key "x", ', "n": [1, 2.5, None, True], "": {"deep": {}}}


def store_of(engine: AsyncToldOnce) -> "ToldOnceStore":
    from toldonce.integrations.langgraph import ToldOnceStore

    return ToldOnceStore(engine)


@pytest.mark.parametrize("face", ["near", "far"])
@pytest.mark.parametrize("kind", ["memory", "postgres"])
async def test_items_are_kept_as_they_were_put(engine: AsyncToldOnce) -> None:
    store = store_of(engine)
    for namespace, key, value in (
        (ANA, "a", {"data": "Ana likes pizza"}),
        (ANA, "b", {"data": "Ana likes pizza"}),
        (ANA, "B", {"data": "ana likes Pizza!"}),
        (HOSTILE, '"], \ud800', ODD),
        (("memories",), "a", {}),
    ):
        await store.aput(namespace, key, value)
        item = await store.aget(namespace, key)
        assert item is not None
        assert (item.namespace, item.key, item.value) == (namespace, key, value)
    assert await store.aget(("memories", "ben"), "a") is None

    await store.aput(ANA, "a", {"data": "Ana likes sushi"})
    await store.aput(ANA, "a", {"data": "Ana likes pizza"})
    again = await store.aget(ANA, "a")
    assert again is not None
    assert again.value == {"data": "Ana likes pizza"}
    assert [item.key for item in await store.asearch(ANA)] == ["a", "B", "b"]


@pytest.mark.parametrize("face", ["near", "far"])
@pytest.mark.parametrize("kind", ["memory", "postgres"])
async def test_a_deleted_item_is_erased(engine: AsyncToldOnce) -> None:
    store = store_of(engine)
    await store.aput(ANA, "a", {"data": "Ana likes sushi"})
    await store.aput(ANA, "a", {"data": "Ana likes pizza"})
    await store.aput(ANA, "b", {"data": "Ana is a pilot"})
    await store.adelete(ANA, "a")
    await store.adelete(ANA, "never there")

    left = await engine.list(user=store.subject(ANA), closed=True)
    assert [note.kind for note in left] == [MemoryKind.NOTE]
    assert "pilot" in left[0].text
    assert [hit.memory for hit in await engine.vectors.nearest(query="sushi pizza", user=store.subject(ANA))] == left
    await store.adelete(ANA, "b")
    assert await store.alist_namespaces() == []


@pytest.mark.parametrize("face", ["near", "far"])
async def test_a_query_ranks_and_a_filter_chooses(engine: AsyncToldOnce) -> None:
    store = store_of(engine)
    for key, value, index in (
        ("tea", {"data": "Ana likes green tea", "n": 1, "day": "2026-01-05", "who": {"age": 3}}, None),
        ("cat", {"data": "Ana has a cat", "n": 2, "tags": ["x", "y"]}, None),
        ("hidden", {"data": "green tea", "n": "7"}, False),
    ):
        await store.aput(ANA, key, value, index=index)  # type: ignore[arg-type]
    await store.aput(("memories", "ben"), "tea", {"data": "Ben likes green tea, too", "n": 4})

    found = await store.asearch(("memories",), query="green tea")
    assert {(item.namespace[1], item.key) for item in found[:2]} == {("ana", "tea"), ("ben", "tea")}
    assert [item.score is None for item in found] == [False, False, False, True]
    assert found[-1].key == "hidden"
    assert [item.key for item in await store.asearch(("memories",), query="green tea", limit=1, offset=1)] == ["tea"]
    filters: dict[str, dict[str, object]] = {
        "tea": {"n": 1, "data": {"$ne": "x"}, "who": {"age": {"$lt": 4}}},
        "cat": {"tags": ["x", "y"], "n": {"$eq": 2}},
        "hidden": {"n": {"$gt": 2}},
        "tea ": {"day": {"$gte": "2026-01-01", "$lte": "2026-02-01"}},
    }
    for key, wanted in filters.items():
        assert [item.key for item in await store.asearch(ANA, filter=wanted)] == [key.strip()]
        assert [item.key for item in await store.asearch(ANA, filter=wanted, query="tea")] == [key.strip()]
    assert [item.key for item in await store.asearch(ANA, limit=2, offset=1)] == ["cat", "tea"]
    with pytest.raises(ValueError, match=r"operator \$in"):
        await store.asearch(ANA, filter={"n": {"$in": [1]}})


async def test_namespaces_are_listed_by_their_labels(engine: AsyncToldOnce) -> None:
    store = store_of(engine)
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "b-", "c"), ("a",), ("z z", "c")):
        await store.aput(namespace, "k", {})
    await engine.add("of another store", user=Subject("shared", "langgraph-2/a"))

    assert len(await store.alist_namespaces()) == 5
    assert await store.alist_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert await store.alist_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "b-", "c")]
    assert await store.alist_namespaces(suffix=("c",), limit=1, offset=2) == [("z z", "c")]
    assert await store.alist_namespaces(max_depth=1) == [("a",), ("z z",)]
    assert len(await store.asearch(("a", "b"))) == 2
    assert len(await store.asearch(())) == 5


async def test_what_cannot_be_kept_is_refused(engine: AsyncToldOnce) -> None:
    from langgraph.store.base import InvalidNamespaceError, PutOp

    store = store_of(engine)
    for value, message in (({"x": object()}, "JSON"), ({"x": float("nan")}, "JSON"), ({"x": "y" * 10_000}, "10,0")):
        with pytest.raises(ValueError, match=message):
            await store.aput(ANA, "k", value)
    with pytest.raises(NotImplementedError, match="index is"):
        await store.aput(ANA, "k", {}, index=["x"])
    with pytest.raises(NotImplementedError, match="ttl is"):
        await store.abatch([PutOp(ANA, "k", {}, None, 5)])
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([PutOp(("a", ""), "k", {})])
    with pytest.raises(TypeError, match="AsyncToldOnce"):
        store.get(ANA, "k")
    assert await store.asearch(()) == []


async def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    from toldonce.integrations.langgraph import ToldOnceStore

    check_examples("LangGraph", tmp_path)
    with ToldOnce(tmp_path / "memory.db") as memory:
        item = await ToldOnceStore(memory).aget(ANA, "pet")  # as a graph with asyncio does
    assert item is not None
    assert item.value == {"data": "Ana has a tabby cat."}
