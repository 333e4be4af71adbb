"""Whether a text is about a topic, by its words. Reads files."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from re import escape
from typing import Literal

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold, normalise

Topic = Literal["health"]
"""Topics with word lists (topics.toml)."""


def is_about(topic: Topic, text: str) -> bool:
    """Return whether a text has a word of a topic, in one of eleven languages.

    >>> is_about("health", "Ana's migraines are back"), is_about("health", "Ana lives in Oslo")
    (True, False)
    """
    return _patterns()[topic].search(fold(normalise(text))) is not None


@cache
def _patterns() -> Mapping[str, LazyPattern[str]]:
    """Read what is looked for in texts about each topic."""
    tables = tomllib.loads((files(__package__) / "topics.toml").read_text("utf-8"))
    return {topic: _pattern(lists) for topic, lists in tables.items()}


def _pattern(lists: Mapping[str, str]) -> LazyPattern[str]:
    beginnings, whole, within = (
        "|".join(escape(fold(normalise(entry))) for entry in lists[name].split(","))
        for name in ("beginnings", "words", "within")
    )
    return LazyPattern(rf"(?<![^\W_])(?:{beginnings}|(?:{whole})(?![^\W_]))|{within}")
