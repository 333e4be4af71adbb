"""The proxy relays bytes unchanged: all with memory off, all but the two splices with memory on."""

import json
import re

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, chat, eventually, request, user
from integration.server_process import ServerProcess
from integration.upstream_shapes import STREAMED, WHOLE, End, Kept, Shape

PATH = "/v1/chat/completions"
OFF = {"x-toldonce-memory": "off"}
# Written the way no serialiser would: blanks, repeated keys, escapes, a number with more digits than a float has.
ODD_BODY = (
    '{ "stream" : %s,\n\t"model":"shape:%s", "x-\\u00e9": 1.10000000000000000001, "seed":1, "seed":2,'
    ' "messages":[ {"role":"user" ,"content":"\\u0041na says: %s \\ud83e\\udd5c \\/ é"} ] , "tools": [ ] }\r\n'
)
SPLICE = re.compile(rb'"memories":\[(?:\{[^{}]*\},?)*\],')
SHAPES = [(name, stream) for stream, shapes in ((True, STREAMED), (False, WHOLE)) for name in shapes]


def shape_of(name: str, stream: bool) -> Shape:
    return (STREAMED if stream else WHOLE)[name]


def one_of_each(shapes: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return one shape for each way that an answer begins and ends, whatever it has in between."""
    found: dict[tuple[object, ...], tuple[str, bool]] = {}
    for name, stream in shapes:
        shape = shape_of(name, stream)
        found.setdefault((stream, shape.end, shape.status, shape.kind, bool(shape.more_headers)), (name, stream))
    return [*found.values()]


@pytest.fixture
def server(server: ServerProcess, request: pytest.FixtureRequest) -> ServerProcess:
    """The module's server, or one that soon gives up an upstream of which nothing more comes."""
    if "shape_name" not in request.fixturenames:
        return server
    given = request.node.callspec.params
    if shape_of(given["shape_name"], given["stream"]).end not in (End.SILENT, End.BAD_FRAME):
        return server
    impatient: ServerProcess = request.getfixturevalue("impatient")
    return impatient


def odd_body(name: str, stream: bool, text: str) -> bytes:
    return (ODD_BODY % (json.dumps(stream), name, text)).encode()


def ask_off(server: ServerProcess, body: bytes) -> RawAnswer:
    return request(server.port, PATH, body, OFF)


@pytest.mark.parametrize(("shape_name", "stream"), one_of_each(SHAPES))  # nothing looks into an answer
def test_with_memory_off_an_answer_passes_byte_for_byte(
    server: ServerProcess, upstream: FakeUpstream, name: str, shape_name: str, stream: bool
) -> None:
    shape = shape_of(shape_name, stream)
    body = odd_body(shape_name, stream, f"{name}-off.")
    answer = ask_off(server, body)

    (seen,) = upstream.having(f"{name}-off.")
    assert seen.body == body
    if not shape.status:
        assert answer.status == 504
        assert answer.json["error"]["type"] == "server_error"
        return
    assert answer.status == shape.status
    assert answer.body == shape.body
    assert answer.whole == (shape.end is End.WELL)
    assert answer.header("content-type") == shape.kind.decode()
    for key, value in shape.more_headers:
        assert answer.header(key.decode()) == value.decode()


@pytest.mark.parametrize(("shape_name", "stream"), SHAPES)
def test_with_memory_on_every_shape_differs_only_by_the_splice(
    server: ServerProcess, upstream: FakeUpstream, database: Database, name: str, shape_name: str, stream: bool
) -> None:
    shape = shape_of(shape_name, stream)
    text = f"{name}-on."
    answer = request(server.port, PATH, odd_body(shape_name, stream, text), {"x-toldonce-user": name})

    assert len(upstream.having(text)) == 1, "an answer that began is never asked for again"
    if not shape.status:
        assert answer.status == 504
    elif shape.end is not End.WELL and not stream:
        assert (answer.status, answer.whole) == (502, True)
        assert answer.json["error"]["type"] == "server_error"
    else:
        assert answer.status == shape.status
        assert SPLICE.sub(b"", answer.body, count=1) == shape.body
        assert answer.whole == (shape.end is End.WELL)
    # A broken answer is recorded behind its end; a kept one before it.
    if shape.kept is Kept.INCOMPLETE:
        assert eventually(lambda: bool(database.messages(name)))
    logged = database.messages(name)
    if shape.kept is Kept.NOTHING:
        assert logged == []
    else:
        assert [row.role for row in logged] == ["user", "assistant"]
        assert logged[1].complete == (shape.kept is Kept.WHOLE)
        assert text in logged[0].text


@pytest.mark.parametrize("stream", [True, False])
def test_with_memory_on_the_request_differs_by_what_was_put_in(
    server: ServerProcess, upstream: FakeUpstream, database: Database, name: str, stream: bool
) -> None:
    who = {"x-toldonce-user": name}
    chat(server.port, "echo", [user("I am allergic to hazelnuts. I live in Bergen.")], who)
    assert eventually(lambda: database.settled(name))
    body = odd_body("plain", stream, f"{name}: what about hazelnuts?")
    answer = request(server.port, PATH, body, who)

    (seen,) = upstream.having(f"{name}: what about")
    assert b"hazelnuts" in seen.body.partition(b"</toldonce-memory")[0]
    assert is_spliced(seen.body, body)
    spliced = SPLICE.search(answer.body)
    assert spliced is not None
    assert "hazelnuts" in spliced[0].decode()
    assert SPLICE.sub(b"", answer.body, count=1) == shape_of("plain", stream).body
    hidden = request(server.port, PATH, body, who | {"x-toldonce-show": "off"})
    assert hidden.body == shape_of("plain", stream).body


def is_spliced(whole: bytes, original: bytes) -> bool:
    """Tell whether `original` is left when at most three insertions are taken out of `whole`."""
    rest, pieces = original, 0
    at = 0
    while rest:
        if pieces > 3:
            return False
        length = len(rest)
        while length and (found := whole.find(rest[:length], at)) < 0:
            length -= 1
        if not length or (at == 0 and found != 0):
            return False
        at, rest, pieces = found + length, rest[length:], pieces + 1
    return at == len(whole)


def test_other_routes_pass_as_they_are(server: ServerProcess, upstream: FakeUpstream, name: str) -> None:
    body = b'{"input": "%b \\u00e9 ", "model":1.0}' % name.encode()
    answer = request(server.port, "/v1/embeddings?x=%2F1", body, {"Authorization": "Bearer mine"})
    (seen,) = upstream.having(name)
    assert (seen.method, seen.path, seen.body) == ("POST", "/v1/embeddings?x=%2F1", body)
    assert seen.header("authorization") == "Bearer mine"
    assert answer.json["length"] == len(body)
    assert request(server.port, "/v1/models", method="GET").json["data"][0]["id"] == "echo"


def test_names_and_sessions_do_not_reach_upstream(server: ServerProcess, upstream: FakeUpstream, name: str) -> None:
    private = {"x-toldonce-user": name, "x-toldonce-session": "s", "Cookie": "a=b", "X-Mine": "kept"}
    chat(server.port, "echo", [user(f"Hello from {name}.")], private | {"Authorization": "Bearer key-of-client"})
    (seen,) = upstream.having(f"from {name}.")
    names = {key.lower() for key, _ in seen.headers}
    assert not any(key.startswith(("x-toldonce-", "x-openwebui-")) for key in names)
    assert "cookie" not in names
    assert seen.header("x-mine") == "kept"
    assert seen.header("authorization") == "Bearer key-of-client"


def test_a_refused_altered_request_goes_out_again_unaltered(
    server: ServerProcess, upstream: FakeUpstream, database: Database, name: str
) -> None:
    who, model = {"x-toldonce-user": name}, f"refuse-altered:{name}"
    chat(server.port, "echo", [user("I am allergic to pistachios.")], who)
    assert eventually(lambda: database.settled(name))

    question = f"Is there something I am allergic to, {name}?"
    body = json.dumps({"model": model, "messages": [user(question)]}).encode()
    answer = request(server.port, PATH, body, who)
    assert answer.status == 200
    first = upstream.having(question)
    assert [request.body == body for request in first] == [False, True]
    assert SPLICE.sub(b"", answer.body, count=1) != b""
    assert question in [row.text for row in database.messages(name)]

    again = request(server.port, PATH, body, who)
    assert again.status == 200
    assert server.health()["proxy"]["refused_then_sent_plain"] >= 1


def test_a_refusal_that_is_not_ours_is_asked_for_once_more_at_most(
    server: ServerProcess, upstream: FakeUpstream, name: str
) -> None:
    answer = chat(server.port, "strict", [user(f"One {name}"), user("Two")], {"x-toldonce-user": name})
    assert answer.status == 400
    assert answer.json["error"]["message"] == "upstream says 400"
    assert len(upstream.having(name)) <= 2
