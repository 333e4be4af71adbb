"""`RemoteToldOnce`: the engine's verbs over HTTP. Asks one server."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from toldonce.concurrency import gather_or_cancel
from toldonce.engine.arguments import read_choice, read_kinds, read_reason
from toldonce.engine.memories import parse_memory_id, require_limit
from toldonce.engine.results import ListOf
from toldonce.errors import ChangedMemoryError, UnknownProfileError
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
from toldonce.remote.messages import dated_messages, plain_messages
from toldonce.remote.over_http import OF_MEMORY, field, number, over_http, receipt
from toldonce.remote.services import RemoteServices
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
    Recall,
    RecordedTurn,
    RequestScope,
    Subject,
    is_same_but_for_uses,
)

if TYPE_CHECKING:
    from toldonce.engine.context_builder import PromptContext

_ALL_STATES = [state.value for state in MemoryState]
_CURRENT_STATES = [MemoryState.ACTIVE.value, MemoryState.HELD.value]


class RemoteToldOnce(RemoteServices):
    """A server's memory, with the methods of the library.

    `AsyncToldOnce.connect` opens it. `user` as None is the user of the API key.
    """

    _url = ""

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
        profiles = {
            raw["name"]: Profile.model_validate(
                {"name": raw["name"], "description": raw["description"], **raw["policies"]}
            )
            for raw in listed["profiles"]
        }
        memory = cls(client, profiles)
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
        if name not in self._profiles:
            raise UnknownProfileError(name, sorted(self._profiles))
        return self._profiles[name]

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
    erase = over_http("eraseMemory", receipt, **OF_MEMORY)

    async def search(  # noqa: PLR0913  # as the engine's
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        limit: int = 10,
        profile: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        destination: Destination | None = None,
        explain: bool = False,
        time_zone: str | None = None,
    ) -> Recall:
        """Find the memories relevant to a query: see `AsyncToldOnce.search`."""
        require_limit(limit)
        body = {
            "query": query,
            "limit": limit,
            "profile": profile,
            "at": written(at),
            "known_at": written(known_at),
            "destination": None if destination is None else asdict(destination),
            "explain": explain,
        }
        headers = scope_headers(RequestScope(time_zone=time_zone))
        call = Call(method="POST", path=self._client.path(user, "search"), body=body, headers=headers)
        return values.recall(await self._client.ask(call), self._client)

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

    async def correct(  # noqa: PLR0913  # as the engine's
        self,
        memory_id: str,
        text: str | None = None,
        *,
        user: str | Subject | None = None,
        true_until: datetime | None = None,
        value: str | None = None,
        importance: float | None = None,
        type: str | None = None,
        unchanged: Memory | None = None,
    ) -> Memory:
        """Close a memory that was wrong or is no longer true: see `AsyncToldOnce.correct`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id))
        call = Call(
            method="PATCH",
            path=path,
            body={
                "text": text,
                "true_until": written(true_until),
                "value": value,
                "importance": importance,
                "type": type,
            },
            headers=await self._if_match(path, unchanged),
            writes=True,
        )
        return values.memory(await self._client.ask(call), self._client)

    async def forget(
        self, memory_id: str, *, user: str | Subject | None = None, reason: str = "", unchanged: Memory | None = None
    ) -> Memory:
        """Close a memory and all that says the same: see `AsyncToldOnce.forget`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id))
        headers = await self._if_match(path, unchanged)
        body = {"reason": read_reason(reason)}
        call = Call(method="POST", path=f"{path}/close", body=body, headers=headers, writes=True)
        return values.memory(await self._client.ask(call), self._client)

    async def context(
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        scope: RequestScope = NO_SCOPE,
        messages: Sequence[Mapping[str, Any]] = (),
        use: bool = True,
    ) -> "PromptContext":
        """Return what memory would add to a prompt: see `AsyncToldOnce.context`.

        Counting the uses needs write access; with a key that only reads, pass `use=False`.
        """
        from toldonce.engine.context_builder import PromptContext

        body = {
            "query": query,
            "conversation": conversation,
            "messages": plain_messages(messages),
            "use": use,
            "destination": asdict(scope.destination),
        }
        path = self._client.path(user, "context")
        raw = await self._client.ask(Call(method="POST", path=path, body=body, headers=scope_headers(scope)))
        items = tuple(values.recalled(item, self._client) for item in raw["items"])
        left_out = tuple(values.read(OmittedMemory, item) for item in raw["left_out"])
        return values.read(PromptContext, {**raw, "items": items, "left_out": left_out})

    async def prompt(
        self,
        query: str,
        *,
        conversation: str,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        system: str = "",
        one_system: bool = False,
    ) -> ListOf[dict[str, str]]:
        """Write the messages of a chat request: see `AsyncToldOnce.prompt`."""
        call = Call(
            method="POST",
            path=self._client.path(user, "conversations", conversation, "prompt"),
            body={
                "query": query,
                "system": system,
                "one_system": one_system,
                "destination": asdict(scope.destination),
            },
            headers=scope_headers(scope),
        )
        return [dict(message) for message in (await self._client.ask(call))["messages"]]

    async def _if_match(self, path: str, unchanged: Memory | None) -> Mapping[str, str]:
        """Return the header that demands a memory as the caller read it; none without such a demand.

        Raises:
            ChangedMemoryError: It has changed already.
        """
        if unchanged is None:
            return {}
        headers, raw = await self._client.ask_with_head(Call(method="GET", path=path))
        known = values.memory(raw, self._client)
        if not is_same_but_for_uses(known, unchanged):
            raise ChangedMemoryError(known.id)
        return {"If-Match": headers["etag"]}
