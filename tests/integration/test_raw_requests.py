"""Requests as bytes, right and wrong ones, to a real server: what is answered, and what becomes of the connection."""

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from integration.fake_upstream import FakeUpstream
from integration.raw_client import parse
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from toldonce.settings import Settings

BODY = b'{"model":"toldonce/offline","messages":[{"role":"user","content":"Hello"}]}'
LENGTH = b"content-length: %d\r\n" % len(BODY)
CHUNK = b"%x\r\n%s\r\n" % (len(BODY), BODY)
CHAT = b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
CHUNKED = CHAT + b"transfer-encoding: chunked\r\n\r\n"
EXPECTED = CHAT + b"transfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n"
LIVE = b"GET /livez HTTP/1.1\r\nhost: localhost\r\n"
LAST = b"GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
MAX_HEADER_BYTES = Settings.model_fields["max_header_bytes"].default
UPGRADE = b"connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n"


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


def exchange(port: int, parts: Sequence[bytes]) -> bytes:
    """Send parts, each in a packet of its own, and read until the server closes the connection.

    Where a part is empty, the server is waited for: it asks for a body by `100 Continue`, which is left out.
    """
    received = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as wire, suppress(ConnectionError):
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            if part:
                wire.sendall(part)
            else:
                assert wire.recv(1 << 16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        while piece := wire.recv(1 << 16):
            received += piece
    return bytes(received)


def statuses(received: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", received)]


RIGHT = {
    "one byte at a time": [bytes([byte]) for byte in CHAT + LENGTH + b"\r\n" + BODY],
    "chunked": [CHUNKED + CHUNK + b"0\r\n\r\n"],
    "chunked with an extension": [CHUNKED + CHUNK.replace(b"\r\n", b";a=b\r\n", 1) + b"0\r\n\r\n"],
    "chunked with a trailer that would be refused as a header": [
        CHUNKED + CHUNK + b"0\r\nx-toldonce-memory: perhaps\r\nhost: evil.example\r\n\r\n"
    ],
    "an upgrade to HTTP/2 with its body": [CHAT + LENGTH + UPGRADE + b"\r\n" + BODY],
    "an upgrade to HTTP/2 before its body": [CHAT + LENGTH + UPGRADE + b"\r\n", BODY],
    "an upgrade to HTTP/2, chunked": [
        CHAT + b"transfer-encoding: chunked\r\n" + UPGRADE + b"\r\n",
        CHUNK,
        b"0\r\n\r\n",
    ],
    "a head of 30 KiB": [LIVE + b"x-padding: ", *[b"x" * 3072] * 10, b"\r\n\r\n"],
    "a query with strange characters": [LIVE.replace(b"/livez", b'/livez?a=?b&c={}|"') + b"\r\n"],
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_request_is_answered_and_the_connection_stays(offline: ServerProcess, case: str) -> None:
    assert statuses(exchange(offline.port, [*RIGHT[case], LAST])) == [200, 200]


def test_a_body_is_asked_for_where_the_client_expects_it(offline: ServerProcess) -> None:
    received = exchange(offline.port, [CHAT + LENGTH + b"expect: 100-continue\r\n\r\n", b"", BODY, LAST])
    assert statuses(received) == [200, 200]


def test_requests_sent_at_once_are_answered_in_order(offline: ServerProcess) -> None:
    assert statuses(exchange(offline.port, [LIVE + b"\r\n" + CHAT + LENGTH + b"\r\n" + BODY + LAST])) == [200, 200, 200]


def test_many_requests_sent_at_once_are_all_answered(offline: ServerProcess) -> None:
    assert statuses(exchange(offline.port, [(LIVE + b"\r\n") * 1000 + LAST])) == [200] * 1001


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://evil.example/livez", 400),
        (b"/livez#a", 400),
        (b"/livez\\a", 400),
        (b"/livez%zz", 400),
        (b"//evil.example/livez", 404),
        (b"/livez/", 404),
    ],
)
def test_a_target_is_taken_as_it_was_written(offline: ServerProcess, target: bytes, status: int) -> None:
    assert statuses(exchange(offline.port, [LAST.replace(b"/livez", target)])) == [status]


@pytest.mark.parametrize("path", [b"/v1/responses", b"/responses", b"/v1/realtime"])
def test_a_websocket_is_refused_at_once(offline: ServerProcess, path: bytes) -> None:
    head = LIVE.replace(b"/livez", path) + b"connection: keep-alive, Upgrade\r\nupgrade: WebSocket\r\n"
    received = exchange(offline.port, [head + b"sec-websocket-key: AAAA\r\nsec-websocket-version: 13\r\n\r\n"])
    assert statuses(received) == [426]
    assert b"use HTTP" in received
    assert b"connection: close, upgrade\r\nupgrade: HTTP/1.1\r\n" in received


WRONG = {
    "no host": [b"GET /livez HTTP/1.1\r\n\r\n"],
    "two hosts": [LIVE + b"host: localhost\r\n\r\n"],
    "HTTP/0.9": [b"GET /livez\r\n\r\n"],
    "HTTP/2.0": [LIVE.replace(b"1.1", b"2.0") + b"\r\n"],
    "a space before the colon": [b"GET /livez HTTP/1.1\r\nhost : localhost\r\n\r\n"],
    "a control character in a header": [LIVE + b"x-strange: a\x01b\r\n\r\n"],
    "a folded header": [LIVE + b"x-strange: a\r\n b\r\n\r\n"],
    "two lengths": [CHAT + LENGTH + b"content-length: 3\r\n\r\n" + BODY],
    "a length and chunks": [CHAT + LENGTH + b"transfer-encoding: chunked\r\n\r\n" + CHUNK + b"0\r\n\r\n"],
    "a coding that is not read": [CHAT + b"transfer-encoding: gzip, chunked\r\n\r\n" + CHUNK + b"0\r\n\r\n"],
    "a chunk without a size": [CHUNKED + b"zz\r\n"],
    "a TLS greeting": [b"\x16\x03\x01\x02\x00\x01\x00"],
    "an endless chunk extension": [EXPECTED, b"", b"5;", *[b"x" * 8192] * (MAX_HEADER_BYTES // 8192 + 1)],
    "an endless trailer": [EXPECTED, b"", b"0\r\nx: ", *[b"x" * 8192] * (MAX_HEADER_BYTES // 8192 + 1)],
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_request_is_refused_in_openais_shape(offline: ServerProcess, case: str) -> None:
    answer = parse(exchange(offline.port, WRONG[case]))

    assert (answer.status, answer.whole) == (400, True)
    assert answer.json["error"]["type"] == "invalid_request_error"


def test_what_follows_a_request_does_not_spoil_its_answer(server: ServerProcess, upstream: FakeUpstream) -> None:
    body = b'{"model":"echo","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
    head = CHAT + b"x-toldonce-memory: off\r\ncontent-length: %d\r\n\r\n" % len(body)

    received = exchange(server.port, [head + body, *[b"\x00garbage\r\n\r\n"] * 3])

    # What comes after the answer is a request of its own, and is refused as one.
    assert statuses(received) in ([200], [200, 400])
    assert parse(received).done
