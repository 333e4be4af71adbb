"""`ToldOnce`: the engine without asyncio."""

from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from toldonce.clock import Clock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.background import BackgroundEngine
from toldonce.profiles.policies import Profile
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.settings import Settings
from toldonce.sync.blocking_service import BlockingService, blocking
from toldonce.types import Subject

if TYPE_CHECKING:
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


def _namespace(module: str, service: str) -> Any:
    """Return a property: a namespace, loaded and made at its first use."""

    def load(self: "ToldOnce") -> Any:
        return getattr(import_module(f"toldonce.sync.{module}"), service)(self._engine)

    return cached_property(load)


class ToldOnce(BlockingService):
    """Long-term memory for LLM chat, blocking: `with ToldOnce() as memory:`. Safe in several threads.

    `user` is a user's name, or a `Subject` for a memory that is not a user's; None is the settings' default user.
    Memories are formed while the object is open; `form` waits. Methods may raise `StoreUnavailableError`.
    """

    conversations: "BlockingConversationService" = _namespace("conversations", "BlockingConversationService")
    traces: "BlockingTraceService" = _namespace("conversations", "BlockingTraceService")
    history: "BlockingHistoryService" = _namespace("memories", "BlockingHistoryService")
    health: "BlockingHealthService" = _namespace("memories", "BlockingHealthService")
    reviews: "BlockingReviewService" = _namespace("memories", "BlockingReviewService")
    shared: "BlockingSharedMemoryService" = _namespace("memories", "BlockingSharedMemoryService")
    keys: "BlockingKeyService" = _namespace("administration", "BlockingKeyService")
    apps: "BlockingAppService" = _namespace("data", "BlockingAppService")
    characters: "BlockingCharacterService" = _namespace("conversations", "BlockingCharacterService")
    agent_notes: "BlockingAgentNoteService" = _namespace("conversations", "BlockingAgentNoteService")
    bulk: "BlockingBulkService" = _namespace("memories", "BlockingBulkService")
    vectors: "BlockingVectorService" = _namespace("memories", "BlockingVectorService")
    erasure: "BlockingErasureService" = _namespace("data", "BlockingErasureService")
    embedder: "BlockingEmbedderService" = _namespace("data", "BlockingEmbedderService")
    transfer: "BlockingTransferService" = _namespace("data", "BlockingTransferService")
    admin: "BlockingAdminService" = _namespace("administration", "BlockingAdminService")

    def __init__(
        self,
        database: str | Path | Settings | None = None,
        *,
        embedder: OpenedEmbedder | None = None,
        model: OpenedModel | None = None,
        clock: Clock | None = None,
        **settings: object,
    ) -> None:
        """Open a database, and the models that the settings name: see `AsyncToldOnce.open`."""
        opening = AsyncToldOnce.open(database, embedder=embedder, model=model, clock=clock, **settings)
        super().__init__(BackgroundEngine(opening))

    @classmethod
    def open(
        cls,
        database: str | Path | Settings | None = None,
        *,
        embedder: OpenedEmbedder | None = None,
        model: OpenedModel | None = None,
        clock: Clock | None = None,
        **settings: object,
    ) -> Self:
        """Open a database, and the models that the settings name: see `AsyncToldOnce.open`."""
        return cls(database, embedder=embedder, model=model, clock=clock, **settings)

    @classmethod
    def connect(cls, url: str, key: str | None = None, *, timeout_s: float = 30.0, retries: int = 4) -> Self:
        """Connect to the memory of a ToldOnce server: see `AsyncToldOnce.connect`."""
        memory = cls.__new__(cls)
        connecting = AsyncToldOnce.connect(url, key, timeout_s=timeout_s, retries=retries)
        BlockingService.__init__(memory, BackgroundEngine(connecting, has_worker=False))
        return memory

    def close(self) -> None:
        """Finish what was accepted and close the database. Idempotent."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._engine.core)

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name; a name that cannot be one is a `BadSubjectError`."""
        return self._engine.core.subject(user)

    def profile(self, name: str) -> Profile:
        """Return a profile; an unknown name is an `UnknownProfileError`."""
        return self._engine.core.profile(name)

    add = blocking(AsyncToldOnce.add, BackgroundEngine.add)
    record = blocking(AsyncToldOnce.record)
    form = blocking(AsyncToldOnce.form)
    search = blocking(AsyncToldOnce.search, BackgroundEngine.search)
    get = blocking(AsyncToldOnce.get)
    list = blocking(AsyncToldOnce.list)
    correct = blocking(AsyncToldOnce.correct)
    forget = blocking(AsyncToldOnce.forget)
    erase = blocking(AsyncToldOnce.erase)
    context = blocking(AsyncToldOnce.context)
    prompt = blocking(AsyncToldOnce.prompt)
