"""The components an engine is built from. Opens the store and the models."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

from toldonce.clock import Clock
from toldonce.engine.initial_embedder import initial_embedder, require_same_space
from toldonce.errors import BadSettingError, SetupError
from toldonce.metrics import Metrics
from toldonce.profiles.destinations import DestinationRule, rules_against
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.embedder_loader import load_embedder
from toldonce.providers.embedder_router import EmbedderOpener
from toldonce.providers.model_factory import OpenedModel, open_model
from toldonce.providers.protocols import OpenedEmbedder, OpenedReranker, TokenCounter
from toldonce.providers.rerankers import open_reranker
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_store
from toldonce.store.store import Store
from toldonce.types import Destination, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """What an engine is built from. `open_components` opens what the settings name; tests bring their own."""

    settings: Settings
    clock: Clock
    store: Store
    embedder: OpenedEmbedder
    """The embedder that the database chose last, else that of the settings, or the caller's."""
    is_own_embedder: bool = False
    """Whether the embedder is the caller's object, which the database cannot record."""
    model: OpenedModel | None
    counter: TokenCounter
    profiles: ProfileRegistry = field(default_factory=ProfileRegistry)
    metrics: Metrics = field(default_factory=Metrics)
    reranker: OpenedReranker | None = None
    """None: results keep the order of recall."""
    database_key: DatabaseKey | None = None
    """Of an encrypted SQLite file."""
    opening: EmbedderOpener = load_embedder
    """Opens the other embedders that the database names, while it changes from one to another."""

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name, or the default user's for None.

        Raises:
            BadSubjectError: the name cannot be a user's.
        """
        return user if isinstance(user, Subject) else Subject("user", user or self.settings.default_user or "local")

    def profile(self, name: str | None = None) -> Profile:
        """Return a profile by name, or the settings' profile.

        Raises:
            UnknownProfileError: there is no such profile.
        """
        return self.profiles.get(name or self.settings.profile)

    def rules_against(self, destination: Destination, *names: str | None) -> tuple[DestinationRule, ...]:
        """Return the rules of profiles, and of the settings' profile, that keep memories from a destination.

        A client that names another profile stays bound by the rules of the settings' own. Unknown profiles have none.
        """
        known = {self.settings.profile, *names} & {*self.profiles.names()}
        found = [rules_against(self.profile(name).destinations, destination) for name in sorted(filter(None, known))]
        return tuple(dict.fromkeys(rule for rules in found for rule in rules))


async def open_components(
    settings: Settings, clock: Clock, *, embedder: OpenedEmbedder | None = None, model: OpenedModel | None = None
) -> Components:
    """Open what the settings name; a given embedder or model is used instead.

    Raises:
        SetupError: a setting, file or package is not as it should be; the message says what to do.
    """
    profiles = ProfileRegistry(settings.profiles, tokens_per_day=settings.tokens_per_day)
    if settings.profile not in profiles.names():
        raise BadSettingError(
            "TOLDONCE_PROFILE", settings.profile, f"no such profile; there are: {', '.join(profiles.names())}"
        )
    wrong = next((name for name in settings.profiles_of_keys.values() if name not in profiles.names()), None)
    if wrong is not None:
        why = f"no profile {wrong!r}; there are: {', '.join(profiles.names())}"
        raise BadSettingError("TOLDONCE_PROFILE_KEYS", "…", why)
    key = await asyncio.to_thread(DatabaseKey.of, settings)
    keyring = await asyncio.to_thread(KeyringPlace.of, settings)
    store = await open_store(
        settings.database_url, clock=clock, cache_bytes=settings.cache_bytes, key=key, keyring=keyring
    )
    opening = partial(load_embedder, key=settings.embed_key.get_secret_value() if settings.embed_key else None)
    opened: OpenedEmbedder | None = None
    try:
        if embedder is not None:
            await require_same_space(store, embedder)
            used = embedder
        else:
            used = opened = await initial_embedder(store, settings, opening)
        return Components(
            settings=settings,
            clock=clock,
            embedder=used,
            is_own_embedder=embedder is not None,
            model=model or open_model(settings),
            reranker=await asyncio.to_thread(open_reranker, settings),
            counter=token_counter(),
            profiles=profiles,
            store=store,
            opening=opening,
            database_key=key,
        )
    except SetupError:
        if opened is not None:
            await opened.close()
        await store.close()
        raise
