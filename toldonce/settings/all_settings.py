"""All settings together: how they are loaded, and which ones go together. Reads the environment."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, ValidationError, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.errors import BadSettingError
from toldonce.former_name import replaced_variable
from toldonce.settings.bounds import BoundSettings
from toldonce.settings.checks import Key, listed
from toldonce.settings.database_url import shown_url
from toldonce.settings.encryption import EncryptionSettings
from toldonce.settings.models import ModelSettings, UpstreamSettings
from toldonce.settings.server import OidcSettings, ServerSettings
from toldonce.types import InjectionMode


class RecallSettings(EnvironmentSettings):
    """Settings of profiles, and what is recalled for a prompt."""

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
    recall_limit: int | None = Field(
        default=None,
        ge=0,
        le=200,
        description="Maximum number of memories added to a prompt, besides standing facts; by default as many as the "
        "profile says, which for most is as many as the tokens hold.",
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
        description="Add a `memories` array to answers (the header `x-toldonce-show: off` disables it for a request).",
    )

    @field_validator("profile_keys")
    @classmethod
    def _pairs_of_key_and_profile(cls, pairs: SecretStr | None) -> SecretStr | None:
        for pair in pairs.get_secret_value().split(",") if pairs else ():
            key, _, profile = pair.strip().rpartition("=")
            if pair.strip() and not (key and profile):
                raise ValueError("takes KEY=PROFILE, separated by commas")
        return pairs

    @property
    def profiles_of_keys(self) -> dict[str, str]:
        """Profiles by client key, from `TOLDONCE_PROFILE_KEYS`."""
        pairs = listed(self.profile_keys.get_secret_value()) if self.profile_keys else []
        return {key: profile for key, _, profile in (pair.rpartition("=") for pair in pairs) if key}


# What `TOLDONCE_WORKER` may be besides its values.
_WORKER_PLACES = {
    **dict.fromkeys(("true", "1", "yes", "on"), "process"),
    **dict.fromkeys(("false", "0", "no"), "off"),
}


class OperationSettings(EnvironmentSettings):
    """Settings of background work, caches and logs."""

    key: Key = Field(default=None, description="API key that `toldonce chat` sends to a server that needs one.")
    worker: Literal["process", "thread", "off"] = Field(
        default="process",
        description="Where `toldonce serve` forms memories: in a `process` of its own, which leaves the answers of "
        "chats undisturbed, or in the server's process (`thread`), which takes less memory; `off`: run `toldonce "
        "worker` separately. `true` and `false` mean `process` and `off`.",
    )
    maintain_every_s: float = Field(
        default=86_400.0,
        ge=0,
        description="Interval of maintenance (expiry, near-duplicates, capacity), in seconds; 0: never.",
    )
    migration_copy: bool = Field(
        default=True,
        description="Keep a copy of a SQLite file beside it before its schema is migrated; the next erasure removes "
        "it.",
    )
    cache_bytes: int = Field(
        default=256 * 1024 * 1024, ge=0, description="Maximum size of the cache of subjects, in bytes."
    )
    log_memory_text: bool = Field(
        default=False, description="Log user names and memory text of decisions instead of ids."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Minimum log level.")

    @field_validator("worker", mode="before")
    @classmethod
    def _place_or_boolean(cls, value: object) -> object:
        return _WORKER_PLACES.get(str(value).lower(), value)


PREFIX = "TOLDONCE_"
DATABASE_SETTING = f"{PREFIX}DATABASE_URL"
# Variables with the prefix that are not settings: used by clients of a server, and by crash tests and the test suite.
_NO_SETTINGS = frozenset({"URL", "KEY", "FAILPOINT", "SOAK", "TEST_DATA"})


FILE_SUFFIX = "_FILE"
MAX_SECRET_BYTES = 64 * 1024


# Pydantic takes the fields of the last base first.
class Settings(
    BoundSettings,
    EncryptionSettings,
    OperationSettings,
    ModelSettings,
    RecallSettings,
    UpstreamSettings,
    OidcSettings,
    ServerSettings,
):
    """All settings. Environment variables have the prefix `TOLDONCE_`."""

    variable_prefix = PREFIX

    @classmethod
    def _environment_values(cls) -> dict[str, str]:
        """Read the environment, and secrets from the files that variables with the suffix `_FILE` name."""
        values = super()._environment_values()
        environment = {name.upper(): value for name, value in os.environ.items()}
        if replaced := replaced_variable(set(environment), _read_variables()):
            former, present = replaced
            raise BadSettingError(former, "…", f"is {present} now: rename it")
        for name in secret_settings():
            variable = f"{PREFIX}{name.upper()}{FILE_SUFFIX}"
            if path := environment.get(variable):
                if name in values:
                    raise BadSettingError(variable, path, f"{PREFIX}{name.upper()} is also set; unset one")
                values[name] = _secret_in(Path(path), variable)
        return values

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
        self.check_keys()
        if self.embed_url and not (self.embed_model and self.embed_dim):
            raise BadSettingError(
                "TOLDONCE_EMBED_URL", self.embed_url, "also needs TOLDONCE_EMBED_MODEL and TOLDONCE_EMBED_DIM"
            )
        if self.jwt_issuer and not (self.jwt_audience and self.jwt_jwks_url):
            raise BadSettingError(
                "TOLDONCE_JWT_ISSUER", self.jwt_issuer, "also needs TOLDONCE_JWT_AUDIENCE and TOLDONCE_JWT_JWKS_URL"
            )
        if self.oidc_issuer and not (self.oidc_client_id and self.oidc_client_secret):
            raise BadSettingError(
                "TOLDONCE_OIDC_ISSUER",
                self.oidc_issuer,
                "also needs TOLDONCE_OIDC_CLIENT_ID and TOLDONCE_OIDC_CLIENT_SECRET",
            )
        if self.rerank_url and not self.rerank_model:
            raise BadSettingError("TOLDONCE_RERANK_URL", self.rerank_url, "also needs TOLDONCE_RERANK_MODEL")
        if self.rerank_url and self.rerank_path:
            raise BadSettingError(
                "TOLDONCE_RERANK_PATH", str(self.rerank_path), "TOLDONCE_RERANK_URL is also set; set only one of them"
            )
        if (self.rerank_url or self.rerank_path) and self.rerank_timeout_s >= self.recall_timeout_s:
            raise BadSettingError(
                "TOLDONCE_RERANK_TIMEOUT_S",
                self.rerank_timeout_s,
                f"must be below TOLDONCE_RECALL_TIMEOUT_S ({self.recall_timeout_s:g}): a slow reranker would "
                "otherwise leave the chat without memory",
            )
        if self.form_model and not (self.form_url or self.upstream_url):
            raise BadSettingError(
                "TOLDONCE_FORM_MODEL",
                self.form_model,
                "needs TOLDONCE_FORM_URL or TOLDONCE_UPSTREAM_URL to reach it",
            )


@cache
def secret_settings() -> tuple[str, ...]:
    """Return the settings that can be read from a file: keys and secrets, and the database's URL with its password."""
    secrets = [name for name, field in Settings.model_fields.items() if "SecretStr" in repr(field.annotation)]
    return tuple(name for name in (*secrets, "database_url") if name + FILE_SUFFIX.lower() not in Settings.model_fields)


