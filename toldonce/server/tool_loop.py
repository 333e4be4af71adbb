"""Run calls of our own tools, and ask upstream again with the results, up to three times. Connects upstream."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from toldonce.chat.reply import Reply, TokenUsage, read_object, reply_from_json
from toldonce.chat.splice import apply_insertions
from toldonce.chat.tools import (
    MAX_KEPT_BYTES,
    ToolCallBuffer,
    ToolRound,
    add_usage,
    append_rounds,
    calls_only_ours,
    tool_calls_of,
)
from toldonce.engine import run_in_thread_if_large
from toldonce.server.asgi import Headers, header, is_compressed
from toldonce.server.backends import Backend, BackendRequest
from toldonce.server.status import OK
from toldonce.server.upstream import BackendResponse, UpstreamBrokenError, read_up_to
from toldonce.types import ChatRequest, Insertion

# After this many rounds an answer is relayed as it is: a model that goes on searching will not find it.
MAX_TOOL_ROUNDS = 3


class ToolRunner(Protocol):
    """Runs a model's calls of our tools."""

    @property
    def names(self) -> frozenset[str]:
        """The tools offered."""
        ...

    async def call(self, name: str, arguments: str) -> str:
        """Run one call; returns the result for the model as JSON. Never raises on what the model wrote."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTools:
    """The tools that a request offers, and how it was altered."""

    request: ChatRequest
    insertions: Sequence[Insertion]
    """Everything that was spliced into it, including the tools."""
    runner: ToolRunner


@dataclass(slots=True)
class _Rounds:
    """The rounds of one exchange so far."""

    backend: Backend
    ask: BackendRequest
    offer: OfferedTools
    done: list[ToolRound] = field(default_factory=list)
    usage: TokenUsage | None = None

    @property
    def names(self) -> frozenset[str]:
        """The tools whose calls we run: none after `MAX_TOOL_ROUNDS`."""
        return self.offer.runner.names if len(self.done) < MAX_TOOL_ROUNDS else frozenset()

    async def run(self, reply: Reply) -> BackendRequest:
        """Run the calls of a reply; return the next request."""
        results = [await self.offer.runner.call(call.name, call.arguments) for call in tool_calls_of(reply)]
        self.done.append(ToolRound(reply, results))
        cost, earlier = reply.usage or TokenUsage(), self.usage or TokenUsage()
        self.usage = TokenUsage(
            prompt_tokens=cost.prompt_tokens + earlier.prompt_tokens,
            completion_tokens=cost.completion_tokens + earlier.completion_tokens,
        )
        insertions = [*self.offer.insertions, append_rounds(self.offer.request, self.done)]
        return replace(self.ask, body=apply_insertions(self.offer.request, insertions))


@asynccontextmanager
async def run_tool_loop(backend: Backend, ask: BackendRequest, offer: OfferedTools) -> AsyncIterator[BackendResponse]:
    """Ask the backend; the answer of the last round looks as if it were the only one.

    Raises:
        UpstreamError: No answer came.
    """
    async with backend.chat(ask) as answer:
        if answer.status != OK or is_compressed(answer.headers):
            yield answer
        else:
            yield _RoundsAnswer(answer, _Rounds(backend, ask, offer))


@dataclass(frozen=True, slots=True)
class _RoundsAnswer:
    first: BackendResponse
    rounds: _Rounds

    @property
    def status(self) -> int:
        return self.first.status

    @property
    def headers(self) -> Headers:
        return tuple(pair for pair in self.first.headers if pair[0].lower() != b"content-length")

    async def chunks(self) -> AsyncIterator[bytes]:
        kind = (header(self.first.headers, b"content-type") or b"").lower()
        streamed = kind.startswith(b"text/event-stream")
        async with AsyncExitStack() as open_answers:
            answer: BackendResponse | None = self.first
            while answer is not None:
                reply: Reply | None = None
                if streamed:
                    buffer = ToolCallBuffer(self.rounds.names, self.rounds.usage)
                    async for chunk in answer.chunks():
                        if relayed := buffer.feed(chunk):
                            yield relayed
                    if rest := buffer.close():
                        yield rest
                    reply = buffer.reply if buffer.ours else None
                else:
                    chunks = answer.chunks()
                    body, has_ended = await read_up_to(chunks, MAX_KEPT_BYTES)
                    whole = (
                        await run_in_thread_if_large(len(body), partial(reply_from_json, body)) if has_ended else None
                    )
                    reply = whole if whole is not None and calls_only_ours(whole, self.rounds.names) else None
                    if reply is None:
                        yield _with_usage(body, self.rounds.usage) if has_ended else body
                    if not has_ended:
                        async for chunk in chunks:
                            yield chunk
                answer = await self._next_answer(reply, open_answers) if reply is not None else None

    async def _next_answer(self, reply: Reply, open_answers: AsyncExitStack) -> BackendResponse:
        ask = await self.rounds.run(reply)
        answer = await open_answers.enter_async_context(self.rounds.backend.chat(ask))
        if answer.status != OK:
            raise UpstreamBrokenError(f"upstream answered {answer.status} to what our tools found")
        return answer


def _with_usage(body: bytes, earlier: TokenUsage | None) -> bytes:
    answer: dict[str, Any] | None = read_object(body) if earlier is not None else None
    if answer is None or earlier is None or not isinstance(answer.get("usage"), dict):
        return body
    return json.dumps({**answer, "usage": add_usage(answer["usage"], earlier)}).encode()
