"""Slots that a sentence in one of ten languages other than English states about the user. Pure.

'moro em Setúbal' is a statement; 'Falls ich in Rom wohne' supposes and 'Wo wohne ich?' asks. The patterns are in
`foreign/`; `foreign_pieces` sorts out questions, orders and suppositions.
"""

import re
from collections.abc import Sequence

from toldonce.extraction.rules.foreign_facts import FAMILY, ForeignFact, foreign_facts
from toldonce.extraction.rules.foreign_pieces import Piece, PieceKind, pieces_of
from toldonce.lazy_pattern import LazyPattern

_WITH = LazyPattern(r"\b(?:mit|avec|con|com|met|с|со)\s{1,3}(?:(?:a|o|la|el|il|meiner|meinem)\s{1,3})?$", re.IGNORECASE)


def stated_facts(sentence: str, message: str, language: str) -> list[ForeignFact]:
    """Find the slots that a sentence states about the user, with the places of the pieces that state them.

    Wishes for answers are read in orders and questions, too, and so are the names of relatives.

    >>> text = "ich wohne in Erfurt, weißt du noch, mein Sohn heißt Jan?"
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