def _secret_in(path: Path, variable: str) -> str:
    """Read a secret, without the line break at its end."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SECRET_BYTES + 1)
        if len(content) > MAX_SECRET_BYTES:
            raise BadSettingError(variable, str(path), f"the file has more than {MAX_SECRET_BYTES:,} bytes")
        secret = content.decode().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadSettingError(variable, str(path), f"the file cannot be read: {why}") from None
    if not secret:
        raise BadSettingError(variable, str(path), "the file is empty")
    return secret


@cache
def _setting_variables() -> tuple[str, ...]:
    """Return the variables that are settings, without the prefix."""
    secrets = [name.upper() + FILE_SUFFIX for name in secret_settings()]
    return (*(name.upper() for name in Settings.model_fields), *secrets)


@cache
def _read_variables() -> frozenset[str]:
    return _NO_SETTINGS.union(_setting_variables())


def unknown_variables(environment: Iterable[str]) -> list[str]:
    """Return a sentence for each variable with the prefix that is not a setting.

    >>> unknown_variables(["TOLDONCE_PROT", "TOLDONCE_PORT", "HOME"])
    ['TOLDONCE_PROT is not a setting and has no effect; did you mean TOLDONCE_PORT?']
    """
    known = _setting_variables()
    sentences = []
    for name in sorted(environment):
        upper = name.upper()
        bare = upper.removeprefix(PREFIX)
        if bare == upper or bare in known or bare in _NO_SETTINGS:
            continue
        nearest = get_close_matches(bare, known, n=1)
        hint = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""
        sentences.append(f"{name} is not a setting and has no effect{hint}")
    return sentences


class SettingSource(StrEnum):
    """Where a value comes from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    FILE = "file"
    """Of the variable with the suffix `_FILE`."""
    ARGUMENT = "argument"
    """Of the command line, or of the program that opened the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSetting:
    """One setting."""

    name: str
    """Its environment variable."""
    value: str
    """`set` or `not set` for a secret; URLs without their passwords; empty: unset."""
    source: SettingSource
    is_default: bool
    is_secret: bool
    description: str


def shown_settings(settings: Settings) -> list[ShownSetting]:
    """Return all settings, in the order of the documentation."""
    defaults = Settings.model_construct().model_dump()
    try:
        environment = Settings().model_dump()
    except (BadSettingError, ValueError):  # changed since they were read, or never taken
        environment = {}
    named = {name.upper() for name in os.environ}
    shown = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        variable = PREFIX + name.upper()
        is_secret = "SecretStr" in repr(field.annotation)
        is_from_environment = name in environment and environment[name] == value
        if variable in named and is_from_environment:
            source = SettingSource.ENVIRONMENT
        elif variable + FILE_SUFFIX in named and is_from_environment:
            source = SettingSource.FILE
        else:
            source = SettingSource.DEFAULT if value == defaults[name] else SettingSource.ARGUMENT
        shown.append(
            ShownSetting(
                name=variable,
                value=_shown(value, is_secret=is_secret),
                source=source,
                is_default=value == defaults[name],
                is_secret=is_secret,
                description=field.description or "",
            )
        )
    return shown


def _shown(value: object, *, is_secret: bool) -> str:
    if is_secret or isinstance(value, SecretStr):
        is_set = bool(value.get_secret_value()) if isinstance(value, SecretStr) else value is not None
        return "set" if is_set else "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else shown_url(str(value))
