"""`POST /v1/chat/completions`: one exchange from the client's bytes to the recorded turn. Raw ASGI.

The order is the promise: recall before the request leaves, every byte of the answer as it came, the record before
`[DONE]`. Nothing here calls a model of ours, and a failure of memory never breaks the chat.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

from recollect.chat.identity import IdentityPolicy, identify
from recollect.chat.reply import Reply, ReplyAssembler, reply_from_json
from recollect.chat.request import is_background_task, read_request
from recollect.chat.splice import MemoriesSplicer, describe_memories, splice_whole
from recollect.engine import AsyncRecollect, run_in_thread_if_large
from recollect.engine.query_builder import NO_SIMILARITY
from recollect.errors import BadRequestError, RecollectError, StaleSubjectError
from recollect.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    answer_headers,
    header,
    path_user,
    query_of_scope,
    read_body,
    send_body,
    send_json,
    send_start,
    wait_for_disconnect,
    with_write_timeout,
)
from recollect.server.backends import Backend, BackendRequest
from recollect.server.exchange import Exchange, ProxyCounters
from recollect.server.injection_fallback import InjectionFallbacks
from recollect.server.status import (
    BAD_GATEWAY,
    GATEWAY_TIMEOUT,
    PAYLOAD_TOO_LARGE,
    REFUSALS,
    error_body,
    error_kind,
    status_of,
)
from recollect.server.tool_loop import OfferedTools, run_tool_loop
from recollect.server.upstream import BackendResponse, UpstreamBrokenError, UpstreamError
from recollect.server.upstream_key import UpstreamKeyPolicy
from recollect.types import ChatRequest, MemoryMode

logger = logging.getLogger(__name__)

_ROUTE = "/chat/completions"
FAILED, LATE = "not recorded", "not recorded in time"
"""What a client is told of a record that failed, and of one that is still under way."""


def comment(what: str) -> bytes:
    """Write a comment line of the event stream: clients skip it, people who look see it."""
    return f": recollect: {what}\n\n".encode()


class ChatProxy:
    """The chat completions route."""

    def __init__(
        self, engine: AsyncRecollect, way: Backend, policy: IdentityPolicy, keys: UpstreamKeyPolicy | None = None
    ) -> None:
        """Take the engine, the way to the model, who is believed, and which requests carry our upstream key."""
        self._keys = keys
        self._engine = engine
        self._way = way
        self._policy = policy
        self._refusals = InjectionFallbacks(engine.clock)
        self._behind: set[asyncio.Task[None]] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self.counters = ProxyCounters()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one chat completion."""
        self.counters.chats += 1
        headers: Headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        refusal = self._keys.refusal("POST", _ROUTE, headers) if self._keys else None
        if refusal is not None:
            await self._refuse(send, refusal.status, refusal.message)
            return
        try:
            body = await read_body(receive, most=self._engine.settings.max_body_bytes)
        except ClientDisconnectedError:
            return
        except BodyTooLargeError as error:
            message = f"{error}; raise RECOLLECT_MAX_BODY_BYTES if it should be taken"
            await self._refuse(send, PAYLOAD_TOO_LARGE, message)
            return
        try:
            exchange = await self._read(scope, headers, body, send)
        except RecollectError as error:
            param = error.param if isinstance(error, BadRequestError) else None
            await self._refuse(send, status_of(error), str(error), param=param)
            return
        await self._until_gone(self._serve(exchange), receive)

    async def close(self) -> None:
        """End the answers that are still under way, and wait for the records."""
        for serving in tuple(self._serving):
            serving.cancel()
        while under_way := (*self._serving, *self._behind):
            await asyncio.gather(*under_way, return_exceptions=True)

    # ---- who and what

    async def _read(self, scope: Scope, headers: Headers, body: bytes, send: Send) -> Exchange:
        request: ChatRequest | None = None
        try:
            request = await run_in_thread_if_large(len(body), lambda: read_request(body))
        except BadRequestError:
            if self._way.needs_valid_requests:
                raise
        identity = identify(
            headers,
            path_user=path_user(scope),
            body_user=request.user if request else None,
            policy=self._policy,
            now=self._engine.clock.now(),
        )
        self._engine.profile(identity.scene.profile or self._engine.settings.profile)
        shown = header(headers, b"x-recollect-show") or b"on"
        return Exchange(
            headers=headers,
            body=body,
            query=query_of_scope(scope),
            send=with_write_timeout(send, self._engine.settings.idle_timeout_s),
            request=request,
            identity=identity,
            show=self._engine.settings.show_memories and shown.strip().lower() != b"off",
            keyed=self._keys is not None and self._keys.is_ours("POST", _ROUTE, headers),
        )

    async def _prepare(self, exchange: Exchange) -> None:
        """Recall for the request, and note what it may do with memory. Never fails."""
        identity, request = exchange.identity, exchange.request
        if identity.memory is MemoryMode.OFF:
            exchange.note = "off"
        elif identity.subject is None:
            exchange.note = "anonymous"
        elif request is None:
            exchange.note = "skipped"
        elif is_background_task(request):
            self.counters.background_tasks += 1
            exchange.note = "task"
        else:
            exchange.record = identity.memory.records and not identity.temporary
            mode = self._refusals.mode(identity.subject, request.model)
            try:
                async with asyncio.timeout(self._engine.settings.recall_timeout_s):
                    exchange.prepared = await self._engine.turns.prepare(request, identity, mode=mode)
            except Exception as error:
                self.counters.memory_failed += 1
                exchange.note = "skipped"
                if isinstance(error, StaleSubjectError):  # a traceback would name the user
                    logger.warning("recall failed, the chat goes on without", extra={"error": error.logged})
                else:
                    logger.exception("recall failed, the chat goes on without")
                return
            found = exchange.prepared.injected
            self.counters.recalled += bool(found)
            scope = exchange.prepared.scope
            missing = f"; {scope.missing}" if scope and scope.missing else ""
            # The full reason may name the operator's servers: it is in the log.
            blind = f"; {NO_SIMILARITY}, the embedder failed" if NO_SIMILARITY in exchange.prepared.warning else ""
            recent = f"; recent={exchange.prepared.recent}" if exchange.prepared.recent else ""
            exchange.note = f"{identity.memory.value}; recalled={found}{recent}{missing}{blind}"

    # ---- the answer

    async def _serve(self, exchange: Exchange) -> None:
        await self._prepare(exchange)
        body = exchange.prepared.body if exchange.prepared else exchange.body
        try:
            async with self._asking(exchange, body) as answer:
                refused = answer.status in REFUSALS and body is not exchange.body
                if not refused:
                    await self._pass_on(exchange, answer)
                    return
            await self._serve_plain(exchange)
        except UpstreamError as error:
            status = GATEWAY_TIMEOUT if error.timed_out else BAD_GATEWAY
            await self._refuse(exchange.send, status, str(error))

    def _asking(self, exchange: Exchange, body: bytes) -> AbstractAsyncContextManager[BackendResponse]:
        """Ask, with rounds of our own tools where the request offers them."""
        ask, prepared = self._ask(exchange, body), exchange.prepared
        if prepared is None or prepared.toolbox is None or exchange.request is None:
            return self._way.chat(ask)
        offered = OfferedTools(request=exchange.request, insertions=prepared.insertions, executor=prepared.toolbox)
        return run_tool_loop(self._way, ask, offered)

    async def _serve_plain(self, exchange: Exchange) -> None:
        """Upstream refused the altered request: send it as it came, and remember if that was it."""
        self.counters.refused_then_sent_plain += 1
        exchange.prepared = exchange.prepared.without_block() if exchange.prepared else None
        exchange.note = "refused by upstream"
        async with self._way.chat(self._ask(exchange, exchange.body)) as answer:
            if answer.status not in REFUSALS and exchange.identity.subject is not None:
                self._refusals.remember(exchange.identity.subject, exchange.model)
            await self._pass_on(exchange, answer)

    async def _pass_on(self, exchange: Exchange, answer: BackendResponse) -> None:
        kind = (header(answer.headers, b"content-type") or b"").lower()
        packed = header(answer.headers, b"content-encoding") not in (None, b"", b"identity")
        if answer.status != 200 or packed or not self._reads(exchange):
            if packed and answer.status == 200 and exchange.record:
                self._unreadable(exchange)
            await self._pass_unread(exchange, answer)
        elif kind.startswith(b"text/event-stream") or (b"json" not in kind and self._streams(exchange)):
            await self._pass_stream(exchange, answer)
        else:
            await self._pass_whole(exchange, answer)

    @classmethod
    def _ask(cls, exchange: Exchange, body: bytes) -> BackendRequest:
        items = exchange.prepared.items if exchange.prepared else ()
        return BackendRequest(
            headers=exchange.headers,
            body=body,
            request=exchange.request,
            items=items,
            plain=cls._reads(exchange),
            remembers=exchange.record,
            query=exchange.query,
            keyed=exchange.keyed,
        )

    @staticmethod
    def _streams(exchange: Exchange) -> bool:
        """Whether a stream was asked for; some servers answer with one and name it something else."""
        return exchange.request is not None and exchange.request.stream

    def _unreadable(self, exchange: Exchange) -> None:
        """Say that an answer came compressed although it was asked for plain: it passes, but cannot be recorded."""
        self.counters.not_recorded += 1
        exchange.note += f"; {FAILED}"
        logger.error("the turn was not recorded: upstream compresses what was asked for plain")

    @staticmethod
    def _reads(exchange: Exchange) -> bool:
        return exchange.prepared is not None or exchange.record

    async def _pass_unread(self, exchange: Exchange, answer: BackendResponse) -> None:
        """Pass an answer on that memory has no part in: errors, and everything with memory off."""
        length = header(answer.headers, b"content-length")
        await self._start(exchange, answer, int(length) if length else None)
        try:
            async for chunk in answer.chunks():
                await send_body(exchange.send, chunk, more=True)
        except UpstreamBrokenError as error:
            self._broke(error)
            return
        await send_body(exchange.send, b"", more=False)

    async def _pass_whole(self, exchange: Exchange, answer: BackendResponse) -> None:
        try:
            body = b"".join([chunk async for chunk in answer.chunks()])
        except UpstreamBrokenError as error:
            self._broke(error)
            await self._refuse(exchange.send, BAD_GATEWAY, str(error))
            return
        reply = reply_from_json(body)
        if reply is not None and (trouble := await self._settle(exchange, reply)):
            exchange.note += f"; {trouble}"
        spliced = splice_whole(body, shown) if (shown := self._shown(exchange)) else body
        await self._start(exchange, answer, len(spliced))
        await send_body(exchange.send, spliced, more=False)

    async def _pass_stream(self, exchange: Exchange, answer: BackendResponse) -> None:
        assembler = ReplyAssembler()
        try:
            await self._stream(exchange, answer, assembler)
        except (asyncio.CancelledError, ClientDisconnectedError):
            if self._wanted(exchange, assembler.reply()):
                self._later(exchange, assembler.reply())
            raise

    async def _stream(self, exchange: Exchange, answer: BackendResponse, assembler: ReplyAssembler) -> None:
        splicer = MemoriesSplicer(self._shown(exchange), assembler)
        await self._start(exchange, answer, None)
        try:
            async for chunk in answer.chunks():
                for piece in splicer.feed(chunk):
                    if piece.held and not exchange.settled:
                        await self._settle_aloud(exchange, assembler.reply())
                    await send_body(exchange.send, piece.data, more=True)
            rest = splicer.close()
        except UpstreamBrokenError as error:
            for piece in splicer.close():
                await send_body(exchange.send, piece.data, more=True)
            await self._settle(exchange, assembler.reply())
            self._broke(error)
            return  # without the closing chunk: what was broken ends as broken
        if not exchange.settled:
            await self._settle_aloud(exchange, assembler.reply())
        for piece in rest:
            await send_body(exchange.send, piece.data, more=True)
        await send_body(exchange.send, b"", more=False)

    async def _settle_aloud(self, exchange: Exchange, reply: Reply) -> None:
        if trouble := await self._settle(exchange, reply):
            await send_body(exchange.send, comment(trouble), more=True)

    async def _start(self, exchange: Exchange, answer: BackendResponse, length: int | None) -> None:
        headers = answer_headers(answer.headers, length=length)
        headers.append((b"x-recollect-memory", exchange.note.encode()))
        await send_start(exchange.send, answer.status, headers)

    @staticmethod
    def _shown(exchange: Exchange) -> bytes | None:
        if exchange.prepared is None or not exchange.show:
            return None
        return describe_memories(exchange.prepared.items)

    # ---- the record

    async def _settle(self, exchange: Exchange, reply: Reply) -> str:
        """Record the turn, waiting no longer than the setting says; return what a client must know, if anything."""
        if not self._wanted(exchange, reply):
            return ""
        record = self._later(exchange, reply)
        done, _ = await asyncio.wait({record}, timeout=self._engine.settings.commit_timeout_s)
        if record in done and record.exception() is None:
            return ""
        self.counters.not_recorded += 1
        trouble = FAILED if record in done else LATE
        logger.error("the turn was %s", trouble)
        return trouble

    @staticmethod
    def _wanted(exchange: Exchange, reply: Reply) -> bool:
        said_something = bool(reply.text or reply.payload)
        return exchange.record and not exchange.settled and (reply.complete or said_something) and not reply.error

    def _later(self, exchange: Exchange, reply: Reply) -> asyncio.Task[None]:
        """Start recording; the task goes on whatever becomes of the client."""
        exchange.settled = True
        task = asyncio.create_task(self._record(exchange, reply))
        self._behind.add(task)
        task.add_done_callback(self._recorded)
        return task

    def _recorded(self, task: asyncio.Task[None]) -> None:
        self._behind.discard(task)
        if not task.cancelled():
            task.exception()  # looked at: its traceback was logged where it happened, and nobody may wait any more

    async def _record(self, exchange: Exchange, reply: Reply) -> None:
        if exchange.request is None:
            return
        try:
            await self._engine.turns.finish(exchange.request, exchange.identity, reply, exchange.prepared)
        except Exception:
            self.counters.memory_failed += 1
            logger.exception("recording failed")
            raise
        self.counters.recorded += 1

    # ---- endings

    def _broke(self, error: Exception) -> None:
        self.counters.broken += 1
        logger.warning("upstream broke off", extra={"error": str(error)})

    async def _refuse(self, send: Send, status: int, message: str, *, param: str | None = None) -> None:
        await send_json(send, status, error_body(message, kind=error_kind(status), param=param))

    async def _until_gone(self, serving: Coroutine[Any, Any, None], receive: Receive) -> None:
        """Serve until done or the client hangs up; upstream is closed with the cancelled task."""
        work = asyncio.create_task(serving)
        gone = asyncio.create_task(wait_for_disconnect(receive))
        self._serving.add(work)
        work.add_done_callback(self._serving.discard)
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self.counters.client_left += 1
                work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            if work.cancelled() or (error := work.exception()) is None:
                return
            if not isinstance(error, ClientDisconnectedError):
                raise error
            self.counters.client_left += 1
        finally:
            gone.cancel()
            work.cancel()
