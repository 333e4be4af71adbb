"""Facts as plain sentences under headings, worded in `wording.toml`. Reads the package's own file.

A fact's own text is used if it is a proper sentence that says its value and no more; otherwise its key gives one.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from recollect.lazy_pattern import LazyPattern
from recollect.prompt.escape import escape_quotation
from recollect.text import bare, squeeze
from recollect.text.slot_owner import OWNER_MARK, bare_key, names_owner, slot_owner
from recollect.types import MAX_MEMORY_CHARACTERS, Memory

_VALUE, _A_VALUE, _ANY_VALUE = "{value}", "{a value}", "*"
# A longer text of a fact is a paragraph, whose value is more readable.
_MAX_OWN_CHARACTERS = 240
_MIN_OWN_WORDS = 3
# Words of a fact's own sentence around its value: 'The user wants to be called' Annie.
_MAX_WORDS_AROUND = 6
_MAX_NAMED_WORDS = 6
# 'The user's diet: vegan.' is what a model's fact has for a text: a label, not a sentence.
_LABEL = LazyPattern(r".{1,80}'s [^.:!?]{1,80}: ")
_ENDS = (".", "!", "?", "。", "！", "？")
_ARTICLE = LazyPattern(r"(?:an?|the|some|my|our|his|her|their|two|three|\d+)\b", re.IGNORECASE)
_VOWELS = "aeiou"


class SentenceGroup(BaseModel):
    """A heading and the sentences of the keys under it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: str
    category: str = ""
    """Category whose unlisted keys are under this heading."""
    sentences: Mapping[str, str | Mapping[str, str]]
    """By key, without the value after its colon; a mapping has a sentence for each value, and one for `*`."""


class Wording(BaseModel):
    """How facts are worded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    manners: frozenset[str]
    """Last words of likes and dislikes that are about answers."""
    answers: frozenset[str]
    """Those of them that name the answer itself."""
    groups: tuple[SentenceGroup, ...]


class SentencePlace(NamedTuple):
    """Where a fact's sentence is in a block: sorting by it gives the order."""

    group: int
    row: int
    key: str
    id: str


@cache
def wording() -> Wording:
    """Read the shipped wording.

    >>> [group.heading for group in wording().groups][:2]
    ['About the user:', 'To be respected:']
    """
    return Wording.model_validate(tomllib.loads(files(__package__).joinpath("wording.toml").read_text("utf-8")))


@cache
def _places() -> Mapping[str, tuple[int, int]]:
    """Group and row of each listed key."""
    return {
        name: (number, row) for number, group in enumerate(wording().groups) for row, name in enumerate(group.sentences)
    }


def place_of(memory: Memory) -> SentencePlace:
    """Return where a fact's sentence is in a block."""
    name = key_name(memory.key)
    group, row = _places().get(name, (_group_of(memory.category, name), len(_places())))
    if name in ("like", "dislike", "prefer") and _is_about_answers(memory.value):
        group = _group_of("instruction", "")
    return SentencePlace(group, row, memory.key, memory.id)


def heading_of(place: SentencePlace) -> str:
    """Return the heading above a sentence."""
    return wording().groups[place.group].heading


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


def sentence_of(key: str, value: str, text: str = "") -> str:
    """Return a fact as a sentence, not yet safe inside a block.

    >>> sentence_of("location", "Oslo"), sentence_of("job", "nurse"), sentence_of("coffee_order", "latte")
    ('The user lives in Oslo.', 'The user works as a nurse.', "The user's coffee order is latte.")
    >>> sentence_of("partner", "Lena", "The user's wife is called Lena."), sentence_of("diet", "vegan", "Diet: vegan")
    ("The user's wife is called Lena.", 'The user is vegan.')
    """
    value = squeeze(value).rstrip(" .;,")
    name = key_name(key)
    if not (name and value):
        return squeeze(text)
    if name == "dislike" and _is_about_answers(value):
        whole = _last_words(value, 1) in wording().answers
        return f"The user does not want {value}." if whole else f"The user wants answers without {value}."
    own = _own_sentence(squeeze(text), value)
    return own if own and not (name in _places() and _says_more(own, value)) else _worded(key, name, value)


def fact_sentence(memory: Memory, max_characters: int = MAX_MEMORY_CHARACTERS) -> str:
    """Return a fact as a sentence that is safe inside a block; that of a named speaker in its own words."""
    return escape_quotation(_sentence_of_speaker(memory), max_characters)


