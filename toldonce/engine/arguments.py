"""Check what a caller opens the library with, and the reason that one gives. Reads the environment."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from toldonce.errors import BadRequestError, BadSettingError
from toldonce.settings import Settings
from toldonce.types import SUBJECT_KINDS, MemoryKind, Subject

Choice = TypeVar("Choice", bound=StrEnum)

_MEMBERS = {
    "embedder": (
        ("space", "dim", "embed", "embed_queries", "relevance", "close"),
        "for an API, set embed_url=, embed_model= and embed_dim= instead",
    ),
    "model": (("name", "answer", "close"), "for an API, set form_url= and form_model= instead"),
    "clock": (("now", "monotonic"), "or leave it out"),
}
"""What each object must have, and what to do without one."""
_MAX_SHOWN_CHARACTERS = 60
MAX_REASON_CHARACTERS = 500
"""Maximum length of the reason that a caller gives for what it does."""


def read_settings(database: str | Path | Settings | None, options: Mapping[str, object]) -> Settings:
    """Return the settings that a caller means.

    Args:
        database: URL of a database, path of an SQLite file, or complete settings; None as the environment says.
        options: Settings by name; they come before the environment.

    Raises:
        TypeError: the first argument has another type, an option is not a setting, or settings are given twice.
        BadSettingError: a setting cannot be used.
    """
    if isinstance(database, Settings):
        if options:
            raise TypeError(
                f"ToldOnce got Settings and {', '.join(sorted(options))}=: set them in Settings, or pass a path or URL"
            )
        return database
    if database is not None and not isinstance(database, str | Path):
        raise TypeError(
            f"the database is {_shown(database)}: pass a path ('memory.db'), a URL ('sqlite:///memory.db' or "
            "'postgresql://…') or Settings"
        )
    for name in options:
        if name not in Settings.model_fields:
            raise TypeError(_unknown(name))
    if database is None:
        return Settings.load(**options)
    if "database_url" in options:
        raise TypeError("the database is given twice: as first argument and as database_url=; pass one of them")
    if database == "":
        raise BadSettingError("database", "", "is empty; pass a path such as 'memory.db', or nothing for the default")
    return Settings.load(**options, database_url=str(database))


def require_members(name: str, value: object) -> None:
    """Check that an embedder, a model or a clock has the attributes that the engine uses; None passes.

    Raises:
        TypeError: some are missing.
    """
    members, advice = _MEMBERS[name]
    if value is None:
        return
    missing = [member for member in members if not hasattr(value, member)]  # a caller's own class, of any base
    if missing:
        raise TypeError(f"{name} is {_shown(value)}, which has no {', '.join(missing)}: pass an object; {advice}")


def shared_subject(name: str, tenant: str) -> Subject:
    """Return the subject that is named to be shared, of whatever kind; a name alone is that of a shared one.

    >>> shared_subject("team", "").text, shared_subject("app:calendar", "").text
    ('shared:team', 'app:calendar')
    """
    kind, colon, _ = name.partition(":")
    given = Subject.parse(name) if colon and kind in SUBJECT_KINDS else Subject("shared", name)
    return replace(given, tenant=tenant)


def read_reason(text: str) -> str:
    """Return a caller's reason as the decision log keeps it: on one line, without secrets.

    Raises:
        BadRequestError: it is not a string, or too long.
    """
    from toldonce.extraction.redaction import redact
    from toldonce.text import clean, squeeze

    if not isinstance(text, str):
        raise BadRequestError(f"the reason is {type(text).__name__}, not a string", param="reason")
    if len(text) > MAX_REASON_CHARACTERS:
        raise BadRequestError(
            f"the reason has {len(text)} characters, it takes up to {MAX_REASON_CHARACTERS}", param="reason"
        )
    return squeeze(redact(clean(text)))


def _shown(value: object) -> str:
    text = repr(value)
    short = text if len(text) <= _MAX_SHOWN_CHARACTERS else text[: _MAX_SHOWN_CHARACTERS - 1] + "…"
    return f"{short} ({type(value).__name__})"


def _unknown(name: str) -> str:
    if name == "settings":
        return "ToldOnce takes Settings as its first argument: write ToldOnce(settings)"
    near = get_close_matches(name, Settings.model_fields, n=1)
    return f"ToldOnce has no setting {name!r}" + (f"; is {near[0]!r} meant?" if near else ": see docs/configuration.md")


def read_choice(choices: type[Choice], named: str, param: str) -> Choice:
    """Return what a caller names, as a member of `choices` or by its text.

    Raises:
        BadRequestError: There is no such choice.

    >>> read_choice(MemoryKind, "fact", "kind") is MemoryKind.FACT
    True
    """
    try:
        return choices(named)
    except ValueError:
        why = f"{param} is {str(named)[:40]!r}, it takes {', '.join(choices)}"
        raise BadRequestError(why, param=param) from None


def read_kinds(kinds: Sequence[str] | None) -> tuple[MemoryKind, ...] | None:
    """Return the kinds of memory that a caller names: one, or several; None means any.

    Raises:
        BadRequestError: There is no such kind.
    """
    named = (kinds,) if isinstance(kinds, str) else kinds
    return None if named is None else tuple(read_choice(MemoryKind, kind, "kinds") for kind in named)
