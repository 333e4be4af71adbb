"""Who sends a request: by API key, JWT or Open WebUI's signed header. Looks keys up through the engine.

The secret under which sessions are signed is a file, apart from the database: who gets a copy of that, with the
hashes of all keys, cannot begin a session.
"""

import logging
import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from stat import S_IRWXU
from typing import TYPE_CHECKING

from toldonce.chat.identity import KEY, MEMORY, IdentityPolicy, identify, signed_user
from toldonce.clock import Clock
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadIdentityError
from toldonce.hook.places import state_folder
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Headers
from toldonce.server.auth.key_cache import KeyCache
from toldonce.server.auth.sessions import Sessions, session_cookie
from toldonce.server.origin_guard import is_loopback
from toldonce.settings import Settings
from toldonce.types import ANONYMOUS, Access, ApiKey, Caller, Subject

if TYPE_CHECKING:
    from toldonce.server.auth.tokens import TokenVerifier


class UnauthenticatedError(Exception):
    """A request without a credential, or with one that is not valid. The message says what to send."""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A request whose sender is known."""

    caller: Caller | None
    """None: everyone who can connect is trusted."""
    headers: Headers
    """The request's, without the credential."""
    key: ApiKey | None = None
    by_cookie: bool = False
    """Whether a browser sends the credential by itself, so that forms need a token."""


def needs_credentials(settings: Settings) -> bool:
    """Return whether requests need a credential even while the database has no key."""
    if settings.auth != "auto":
        return settings.auth == "required"
    return bool(settings.jwt_issuer or settings.oidc_issuer) or not (is_loopback(settings.host) or settings.jwt_secret)


class Authenticator:
    """Finds out who sends a request."""

    def __init__(
        self,
        keys: KeyCache,
        sessions: Sessions,
        settings: Settings,
        policy: IdentityPolicy,
        clock: Clock,
        tokens: "TokenVerifier | None",
    ) -> None:
        """Authenticate as the settings say.

        Args:
            keys: Looks up API keys.
            sessions: Verifies sessions of the dashboard.
            settings: All settings.
            policy: Which claims of identity are believed without an API key or JWT.
            clock: The time for checking expiry.
            tokens: Verifies JWTs of an identity provider; None: there is none.
        """
        self.keys = keys
        self.sessions = sessions
        self._needs_credentials = needs_credentials(settings)
        self._is_off = settings.auth == "off"
        self._policy = policy
        self._clock = clock
        self._tokens = tokens
        self.user_requests_per_minute = settings.max_user_requests_per_minute
        """0: users have no limit of their own."""

    @classmethod
    def of(cls, engine: AsyncToldOnce, policy: IdentityPolicy) -> "Authenticator":
        """Build the one of a server.

        Raises:
            BadSettingError: The package that verifies JWTs is not installed.
        """
        settings = engine.settings
        tokens = None
        if settings.jwt_issuer:
            from toldonce.server.auth.tokens import TokenVerifier

            tokens = TokenVerifier(settings)
        secret = settings.oidc_client_secret.get_secret_value().encode() if settings.oidc_client_secret else None
        sessions = Sessions(engine.keys, engine.clock, partial(session_secret, settings), provider_secret=secret)
        return cls(KeyCache(engine.keys), sessions, settings, policy, engine.clock, tokens)

    async def authenticate(self, headers: Headers, *, with_session: bool = False) -> Authenticated:
        """Return who sends a request with these headers.

        Args:
            headers: The request's.
            with_session: Whether the cookie of a session counts as a credential.

        Raises:
            UnauthenticatedError: It needs a credential and has none, or an invalid one.
            BadIdentityError: It has two credentials.
            StoreUnavailableError: The database does not answer.
        """
        credential, left = take_credential(
            headers, is_issued_here=self._tokens.is_issued_here if self._tokens else None
        )
        if credential is not None and credential.startswith("rk_"):
            key = await self._valid_key(credential)
            return Authenticated(key.caller, left, key)
        if credential is not None:
            return Authenticated(await self._by_token(credential), left)
        user = self._signed_user(headers)
        if user is not None:
            return Authenticated(Caller(id="openwebui", access=Access.WRITE, user=user, by_header=True), headers)
        cookie = session_cookie(headers) if with_session else None
        session = await self.sessions.find(cookie) if cookie else None
        if session is not None:
            return Authenticated(session.caller, headers, session.key, by_cookie=True)
        if await self._is_needed():
            raise UnauthenticatedError(
                "this server needs a credential: send an API key of ToldOnce as `Authorization: Bearer rk_…`, or in "
                "x-toldonce-key beside your provider's key (`toldonce keys create` makes one)"
            )
        return Authenticated(None if self._policy.trusted else ANONYMOUS, headers, by_cookie=True)

    def user_of(self, found: Authenticated, named: str | None) -> Subject | None:
        """Return whose request it is, by its credential, a header or the path (`named`); None if they do not say.

        What contradicts itself is refused by who answers it.
        """
        caller = found.caller
        if caller is not None and caller.user:
            return Subject("user", caller.user, caller.tenant or "")
        headers = [(name, value) for name, value in found.headers if name.lower() != MEMORY.encode()]
        now = self._clock.now()
        try:
            identity = identify(headers, path_user=named, body_user=None, policy=self._policy, now=now, caller=caller)
        except BadIdentityError:
            return None
        return identity.subject

    def _signed_user(self, headers: Headers) -> str | None:
        try:
            return signed_user(headers, policy=self._policy, now=self._clock.now())
        except BadIdentityError as error:
            raise UnauthenticatedError(str(error)) from None

    async def log_in(self, secret: str) -> str:
        """Return the cookie of a new session of the API key with this secret.

        Raises:
            UnauthenticatedError: It is not the secret of a valid key.
            StoreUnavailableError: The database does not answer.
        """
        return await self.sessions.begin(await self._valid_key(secret))

    async def _valid_key(self, secret: str) -> ApiKey:
        key = await self.keys.find(secret)
        if key is None:
            raise UnauthenticatedError("the API key is unknown to this server")
        if key.revoked_at is not None:
            raise UnauthenticatedError(f"the API key {key.id} was revoked")
        if not key.is_valid(self._clock.now()):
            raise UnauthenticatedError(f"the API key {key.id} has expired")
        return key

    async def _by_token(self, token: str) -> Caller:
        if self._tokens is None:
            raise UnauthenticatedError("x-toldonce-key holds no API key: such a key begins with rk_")
        try:
            return await self._tokens.caller(token, self._clock.now())
        except BadIdentityError as error:
            raise UnauthenticatedError(str(error)) from None

    async def _is_needed(self) -> bool:
        """Return whether a request needs a credential; on a loopback address, once a key was made."""
        return self._needs_credentials or (not self._is_off and await self.keys.was_any_made())


