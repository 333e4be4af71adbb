import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from patience import PATIENCE_S
from toldonce.errors import ModelError, VectorSizeError
from toldonce.providers.json_client import JsonClient
from toldonce.providers.openai_models import OpenAIChatModel, OpenAIEmbedder

KEY = "sk-very-secret"
SCHEMA = {"type": "object", "required": ["memories"], "properties": {"memories": {"type": "array"}}}

Reply = web.StreamResponse
Handler = Callable[[dict[str, Any]], Awaitable[Reply] | Reply]


class Api:
    """A real server on loopback that answers by a function and keeps what it was sent."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.bodies: list[dict[str, Any]] = []
        self.requests: list[web.Request] = []
        self.url = ""

    async def handle(self, request: web.Request) -> Reply:
        body = await request.json()
        self.bodies.append(body)
        self.requests.append(request)
        reply = self._handler(body)
        return reply if isinstance(reply, web.StreamResponse) else await reply


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Api]:
    api = Api(handler)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/{path:.*}", api.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    api.url = f"http://{host}:{port}/v1"
    try:
        yield api
    finally:
        await runner.cleanup()


def vectors_of_length(dim: int) -> Handler:
    """Embed a text as its length in the first place and a 1 in the second, last text first."""

    def reply(body: dict[str, Any]) -> Reply:
        data = [
            {"index": index, "embedding": [len(text), 1] + [0] * (dim - 2)} for index, text in enumerate(body["input"])
        ]
        return web.json_response({"object": "list", "data": data[::-1]})

    return reply


def says(content: str | None, **more: object) -> Reply:
    return web.json_response(
        {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4},
            **more,
        }
    )


def refuses(status: int, **error: object) -> Reply:
    return web.json_response({"error": {"message": f"bad key {KEY}: 'Ana likes tea'", **error}}, status=status)


async def ask(model: OpenAIChatModel, user: str = "Ana: I like tea") -> Any:
    return await model.answer(system="Extract.", user=user, schema=SCHEMA, schema_name="memories")


async def test_texts_are_embedded_in_order_with_unit_length_and_the_key_as_bearer() -> None:
    async with serving(vectors_of_length(3)) as api:
        embedder = OpenAIEmbedder(f"{api.url}/", "small", 3, key=KEY)
        rows = await embedder.embed(["abc", "a" * 100])
        await embedder.close()

    assert embedder.space == "small-3"
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    assert rows[0] == pytest.approx(np.array([3, 1, 0]) / np.sqrt(10), abs=1e-6)
    assert rows[1, 0] == pytest.approx(1, abs=1e-3)
    assert api.bodies == [{"model": "small", "input": ["abc", "a" * 100], "encoding_format": "float"}]
    assert api.requests[0].path == "/v1/embeddings"
    assert api.requests[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_blank_texts_are_zeros_and_never_sent() -> None:
    async with serving(vectors_of_length(2)) as api:
        embedder = OpenAIEmbedder(api.url, "small", 2)
        rows = await embedder.embed(["", "tea", " \n"])
        none = await embedder.embed([])
        await embedder.close()
    assert [bool(row.any()) for row in rows] == [False, True, False]
    assert none.shape == (0, 2)
    assert [body["input"] for body in api.bodies] == [["tea"]]
    assert "Authorization" not in api.requests[0].headers


async def test_many_texts_go_in_batches_and_come_back_in_order() -> None:
    async with serving(vectors_of_length(2)) as api:
        embedder = OpenAIEmbedder(api.url, "small", 2)
        rows = await embedder.embed(["x" * (place + 1) for place in range(300)])
        await embedder.embed(["y" * 50_000] * 60)
        await embedder.close()
    assert [len(body["input"]) for body in api.bodies] == [128, 128, 44, 25, 25, 10]
    assert (rows[:, 0] / rows[:, 1]).round().tolist() == list(range(1, 301))
    assert {len(text) for body in api.bodies[3:] for text in body["input"]} == {8000}


async def test_vectors_of_another_length_are_a_setup_error() -> None:
    async with serving(vectors_of_length(4)) as api:
        embedder = OpenAIEmbedder(api.url, "small", 3)
        with pytest.raises(VectorSizeError, match="vector has 4 numbers, the space's vectors have 3"):
            await embedder.embed(["tea"])
        await embedder.close()


async def test_too_few_vectors_are_a_model_error() -> None:
    async with serving(lambda _: web.json_response({"data": []})) as api:
        embedder = OpenAIEmbedder(api.url, "small", 3)
        with pytest.raises(ModelError, match="'small': 0 embeddings for 1 texts"):
            await embedder.embed(["tea"])
        await embedder.close()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_asked_once_more(status: int) -> None:
    async with serving(
        lambda _: says("{}") if len(api.bodies) > 1 else web.Response(status=status, headers={"Retry-After": "0"})
    ) as api:
        client = JsonClient(api.url, key=None, timeout_s=PATIENCE_S, max_bytes=1000)
        answer = await client.post("/x", {"a": 1})
        await client.close()
    assert answer.requests == 2
    assert api.bodies == [{"a": 1}, {"a": 1}]


async def test_a_server_that_stays_busy_is_given_up_after_the_second_request() -> None:
    async with serving(lambda _: web.Response(status=429, headers={"Retry-After": "0"})) as api:
        client = JsonClient(api.url, key=None, timeout_s=PATIENCE_S, max_bytes=1000)
        with pytest.raises(ModelError, match="answered 429: its limit is reached"):
            await client.post("/x", {})
        await client.close()
    assert len(api.bodies) == 2


async def test_a_connection_that_breaks_off_is_tried_once_more() -> None:
    def reply(_: dict[str, Any]) -> Reply:
        if len(api.bodies) == 1:
            transport = api.requests[0].transport
            assert transport is not None
            transport.close()
        return says("{}")

    async with serving(reply) as api:
        client = JsonClient(api.url, key=None, timeout_s=PATIENCE_S, max_bytes=1000)
        assert (await client.post("/x", {})).requests == 2
        await client.close()


async def test_a_server_that_is_not_there_is_a_model_error_that_names_it() -> None:
    async with serving(lambda _: says("{}")) as api:
        url = api.url
    client = JsonClient(url, key=KEY, timeout_s=PATIENCE_S, max_bytes=1000)
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:\d+ cannot be reached"):
        await client.post("/x", {})
    await client.close()


async def test_no_answer_in_time_is_a_model_error() -> None:
    never = asyncio.Event()

    async def wait(_: dict[str, Any]) -> Reply:
        await never.wait()
        return says("{}")

    async with serving(wait) as api:
        client = JsonClient(api.url, key=None, timeout_s=0.05, max_bytes=1000)
        with pytest.raises(ModelError, match=r"no answer within 0\.05 s"):
            await client.post("/x", {})
        await client.close()
        never.set()


@pytest.mark.parametrize("zipped", [False, True])
async def test_an_answer_that_is_too_large_is_not_read_to_its_end(zipped: bool) -> None:
    whole = b'"' + b"x" * 1_000_000 + b'"'
    reply = {"body": gzip.compress(whole), "headers": {"Content-Encoding": "gzip"}} if zipped else {"body": whole}
    async with serving(lambda _: web.Response(**reply)) as api:
        client = JsonClient(api.url, key=None, timeout_s=PATIENCE_S, max_bytes=100_000)
        with pytest.raises(ModelError, match="more than 100000 bytes"):
            await client.post("/x", {})
        await client.close()


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000])
async def test_an_answer_that_is_no_json_is_a_model_error(body: bytes) -> None:
    async with serving(lambda _: web.Response(body=body)) as api:
        client = JsonClient(api.url, key=None, timeout_s=PATIENCE_S, max_bytes=200_000)
        with pytest.raises(ModelError, match="are no JSON"):
            await client.post("/x", {})
        await client.close()


async def test_redirects_are_not_followed() -> None:
    async with serving(lambda _: says("{}")) as other:
        async with serving(lambda _: web.Response(status=307, headers={"Location": f"{other.url}/x"})) as api:
            client = JsonClient(api.url, key=KEY, timeout_s=PATIENCE_S, max_bytes=1000)
            with pytest.raises(ModelError, match="redirects are not followed"):
                await client.post("/x", {})
            await client.close()
        assert other.bodies == []


async def test_an_error_names_the_server_s_code_but_neither_key_nor_text() -> None:
    async with serving(lambda _: refuses(401, code="invalid_api_key")) as api:
        model = OpenAIChatModel(api.url, "m", key=KEY)
        with pytest.raises(ModelError, match=r"answered 401 \(invalid_api_key\): check the key") as caught:
            await ask(model)
        await model.close()
    assert KEY not in str(caught.value)
    assert "tea" not in str(caught.value)
    assert len(api.bodies) == 1


async def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with serving(lambda _: says('{"memories": []}')) as api:
        model = OpenAIChatModel(api.url, "m")
        assert (await ask(model)).data == {"memories": []}
        await model.close()


async def test_the_model_is_asked_by_schema_at_temperature_0() -> None:
    async with serving(lambda _: says('{"memories": ["tea"]}')) as api:
        model = OpenAIChatModel(api.url, "m", key=KEY)
        answer = await ask(model)
        await model.close()
    assert answer.data == {"memories": ["tea"]}
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.calls) == (9, 4, 1)
    (body,) = api.bodies
    assert (body["model"], body["temperature"], body["stream"]) == ("m", 0, False)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "memories", "strict": True, "schema": SCHEMA},
    }
    assert body["messages"] == [
        {"role": "system", "content": "Extract."},
        {"role": "user", "content": "Ana: I like tea"},
    ]


def takes(*ways: str | None) -> Handler:
    """Answer only requests whose form of response is among `ways`."""

    def reply(body: dict[str, Any]) -> Reply:
        way = body.get("response_format", {}).get("type")
        return says('```json\n{"memories": [1],}\n```') if way in ways else refuses(422, type="invalid_request_error")

    return reply


def ways(api: Api) -> list[str | None]:
    return [body.get("response_format", {}).get("type") for body in api.bodies]


async def test_a_server_without_schemas_is_asked_in_json_mode_and_that_is_remembered() -> None:
    async with serving(takes("json_object")) as api:
        model = OpenAIChatModel(api.url, "m")
        first, second = await ask(model), await ask(model)
        await model.close()
    assert (first.data, first.calls, second.calls) == ({"memories": [1]}, 2, 1)
    assert ways(api) == ["json_schema", "json_object", "json_object"]
    system = api.bodies[1]["messages"][0]["content"]
    assert system.startswith("Extract.")
    assert "JSON Schema" in system
    assert json.dumps(SCHEMA) in system


async def test_a_server_without_json_mode_is_asked_in_plain_words() -> None:
    async with serving(takes(None)) as api:
        model = OpenAIChatModel(api.url, "m")
        answers = [await ask(model), await ask(model)]
        await model.close()
    assert [answer.calls for answer in answers] == [3, 1]
    assert ways(api) == ["json_schema", "json_object", None, None]
    assert json.dumps(SCHEMA) in api.bodies[3]["messages"][0]["content"]


async def test_a_request_refused_in_every_way_is_an_error_and_nothing_is_remembered() -> None:
    async with serving(lambda _: refuses(400, code="context_length_exceeded")) as api:
        model = OpenAIChatModel(api.url, "m")
        for _ in range(2):
            with pytest.raises(ModelError, match="context_length_exceeded"):
                await ask(model)
        await model.close()
    assert ways(api) == ["json_schema", "json_object", None] * 2


async def test_a_model_without_temperature_is_asked_without_it_by_the_same_way() -> None:
    async with serving(
        lambda body: (
            refuses(400, param="temperature", code="unsupported_value")
            if "temperature" in body
            else says('{"memories": []}')
        )
    ) as api:
        model = OpenAIChatModel(api.url, "m")
        assert [(await ask(model)).calls for _ in range(2)] == [2, 1]
        await model.close()
    assert ways(api) == ["json_schema"] * 3


async def test_json_of_another_form_than_the_schema_s_is_an_error() -> None:
    async with serving(lambda _: says('{"answer": "none"}')) as api:
        model = OpenAIChatModel(api.url, "m")
        with pytest.raises(ModelError, match="another form"):
            await ask(model)
        await model.close()


async def test_nul_and_lone_surrogates_reach_no_server() -> None:
    async with serving(lambda _: says('{"memories": []}')) as api:
        model = OpenAIChatModel(api.url, "m")
        await ask(model, "a\x00b\ud800")
        await model.close()
    assert api.bodies[0]["messages"][1]["content"] == "a\ufffdb\ufffd"


async def test_closing_twice_or_unused_is_fine() -> None:
    for closed in (OpenAIChatModel("http://127.0.0.1:9/v1", "m"), OpenAIEmbedder("http://127.0.0.1:9/v1", "m", 2)):
        await closed.close()
        await closed.close()
