"""The components an engine is built from. Opens the store and the models.

A database is opened with the embedder that it chose, else with that of the settings. An API that the settings name is
chosen at its first start, with what its cosines are found to mean: thresholds hold for it as they do for the built-in
embedder, and settings that name another model later are refused.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from toldonce.clock import Clock
from toldonce.errors import (
    BadEmbedderError,
    BadSettingError,
    ModelError,
    OtherEmbedderError,
    SetupError,
    StoreUnavailableError,
    ToldOnceError,
    VectorSizeError,
)
from toldonce.metrics import Metrics
from toldonce.profiles.destinations import DestinationRule, rules_against
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.calibration import Calibration, fit_calibration
from toldonce.providers.embedder_loader import DEFAULT_RECORD, STATIC_RECORD, UnavailableEmbedder, load_embedder
from toldonce.providers.embedder_router import EmbedderOpener
from toldonce.providers.model_factory import OpenedModel, open_embedder, open_model, settings_curve, spec_of
from toldonce.providers.protocols import OpenedEmbedder, OpenedReranker, TokenCounter
from toldonce.providers.rerankers import open_reranker
from toldonce.providers.static_embedder import is_static_installed
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.executor import INLINE_ROWS
from toldonce.store.factory import open_store
from toldonce.store.sql.erase.repository import ErasureRepository
from toldonce.store.sql.user_merge import AliasRepository
from toldonce.store.store import Store
from toldonce.types import CalibrationCurve, Destination, EmbedderKind, EmbedderRecord, Subject, UserAlias

logger = logging.getLogger(__name__)


FRESH_S = 1.0
"""How long what other processes may change counts as it was read, in seconds: aliases, and that nothing was erased."""


@dataclass(slots=True)
class UserAliases:
    """The users whose requests read and write another's memory, as they were read lately."""

    _targets: dict[Subject, Subject] = field(default_factory=dict)
    _open: tuple[UserAlias, ...] = ()
    """Merges whose copy is not complete."""
    _read_at: float | None = None

    def resolve(self, subject: Subject) -> Subject:
        """Return the subject whose memory is read and written in place of this one's; mostly itself."""
        return subject.of_other_users(self._targets) if self._targets else subject

    def sources(self, target: Subject) -> tuple[Subject, ...]:
        """Return the users who were merged into this one, by name."""
        return tuple(
            sorted((user for user, into in self._targets.items() if into == target), key=lambda user: user.text)
        )

    def resting(self, subject: Subject) -> list[tuple[Subject, datetime]]:
        """Return the subjects that are being copied into one, with when that began: recall reads them, too."""
        found = [
            (subject.of_other_users({self._targets[alias.source]: alias.source}), alias.at) for alias in self._open
        ]
        return [(source, at) for source, at in found if source != subject]

    async def refresh(self, store: AliasRepository, clock: Clock, *, at_once: bool = False) -> None:
        """Read them again if that was a second ago; while the database does not answer, they stay as they were."""
        now = clock.monotonic()
        if not at_once and self._read_at is not None and now - self._read_at < FRESH_S:
            return
        few = self._read_at is not None and len(self._targets) <= INLINE_ROWS
        self._read_at = now
        try:
            known = await store.list(few=few)
        except StoreUnavailableError:
            return
        found = {alias.source: alias.target for alias in known}
        self._open = tuple(alias for alias in known if alias.joined_at is None)
        self._targets = {source: _last(source, found) for source in found}


@dataclass(slots=True)
class ErasureWatch:
    """Notices that something was erased, by whichever process, since this one looked last."""

    follow: Callable[[], Awaitable[None]] | None = None
    """Called after an erasure; None: nothing is cached yet."""
    _stamp: bytes = b""
    _looked_at: float | None = None

    async def look(self, store: ErasureRepository, clock: Clock) -> None:
        """Look unless that was a second ago; while the database does not answer, the next look sees it."""
        now = clock.monotonic()
        if self._looked_at is not None and now - self._looked_at < FRESH_S:
            return
        self._looked_at = now
        with suppress(ToldOnceError):
            stamp = await store.stamp()
            if stamp != self._stamp:
                if self.follow is not None:
                    await self.follow()
                self._stamp = stamp


