"""What every stage of formation works with. Pure."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

from recollect.clock import Clock
from recollect.metrics import Metrics
from recollect.profiles.shelf import Profiles
from recollect.providers.protocol import Embedder, LanguageModel, TokenCounter
from recollect.providers.tokens import token_counter
from recollect.store.protocol import Store
from recollect.types import FormationResult, Lease, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The store, the models and the clock, as the engine wired them."""

    store: Store
    embedder: Embedder
    model: LanguageModel | None
    """None: the built-in rules extract."""
    clock: Clock
    zone: ZoneInfo
    """The users' time zone."""
    profiles: Profiles = field(default_factory=Profiles)
    counter: TokenCounter = field(default_factory=token_counter)
    metrics: Metrics = field(default_factory=Metrics)
    log_text: bool = False
    """Whether log lines may carry the words of memories."""
    turns: WeakValueDictionary[Subject, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Held by who adds to a subject by hand: each decides on what the one before it wrote, instead of deciding anew."""


Stage = Callable[[Lease, Tools], Awaitable[FormationResult]]
"""Turns a lease into what is to be committed. Writes nothing itself."""
