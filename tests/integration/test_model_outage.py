"""The model that forms memories is down or hangs: chats go on, nothing is parked, formation resumes afterwards."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from integration.raw_client import chat, eventually, request, user
from integration.server_process import ServerProcess, StartServer

SAID = "I live in Oslo."
ITEM = {
    "kind": "fact", "text": "The user lives in Oslo.", "category": "identity", "key": "location", "value": "Oslo",
    "type": "fact", "importance": 0.8, "confidence": 0.9, "message": 1, "quote": SAID, "updates": None, "ended": False,
    "valid_from": None,
}  # fmt: skip
ANSWER = {
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": json.dumps({"memories": [ITEM]})}}],
    "usage": {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760},
}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def answering(port: int) -> Iterator[None]:
    """Serve a model at last."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def dead() -> Iterator[int]:
    """A port without a listener."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    yield port


@contextmanager
def hanging() -> Iterator[int]:
    """A server that takes requests and says nothing."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield listening.getsockname()[1]


def worker(server: ServerProcess) -> dict[str, Any]:
    return dict(server.health()["worker"])


def say(server: ServerProcess, who: str) -> int:
    """Say something to remember; return the status of the answer."""
    return chat(server.port, "echo", [user(SAID)], {"x-toldonce-user": who}).status


@pytest.mark.parametrize("way", [dead, hanging])
def test_s12_a_dead_or_silent_model_parks_nothing_and_chats_go_on(start_server: StartServer, way: Any) -> None:
    with way() as port:
        settings = {"FORM_MODEL": "m", "FORM_URL": f"http://127.0.0.1:{port}/v1", "FORM_TIMEOUT_S": "0.3"}
        server = start_server(settings=settings)
        assert [say(server, f"user{number}") for number in range(5)] == [200] * 5
        assert eventually(lambda: worker(server)["breaker"]["state"] == "open")
        assert say(server, "late") == 200
        assert eventually(lambda: worker(server)["deferred"] >= 5)
        found = worker(server)
        assert (found["parked"], found["skipped"]) == (0, 0)
    with answering(port):
        assert eventually(lambda: worker(server)["formed"] == 12), worker(server)
        found = worker(server)
        assert (found["breaker"]["state"], found["parked"]) == ("closed", 0)
    server.stop()
    assert "Traceback" not in server.output()


def test_the_health_page_shows_the_breaker(start_server: StartServer) -> None:
    server = start_server()
    body = request(server.port, "/healthz", method="GET").json
    assert body["worker"]["breaker"] == {
        "state": "closed", "failures": 0, "opened": 0, "refused": 0, "retry_in_s": 0.0,
    }  # fmt: skip
