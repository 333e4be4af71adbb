"""Answer one chat request: ask the backend, relay its bytes, and record the turn before `[DONE]`. Raw ASGI."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from toldonce.chat.formats.base import AnswerStream, ChatRequest, WireFormat
from toldonce.chat.reply import Reply
from toldonce.chat.splice import describe_memories
from toldonce.engine import PreparedTurn, PromptUse, run_in_thread_if_large
from toldonce.engine.prepared_turn import LEDGER_WAIT_S
from toldonce.errors import ToldOnceError, logged_text
from toldonce.guard import guarded
from toldonce.metrics import ProxyCounters
from toldonce.server.asgi import (
    ClientDisconnectedError,
    Headers,
    Send,
    answer_headers,
    header,
    is_compressed,
    send_body,
    send_start,
)
from toldonce.server.backends import Backend, BackendRequest
from toldonce.server.injection_fallback import InjectionFallbacks
from toldonce.server.status import ALTERATION_REFUSALS, OK, message_of, send_error, status_of
from toldonce.server.tool_loop import run_tool_loop
from toldonce.server.turn_recorder import AnsweredTurn, TurnRecorder
from toldonce.server.upstream import BackendResponse, UpstreamBrokenError, UpstreamError, read_up_to
from toldonce.settings.bounds import BoundSettings
from toldonce.types import Identity, RecalledMemory

logger = logging.getLogger(__name__)

_PIECE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One chat request as it came."""

    wire: WireFormat
    """The format it is written in."""
    headers: Headers
    body: bytes
    path: str
    """Its path without `/u/NAME`, with its query, as it came."""
    request: ChatRequest | None
    """Its parsed copy; None if the body cannot be read."""
    identity: Identity
    use: PromptUse
    """What its prompt is for."""
    shows_memories: bool
    """Whether the answer lists the memories that were used."""
    carries_key: bool
    """Whether the request carries our key upstream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMemory:
    """What memory does for one exchange."""

    note: str
    """Value of the answer's header `x-toldonce-memory`."""
    prepared: PreparedTurn | None = None
    """What was recalled; None if recall had no part or failed."""
    records: bool = False
    """Whether the turn is to be recorded."""

    @property
    def reads_answer(self) -> bool:
        """Whether the answer has to be read, so that it must come uncompressed."""
        return self.prepared is not None or self.records


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServices:
    """What all exchanges of a proxy share."""

    backend: Backend
    recorder: TurnRecorder
    fallbacks: InjectionFallbacks
    counters: ProxyCounters
    limits: BoundSettings
    """How much of an answer is read and recorded."""
    read_replayed: Callable[[PreparedTurn], Awaitable[tuple[RecalledMemory, ...]]]
    """Reads the memories that a prompt replays from earlier ones."""


