"""When two memories say the same, and when they must never be taken for one. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toldonce.dates.vocabulary import covered, date_words, flat
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.lexicon import DATES, DEGREE, EQUALS, MODAL, OPPOSITES, PEOPLE, PLACING
from toldonce.resolution.moved_values import has_moved_values
from toldonce.resolution.tokens import (
    TokenizedSentence,
    align,
    is_sign,
    leaders,
    names,
    token,
    tokenize,
    without_determiners,
)
from toldonce.text import STOP_WORDS, bare, negations, normalise, spelling_similarity, words
from toldonce.text.source_marks import names_pasted_source
from toldonce.text.wordings import are_english, common_language, foreign_difference, light_words, marked_difference

# Small words, each with its meaning; of two texts that have different ones of a group neither says the other.
_TURNING: tuple[dict[str, str], ...] = (
    {token(word): word for word in "to from for against about".split()} | {token("into"): "to", "out of": "from"},
    {
        token(word): who
        for who, forms in (("he", "he him his himself"), ("she", "she her hers herself"), ("we", "we us our ours"))
        for word in forms.split()
    },
    {token(word): word for word in "all some most few every".split()},
)
_SOURCES = "one rests on a pasted text"
_SMALL_WORD = "a small word turns the meaning"
_NAMES = "the names differ"
_DATES = "the dates differ"
DOUBLED = LazyPattern(r"(\w)\1")
# Words of one role in a sentence: 'the old man', 'a cheetah'.
_MAX_ROLE_WORDS = 4
_JOINS = frozenset({"and", "or", "nor", "with"})
_ORDINARY = frozenset(EQUALS) | frozenset(EQUALS.values()) | STOP_WORDS | DEGREE | PLACING

# One text's words of meaning are in the other, which has hardly more: that is enough, whatever an embedder says.
NEARLY_ALL = 0.8
# A note that has more beyond that says another thing as well, and neither can replace the other: 'volunteers at a
# shelter', 'gave talks at the shelter where she volunteers'. Of STS's paraphrases two in a hundred more stay apart.
MIN_SHARED = 0.7
# In shorter notes a further word changes what is meant: who likes Rome need not like a Rome hotel.
MIN_WORDS = 3


def same(a: str, b: str) -> bool:
    """Whether two texts differ in case, white space or punctuation alone.

    >>> same("The user likes C++.", "the user likes C")
    False
    """
    return _folded(a) == _folded(b) and signs(a) == signs(b) and _currencies(a) == _currencies(b)


def never_merge(a: str, b: str) -> str | None:
    """Return why two memories must not be merged by rule, however similar they are; None where they may.

    They must not where they differ as `differs` says, where each has words of meaning that the other has not
    ('a dog', 'a cat'), or where another of the same people does it ('Ana values Ben', 'Ben is valuing Ana'). In another
    language than English they must not where they are not in the same words (`foreign_difference`).

    >>> never_merge("The user has two dogs.", "The user has three dogs.")
    'the numbers differ'
    >>> never_merge("The user loves hiking.", "The user really loves hiking!") is None
    True
    """
    if names_pasted_source(a) is not names_pasted_source(b):
        return _SOURCES
    if not are_english(a, b):
        in_signs = signs(a) != signs(b) or _currencies(a) != _currencies(b)
        return foreign_difference(a, b) or (_NAMES if in_signs else None)
    against = _differs(a, b)
    if against is None and _led_apart(*align(a, b)):
        against = "another of the same people does it"
    if against is None and _exchanged(*align(a, b)):
        against = "one word replaces another"
    if against is None and _turned(*align(a, b)):
        against = _SMALL_WORD
    return against


def differs(a: str, b: str) -> str | None:
    """Return a difference that forbids merging two memories under any circumstances; None if there is none.

    A negation, a number, a date, a proper name, an antonym; whose it is, whether it is so or only wished, is or was,
    who does it to whom, and from where or to where.
    """
    return (
        (_SOURCES if names_pasted_source(a) is not names_pasted_source(b) else None)
        or _differs(a, b)
        or marked_difference(a, b)
        or _differ_in_months(a, b)
        or (_SMALL_WORD if _turned(*align(a, b)) else None)
    )


def _differs(a: str, b: str) -> str | None:
    one, other = align(a, b)
    for apart, reason in (
        (one.negations != other.negations or negations(a) != negations(b), "one of them is negated"),
        (one.dates != other.dates, _DATES),
        (one.numbers != other.numbers, "the numbers differ"),
        (has_moved_values(one, other), "the numbers or dates belong to other things"),
        (_opposed(one, other), "they say opposite things"),
        (_named_apart(one, other) or signs(a) != signs(b), _NAMES),
        (bool((one.content ^ other.content) & PEOPLE), "they speak of different people"),
        (bool((set(one.tokens) ^ set(other.tokens)) & MODAL), "one of them is only wished or possible"),
        (None not in (one.past, other.past) and one.past != other.past, "one of them is past"),
        (_swapped(one, other), "the roles are exchanged"),
    ):
        if apart:
            return reason
    return None


def _differ_in_months(a: str, b: str) -> str | None:
    language = common_language(a, b)
    if language is None or language not in covered():
        return None
    months = date_words(language).months
    ours, theirs = ({months[word] for word in words(flat(text)) if word in months} for text in (a, b))
    return _DATES if ours != theirs else None


def says_more(new: str, old: str) -> bool:
    """Whether `new` holds all the meaning words of `old` and further ones."""
    ours, theirs = (sentence.content for sentence in align(new, old))
    if ours == theirs:
        return False
    empty = DEGREE.union(map(token, light_words(new, old)))
    return bool(ours - theirs - empty) and not theirs - ours - empty


def recounts(new: str, old: str) -> bool:
    """Return whether `new` gives a number of something that `old` names without it: 'a girl', 'two girls'.

    >>> recounts("Isla expects twins, two girls.", "Isla expects a girl."), recounts("It is on 3 May.", "It is in May.")
    (True, False)
    """
    counted, before = (set(_counted(side)) for side in align(new, old))
    old_words = align(new, old)[1].content
    return any(noun in old_words for _, noun in counted - before)


def _counted(side: TokenizedSentence) -> Iterator[tuple[str, str]]:
    """Yield numbers with the word after them, except those of dates."""
    for number, noun in pairwise(side.tokens):
        if number[:1].isdecimal() and not noun[:1].isdecimal() and noun not in DATES:
            yield number, noun


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What two texts have in common."""

    words: int
    """Words of meaning that both have; 'the user', of whom all memories speak, is none."""
    share: float
    """Their share of all the words of meaning of both, 0 to 1."""
    within: bool
    """All words of one are in the other: it says the same, or the same and more."""


