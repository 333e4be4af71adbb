"""The namespaces of a connection, each loaded at its first use. Opens nothing."""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Never

from toldonce.engine.core import AsyncToldOnce
from toldonce.engine.lazy_property import lazy_property
from toldonce.profiles.policies import Profile
from toldonce.remote.client import RestClient
from toldonce.remote.unavailable import NOT_OVER_HTTP, unavailable

if TYPE_CHECKING:
    from toldonce.remote.admin import RemoteAdminService, RemoteEmbedderService, RemoteKeyService
    from toldonce.remote.conversations import (
        RemoteAgentNoteService,
        RemoteCharacterService,
        RemoteConversationService,
        RemoteTraceService,
    )
    from toldonce.remote.history import (
        RemoteBulkService,
        RemoteHealthService,
        RemoteHistoryService,
        RemoteReviewService,
        RemoteSharedMemoryService,
        RemoteVectorService,
    )
    from toldonce.remote.transfer import RemoteAppService, RemoteErasureService, RemoteTransferService


class _NoImmediateNotes:
    """Nothing is added without a request."""

    def add(self, *_: object, **__: object) -> None:
        """Leave it to the request."""

    def add_many(self, *_: object, **__: object) -> None:
        """Leave it to the request."""


class RemoteServices(AsyncToldOnce):
    """What a server offers, by subject."""

    def __init__(self, client: RestClient, profiles: Mapping[str, Profile]) -> None:
        """Serve through a client, which is closed with it."""
        self._client = client
        self._profiles = profiles
        self.lock = threading.RLock()
        self.search_now = lambda *_, **__: None
        self.immediate_notes = _NoImmediateNotes()  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Never:
        """Refuse what only the server's process has."""
        if name in NOT_OVER_HTTP:
            raise unavailable(name)
        raise AttributeError(f"a connection to a server has no attribute {name!r}")

    @lazy_property
    def conversations(self) -> "RemoteConversationService":
        """Conversations: their messages and turns."""
        from toldonce.remote.conversations import RemoteConversationService

        return RemoteConversationService(self._client)

    @lazy_property
    def traces(self) -> "RemoteTraceService":
        """What memory did for requests, across conversations."""
        from toldonce.remote.conversations import RemoteTraceService

        return RemoteTraceService(self._client)

    @lazy_property
    def history(self) -> "RemoteHistoryService":
        """Decisions about memories, and undoing them."""
        from toldonce.remote.history import RemoteHistoryService

        return RemoteHistoryService(self._client)

    @lazy_property
    def health(self) -> "RemoteHealthService":
        """Memories that may need a look."""
        from toldonce.remote.history import RemoteHealthService

        return RemoteHealthService(self._client)

    @lazy_property
    def reviews(self) -> "RemoteReviewService":
        """Memories that wait for review."""
        from toldonce.remote.history import RemoteReviewService

        return RemoteReviewService(self._client)

    @lazy_property
    def shared(self) -> "RemoteSharedMemoryService":
        """Shared memories."""
        from toldonce.remote.history import RemoteSharedMemoryService

        return RemoteSharedMemoryService(self._client)

    @lazy_property
    def keys(self) -> "RemoteKeyService":
        """API keys of the server, and the log of administrative acts."""
        from toldonce.remote.admin import RemoteKeyService

        return RemoteKeyService(self._client)

    @lazy_property
    def apps(self) -> "RemoteAppService":
        """Apps and their memories."""
        from toldonce.remote.transfer import RemoteAppService

        return RemoteAppService(self._client)

    @lazy_property
    def characters(self) -> "RemoteCharacterService":
        """Characters and their names."""
        from toldonce.remote.conversations import RemoteCharacterService

        return RemoteCharacterService(self._client)

    @lazy_property
    def agent_notes(self) -> "RemoteAgentNoteService":
        """What agents ask to remember."""
        from toldonce.remote.conversations import RemoteAgentNoteService

        return RemoteAgentNoteService()

    @lazy_property
    def bulk(self) -> "RemoteBulkService":
        """Many memories at once."""
        from toldonce.remote.history import RemoteBulkService

        return RemoteBulkService(self._client)

    @lazy_property
    def vectors(self) -> "RemoteVectorService":
        """Memories by their vectors."""
        from toldonce.remote.history import RemoteVectorService

        return RemoteVectorService(self._client)

    @lazy_property
    def erasure(self) -> "RemoteErasureService":
        """Erasing users, conversations and apps."""
        from toldonce.remote.transfer import RemoteErasureService

        return RemoteErasureService(self._client)

    @lazy_property
    def embedder(self) -> "RemoteEmbedderService":
        """The embedding model of the database."""
        from toldonce.remote.admin import RemoteEmbedderService

        return RemoteEmbedderService(self._client)

    @lazy_property
    def transfer(self) -> "RemoteTransferService":
        """Export and import."""
        from toldonce.remote.transfer import RemoteTransferService

        return RemoteTransferService(self._client)

    @lazy_property
    def admin(self) -> "RemoteAdminService":
        """The whole database and the budgets."""
        from toldonce.remote.admin import RemoteAdminService

        return RemoteAdminService(self._client, self._profiles)
