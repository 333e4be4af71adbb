"""What a statement does to an older one: it says the same, replaces it, ends it, or is kept beside it. Pure.

Words alone tell that two notes are one: all that is not an article or a word of degree must be there in both, in the
same order but for a part that moved as a whole. A slot of the same speaker tells that a fact is replaced or ended.
Everything else is kept beside: a request to forget, a person or a model may end it, no rule does.
"""

import re
from collections import Counter
from enum import Enum
from functools import lru_cache

from toldonce.dates.vocabulary import covered, date_words, flat
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import KnownMemory, same_owner, same_slot, same_value
from toldonce.resolution.slots import opposite_mark, says_fuller, slot_mark
from toldonce.resolution.tokens import DATES, DEGREE, EQUALS, NUMBER_WORDS, names, token, tokenize
from toldonce.text import bare, negations, normalise, spelling_similarity, words
from toldonce.text.source_marks import names_pasted_source
from toldonce.text.statement_language import ENGLISH_CODE, language_of
from toldonce.text_caches import register_text_cache
from toldonce.types import Candidate, MemoryKind


class Relation(Enum):
    """What a statement does to an older one."""

    SAME = "same"
    REPLACES = "replaces"
    ENDS = "ends"
    BESIDE = "beside"


# English words that a statement may have or not and say the same. 'Is' is none: who is paid does not pay.
_LIGHT = frozenset(
    """a an the also has have having do does just really very so too that this these those it its there here then which
    who whom whose yes yeah oh""".split()
)
_JOINS = frozenset({"and", "or"})
# Parts of a sentence that change places whole: 'in Oslo', 'a man and a dog'. One word may be another's role.
_MIN_MOVED, _MAX_JOINED = 2, 12
_DOUBLED = LazyPattern(r"(\w)\1")
_SIGN = LazyPattern(r"[$€£¥₹%°#<>=]|(?<=\w)\++|(?<!\w)[-+](?=\d)")
_THOUSANDS = LazyPattern(r"(?<=\d),(?=\d{3}(?!\d))")


def relation(new: Candidate, old: KnownMemory) -> Relation:
    """Return what a statement does to a memory of the same kind, whichever of the two is the newer.

    Args:
        new: What is said.
        old: What is known.
    """
    if new.kind is not old.kind or old.kind not in (MemoryKind.NOTE, MemoryKind.FACT):
        return Relation.BESIDE
    if new.kind is MemoryKind.NOTE:
        return Relation.SAME if has_same_words(new.text, old.text) else Relation.BESIDE
    if not same_slot(new, old):
        return Relation.REPLACES if not new.ends and _rules_out(new, old) else Relation.BESIDE
    if new.ends:
        return Relation.ENDS if not new.value or same_value(new, old) else Relation.BESIDE
    is_same = same_value(new, old) or says_fuller(old.key, old.value, new.value)
    return Relation.SAME if is_same else Relation.REPLACES


def _rules_out(new: Candidate, old: KnownMemory) -> bool:
    """Whether two slots of one speaker cannot hold the same value both: what is liked is not disliked."""
    ruled_out = opposite_mark(new.key, new.value, new.speaker)
    return same_owner(new, old) and slot_mark(old.key, old.value, old.speaker) == ruled_out


def same(a: str, b: str) -> bool:
    """Whether two texts differ in case, white space or punctuation alone.

    >>> same("The user likes C++.", "the user likes C")
    False
    """
    return bare(a) == bare(b) and _signs(a) == _signs(b)


def has_same_words(a: str, b: str) -> bool:
    """Whether two notes are one by their words: in small words alone they may differ, and in the place of a part.

    In another language than English every word counts, as does an inflection.

    >>> has_same_words("The user really loves hiking in Oslo.", "In Oslo, the user loves hiking!")
    True
    >>> has_same_words("Ana teaches Ben.", "Ben teaches Ana."), has_same_words("Ana has a dog.", "Ana has a brown dog.")
    (False, False)
    """
    if same(a, b):
        return True
    if names_pasted_source(a) is not names_pasted_source(b) or _signs(a) != _signs(b):
        return False
    is_english = language_of(a) == language_of(b) == ENGLISH_CODE
    one, other = _forms(a, is_english=is_english), _forms(b, is_english=is_english)
    return Counter(one) == Counter(other) and _is_reordered(one, other)


def words_key(text: str) -> str:
    """Return what two texts have in common wherever they have the same words: those of a note, sorted.

    >>> words_key("The user loves hiking.") == words_key("Hiking the user really loves.")
    True
    """
    return " ".join(sorted({*_forms(text, is_english=True)}))


