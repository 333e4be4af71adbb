"""The languages that are known (languages.toml), and in which of them a text is written. Pure.

A language is told by its function words and letters, without a model.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from toldonce.text.normalize import fold, words


@dataclass(frozen=True, slots=True)
class Language:
    """One language."""

    script: str
    """Of `scripts.SCRIPTS`."""
    stemmer: str
    """Name of a Snowball stemmer or of one of `stem`'s own: `cut`, `whole`, `hebrew`."""
    stop: frozenset[str]
    """Words that say nothing of a text's subject; negations are never among them."""
    marks: frozenset[str] = frozenset()
    """Words that tell the language as surely, but are searched for as any other."""
    letters: str = ""
    """Letters and signs that few other languages of the script have."""


def folded(words: str) -> frozenset[str]:
    """Read a list of words as they are compared: see `fold`."""
    return frozenset(fold(word) for word in words.split())


_DATA = tomllib.loads(files(__package__).joinpath("languages.toml").read_text("utf-8"))
LANGUAGES: Mapping[str, Language] = {
    code: Language(
        entry["script"],
        entry["stemmer"],
        folded(entry["stop"]),
        folded(entry.get("marks", "")),
        entry.get("letters", ""),
    )
    for code, entry in _DATA["languages"].items()
}
"""By code; the order decides between languages that are told alike."""
LATIN = {code: language for code, language in LANGUAGES.items() if language.script == "latin"}
"""Those written in Latin letters."""
STOP_WORDS = LANGUAGES["en"].stop
"""English words that are in most messages and say nothing of their subject."""
ENGLISH_TOO = STOP_WORDS | frozenset(_DATA["also_english"].split())
"""English words that are words of other languages as well: alone they tell nothing."""
_NAME_PARTS = frozenset(_DATA["name_parts"].split())


class Spoken(NamedTuple):
    """The language of each script that has several, and whether that of Latin letters is told by more than a word.

    Names are words of some language: what one of them tells is enough for a stem beside the usual one, and not enough
    to leave anything out.
    """

    latin: str = "en"
    cyrillic: str = "ru"
    arabic: str = "ar"
    hebrew: str = "he"
    devanagari: str = "hi"
    sure: bool = True


USUAL = Spoken()
"""What is assumed if a text says nothing else."""
_PLACE = {code: place for place, code in enumerate(LANGUAGES)}
USUAL_OF: Mapping[str, str] = {
    **{"latin": USUAL.latin, "cyrillic": USUAL.cyrillic, "arabic": USUAL.arabic, "hebrew": USUAL.hebrew},
    **{"devanagari": USUAL.devanagari, "greek": "el", "armenian": "hy", "tamil": "ta"},
}
"""The language by which every word of a script is stemmed, whatever its text."""
# What tells a language must come to more than this. A word that several have in common counts for its share in each.
_MIN_SHARE = 0.45
# From this on it is told by more than one word.
_SURE = 1.5
# What a word counts that also begins names: "Los Angeles" is no Spanish.
_NAME_PART = 0.25


Marks = Mapping[str, Sequence[tuple[str, float]]]
"""Which languages a word or letter tells of, and how surely."""


def _marks(having: Mapping[str, Iterable[str]]) -> Marks:
    """Share each mark out among the languages of a script that have it.

    Args:
        having: The marks of each language, by code.
    """
    holders: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for code, marks in having.items():
        for mark in marks:
            holders[mark, LANGUAGES[code].script].append(code)
    told: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for (mark, _), codes in holders.items():
        weight = (_NAME_PART if mark in _NAME_PARTS else 1.0) / len(codes)
        told[mark] += [(code, weight) for code in codes]
    return dict(told)


def _words_of(code: str, language: Language) -> frozenset[str]:
    words = language.stop | language.marks
    if language.script != "latin":
        return words
    if code == "en":
        # Vietnamese without its tones has a word for most short English ones, and is seldom written so.
        return words.difference(
            *(other.stop | other.marks for name, other in LATIN.items() if name not in ("en", "vi"))
        )
    return frozenset(word for word in words - ENGLISH_TOO if len(word) > 1)


_WORDS = _marks({code: _words_of(code, language) for code, language in LANGUAGES.items()})
_LETTERS = _marks({code: language.letters for code, language in LANGUAGES.items()})
ENGLISH = frozenset(word for word, told in _WORDS.items() if any(code == "en" for code, _ in told))
"""Words that tell of English."""
FOREIGN = frozenset(word for word, told in _WORDS.items() if any(code != "en" for code, _ in told) and word.isascii())
"""Words in ASCII that tell of another language than English: a text without them needs no closer look."""


def is_english(text: str) -> bool:
    """Return whether a text in Latin letters is in English, or tells no other language.

    >>> is_english("Where is it?"), is_english("¿Dónde vivo?")
    (True, False)
    """
    return guess(words(text), text)[0].latin == USUAL.latin


def guess(words: Iterable[str], text: str) -> tuple[Spoken, bool]:
    """Return the languages of a text, and whether it has more than one language in Latin letters.

    Args:
        words: Its normalised words.
        text: It, as it was written.

    >>> guess(["dónde", "vivo"], "¿Dónde vivo?")[0].latin
    'es'
    """
    scores = language_scores(words, text)
    if not scores:
        return USUAL, False
    latin = _best(scores, "latin")
    spoken = Spoken(
        latin=latin,
        cyrillic=_best(scores, "cyrillic"),
        arabic=_best(scores, "arabic"),
        hebrew=_best(scores, "hebrew"),
        devanagari=_best(scores, "devanagari"),
        sure=latin == USUAL.latin or scores[latin] >= _SURE,
    )
    foreign = max((score for code, score in scores.items() if code in LATIN and code != "en"), default=0.0)
    return spoken, min(foreign, scores.get("en", 0.0)) >= 1


def untold(words: Sequence[str], text: str) -> bool:
    """Tell whether nothing says in which language of Latin letters a text is, or no more than a word.

    >>> untold(["mandorla"], "mandorla"), untold(["where", "is", "mandorla"], "Where is Mandorla?")
    (True, False)
    """
    if not ENGLISH.isdisjoint(words):
        return False
    if text.isascii() and FOREIGN.isdisjoint(words):
        return True
    scores = language_scores(words, text)
    return scores[_best(scores, "latin")] < _SURE


def language_scores(words: Iterable[str], text: str) -> defaultdict[str, float]:
    """Return how much a text tells of each language, by code: about 1 for each word or letter that one alone has."""
    scores: defaultdict[str, float] = defaultdict(float)
    for told in _told(words, text):
        for code, weight in told:
            scores[code] += weight
    return scores


def _told(words: Iterable[str], text: str) -> Iterator[Sequence[tuple[str, float]]]:
    yield from (_WORDS[word] for word in {fold(word) for word in words} if word in _WORDS)
    if not text.isascii():
        yield from (_LETTERS[letter] for letter in _LETTERS.keys() & set(text.lower()))


def _best(scores: Mapping[str, float], script: str) -> str:
    """Choose a script's language: the usual one, unless another has more evidence, and enough."""
    told = [code for code in scores if LANGUAGES[code].script == script]
    usual = USUAL_OF[script]
    if not told or told == [usual]:
        return usual
    best = min(told, key=lambda code: (-scores[code], _PLACE[code]), default=usual)
    least = _MIN_SHARE if script == "latin" else 0.0
    return best if scores.get(best, 0.0) > max(least, scores.get(usual, 0.0)) else usual
