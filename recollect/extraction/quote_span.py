"""Find the speaker's own words that a model quotes nearly: with a typo mended, an accent or a small word dropped. Pure.

What differs must be spelling. Another number, another negation or another word ('cat' for 'car') is no quotation.
"""

from difflib import SequenceMatcher

from recollect.text import bare, is_unspaced, negations, words
from recollect.text.normalize import fold

# A shorter quote is copied right or made up.
MIN_CHARACTERS = 10
# So many characters of a quote there may be to one that differs.
CHARACTERS_EACH = 10
# Similarity, of 100, below which no window of the message is looked at.
_MIN_SCORE = 85
# Letters of a word that may hold a typo: of shorter words another letter makes another word. One more of so many each.
_MIN_TYPO, _TYPO_EACH = 6, 6
# Signs beside a stretch of an unspaced script that may deny it.
_AROUND = 2
# Letters of a small word that a quote may add or leave out.
_MAX_SMALL = 3


def find_span(quote: str, text: str) -> str:
    """Return the words of a text that a quote means; empty where none are near enough.

    >>> find_span("I have been allergic to peanuts", "hi, i have been alergic to peanuts for years")
    'i have been alergic to peanuts'
    >>> find_span("I have been allergic to 2 things", "i have been allergic to 3 things")
    ''
    """
    from rapidfuzz import fuzz  # loading it takes longer than a check, which mostly needs none
    from rapidfuzz.distance import Levenshtein

    plain, lower = " ".join(quote.split()).strip(" \"'“”„«».…").lower(), text.lower()
    if not MIN_CHARACTERS <= len(plain) <= len(lower) or len(lower) != len(text):
        return ""
    found = fuzz.partial_ratio_alignment(plain, lower, score_cutoff=_MIN_SCORE)
    if found is None or not found.score:
        return ""
    span = _whole_words(text, found.dest_start, found.dest_end)
    one, other = bare(plain), bare(span)
    if Levenshtein.distance(one, other) > max(1, len(one) // CHARACTERS_EACH):
        return ""
    around = text[max(0, found.dest_start - _AROUND) : found.dest_end + _AROUND] if is_unspaced(span) else span
    return span if negations(one) == negations(around) and _differ_in_spelling(one, other) else ""


def _whole_words(text: str, start: int, end: int) -> str:
    """Widen a stretch of a text to whole words; in a script without blanks it is taken as it is."""
    if not is_unspaced(text[start:end]):
        while start and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
    return text[start:end].strip()


def _differ_in_spelling(quote: str, span: str) -> bool:
    """Return whether two texts are the same but for spelling: numbers, negations and all other words agree."""
    if _numbers(quote) != _numbers(span):
        return False
    if is_unspaced(quote):
        steps = SequenceMatcher(None, quote, span, autojunk=False).get_opcodes()
        return all(step != "replace" for step, *_ in steps)
    one, other = words(quote), words(span)
    return all(
        step == "equal" or _is_spelling(one[a:b], other[c:d])
        for step, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    )


def _numbers(text: str) -> list[str]:
    return [word for word in words(text) if any(map(str.isdecimal, word))]


def _is_spelling(one: list[str], other: list[str]) -> bool:
    """Return whether two stretches of words are two spellings of one, or a small word that one of them lacks."""
    from rapidfuzz.distance import Levenshtein

    mine, yours = ("".join(filter(str.isalnum, fold("".join(side)))) for side in (one, other))
    if not mine or not yours:
        return len(mine or yours) <= _MAX_SMALL
    if mine == yours:
        return True
    shorter, distance = min(len(mine), len(yours)), Levenshtein.distance(mine, yours)
    if len(one) != len(other):  # "I'm", "I am"
        return distance <= 1 and mine[0] == yours[0]
    return shorter >= _MIN_TYPO and mine[0] == yours[0] and distance <= max(1, shorter // _TYPO_EACH)
