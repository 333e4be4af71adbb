"""All settings together: how they are loaded, and which ones go together. Reads the environment."""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from toldonce.errors import BadSettingError
from toldonce.former_name import replaced_variable
from toldonce.settings.bounds import BoundSettings
from toldonce.settings.encryption import EncryptionSettings
from toldonce.settings.models import ModelSettings
from toldonce.settings.oidc import OidcSettings
from toldonce.settings.operation import OperationSettings
from toldonce.settings.recall import RecallSettings
from toldonce.settings.server import ServerSettings
from toldonce.settings.upstream import UpstreamSettings

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
