"""JWTs of the operator's identity provider, verified with its public keys. Fetches them from the configured URL."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b, sha256
from time import monotonic
from typing import Any

import jwt

from toldonce.errors import BadIdentityError, BadSettingError, BadSubjectError
from toldonce.settings import Settings
from toldonce.types import Access, Caller, Subject

logger = logging.getLogger(__name__)

# Signatures with a public key alone: a symmetric key that verifies could sign as well.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
_LEEWAY_S = 60
# The keys are fetched again after this long, in seconds.
_KEYS_FRESH_S = 300.0
_FETCH_TIMEOUT_S = 5
# How long requests wait for a fetch while older keys are known, in seconds: a slow issuer must not hold up all.
_WAIT_S = 1.0
# A token with an unknown key id makes us ask for new keys, but not more often than this, in seconds.
_REFETCH_EVERY_S = 30.0
_ID_BYTES = 6
# Verified tokens that are remembered: a signature takes longer to verify than all else that a request is checked for.
_MAX_VERIFIED = 10_000


@dataclass(frozen=True, slots=True)
class _Verified:
    """A token whose signature and claims were right."""

    caller: Caller
    key: jwt.PyJWK
    """Key that verified it: once the issuer's keys were fetched again, the token is verified again."""
    times: dict[str, Any]
    """Claims about when it is valid, which are checked at each request."""


class TokenVerifier:
    """Verifies the JWTs of one issuer."""

    def __init__(self, settings: Settings, *, timer: Callable[[], float] = monotonic) -> None:
        """Verify as the settings say; `timer` counts seconds.

        Raises:
            BadSettingError: The package that verifies signatures is not installed.
        """
        if not jwt.algorithms.has_crypto:
            raise BadSettingError(
                "TOLDONCE_JWT_ISSUER", settings.jwt_issuer, "needs the extra `jwt`: `make extras` installs it"
            )
        self._settings = settings
        self._timer = timer
        self._client = jwt.PyJWKClient(
            settings.jwt_jwks_url or "", cache_keys=False, cache_jwk_set=False, timeout=_FETCH_TIMEOUT_S
        )
        self._known: list[jwt.PyJWK] = []
        self._fetched_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._wait_until = 0.0
        # By the SHA-256 of the token: the tokens themselves are kept nowhere.
        self._verified: OrderedDict[bytes, _Verified] = OrderedDict()

    def is_issued_here(self, token: str) -> bool:
        """Return whether a token says that it is of the issuer; nothing is verified."""
        if _digest(token) in self._verified:
            return True
        try:
            claims = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, ValueError, RecursionError):
            return False
        return claims.get("iss") == self._settings.jwt_issuer

    async def caller(self, token: str, now: datetime) -> Caller:
        """Return who sends a token that is valid at `now`.

        Raises:
            BadIdentityError: It is not valid, the issuer's keys cannot be had, or a claim is not as it should be.
        """
        digest = _digest(token)
        known = self._verified.get(digest)
        if known is None or await self._key(known.key.key_id) is not known.key:
            known = await self._verify(token)
        self._verified[digest] = known
        self._verified.move_to_end(digest)
        if len(self._verified) > _MAX_VERIFIED:
            self._verified.popitem(last=False)
        _check_times(known.times, now)
        return known.caller

    async def _verify(self, token: str) -> _Verified:
        """Verify all but the times.

        Raises:
            BadIdentityError: The token is not valid, or names no user.
        """
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise BadIdentityError("the JWT cannot be read") from None
        key = await self._key(header.get("kid"))
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                issuer=self._settings.jwt_issuer,
                audience=self._settings.jwt_audience,
                options={  # times are checked by the caller, against `now`
                    "require": ["exp", "iss", "aud"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise BadIdentityError(f"the JWT is not valid: {type(error).__name__}") from None
        times: dict[str, Any] = {name: claims[name] for name in ("exp", "nbf", "iat") if name in claims}
        return _Verified(self._caller(claims), key, times)

    def _caller(self, claims: dict[str, Any]) -> Caller:
        settings = self._settings
        user = _text(claims, settings.jwt_user_claim, "user")
        tenant = _text(claims, settings.jwt_tenant_claim, "tenant") if settings.jwt_tenant_claim else ""
        try:
            Subject("user", user, tenant)
        except BadSubjectError as error:
            raise BadIdentityError(f"the JWT names a user that cannot have a memory: {error}") from None
        digest = blake2b(f"{tenant}/{user}".encode(), digest_size=_ID_BYTES).hexdigest()
        return Caller(id=f"jwt:{digest}", access=Access.WRITE, tenant=tenant, user=user)

    async def _key(self, key_id: object) -> jwt.PyJWK:
        """Return the issuer's key with this id; fetch the keys again if it is unknown.

        Raises:
            BadIdentityError: It has no such key, or its keys cannot be fetched.
        """
        for max_age_s in (_KEYS_FRESH_S, _REFETCH_EVERY_S):
            for key in await self._keys(max_age_s):
                if key.key_id == key_id:
                    return key
        raise BadIdentityError("the JWT is not valid: its key is none of the issuer's")

    async def _keys(self, max_age_s: float) -> list[jwt.PyJWK]:
        """Return the issuer's keys, fetched at most so long ago; older ones if they cannot be fetched soon.

        Raises:
            BadIdentityError: They were never fetched.
        """
        now = self._timer()
        max_age_s = max_age_s if self._known else _REFETCH_EVERY_S
        is_old = self._fetched_at is None or now - self._fetched_at >= max_age_s
        if is_old and (self._fetching is None or self._fetching.done()):
            self._fetched_at, self._wait_until = now, monotonic() + _WAIT_S
            self._fetching = asyncio.create_task(self._fetch())
        if self._fetching is not None and not self._fetching.done():
            patience_s = max(0.0, self._wait_until - monotonic()) if self._known else _FETCH_TIMEOUT_S
            await asyncio.wait({self._fetching}, timeout=patience_s)
        if not self._known:
            raise BadIdentityError("the issuer's public keys cannot be fetched: see TOLDONCE_JWT_JWKS_URL")
        return self._known

    async def _fetch(self) -> None:
        try:
            self._known = await asyncio.to_thread(self._client.get_signing_keys)
        except (jwt.PyJWTError, OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            logger.warning("the issuer's keys cannot be fetched", extra={"error": type(error).__name__})


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def _text(claims: dict[str, Any], claim: str, what: str) -> str:
    """Return a claim.

    Raises:
        BadIdentityError: It is no text, or an empty one.
    """
    value = claims.get(claim)
    if not isinstance(value, str) or not value:
        raise BadIdentityError(f"the JWT names no {what}: its claim {claim!r} is not a text")
    return value


def _check_times(times: dict[str, Any], now: datetime) -> None:
    """Check when a token is valid, by our own clock.

    Raises:
        BadIdentityError: It is not valid now.
    """
    for name, value in times.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadIdentityError(f"the JWT is not valid: {name} is not a time")
    at = now.timestamp()
    if times["exp"] <= at - _LEEWAY_S:
        raise BadIdentityError("the JWT has expired")
    if max(times.get("nbf", 0), times.get("iat", 0)) > at + _LEEWAY_S:
        raise BadIdentityError("the JWT is not valid yet; compare both machines' clocks")
