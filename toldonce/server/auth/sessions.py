"""Sessions of people who log in to the dashboard: with an API key, or at an OpenID provider. Looks keys up.

A session is a cookie that names the key and the time it ends, signed under the key's stored hash and a secret that no
database has: every server with both knows it, and a copy of the database signs none. Revoking the key ends it. Where a
provider says who logs in, the cookie names the person, and is signed under the secret that this server and its provider
share.
"""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from toldonce.clock import Clock
from toldonce.engine.keys import KeyService
from toldonce.errors import UnknownKeyError
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Headers
from toldonce.server.front_proxy import url_prefix
from toldonce.types import Access, ApiKey, Caller

SESSION_S = 12 * 3600
"""How long a session lasts, in seconds."""
# Clocks of two servers may differ by so much.
_LEEWAY_S = 60
_COOKIE = "toldonce_session"
_NONCE_BYTES = 18
_MAX_HEADER = 16_000
_MAX_ENDED = 10_000
# ID.END.NONCE.MAC, where the id of a person at a provider is `u_` and a JSON object; a guest's cookie has no MAC.
_VALUE = LazyPattern(
    r"(k_[a-z0-9]{1,40}|u_[A-Za-z0-9_-]{1,2000}|guest)\.([0-9]{1,12})\.([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43}|-)"
)
_GUEST = "guest"


def session_cookie(headers: Headers) -> str | None:
    """Return the session's cookie if the request has one of the right form; it is not verified."""
    for name, value in headers:
        if name.lower() != b"cookie" or len(value) > _MAX_HEADER:
            continue
        try:
            found = SimpleCookie(value.decode("latin-1")).get(_COOKIE)
        except CookieError:
            continue
        if found is not None and _VALUE.fullmatch(found.value):
            return found.value
    return None


def set_cookie(value: str, *, secure: bool) -> bytes:
    """Return the header that stores a session's cookie; pages of other sites never send it, and scripts cannot read it.

    Args:
        value: The cookie; empty deletes it.
        secure: Whether the browser sends it over HTTPS alone.
    """
    age = SESSION_S if value else 0
    flags = "; Secure" if secure else ""
    path = url_prefix() or "/"
    return f"{_COOKIE}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Strict{flags}".encode()


def guest_cookie() -> str:
    """Return the cookie of a browser that is not logged in: the tokens of forms are derived from it."""
    return f"{_GUEST}.0.{secrets.token_urlsafe(_NONCE_BYTES)}.-"


def form_token(cookie: str) -> str:
    """Return the token that forms of a session must send back: pages of other sites cannot know it (CSRF)."""
    return sha256(b"form of " + cookie.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Session:
    """Who is logged in."""

    caller: Caller
    key: ApiKey | None
    """None: a provider said who it is."""


class Sessions:
    """Begins, verifies and ends sessions."""

    def __init__(
        self, keys: KeyService, clock: Clock, secret: Callable[[], bytes], *, provider_secret: bytes | None = None
    ) -> None:
        """Keep sessions.

        Args:
            keys: Keys that begin one.
            clock: The time.
            secret: Returns what signs those of keys; it is asked for at the first one.
            provider_secret: Shared with the provider of people who begin one; None: there is no provider.
        """
        self._keys = keys
        self._clock = clock
        self._secret = cache(secret)
        self._provider_secret = provider_secret
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def begin(self, key: ApiKey) -> str:
        """Return the cookie of a new session of a key that is valid."""
        return await self._begin(key.id)

    async def begin_for(self, person: Caller) -> str:
        """Return the cookie of a new session of a person whom a provider named."""
        named = {"access": person.access.value, "tenant": person.tenant, "user": person.user}
        return await self._begin("u_" + _encoded(json.dumps(named).encode()))

    async def find(self, cookie: str) -> Session | None:
        """Return whose session a cookie is; None if it ended, is forged, or its key is not valid any more.

        One that ends later than any session does is none: a forged one is not good for years.

        Raises:
            StoreUnavailableError: The database does not answer.
        """
        signed, _, mac = cookie.rpartition(".")
        id_, end, _ = signed.split(".")
        left_s = int(end) - self._clock.now().timestamp()
        if id_ == _GUEST or cookie in self._ended or not 0 < left_s <= SESSION_S + _LEEWAY_S:
            return None
        try:
            if not hmac.compare_digest(mac, await self._mac(id_, signed)):
                return None
            if id_.startswith("u_"):
                return Session(_person(id_), None)
            key = await self._keys.get(id_)
        except UnknownKeyError:
            return None
        return Session(key.caller, key) if key.is_valid(self._clock.now()) else None

    def end(self, cookie: str) -> None:
        """End a session in this process; the browser forgets it, too."""
        self._ended[cookie] = None
        while len(self._ended) > _MAX_ENDED:
            self._ended.popitem(last=False)

    async def _begin(self, id_: str) -> str:
        end = int(self._clock.now().timestamp()) + SESSION_S
        signed = f"{id_}.{end}.{secrets.token_urlsafe(_NONCE_BYTES)}"
        return f"{signed}.{await self._mac(id_, signed)}"

    async def _mac(self, id_: str, signed: str) -> str:
        """Sign a session.

        Raises:
            UnknownKeyError: Nothing here can sign for this id.
        """
        data = b"dashboard session " + signed.encode()
        if not id_.startswith("u_"):
            return _encoded(hmac.digest(self._secret(), await self._keys.sign(id_, data), "sha256"))
        if self._provider_secret is None:
            raise UnknownKeyError(id_)
        return _encoded(hmac.digest(self._provider_secret, data, "sha256"))


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _person(id_: str) -> Caller:
    """Return the person that a verified session names."""
    text = id_.removeprefix("u_")
    named = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    digest = sha256(id_.encode()).hexdigest()[:12]
    return Caller(id=f"oidc:{digest}", access=Access(named["access"]), tenant=named["tenant"], user=named["user"])