def _sentence_of_speaker(memory: Memory) -> str:
    owner = slot_owner(memory.speaker)
    if not owner:
        return sentence_of(memory.key, memory.value, memory.text)
    text = squeeze(memory.text)
    return text if names_owner(text, owner) else f"{squeeze(memory.speaker)}: {text}"


def key_of_speaker(memory: Memory) -> str:
    """Return a fact's key in words, with the speaker where it has one of its own: "Ana's diet"."""
    words = plain_key(bare_key(memory.key, memory.speaker), memory.value)
    return f"{squeeze(memory.speaker)}'s {words}" if slot_owner(memory.speaker) else words


def change_sentence(new: Memory, old: Memory, max_characters: int = MAX_MEMORY_CHARACTERS) -> str:
    """Return a fact as a sentence that names the value it replaces: 'The user lives in Bergen (no longer Oslo).'"""
    before = escape_quotation(old.value, max_characters).rstrip(" .")
    return f"{fact_sentence(new, max_characters).rstrip('.')} (no longer {before})."


def _own_sentence(text: str, value: str) -> str:
    """Return the text of a fact if it is a proper sentence about its value; empty if not."""
    if not (len(text.split()) >= _MIN_OWN_WORDS and len(text) <= _MAX_OWN_CHARACTERS and text.endswith(_ENDS)):
        return ""
    return text if not text[0].islower() and not _LABEL.match(text) and _has_words(text, value) else ""


def _says_more(text: str, value: str) -> bool:
    """Return whether a text says more than its value: days and amounts that the value does not vouch for.

    >>> _says_more("Ana works as an illustrator 3 days a week.", "illustrator"), _says_more("Ana draws.", "draws")
    (True, False)
    """
    around = f" {bare(text)} ".replace(f" {bare(value)} ", " ", 1)
    return len(around.split()) > _MAX_WORDS_AROUND or any(character.isdecimal() for character in around)


def _worded(key: str, name: str, value: str) -> str:
    """Word a fact by its key."""
    if name in _places():
        group, _ = _places()[name]
        sentence = wording().groups[group].sentences[name]
        if not isinstance(sentence, str):
            sentence = sentence.get(bare(value)) or sentence[_ANY_VALUE]
        return sentence.replace(_A_VALUE, _with_article(value)).replace(_VALUE, value)
    words = plain_key(key, value)
    # A plural needs "are", and a long value reads better after a colon.
    if ":" not in key and not words.endswith("s") and len(value.split()) <= _MAX_NAMED_WORDS:
        return f"The user's {words} is {value}."
    return f"The user's {words}: {value}."


def _with_article(value: str) -> str:
    """Put an article before a common noun: one that has none and begins with a small Latin letter."""
    if not ("a" <= value[0] <= "z") or _ARTICLE.match(value):
        return value
    return f"{'an' if value[0] in _VOWELS else 'a'} {value}"


def _has_words(text: str, value: str) -> bool:
    """Return whether a text has all words of a value, in order, next to each other.

    >>> _has_words("The user does not eat gluten.", "gluten"), _has_words("The user works.", "nurse")
    (True, False)
    """
    return f" {bare(value)} " in f" {bare(text)} "


def _is_about_answers(value: str) -> bool:
    return any(_last_words(value, count) in wording().manners for count in (1, 2))


def _last_words(value: str, count: int) -> str:
    return " ".join(bare(value).split()[-count:])


def _group_of(category: str, name: str) -> int:
    """Return the group of a category; favourites are likes, and the last group takes all others."""
    wanted = "preference" if name.startswith("favorite_") else category
    groups = wording().groups
    return next((number for number, group in enumerate(groups) if group.category == wanted), len(groups) - 1)


def grouped(rows: Iterable[tuple[SentencePlace, str]]) -> list[str]:
    """Put each group of sentences under its heading, in the order of places; each sentence once.

    >>> grouped([(SentencePlace(1, 0, "allergy:nuts", "b"), "- B"), (SentencePlace(0, 0, "name", "a"), "- A")])
    ['About the user:', '- A', 'To be respected:', '- B']
    """
    lines: list[str] = []
    shown: set[str] = set()
    for place, row in sorted(rows):
        heading = heading_of(place)
        lines += [line for line in (heading, row) if line not in shown]
        shown |= {heading, row}
    return lines