def overlap(a: str, b: str) -> Overlap:
    """Count what two texts have in common.

    >>> overlap("The user owns a red bike.", "A red bicycle is owned by the user.")
    Overlap(words=3, share=1.0, within=True)
    """
    one, other = (side.content - DEGREE for side in align(a, b))
    both = one & other
    share = len(both) / len(one | other) if both else 0.0
    return Overlap(words=len(both - {"user"}), share=share, within=bool(both) and both in (one, other))


def denies(text: str) -> bool:
    """Whether a text says that something is not, or no longer, so.

    >>> denies("The user no longer eats fish."), denies("The user eats fish now.")
    (True, False)
    """
    return tokenize(text).negations > 0


def _folded(text: str) -> str:
    return bare(text.replace("'", "").replace("’", ""))


def signs(text: str) -> list[str]:
    """List the words that end in a sign, such as `C++`."""
    return re.findall(r"\w[+#]+(?!\w)", text)


def digits(text: str) -> frozenset[str]:
    """Return the numbers that a text writes in digits, in any script.

    >>> sorted(digits("每天10毫克, 5 mg"))
    ['10', '5']
    """
    return frozenset(re.findall(r"\d{1,40}", text))


def _currencies(text: str) -> list[str]:
    return re.findall("[$€£]", text)


