"""A model and embedder behind a gate: it answers some requests, and holds the others until it is let go. A port."""

import json
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from patience import PATIENCE_S

_DIMENSIONS = 64
_HIVE = re.compile(r"hive number (\d+)")


@dataclass
class GatedModel:
    """The gate, and the base URL behind it."""

    url: str = ""
    open_for: int = 10**9
    """Number of requests that are answered; later ones wait at the gate."""
    is_held: threading.Event = field(default_factory=threading.Event)
    """Set once a request waits at the gate."""
    let_go: threading.Event = field(default_factory=threading.Event)
    """Ends all waiting when it is set."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hold_after(self, requests: int) -> None:
        """Answer so many requests more, and hold what follows."""
        self.open_for = requests
        self.is_held.clear()
        self.let_go.clear()

    def open(self) -> None:
        """Answer everything from now on; held requests end, too."""
        self.open_for = 10**9
        self.let_go.set()

    def pass_gate(self) -> None:
        """Wait where the gate is closed."""
        with self._lock:
            self.open_for -= 1
            closed = self.open_for < 0
        if closed:
            self.is_held.set()
            self.let_go.wait(PATIENCE_S)


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    """Form one fact of the newest hive that the prompt names."""
    number = _HIVE.findall(json.dumps(body))[-1]
    item = {
        "kind": "note", "text": f"The user keeps bees in hive number {number}.", "category": None, "key": None,
        "value": None, "type": "fact", "importance": 0.8, "confidence": 0.9, "message": 1,
        "quote": f"I keep bees in hive number {number}.", "updates": None, "ended": False, "valid_from": None,
    }  # fmt: skip
    message = {"content": json.dumps({"memories": [item]})}
    usage = {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """Count the words of each text in hashed places."""
    rows = []
    for index, text in enumerate(body["input"]):
        vector = [0.0] * _DIMENSIONS
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % _DIMENSIONS] += 1.0
        rows.append({"index": index, "object": "embedding", "embedding": vector})
    return {"object": "list", "model": body["model"], "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@contextmanager
def gated_model() -> Iterator[GatedModel]:
    """Serve `/v1/chat/completions` and `/v1/embeddings` for as long as the block lasts."""
    gate = GatedModel()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if _HIVE.search(json.dumps(body)):  # trials of an embedder have other texts
                gate.pass_gate()
            answer = json.dumps(_embeddings(body) if self.path.endswith("/embeddings") else _completion(body)).encode()
            try:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            except ConnectionError:  # the process that asked has ended
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    gate.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield gate
    finally:
        gate.open()
        server.shutdown()
        server.server_close()
        thread.join()
