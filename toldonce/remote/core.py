"""`RemoteToldOnce`: the engine's verbs over HTTP. Asks one server."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Never, Self

from toldonce.concurrency import gather_or_cancel
from toldonce.engine.arguments import read_choice, read_kinds, read_reason
from toldonce.engine.core import AsyncToldOnce
from toldonce.engine.lazy_property import lazy_property
from toldonce.engine.memories import parse_memory_id, require_limit
from toldonce.engine.results import ListOf
from toldonce.errors import UnknownProfileError
from toldonce.profiles.policies import Profile
from toldonce.remote import values
from toldonce.remote.client import (
    LONG_TIMEOUT_S,
    Call,
    RemoteOptions,
    RestClient,
    scope_headers,
    written,
)
from toldonce.remote.over_http import (
    NOT_OVER_HTTP,
    OF_MEMORY,
    dated_messages,
    each,
    field,
    number,
    over_http,
    receipt,
    sent_messages,
    unavailable,
)
from toldonce.remote.transport import AiohttpTransport, Transport, base_url
from toldonce.types import (
    ANY_TRAITS,
    NO_SCOPE,
    Destination,
    Memory,
    MemoryKind,
    MemoryOrder,
    MemoryState,
    MemoryTraits,
    OmittedMemory,
    RecordedTurn,
    RequestScope,
    Subject,
)

if TYPE_CHECKING:
    from toldonce.engine.context_builder import PromptContext

_ALL_STATES = [state.value for state in MemoryState]
_CURRENT_STATES = [MemoryState.ACTIVE.value, MemoryState.HELD.value]


class _NoImmediateNotes:
    """Nothing is added without a request."""

    def add(self, *_: object, **__: object) -> None:
        """Leave it to the request."""

    def add_many(self, *_: object, **__: object) -> None:
        """Leave it to the request."""


def _namespace(module: str, service: str) -> Any:
    """Return a property: a namespace of the connection, loaded at its first use."""

    def load(self: "RemoteToldOnce") -> Any:
        return getattr(import_module(f"toldonce.remote.{module}"), service)(self._client)

    return lazy_property(load)


def _check_limit(limit: int, **_: object) -> None:
    require_limit(limit)


def _reason(reason: str, client: RestClient) -> str:
    return read_reason(reason)


def _ids(memories: Sequence[str], client: RestClient) -> object:
    return [parse_memory_id(memory) for memory in memories]


def _object(raw: Mapping[str, str], client: RestClient) -> dict[str, str]:
    return dict(raw)


def _context(raw: Mapping[str, Any], client: RestClient) -> "PromptContext":
    """Read what memory would add to a prompt."""
    from toldonce.engine.context_builder import PromptContext

    items = tuple(values.recalled(item, client) for item in raw["items"])
    left_out = tuple(values.read(OmittedMemory, item) for item in raw["left_out"])
    return values.read(PromptContext, {**raw, "items": items, "left_out": left_out})


class RemoteToldOnce(AsyncToldOnce):
    """A server's memory, with the methods of the library.

    `AsyncToldOnce.connect` opens it. `user` as None is the user of the API key.
    """

    conversations = _namespace("conversations", "RemoteConversationService")
    traces = _namespace("conversations", "RemoteTraceService")
    characters = _namespace("conversations", "RemoteCharacterService")
    agent_notes = _namespace("conversations", "RemoteAgentNoteService")
    history = _namespace("history", "RemoteHistoryService")
    health = _namespace("history", "RemoteHealthService")
    reviews = _namespace("history", "RemoteReviewService")
    shared = _namespace("history", "RemoteSharedMemoryService")
    bulk = _namespace("history", "RemoteBulkService")
    vectors = _namespace("history", "RemoteVectorService")
    keys = _namespace("admin", "RemoteKeyService")
    embedder = _namespace("admin", "RemoteEmbedderService")
    admin = _namespace("admin", "RemoteAdminService")
    apps = _namespace("transfer", "RemoteAppService")
    erasure = _namespace("transfer", "RemoteErasureService")
    transfer = _namespace("transfer", "RemoteTransferService")

    def __init__(self, client: RestClient) -> None:
        """Serve through a client, which is closed with it."""
        self._client = client
        self._url = ""
        self.lock = threading.RLock()
        self.search_now = lambda *_, **__: None
        self.immediate_notes = _NoImmediateNotes()  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Never:
        """Refuse what only the server's process has."""
        if name in NOT_OVER_HTTP:
            raise unavailable(name)
        raise AttributeError(f"a connection to a server has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<ToldOnce at {self._url}>"

    @classmethod
    async def reach(cls, url: str, options: RemoteOptions, *, transport: Transport | None = None) -> Self:
        """Connect to a server, and check the credential.

        Args:
            url: Of the server, with the path before `/v1` if it has one.
            options: The API key, and how long to wait.
            transport: Sends the requests; by default aiohttp does, to `url`.

        Raises:
            BadSettingError: the URL cannot be used.
            NoCredentialError: the server needs a valid API key.
            ServerUnreachableError: it does not answer.
            BadServerError: it is no ToldOnce server of this version.
        """
        client = RestClient(transport or AiohttpTransport(base_url(url)), options)
        async with AsyncExitStack() as on_failure:
            on_failure.push_async_callback(client.close)
            connection, listed = await gather_or_cancel(
                client.ask(Call(method="GET", path=path)) for path in ("/v1/connection", "/v1/profiles")
            )
            on_failure.pop_all()
        client.tenant = connection["tenant"]
        client.user = None if connection["subject"] is None else client.parsed(connection["subject"])
        client.profiles = {
            raw["name"]: Profile.model_validate(
                {"name": raw["name"], "description": raw["description"], **raw["policies"]}
            )
            for raw in listed["profiles"]
        }
        memory = cls(client)
        memory._url = base_url(url)
        return memory

    async def close(self) -> None:
        """Close the connections. The server goes on."""
        await self._client.close()

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name: see `AsyncToldOnce.subject`."""
        return self._client.subject(user)

    def profile(self, name: str) -> Profile:
        """Return a profile of the server, as it was when the connection was opened."""
        if name not in self._client.profiles:
            raise UnknownProfileError(name, sorted(self._client.profiles))
        return self._client.profiles[name]

    async def add(
        self,
        text: str,
        *,
        user: str | Subject | None = None,
        importance: float = 0.7,
        type: str = "",
        profile: str | None = None,
    ) -> Memory:
        """Store a sentence as a note: see `AsyncToldOnce.add`."""
        note = {"text": text, "importance": importance, "type": type}
        body = {"memories": [note], "profile": profile}
        call = Call(method="POST", path=self._client.path(user, "memories"), body=body, writes=True)
        [stored] = (await self._client.ask(call))["memories"]
        return values.memory(stored, self._client)

    async def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        said_at: datetime | Sequence[datetime] | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> RecordedTurn:
        """Log messages: see `AsyncToldOnce.record`."""
        steps = ("messages",) if conversation is None else ("conversations", conversation, "messages")
        call = Call(
            method="POST",
            path=self._client.path(user, *steps),
            body={"messages": dated_messages(messages, said_at)},
            headers=scope_headers(scope),
            writes=True,
        )
        return values.read(RecordedTurn, await self._client.ask(call))

    form = over_http("runFormations", field("formations", number), timeout_s=LONG_TIMEOUT_S)
    get = over_http("getMemory", values.memory, **OF_MEMORY)
    search = over_http("searchMemories", values.recall, check=_check_limit)
    correct = over_http("correctMemory", values.memory, **OF_MEMORY)
    forget = over_http("closeMemory", values.memory, **OF_MEMORY, send={"reason": _reason})
    erase = over_http("eraseMemory", receipt, **OF_MEMORY)
    # Counting the uses needs write access: with a key that only reads, pass `use=False`.
    context = over_http("getContext", _context, send={"messages": sent_messages, "shown": _ids}, tells_destination=True)
    prompt = over_http("writePrompt", field("messages", each(_object)), tells_destination=True)

    async def list(  # noqa: PLR0913  # as the engine's
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] | None = None,
        closed: bool = False,
        after: str | None = None,
        tag: str = "",
        order: MemoryOrder = MemoryOrder.NEWEST,
        limit: int = 100,
        at: datetime | None = None,
        known_at: datetime | None = None,
        destination: Destination | None = None,
        where: MemoryTraits = ANY_TRAITS,
    ) -> ListOf[Memory]:
        """List memories: see `AsyncToldOnce.list`."""
        wanted = read_kinds(kinds)
        if wanted == ():
            return []
        is_past = at is not None or known_at is not None
        query = {
            "kind": None if wanted is None else [kind.value for kind in wanted],
            "state": _ALL_STATES if closed or is_past else _CURRENT_STATES,
            "tag": tag,
            "order": read_choice(MemoryOrder, order, "order").value,
            "at": written(at),
            "known_at": written(known_at),
            "type": where.type or None,
            "category": where.category or None,
            "conversation": where.conversation,
            "since": written(where.since),
            "until": written(where.until),
        }
        if destination is not None:
            named = {name: value for name, value in asdict(destination).items() if value is not None}
            query |= {"reader": "model", **named}
        call = Call(method="GET", path=self._client.path(user, "memories"), query=query)
        cursor = parse_memory_id(after) if after else None
        return values.memories(await self._client.pages(call, "memories", limit, cursor=cursor), self._client)
