"""Namespaces of `ToldOnce`, near and far. Made by tools/make_sync.py."""

from __future__ import annotations

from typing import Self

from toldonce.engine import AsyncToldOnce
from toldonce.engine.background import BackgroundEngine
from toldonce.sync.administration import BlockingAdminService, BlockingKeyService
from toldonce.sync.conversations import (
    BlockingAgentNoteService,
    BlockingCharacterService,
    BlockingConversationService,
    BlockingTraceService,
)
from toldonce.sync.data import (
    BlockingAppService,
    BlockingEmbedderService,
    BlockingErasureService,
    BlockingTransferService,
)
from toldonce.sync.memories import (
    BlockingBulkService,
    BlockingHealthService,
    BlockingHistoryService,
    BlockingReviewService,
    BlockingSharedMemoryService,
    BlockingVectorService,
)


class BlockingServices:
    """What the library offers, by subject."""

    _engine: BackgroundEngine

    def _start(self, engine: BackgroundEngine) -> None:
        self._engine = engine
        self.conversations = BlockingConversationService(engine)
        self.traces = BlockingTraceService(engine)
        self.history = BlockingHistoryService(engine)
        self.health = BlockingHealthService(engine)
        self.reviews = BlockingReviewService(engine)
        self.shared = BlockingSharedMemoryService(engine)
        self.keys = BlockingKeyService(engine)
        self.apps = BlockingAppService(engine)
        self.characters = BlockingCharacterService(engine)
        self.agent_notes = BlockingAgentNoteService(engine)
        self.bulk = BlockingBulkService(engine)
        self.vectors = BlockingVectorService(engine)
        self.erasure = BlockingErasureService(engine)
        self.embedder = BlockingEmbedderService(engine)
        self.transfer = BlockingTransferService(engine)
        self.admin = BlockingAdminService(engine)

    def __repr__(self) -> str:
        return repr(self._engine.core)

    @classmethod
    def connect(cls, url: str, key: str | None = None, *, timeout_s: float = 30.0, retries: int = 4) -> Self:
        """Connect to the memory of a ToldOnce server: the same methods, over HTTP.

        Args:
            url: Of the server, such as `http://127.0.0.1:8765`.
            key: API key; None where the server needs none.
            timeout_s: How long the server may be silent, and how long a request is tried again.
            retries: How often a request is sent again that got no answer; a write has one effect all the same.

        Raises:
            BadSettingError: the URL cannot be used.
            NoCredentialError: the server needs a valid API key.
            ServerUnreachableError: it does not answer.
            BadServerError: it is no ToldOnce server of this version.
        """
        memory = cls.__new__(cls)
        memory._start(
            BackgroundEngine(AsyncToldOnce.connect(url, key, timeout_s=timeout_s, retries=retries), has_worker=False)
        )
        return memory
