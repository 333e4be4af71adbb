"""Settings from the environment (`RECOLLECT_…`). Reads the environment; `docs/configuration.md` lists every one."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, Self
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator

from recollect.environment import EnvironmentSettings
from recollect.errors import BadSettingError, BadSubjectError
from recollect.lazy_pattern import LazyPattern
from recollect.types import InjectionMode, Subject

PREFIX = "RECOLLECT_"
# Variables with the prefix that are not settings: used by crash tests and the test suite.
_NO_SETTINGS = frozenset({"RECOLLECT_FAILPOINT", "RECOLLECT_SOAK", "RECOLLECT_TEST_DATA"})
DATABASE_SETTING = f"{PREFIX}DATABASE_URL"
SQLITE, POSTGRES = "sqlite:///", ("postgresql://", "postgres://")
TAKES_URL = (
    "takes sqlite:///path/to/file (sqlite:////path with four slashes from the root on), or "
    "postgresql://user:password@host:port/database"
)
"""Error text: valid database URLs."""
_ORIGIN = LazyPattern(r"[a-z][a-z0-9+.-]{0,20}://[^/?#@,\s]++")
_HOST = LazyPattern(r"(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,254})(?::[0-9]{1,5})?")
_KEY_ROUTE = LazyPattern(r"(?:GET|POST|PUT|PATCH|DELETE) (?:/(?:\*|[A-Za-z0-9._~-]++))++")
_CONTROL = LazyPattern(r"[\x00-\x1f\x7f-\x9f]")
# A URL has its password after the user name, or in its parameters.
_PASSWORD = LazyPattern(r"(?<=://)([^:/?#@]*):.*", re.DOTALL)
_PASSWORD_PARAMETER = LazyPattern(r"\b((?:ssl)?password=)[^&]*", re.IGNORECASE)


def shown_url(url: str) -> str:
    """Return a database URL without its password, for display.

    >>> shown_url("postgresql://ana:p@ss/word@db.example:5433/memory?sslmode=require")
    'postgresql://ana@db.example:5433/memory?sslmode=require'
    >>> shown_url("postgresql:///memory?user=ana&password=secret"), shown_url("sqlite:///my:file@home")
    ('postgresql:///memory?user=ana&password=…', 'sqlite:///my:file@home')
    """
    head, at, tail = url.rpartition("@")
    return url if url.startswith(SQLITE) else _PASSWORD_PARAMETER.sub(r"\1…", _PASSWORD.sub(r"\1", head) + at + tail)


def default_database_url() -> str:
    """Return the SQLite file in the user's data folder, as a URL."""
    return f"sqlite:///{Path(platformdirs.user_data_dir('recollect')) / 'recollect.sqlite3'}"


