"""Wrong, strange or hostile requests: a clear 4xx or a pass-through, never a 500, and the server goes on."""

import json
from collections.abc import Iterator

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, chat, eventually, request, user
from integration.server_process import ServerProcess, StartServer

PATH = "/v1/chat/completions"


def of(messages: object, **more: object) -> bytes:
    return json.dumps({"model": "echo", "messages": messages} | more).encode()


WRONG: dict[str, bytes] = {
    "no body": b"",
    "not JSON": b"messages=hello",
    "half a JSON": b'{"model": "echo", "messages": [{"role": "us',
    "not UTF-8": b'{"model": "echo", "messages": [{"role": "user", "content": "\xff\xfe"}]}',
    "a list": b"[]",
    "a number": b"1e400",
    "no messages": b'{"model": "echo"}',
    "empty messages": of([]),
    "messages of a wrong type": of("hello"),
    "a message of a wrong type": of(["hello"]),
    "a role of a wrong type": of([{"role": 7, "content": "x"}]),
    "no role": of([{"content": "x"}]),
    "a thousand deep": of([user("x")], metadata="D").replace(b'"D"', b"[" * 1_000 + b"]" * 1_000),
    "a hundred thousand deep": b"[" * 100_000,
    "a number of 5,000 digits": of([user("x")], seed="D").replace(b'"D"', b"7" * 5_000),
}
STRANGE: dict[str, bytes] = {
    "NUL": of([user("a\0b")]),
    "a raw NUL": of([user("aXb")]).replace(b"X", b"\0"),
    "a lone surrogate": of([user("D")]).replace(b"D", b"\\ud83d"),
    "a surrogate in the role and name": of([{"role": "D", "content": "x", "name": "D"}]).replace(b"D", b"\\udc00"),
    "an unknown role": of([{"role": "oracle", "content": "x"}, user("y")]),
    "parts": of(
        [user("x") | {"content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "y"}}]}]
    ),
    "empty parts": of([user("x") | {"content": []}]),
    "strange parts": of([user("x") | {"content": [7, None, {"type": 3}, {"text": {}}]}]),
    "no content": of([{"role": "user"}]),
    "null content": of([{"role": "user", "content": None}]),
    "content of a wrong type": of([{"role": "user", "content": {"a": 1}}]),
    "only a system message": of([{"role": "system", "content": "Be brief."}]),
    "a model of a wrong type": of([user("x")], model=["echo"]),
    "a user of a wrong type": of([user("x")], user={"id": 1}),
    "a stream of a wrong type": of([user("x")], stream="yes"),
    "a hundred thousand keys": of([user("x")], **{f"key{n}": n for n in range(100_000)}),
    "ten thousand messages": of([user(f"message {n}") for n in range(10_000)]),
    "wrong tool calls": of([{"role": "assistant", "tool_calls": [7, {"id": 1}, {"function": "f"}]}, user("x")]),
    "NaN": of([user("x")], temperature=float("nan")),
    "a byte order mark": b"\xef\xbb\xbf" + of([user("x")]),
}


def clear(answer: RawAnswer) -> bool:
    """Tell whether an error says what is wrong, in OpenAI's shape."""
    error = answer.json["error"]
    return bool(error["message"]) and error["type"] == "invalid_request_error" and {"param", "code"} <= set(error)


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    running = ServerProcess(tmp_path_factory.mktemp("offline"))
    try:
        running.start()
        yield running
        running.stop()
        assert "Traceback" not in running.output()
    finally:
        running.kill()


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_request_is_upstreams_to_refuse(
    server: ServerProcess, upstream: FakeUpstream, name: str, what: str
) -> None:
    before = len(upstream.seen)
    answer = request(server.port, PATH, WRONG[what], {"x-toldonce-user": name})
    passed = upstream.seen[before:]
    assert answer.status < 500
    if passed:
        assert [request.body for request in passed] == [WRONG[what]]
    else:
        assert answer.status >= 400
        assert clear(answer)


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_request_is_refused_clearly_by_the_built_in_model(offline: ServerProcess, what: str) -> None:
    answer = request(offline.port, PATH, WRONG[what])
    assert 400 <= answer.status < 500
    assert clear(answer)


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_request_passes_or_is_refused_clearly(
    server: ServerProcess, upstream: FakeUpstream, name: str, what: str
) -> None:
    before = len(upstream.seen)
    answer = request(server.port, PATH, STRANGE[what], {"x-toldonce-user": name})
    passed = upstream.seen[before:]
    assert answer.status < 500
    assert [request.body for request in passed] == [STRANGE[what]] or (answer.status >= 400 and clear(answer))


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_request_is_answered_or_refused_clearly_by_the_built_in_model(
    offline: ServerProcess, name: str, what: str
) -> None:
    answer = request(offline.port, PATH, STRANGE[what], {"x-toldonce-user": name})
    assert answer.status == 200 or (answer.status < 500 and clear(answer))


def test_a_message_of_ten_megabytes_is_passed_on_and_kept_in_part(
    start_server: StartServer, upstream: FakeUpstream, name: str
) -> None:
    server = start_server(settings={"MAX_MESSAGE_CHARACTERS": "4000"})
    text = f"{name} " + "I like long letters. " * 500_000
    body = of([user(text)], model="shape:plain")
    answer = request(server.port, PATH, body, {"x-toldonce-user": name})
    assert answer.status == 200
    assert upstream.having(name)[0].body == body
    database = Database(server.database)
    [kept, *_] = [row.text for row in database.messages(name)]
    assert kept == f"{text[:4_000]}\n[… cut: the first 4,000 of {len(text):,} characters]"
    assert eventually(lambda: database.settled(name))
    assert chat(server.port, "echo", [user("Are you well?")]).status == 200


def test_a_body_beyond_the_limit_is_refused_with_the_setting_that_raises_it(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"MAX_BODY_BYTES": "1024"})
    answer = chat(server.port, "toldonce/offline", [user("x" * 2_000)])
    assert answer.status == 413
    assert clear(answer)
    assert "TOLDONCE_MAX_BODY_BYTES" in answer.json["error"]["message"]
    assert chat(server.port, "toldonce/offline", [user("Hello")]).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-toldonce-user": "a", "x-openwebui-user-id": "b"}, 403),
        ({"x-toldonce-memory": "perhaps"}, 400),
        ({"x-toldonce-user": "a" * 5_000}, 403),
        ({"x-openwebui-user-jwt": "a.b.c"}, 403),
        ({"x-toldonce-profile": "nobody"}, 400),
        ({"x-openwebui-chat-id": "c" * 1_000}, 400),
    ],
)
def test_wrong_headers_are_refused(
    server: ServerProcess, upstream: FakeUpstream, headers: dict[str, str], status: int
) -> None:
    before = len(upstream.seen)
    answer = chat(server.port, "echo", [user("Hello")], headers)
    assert (answer.status, len(upstream.seen) - before) == (status, 0)
    assert clear(answer)


def test_a_broken_request_line_disturbs_no_other_request(server: ServerProcess) -> None:
    assert request(server.port, "/v1/../../etc/passwd", method="GET").status in (400, 404)
    assert request(server.port, "/nowhere", method="GET").status == 404
    assert request(server.port, "/healthz", method="GET").json["status"] == "ok"


def test_an_empty_name_counts_as_none(server: ServerProcess) -> None:
    answer = chat(server.port, "echo", [user("Hello")], {"x-toldonce-user": "", "x-toldonce-memory": ""})
    assert (answer.status, answer.header("x-toldonce-memory")) == (200, "on; recalled=0; replayed=0; prefix=new")


@pytest.mark.parametrize("value", ["a\x01b", "a\x7fb"])
def test_a_header_with_a_control_character_is_refused_in_openais_shape(
    server: ServerProcess, upstream: FakeUpstream, value: str
) -> None:
    before = len(upstream.seen)
    answer = chat(server.port, "echo", [user("Hello")], {"x-strange": value})
    error = answer.json["error"]
    assert (answer.status, error["type"], len(upstream.seen) - before) == (400, "invalid_request_error", 0)
    assert chat(server.port, "echo", [user("Hello")]).status == 200
