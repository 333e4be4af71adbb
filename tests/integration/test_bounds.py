"""Clients that are slow, silent, many or large, against a real server: they are refused, and others are served."""

import json
import os
import re
import resource
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from integration.raw_client import RawAnswer, chat, eventually, parse, request, sent, user
from integration.server_process import ServerProcess, StartServer
from patience import PATIENCE_S

CHAT_PATH = "/v1/chat/completions"
HEAD = b"GET /livez HTTP/1.1\r\nhost: localhost\r\n"
POST = b"POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
SLOW = json.dumps({"model": "slow", "stream": True, "messages": [user("Hello")]}).encode()
UPGRADE = b"connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n"
OWN_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def connect(server: ServerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)


@contextmanager
def connections(server: ServerProcess, count: int, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open connections, and send the same bytes on each."""
    with ExitStack() as opened:
        wires = [opened.enter_context(connect(server)) for _ in range(count)]
        for wire in wires:
            with suppress(ConnectionError):
                wire.sendall(first)
        yield wires


def rest_of(wire: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    received = bytearray()
    with suppress(ConnectionError):
        while piece := wire.recv(1 << 16):
            received += piece
    return bytes(received)


def live(server: ServerProcess) -> int:
    return request(server.port, "/livez", method="GET").status


def is_refused(answer: RawAnswer, status: int) -> bool:
    """Whether an error is whole, in the shape of all errors, and with the headers of our own answers."""
    error = answer.json["error"]
    own = all(answer.header(name) == value for name, value in OWN_HEADERS.items())
    return answer.status == status and answer.whole and own and {"message", "type", "param", "code"} == set(error)


def refused(server: ServerProcess) -> dict[str, float]:
    """Return what the server counted as refused, by reason."""
    text = request(server.port, "/metrics", method="GET").body.decode()
    return {name: float(count) for name, count in re.findall(r'server_refused_total\{reason="([^"]+)"\} (\S+)', text)}


def test_heads_that_do_not_end_are_refused_in_time(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"HEADER_TIMEOUT_S": "0.3"})
    with connections(server, 30, HEAD) as wires:
        assert live(server) == 200
        answers = [parse(rest_of(wire)) for wire in wires]
    assert all(is_refused(answer, 408) for answer in answers)
    assert refused(server)["slow head"] == 30


def test_a_head_that_drips_is_refused_in_time(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"HEADER_TIMEOUT_S": "0.5"})
    with connect(server) as wire, suppress(ConnectionError):
        wire.sendall(HEAD)
        for _ in range(600):
            wire.sendall(b"x: y\r\n")
            time.sleep(0.05)
        pytest.fail("the head went on for 30 s")
    assert live(server) == 200


@pytest.mark.parametrize("first", [b"", b"\r\n", HEAD + b"\r\n\r\n"], ids=["nothing", "a line break", "one request"])
def test_connections_that_fall_silent_are_closed(start_server: StartServer, first: bytes) -> None:
    server = start_server(offline=True, settings={"HEADER_TIMEOUT_S": "0.3", "KEEP_ALIVE_S": "0.3"})
    with connections(server, 20, first) as wires:
        answers = [rest_of(wire) for wire in wires]
    assert [answer.startswith(b"HTTP/1.1 200 ") for answer in answers] == [len(first) > 2] * 20


@pytest.mark.parametrize("upgrade", [b"", UPGRADE], ids=["plain", "asking for HTTP/2"])
def test_a_body_that_drips_is_refused_in_time(start_server: StartServer, upgrade: bytes) -> None:
    server = start_server(settings={"BODY_TIMEOUT_S": "0.5"})
    with connect(server) as wire:
        wire.sendall(POST + upgrade + b"content-length: 100000\r\n\r\n")
        for _ in range(600):
            try:
                wire.sendall(b"x")
            except ConnectionError:
                break
            time.sleep(0.05)
            wire.setblocking(False)
            with suppress(BlockingIOError):
                if received := wire.recv(1 << 16):
                    assert is_refused(parse(received), 408)
                    break
            wire.settimeout(PATIENCE_S)
        else:
            pytest.fail("the body went on for 30 s")
    assert refused(server)["slow body"] == 1


def test_a_slow_body_that_goes_on_is_taken(start_server: StartServer) -> None:
    server = start_server(settings={"BODY_TIMEOUT_S": "0.2"})
    body = b'{"input": "' + b"x" * 100_000 + b'"}'
    with connect(server) as wire:
        wire.sendall(POST + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body))
        for start in range(0, len(body), 10_000):
            wire.sendall(body[start : start + 10_000])
            time.sleep(0.1)
        assert parse(rest_of(wire)).json["length"] == len(body)


def test_a_client_that_does_not_read_its_refusal_is_closed(start_server: StartServer) -> None:
    server = start_server(offline=True)
    with connections(server, 10, b"GET http://x/ HTTP/1.1\r\nhost: x\r\n\r\n"):
        files = Path(f"/proc/{server.pid}/fd")
        if not files.exists():
            pytest.skip("the system does not list a process's files")
        assert eventually(lambda: len(tuple(files.iterdir())) < 40)
        assert eventually(lambda: _sockets(server) <= 3)


def _sockets(server: ServerProcess) -> int:
    links = []
    for file in Path(f"/proc/{server.pid}/fd").iterdir():
        with suppress(OSError):
            links.append(os.readlink(file))
    return sum(link.startswith("socket:") for link in links)


# ---- connections


def test_the_longest_idle_connection_makes_room(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"MAX_CONNECTIONS": "8"})
    with connections(server, 40) as wires:
        assert live(server) == 200
        assert chat(server.port, "toldonce/offline", [user("Hello")]).status == 200
        assert all(rest_of(wire) == b"" for wire in wires[:20])
    assert refused(server)["idle connection closed"] >= 32


def test_one_address_leaves_room_for_others(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"MAX_CONNECTIONS_PER_ADDRESS": "4"})
    with connections(server, 20) as wires:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S, ("127.0.0.2", 0)) as other:
            other.sendall(HEAD + b"connection: close\r\n\r\n")
            assert parse(rest_of(other)).status == 200
        assert [rest_of(wire) for wire in wires[:16]] == [b""] * 16


def test_a_full_server_is_alive_and_refuses_the_rest(start_server: StartServer) -> None:
    server = start_server(settings={"MAX_CONNECTIONS": "8"})
    with ExitStack() as streams:
        for _ in range(8):
            wire = streams.enter_context(sent(server.port, CHAT_PATH, SLOW))
            assert wire.recv(100).startswith(b"HTTP/1.1 200 ")

        answer = chat(server.port, "echo", [user("Hello")])
        assert is_refused(answer, 503)
        assert answer.header("retry-after") == "5"
        assert live(server) == 200
        assert request(server.port, "/readyz", method="GET").status == 200
    assert eventually(lambda: chat(server.port, "echo", [user("Hello")]).status == 200)


def test_an_address_has_so_many_requests_at_a_time(start_server: StartServer) -> None:
    server = start_server(settings={"MAX_REQUESTS_PER_ADDRESS": "2"})
    with sent(server.port, CHAT_PATH, SLOW) as first, sent(server.port, CHAT_PATH, SLOW) as second:
        assert first.recv(100).startswith(b"HTTP/1.1 200 ")
        assert second.recv(100).startswith(b"HTTP/1.1 200 ")

        answer = chat(server.port, "echo", [user("Hello")])
        assert is_refused(answer, 429)
        assert answer.header("retry-after") == "5"
        assert live(server) == 200
    assert eventually(lambda: chat(server.port, "echo", [user("Hello")]).status == 200)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux changes the limits of another process")
def test_without_descriptors_the_log_stays_small_and_the_server_recovers(start_server: StartServer) -> None:
    server = start_server(offline=True)
    before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    used = max(int(file.name) for file in Path(f"/proc/{server.pid}/fd").iterdir()) + 1
    begin = server.log.stat().st_size
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (used + 2, before[1]))
    with connections(server, 50):
        time.sleep(2.5)
        written = server.log.stat().st_size - begin
        assert 0 < written < 100_000
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
    assert live(server) == 200
    server.stop()
    assert "more like this were not written" in server.output()


# ---- sizes


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that takes little."""
    running = ServerProcess(
        tmp_path_factory.mktemp("small"),
        settings={
            "MAX_BODY_BYTES": "500000",
            "MAX_HELD_BYTES": "700000",
            "MAX_HEADER_BYTES": "8192",
            "MAX_HEADERS": "16",
            "MAX_JSON_DEPTH": "20",
            "MAX_JSON_VALUES": "1000",
        },
    )
    try:
        running.start()
        yield running
        running.stop()
        assert "Traceback" not in running.output()
    finally:
        running.kill()


def peak_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def answered(server: ServerProcess, parts: Sequence[bytes]) -> RawAnswer:
    """Send parts, and read one answer to the end."""
    with connect(server) as wire:
        for part in parts:
            with suppress(ConnectionError):
                wire.sendall(part)
        return parse(rest_of(wire))


LARGE_HEADS = {
    "one large header": [HEAD + b"x: " + b"y" * 9000 + b"\r\n\r\n"],
    "an endless header": [HEAD + b"x: ", *[b"y" * 4000] * 5],
    "an endless target": [b"GET /", *[b"y" * 4000] * 5],
    "a long target": [b"GET /livez?" + b"y" * 9000 + b" HTTP/1.1\r\nhost: x\r\n\r\n"],
    "many headers": [HEAD + b"x: y\r\n" * 16 + b"\r\n"],
    "many headers without end": [HEAD, *[b"x: y\r\n"] * 20],
}


@pytest.mark.parametrize("case", LARGE_HEADS)
def test_a_large_head_is_refused(small: ServerProcess, case: str) -> None:
    assert is_refused(answered(small, LARGE_HEADS[case]), 431)


def test_a_large_body_is_refused_before_it_is_read(small: ServerProcess) -> None:
    answer = answered(small, [POST + b"content-length: 500001\r\n\r\n"])
    assert is_refused(answer, 413)
    assert "TOLDONCE_MAX_BODY_BYTES" in answer.json["error"]["message"]


def test_a_client_that_sends_all_of_a_large_body_reads_the_refusal(small: ServerProcess) -> None:
    answer = answered(small, [POST + b"content-length: 8000000\r\n\r\n", *[b"x" * 100_000] * 80])
    assert is_refused(answer, 413)


def test_a_large_body_in_chunks_is_refused(small: ServerProcess) -> None:
    chunk = b"%x\r\n%s\r\n" % (100_000, b"x" * 100_000)
    assert is_refused(answered(small, [POST + b"transfer-encoding: chunked\r\n\r\n", *[chunk] * 20]), 413)


def test_large_bodies_share_what_the_server_holds(small: ServerProcess) -> None:
    with connect(small) as wire:
        wire.sendall(POST + b"content-length: 450000\r\n\r\n" + b"x" * 400_000)
        assert eventually(lambda: _is_held(small))
        assert chat(small.port, "toldonce/offline", [user("x" * 200_000)]).status == 200
        assert is_refused(answered(small, [POST + b"content-length: 300000\r\n\r\n"]), 503)
    large = json.dumps({"model": "toldonce/offline", "messages": [user("x" * 400_000)]}).encode()
    assert eventually(lambda: request(small.port, CHAT_PATH, large).status == 200)


def _is_held(server: ServerProcess) -> bool:
    return answered(server, [POST + b"content-length: 300000\r\nconnection: close\r\n\r\n"]).status == 503


DEEP = b"[" * 5000 + b"]" * 5000
DEEP_BODIES = {
    "a chat": (CHAT_PATH, b'{"model": "echo", "messages": [{"role": "user", "content": "x"}], "metadata": D}'),
    "a chat that cannot be read": (CHAT_PATH, b"D"),
    "another route of upstream": ("/v1/embeddings", b'{"input": D}'),
    "REST": ("/api/sessions", b'{"settings": {"a": D}}'),
}


@pytest.mark.parametrize("case", DEEP_BODIES)
def test_a_deeply_nested_body_is_refused(start_server: StartServer, small: ServerProcess, case: str) -> None:
    path, body = DEEP_BODIES[case]
    answer = request(small.port, path, body.replace(b"D", DEEP))
    assert is_refused(answer, 400)
    assert "nests values deeper than 20" in answer.json["error"]["message"]


MANY = b"[" + b",".join([b"{}"] * 500) + b"]"
FULL_BODIES = {
    "a chat": (CHAT_PATH, b'{"model": "echo", "messages": [{"role": "user", "content": "x"}], "metadata": M}', 413),
    "REST": ("/api/memory", b"M", 400),
    "resources": ("/v1/subjects/me/messages", b'{"messages": M}', 400),
    "MCP": ("/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": M}}', 400),
}


