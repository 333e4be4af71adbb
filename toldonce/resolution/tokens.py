"""How a sentence is read for comparison with another: without ornaments, in words of one form, in order. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from toldonce.lazy_pattern import LazyPattern
from toldonce.resolution.lexicon import (
    AMBIGUOUS_DATES,
    DATES,
    EQUALS,
    NEGATIONS,
    NUMBER_WORDS,
)
from toldonce.text import STOP_WORDS, stem, words
from toldonce.text.questions import CONTRACTED
from toldonce.text_caches import register_text_cache

# 'Like' is a stop word for finding; for comparing it is what 'likes' says. The others tell where and how.
FUNCTION_WORDS = STOP_WORDS - {"like"}
_DETERMINERS = frozenset("a an the my your his her its our their some".split())
# Words that begin most memories and are no names.
_NO_NAMES = frozenset("i user assistant the a an my his her their its our she he they it we this that there".split())

# What comes before the name of where, when or with whom something is: not who does it.
_PLACING = frozenset("about after at before beside by during for from in into near of on over since to with".split())
_JOINING = frozenset({"and", "or", "nor"})

# 'U.S.' and 'N.H.L.' are one word each.
_DOTTED = LazyPattern(r"\b(?:[A-Za-z]\.){2,}")
_TAG = LazyPattern(r"#(\w+)")
# Marks each word of a tag while it is not known whether the other text has them.
_TAGGED = "\x1f"
_SPREAD_TAG = LazyPattern(r"(?:\x1f\w+)+")
_SHORT_NAMES = {"European Union": "EU", "United Kingdom": "UK", "United Nations": "UN", "United States": "USA"}
_HUMP = LazyPattern(r"(?<=[a-z])(?=[A-Z])")
# 'Awkward!' before the sentence itself.
_CALL = LazyPattern(r"^\W*\w+(?: \w+)?!+\s++(?=\w)")
# Who says so, if no name is given: ', a friend says', ', say police'.
_SAID = LazyPattern(r"[,;] (?:says? [a-z ]+|[a-z ]+ says?)\W*$")
# Who says it, or what it is under: 'Op-Ed - ', 'The Daily: '.
_HEADING = LazyPattern(r"^\W*?((?<![\w'.-])(?:[\w'.-]++ ){0,5}[\w'.-]++)(?:: | -++ )(?=\S)")
NUMBER = LazyPattern(r"\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th|x|%)?")
_SCALED = LazyPattern(r"(\d)\s*+(bn|[bmk])\b", re.IGNORECASE)
_SCALES = {"b": " billion", "bn": " billion", "m": " million", "k": " thousand"}
_MONEY = LazyPattern(r"[$€£]\s*+\d[\d.,]*\s*+(?:bn|[bmk])\b", re.IGNORECASE)
_CURRENCY = LazyPattern(r"(?:US)?(\$|€|£|\bUSD\b|\bEUR\b|\bGBP\b)")
_CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp"}
_CAPITAL = LazyPattern(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’-]*")
_POSSESSIVE = LazyPattern(r"['’]s$|['’]$")
_SPELT_NUMBERS = frozenset(NUMBER_WORDS.values())
_WAS, _IS = frozenset("was were wasn't weren't".split()), frozenset("is are am isn't aren't i'm".split())
# In a heading most longer words begin with capitals: there they say nothing of names.
_TITLE_SHARE, _TITLE_WORDS, _LONG_WORD = 0.6, 4, 4
# So many words of meaning below a heading make a sentence of their own.
_UNDER_HEADING = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizedSentence:
    """One sentence, read."""

    text: str
    """Without ornaments, in its own writing."""
    tokens: tuple[str, ...]
    """All its words in order, each in the one form of its group."""
    content: frozenset[str]
    """Those that mean something."""
    negations: int
    past: bool | None
    """It says what was (True) or what is (False); None where no auxiliary verb tells."""
    numbers: tuple[str, ...]
    """Sorted, each as often as it is said."""
    dates: tuple[str, ...]
    """Sorted, each as often as it is said."""
    small: frozenset[str]
    """Words that it writes without a capital."""
    title: bool
    """It is written like a heading."""


@register_text_cache
@lru_cache(maxsize=20_000)
def tokenize(text: str) -> TokenizedSentence:
    """Read a sentence.

    >>> sorted(tokenize("The kids aren't in Oslo.").content)
    ["aren't", 'kid', 'oslo']
    """
    all_words = words(text)
    content = content_of(all_words)
    return TokenizedSentence(
        text=text,
        tokens=tuple(token(word) for word in all_words),
        content=content,
        negations=sum(is_negation(word) for word in all_words),
        past=_past(set(all_words)),
        numbers=_numbers(text, all_words),
        dates=_dates(text, all_words),
        small=frozenset(word for word in re.findall(r"[^\W\d_]+", text) if word.islower()),
        title=_is_title(text),
    )


def content_of(normalised: Iterable[str]) -> frozenset[str]:
    """Return the one form of each of these words that means something."""
    return frozenset(
        token(word) for word in normalised if (word not in FUNCTION_WORDS and len(word) > 1) or word.isdigit()
    )


# One pair is looked at from several sides, and a candidate is held against the same few neighbours.
@register_text_cache
@lru_cache(maxsize=512)
def align(a: str, b: str) -> tuple[TokenizedSentence, TokenizedSentence]:
    """Read two sentences for comparison, without what only dresses one of them.

    >>> [one.text for one in align("Wow! Oslo wins again #sports", "Oslo wins again")]
    ['Oslo wins again', 'Oslo wins again']
    """
    spread_a, spread_b = _spread(a), _spread(b)
    one, other = _plain(spread_a, spread_b), _plain(spread_b, spread_a)
    one, other = _parted(one, other), _parted(other, one)
    return _unheaded(one, other)


def is_plain(text: str) -> bool:
    """Return whether `align` compares a text whole and as it is written, but for compounds.

    >>> is_plain("Oslo wins again."), is_plain("Wow! Oslo wins again #sports")
    (True, False)
    """
    return _spread(text) == text and not (_CALL.match(text) or _SAID.search(text) or _HEADING.match(text))


def token(word: str) -> str:
    """Return the one form of a word: its stem, or that of the word that its group counts as."""
    base = _POSSESSIVE.sub("", word)
    if base in NUMBER_WORDS:
        return NUMBER_WORDS[base]
    stemmed = stem(base)
    return EQUALS.get(stemmed, stemmed)


def is_negation(word: str) -> bool:
    """Whether a word denies."""
    return word in NEGATIONS or word.endswith("n't") or word in CONTRACTED


def is_sign(word: str) -> bool:
    """Whether a word is a number or a negation, which are compared on their own."""
    return is_negation(word) or word in NUMBER_WORDS or word in _SPELT_NUMBERS or word[0].isdigit()


def names(one: TokenizedSentence, other: TokenizedSentence) -> frozenset[str]:
    """Collect what `one` writes like names; a word that the other writes small is an ordinary word there."""
    names_found: set[str] = set()
    for match in _CAPITAL.finditer(one.text):
        name = _POSSESSIVE.sub("", match.group()).casefold().strip("'’-")
        ordinary = name in other.small or name in STOP_WORDS or name in _NO_NAMES or name in NUMBER_WORDS
        if name and not ordinary and name not in DATES:
            names_found.update(token(part) for part in words(name))
    return frozenset(names_found)


def leaders(one: TokenizedSentence, other: TokenizedSentence) -> frozenset[str]:
    """Return whom `one` begins with, of those it names: who does or has it. Empty if it names no one.

    >>> sorted(leaders(*align("In Oslo Ana and Ben met Mia.", "Mia met Ana.")))
    ['ana', 'ben']
    """
    named = names(one, other) | {"user"}
    leading: set[str] = set()
    before = ""
    for word in words(one.text):
        if token(word) in named:
            if leading or before not in _PLACING:
                leading.add(token(word))
        elif leading and word not in _JOINING:
            break
        before = word
    return frozenset(leading)


def without_determiners(one: TokenizedSentence) -> list[str]:
    """Return the words in order, but for articles and the like."""
    return [word for word in one.tokens if word not in _DETERMINERS]


@register_text_cache
@lru_cache(maxsize=2_000)
def _spread(text: str) -> str:
    """Write abbreviations, amounts and the words of tags in one way: 'U.K.', '$6B', '#NewYear'."""
    text = _DOTTED.sub(lambda match: _undotted(match.group()), text)
    text = _MONEY.sub(lambda match: _SCALED.sub(lambda one: one[1] + _SCALES[one[2].lower()], match.group()), text)
    text = _CURRENCY.sub(lambda match: f" {_CURRENCIES.get(match[1], match[1].lower())} ", text)
    text = _TAG.sub(lambda match: f"{_TAGGED}{_HUMP.sub(_TAGGED, match[1])}", text)
    for name, short in _SHORT_NAMES.items():
        text = text.replace(name.replace(" ", _TAGGED), short).replace(name, short)
    return text


def _plain(text: str, beside: str) -> str:
    """Drop tags that nothing in the other text answers to, a call before the sentence, and who says so after it."""
    if _TAGGED in text:
        known = _forms(beside)
        text = _SPREAD_TAG.sub(lambda match: _answered(match.group(), known), text)
    return _SAID.sub("", _CALL.sub("", text)).strip()


def _answered(tag: str, known: set[str]) -> str:
    return tag.replace(_TAGGED, " ") if any(token(word) in known for word in words(tag)) else " "


def _undotted(text: str) -> str:
    joined = text.replace(".", "")
    return "USA" if joined.upper() == "US" else joined


def _parted(text: str, beside: str) -> str:
    """Write a compound as the two words that the other text makes of it: 'horsemeat', 'horse meat'."""
    there = words(beside)
    words_alone = set(words(text)) - set(there)
    pairs = {f"{first}{second}": f"{first} {second}" for first, second in pairwise(there)}
    for word in words_alone & pairs.keys():
        text = re.sub(rf"(?i)\b{word}\b", pairs[word], text)
    return text


def _unheaded(one: str, other: str) -> tuple[TokenizedSentence, TokenizedSentence]:
    """Read two texts without the heading that one of them has, or both in nearly the same words.

    It is cut only where all that follows is said without it as well; else it may be what the sentence is about.
    """
    head, there = _HEADING.match(one), _HEADING.match(other)
    if head and there and not _forms(head[1]) & _forms(there[1]):
        return tokenize(one), tokenize(other)
    rest, other_rest = (tokenize(text[match.end() if match else 0 :]) for text, match in ((one, head), (other, there)))
    less, more = sorted((rest.content, other_rest.content), key=len)
    for match, beside in ((head, other), (there, one)):
        if match and not (head and there) and _forms(match[1]) & _forms(beside):
            return tokenize(one), tokenize(other)
    if (head or there) and len(less) >= _UNDER_HEADING and less <= more:
        return rest, other_rest
    return tokenize(one), tokenize(other)


def _forms(text: str) -> set[str]:
    return {token(word) for word in words(text) if word not in FUNCTION_WORDS}


def _past(text_words: set[str]) -> bool | None:
    was, now = bool(text_words & _WAS), bool(text_words & _IS)
    return None if was == now else was


def _is_title(text: str) -> bool:
    longer = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) >= _LONG_WORD]
    capital = sum(word[0].isupper() for word in longer)
    return len(longer) >= _TITLE_WORDS and capital >= _TITLE_SHARE * len(longer)


def _numbers(text: str, text_words: list[str]) -> tuple[str, ...]:
    numbers = [match.group().replace(",", "") for match in NUMBER.finditer(text)]
    numbers += _spelt(text_words)
    if "both" in text_words and NUMBER_WORDS["both"] not in numbers:  # 'two dogs, both brown' counts them once
        numbers.append(NUMBER_WORDS["both"])
    return tuple(sorted(numbers))


def _spelt(text_words: list[str]) -> Iterator[str]:
    return (NUMBER_WORDS[word] for word in text_words if word in NUMBER_WORDS and word not in {"one", "both"})


def _dates(text: str, text_words: list[str]) -> tuple[str, ...]:
    dates = [word for word in text_words if word in DATES and word not in AMBIGUOUS_DATES]
    dates += [name.casefold() for name in re.findall(r"\b(?:May|March)\b", text)]
    return tuple(sorted(dates))
