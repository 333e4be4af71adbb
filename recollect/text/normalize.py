"""Spellings of a text: cleaned at the entrance, normalised for comparing, cut into words; how alike two are. Pure."""

import re
import unicodedata

from rapidfuzz.distance import Levenshtein

# NUL (PostgreSQL refuses it, SQLite's length() stops at it) and lone surrogates (no encoding holds them).
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
# Where the signs stand that belong to the letter before them: accents, vowel signs and points of all scripts.
_SIGNS = "".join(
    chr(code)
    for first, last in ((0x0300, 0x1B00), (0x1DC0, 0x1E00), (0x2DE0, 0x2E00), (0xA66F, 0xABF0), (0x11000, 0x11500))
    for code in range(first, last)
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_WORD = re.compile(rf"[^\W_](?:[^\W_]|[{_SIGNS}])*(?:'[^\W_](?:[^\W_]|[{_SIGNS}])*)*")
# Typographic marks, as they are typed; soft hyphens and joiners, which stand within a word and are not seen.
_TYPED = str.maketrans(
    {
        **dict.fromkeys("’ʼ‘", "'"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("–—\u00a0", " "),
        **dict.fromkeys("\u00ad\u200d\u2060\ufeff", None),
        "…": "...",
    }
)
# Longest run of white space or of one mark that stays as it was typed, in characters.
MAX_RUN = 20
_LONG_BLANK = re.compile(rf"(?<!\s)\s{{{MAX_RUN}}}\s++")
_LONG_MARK = re.compile(rf"([^\w\s])\1{{{MAX_RUN},}}")
# What Turkish leaves of its capital "İ".
_TURKISH_DOT = "i\u0307"


def clean(text: str) -> str:
    """Replace what no database can hold (NUL, lone surrogates) by U+FFFD; everything else stays.

    >>> clean("a\\x00b")
    'a\ufffdb'
    """
    return _UNSTORABLE.sub("\ufffd", text)


def squeeze(text: str) -> str:
    """Fold white space to single blanks and trim.

    >>> squeeze(" a \\n b ")
    'a b'
    """
    return " ".join(text.split())


def fold_runs(text: str) -> str:
    """Shorten long runs of white space and of one mark, which say nothing and make patterns work.

    A run of white space becomes a line break if it holds one, else a blank; of a mark `MAX_RUN` are kept.

    >>> fold_runs("I live in" + 90 * " " + "Oslo" + 90 * "!") == "I live in Oslo" + 20 * "!"
    True
    """
    text = _LONG_BLANK.sub(lambda run: "\n" if "\n" in run.group() else " ", text)
    return _LONG_MARK.sub(lambda run: run.group()[:MAX_RUN], text)


def normalise(text: str) -> str:
    """Fold width, case and white space, for comparing texts.

    >>> normalise("  Straße\\nＯＮＥ ")
    'strasse one'
    """
    return squeeze(unicodedata.normalize("NFKC", text).casefold())


def bare(text: str) -> str:
    """Normalise, and drop punctuation: texts equal here differ in case, spacing or punctuation alone.

    >>> bare("I live in Oslo!") == bare("i live, in oslo")
    True
    """
    return " ".join(words(text))


def words(text: str) -> list[str]:
    """Split into normalised words, in order, stop words included.

    >>> words("I don't like C++; I like Rust.")
    ['i', "don't", 'like', 'c', 'i', 'like', 'rust']
    """
    text = typed(text)
    if text.isascii():  # nothing to fold but case: a quarter less time
        return _ASCII_WORD.findall(text.lower())
    found: list[str] = _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace(_TURKISH_DOT, "i"))
    return found


def typed(text: str) -> str:
    """Write typographic marks as they are typed, and leave out what is not seen.

    >>> print(typed("“I’m here…”"))
    "I'm here..."
    """
    return text if text.isascii() else text.translate(_TYPED)


def spelling_similarity(a: str, b: str) -> float:
    """Compare spelling: 1 minus the Levenshtein distance over the longer length, 0 to 1.

    >>> spelling_similarity("kitten", "sitting")
    0.5714285714285714
    """
    return Levenshtein.normalized_similarity(a, b)
