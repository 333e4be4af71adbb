"""Logging in at an OpenID provider: authorization code flow with PKCE. Asks the configured provider.

What a login begins with (state, nonce, PKCE's verifier) is in a cookie, signed under the client's secret, so that any
server can end it. RFC 6749, RFC 7636, OpenID Connect Core 1.0 section 3.1.
"""

import hmac
import json
import logging
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from ssl import SSLContext
from typing import Any
from urllib.parse import urlencode

from toldonce.clock import Clock
from toldonce.errors import BadIdentityError, BadSettingError, BadSubjectError
from toldonce.server.status import OK
from toldonce.settings import Settings
from toldonce.types import Access, Caller, Subject

logger = logging.getLogger(__name__)
LOGIN_S = 600
"""How long a person may take at the provider, in seconds."""
_TIMEOUT_S = 10.0
_RANDOM_BYTES = 32
_DISCOVERY = "/.well-known/openid-configuration"
# Signatures with a public key alone: a shared key that verifies could sign as well.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
_LEEWAY_S = 60
_MAX_TENANT_AND_USER = 1000


@dataclass(frozen=True, slots=True)
class BegunLogin:
    """A login that goes on at the provider."""

    url: str
    """Where the browser goes."""
    cookie: str
    """What the browser brings back."""


@dataclass(frozen=True, slots=True)
class FinishedLogin:
    """A login that the provider has confirmed."""

    person: Caller
    target: str
    """The page to go on to."""


