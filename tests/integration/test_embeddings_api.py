"""An embeddings API that is probed, refuses, limits rates and breaks: a real server on loopback."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from integration.test_openai_providers import Handler, Reply, refuses, serving, vectors_of_length
from patience import PATIENCE_S
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadEmbedderError, ModelError
from toldonce.providers.embedder_loader import try_out
from toldonce.providers.json_client import ApiRefusedError
from toldonce.providers.openai_models import EmbedOptions, OpenAIEmbedder, discover_dim
from toldonce.providers.rerankers import ApiReranker
from toldonce.settings import Settings
from toldonce.testing import WordEmbedder
from toldonce.types import EmbedderKind, EmbedderSpec

WORDS = WordEmbedder(96)


async def by_words(body: dict[str, Any]) -> Reply:
    """Embed as a server with a model does that knows words."""
    rows = await WORDS.embed(body["input"])
    data = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
    return web.json_response({"data": data})


def api(url: str, **more: Any) -> EmbedderSpec:
    return EmbedderSpec(kind=EmbedderKind.API, where=url, model="m", **more)


async def test_the_dimension_is_found_out_by_asking() -> None:
    async with serving(vectors_of_length(7)) as server:
        assert await discover_dim(server.url, "m", key="sk-1", options=EmbedOptions()) == 7
    assert server.requests[0].headers["Authorization"] == "Bearer sk-1"


async def test_texts_go_in_batches_of_the_set_size_each_with_its_prefix() -> None:
    async with serving(vectors_of_length(3)) as server:
        options = EmbedOptions(batch=2, query_prefix="query: ", passage_prefix="passage: ")
        embedder = OpenAIEmbedder(server.url, "m", 3, options=options)
        await embedder.embed(["a", "b", " ", "c"])
        await embedder.embed_queries(["d"])
        await embedder.close()
    assert [body["input"] for body in server.bodies] == [
        ["passage: a", "passage: b"],
        ["passage: c"],
        ["query: d"],
    ]
    assert embedder.space != OpenAIEmbedder(server.url, "m", 3).space


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_batch_or_text_too_long_for_the_server_is_halved_until_it_fits(status: int) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        if sum(map(len, body["input"])) > 2_500:
            return refuses(status, code="context_length_exceeded")
        reply = vectors_of_length(2)(body)
        assert isinstance(reply, web.StreamResponse)
        return reply

    async with serving(reply) as server:
        embedder = OpenAIEmbedder(server.url, "m", 2)
        rows = await embedder.embed(["x" * 1000, "y" * 1000, "z" * 7000, "tea"])
        await embedder.close()
    assert (rows[:, 0] / rows[:, 1]).round().tolist() == [1000, 1000, 1750, 3]


async def test_a_server_that_refuses_a_short_text_is_not_asked_again_and_again() -> None:
    async with serving(lambda _: refuses(400, code="model_not_found")) as server:
        embedder = OpenAIEmbedder(server.url, "m", 2)
        with pytest.raises(ApiRefusedError, match="model_not_found"):
            await embedder.embed(["tea", "milk", "rum", "gin"])
        await embedder.close()
    assert len(server.bodies) == 3, "four, two, one"


async def test_work_that_may_wait_asks_a_busy_server_more_often() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        if len(server.bodies) < 5:
            return web.Response(status=429, headers={"Retry-After": "0"})
        answer = vectors_of_length(2)(body)
        assert isinstance(answer, web.StreamResponse)
        return answer

    async with serving(reply) as server:
        embedder = OpenAIEmbedder(server.url, "m", 2, options=EmbedOptions(tries=6, timeout_s=PATIENCE_S))
        assert (await embedder.embed(["tea"])).shape == (1, 2)
        await embedder.close()
    assert len(server.bodies) == 5


def broken(vector: list[Any]) -> Handler:
    def reply(body: dict[str, Any]) -> Reply:
        data = [{"index": place, "embedding": vector} for place in range(len(body["input"]))]
        return web.Response(text=str(data and {"data": data}).replace("'", '"'), content_type="application/json")

    return reply


@pytest.mark.parametrize("vector", [[0.0, 0.0], ["NaN", 1.0], [float("inf"), 1.0], [None, 1.0], []])
async def test_invalid_vectors_are_refused_when_the_embedder_is_tried(vector: list[Any]) -> None:
    async with serving(broken(vector)) as server:
        with pytest.raises(BadEmbedderError):
            await try_out(api(server.url))


async def test_a_server_that_gives_every_text_the_same_vector_is_no_embedder() -> None:
    async with serving(broken([0.6, 0.8])) as server:
        with pytest.raises(BadEmbedderError, match="no model that embeds sentences"):
            await try_out(api(server.url))


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_a_database_is_changed_over_to_an_api_and_the_key_stays_in_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_EMBED_KEY", "sk-very-secret")
    file = tmp_path / "kept.sqlite3"
    settings = Settings(database_url=f"sqlite:///{file}")
    async with serving(by_words) as server:
        async with await AsyncToldOnce.open(settings) as engine:
            await engine.add("Ana is allergic to peanuts.", user="ana")
            await engine.add("Ben lives in Oslo.", user="ana")
            trial = await engine.embedder.try_out(api(server.url, key_env="MY_EMBED_KEY", batch=8))
            report = await engine.embedder.use(trial)
            assert (report.memories, trial.record.dim) == (2, 96)
        async with await AsyncToldOnce.open(settings) as engine:
            found = await engine.search("Who lives in Oslo?", user="ana")
            assert found.items[0].memory.text == "Ben lives in Oslo."
            assert found.items[0].similarity > found.items[-1].similarity
        assert {request.headers["Authorization"] for request in server.requests} == {"Bearer sk-very-secret"}
        assert max(len(body["input"]) for body in server.bodies) == 8
    assert b"sk-very-secret" not in all_bytes(tmp_path)
    async with await AsyncToldOnce.open(settings) as engine:  # the server is gone
        assert len(await engine.list(user="ana")) == 2
        with pytest.raises(ModelError, match="cannot be reached"):
            await engine.embedder.check("tea")
    assert np.isfinite(trial.record.curve.midpoint)


async def test_an_api_reranks_in_one_request_with_its_key_and_is_asked_no_second_time() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        if len(server.bodies) > 1:
            return web.Response(status=503)
        found = [
            {"index": place, "relevance_score": 1 / (1 + len(text))} for place, text in enumerate(body["documents"])
        ]
        return web.json_response({"results": found[::-1]})

    async with serving(reply) as server:
        reranker = ApiReranker(server.url, "m", key="sk-1", timeout_s=PATIENCE_S)
        assert await reranker.score("tea?", ["abc", ""]) == [0.25, 1.0]
        with pytest.raises(ModelError, match="503"):
            await reranker.score("tea?", ["abc"])
        await reranker.close()
    assert server.bodies[0] == {
        "model": "m",
        "query": "tea?",
        "documents": ["abc", ""],
        "top_n": 2,
        "return_documents": False,
    }
    assert server.requests[0].path == "/v1/rerank"
    assert server.requests[0].headers["Authorization"] == "Bearer sk-1"
    assert len(server.bodies) == 2
