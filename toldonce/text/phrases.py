"""Tables of phrases by language, and texts that consist of them alone. Pure.

A short request or question of nothing but such phrases is told by its words, in whatever order, and needs no pattern.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from toldonce.text.normalize import words

_MARKS = " .!…。！?？؟¿¡~～'\"“”「」()\n\t"
# Words of the longest phrase.
_MAX_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    kinds: Mapping[str, frozenset[str]]
    """The kinds of each phrase."""
    longest: int
    """Words, or characters, of the longest phrase."""
    joint: str
    """Between the words of a phrase; empty where these are written without blanks."""
    units: frozenset[str]
    """The words, or characters, that some phrase has."""

    def kinds_in(self, units: Sequence[str]) -> frozenset[str]:
        if not self.units.issuperset(units):
            return frozenset()
        found: set[str] = set()
        place = 0
        while place < len(units):
            sizes = range(min(self.longest, len(units) - place), 0, -1)
            phrases = ((size, self.kinds.get(self.joint.join(units[place : place + size]))) for size in sizes)
            size, kinds = next(((size, kinds) for size, kinds in phrases if kinds), (0, frozenset[str]()))
            if not size:
                return frozenset()
            found |= kinds
            place += size
        return frozenset(found)


def kinds_of_phrases(text: str, package: str, table: str) -> list[frozenset[str]]:
    """Return for each language the kinds of phrases of which a text consists; empty where it has other words.

    Args:
        text: A sentence.
        package: Package that has the table.
        table: Name of a TOML file: for each language, phrases by kind, parted by blanks; `_` is a blank in a phrase.
            `unspaced`: words are written without blanks.
    """
    plain = text.strip(_MARKS).lower().replace("’", "'")
    spaced, letters = words(plain), [letter for letter in plain if letter.isalnum()]
    return [
        found
        for language in _languages(package, table)
        if (found := language.kinds_in(spaced if language.joint else letters))
    ]


@cache
def _languages(package: str, table: str) -> Sequence[_Language]:
    rows = tomllib.loads(files(package).joinpath(table).read_text("utf-8")).values()
    return [_language(row) for row in rows]


def _language(row: dict[str, Any]) -> _Language:
    is_spaced = not row.pop("unspaced", False)
    kinds: dict[str, frozenset[str]] = {}
    for kind, phrases in row.items():
        for phrase in phrases.split():
            said = " ".join(words(phrase.replace("_", " "))) if is_spaced else phrase
            kinds[said] = kinds.get(said, frozenset()) | {kind}
    longest = _MAX_WORDS if is_spaced else max(map(len, kinds))
    units = frozenset(unit for phrase in kinds for unit in (phrase.split(" ") if is_spaced else phrase))
    return _Language(kinds=kinds, longest=longest, joint=" " if is_spaced else "", units=units)