def _opposed(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    ours, theirs = set(one.tokens), set(other.tokens)
    return any(OPPOSITES.get(word, frozenset()) & (theirs - ours) for word in ours - theirs)


def _named_apart(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether one text names what the other does not; in headings any word it alone has may be a name."""
    if not one.title and not other.title:
        return names(one, other) != names(other, one)
    for side, there in ((one, other), (other, one)):
        alone = names(side, there) - set(there.tokens)
        if side.title:
            alone &= side.content - _ORDINARY
        if alone:
            return True
    return False


def _exchanged(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether each text has a word of meaning that the other has not, beyond two spellings of one word.

    A word that is spelt nearly like another may be a typo of it or another word ('barn', 'bark'): nothing tells.
    """
    ours, theirs = one.content - DEGREE, other.content - DEGREE
    mine, yours = _spelt(one, ours - theirs), _spelt(other, theirs - ours)
    return bool(mine - yours) and bool(yours - mine)


def _spelt(one: TokenizedSentence, alone: frozenset[str]) -> frozenset[str]:
    """Read the words that one text alone has once more, without doubled letters: 'travelling', 'traveling'."""
    spelt_words = (word for word in words(one.text) if token(word) in alone and not is_sign(token(word)))
    return frozenset(token(DOUBLED.sub(r"\1", word)) for word in spelt_words)


def _turned(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether small words of one kind are exchanged: 'to' and 'out of', 'he' and 'she', 'all' and 'some'."""
    ours, theirs = _with_out_of(one), _with_out_of(other)
    return any(
        {kind for word, kind in group.items() if word in ours - theirs}
        and {kind for word, kind in group.items() if word in theirs - ours}
        - {kind for word, kind in group.items() if word in ours}
        for group in _TURNING
    )


def _with_out_of(one: TokenizedSentence) -> set[str]:
    """Return the words of a sentence, with 'out of' as a word of its own."""
    return {*one.tokens, "out of"} if ("out", "of") in pairwise(one.tokens) else set(one.tokens)


def _swapped(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether two parts of a sentence changed places around what joins them: 'Ana teaches Ben', 'Ben teaches Ana'."""
    if Counter(one.tokens) != Counter(other.tokens) or one.tokens == other.tokens:
        return False
    ours, theirs = without_determiners(one), without_determiners(other)
    return _moved_sign(one, other) or _trade_places(*_middles(ours, theirs))


def _middles(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Cut off what two lists have in common at both ends."""
    while ours and theirs and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    while ours and theirs and ours[-1] == theirs[-1]:
        ours, theirs = ours[:-1], theirs[:-1]
    return ours, theirs


def _trade_places(ours: list[str], theirs: list[str]) -> bool:
    """Whether `theirs` is `ours` with its head and its tail exchanged, and something that is no mere 'and' between."""
    for head in range(1, min(_MAX_ROLE_WORDS, len(ours) - 1) + 1):
        for tail in range(1, min(_MAX_ROLE_WORDS, len(ours) - head - 1) + 1):
            between = ours[head:-tail]
            if theirs == ours[-tail:] + between + ours[:head] and not set(between) <= _JOINS:
                return True
    return False


def _led_apart(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether two texts name the same people and begin with different ones: 'Ana's wish for Ben', 'Ben's for Ana'."""
    ours, theirs = leaders(one, other), leaders(other, one)
    return led_by_others(one, other) and ours <= set(other.tokens) and theirs <= set(one.tokens)


def led_by_others(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether two texts begin with different people, by their names."""
    if one.title or other.title:  # there a capital makes no name
        return False
    ours, theirs = leaders(one, other), leaders(other, one)
    return bool(ours and theirs) and not ours & theirs


def _moved_sign(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Return whether a negation or a number is before another word: 'not tall but rich', 'two dogs and three cats'."""
    return _signed(one) != _signed(other)


def _signed(one: TokenizedSentence) -> Counter[tuple[str, str]]:
    words = [word for word in without_determiners(one) if word in one.content or is_sign(word)]
    following = [*words[1:], ""]
    return Counter((word, after) for word, after in zip(words, following, strict=True) if is_sign(word))


def alike(new: str, old: str, policy: ResolvePolicy, similarity: float) -> str | None:
    """Say by what two notes are alike enough to be one; None where they are not."""
    spelling = spelling_similarity(normalise(new), normalise(old))
    if spelling > policy.spelling:
        return f"spelling {spelling:.2f}"
    if similarity > policy.meaning:
        return f"meaning {similarity:.2f}"
    shared = overlap(new, old)
    near = similarity > policy.wording and shared.words >= MIN_WORDS and shared.share >= MIN_SHARED
    if shared.within and (near or shared.share >= NEARLY_ALL):
        return f"words {shared.share:.2f}, meaning {similarity:.2f}"
    return None
