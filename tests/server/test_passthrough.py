"""Which requests are relayed without memory, and with which path."""

import json
from collections import Counter

import pytest

from server.asgi import Call, ScriptedBackend
from toldonce.server.passthrough import PassThrough


async def passed(path: str, counts: Counter[str] | None = None) -> Call:
    call = Call(b"", path=path)
    route = PassThrough(ScriptedBackend([]), max_body_bytes=1024, idle_s=60.0, without_memory=counts)
    await route(call.scope(), call.receive(), call.send())
    return call


@pytest.mark.parametrize(
    ("path", "behind"),
    [
        ("/v1/models", "/v1/models"),
        ("/u/ana/v1/models", "/v1/models"),
        ("/u/v1/v1/models", "/v1/models"),
        ("/u/v1:9@other.example/v1/models", "/v1/models"),
        ("/v1/files/a%2Fv1%2Fb", "/v1/files/a%2Fv1%2Fb"),
        ("/v1/models/org%2Fname:7b", "/v1/models/org%2Fname:7b"),
        ("/v1/models/", "/v1/models/"),
        ("/api/tags", "/api/tags"),
        ("/u/api/api/tags", "/api/tags"),
    ],
)
async def test_the_path_behind_a_users_name_is_relayed(path: str, behind: str) -> None:
    assert (await passed(path)).text == f"POST {behind}"


@pytest.mark.parametrize(
    "path",
    [
        "/%76%31/v1@other.example/x",
        "/v1",
        "/v1/../admin",
        "/v1/./admin",
        "/v1/%2e%2e/admin",
        "/v1/%252e%252e/admin",
        "/v1/%25252e%25252e/admin",
        "/v1/%2525252e%2525252e/admin",
        "/v1/a/.%2E/b",
        "/v1/a%2f..%2fb",
        "/v1/..%5cadmin",
        "/v1/..;/admin",
        "/v1/..;x=1/admin",
        "/v1/..%3b/admin",
        "/v1/;/admin",
        "/v1//other.example/v1",
        "/v1/%2Fother.example/v1",
        "/v1/a//b",
        "/v1/models%00.json",
        "/v1/models%0d%0ahost:%20x",
        "/v1/models%23x",
        "/v1/models%3Fx",
        "/v1/%c0%ae%c0%ae/admin",
        "/v1/%ef%bc%8e%ef%bc%8e/admin",
        "/v1/%e2%80%a5/admin",
    ],
)
async def test_a_path_that_could_reach_beyond_the_base_url_is_refused(path: str) -> None:
    call = await passed(path)
    assert call.status == 400
    assert json.loads(call.text)["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("path", "noted"),
    [
        ("/v1/chat%2Fcompletions", "skipped"),
        ("/v1/Chat/Completions", "skipped"),
        ("/v1/models", None),
        ("/v1/Responses", "skipped"),
        ("/v1/Messages?beta=true", "skipped"),
        ("/v1/completions", "not on this route"),
        ("/v1/messages/count_tokens", None),
    ],
)
async def test_a_chat_without_memory_says_so(path: str, noted: str | None) -> None:
    counts = Counter[str]()
    assert (await passed(path, counts)).answer_headers.get("x-toldonce-memory") == noted
    assert counts.total() == (noted == "not on this route")