class ChatResponder:
    """Answers one chat request; lives as long as its exchange."""

    def __init__(self, exchange: Exchange, memory: ChatMemory, services: ChatServices, send: Send) -> None:
        self._exchange = exchange
        self._prepared = memory.prepared
        self._note = memory.note
        self._records = memory.records
        self._reads_answer = memory.reads_answer
        self._services = services
        self._send = send
        self._recording_started = False
        self._items: tuple[RecalledMemory, ...] = ()
        self._replayed: asyncio.Task[tuple[RecalledMemory, ...]] | None = None
        self._waited_for_ledger = False
        self._awaits_answer = True

    async def respond(self) -> None:
        """Ask and relay; a request that upstream refuses with memory in it is sent again as it came."""
        original = self._exchange.body
        body = self._prepared.body if self._prepared else original
        built_in = self._services.backend.needs_valid_requests
        if self._prepared is not None and self._prepared.replayed and (built_in or self._exchange.shows_memories):
            self._replayed = asyncio.create_task(self._read_replayed(self._prepared))
        self._items = await self._shown_items() if built_in else ()
        try:
            async with self._ask(body) as answer:
                refused = answer.status in ALTERATION_REFUSALS and body is not original
                if not refused:
                    await self._relay(answer)
                    return
            await self._respond_without_memory()
        except UpstreamError as error:
            await send_error(self._send, status_of(error), message_of(error), wire=self._exchange.wire)
        except (asyncio.CancelledError, ClientDisconnectedError):
            self._record_question()
            raise
        finally:
            self._forget_replayed()

    # ---- the question

    def _ask(self, body: bytes) -> AbstractAsyncContextManager[BackendResponse]:
        """Ask the backend, with rounds of our own tools if the request offers them."""
        ask, request, prepared = self._backend_request(body), self._exchange.request, self._prepared
        if prepared is None or prepared.toolbox is None or request is None:
            return self._services.backend.chat(ask)
        return run_tool_loop(self._services.backend, ask, request, prepared.insertions, prepared.toolbox)

    async def _respond_without_memory(self) -> None:
        """Send the request as it came; if that is accepted, remember that this model refused the altered one."""
        exchange, services = self._exchange, self._services
        services.counters.refused_then_sent_plain += 1
        entry = self._prepared.entry if self._prepared else None
        self._prepared = self._prepared.without_block() if self._prepared else None
        self._forget_replayed()
        self._note = "refused by upstream"
        async with services.backend.chat(self._backend_request(exchange.body)) as answer:
            if answer.status not in ALTERATION_REFUSALS and exchange.identity.subject is not None:
                model = exchange.request.model if exchange.request else None
                services.fallbacks.remember(exchange.identity.subject, model)
                if entry is not None:
                    await entry.drop()
            await self._relay(answer)

    def _backend_request(self, body: bytes) -> BackendRequest:
        return BackendRequest(
            wire=self._exchange.wire,
            headers=self._exchange.headers,
            body=body,
            request=self._exchange.request,
            items=self._items,
            plain=self._reads_answer,
            record=self._record_ahead if self._records else None,
            path=self._exchange.path,
            carries_key=self._exchange.carries_key,
        )

    # ---- the answer

    async def _relay(self, answer: BackendResponse) -> None:
        """Relay an answer: unread, as a stream, or whole."""
        compressed = is_compressed(answer.headers)
        if answer.status != OK or compressed or not self._reads_answer:
            if compressed and answer.status == OK and self._records:
                self._note += f"; {self._services.recorder.report_unreadable()}"
            await self._relay_unread(answer)
        elif self._is_stream(answer):
            await self._relay_stream(answer)
        else:
            await self._relay_whole(answer)

    def _is_stream(self, answer: BackendResponse) -> bool:
        kind, request = (header(answer.headers, b"content-type") or b"").lower(), self._exchange.request
        return self._exchange.wire.is_stream(kind, wanted=request is not None and request.stream)

    async def _relay_unread(self, answer: BackendResponse) -> None:
        """Relay an answer that memory has no part in: errors, and everything with memory off."""
        self._awaits_answer = False
        length = header(answer.headers, b"content-length")
        await self._insertion_kept()
        await self._start(answer, int(length) if length else None)
        try:
            async for chunk in answer.chunks():
                await send_body(self._send, chunk, more=True)
        except UpstreamBrokenError as error:
            self._log_broken(error)
            return
        await send_body(self._send, b"", more=False)

    async def _relay_whole(self, answer: BackendResponse) -> None:
        rest, limits = answer.chunks(), self._services.limits
        try:
            body, has_ended = await read_up_to(rest, limits.max_answer_bytes)
        except UpstreamBrokenError as error:
            self._log_broken(error)
            await send_error(self._send, status_of(error), message_of(error), wire=self._exchange.wire)
            return
        if not has_ended:
            await self._relay_too_large(answer, body, rest)
            return
        wire = self._exchange.wire
        read = partial(wire.read_answer, body, limits.max_message_characters)
        reply = await run_in_thread_if_large(len(body), read)
        if reply is not None and (trouble := await self._record_before_done(reply)):
            self._note += f"; {trouble}"
        memories = await self._memories_json()
        spliced = body
        if memories:
            spliced = await run_in_thread_if_large(len(body), partial(wire.splice, body, memories))
        await self._insertion_kept()
        await self._start(answer, len(spliced))
        await send_body(self._send, spliced, more=False)

    async def _relay_too_large(self, answer: BackendResponse, begin: bytes, rest: AsyncIterator[bytes]) -> None:
        """Relay a whole answer that is larger than is read: without `memories`, and recorded as a mark."""
        self._note += "; answer too large to be read"
        length = header(answer.headers, b"content-length")
        await self._insertion_kept()
        await self._start(answer, int(length) if length else None)
        held, size = begin, len(begin)
        try:
            async for chunk in rest:
                await self._send_in_pieces(held)
                held, size = chunk, size + len(chunk)
        except UpstreamBrokenError as error:
            await self._send_in_pieces(held)
            self._log_broken(error)
            return  # without the closing chunk: the client must see that the answer broke off
        await self._record_before_done(Reply(text=f"[… an answer of {size:,} bytes]", complete=True, cut=True))
        await send_body(self._send, held, more=True)
        await send_body(self._send, b"", more=False)

    async def _send_in_pieces(self, data: bytes) -> None:
        """Send many bytes so that a client which does not read them keeps few in the connection's buffer."""
        for start in range(0, len(data), _PIECE_BYTES):
            await send_body(self._send, data[start : start + _PIECE_BYTES], more=True)

    async def _relay_stream(self, answer: BackendResponse) -> None:
        """Relay a stream; what had arrived when the client hung up is recorded all the same."""
        memories, limit = await self._memories_json(), self._services.limits.max_message_characters
        stream = self._exchange.wire.splice_stream(memories, limit)
        try:
            await self._stream(answer, stream)
        except (asyncio.CancelledError, ClientDisconnectedError):
            if turn := self._take_turn(stream.reply()):
                self._services.recorder.start_recording(turn)
            raise

    async def _stream(self, answer: BackendResponse, stream: AnswerStream) -> None:
        await self._start(answer, None)
        try:
            async for chunk in answer.chunks():
                if not self._waited_for_ledger:
                    await self._insertion_kept()
                for piece in stream.feed(chunk):
                    data = piece.data
                    if piece.held and not self._recording_started:
                        data = await self._record_in_stream(stream.reply(), data)
                    await send_body(self._send, data, more=True)
            rest = b"".join(piece.data for piece in stream.close())
        except UpstreamBrokenError as error:
            for piece in stream.close():
                await send_body(self._send, piece.data, more=True)
            await self._record_before_done(stream.reply())
            self._log_broken(error)
            return  # without the closing chunk: the client must see that the answer broke off
        if not self._recording_started:
            rest = await self._record_in_stream(stream.reply(), rest)
        if rest:
            await send_body(self._send, rest, more=True)
        await send_body(self._send, b"", more=False)

    async def _insertion_kept(self) -> None:
        """Wait until the turn's insertion is in the ledger.

        The client's next request may contain any byte of the answer that it got, and its prompt replays the insertion.
        """
        waits, self._waited_for_ledger = not self._waited_for_ledger, True
        if waits and self._prepared is not None and self._prepared.entry is not None:
            await self._prepared.entry.written()

    async def _start(self, answer: BackendResponse, length: int | None) -> None:
        headers = answer_headers(answer.headers, length=length)
        headers.append((b"x-toldonce-memory", self._note.encode()))
        scope = self._prepared.scope if self._prepared else None
        if scope is not None and scope.writes is not None and self._exchange.identity.memory.recalls:
            headers.append((b"x-toldonce-subject", quote(scope.writes.text, safe=":/@").encode()))
        await send_start(self._send, answer.status, headers)

    async def _memories_json(self) -> bytes | None:
        if self._prepared is None or not self._exchange.shows_memories:
            return None
        return describe_memories(await self._shown_items())

    async def _shown_items(self) -> tuple[RecalledMemory, ...]:
        """Return the memories in the prompt: those recalled for this request, and then the replayed ones."""
        own = self._prepared.items if self._prepared else ()
        if self._replayed is None:
            return own
        await asyncio.wait([self._replayed], timeout=LEDGER_WAIT_S)
        read = self._replayed.done() and self._replayed.exception() is None
        return (*own, *self._replayed.result()) if read else own

    def _forget_replayed(self) -> None:
        if self._replayed is not None:
            self._replayed.cancel()
            self._replayed = None

    async def _read_replayed(self, prepared: PreparedTurn) -> tuple[RecalledMemory, ...]:
        with guarded(logger, "replayed memories could not be read") as guard:
            try:
                return await self._services.read_replayed(prepared)
            except (ToldOnceError, OSError) as error:
                logger.warning("replayed memories could not be read", extra={"error": logged_text(error)})
        self._services.counters.memory_failed += guard.failure is not None
        return ()

    def _log_broken(self, error: UpstreamBrokenError) -> None:
        self._services.counters.broken += 1
        logger.warning("upstream broke off", extra={"error": str(error)})

    # ---- the record

    async def _record_in_stream(self, reply: Reply, end: bytes) -> bytes:
        """Record the turn before the end of its stream is sent; return that end, with what the client must be told."""
        trouble = await self._record_before_done(reply)
        return self._exchange.wire.with_note(end, trouble) if trouble else end

    def _record_question(self) -> None:
        """Start to record what was said if the client hung up before its whole answer: a stream records what came."""
        request = self._exchange.request
        if not self._awaits_answer or request is None or request.stream:
            return
        if turn := self._take_turn(Reply(text=""), with_answer=False):
            self._services.recorder.start_recording(turn)

    async def _record_ahead(self, text: str) -> bool:
        """Record the turn before its answer, which is known whole, leaves; return whether it is durable."""
        trouble = await self._record_before_done(Reply(text=text, complete=True))
        self._note += f"; {trouble}" if trouble else ""
        return not trouble

    async def _record_before_done(self, reply: Reply) -> str:
        """Record the turn if it is to be; return what the client must be told, if anything."""
        turn = self._take_turn(reply)
        if reply.usage is not None and self._prepared is not None:
            self._services.counters.prompt_tokens += reply.usage.prompt_tokens
            self._services.counters.cached_tokens += reply.usage.cached_tokens
        return await self._services.recorder.record_before_done(turn) if turn else ""

    def _take_turn(self, reply: Reply, *, with_answer: bool = True) -> AnsweredTurn | None:
        """Return the turn if it is to be recorded, and only once: later calls return None."""
        request, said_something = self._exchange.request, bool(reply.text or reply.payload)
        wanted = self._records and (reply.complete or said_something or not with_answer) and not reply.error
        if request is None or not wanted or self._recording_started:
            return None
        self._recording_started = True
        return AnsweredTurn(request=request, identity=self._exchange.identity, prepared=self._prepared, reply=reply)
