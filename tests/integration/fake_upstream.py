"""An OpenAI-compatible upstream with a will of its own, in a thread of its own. Opens a port on loopback.

Which answer it gives is chosen by the model's name in the request, so that one serves all tests: `shape:NAME` sends a
shape of `upstream_shapes.py`, the names of `_MANNERS` below behave like a server with that habit.
"""

import asyncio
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from integration.messages_upstream import counted, messages_shape
from integration.ollama_upstream import ollama_shape
from integration.responses_upstream import conversation_shape, responses_shape
from integration.upstream_shapes import STREAMED, WHOLE, End, Shape, answer, completion, event, refusal, spoken, stream
from patience import PATIENCE_S

_LINGER_ZERO = struct.pack("ii", 1, 0)
# How often a silent answer looks whether the other side has gone.
_LOOK_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return a header's first value."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def json(self) -> dict[str, Any]:
        """The body, read."""
        value: dict[str, Any] = json.loads(self.body)
        return value


@dataclass(slots=True)
class FakeUpstream:
    """The upstream: the requests it received, and those under way."""

    port: int = 0
    seen: list[Seen] = field(default_factory=list)
    answering: int = 0
    """Answers under way."""
    writers: set[asyncio.StreamWriter] = field(default_factory=set)
    """The connections that are open."""

    @property
    def url(self) -> str:
        """Its base URL, with `/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def having(self, text: str) -> list[Seen]:
        """Return the requests whose body carries a text, oldest first."""
        wanted = text.encode()
        return [request for request in tuple(self.seen) if wanted in request.body]

    def wait_idle(self, *, within_s: float = PATIENCE_S) -> bool:
        """Wait until no answer is under way; tell whether that came about in time."""
        until = time.monotonic() + within_s
        while self.answering and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return not self.answering

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        self.writers.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                self.seen.append(request)
                self.answering += 1
                try:
                    stays = await _send(await _choose(request), reader, writer)
                finally:
                    self.answering -= 1
                if not stays or request.header("connection") == "close":
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            self.writers.discard(writer)
            writer.close()


@contextmanager
def fake_upstream() -> Iterator[FakeUpstream]:
    """Run an upstream for as long as the block lasts."""
    upstream = FakeUpstream()
    loop = asyncio.new_event_loop()
    started = threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0, backlog=1024)
        upstream.port = server.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        server.close()
        for writer in tuple(upstream.writers):
            writer.transport.abort()
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=PATIENCE_S)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    if not started.wait(PATIENCE_S):
        raise AssertionError("the fake upstream did not start")
    try:
        yield upstream
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)
        loop.close()


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        line = await reader.readline()
        if not line:
            return None
        head += line
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ")
    pairs = [line.partition(":") for line in lines]
    headers = tuple((name, value.strip()) for name, _, value in pairs)
    seen = Seen(method=method, path=path, headers=headers, body=b"")
    if (seen.header("transfer-encoding") or "").lower() == "chunked":
        return replace(seen, body=await _dechunk(reader))
    return replace(seen, body=await reader.readexactly(int(seen.header("content-length") or 0)))


async def _dechunk(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readline()
    return bytes(body)


# ---- which answer

_ASKED: Counter[tuple[str, str]] = Counter()
_CALLS = count(1)
_BLOCK = re.compile(r'<toldonce-memory id="(\w+)">.*?</toldonce-memory id="\1">', re.DOTALL)


async def _choose(request: Seen) -> Shape:
    if request.path.startswith("/api/"):
        return ollama_shape(request.path, request.json if request.body else {})
    return await _choose_by_v1(request)


async def _choose_by_v1(request: Seen) -> Shape:
    if request.path.endswith("/models"):
        return answer({"object": "list", "data": [{"id": "echo", "object": "model", "created": 1, "owned_by": "us"}]})
    if request.path.split("?")[0].endswith("/messages"):
        return messages_shape(request.json)
    if request.path.endswith("/messages/count_tokens"):
        return counted(request.json)
    if request.path.endswith("/responses"):
        return responses_shape(request.json)
    if request.path.endswith("/conversations"):
        return conversation_shape(request.json)
    if not request.path.split("?")[0].endswith("/chat/completions"):
        return answer({"path": request.path, "method": request.method, "length": len(request.body)})
    try:
        body = json.loads(request.body)
        model = body["model"]
        if not isinstance(model, str) or not all(isinstance(message, dict) for message in body["messages"]):
            return refusal(400)
    except (ValueError, KeyError, TypeError, RecursionError):
        return refusal(400)
    if model.startswith("shape:"):
        return (STREAMED if body.get("stream") else WHOLE)[model.removeprefix("shape:")]
    manner = _MANNERS.get(model.partition(":")[0])
    return await manner(body) if manner else refusal(404)


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _asked(body: dict[str, Any]) -> str:
    """Return the last line of the newest user message, without the blocks of memory around it."""
    said = [_text(message.get("content")) for message in body["messages"] if message.get("role") == "user"]
    return _BLOCK.sub("", said[-1]).strip().rpartition("\n")[2] if said else ""


def _say(body: dict[str, Any], text: str) -> Shape:
    return stream(spoken(text)) if body.get("stream") else answer(completion(text))


async def _echo(body: dict[str, Any]) -> Shape:
    """Answer at once, naming the newest user message."""
    return _say(body, f"You said: {_asked(body)}")


async def _count(body: dict[str, Any]) -> Shape:
    """Answer differently each time that the same is asked."""
    asked = _asked(body)
    _ASKED[body["model"], asked] += 1
    return _say(body, f"Answer {_ASKED[body['model'], asked]} to: {asked}")


async def _think(body: dict[str, Any]) -> Shape:
    """Answer with reasoning that clients strip from their history."""
    return _say(body, f"<think>Let me think about it.</think>\n\nYou said: {_asked(body)}")


async def _slow(body: dict[str, Any]) -> Shape:
    """Stream for about ten seconds, or be silent that long."""
    if not body.get("stream"):
        return Shape(status=0, end=End.SILENT)
    return replace(
        stream(event({"choices": [{"index": 0, "delta": {"content": f"{n} "}}]}) for n in range(200)), pause_s=0.05
    )


async def _steady(body: dict[str, Any]) -> Shape:
    """Answer as an echo does, in two seconds."""
    return replace(_say(body, f"You said: {_asked(body)}"), pause_s=0.3)


async def _strict(body: dict[str, Any]) -> Shape:
    """Refuse what the stricter chat templates refuse: late or second system messages, roles out of turn."""
    roles = [message.get("role") for message in body["messages"]]
    if "system" in roles[1:]:
        return refusal(400)
    said = [role for role in roles if role != "system"]
    if any(role not in ("user", "assistant") for role in said) or said[::2] != ["user"] * len(said[::2]):
        return refusal(400)
    if said[1::2] != ["assistant"] * len(said[1::2]):
        return refusal(400)
    return await _echo(body)


async def _refuse_altered(body: dict[str, Any]) -> Shape:
    """Take only messages of one line: whatever memory adds is refused."""
    if any("\n" in _text(message.get("content")) for message in body["messages"]):
        return refusal(400)
    return await _echo(body)


async def _tools(body: dict[str, Any]) -> Shape:
    """Ask for the tool first; answer when its result has come."""
    results = [message for message in body["messages"] if message.get("role") == "tool"]
    if results:
        return _say(body, f"The tool says: {_text(results[-1]['content'])}")
    name = body["tools"][0]["function"]["name"]
    call = {
        "id": f"call_{next(_CALLS)}",
        "type": "function",
        "function": {"name": name, "arguments": '{"city": "Oslo"}'},
    }
    if not body.get("stream"):
        return answer(completion(None, tool_calls=[call]))
    delta = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call}]}
    first = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "tools"}
    asks = first | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    ends = first | {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return stream((event(asks), event(ends), b"data: [DONE]\n\n"))


_BOUND: dict[str, list[dict[str, Any]]] = {}


async def _binding(body: dict[str, Any]) -> Shape:
    """Bind answers to the prompts before them: a prompt of the chat (`binding:CHAT`) that changes one is refused."""
    before = _BOUND.setdefault(body["model"], [])
    if body["messages"][: len(before)] != before:
        return refusal(400)
    _BOUND[body["model"]] = body["messages"]
    return await _echo(body)


_MANNERS: dict[str, Callable[[dict[str, Any]], Awaitable[Shape]]] = {
    "echo": _echo,
    "count": _count,
    "think": _think,
    "slow": _slow,
    "steady": _steady,
    "strict": _strict,
    "refuse-altered": _refuse_altered,
    "tools": _tools,
    "binding": _binding,
}


# ---- sending it


async def _send(shape: Shape, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send an answer; tell whether the connection stays open."""
    if shape.status:
        writer.write(shape.before + _head(shape))
    for part in shape.parts:
        if reader.at_eof() or writer.is_closing():
            return False
        writer.write(b"%x\r\n%b\r\n" % (len(part), part) if shape.framing == "chunked" else part)
        await writer.drain()
        if shape.pause_s:
            await asyncio.sleep(shape.pause_s)
    return await _end(shape, reader, writer)


