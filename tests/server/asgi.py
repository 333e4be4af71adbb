"""Call an ASGI application so that each chunk is seen as it leaves, and a client can disconnect in the middle."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from toldonce.server.asgi import Headers, Receive, Scope, Send
from toldonce.server.backends import BackendRequest
from toldonce.server.upstream import BackendResponse, UpstreamBrokenError

EVENTS: Headers = ((b"content-type", b"text/event-stream"),)
JSON: Headers = ((b"content-type", b"application/json"),)


@dataclass
class Call:
    """One request, and what came back."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = "/v1/chat/completions"
    query: bytes = b""
    status: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    finished: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set it to hang up."""
    first_chunk: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        return b"".join(self.chunks).decode()

    def scope(self) -> Scope:
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        return {
            "type": "http",
            "method": "POST",
            "path": unquote(self.path),
            "raw_path": self.path.encode(),
            "query_string": self.query,
            "headers": headers,
            "path_params": {},
        }

    def receive(self) -> Receive:
        sent = False

        async def receive() -> MutableMapping[str, Any]:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": self.body, "more_body": False}
            await self.gone.wait()
            return {"type": "http.disconnect"}

        return receive

    def send(self) -> Send:
        async def send(event: MutableMapping[str, Any]) -> None:
            if event["type"] == "http.response.start":
                self.status = event["status"]
                self.answer_headers = {name.decode(): value.decode() for name, value in event["headers"]}
                return
            if event["body"]:
                self.chunks.append(event["body"])
                self.first_chunk.set()
            self.finished = not event.get("more_body", False)

        return send


def chat(*texts: str, stream: bool = False, **more: object) -> bytes:
    """Write a request whose messages are of user and assistant in turn."""
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    return json.dumps({"model": "m", "messages": messages, "stream": stream, **more}).encode()


def whole(text: str) -> bytes:
    """Write a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]}).encode()


def event(text: str, finish: str | None = None) -> bytes:
    """Write one event of a stream."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "x", "choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


@dataclass
class _Given:
    status: int
    headers: Headers
    parts: Sequence[bytes | Exception | asyncio.Event]

    async def chunks(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, Exception):
                raise part
            else:
                yield part


@dataclass
class ScriptedBackend:
    """A backend that answers what a test gives it, in order; a part may be an event to wait for or an error."""

    answers: list[tuple[int, Headers, Sequence[bytes | Exception | asyncio.Event]]]
    asked: list[BackendRequest] = field(default_factory=list)
    closed: int = 0
    needs_valid_requests: bool = False

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        self.asked.append(ask)
        try:
            yield _Given(*self.answers.pop(0))
        finally:
            self.closed += 1

    @asynccontextmanager
    async def forward(
        self, method: str, path: str, headers: Headers, body: bytes, *, carries_key: bool
    ) -> AsyncIterator[BackendResponse]:
        yield _Given(200, JSON, [f"{method} {path}".encode()])

    async def close(self) -> None:
        """Nothing to let go of."""


def broken() -> UpstreamBrokenError:
    return UpstreamBrokenError("cut")