_KEY_HEADER = KEY.encode()
# Where clients send the key of the API that they believe to call. Our keys are recognized there by their prefix.
_SHARED = frozenset({b"authorization", b"x-api-key", b"api-key"})
_OURS = b"rk_"
# Three parts in base64url; the first one is a JSON object, which begins with `{"`.
_JWT = LazyPattern(rb"eyJ[A-Za-z0-9_-]{1,4000}\.[A-Za-z0-9_-]{1,16000}\.[A-Za-z0-9_-]{0,4000}")


def take_credential(headers: Headers, *, is_issued_here: Callable[[str], bool] | None) -> tuple[str | None, Headers]:
    """Return the credential for this server, and the headers without it: it never goes upstream.

    Args:
        headers: The request's.
        is_issued_here: Whether a JWT in Authorization is a credential for this server, by what it says of its issuer;
            other JWTs are keys of the client's provider. None: no JWT is.

    Raises:
        BadIdentityError: There are two of them.
    """
    found: str | None = None
    left: list[tuple[bytes, bytes]] = []
    for name, value in headers:
        credential = _credential(name.lower(), value, is_issued_here)
        if credential is None:
            left.append((name, value))
        elif found is not None:
            raise BadIdentityError("the request has two credentials for this server; send one of them")
        else:
            found = credential
    return found, tuple(left)


def _credential(name: bytes, value: bytes, is_issued_here: Callable[[str], bool] | None) -> str | None:
    """Return the credential that a header holds; None if it holds none for this server.

    >>> _credential(b"authorization", b"Bearer rk_a", None), _credential(b"x-api-key", b"sk-1", None)
    ('rk_a', None)
    """
    if name != _KEY_HEADER and name not in _SHARED:
        return None
    scheme, space, rest = value.strip(b" \t").partition(b" ")
    # Our key is taken out whatever scheme it is sent with, so that it never goes upstream.
    is_token = space and (scheme.lower() == b"bearer" or rest.lstrip(b" \t").startswith(_OURS))
    token = rest.strip(b" \t") if is_token else value.strip(b" \t")
    text = token.decode("latin-1")
    if name == _KEY_HEADER or token.startswith(_OURS):
        return text
    may_be = is_issued_here is not None and name == b"authorization" and _JWT.fullmatch(token)
    return text if may_be and is_issued_here is not None and is_issued_here(text) else None


logger = logging.getLogger(__name__)
_BYTES = 32
_FILE = "session-secret"


def session_secret(settings: Settings) -> bytes:
    """Return the secret of the settings, else the one of this user of this machine, which is made where it is missing.

    Where no file can be kept, it is one of this process: its sessions end with it.
    """
    if settings.session_secret:
        return settings.session_secret.get_secret_value().encode()
    path = Path(state_folder()) / _FILE
    try:
        path.parent.mkdir(mode=S_IRWXU, parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        logger.warning(
            "sessions of the dashboard end with this process: set TOLDONCE_SESSION_SECRET",
            extra={"path": str(path), "error": error.strerror or str(error)},
        )
        return secrets.token_bytes(_BYTES)


def _make(path: Path) -> None:
    """Write a new secret, whole or not at all; of several processes at once, one does."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{_FILE}.")  # its user alone may read it
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)


def _read(path: Path) -> bytes:
    """Read the secret.

    Raises:
        OSError: Others may read it or have written it, or it is none.
    """
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if os.name == "posix" and (found.st_uid != os.getuid() or found.st_mode & 0o077):
            raise PermissionError("it is not its user's alone (chmod 600)")
        secret = file.read(1024)
    if len(secret) < _BYTES:
        raise OSError("it is too short to be a secret; remove it")
    return secret