def _head(shape: Shape) -> bytes:
    lines = [b"HTTP/1.%d %d Whatever" % (shape.framing != "close", shape.status), b"content-type: " + shape.kind]
    lines += [name + b": " + value for name, value in shape.more_headers]
    lines.append(b"x-upstream: kept")
    if shape.framing == "chunked":
        lines.append(b"transfer-encoding: chunked")
    if shape.framing == "length":
        lines.append(b"content-length: %d" % len(shape.body))
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while not (reader.at_eof() or reader.exception() or writer.is_closing()):  # noqa: ASYNC110  # a reader tells nobody
        await asyncio.sleep(_LOOK_S)


async def _end(shape: Shape, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    match shape.end:
        case End.WELL:
            if shape.framing == "chunked":
                writer.write(b"0\r\n\r\n")
            await writer.drain()
            return shape.framing != "close"
        case End.RESET:
            await asyncio.sleep(0.05)  # what was sent must be read before the reset takes it away
            wire: socket.socket = writer.get_extra_info("socket")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
            writer.transport.abort()
        case End.SILENT:
            await _gone(reader, writer)
        case End.BAD_FRAME:
            await asyncio.sleep(0.05)  # in one piece with the head it would be no answer at all
            writer.write(b"ZZZ\r\n")
            await writer.drain()
        case End.CUT:
            await writer.drain()
    return False