class OidcLogin:
    """Sends people to the provider, and checks what they bring back."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        """Log in as the settings say; `oidc_issuer` is set.

        Raises:
            BadSettingError: The package that does it is not installed.
        """
        try:
            import authlib.integrations.httpx_client  # noqa: F401  # an extra
        except ImportError:
            raise BadSettingError(
                "TOLDONCE_OIDC_ISSUER", settings.oidc_issuer, "needs the extra `oidc`: `make extras` installs it"
            ) from None
        self._settings = settings
        self._clock = clock
        self._issuer = settings.oidc_issuer or ""
        self._secret = settings.oidc_client_secret.get_secret_value() if settings.oidc_client_secret else ""

    async def begin(self, redirect_uri: str, target: str) -> BegunLogin:
        """Return where the browser goes to log in.

        Args:
            redirect_uri: Where the provider sends it back to.
            target: The page to go on to afterwards.

        Raises:
            BadIdentityError: The provider does not answer as it should.
        """
        from authlib.oauth2.rfc7636 import create_s256_code_challenge  # loaded at the first login

        provider = await self._discover()
        state, nonce, verifier = (secrets.token_urlsafe(_RANDOM_BYTES) for _ in range(3))
        kept = {
            "state": state,
            "nonce": nonce,
            "verifier": verifier,
            "target": target,
            "redirect_uri": redirect_uri,
            "end": int(self._clock.now().timestamp()) + LOGIN_S,
        }
        query = {
            "response_type": "code",
            "scope": "openid profile email",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "nonce": nonce,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        endpoint = _text(provider, "authorization_endpoint")
        return BegunLogin(f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}", self._sealed(kept))

    async def finish(self, query: Mapping[str, str], cookie: str | None) -> FinishedLogin:
        """Return who has logged in.

        Args:
            query: What the provider sent along.
            cookie: What the browser kept since the login began.

        Raises:
            BadIdentityError: The login was not begun in this browser, took too long, or the provider's answer is wrong.
        """
        kept = self._opened(cookie)
        if not hmac.compare_digest(query.get("state", "").encode(), str(kept["state"]).encode()):
            raise BadIdentityError("the answer belongs to another login; begin again")
        if "code" not in query:
            raise BadIdentityError(f"the provider refused: {query.get('error', 'it sent no code')[:100]}")
        provider = await self._discover()
        token = await self._fetch_token(provider, query["code"], kept)
        claims = await self._verified(provider, token, str(kept["nonce"]))
        return FinishedLogin(self._person(claims), str(kept["target"]))

    async def _fetch_token(self, provider: Mapping[str, Any], code: str, kept: Mapping[str, Any]) -> str:
        from authlib.common.errors import AuthlibBaseError
        from authlib.integrations.httpx_client import AsyncOAuth2Client
        from httpx import HTTPError

        client = AsyncOAuth2Client(
            self._settings.oidc_client_id,
            self._secret,
            redirect_uri=kept["redirect_uri"],
            timeout=_TIMEOUT_S,
            trust_env=False,
            follow_redirects=False,
            verify=self._tls,
        )
        try:
            async with client:
                answer = await client.fetch_token(
                    _text(provider, "token_endpoint"), code=code, code_verifier=kept["verifier"]
                )
        except (AuthlibBaseError, HTTPError, ValueError) as error:
            logger.warning("the provider gave no token", extra={"error": type(error).__name__})
            raise BadIdentityError("the provider gave no token for this login; begin again") from None
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise BadIdentityError("the provider sent no ID token")
        return token

    async def _verified(self, provider: Mapping[str, Any], token: str, nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token whose signature, issuer, audience, times and nonce are right."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        try:
            keys = KeySet.import_key_set(await self._get_json(_text(provider, "jwks_uri")))  # type: ignore[arg-type]
            claims = dict(jwt.decode(token, keys, algorithms=_ALGORITHMS).claims)
            jwt.JWTClaimsRegistry(
                now=int(self._clock.now().timestamp()),
                leeway=_LEEWAY_S,
                iss={"essential": True, "value": _text(provider, "issuer")},
                aud={"essential": True, "value": self._settings.oidc_client_id or ""},
                exp={"essential": True},
                nonce={"essential": True, "value": nonce},
            ).validate(claims)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise BadIdentityError(f"the ID token is not valid: {type(error).__name__}") from None
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self._settings.oidc_client_id:
            raise BadIdentityError("the ID token is not valid: it is for another client, too")
        return claims

    def _person(self, claims: Mapping[str, Any]) -> Caller:
        settings = self._settings
        tenant = _text(claims, settings.oidc_tenant_claim) if settings.oidc_tenant_claim else ""
        given = claims.get(settings.oidc_admin_claim)
        if settings.oidc_admin_value and settings.oidc_admin_value in (given if isinstance(given, list) else [given]):
            return Caller(id="oidc", access=Access.ADMIN, tenant=tenant if settings.oidc_tenant_claim else None)
        user = _text(claims, settings.oidc_user_claim)
        try:
            Subject("user", user, tenant)
        except BadSubjectError as error:
            raise BadIdentityError(f"the ID token names a user that cannot have a memory: {error}") from None
        return Caller(id="oidc", access=Access.WRITE, tenant=tenant, user=user)

    async def _discover(self) -> Mapping[str, Any]:
        """Ask the provider for its addresses: it says of itself that it is the issuer of the settings.

        Some issuers end in a slash, which the settings leave out.
        """
        provider = await self._get_json(self._issuer + _DISCOVERY)
        if _text(provider, "issuer").removesuffix("/") != self._issuer:
            raise BadIdentityError("the provider is not the issuer in TOLDONCE_OIDC_ISSUER")
        return provider

    async def _get_json(self, url: str) -> dict[str, Any]:
        from httpx import AsyncClient, HTTPError

        try:
            async with AsyncClient(
                timeout=_TIMEOUT_S, trust_env=False, follow_redirects=False, verify=self._tls
            ) as http:
                answer = await http.get(url)
            body = answer.json() if answer.status_code == OK else None
        except (HTTPError, ValueError) as error:
            logger.warning("the OpenID provider cannot be asked", extra={"error": type(error).__name__})
            body = None
        if not isinstance(body, dict):
            raise BadIdentityError("the OpenID provider does not answer as it should; try again later")
        return body

    @cached_property
    def _tls(self) -> SSLContext:
        """What is trusted, read once: that takes 30 ms on the event loop, and a login asks four times."""
        from httpx import create_ssl_context

        return create_ssl_context(trust_env=False)

    def _sealed(self, kept: Mapping[str, Any]) -> str:
        data = urlsafe_b64encode(json.dumps(kept).encode()).decode()
        return f"{data}.{self._mac(data)}"

    def _opened(self, cookie: str | None) -> dict[str, Any]:
        data, _, mac = (cookie or "").partition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(data).encode()):
            raise BadIdentityError("this login was not begun in this browser; begin again")
        kept: dict[str, Any] = json.loads(urlsafe_b64decode(data))
        if not 0 < kept["end"] - self._clock.now().timestamp() <= LOGIN_S + _LEEWAY_S:
            raise BadIdentityError("this login took too long; begin again")
        return kept

    def _mac(self, data: str) -> str:
        return hmac.digest(self._secret.encode(), b"dashboard login " + data.encode(), "sha256").hex()


def _text(values: Mapping[str, Any], name: str) -> str:
    """Return a text of the provider's.

    Raises:
        BadIdentityError: There is none of that name.
    """
    value = values.get(name)
    if not isinstance(value, str) or not value or len(value) > _MAX_TENANT_AND_USER:
        raise BadIdentityError(f"the provider's answer has no usable {name!r}")
    return value