@pytest.mark.parametrize("case", FULL_BODIES)
def test_a_body_of_too_many_values_is_refused(small: ServerProcess, case: str) -> None:
    path, body, status = FULL_BODIES[case]
    answer = request(small.port, path, body.replace(b"M", MANY))
    assert answer.status == status
    assert b"more than 1,000 values" in answer.body


def test_many_values_cost_no_memory(start_server: StartServer) -> None:
    server = start_server()
    assert request(server.port, "/v1/subjects/me/search", b'{"query": "tea"}').status == 200
    before = peak_mb(server.pid)
    body = b'{"query": "tea", "scope": [' + b",".join([b'{"a":0}'] * 4_000_000) + b"]}"
    assert request(server.port, "/v1/subjects/me/search", body).status == 400
    assert request(server.port, "/api/memory", body).status == 400
    assert peak_mb(server.pid) - before < 300


# ---- shapes


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/livez", {}, 405),
        ("DELETE", "/api/sessions", {}, 405),
        ("OPTIONS", "/v1/models", {}, 405),
        ("PUT", "/api/memory", {}, 405),
        ("GET", "/nowhere", {}, 404),
        ("GET", "/livez/", {}, 404),
        ("GET", "/api/memory/stats/", {}, 404),
        ("POST", "/api/sessions", {"Content-Type": "text/plain"}, 415),
        ("POST", "/api/sessions", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_refusals_of_routes_have_one_shape(
    small: ServerProcess, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    body = b'{"id": "a"}' if method in ("POST", "PUT") else b""
    answer = request(small.port, path, body, headers, method=method)
    assert is_refused(answer, status)
    assert (answer.header("allow") is not None) == (status == 405)
    assert answer.header("location") is None


@pytest.mark.parametrize("field", ["id", "app", "profile", "settings"])
def test_half_a_character_in_a_rest_body_is_refused(small: ServerProcess, field: str) -> None:
    value = b'{"a": "\\ud83d"}' if field == "settings" else b'"x\\ud83d"'
    answer = request(small.port, "/api/sessions", b'{"%s": %s}' % (field.encode(), value))
    assert is_refused(answer, 400)
    assert "half of a surrogate pair" in answer.json["error"]["message"]


def test_whole_characters_written_as_escapes_are_taken(small: ServerProcess) -> None:
    answer = request(small.port, "/api/memory", b'{"content": "I like \\ud83d\\ude00 and C:\\\\users."}')
    assert (answer.status, answer.json["content"]) == (201, "I like \U0001f600 and C:\\users.")


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz", "/metrics", "/api/memory/held", "/v1/models"])
def test_our_own_answers_have_security_headers(small: ServerProcess, path: str) -> None:
    answer = request(small.port, path, method="GET")
    assert (answer.status, {name: answer.header(name) for name in OWN_HEADERS}) == (200, OWN_HEADERS)


def test_upstreams_answers_get_no_headers_of_ours(start_server: StartServer) -> None:
    server = start_server()
    for answer in (chat(server.port, "echo", [user("Hello")]), request(server.port, "/v1/models", method="GET")):
        assert answer.status == 200
        assert [name for name in OWN_HEADERS if answer.header(name) is not None] == []
