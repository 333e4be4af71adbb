"""Whether two statements may be one if they are alike, as far as their languages are known. Pure.

English has rules of its own for what two sentences say (`resolution/compare.py`). In every other language two
statements are one only in the same words, as a word more may deny what is said: a list of such words is never whole. Of
a language whose markers are known, clauses may change places and a word be added or missing that says nothing.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from recollect.lazy_pattern import LazyPattern
from recollect.text.markers import Signs, all_markers, differing_marker, read_signs
from recollect.text.normalize import words
from recollect.text.tongues import ENGLISH_TONGUE, UNKNOWN_TONGUE, tongue_of
from recollect.text_caches import register_text_cache

# Between clauses; a point, comma or colon within a number is none.
_BETWEEN_CLAUSES = LazyPattern(r"[;!?…。、，；：！？،؛؟۔।॥()\n]|[.,:](?!\d)")
_NUMBER = LazyPattern(r"\d+(?:[.,:/-]\d+)*+")
_DIFFERENT = "they are not known to be of one language"
_UNKNOWN = "their language is not known, and the words differ"
_OTHER_WORDS = "the words differ"


@dataclass(frozen=True, slots=True)
class _Wording:
    """How a statement is said."""

    words: tuple[str, ...]
    """Its words but the light ones."""
    clauses: tuple[tuple[str, ...], ...]
    """The same by clauses, these sorted."""
    light: Counter[str]
    numbers: tuple[str, ...]
    """Those in digits, as they are written, sorted."""


def are_english(one: str, other: str) -> bool:
    """Return whether two statements are known to be English, whose rules then hold for both.

    One of which nothing tells the language is English where both together are.
    """
    tongues = {tongue_of(one), tongue_of(other)}
    if tongues == {ENGLISH_TONGUE, UNKNOWN_TONGUE}:
        return tongue_of(f"{one}\n{other}") == ENGLISH_TONGUE
    return tongues == {ENGLISH_TONGUE}


def foreign_difference(one: str, other: str) -> str | None:
    """Return why two statements are not one however alike they are, if either is of another language than English.

    Returns:
        The reason; None where they are one in their words, and for two English statements.

    >>> foreign_difference("Ana trinkt keinen Tee.", "Ana trinkt Tee.")
    'one of them is negated'
    >>> foreign_difference("Ana trinkt Tee, und Ben isst Brot.", "Ben isst Brot, Ana trinkt Tee!") is None
    True
    >>> foreign_difference("ანა ხორცს ჭამს.", "ანა ხორცს არ ჭამს.")
    'their language is not known, and the words differ'
    """
    if one == other or are_english(one, other):
        return None
    if _wording(one, UNKNOWN_TONGUE) == _wording(other, UNKNOWN_TONGUE):
        return None
    tongue = common_tongue(one, other)
    if tongue is None:
        return _DIFFERENT
    against = _marked(one, other, tongue)
    if against is not None:
        return against
    ours, theirs = _wording(one, tongue), _wording(other, tongue)
    if ours.words != theirs.words and ours.clauses != theirs.clauses:
        return _OTHER_WORDS if tongue else _UNKNOWN
    more, less = ours.light - theirs.light, theirs.light - ours.light
    return _OTHER_WORDS if (more and less) or ours.numbers != theirs.numbers else None


def marked_difference(one: str, other: str) -> str | None:
    """Return in what marker two statements of a known language differ; None in none, or of another language."""
    tongue = common_tongue(one, other)
    return None if tongue is None else _marked(one, other, tongue)


def light_words(one: str, other: str) -> frozenset[str]:
    """Return the words that say nothing in the language of two statements; none in English or an unknown one."""
    if are_english(one, other):
        return frozenset()
    markers = all_markers().get(common_tongue(one, other) or UNKNOWN_TONGUE)
    return markers.light if markers else frozenset()


def _marked(one: str, other: str, tongue: str) -> str | None:
    if tongue not in all_markers():
        return None
    return differing_marker(_signs(one, tongue), _signs(other, tongue), all_markers()[tongue])


@register_text_cache
@lru_cache(maxsize=2_000)
def _signs(text: str, tongue: str) -> Signs:
    return read_signs(text, all_markers()[tongue])


def common_tongue(one: str, other: str) -> str | None:
    """Return the language of two statements, "" where it is not known, None where one of them alone is English.

    Both together tell a language better than a few words do.
    """
    tongue, theirs = tongue_of(one), tongue_of(other)
    if tongue == theirs:
        return tongue
    if ENGLISH_TONGUE in (tongue, theirs):
        return None
    both = tongue_of(f"{one}\n{other}")
    return UNKNOWN_TONGUE if both == ENGLISH_TONGUE else both


@register_text_cache
@lru_cache(maxsize=2_000)
def _wording(text: str, tongue: str) -> _Wording:
    markers = all_markers().get(tongue)
    light = markers.light if markers else frozenset()
    said = [words(part) for part in _BETWEEN_CLAUSES.split(text)]
    heavy = [tuple(word for word in part if word not in light) for part in said]
    flat = tuple(word for part in heavy for word in part)
    return _Wording(
        words=flat,
        clauses=tuple(sorted(filter(None, heavy))) if markers else (flat,),
        light=Counter(word for part in said for word in part if word in light),
        numbers=tuple(sorted(_NUMBER.findall(text))),
    )
