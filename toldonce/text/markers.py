"""Words that change what a statement says, in the languages of markers.toml, and those that tell English. Pure.

What differs in a denial, a number, a day or a word and its opposite is another statement, however like it is.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from toldonce.text.normalize import normalise, words
from toldonce.text.stem import stem

_TENS = (20, 30, 40, 50, 60, 70, 80, 90, 100, 1000)
_NONE = "-"
# Signs that make a form of markers.toml one of several, or the beginning of words.
_OR, _BEGINS = "/", "*"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words with the name of the marker that each is a form of."""

    exact: Mapping[str, str]
    begun: tuple[tuple[str, str], ...]
    """Beginnings of words, longest first."""

    def of(self, word: str) -> str | None:
        """Return the name of the marker that a normalised word is a form of, or None."""
        known = self.exact.get(word)
        if known is None and self.begun:
            known = next((name for start, name in self.begun if word.startswith(start)), None)
        return known


@dataclass(frozen=True, slots=True)
class Markers:
    """The words of one language that change what a statement says."""

    denials: Lexicon
    inside: tuple[str, ...]
    """What denies within words, or anywhere in a text without blanks."""
    prefixes: tuple[str, ...]
    numbers: Lexicon
    days: Lexicon
    opposites: tuple[tuple[Lexicon, Lexicon], ...]
    light: frozenset[str]
    """Words that a statement may have or not and say the same."""
    known: frozenset[str]
    """All of its words here, by which it is told."""
    is_unspaced: bool
    """Whether its script has no blanks: then words are looked for in the whole text."""


# Languages whose words are not cut by blanks.
_UNSPACED = frozenset({"zh", "ja", "th"})


@lru_cache(maxsize=1)
def all_markers() -> Mapping[str, Markers]:
    """Read markers.toml: by the code of the language."""
    data = tomllib.loads(files(__package__).joinpath("markers.toml").read_text("utf-8"))["languages"]
    read = {code: _read(code, entry) for code, entry in data.items()}
    denying = {word for markers in read.values() for word in markers.denials.exact}
    return {code: _with_light(markers, data[code], denying) for code, markers in read.items()}


@lru_cache(maxsize=1)
def english_stems() -> frozenset[str]:
    """Read english.txt: stems of common English words."""
    lines = files(__package__).joinpath("english.txt").read_text("utf-8").splitlines()
    return frozenset(stem(word) for line in lines if not line.startswith("#") for word in line.split())


def _read(code: str, entry: Mapping[str, str]) -> Markers:
    numbers = [(form, str(value)) for value, form in enumerate(entry["numbers"].split())]
    numbers += [(form, str(value)) for value, form in zip(_TENS, entry.get("tens", "").split(), strict=False)]
    return Markers(
        denials=_lexicon((form, form) for form in entry.get("negations", "").split()),
        inside=tuple(normalise(form) for form in entry.get("inside", "").split()),
        prefixes=tuple(normalise(form) for form in entry.get("prefixes", "").split()),
        numbers=_lexicon(numbers),
        days=_lexicon((form, str(day)) for day, form in enumerate(entry.get("days", "").split())),
        opposites=tuple(_pair(pair) for pair in entry["opposites"].split(",")),
        light=frozenset(),
        known=frozenset(),
        is_unspaced=code in _UNSPACED,
    )


def _with_light(markers: Markers, entry: Mapping[str, str], denying: set[str]) -> Markers:
    """Add the light words; none of them denies in any language, as a short text may be taken for another one."""
    light, telling = (
        {word for form in entry.get(key, "").split() for word in words(form)} for key in ("light", "tells")
    )
    turning = {*markers.numbers.exact, *markers.days.exact}
    turning.update(*(side.exact for pair in markers.opposites for side in pair))
    known = frozenset(light | telling | turning | markers.denials.exact.keys())
    return replace(markers, light=frozenset(light - denying - turning), known=known)


def _pair(pair: str) -> tuple[Lexicon, Lexicon]:
    one, other = pair.split()
    return _lexicon([(one, one)]), _lexicon([(other, other)])


def _lexicon(named: Iterable[tuple[str, str]]) -> Lexicon:
    """Read forms, each with the name of its marker."""
    exact: dict[str, str] = {}
    begun: dict[str, str] = {}
    for forms, name in named:
        for form in forms.split(_OR):
            word = " ".join(words(form))
            if form != _NONE and word:
                (begun if form.endswith(_BEGINS) else exact)[word] = name
    return Lexicon(exact, tuple(sorted(begun.items(), key=lambda item: -len(item[0]))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What markers a statement has, each as often as it has it."""

    words: frozenset[str]
    denials: Counter[str]
    numbers: Counter[str]
    days: Counter[str]
    sides: tuple[frozenset[int], frozenset[int]]
    """Of which pairs of opposites it has the first word, and of which the second."""


def read_signs(text: str, markers: Markers) -> Signs:
    """Read the markers of a statement.

    >>> signs = read_signs("Ich trinke nie drei Kaffee am Montag.", all_markers()["de"])
    >>> signs.denials, signs.numbers, signs.days
    (Counter({'nie': 1}), Counter({'3': 1}), Counter({'0': 1}))
    """
    plain = normalise(text)
    found = words(plain)

    def count(lexicon: Lexicon) -> Counter[str]:
        if markers.is_unspaced:
            forms = (*lexicon.exact.items(), *lexicon.begun)
            return Counter({name: said for form, name in forms if (said := plain.count(form))})
        return Counter(name for word in found if (name := lexicon.of(word)) is not None)

    denials = count(markers.denials)
    denials.update({form: plain.count(form) for form in markers.inside if form in plain})
    left, right = (
        frozenset(place for place, pair in enumerate(markers.opposites) if count(pair[side])) for side in (0, 1)
    )
    return Signs(
        words=frozenset(found),
        denials=denials,
        numbers=count(markers.numbers),
        days=count(markers.days),
        sides=(left, right),
    )


def differing_marker(ours: Signs, theirs: Signs, markers: Markers) -> str | None:
    """Return in what sign two statements of a language differ that makes them two; None where they do not.

    >>> spanish = all_markers()["es"]
    >>> one, other = (read_signs(text, spanish) for text in ("Ana come carne.", "Ana no come carne."))
    >>> differing_marker(one, other, spanish)
    'one of them is negated'
    """
    if ours.denials != theirs.denials or _is_denied_by_prefix(ours.words, theirs.words, markers.prefixes):
        return "one of them is negated"
    if ours.numbers != theirs.numbers:
        return "the numbers differ"
    if ours.days != theirs.days:
        return "the dates differ"
    (left, right), (their_left, their_right) = ours.sides, theirs.sides
    if (left - right) & (their_right - their_left) or (right - left) & (their_left - their_right):
        return "they say opposite things"
    return None


def _is_denied_by_prefix(here: frozenset[str], there: frozenset[str], prefixes: Iterable[str]) -> bool:
    return any(
        f"{prefix}{word}" in denied
        for plain, denied in ((here - there, there - here), (there - here, here - there))
        for prefix in prefixes
        for word in plain
    )