def _last(user: Subject, targets: Mapping[Subject, Subject]) -> Subject:
    """Return the user that one was merged into, however often that was merged itself."""
    for _ in targets:
        user = targets.get(user, user)
    return user


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

    aliases: UserAliases = field(default_factory=UserAliases)
    """Users whose requests read and write another's memory."""

    erasures: ErasureWatch = field(default_factory=ErasureWatch)
    """Notices erasures."""

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name, or the default user's for None; of a merged user, the other one's.

        Raises:
            BadSubjectError: the name cannot be a user's.
        """
        return self.aliases.resolve(self.own_subject(user))

    def own_subject(self, user: str | Subject | None) -> Subject:
        """Do as `subject`, but for a merged user return its own.

        Raises:
            BadSubjectError: the name cannot be a user's.
        """
        return user if isinstance(user, Subject) else Subject("user", user or self.settings.default_user or "local")

    async def refresh(self) -> None:
        """Look, if that was not done lately, whether another process merged users or erased something."""
        await self.aliases.refresh(self.store.aliases, self.clock)
        await self.erasures.look(self.store.erasures, self.clock)

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
        settings.database_url,
        clock=clock,
        cache_bytes=settings.cache_bytes,
        key=key,
        keyring=keyring,
        migration_copy=settings.migration_copy,
    )
    opening = partial(load_embedder, key=settings.embed_key.get_secret_value() if settings.embed_key else None)
    opened: OpenedEmbedder | None = None
    try:
        if embedder is not None:
            await require_same_space(store, embedder)
            used = embedder
        else:
            used = opened = await initial_embedder(store, settings, opening)
        components = Components(
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
        await components.refresh()
        return components
    except SetupError:
        if opened is not None:
            await opened.close()
        await store.close()
        raise


# Maximum wait for the API at the first start; if it is late, the next start asks it again.
FIT_TIMEOUT_S = 10.0


async def initial_embedder(store: Store, settings: Settings, opening: EmbedderOpener) -> OpenedEmbedder:
    """Open the embedder that the database chose last; if it chose none, that of the settings.

    Raises:
        OtherEmbedderError: the settings name one of another space than the memories' vectors are of.
    """
    chosen = await store.embeddings.chosen()
    if chosen is None:
        return await _first(store, settings)
    if settings.embed_url is not None:
        own = open_embedder(settings, curve=settings_curve(settings) or chosen.curve)
        if own.space == chosen.space:  # the same model, perhaps at another address
            return own
        await own.close()
        raise _other(settings, own, chosen.space)
    if chosen.spec.kind is EmbedderKind.STATIC and not is_static_installed():
        return await _choose_default(store, await asyncio.to_thread(open_embedder, settings))
    opened = await asyncio.to_thread(opening, chosen)
    if isinstance(opened, UnavailableEmbedder):
        logger.warning("embedder cannot be used", extra={"space": chosen.space, "why": opened.why})
    return opened


async def require_same_space(store: Store, embedder: OpenedEmbedder) -> None:
    """Check that a database may be read by a caller's own embedder.

    Raises:
        BadEmbedderError: its memories are embedded by another one.
    """
    chosen = await store.embeddings.chosen()
    held = [chosen.space] if chosen else await _held_spaces(store, embedder.space)
    if held and embedder.space not in held:
        raise BadEmbedderError(
            f"{type(embedder).__name__} ({embedder.space})",
            f"the memories of this database are embedded by {held[0]}; pass an embedder of that space, or none",
        )


async def _held_spaces(store: Store, own: str) -> list[str]:
    """Return the spaces that have memories, if some may be in another space than `own`."""
    if not set(await store.embeddings.space_names()) - {own}:
        return []
    # Counting reads all vectors: only where it may matter.
    return [count.space for count in await store.embeddings.space_counts() if count.memories]


async def _first(store: Store, settings: Settings) -> OpenedEmbedder:
    """Open the settings' embedder for a database that has not chosen one.

    The static embedder was the default once: memories that have its vectors are found by them until a worker has
    re-embedded them with today's.
    """
    own = await asyncio.to_thread(open_embedder, settings)
    names = await store.embeddings.space_names()
    if settings.embed_url is None and STATIC_RECORD.space in names and own.space not in names:
        return await _choose_default(store, own)
    held = await _held_spaces(store, own.space)
    if held and own.space not in held:
        await own.close()
        raise _other(settings, own, held[0])
    if settings.embed_url is None:
        return own
    curve = settings_curve(settings) or await _curve_of(own)
    if curve is None:
        return own
    record = EmbedderRecord(space=own.space, dim=own.dim, spec=spec_of(settings), curve=curve)
    await store.embeddings.choose(record, former=record)
    await own.close()
    return open_embedder(settings, curve=curve)


async def _choose_default(store: Store, own: OpenedEmbedder) -> OpenedEmbedder:
    """Choose the default embedder in place of the static one; a worker re-embeds what that one embedded."""
    await store.embeddings.choose(DEFAULT_RECORD, former=STATIC_RECORD)
    if not is_static_installed():
        logger.warning(
            "the static embedder is not installed: its memories are found by words until they are re-embedded",
            extra={"former": STATIC_RECORD.space, "space": own.space, "extra": "static"},
        )
    return own


async def _curve_of(embedder: OpenedEmbedder) -> CalibrationCurve | None:
    """Fit the calibration curve of an embedder; None if it does not answer, or its cosines distinguish nothing.

    What is wrong with it is said by the first request for vectors.
    """
    try:
        async with asyncio.timeout(FIT_TIMEOUT_S):
            found: Calibration = await fit_calibration(embedder)
    except (TimeoutError, ModelError, BadEmbedderError, VectorSizeError) as error:
        why = str(error) or f"no answer within {FIT_TIMEOUT_S:g} s"
        logger.warning("embedder is not calibrated yet", extra={"space": embedder.space, "why": why})
        return None
    return found.curve


def _other(settings: Settings, own: OpenedEmbedder, space: str) -> OtherEmbedderError:
    named = settings.embed_url or "unset"
    return OtherEmbedderError("TOLDONCE_EMBED_URL", f"{named} ({own.space})", chosen=space)
