"""Salience of a text as a record: whether to keep it, its type, importance and summary. Reads `record_types.toml`.

'I learned that the old lighthouse was built by my grandfather in 1921' is a DISCOVERY and kept; 'Hello there!' is not.
The trained heads say which sentences state something, in every language; the type is told by words.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast

from toldonce.memo import remembered, remembering
from toldonce.reading.heads import judge_alone, judge_each
from toldonce.reading.sentences import TextSpan, fold, sentences, within
from toldonce.text import STOP_WORDS, is_small_talk, is_unspaced, words
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.text.statement_language import language_of

RecordType = Literal["UNKNOWN", "DISCOVERY", "BEHAVIOR", "OUTCOME", "NOTE", "INSIGHT", "DECISION", "ERROR_LESSON"]
# A text of up to this length is a remark; only longer ones can be worth a record.
MAX_REMARK_CHARACTERS = 50
MAX_SUMMARY_CHARACTERS = 150
# Only this much of a text is read, and so many of its sentences: a longer one is a document.
_MAX_READ_CHARACTERS, _MAX_READ_SENTENCES = 8_000, 40
# A longer greeting names something.
_MAX_POLITE_CHARACTERS = 24
# Sentences that state so little, all that a greeting has beside it, are its wishes.
_WISHES = 0.05
# Characters of a long text, which is more important.
_LONG = 300
# Words of content from which a sentence is as full as one can be.
_FULL = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Salience:
    """Assessment of a text."""

    keep: bool
    """Whether it is worth a record."""
    type: RecordType
    importance: int
    """1 to 10."""
    summary: str
    """At most 150 characters; empty if nothing is stated."""
    lead: str
    """The first sentence of the summary, as it is in the text: the quote of a record."""


@dataclass(frozen=True, slots=True)
class _Stated:
    """A sentence that states something."""

    piece: TextSpan
    told: float
    """Probability that it tells something of its speaker."""
    weight: float


def assess_salience(text: str) -> Salience:
    """Assess a text without a model.

    A text is kept if it has more than 50 characters and states something: no greeting, small talk or bare question.
    What tells of its speaker, and of decisions, outcomes, habits or discoveries, is more important.

    >>> assess_salience("I learned that the old lighthouse was built by my grandfather in 1921.").type
    'DISCOVERY'
    >>> assess_salience("Hello there! How are you doing on this fine and sunny day, my friend?").keep
    False
    """
    plain = fold(text[:_MAX_READ_CHARACTERS])
    if len(plain.strip()) <= MAX_REMARK_CHARACTERS:
        return Salience(keep=False, type=record_type(plain), importance=1, summary="", lead="")
    stated = _stated(plain)
    lead = _lead(stated)
    stated_text = " ".join(each.piece.text for each in stated)
    return Salience(
        keep=bool(stated),
        type=record_type(stated_text or plain),
        importance=_importance(stated_text, max((each.told for each in stated), default=0.0)),
        summary=_summary(stated, lead),
        lead=text[lead.start : lead.end] if lead else "",
    )


def record_type(text: str) -> RecordType:
    """Return the type of a text by its words; `UNKNOWN` where its language is not known.

    >>> record_type("We decided to leave at dawn."), record_type("Ich habe alles geputzt.")
    ('DECISION', 'NOTE')
    """
    hits = _cues(text)
    most = max(hits.values(), default=0)
    return next(name for name, count in hits.items() if count == most) if most else "NOTE" if hits else "UNKNOWN"


def importance_of(sentence: str) -> int:
    """Return the importance of a sentence, 1 to 10."""
    return _importance(sentence, judge_alone(sentence).told(0))


def _importance(text: str, told: float) -> int:
    return int(min(bool(text) + 1 + 2 * min(_typed(text), 2) + 4 * told + (len(text) > _LONG), 10))


def content_weight(sentence: str) -> float:
    """Return how full a sentence is of words of content, 0 to 1, and 0.2 more with a number.

    >>> content_weight("The miller gave up in July.") > content_weight("What a summer!")
    True
    """
    said = words(sentence)
    content = len(sentence) / 4 if is_unspaced(sentence) else sum(word not in STOP_WORDS for word in said)
    return min(content, _FULL) / _FULL + 0.2 * any(map(str.isdigit, sentence))


def is_pleasantry(sentence: str) -> bool:
    """Return whether a sentence is only a greeting, thanks or assent, or the mark of bytes.

    Its words tell; those of a short one may be a name, so the heads judge it.

    >>> is_pleasantry("Hello Marcus!"), is_pleasantry("Hello, I moved to Oslo and found the house")
    (True, False)
    """
    if not BYTE_MARK.sub("", sentence).strip() or is_small_talk(sentence):
        return True
    return len(sentence) <= _MAX_POLITE_CHARACTERS and judge_alone(sentence).is_polite(0)


def shorten(text: str, max_characters: int = MAX_SUMMARY_CHARACTERS) -> str:
    """Shorten a text to a summary's length.

    >>> shorten("word " * 100)[-6:], len(shorten("word " * 100)) <= MAX_SUMMARY_CHARACTERS
    (' word…', True)
    """
    return within(" ".join(text.split()), max_characters)


@remembered
def _cues(text: str) -> Mapping[RecordType, int]:
    """Count the different words of each type in a text; empty where its language is not known."""
    language = language_of(text)
    lower = text.lower()
    return {name: len(set(rows[language].findall(lower))) for name, rows in _types().items() if language in rows}


@cache
def _types() -> Mapping[RecordType, Mapping[str, re.Pattern[str]]]:
    tables = tomllib.loads(files(__package__).joinpath("record_types.toml").read_text("utf-8"))
    return {
        cast(RecordType, name): {code: _pattern(row) for code, row in languages.items()}
        for name, languages in tables.items()
    }


def _pattern(row: str) -> re.Pattern[str]:
    phrases = sorted((" ".join(phrase.split()) for phrase in row.split(",")), key=len, reverse=True)
    if is_unspaced(row):
        return re.compile("|".join(map(re.escape, phrases)))
    ended = (re.escape(phrase.rstrip("*")) + ("" if phrase.endswith("*") else r"(?!\w)") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(ended)})")


def _stated(text: str) -> list[_Stated]:
    """Return the sentences that state something."""
    pieces = sentences(text)[:_MAX_READ_SENTENCES]
    with remembering():
        each = zip(pieces, judge_each([piece.text for piece in pieces]), strict=True)
        judged = [(piece, judgement) for piece, judgement in each if not is_pleasantry(piece.text)]
    found: list[_Stated] = []
    for piece, judgement in judged:
        if judgement.states(0):
            told = judgement.told(0)
            found.append(_Stated(piece, told, content_weight(piece.text) + 0.5 * bool(_typed(piece.text)) + told))
    is_greeting = len(judged) < len(pieces) or any(judgement.is_polite(0) for _, judgement in judged)
    return [] if is_greeting and all(each.told < _WISHES for each in found) else found


def _typed(text: str) -> int:
    """Count the types that a text has words of."""
    return sum(bool(count) for count in _cues(text).values())


def _lead(stated: list[_Stated]) -> TextSpan | None:
    """Return the first sentence of at least average information: openings like "Well, let me see" have less."""
    if not stated:
        return None
    weights = [each.weight for each in stated]
    # Rounding may put the mean of equal weights above each of them.
    enough = min(sum(weights) / len(weights), max(weights))
    return next(each.piece for each in stated if each.weight >= enough)


def _summary(stated: list[_Stated], lead: TextSpan | None) -> str:
    if lead is None:
        return ""
    summary = shorten(lead.text)
    for each in stated:
        longer = f"{summary} {' '.join(each.piece.text.split())}"
        if each.piece.start <= lead.start:
            continue
        if len(longer) > MAX_SUMMARY_CHARACTERS:
            break
        summary = longer
    return summary
