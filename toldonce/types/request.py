"""Requests of clients: their identity and scope, where prompts go, requests that are sent again. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from toldonce.types.subject import Subject

BUILT_IN = "built-in"
"""The upstream of the model that comes with ToldOnce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """The receiver of recalled memories. What is not known is None, and no pattern matches it."""

    upstream: str | None = None
    """Host of the model's API, such as `api.openai.com`; or `BUILT_IN`."""
    model: str | None = None
    """Name of the model, as the request gives it."""
    client: str | None = None
    """How the memories are asked for: `chat` through the proxy, `mcp`, `hook`, or a name that the caller gives."""

    @property
    def name(self) -> str:
        """The destination in one line, for traces and errors.

        >>> Destination(upstream="api.openai.com", model="gpt-5", client="chat").name
        'chat, upstream api.openai.com, model gpt-5'
        """
        upstream, model = self.upstream and f"upstream {self.upstream}", self.model and f"model {self.model}"
        return ", ".join(filter(None, (self.client, upstream, model))) or "an unknown destination"


UNKNOWN_DESTINATION = Destination()


InjectionMode = Literal["split", "system_append", "context_message", "user_prefix", "system_message"]
"""Where recalled memory goes in a prompt (chat/formats/)."""


class MemoryMode(StrEnum):
    """What a request allows memory to do (`x-toldonce-memory`)."""

    ON = "on"
    READ = "read"
    """Recall only."""
    RECORD = "record"
    """Record and form only: nothing is recalled."""
    OFF = "off"

    @property
    def recalls(self) -> bool:
        """Whether memories are recalled for the request."""
        return self in (MemoryMode.ON, MemoryMode.READ)

    @property
    def records(self) -> bool:
        """Whether the turn is recorded and formed."""
        return self in (MemoryMode.ON, MemoryMode.RECORD)


INTERACTION_MODES = ("chat", "qa", "summary")
"""Styles of extraction; the first is the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestScope:
    """The profile, app and characters that a request names."""

    profile: str | None = None
    """None: the one its conversation was opened with, else `otherwise`."""
    key_profile: str | None = None
    """The profile of the API key; None: the settings' profile."""
    app: str | None = None
    """Name of the app it belongs to; None: the one its conversation was opened with."""
    only_app: bool = False
    """Whether the sender's credential is for `app` alone: other memories and conversations are refused."""
    characters: tuple[str, str] | None = None
    """The characters that the assistant and the user play."""
    interaction: str | None = None
    """One of `INTERACTION_MODES`; None: the one its conversation was opened with, else the first."""
    destination: Destination = UNKNOWN_DESTINATION
    """Where the recalled memories go."""
    time_zone: str | None = None
    """Where the user is: `Europe/Berlin`, `CET`, `UTC+2`; None: as their own fact says, else the setting."""


NO_SCOPE = RequestScope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The user of a request, and how memory serves them."""

    subject: Subject | None
    """Owner of the memory; None: anonymous, nothing is read or stored."""
    tenant: str = ""
    """Tenant of the request; empty: the one of a server that serves only one."""
    memory: MemoryMode = MemoryMode.ON
    scope: RequestScope = NO_SCOPE
    conversation: str | None = None
    """The client's id of the chat."""
    append: bool = False
    """The id came in `x-toldonce-session`: the client may send only its newest message."""
    message_id: str | None = None
    """The client's id of the message or of the requested answer."""
    temporary: bool = False
    """A temporary chat: read, never recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A key that a client chose for a request."""

    subject: Subject
    """The subject of the request; the row is in its partition, and is erased with it."""
    key: bytes
    """Hash of the subject's text, the operation and the client's key: 16 bytes."""
    request: bytes
    """Hash of all that the request asks: 16 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer that is given again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ClaimState(StrEnum):
    """What becomes of a request with a key."""

    CLAIMED = "claimed"
    """It is the first: it may run."""
    RUNNING = "running"
    """An equal one is running."""
    ANSWERED = "answered"
    """An equal one was answered."""
    LOST = "lost"
    """An equal one took effect, but its answer is not kept: the process died, or what it said was erased."""
    REUSED = "reused"
    """Another request has used the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyClaim:
    """Result of claiming a key."""

    state: ClaimState
    token: int = 0
    """Of the one that may run: each of its transactions checks it."""
    answer: StoredAnswer | None = None
    """Of an answered one."""
