"""Whether two statements may be one if they are alike, as far as their languages are known. Pure.

English has rules of its own for what two sentences say (`resolution/compare.py`). In every other language two
statements are one only in the same words, as a word more may deny what is said: a list of such words is never whole. Of
a language whose markers are known, clauses may change places and a word be added or missing that says nothing.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.markers import Signs, all_markers, differing_marker, read_signs
from toldonce.text.normalize import words
from toldonce.text.statement_language import ENGLISH_CODE, UNKNOWN_CODE, language_of
from toldonce.text_caches import register_text_cache

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
    languages = {language_of(one), language_of(other)}
    if languages == {ENGLISH_CODE, UNKNOWN_CODE}:
        return language_of(f"{one}\n{other}") == ENGLISH_CODE
    return languages == {ENGLISH_CODE}


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
    if _wording(one, UNKNOWN_CODE) == _wording(other, UNKNOWN_CODE):
        return None
    language = common_language(one, other)
    if language is None:
        return _DIFFERENT
    against = _marked(one, other, language)
    if against is not None:
        return against
    ours, theirs = _wording(one, language), _wording(other, language)
    if ours.words != theirs.words and ours.clauses != theirs.clauses:
        return _OTHER_WORDS if language else _UNKNOWN
    more, less = ours.light - theirs.light, theirs.light - ours.light
    return _OTHER_WORDS if (more and less) or ours.numbers != theirs.numbers else None


def marked_difference(one: str, other: str) -> str | None:
    """Return in what marker two statements of a known language differ; None in none, or of another language."""
    language = common_language(one, other)
    return None if language is None else _marked(one, other, language)


def light_words(one: str, other: str) -> frozenset[str]:
    """Return the words that say nothing in the language of two statements; none in English or an unknown one."""
    if are_english(one, other):
        return frozenset()
    markers = all_markers().get(common_language(one, other) or UNKNOWN_CODE)
    return markers.light if markers else frozenset()


def _marked(one: str, other: str, language: str) -> str | None:
    if language not in all_markers():
        return None
    return differing_marker(_signs(one, language), _signs(other, language), all_markers()[language])


@register_text_cache
@lru_cache(maxsize=2_000)
def _signs(text: str, language: str) -> Signs:
    return read_signs(text, all_markers()[language])


def common_language(one: str, other: str) -> str | None:
    """Return the language of two statements, "" where it is not known, None where one of them alone is English.

    Both together tell a language better than a few words do.
    """
    language, theirs = language_of(one), language_of(other)
    if language == theirs:
        return language
    if ENGLISH_CODE in (language, theirs):
        return None
    both = language_of(f"{one}\n{other}")
    return UNKNOWN_CODE if both == ENGLISH_CODE else both


@register_text_cache
@lru_cache(maxsize=2_000)
def _wording(text: str, language: str) -> _Wording:
    markers = all_markers().get(language)
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
