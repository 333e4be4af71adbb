"""Settings in effect as operators may see them: without secrets. Reads the environment."""

import os
from dataclasses import dataclass
from enum import StrEnum

from pydantic import SecretStr

from toldonce.errors import BadSettingError
from toldonce.settings.all_settings import FILE_SUFFIX, PREFIX, Settings
from toldonce.settings.database_url import shown_url


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
