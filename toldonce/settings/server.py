"""Settings of the server: its database and address, who may call it, and the login to the dashboard."""

from ipaddress import ip_network
from typing import Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.errors import BadSubjectError
from toldonce.lazy_pattern import LazyPattern
from toldonce.settings.checks import HttpUrl, Key, OptionalName, listed, sub_path
from toldonce.settings.database_url import database_url as as_url
from toldonce.settings.database_url import default_database_url, shown_url
from toldonce.types import Subject

# RFC 7518, 3.2: the key of HS256 has the size of the hash or more. Shorter ones can be guessed from a token.
MIN_SECRET_BYTES = 32
_ORIGIN = LazyPattern(r"[a-z][a-z0-9+.-]{0,20}://[^/?#@,\s]++")
_HOST = LazyPattern(r"(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,254})(?::[0-9]{1,5})?")


class ServerSettings(EnvironmentSettings):
    """Settings of the database, the address, and who may call."""

    database_url: str = Field(
        default_factory=default_database_url,
        description="Database of memories: the path of an SQLite file, also as `sqlite:///path/to/file`, or "
        "`postgresql://user:password@host:port/database` (needs the extra `postgres`).",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Further port on which a server or worker answers `/metrics`, `/livez`, `/readyz` and `/healthz` "
        "without a credential: who can reach it sees counts, and never whose; unset: none.",
    )
    origins: str = Field(
        default="",
        description="Origins of web pages that may call the server from a browser, separated by commas, such as "
        "`http://localhost:3000`. All other pages are refused.",
    )
    hosts: str = Field(
        default="",
        description="Additional host names of the server, separated by commas, such as `memory.example.org`. Requests "
        "to other names are refused, except IP addresses and local network names.",
    )
    dashboard: bool = Field(
        default=True, description="Serve the dashboard at `/dashboard`; off: `GET /` says what the server is."
    )
    public_url: HttpUrl = Field(
        default=None,
        description="URL at which browsers reach the server, such as `https://example.org/memory`, where a proxy in "
        "front of it ends TLS or passes a path on; unset: as they call it.",
    )
    proxies: str = Field(
        default="127.0.0.1, ::1",
        description="Addresses and networks of proxies in front of the server, separated by commas, such as "
        "`10.0.0.0/8`, whose `X-Forwarded-Proto` and `X-Forwarded-Prefix` are believed.",
    )
    default_user: str = Field(
        default="local",
        description="User of requests without an identity, on a loopback address; empty: such requests are anonymous.",
    )
    time_zone: str = Field(
        default="UTC",
        description="Time zone (IANA name) of users of whom none is known, used to resolve dates such as 'yesterday'.",
    )
    auth: Literal["auto", "required", "off"] = Field(
        default="auto",
        description="Whether requests need a credential: `auto` (on an address that others can reach, and on a "
        "loopback address as soon as a key was made or there is an issuer), `required`, or `off` (everyone who can "
        "connect is trusted).",
    )
    jwt_issuer: str | None = Field(
        default=None, description="Issuer (`iss`) of JWTs that name their user; needs the extra `jwt`; unset: none."
    )
    jwt_audience: str | None = Field(default=None, description="Audience (`aud`) of those JWTs, which is required.")
    jwt_jwks_url: HttpUrl = Field(
        default=None, description="URL of the issuer's public keys (JWKS), such as `https://id.example.org/jwks.json`."
    )
    jwt_user_claim: str = Field(default="sub", min_length=1, description="Claim of those JWTs that names the user.")
    jwt_tenant_claim: str | None = Field(
        default=None, description="Claim of those JWTs that names the tenant; unset: they belong to no tenant."
    )
    jwt_secret: Key = Field(
        default=None,
        description="Secret of Open WebUI's signed identity header; if set, plain identity headers are refused.",
    )

    session_secret: Key = Field(
        default=None,
        description="Secret of at least 32 bytes that signs sessions of the dashboard, the same for all servers of a "
        "database; unset: one that is made for this user of this machine.",
    )

    @field_validator("jwt_secret", "session_secret")
    @classmethod
    def _long_enough_to_sign(cls, secret: SecretStr | None) -> SecretStr | None:
        size = len(secret.get_secret_value().encode()) if secret else 0
        if 0 < size < MIN_SECRET_BYTES:
            raise ValueError(
                f"has {size} bytes; a secret that signs must have {MIN_SECRET_BYTES} or more, for example from "
                "`openssl rand -hex 32`"
            )
        return secret

    @field_validator("database_url")
    @classmethod
    def _url_or_path(cls, url: str) -> str:
        return as_url(url)

    @field_validator("origins")
    @classmethod
    def _list_of_origins(cls, origins: str) -> str:
        for origin in listed(origins.lower()):
            if not _ORIGIN.fullmatch(origin.rstrip("/")):
                raise ValueError("takes origins separated by commas, for example http://localhost:3000")
        return origins

    @field_validator("hosts")
    @classmethod
    def _list_of_hosts(cls, hosts: str) -> str:
        for host in listed(hosts.lower()):
            if not _HOST.fullmatch(host.rstrip("/")):
                raise ValueError("takes NAME or NAME:PORT separated by commas, for example memory.example.org")
        return hosts

    @field_validator("public_url")
    @classmethod
    def _below_a_plain_path(cls, url: str | None) -> str | None:
        sub_path(urlsplit(url or "").path)
        return url

    @field_validator("proxies")
    @classmethod
    def _list_of_networks(cls, proxies: str) -> str:
        for proxy in listed(proxies):
            try:
                ip_network(proxy, strict=False)
            except ValueError:
                raise ValueError("takes addresses and networks separated by commas, for example 10.0.0.0/8") from None
        return proxies

    @field_validator("default_user")
    @classmethod
    def _can_be_a_user(cls, name: str) -> str:
        if name and not name.strip():
            raise ValueError("is blank; give a name, or leave it empty for anonymous")
        try:
            return Subject("user", name).name if name else name
        except BadSubjectError as error:
            raise ValueError(str(error)) from None

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("not an IANA time zone; use for example Europe/Oslo") from None
        return name

    @property
    def shown_database(self) -> str:
        """Database URL without its password."""
        return shown_url(self.database_url)

    @property
    def public_path(self) -> str:
        """Path of `TOLDONCE_PUBLIC_URL`, such as `/memory`; empty: the server is reached at the root."""
        return sub_path(urlsplit(self.public_url or "").path)

    @property
    def trusted_proxies(self) -> tuple[str, ...]:
        """Addresses and networks of `TOLDONCE_PROXIES`."""
        return tuple(listed(self.proxies))

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Origins of `TOLDONCE_ORIGINS`, normalized as in browsers."""
        return frozenset(origin.rstrip("/").lower() for origin in listed(self.origins))

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """Names of `TOLDONCE_HOSTS`, in lower case."""
        return frozenset(host.rstrip("/").lower() for host in listed(self.hosts))


# 192 bits of a random secret in base64: who can guess it from a session's cookie can log in as anyone.
MIN_CLIENT_SECRET_BYTES = 24


class OidcSettings(EnvironmentSettings):
    """Settings of the login to the dashboard at an OpenID provider."""

    oidc_issuer: HttpUrl = Field(
        default=None,
        description="OpenID provider at which people log in to the dashboard, such as `https://id.example.org`; needs "
        "the extra `oidc`; unset: they log in with an API key.",
    )
    oidc_client_id: OptionalName = Field(default=None, description="This server's client id at that provider.")
    oidc_client_secret: Key = Field(default=None, description="Its secret there, which also signs sessions.")
    oidc_user_claim: str = Field(
        default="sub", min_length=1, description="Claim of the provider's ID tokens that names the user."
    )
    oidc_tenant_claim: OptionalName = Field(
        default=None, description="Claim that names the tenant; unset: users belong to no tenant."
    )
    oidc_admin_claim: str = Field(
        default="groups", min_length=1, description="Claim that says who administers: a text, or a list of texts."
    )
    oidc_admin_value: OptionalName = Field(
        default=None,
        description="Its value that makes an administrator of the tenant, or of everything if no claim names one; "
        "unset: none does.",
    )

    @field_validator("oidc_client_secret")
    @classmethod
    def _can_sign_sessions(cls, secret: SecretStr | None) -> SecretStr | None:
        size = len(secret.get_secret_value().encode()) if secret else 0
        if 0 < size < MIN_CLIENT_SECRET_BYTES:
            raise ValueError(
                f"has {size} bytes; it also signs sessions, for which it must have {MIN_CLIENT_SECRET_BYTES} or more: "
                "have the provider make a longer one"
            )
        return secret
