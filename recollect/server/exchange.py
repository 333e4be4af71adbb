"""One request on its way through the proxy, and what the proxy counts. Pure."""

from dataclasses import dataclass, field

from recollect.engine import PreparedTurn
from recollect.server.asgi import Headers, Send
from recollect.types import ChatRequest, Identity


@dataclass(slots=True)
class ProxyCounters:
    """What the proxy did since it started."""

    chats: int = 0
    recalled: int = 0
    recorded: int = 0
    not_recorded: int = 0
    memory_failed: int = 0
    background_tasks: int = 0
    refused_then_sent_plain: int = 0
    broken: int = 0
    client_left: int = 0


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request on its way."""

    headers: Headers
    body: bytes
    query: str
    send: Send
    request: ChatRequest | None
    identity: Identity
    prepared: PreparedTurn | None = None
    note: str = "off"
    """What the header `x-recollect-memory` of the answer says."""
    record: bool = False
    """Whether the turn is to be recorded."""
    show: bool = True
    keyed: bool = False
    """Whether it carries our key upstream."""
    settled: bool = field(default=False)
    """The record was tried already, once."""

    @property
    def model(self) -> str | None:
        """The model that was asked for."""
        return self.request.model if self.request else None
