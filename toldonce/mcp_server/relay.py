"""Relay an agent's stdin and stdout to a server's /mcp, so that several agents share one server. Connects to it alone.

Each message is one POST, and its answer is one line. What the server cannot answer is an answer too: of the tool where
one was called, so that the model reads it.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from toldonce.errors import BadServerError, ServerUnreachableError, ToldOnceError
from toldonce.hook.http_post import BadAnswerError, NotConnectedError, ServerAddress, post
from toldonce.text.visible_json import without_lone_surrogates

Message = Mapping[str, Any]
Post = Callable[[dict[str, str], bytes], Awaitable[tuple[int, bytes]]]
"""Sends headers and a body to /mcp, and returns the status and body of the answer."""
Write = Callable[[bytes], Awaitable[None]]

TIMEOUT_S = 60.0
"""How long the server may be silent."""
# A server that has just been started, or is started again, is waited for.
_PAUSES_S = (0.2, 0.5, 1.0, 2.0)
_PARSE_ERROR, _INTERNAL_ERROR = -32700, -32603
_OK, _ACCEPTED = 200, 202
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
# What a request is about, which the revision 2026-07-28 repeats in a header.
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Relay:
    """Sends one client's messages to a server."""

    def __init__(self, post: Post, headers: Mapping[str, str], write: Write) -> None:
        """Relay to a server.

        Args:
            post: Sends a request to it.
            headers: Of each request: the key, the user, the app.
            write: Writes a line to the client.
        """
        self._post = post
        self._headers = headers
        self._write = write
        self._version: str | None = None
        """Revision that the client negotiated with `initialize`."""
        self._running: dict[str, asyncio.Task[None]] = {}

    async def take(self, line: bytes) -> None:
        """Take a line of the client; its answer is written when it comes."""
        if not line.strip():
            return
        raw = without_lone_surrogates(line)
        try:
            message = json.loads(raw)
        except (ValueError, RecursionError):
            await self._answer({"id": None, "error": {"code": _PARSE_ERROR, "message": "this line is no JSON"}})
            return
        if not isinstance(message, dict):
            await self._answer({"id": None, "error": {"code": _PARSE_ERROR, "message": "this is no JSON object"}})
            return
        key = json.dumps(message.get("id"))
        if message.get("method") == "notifications/cancelled":
            self._cancel(message)
        elif "id" in message and "method" in message:
            task = asyncio.create_task(self._relay(message, raw))
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key, None))
        else:
            await self._relay(message, raw)

    async def settle(self) -> None:
        """Wait for what runs."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    def _cancel(self, message: Message) -> None:
        params = message.get("params")
        task = self._running.get(json.dumps(params.get("requestId"))) if isinstance(params, dict) else None
        if task is not None:
            task.cancel()

    async def _relay(self, message: Message, raw: bytes) -> None:
        try:
            answer = await self._sent(message, raw)
        except ToldOnceError as error:
            answer = _failed(message, str(error)) if "id" in message else None
        if answer is None:
            return
        if message.get("method") == "initialize":
            self._version = _text(answer.get("result"), "protocolVersion")
        await self._answer(answer)

    async def _sent(self, message: Message, raw: bytes) -> dict[str, Any] | None:
        """Send a message, again where it did not reach the server; None: there is no answer to it.

        Raises:
            ToldOnceError: The server does not answer, or refuses.
        """
        headers = self._headers_of(message)
        for pause_s in _PAUSES_S:
            try:
                return await self._once(headers, raw)
            except ServerUnreachableError as error:
                if error.is_sent:
                    raise
            await asyncio.sleep(pause_s)
        return await self._once(headers, raw)

    async def _once(self, headers: dict[str, str], raw: bytes) -> dict[str, Any] | None:
        try:
            status, body = await self._post(headers, raw)
        except NotConnectedError as error:
            raise ServerUnreachableError(f"the server does not answer: {error}", is_sent=False) from None
        except OSError as error:
            raise ServerUnreachableError(f"the server broke off: {error}", is_sent=True) from None
        except BadAnswerError as error:
            raise BadServerError(f"the server answered wrongly: {error}") from None
        if status == _ACCEPTED or (status == _OK and not body):
            return None
        try:
            read = json.loads(body)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, dict) and "jsonrpc" in read:
            return read
        raise BadServerError(f"the server answered {status}{_why(read)}")

    def _headers_of(self, message: Message) -> dict[str, str]:
        params, method = message.get("params"), message.get("method")
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            **self._headers,
        }
        meta = params.get("_meta") if isinstance(params, dict) else None
        version = _text(meta, _VERSION_KEY) or (self._version if method != "initialize" else None)
        if version:
            headers["mcp-protocol-version"] = _safe(version)
        if isinstance(method, str):
            headers["mcp-method"] = _safe(method)
            if name := _text(params, _NAMES.get(method, "")):
                headers["mcp-name"] = _safe(name)
        return headers

    async def _answer(self, answer: Mapping[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **answer}, ensure_ascii=False)
        await self._write(text.encode("utf-8", "replace") + b"\n")


async def relay_stdio(address: ServerAddress, headers: Mapping[str, str]) -> None:
    """Relay stdin and stdout until the client closes them."""
    gate = asyncio.Lock()

    async def send(headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        return await asyncio.to_thread(post, address, "/mcp", headers, body, time.monotonic() + TIMEOUT_S)

    async def write(line: bytes) -> None:
        async with gate:
            await asyncio.to_thread(_print, line)

    relay = Relay(send, headers, write)
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        await relay.take(line)
    await relay.settle()


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _failed(message: Message, why: str) -> dict[str, Any]:
    """Return an answer that says what failed."""
    if message.get("method") == "tools/call":
        params = message.get("params")
        result: dict[str, Any] = {"content": [{"type": "text", "text": f"Error: {why}"}], "isError": True}
        if isinstance(params, dict) and _text(params.get("_meta"), _VERSION_KEY):
            result["resultType"] = "complete"
        return {"id": message["id"], "result": result}
    return {"id": message["id"], "error": {"code": _INTERNAL_ERROR, "message": why}}


def _why(read: object) -> str:
    """Return what a refusal says."""
    error = read.get("error") if isinstance(read, dict) else None
    said = _text(error, "message") or _text(read, "detail")
    return f": {said}" if said else "; is it a ToldOnce server with the extra `mcp`?"


def _text(holder: object, name: str) -> str | None:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else None


def _safe(value: str) -> str:
    """Return a value as headers carry it: what is not plain ASCII is marked and in base64."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="
