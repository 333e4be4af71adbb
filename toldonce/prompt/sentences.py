"""How a memory reads in a prompt: as it is stored, under a heading. Reads the package's own `headings.toml`.

Nothing is worded again: a fact shows its own text, and what is a quotation shows the words, the speaker and the day.
"""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from toldonce.prompt.escape import escape_quotation
from toldonce.text import bare, squeeze
from toldonce.text.slot_owner import OWNER_MARK, bare_key, names_owner, slot_owner
from toldonce.types import MAX_MEMORY_CHARACTERS, Memory


class HeadingGroup(BaseModel):
    """A heading and the keys of the facts under it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: str
    category: str = ""
    """Category whose unlisted keys are under this heading."""
    keys: tuple[str, ...] = ()
    """Keys in their order, without the value after the colon."""


class _Headings(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    groups: tuple[HeadingGroup, ...]


class SentencePlace(NamedTuple):
    """Where a fact's sentence is in a block: sorting by it gives the order."""

    group: int
    row: int
    key: str
    id: str


@cache
def headings() -> tuple[HeadingGroup, ...]:
    """Read the shipped headings.

    >>> [group.heading for group in headings()][:2]
    ['About the user:', 'To be respected:']
    """
    text = files(__package__).joinpath("headings.toml").read_text("utf-8")
    return _Headings.model_validate(tomllib.loads(text)).groups


@cache
def _places() -> dict[str, tuple[int, int]]:
    """Group and row of each listed key."""
    return {name: (number, row) for number, group in enumerate(headings()) for row, name in enumerate(group.keys)}


def place_of(memory: Memory) -> SentencePlace:
    """Return where a fact's sentence is in a block."""
    return SentencePlace(*place_under_heading(memory.key, memory.category), memory.key, memory.id)


def place_under_heading(key: str, category: str) -> tuple[int, int]:
    """Return the number of the heading that a fact is under, and its place there.

    >>> place_under_heading("allergy:peanuts", "constraint")
    (1, 0)
    """
    name = key_name(key)
    return _places().get(name, (_group_of(category, name), len(_places())))


def key_name(key: str) -> str:
    """Return a key without the value after its colon and its speaker.

    >>> key_name("allergy:peanuts"), key_name("time_zone@ana")
    ('allergy', 'time_zone')
    """
    return key.partition(":")[0].partition(OWNER_MARK)[0].strip().casefold()


def plain_key(key: str, value: str) -> str:
    """Return a key in words; what follows its colon is left out where the value says the same.

    >>> plain_key("avoid:gluten", "gluten"), plain_key("time_zone", "UTC"), plain_key("cup:left", "red")
    ('avoid', 'time zone', 'cup (left)')
    """
    name, _, held = key.partition(":")
    words = squeeze(name.replace("_", " "))
    return words if not held.strip() or _has_words(value, held) else f"{words} ({squeeze(held)})"


def fact_sentence(memory: Memory, max_characters: int = MAX_MEMORY_CHARACTERS) -> str:
    """Return a memory's own text, safe inside a block; of a fact without one its key and value."""
    text = memory.text.strip() or f"{plain_key(memory.key, memory.value)}: {memory.value}"
    owner = slot_owner(memory.speaker)
    named = text if not owner or names_owner(text, owner) else f"{squeeze(memory.speaker)}: {text}"
    return escape_quotation(named, max_characters)


def key_of_speaker(memory: Memory) -> str:
    """Return a fact's key in words, with the speaker where it has one of its own: "Ana's diet"."""
    words = plain_key(bare_key(memory.key, memory.speaker), memory.value)
    return f"{squeeze(memory.speaker)}'s {words}" if slot_owner(memory.speaker) else words


def _has_words(text: str, value: str) -> bool:
    """Return whether a text has all words of a value, in order, next to each other.

    >>> _has_words("no gluten", "gluten"), _has_words("a nurse", "doctor")
    (True, False)
    """
    return f" {bare(value)} " in f" {bare(text)} "


def _group_of(category: str, name: str) -> int:
    """Return the group of a category; favourites are likes, and the last group takes all others."""
    wanted = "preference" if name.startswith("favorite_") else category
    return next((number for number, group in enumerate(headings()) if group.category == wanted), len(headings()) - 1)


def grouped(rows: Iterable[tuple[SentencePlace, str]]) -> list[str]:
    """Put each group of sentences under its heading, in the order of places; each sentence once.

    >>> grouped([(SentencePlace(1, 0, "allergy:nuts", "b"), "- B"), (SentencePlace(0, 0, "name", "a"), "- A")])
    ['About the user:', '- A', 'To be respected:', '- B']
    """
    under: dict[str, list[str]] = {}
    shown: set[str] = set()
    for place, row in sorted(rows):
        if row not in shown:
            under.setdefault(headings()[place.group].heading, []).append(row)
            shown.add(row)
    return [line for heading, lines in under.items() for line in (heading, *lines)]
