"""Published formats of keys and of ids, read from the tables beside this file. Pure, but for reading its own data.

A format is written as literal text with places: `{hex:32}` is 32 hexadecimal digits, `{word:20+}` 20 or more letters,
digits, `_` and `-`, `<live|test>` one of the words, `[pousr]` one of the characters.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toldonce.lazy_pattern import LazyPattern

# Characters of a class, as in a regular expression.
CLASSES = {
    "alnum": "A-Za-z0-9",
    "word": "A-Za-z0-9_-",
    "wordpoint": "A-Za-z0-9_.=-",
    "pointed": "A-Za-z0-9_~.-",
    "base64": "A-Za-z0-9+/_=-",
    "dotslash": "A-Za-z0-9./",
    "hex": "a-fA-F0-9",
    "upper": "A-Z0-9",
    "lower": "a-z0-9",
    "capital": "A-Z",
    "digit": "0-9",
}
# A place "or more" ends here: longer keys than this are not in use, and each repeat needs a bound.
MAX_PLACE_CHARACTERS = 600
_PARTS = LazyPattern(
    r"\{(?P<name>[a-z0-9]{1,12}):(?P<least>\d{1,3})(?P<more>\+|-\d{1,3})?\}|(?P<chars>\[[^\]]{1,40}\])|"
    r"<(?P<words>[^>]{0,120})>"
)


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """The published format of a key or a token."""

    kind: str
    family: str
    shape: str
    source: str
    """Where it is published: a scanner's rule, a standard, or the site of its issuer."""


@dataclass(frozen=True, slots=True)
class IdFormat(KeyFormat):
    """The format of a number that a state, a bank or an insurer gives to a person."""

    country: str
    alone: str
    """Name of the check that finds it without a name before it; empty if only its name tells it."""
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A run of characters of one class, or one of some words."""

    chars: str = ""
    """The class, as in a regular expression."""
    least: int = 1
    most: int = 1
    words: tuple[str, ...] = ()


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files("toldonce.extraction.secret_kinds").joinpath(name).read_text("utf-8")
    yield from csv.DictReader(text.splitlines())


@cache
def key_formats() -> tuple[KeyFormat, ...]:
    """Return the formats of keys and tokens that are recognized by their prefix."""
    return tuple(KeyFormat(**row) for row in _rows("key_formats.csv"))


@cache
def id_formats() -> tuple[IdFormat, ...]:
    """Return the formats of national, tax, bank, passport and health numbers."""
    return tuple(IdFormat(**{**row, "names": tuple(row["names"].split("|"))}) for row in _rows("id_formats.csv"))  # type: ignore[arg-type]


def read_shape(shape: str) -> tuple[str | Place, ...]:
    """Split a format into literal text and places.

    >>> read_shape("hf_{alnum:20}")
    ('hf_', Place(chars='[A-Za-z0-9]', least=20, most=20, words=()))
    """
    parts: list[str | Place] = []
    at = 0
    for match in _PARTS.finditer(shape):
        if match.start() > at:
            parts.append(shape[at : match.start()])
        at = match.end()
        if match["words"] is not None:
            parts.append(Place(words=tuple(match["words"].split("|"))))
        elif match["chars"]:
            parts.append(Place(chars=match["chars"]))
        else:
            least, more = int(match["least"]), match["more"] or ""
            most = MAX_PLACE_CHARACTERS if more == "+" else int(more[1:] or least)
            parts.append(Place(chars=f"[{CLASSES[match['name']]}]", least=least, most=most))
    return (*parts, shape[at:]) if at < len(shape) else tuple(parts)


def shape_pattern(shape: str) -> str:
    """Return the regular expression of a format.

    >>> shape_pattern("gh[pousr]_{alnum:20+}")
    'gh[pousr]_[A-Za-z0-9]{20,600}'
    """
    return "".join(re.escape(part) if isinstance(part, str) else _place_pattern(part) for part in read_shape(shape))


def _place_pattern(place: Place) -> str:
    if place.words:
        return f"(?:{'|'.join(re.escape(word) for word in sorted(place.words, key=len, reverse=True))})"
    if place.least == place.most:
        return place.chars if place.least == 1 else f"{place.chars}{{{place.least}}}"
    return f"{place.chars}{{{place.least},{place.most}}}"