class Settings(EnvironmentSettings):
    """All settings. Environment variables have the prefix `RECOLLECT_`."""

    variable_prefix = PREFIX

    database_url: str = Field(
        default_factory=default_database_url,
        description="Database of memories: `sqlite:///path/to/file`, or "
        "`postgresql://user:password@host:port/database` (needs the extra `postgres`).",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
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
    default_user: str = Field(
        default="local",
        description="User of requests without an identity, on a loopback address; empty: such requests are anonymous.",
    )
    time_zone: str = Field(
        default="UTC", description="Time zone of the users (IANA name), used to resolve dates such as 'yesterday'."
    )
    upstream_url: str | None = Field(
        default=None,
        description="Base URL of the upstream API, including `/v1`; unset: the built-in model `recollect/offline`.",
    )
    upstream_key: SecretStr | None = Field(
        default=None,
        description="API key sent upstream with authenticated requests to a model; unset: the client's own "
        "Authorization header is forwarded.",
    )
    upstream_key_routes: str = Field(
        default="",
        description="Additional routes under `/v1` that use `RECOLLECT_UPSTREAM_KEY`, separated by commas, such as "
        "`POST /files, GET /files/*`; `*` matches one path segment.",
    )
    connect_timeout_s: float = Field(
        default=10.0, gt=0, description="Timeout for connecting to the upstream, in seconds."
    )
    first_byte_timeout_s: float = Field(
        default=300.0, gt=0, description="Timeout for the first byte of an answer, in seconds."
    )
    idle_timeout_s: float = Field(default=120.0, gt=0, description="Timeout for silence within an answer, in seconds.")
    total_timeout_s: float = Field(default=3600.0, gt=0, description="Timeout for a complete answer, in seconds.")
    max_body_bytes: int = Field(
        default=64 * 1024 * 1024,
        ge=1024,
        description="Maximum size of a request body, in bytes; larger requests get 413.",
    )
    jwt_secret: SecretStr | None = Field(
        default=None,
        description="Secret of Open WebUI's signed identity header; if set, plain identity headers are refused.",
    )
    profile: str = Field(default="default", description="Profile of requests that name none.")
    profiles: Path | None = Field(
        default=None, description="Folder of your own profiles, one `NAME.toml` each; unset: only the shipped ones."
    )
    profile_keys: SecretStr | None = Field(
        default=None,
        description="Profiles by client key, for requests that name none: `KEY=PROFILE`, separated by commas.",
    )
    injection: InjectionMode = Field(
        default="split",
        description="Position of recalled memory in the prompt: `split` (facts at the end of the system message, the "
        "rest at the end of the newest user message; later prompts replay both), or all of it by `system_append`, "
        "`system_message`, `context_message` or `user_prefix`. A profile may override it.",
    )
    recall_limit: int = Field(
        default=10, ge=0, le=200, description="Maximum number of memories added to a prompt, besides standing facts."
    )
    recall_tokens: int = Field(default=800, ge=0, description="Maximum tokens of memory added to a prompt.")
    recall_timeout_s: float = Field(
        default=1.0,
        gt=0,
        description="Timeout for recall, in seconds; after it the chat continues without memory. The embedder gets "
        "half of it; after that recall uses words and dates only.",
    )
    commit_timeout_s: float = Field(
        default=2.0,
        gt=0,
        description="Maximum time that the end of an answer waits for the turn to be stored, in seconds.",
    )
    strict_vectors: bool = Field(default=False, description="Require a `userId` in `POST /v1/vectors/query`.")
    show_memories: bool = Field(
        default=True,
        description="Add a `memories` array to answers (the header `x-recollect-show: off` disables it for a request).",
    )
    embed_url: str | None = Field(
        default=None,
        description="Base URL of an OpenAI-compatible embeddings API; unset: the built-in static embedder.",
    )
    embed_model: str | None = Field(default=None, description="Embedding model at `RECOLLECT_EMBED_URL`.")
    embed_dim: int | None = Field(default=None, ge=1, le=16000, description="Dimension of that model's vectors.")
    embed_midpoint: float = Field(
        default=0.45,
        gt=-1,
        lt=1,
        description="Cosine of that model that means a relevance of 0.5; unset: fitted on first start.",
    )
    embed_slope: float = Field(
        default=12.0, gt=0, description="Slope of the relevance curve at the midpoint; unset: fitted on first start."
    )
    embed_key: SecretStr | None = Field(default=None, description="API key for `RECOLLECT_EMBED_URL`.")
    rerank_url: str | None = Field(
        default=None,
        description="Base URL of an API with `/rerank` (Jina, Cohere, vLLM, llama.cpp …); unset: no reranking.",
    )
    rerank_model: str | None = Field(default=None, description="Reranking model at `RECOLLECT_RERANK_URL`.")
    rerank_key: SecretStr | None = Field(default=None, description="API key for `RECOLLECT_RERANK_URL`.")
    rerank_path: Path | None = Field(
        default=None, description="Folder of an ONNX cross-encoder (needs `recollect[onnx]`); unset: no reranking."
    )
    rerank_top: int = Field(default=50, ge=2, le=200, description="Number of best candidates to rerank.")
    rerank_timeout_s: float = Field(
        default=0.5, gt=0, description="Timeout for the reranker, in seconds, below `RECOLLECT_RECALL_TIMEOUT_S`."
    )
    form_model: str | None = Field(
        default=None, description="Language model that forms memories; unset: built-in rules, without model tokens."
    )
    form_url: str | None = Field(
        default=None, description="Base URL of that model's API; unset: `RECOLLECT_UPSTREAM_URL`."
    )
    form_key: SecretStr | None = Field(
        default=None, description="Key for that API; unset: `RECOLLECT_UPSTREAM_KEY`, if it is on the same server."
    )
    form_timeout_s: float = Field(
        default=30.0, gt=0, description="Timeout for a model call of a formation, in seconds."
    )
    form_budget_s: float = Field(
        default=5.0, gt=0, description="Maximum CPU time for reading a long message, in seconds."
    )
    worker: bool = Field(
        default=True, description="Form memories in the server process; off: run `recollect worker` separately."
    )
    maintain_every_s: float = Field(
        default=86_400.0,
        ge=0,
        description="Interval of maintenance (expiry, near-duplicates, capacity), in seconds; 0: never.",
    )
    cache_bytes: int = Field(
        default=256 * 1024 * 1024, ge=0, description="Maximum size of the cache of subjects, in bytes."
    )
    log_memory_text: bool = Field(
        default=False, description="Log user names and memory text of decisions instead of ids."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Minimum log level.")

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("not an IANA time zone; use for example Europe/Oslo") from None
        return name

    @field_validator("database_url")
    @classmethod
    def _known_scheme(cls, url: str) -> str:
        if not url.startswith((SQLITE, *POSTGRES)):
            raise ValueError(TAKES_URL)
        return url

    @field_validator("profile_keys")
    @classmethod
    def _pairs_of_key_and_profile(cls, pairs: SecretStr | None) -> SecretStr | None:
        for pair in pairs.get_secret_value().split(",") if pairs else ():
            key, _, profile = pair.strip().rpartition("=")
            if pair.strip() and not (key and profile):
                raise ValueError("takes KEY=PROFILE, separated by commas")
        return pairs

    @field_validator("origins")
    @classmethod
    def _list_of_origins(cls, origins: str) -> str:
        for origin in _listed(origins.lower()):
            if not _ORIGIN.fullmatch(origin.rstrip("/")):
                raise ValueError("takes origins separated by commas, for example http://localhost:3000")
        return origins

    @field_validator("hosts")
    @classmethod
    def _list_of_hosts(cls, hosts: str) -> str:
        for host in _listed(hosts.lower()):
            if not _HOST.fullmatch(host.rstrip("/")):
                raise ValueError("takes NAME or NAME:PORT separated by commas, for example memory.example.org")
        return hosts

    @field_validator("upstream_key_routes")
    @classmethod
    def _list_of_routes(cls, routes: str) -> str:
        for route in _listed(routes):
            if not _KEY_ROUTE.fullmatch(route) or ".." in route:
                raise ValueError("takes METHOD /path separated by commas, for example POST /files, GET /files/*")
        return routes

    @field_validator("default_user")
    @classmethod
    def _can_be_a_user(cls, name: str) -> str:
        if name and not name.strip():
            raise ValueError("is blank; give a name, or leave it empty for anonymous")
        try:
            return Subject("user", name).name if name else name
        except BadSubjectError as error:
            raise ValueError(str(error)) from None

    @field_validator("upstream_key", "embed_key", "rerank_key", "form_key", "jwt_secret")
    @classmethod
    def _can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        value = key.get_secret_value() if key else ""
        if _CONTROL.search(value):
            raise ValueError("contains a line break or another control character; remove it")
        if value and not value.strip():
            raise ValueError("contains only spaces; set it to a key, or unset it")
        return key

    @field_validator("upstream_url", "embed_url", "rerank_url", "form_url")
    @classmethod
    def _http_url(cls, url: str | None) -> str | None:
        if not url:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not _has_usable_port(parts):
            raise ValueError("not an http(s) URL; use for example http://127.0.0.1:11434/v1")
        if parts.username or parts.password:
            raise ValueError("a key belongs in the setting for the key, not in the URL")
        if "?" in url or "#" in url:
            raise ValueError(
                "a base URL cannot contain ? or #; remove the part from there on, and let clients send queries"
            )
        return url.rstrip("/")

    @field_validator("form_model", "embed_model", "rerank_model")
    @classmethod
    def _empty_is_unset(cls, name: str | None) -> str | None:
        return name or None

    @property
    def profiles_of_keys(self) -> dict[str, str]:
        """Profiles by client key, from `RECOLLECT_PROFILE_KEYS`."""
        pairs = _listed(self.profile_keys.get_secret_value()) if self.profile_keys else []
        return {key: profile for key, _, profile in (pair.rpartition("=") for pair in pairs) if key}

    @property
    def shown_database(self) -> str:
        """Database URL without its password."""
        return shown_url(self.database_url)

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Origins of `RECOLLECT_ORIGINS`, normalized as in browsers."""
        return frozenset(origin.rstrip("/").lower() for origin in _listed(self.origins))

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """Names of `RECOLLECT_HOSTS`, in lower case."""
        return frozenset(host.rstrip("/").lower() for host in _listed(self.hosts))

    @property
    def key_routes(self) -> tuple[str, ...]:
        """Routes of `RECOLLECT_UPSTREAM_KEY_ROUTES`."""
        return tuple(_listed(self.upstream_key_routes))

    @classmethod
    def load(cls, **overrides: object) -> Self:
        """Read the environment; `overrides` (command-line options) take precedence.

        Raises:
            BadSettingError: A setting is invalid; the error names the first one.
        """
        try:
            settings = cls(**{name: value for name, value in overrides.items() if value is not None})  # type: ignore[arg-type]  # values are checked by the model itself
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = PREFIX + ".".join(str(part) for part in first["loc"]).upper()
            secret = name.endswith(("_KEY", "_KEYS", "_SECRET")) or "@" in str(first["input"])
            why = str(first["msg"]).removeprefix("Value error, ")
            raise BadSettingError(name, "…" if secret else first["input"], why) from None
        settings._check_together()
        return settings

    def _check_together(self) -> None:
        if self.embed_url and not (self.embed_model and self.embed_dim):
            raise BadSettingError(
                "RECOLLECT_EMBED_URL", self.embed_url, "also needs RECOLLECT_EMBED_MODEL and RECOLLECT_EMBED_DIM"
            )
        if self.rerank_url and not self.rerank_model:
            raise BadSettingError("RECOLLECT_RERANK_URL", self.rerank_url, "also needs RECOLLECT_RERANK_MODEL")
        if self.rerank_url and self.rerank_path:
            raise BadSettingError(
                "RECOLLECT_RERANK_PATH", str(self.rerank_path), "RECOLLECT_RERANK_URL is also set; set only one of them"
            )
        if (self.rerank_url or self.rerank_path) and self.rerank_timeout_s >= self.recall_timeout_s:
            raise BadSettingError(
                "RECOLLECT_RERANK_TIMEOUT_S",
                self.rerank_timeout_s,
                f"must be below RECOLLECT_RECALL_TIMEOUT_S ({self.recall_timeout_s:g}): a slow reranker would "
                "otherwise leave the chat without memory",
            )
        if self.form_model and not (self.form_url or self.upstream_url):
            raise BadSettingError(
                "RECOLLECT_FORM_MODEL",
                self.form_model,
                "needs RECOLLECT_FORM_URL or RECOLLECT_UPSTREAM_URL to reach it",
            )


def unknown_variables(environment: Iterable[str]) -> list[str]:
    """Return a sentence for each variable with the prefix that is not a setting.

    >>> unknown_variables(["RECOLLECT_PROT", "RECOLLECT_PORT", "HOME"])
    ['RECOLLECT_PROT is not a setting and has no effect; did you mean RECOLLECT_PORT?']
    """
    known = [name.upper() for name in Settings.model_fields]
    sentences = []
    for name in sorted(environment):
        upper = name.upper()
        bare = upper.removeprefix(PREFIX)
        if bare == upper or bare in known or upper in _NO_SETTINGS:
            continue
        nearest = get_close_matches(bare, known, n=1)
        hint = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""
        sentences.append(f"{name} is not a setting and has no effect{hint}")
    return sentences


def _listed(items: str) -> list[str]:
    return [item.strip() for item in items.split(",") if item.strip()]


def _has_usable_port(parts: SplitResult) -> bool:
    """Return whether a URL has no port or a valid one."""
    try:
        return parts.port != 0
    except ValueError:
        return False
