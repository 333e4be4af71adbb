"""What the engine is wired from. Opens the store and the models."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

from recollect.clock import Clock
from recollect.engine.initial_embedder import initial_embedder
from recollect.errors import BadSettingError, SetupError
from recollect.metrics import Metrics
from recollect.profiles.registry import ProfileRegistry
from recollect.providers.embedder_loader import load_embedder
from recollect.providers.embedder_router import EmbedderOpener
from recollect.providers.factory import OpenedModel, open_model
from recollect.providers.protocols import OpenedEmbedder, OpenedReranker, TokenCounter
from recollect.providers.rerankers import open_reranker
from recollect.providers.token_counter import token_counter
from recollect.settings import Settings
from recollect.store.factory import open_store
from recollect.store.protocol import Store
from recollect.types import Decision, InjectionSite, LoggedMessage, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """What the engine is wired from; `open_components` makes the usual set, tests bring their own."""

    settings: Settings
    clock: Clock
    store: Store
    embedder: OpenedEmbedder
    """The one that the database chose last, or else that of the settings."""
    model: OpenedModel | None
    counter: TokenCounter
    profiles: ProfileRegistry = field(default_factory=ProfileRegistry)
    metrics: Metrics = field(default_factory=Metrics)
    reranker: OpenedReranker | None = None
    """None: the order of recall stands."""
    opening: EmbedderOpener = load_embedder
    """Opens the other embedders that the database names, while it changes over."""


async def open_components(settings: Settings, clock: Clock) -> Components:
    """Open what the settings name.

    Raises:
        SetupError: a setting, file or package is not as it should be; the message says what to do.
    """
    profiles = ProfileRegistry(settings.profiles)
    if settings.profile not in profiles.names():
        raise BadSettingError(
            "RECOLLECT_PROFILE", settings.profile, f"no such profile; there are: {', '.join(profiles.names())}"
        )
    wrong = next((name for name in settings.profiles_of_keys.values() if name not in profiles.names()), None)
    if wrong is not None:
        why = f"no profile {wrong!r}; there are: {', '.join(profiles.names())}"
        raise BadSettingError("RECOLLECT_PROFILE_KEYS", "…", why)
    store = await open_store(settings.database_url, clock=clock, cache_bytes=settings.cache_bytes)
    opening = partial(load_embedder, key=settings.embed_key.get_secret_value() if settings.embed_key else None)
    embedder: OpenedEmbedder | None = None
    try:
        embedder = await initial_embedder(store, settings, opening)
        return Components(
            settings=settings,
            clock=clock,
            embedder=embedder,
            model=open_model(settings),
            reranker=await asyncio.to_thread(open_reranker, settings),
            counter=token_counter(),
            profiles=profiles,
            store=store,
            opening=opening,
        )
    except SetupError:
        if embedder is not None:
            await embedder.close()
        await store.close()
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMemory:
    """A memory that waits for review."""

    memory: Memory
    reason: str
    """Why it was held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """One memory with everything that led to it and came of it."""

    memory: Memory
    decisions: tuple[Decision, ...]
    """Oldest first: what made it, what touched it."""
    related: tuple[Memory, ...]
    """Memories it replaced or was replaced by."""
    sources: tuple[LoggedMessage, ...]
    """The messages it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryExplanation:
    """Why a memory is what it is."""

    history: MemoryHistory
    """Itself, its sources with their words, and all decisions about it."""
    replaced: tuple[Memory, ...]
    """What it took the place of, or ended."""
    replaced_by: tuple[Memory, ...]
    """What took its place; the last one last."""
    last_recalled: InjectionSite | None
    """Where it was put into a prompt last."""