def says_same(new: str, old: str, policy: ResolvePolicy, similarity: float) -> str | None:
    """Say by what two notes of the same words are alike enough to be one; None where they are not.

    Args:
        new: A note.
        old: Another one.
        policy: The thresholds.
        similarity: Calibrated similarity in meaning, 0 to 1.
    """
    if not has_same_words(new, old):
        return None
    if same(new, old):
        return "the same words"
    spelling = spelling_similarity(normalise(new), normalise(old))
    if spelling > policy.spelling:
        return f"spelling {spelling:.2f}"
    return f"the same words, meaning {similarity:.2f}" if similarity > policy.wording else None


def differs(a: str, b: str) -> str | None:
    """Return a difference against which no model's word is taken that two texts say the same; None if there is none.

    A number, a day, a name, a negation; or that one of them rests on a pasted text.

    >>> differs("The user has two dogs.", "The user has three dogs.")
    'the numbers differ'
    """
    one, other = tokenize(a), tokenize(b)
    for apart, reason in (
        (names_pasted_source(a) is not names_pasted_source(b), "one rests on a pasted text"),
        (negations(a) != negations(b), "one of them is negated"),
        (_days(a) != _days(b), "the dates differ"),
        (_numbers(a) != _numbers(b), "the numbers differ"),
        (names(one, other) != names(other, one) or _signs(a) != _signs(b), "the names differ"),
    ):
        if apart:
            return reason
    return None


def says_more(new: str, old: str) -> bool:
    """Whether `new` holds all the meaning words of `old` and further ones."""
    return tokenize(old).content - DEGREE < tokenize(new).content - DEGREE


def shared_words(a: str, b: str) -> float:
    """Return the share of the shorter text's words of meaning that the other has; of whom both speak is none.

    >>> shared_words("The user owns a red bike.", "A red bicycle is owned by the user.")
    1.0
    """
    one, other = (tokenize(text).content - DEGREE - {"user"} for text in (a, b))
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter else 0.0


def digits(text: str) -> frozenset[str]:
    """Return the numbers that a text writes in digits, in any script.

    >>> sorted(digits("每天10毫克, 5 mg"))
    ['10', '5']
    """
    return frozenset(re.findall(r"\d{1,40}", text))


def _signs(text: str) -> list[str]:
    """List what is no word and says something: `C++`, `$`, `-5`."""
    return sorted(_SIGN.findall(text))


def _numbers(text: str) -> Counter[str]:
    """Count the numbers of a text in digits and in words; 'one' is a pronoun as often."""
    spelt = [NUMBER_WORDS[word] for word in words(text) if word in NUMBER_WORDS and word not in {"one", "both"}]
    return Counter([*re.findall(r"\d{1,40}", _THOUSANDS.sub("", text)), *spelt])


def _days(text: str) -> frozenset[str]:
    """Return the days and months that a text names, in its language."""
    language = language_of(text)
    if language in covered():
        months = date_words(language).months
        return frozenset(str(months[word]) for word in words(flat(text)) if word in months)
    return DATES.intersection(words(text))


@register_text_cache
@lru_cache(maxsize=20_000)
def _forms(text: str, *, is_english: bool) -> tuple[str, ...]:
    """Return the words of a text in order; of an English one without the light ones, each in one form."""
    if not is_english:
        return tuple(words(text))
    spelt = _THOUSANDS.sub("", text).replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    return tuple(_form(word) for word in words(spelt) if word not in _LIGHT and token(word) not in DEGREE)


def _form(word: str) -> str:
    """Write a word in the form of its group; one that ends in '-ed' tells of what was, one in `'s` of an owner."""
    form = token(word)
    if form not in EQUALS and not form[:1].isdecimal():
        form = token(_DOUBLED.sub(r"\1", word))  # 'travelling', 'traveling'
    past, owner = "+" if word.endswith("ed") else "", "*" if word.endswith(("'s", "'")) else ""
    return f"{form}{past}{owner}"


def _is_reordered(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether the same words say the same: in one order, or with a part at another place, or joined the other way."""
    while ours and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    while ours and ours[-1] == theirs[-1]:
        ours, theirs = ours[:-1], theirs[:-1]
    size = len(ours)
    moved = range(_MIN_MOVED, size - _MIN_MOVED + 1)
    if not ours or any(theirs == ours[cut:] + ours[:cut] for cut in moved):
        return True
    joints = [place for place in range(1, size - 1) if ours[place] in _JOINS and place <= _MAX_JOINED]
    return any(theirs == (*ours[place + 1 :], ours[place], *ours[:place]) for place in joints)
