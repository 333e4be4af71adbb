"""Run calls of our own tools, and ask upstream again with the results, up to three times. Connects upstream."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from toldonce.chat.formats.base import ChatRequest, Insertion, ToolFormat
from toldonce.chat.reply import Reply, TokenUsage
from toldonce.chat.splice import apply_insertions
from toldonce.chat.tools import MAX_KEPT_BYTES, ToolRound
from toldonce.engine import run_in_thread_if_large
from toldonce.engine.memory_tools import MemoryTools
from toldonce.server.asgi import Headers, header, is_compressed
from toldonce.server.backends import Backend, BackendRequest
from toldonce.server.status import OK
from toldonce.server.upstream import BackendResponse, UpstreamBrokenError, read_up_to

# After this many rounds an answer is relayed as it is: a model that goes on searching will not find it.
MAX_TOOL_ROUNDS = 3


@dataclass(slots=True)
class _Rounds:
    """The rounds of one exchange so far."""

    backend: Backend
    ask: BackendRequest
    request: ChatRequest
    insertions: Sequence[Insertion]
    """Everything that was spliced into it, including the tools."""
    tools: MemoryTools
    wire: ToolFormat
    done: list[ToolRound] = field(default_factory=list)
    usage: TokenUsage | None = None

    @property
    def names(self) -> frozenset[str]:
        """The tools whose calls we run: none after `MAX_TOOL_ROUNDS`."""
        return self.tools.names if len(self.done) < MAX_TOOL_ROUNDS else frozenset()

    async def run(self, reply: Reply) -> BackendRequest:
        """Run the calls of a reply; return the next request."""
        results = [await self.tools.call(call.name, call.arguments) for call in reply.calls]
        self.done.append(ToolRound(reply, results))
        cost, earlier = reply.usage or TokenUsage(), self.usage or TokenUsage()
        self.usage = TokenUsage(
            prompt_tokens=cost.prompt_tokens + earlier.prompt_tokens,
            completion_tokens=cost.completion_tokens + earlier.completion_tokens,
        )
        insertions = [*self.insertions, self.wire.append_rounds(self.request, self.done)]
        return replace(self.ask, body=apply_insertions(self.request, insertions))


@asynccontextmanager
async def run_tool_loop(
    backend: Backend, ask: BackendRequest, request: ChatRequest, insertions: Sequence[Insertion], tools: MemoryTools
) -> AsyncIterator[BackendResponse]:
    """Ask the backend; the answer of the last round looks as if it were the only one.

    Args:
        backend: Answers.
        ask: What it is asked in the first round.
        request: The chat request as it came.
        insertions: Everything that was spliced into it, including the offer of `tools`.
        tools: Run the model's calls.

    Raises:
        UpstreamError: No answer came.
    """
    async with backend.chat(ask) as answer:
        wire = request.wire.tools
        if wire is None or answer.status != OK or is_compressed(answer.headers):
            yield answer
        else:
            yield _RoundsAnswer(answer, _Rounds(backend, ask, request, insertions, tools, wire))


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
        streamed, wire = kind.startswith(b"text/event-stream"), self.rounds.wire
        async with AsyncExitStack() as open_answers:
            answer: BackendResponse | None = self.first
            while answer is not None:
                reply: Reply | None = None
                if streamed:
                    held = wire.hold_calls(self.rounds.names, self.rounds.usage)
                    async for chunk in answer.chunks():
                        if relayed := held.feed(chunk):
                            yield relayed
                    if rest := held.close():
                        yield rest
                    reply = held.our_calls()
                else:
                    chunks = answer.chunks()
                    body, has_ended = await read_up_to(chunks, MAX_KEPT_BYTES)
                    read = partial(self.rounds.ask.wire.read_answer, body)
                    whole = await run_in_thread_if_large(len(body), read) if has_ended else None
                    reply = whole if whole is not None and whole.calls_only(self.rounds.names) else None
                    if reply is None:
                        usage = self.rounds.usage
                        yield wire.add_usage(body, usage) if has_ended and usage is not None else body
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
