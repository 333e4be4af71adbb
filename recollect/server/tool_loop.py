"""Rounds of our own tools between a client's request and the answer it sees. Asks upstream again, up to three times."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from recollect.chat.reply import Reply, TokenUsage, read_object, reply_from_json
from recollect.chat.splice import apply_insertions
from recollect.chat.tools import ToolCallBuffer, calls_of, next_round, ours_alone, summed
from recollect.server.asgi import Headers, header, is_compressed
from recollect.server.backends import Backend, BackendRequest
from recollect.server.status import OK
from recollect.server.upstream import BackendResponse, UpstreamBrokenError
from recollect.types import ChatRequest, Insertion

# Rounds beyond which an answer passes as it is: a model that goes on searching has not found it in three.
MAX_TOOL_ROUNDS = 3


class ToolRunner(Protocol):
    """Does what a model's calls of our tools ask for."""

    @property
    def names(self) -> frozenset[str]:
        """The tools offered."""
        ...

    async def call(self, name: str, arguments: str) -> str:
        """Do one call; returns what the model is told, as JSON. Never raises on what the model wrote."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTools:
    """What a request is offered, and what it is altered by."""

    request: ChatRequest
    insertions: Sequence[Insertion]
    """All that is spliced into it, the tools included."""
    runner: ToolRunner


@dataclass(slots=True)
class _Rounds:
    """The rounds of one exchange so far."""

    backend: Backend
    ask: BackendRequest
    offer: OfferedTools
    done: list[tuple[Reply, Sequence[str]]] = field(default_factory=list)
    usage: TokenUsage | None = None

    @property
    def names(self) -> frozenset[str]:
        """The tools whose calls are ours to do: none once there were enough rounds."""
        return self.offer.runner.names if len(self.done) < MAX_TOOL_ROUNDS else frozenset()

    async def again(self, reply: Reply) -> BackendRequest:
        """Do what a reply calls for; return what to ask next."""
        results = [await self.offer.runner.call(name, arguments) for _, name, arguments in calls_of(reply)]
        self.done.append((reply, results))
        cost, earlier = reply.usage or TokenUsage(), self.usage or TokenUsage()
        self.usage = TokenUsage(
            prompt_tokens=cost.prompt_tokens + earlier.prompt_tokens,
            completion_tokens=cost.completion_tokens + earlier.completion_tokens,
        )
        insertions = [*self.offer.insertions, next_round(self.offer.request, self.done)]
        return replace(self.ask, body=apply_insertions(self.offer.request, insertions))


@asynccontextmanager
async def run_tool_loop(backend: Backend, ask: BackendRequest, offer: OfferedTools) -> AsyncIterator[BackendResponse]:
    """Ask, and show the answer of the last round as if it were the only one.

    Raises:
        UpstreamError: no answer came.
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
                    holder = ToolCallBuffer(self.rounds.names, self.rounds.usage)
                    async for chunk in answer.chunks():
                        if passed := holder.feed(chunk):
                            yield passed
                    if rest := holder.close():
                        yield rest
                    reply = holder.reply if holder.ours else None
                else:
                    body = b"".join([chunk async for chunk in answer.chunks()])
                    found = reply_from_json(body)
                    reply = found if found is not None and ours_alone(found, self.rounds.names) else None
                    if reply is None:
                        yield _with_usage(body, self.rounds.usage)
                answer = await self._again(reply, open_answers) if reply is not None else None

    async def _again(self, reply: Reply, open_answers: AsyncExitStack) -> BackendResponse:
        ask = await self.rounds.again(reply)
        answer = await open_answers.enter_async_context(self.rounds.backend.chat(ask))
        if answer.status != OK:
            raise UpstreamBrokenError(f"upstream answered {answer.status} to what our tools found")
        return answer


def _with_usage(body: bytes, earlier: TokenUsage | None) -> bytes:
    said: dict[str, Any] | None = read_object(body) if earlier is not None else None
    if said is None or earlier is None or not isinstance(said.get("usage"), dict):
        return body
    return json.dumps({**said, "usage": summed(said["usage"], earlier)}).encode()
