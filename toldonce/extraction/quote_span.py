"""Find the speaker's own words that a model quotes nearly: with a typo mended, an accent or a small word dropped. Pure.

What differs must be spelling. Another number, another negation or another word ('cat' for 'car') is no quotation.
"""

from difflib import SequenceMatcher

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import bare, is_unspaced, negations, words
from toldonce.text.normalize import fold, spelt_out
from toldonce.text.proper_names import is_given_name

# A shorter quote is copied right or made up.
MIN_CHARACTERS = 10
# So many characters of a quote there may be to one that differs.
CHARACTERS_EACH = 10
# Similarity, of 100, below which no window of the message is looked at.
_MIN_SCORE = 85
# Letters of a word that may hold any typo, one more of so many each: of shorter words it makes another word. There a
# typo is a letter that is doubled, or two in each other's place.
_MIN_TYPO, _TYPO_EACH = 6, 6
_DOUBLED = LazyPattern(r"(\w)\1+")
# Beginnings and endings that make another word, however alike the rest is.
_OTHER_STARTS = (("hyper", "hypo"), ("inter", "intra"), ("macro", "micro"), ("ante", "anti"), ("pres", "pros"))
_OTHER_ENDS = (("er", "ee"), ("o", "a"))
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
    if len(plain) < MIN_CHARACTERS or len(lower) != len(text):
        return ""
    start, end = 0, len(text)
    if len(plain) <= len(lower):  # a longer one can mean only the whole text
        found = fuzz.partial_ratio_alignment(plain, lower, score_cutoff=_MIN_SCORE)
        if found is None or not found.score:
            return ""
        start, end = found.dest_start, found.dest_end
    span = _whole_words(text, start, end)
    one, other = bare(plain), bare(span)
    if Levenshtein.distance(one, other) > max(1, len(one) // CHARACTERS_EACH):
        return ""
    around = text[max(0, start - _AROUND) : end + _AROUND] if is_unspaced(span) else span
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
    from rapidfuzz.distance import OSA

    mine, yours = ("".join(filter(str.isalnum, fold("".join(side)))) for side in (one, other))
    if not mine or not yours:
        return len(mine or yours) <= _MAX_SMALL
    if mine == yours or (len(one) == len(other) == 1 and (spelt_out(one[0]) == yours or spelt_out(other[0]) == mine)):
        return True
    shorter, distance = min(len(mine), len(yours)), OSA.distance(mine, yours)
    if mine[0] != yours[0] or is_given_name(mine) or is_given_name(yours) or _is_other_word(mine, yours):
        return False
    if len(one) != len(other):  # "I'm", "I am"
        return distance <= 1
    if _DOUBLED.sub(r"\1", mine) == _DOUBLED.sub(r"\1", yours) or (distance == 1 and sorted(mine) == sorted(yours)):
        return True  # "brass", "bras"; "want", "wnat"
    return shorter >= _MIN_TYPO and distance <= max(1, shorter // _TYPO_EACH)


def _is_other_word(one: str, other: str) -> bool:
    """Return whether two words that are spelt alike mean two things: 'hermano' and 'hermana'."""
    return any(
        (mine.startswith(left) and yours.startswith(right)) or (mine.endswith(end) and yours.endswith(other_end))
        for mine, yours in ((one, other), (other, one))
        for left, right in _OTHER_STARTS
        for end, other_end in _OTHER_ENDS
    )
