"""The routes of chats: one exchange from the client's bytes to the recorded turn. Raw ASGI.

The order is the promise: recall before the request leaves, every byte of the answer as it came, the record before
the end. ToldOnce calls no language model, and a failure of memory never breaks the chat.
"""

import asyncio
import logging
from collections.abc import Coroutine
from copy import copy
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from toldonce.chat.agent_prompts import is_of_agent
from toldonce.chat.formats.base import ChatRequest, WireFormat
from toldonce.chat.identity import IdentityPolicy, identify
from toldonce.chat.json_depth import has_more_values, nests_deeper
from toldonce.chat.messages import is_background_task
from toldonce.engine import AsyncToldOnce, PreparedTurn, PromptUse, run_in_thread_if_large
from toldonce.engine.query_builder import NO_SIMILARITY
from toldonce.errors import BadIdentityError, BadRequestError, ToldOnceError
from toldonce.guard import guarded
from toldonce.metrics import ProxyCounters
from toldonce.prompt.replay import PrefixState
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    header,
    path_user,
    query_of_scope,
    read_body,
    wait_for_disconnect,
    with_write_timeout,
)
from toldonce.server.auth.guard import caller_of, max_body_bytes
from toldonce.server.backends import Backend
from toldonce.server.chat_responder import ChatMemory, ChatResponder, ChatServices, Exchange
from toldonce.server.injection_fallback import InjectionFallbacks
from toldonce.server.json_body import too_deep
from toldonce.server.status import message_of, send_error, status_of
from toldonce.server.turn_recorder import TurnRecorder
from toldonce.server.upstream_key import UpstreamKeyPolicy
from toldonce.types import BUILT_IN, Destination, Identity, MemoryMode

logger = logging.getLogger(__name__)


