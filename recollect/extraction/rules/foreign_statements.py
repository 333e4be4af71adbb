"""Statements about the user in ten languages other than English: which sentences state something, and what. Pure.

'moro em Setúbal' is a statement; 'Falls ich in Rom wohne' supposes and 'Wo wohne ich?' asks. The patterns are in
`foreign/` and `foreign_patterns` (first person); `foreign_pieces` sorts out questions, orders and suppositions.
"""

import re
from collections.abc import Sequence

from recollect.extraction.rules.foreign_exclusions import TRIVIAL
from recollect.extraction.rules.foreign_facts import FAMILY, LANGUAGES, ForeignFact, foreign_facts
from recollect.extraction.rules.foreign_patterns import STATES
from recollect.extraction.rules.foreign_pieces import (
    UNSPACED,
    Piece,
    PieceKind,
    pieces_of,
    plain_text,
)
from recollect.lazy_pattern import LazyPattern

# Up to this many words only introduce the next statement: 'Ich bin umgezogen, wohne jetzt in Halle'.
MAX_OPENING_WORDS = 3
# A shorter sentence after a statement does not continue it: 'Merci !'.
MIN_FURTHER_WORDS = 3
_WITH = LazyPattern(r"\b(?:mit|avec|con|com|met|с|со)\s{1,3}(?:(?:a|o|la|el|il|meiner|meinem)\s{1,3})?$", re.IGNORECASE)


def foreign_statements(sentence: str, message: str, language: str) -> list[tuple[int, int]]:
    """Find the lasting statements of a sentence about the user, each by itself, so that one may end alone.

    >>> text = "ich wohne übrigens in Erfurt, kennst du da eine Yogaschule?"
    >>> [text[start:end] for start, end in foreign_statements(text, text, "de")]
    ['ich wohne übrigens in Erfurt']
    >>> foreign_statements("Wo wohne ich?", "", "de"), foreign_statements("Falls ich in Rom wohne", "", "de")
    ([], [])
    """
    found: list[tuple[int, int]] = []
    for run in _stated_runs(pieces_of(sentence, message, language)):
        found += _of_run(sentence, run, language)
    return found


def stated_facts(sentence: str, message: str, language: str) -> list[ForeignFact]:
    """Find the slots that a sentence states about the user, with the places of the pieces that state them.

    Wishes for answers are read in orders and questions, too, and so are the names of relatives.

    >>> text = "ich wohne in Erfurt, kennst du da was für meinen Sohn Jan?"
    >>> [(fact.key, fact.value) for fact in stated_facts(text, text, "de")]
    [('location', 'Erfurt'), ('son:jan', 'Jan')]
    """
    pieces = pieces_of(sentence, message, language)
    found: list[ForeignFact] = []
    for run in [*_stated_runs(pieces), *([piece] for piece in pieces if piece.kind is not PieceKind.STATES)]:
        start = run[0].start
        facts = [fact.moved(start) for fact in foreign_facts(sentence[start : run[-1].end], language)]
        if run[0].kind is not PieceKind.STATES:
            facts = [fact for fact in facts if _is_said_in_passing(fact)]
        found += _within_pieces(sentence, facts, run)
    return found


def _is_said_in_passing(fact: ForeignFact) -> bool:
    return fact.category == "instruction" or fact.key.partition(":")[0] in FAMILY


def _within_pieces(sentence: str, facts: Sequence[ForeignFact], run: Sequence[Piece]) -> list[ForeignFact]:
    """Widen the places of facts to the pieces that state them, so that each ends without the others."""
    placed: list[ForeignFact] = []
    for fact in facts:
        touched = [piece for piece in run if piece.start < fact.end and fact.start < piece.end]
        start, end = touched[0].start, touched[-1].end
        if _is_companion(sentence, fact, start):
            start, end = fact.start, fact.end
        others = [other for other in facts if (other.start, other.end) != (fact.start, fact.end)]
        if any(start < other.end <= fact.start for other in others):
            start = fact.start
        if any(fact.end <= other.start < end for other in others):
            end = fact.end
        placed.append(fact.at(start, end))
    return placed


def _is_companion(sentence: str, fact: ForeignFact, start: int) -> bool:
    """Return whether a relative is only named as the company of an occasion: 'com a minha irmã Leonor'."""
    return fact.key.partition(":")[0] in FAMILY and bool(_WITH.search(sentence, start, fact.start))


def _stated_runs(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return runs of adjacent pieces that state something."""
    runs: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind is PieceKind.STATES:
            runs[-1].append(piece)
        else:
            runs.append([])
    return [run for run in runs if run]


def _of_run(sentence: str, run: Sequence[Piece], language: str) -> list[tuple[int, int]]:
    """Cut a run before each statement; a continuation stays with its statement."""
    found: list[tuple[int, int]] = []
    continues_statement = False
    before = run[0].start
    for piece in run:
        text = sentence[piece.start : piece.end]
        is_trivial = bool(TRIVIAL[language].search(plain_text(text)))
        rest = sentence[piece.start : run[-1].end]
        if _is_statement(text, language, rest=rest) and (not is_trivial or _states_slot(text, language)):
            start = before if language in UNSPACED and not found else piece.start
            if continues_statement and _only_opens(sentence[found[-1][0] : found[-1][1]]):
                start = found.pop()[0]
            found.append((start, piece.end))
            continues_statement = True
        elif continues_statement and not is_trivial:
            found[-1] = (found[-1][0], piece.end)
        else:
            continues_statement = False
            before = piece.end if is_trivial else before
    return [(start, end) for start, end in found if sentence[start:end].strip()]


def _is_statement(text: str, language: str, *, rest: str) -> bool:
    """Return whether a piece begins a statement about the user's life.

    Args:
        text: The piece.
        language: Its language.
        rest: The piece and what follows it, which a pattern may need: 'não é Chopp, é Chope com e'.
    """
    plain, more = plain_text(text), plain_text(rest)
    known = [LANGUAGES[language].statement, *([STATES[language]] if language in STATES else [])]
    begins = (match.start() for pattern in known if (match := pattern.search(more)))
    return any(start < len(plain) for start in begins) or _states_slot(text, language)


def _states_slot(text: str, language: str) -> bool:
    """Return whether a piece states a slot, other than the name of a relative in passing."""
    return any(fact.key.partition(":")[0] not in FAMILY for fact in foreign_facts(text, language))


def _only_opens(statement: str) -> bool:
    """Return whether a statement names nothing and only introduces the next one."""
    spoken = statement.split()
    return len(spoken) <= MAX_OPENING_WORDS and not any(word[:1].isupper() for word in spoken[1:])


def continues_statement(sentence: str, message: str, language: str) -> bool:
    """Return whether a sentence continues the previous statement without making one of its own."""
    plain = plain_text(sentence)
    pieces = pieces_of(sentence, message, language)
    if len(plain.split()) < MIN_FURTHER_WORDS or any(piece.kind is not PieceKind.STATES for piece in pieces):
        return False
    return bool(pieces) and not TRIVIAL[language].search(plain) and not foreign_statements(sentence, message, language)
