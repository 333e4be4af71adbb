"""In which language each part of a text is, as far as its date words are known. Pure.

A text in English, or in a language that is not told, has no parts: its dates are read as English.
"""

import string
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from toldonce.dates.vocabulary import covered, signs
from toldonce.lazy_pattern import LazyPattern
from toldonce.text.languages import FOREIGN, LANGUAGES, LATIN, language_scores
from toldonce.text.normalize import fold, words

# Characters at the start of a text by which its language is told.
_MAX_READ = 1_000
# What tells a language must come to more than this: a fifth of what a word tells that only this language has.
_MIN_SCORE = 0.2
# Languages that a part may be in, what each must have of the highest score, and from which score on it is the only one.
_MAX_LIKELY, _NEAR, _SURE = 3, 0.8, 3.0
# With so much of English and of another language a text may be in both.
_MIN_MIXED = 1.0
# English date words that no other language has: those of LANGUAGES leave out most of them.
_ENGLISH = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow tonight ago weeks months years
    january february june july october december""".split()
)
# A planet in English: it tells nothing where it has a capital, which the languages with this month do not write.
_PLANET = "mars"
# Lower case, and blanks for marks: a table of bytes takes half the time of one of characters.
_PLAIN = bytes.maketrans(
    (string.ascii_uppercase + string.punctuation).encode(),
    (string.ascii_lowercase + " " * len(string.punctuation)).encode(),
)
# Letters of scripts other than Latin.
_OTHER_LETTER = LazyPattern("[\u0370-\u1cff\u1f00-\u1fff\u3041-\u9fff\uac00-\ud7a3]")
_LATIN_LETTER = LazyPattern("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
# First and last letter of each script, and its language; the script's name if it has several.
_SCRIPTS = (
    ("\u0370", "\u03ff", "el"),
    ("\u1f00", "\u1fff", "el"),
    ("\u0400", "\u052f", "cyrillic"),
    ("\u0530", "\u058f", "hy"),
    ("\u0590", "\u05ff", "hebrew"),
    ("\u0600", "\u077f", "arabic"),
    ("\u0900", "\u097f", "devanagari"),
    ("\u0980", "\u09ff", "bn"),
    ("\u0b80", "\u0bff", "ta"),
    ("\u0e00", "\u0e7f", "th"),
    ("\u3041", "\u30fa", "ja"),
    ("\u3400", "\u9fff", "zh"),
    ("\uac00", "\ud7a3", "ko"),
)
# Where one language may end and another begin; no stop after a number: '12. März'.
_JOINT = LazyPattern(r"[!?。！？؟।\n]|(?<=[^\W\d])\.\s")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text in one language."""

    start: int
    end: int
    languages: tuple[str, ...]
    """The most likely one first: in a short text of few words several are possible."""
    is_sure: bool
    """More than a name or two tell that it is not in English."""


def foreign_parts(text: str) -> list[Part]:
    """Return the parts of a text in languages other than English whose date words are known.

    >>> foreign_parts("Ich war gestern in Rom"), foreign_parts("I was in Rome")
    ([Part(start=0, end=22, languages=('de',), is_sure=False)], [])
    """
    if text.isascii() and _telling().isdisjoint(text.encode().translate(_PLAIN).split()):
        return []  # nearly all English texts
    told = _languages(text[:_MAX_READ])
    if told.is_mixed:
        return list(_parts(text))
    return [Part(0, len(text), told.languages, told.is_sure)] if told.languages else []


def _parts(text: str) -> Iterator[Part]:
    """Yield the parts of a text in several languages that are surely not in English."""
    at = 0
    for end in [*(joint.end() for joint in _JOINT.finditer(text)), len(text)]:
        told = _languages(text[at:end][:_MAX_READ], least=_MIN_MIXED)
        if told.languages:
            yield Part(at, end, told.languages, told.is_sure)
        at = end


@cache
def _telling() -> frozenset[bytes]:
    """Return the ASCII words that tell of another language than English."""
    return frozenset(word.encode() for word in FOREIGN.union(signs()) if word.isascii())


class _Told(NamedTuple):
    """What a text tells of its language."""

    languages: tuple[str, ...] = ()
    """The likely ones, none for English and unknown ones."""
    is_sure: bool = False
    is_mixed: bool = False
    """It may have several languages."""


def _languages(text: str, least: float = _MIN_SCORE) -> _Told:
    """Return what a text tells of its language.

    Args:
        text: A text.
        least: What the score of a language in Latin letters must exceed.
    """
    said = words(text)
    scores = language_scores(said, text)
    for word in set(said) - ({_PLANET} if _PLANET.capitalize() in text else set()):
        codes = signs().get(word) or signs().get(fold(word), ())
        for code in codes:
            scores[code] += 1 / len(codes)
    english = scores.get("en", 0.0) + len(_ENGLISH.intersection(said))
    others = len(_OTHER_LETTER.findall(text)) if not text.isascii() else 0
    # A letter of most other scripts says more than one of Latin.
    if others * 2 > (latin := len(_LATIN_LETTER.findall(text)) if others else 0):
        return _Told(_of_script(text, scores), is_sure=True, is_mixed=bool(latin))
    best = max((score for code, score in scores.items() if code in LATIN and code != "en"), default=0.0)
    is_mixed = bool(others) or min(best, english) >= _MIN_MIXED
    return _Told(_likely(scores, LATIN.keys() - {"en"}, max(least, english)), best >= _SURE, is_mixed)


def _likely(scores: Mapping[str, float], codes: Collection[str], least: float) -> tuple[str, ...]:
    """Return the covered languages that come to more than `least` and near the highest score, that one first."""
    told = [code for code in LANGUAGES if code in codes and scores.get(code, 0.0) > least]
    ranked = sorted(told, key=lambda code: -scores[code])[:_MAX_LIKELY]
    highest = scores[ranked[0]] if ranked else 0.0
    near = highest if highest >= _SURE else _NEAR * highest
    return tuple(code for code in ranked if scores[code] >= near and code in covered())


def _of_script(text: str, scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the likely languages of the script that has most letters of a text; kana decides over Han."""
    count = Counter(script for letter in text if (script := _script(letter)))
    if not count:
        return ()
    script = "ja" if count["ja"] else count.most_common(1)[0][0]
    several = [code for code, language in LANGUAGES.items() if language.script == script]
    usual = tuple(code for code in (several[:1] or [script]) if code in covered())
    return _likely(scores, several, 0.0) or usual


def _script(letter: str) -> str:
    """Return the script of a letter as `LANGUAGES` names it, or the only language that is written in it."""
    return next((name for first, last, name in _SCRIPTS if first <= letter <= last), "")
