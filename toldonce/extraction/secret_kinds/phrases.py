"""Recovery phrases of wallets without a name: a run of twelve or more words that are all in BIP-39's list. Pure.

The list is the English one of Bitcoin Improvement Proposal 39 (MIT license); it has no 'the', 'is', 'and' or 'of', so
no sentence runs on in it.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.lazy_pattern import LazyPattern

MIN_WORDS, _MAX_WORDS = 12, 24
# A run of words with nothing but blanks, commas and numbers between them.
_RUN = LazyPattern(
    r"(?:\d{1,2}[.):]\s{0,2})?[a-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.):]\s{0,2})?[a-z]{3,8}){11,63}+", re.IGNORECASE
)
_WORD = LazyPattern(r"[A-Za-z]+")


@cache
def bip39_words() -> frozenset[str]:
    """Return the 2048 words."""
    text = files("toldonce.extraction.secret_kinds").joinpath("bip39_english.txt").read_text("utf-8")
    return frozenset(text.split())


def may_hold_phrase(text: str) -> bool:
    """Return cheaply whether twelve words in a row are in the list; numbers between them do not count."""
    known, count = bip39_words(), 0
    for word in text.lower().split():
        if word not in known:
            if word.isalpha():
                count = 0
                continue
            core = word.strip("0123456789.,:;()\"'")
            if core and core not in known and "," not in core:
                count = 0
            if core not in known:
                continue
        count += 1
        if count == MIN_WORDS:
            return True
    return False


def find_phrases(text: str) -> Iterator[FoundSecret]:
    """Yield the recovery phrases in a text.

    >>> list(find_phrases("abandon " * 11 + "about"))
    [FoundSecret(start=0, end=93, shape='seed_phrase')]
    """
    for run in _RUN.finditer(text):
        for words in _stretches(text, run):
            # 'word word word …' is a filler, and no phrase has more than 24 words.
            if len(words) >= MIN_WORDS and (len(words) <= _MAX_WORDS or _are_mixed(words)):
                yield FoundSecret(words[0].start(), words[-1].end(), "seed_phrase")


def _stretches(text: str, run: re.Match[str]) -> Iterator[list[re.Match[str]]]:
    """Yield the words of a run that are in the list, one stretch after the other."""
    known = bip39_words()
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text, run.start(), run.end()):
        if word.group().lower() in known:
            words.append(word)
        else:
            yield words
            words = []
    yield words


def _are_mixed(words: list[re.Match[str]]) -> bool:
    return 2 * len({word.group().lower() for word in words}) >= len(words)