class ChatProxy:
    """The route of one format: reads each request, recalls for it, and hands it to a responder of its own."""

    def __init__(
        self,
        wire: WireFormat,
        engine: AsyncToldOnce,
        backend: Backend,
        policy: IdentityPolicy,
        keys: UpstreamKeyPolicy | None = None,
        *,
        counters: ProxyCounters | None = None,
    ) -> None:
        """Create the route.

        Args:
            wire: The format of its chats.
            engine: The memory.
            backend: Answers the chats.
            policy: Which claims of identity are believed.
            keys: Which requests carry our upstream key; None: each client sends its own.
            counters: Counts the chats, with those of other routes; None: own ones.
        """
        self._wire = wire
        self._route = wire.route
        self._counts = False
        self._engine = engine
        self._backend = backend
        self._policy = policy
        self._keys = keys
        url = engine.settings.upstream_url
        self._upstream = BUILT_IN if url is None else urlsplit(url).hostname
        self.counters = counters or ProxyCounters()
        self._services = ChatServices(
            backend=backend,
            recorder=TurnRecorder(engine, self.counters),
            fallbacks=InjectionFallbacks(engine.clock),
            counters=self.counters,
            limits=engine.settings,
            read_replayed=engine.turns.read_replayed,
        )
        self._responses: set[asyncio.Task[None]] = set()

    def counter_at(self, route: str) -> "ChatProxy":
        """Return a route that counts the tokens of such requests with their memory."""
        counter = copy(self)
        counter._route, counter._counts = route, True
        return counter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one chat request."""
        self.counters.chats += not self._counts
        headers: Headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        refusal = self._keys.refusal("POST", self._route, headers, caller_of(scope)) if self._keys else None
        if refusal is not None:
            await send_error(send, refusal.status, refusal.message, wire=self._wire)
            return
        try:
            body = await read_body(receive, max_bytes=max_body_bytes(scope, self._engine.settings.max_body_bytes))
            exchange = await self._read(scope, headers, body)
        except ClientDisconnectedError:
            return
        except BodyTooLargeError as error:
            await send_error(send, status_of(error), message_of(error), wire=self._wire)
            return
        except ToldOnceError as error:
            param = error.param if isinstance(error, BadRequestError) else None
            await send_error(send, status_of(error), message_of(error), param=param, wire=self._wire)
            return
        send = with_write_timeout(send, self._engine.settings.idle_timeout_s)
        await self._run_until_disconnect(self._respond(exchange, send), receive)

    async def close(self) -> None:
        """End the answers that are under way, and wait for the records."""
        for response in tuple(self._responses):
            response.cancel()
        while under_way := (*self._responses, *self._services.recorder.pending):
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _parsed(self, body: bytes) -> ChatRequest | None:
        """Parse a body; None if it goes upstream without memory, because it is no chat or too large to be read.

        Raises:
            BadRequestError: It is nested too deeply, or the backend takes only chats and it is none.
            BodyTooLargeError: The backend takes only chats, and it is too large to be read.
        """
        try:
            return await run_in_thread_if_large(len(body), lambda: self._parsed_now(body))
        except BodyTooLargeError:
            if self._backend.needs_valid_requests:
                raise
            self._engine.metrics.cut["user"] += 1
            logger.warning("a request too large to be read is passed on without memory", extra={"bytes": len(body)})
            return None

    def _parsed_now(self, body: bytes) -> ChatRequest | None:
        """Do as `_parsed` in this thread; a body that is too large to be read is always refused."""
        settings = self._engine.settings
        if nests_deeper(body, settings.max_json_depth):
            raise BadRequestError(too_deep(settings.max_json_depth), param="body")
        if len(body) > settings.max_read_bytes or has_more_values(body, settings.max_json_values):
            raise BodyTooLargeError(
                f"the built-in model reads no body larger than {settings.max_read_bytes:,} bytes or with more than "
                f"{settings.max_json_values:,} values"
            )
        try:
            return self._wire.read(body)
        except BadRequestError:
            if self._backend.needs_valid_requests:
                raise
            return None

    async def _read(self, scope: Scope, headers: Headers, body: bytes) -> Exchange:
        settings, request = self._engine.settings, await self._parsed(body)
        keys, caller = self._keys, caller_of(scope)
        identity = identify(
            headers,
            path_user=path_user(scope),
            body_user=request.user if request else None,
            policy=self._policy,
            now=self._engine.clock.now(),
            caller=caller,
        )
        if request is not None:
            identity = replace(
                identity,
                conversation=identity.conversation or request.conversation,
                append=identity.append or request.is_kept_upstream,
            )
            to = Destination(upstream=self._upstream, model=request.model, client="chat")
            identity = replace(identity, scope=replace(identity.scope, destination=to))
        profile = self._engine.profile(identity.scope.profile or settings.profile)  # an unknown one is refused here
        if identity.scope.only_app and profile.subject.kind != "app":
            raise BadIdentityError(f"profile {profile.name} is not for apps, but this credential is for one app alone")
        show = header(headers, b"x-toldonce-show") or b"on"
        use = PromptUse.COUNT if self._counts else PromptUse.REPLAY if is_of_agent(headers) else PromptUse.ANSWER
        shows = settings.show_memories and use is PromptUse.ANSWER
        return Exchange(
            wire=self._wire,
            headers=headers,
            body=body,
            path=self._route + query_of_scope(scope),
            request=request,
            identity=identity,
            use=use,
            shows_memories=shows and show.strip().lower() != b"off",
            carries_key=keys is not None and keys.is_ours("POST", self._route, headers, caller),
        )

    async def _respond(self, exchange: Exchange, send: Send) -> None:
        memory = await self._recall(exchange.request, exchange.identity, exchange.use)
        await ChatResponder(exchange, memory, self._services, send).respond()

    async def _recall(self, request: ChatRequest | None, identity: Identity, use: PromptUse) -> ChatMemory:
        """Decide what memory does for a request, and recall for it. Never fails."""
        if identity.memory is MemoryMode.OFF:
            return ChatMemory(note="off")
        if identity.subject is None:
            return ChatMemory(note="anonymous")
        if request is None:
            return ChatMemory(note="skipped")
        is_task = is_background_task(request)
        self.counters.background_tasks += is_task or use is PromptUse.REPLAY
        if is_task:
            return ChatMemory(note="task")
        records = identity.memory.records and not identity.temporary and use is PromptUse.ANSWER
        refused = self._services.fallbacks.is_refused(identity.subject, request.model)
        with guarded(logger, "recall failed, the chat goes on without"):
            timeout_s = self._engine.settings.recall_timeout_s
            async with asyncio.timeout(timeout_s):
                prepared = await self._engine.turns.prepare(
                    request, identity, in_user_message=refused, timeout_s=timeout_s, use=use
                )
            self.counters.memory_failed += bool(prepared.failure)
            self.counters.recalled += bool(prepared.injected)
            mode = "task" if use is PromptUse.REPLAY else identity.memory.value
            return ChatMemory(note=_note(mode, prepared), prepared=prepared, records=records)
        self.counters.memory_failed += 1
        return ChatMemory(note=f"skipped{self._lost_prefix(identity)}", records=records)

    def _lost_prefix(self, identity: Identity) -> str:
        """Say that a prompt lacks what earlier ones had, if its placement replays them."""
        settings = self._engine.settings
        place = self._engine.profile(identity.scope.profile or settings.profile).context.place or settings.injection
        return f"; prefix={PrefixState.LOST.value}" if place == "split" else ""

    async def _run_until_disconnect(self, response: Coroutine[Any, Any, None], receive: Receive) -> None:
        """Respond until done or the client hangs up; the cancelled task closes the upstream connection."""
        responding = asyncio.create_task(response)
        disconnected = asyncio.create_task(wait_for_disconnect(receive))
        self._responses.add(responding)
        responding.add_done_callback(self._responses.discard)
        try:
            await asyncio.wait({responding, disconnected}, return_when=asyncio.FIRST_COMPLETED)
            if not responding.done():
                self.counters.client_left += 1
                responding.cancel()
            await asyncio.gather(responding, return_exceptions=True)
            if responding.cancelled() or (error := responding.exception()) is None:
                return
            if not isinstance(error, ClientDisconnectedError):
                raise error
            self.counters.client_left += 1
        finally:
            disconnected.cancel()
            responding.cancel()


def _note(mode: str, prepared: PreparedTurn) -> str:
    """Write the value of `x-toldonce-memory` after a recall."""
    missing = f"; {prepared.scope.missing}" if prepared.scope and prepared.scope.missing else ""
    # The full reason may name the operator's servers: it is in the log.
    failed = f"; {NO_SIMILARITY}, the embedder failed" if NO_SIMILARITY in prepared.warning else ""
    recent = f"; recent={prepared.recent}" if prepared.recent else ""
    # Only one placement replays earlier prompts.
    replayed = f"; replayed={prepared.replayed}; prefix={prepared.prefix.value}" if prepared.prefix else ""
    if prepared.failure and not prepared.replayed:
        return f"skipped{replayed}{missing}"
    failed = f"; {prepared.failure}" if prepared.failure else failed
    return f"{mode}; recalled={prepared.injected}{recent}{replayed}{missing}{failed}"
