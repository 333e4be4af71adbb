"""Spellings: texts cleaned on entry, folded and normalised for comparing, cut into words; how alike two are. Pure."""

import unicodedata

from toldonce.lazy_pattern import LazyPattern

# NUL (PostgreSQL refuses it, SQLite's length() stops at it) and lone surrogates (no encoding holds them).
_UNSTORABLE = LazyPattern("[\x00\ud800-\udfff]")
_ASCII_WORD = LazyPattern(r"[a-z0-9]+(?:'[a-z0-9]+)*")
# Ranges of signs that belong to the letter before them: accents, vowel signs and points of all scripts.
_SIGNS = "".join(
    chr(code)
    for first, last in ((0x0300, 0x1B00), (0x1DC0, 0x1E00), (0x2DE0, 0x2E00), (0xA66F, 0xABF0), (0x11000, 0x11500))
    for code in range(first, last)
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_WORD = LazyPattern(rf"[^\W_](?:[^\W_]|[{_SIGNS}])*(?:'[^\W_](?:[^\W_]|[{_SIGNS}])*)*")
# Typographic marks, as they are typed; soft hyphens and joiners, which are invisible inside a word.
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
_LONG_BLANK = LazyPattern(rf"(?<!\s)\s{{{MAX_RUN}}}\s++")
_LONG_MARK = LazyPattern(rf"([^\w\s])\1{{{MAX_RUN},}}")
# What Turkish leaves of its capital "İ".
_TURKISH_DOT = "i\u0307"


def clean(text: str) -> str:
    """Replace what no database can hold (NUL, lone surrogates) by U+FFFD; everything else stays.

    >>> clean("a\\x00b")
    'a\ufffdb'
    """
    if text.isascii() and "\x00" not in text:  # most texts, and ten times as fast
        return text
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
    from rapidfuzz.distance import Levenshtein  # loading it takes longer than a search, which needs none

    return Levenshtein.normalized_similarity(a, b)


# What a decomposition does not reach. Arabic letters are those that writers and keyboards take for one another.
_SPECIAL = {
    **dict(zip("ıøłđðħŋ", "iolddhn", strict=True)),
    **{"æ": "ae", "œ": "oe", "þ": "th", "ё": "е", "ѐ": "е", "ѝ": "и", "ĳ": "ij", "ς": "σ"},
    **{"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ک": "ك", "ة": "ه", "ۀ": "ه"},
    # The Arabic stroke that stretches a word, and the dot under Indic letters.
    **{"\u0640": "", "\u093c": ""},
}
# Accents, Hebrew points, Arabic vowel signs: written or left out at will. Signs of other scripts are parts of the word.
_DROPPED_MARKS = (
    (0x0300, 0x036F),
    (0x0483, 0x0487),
    (0x0591, 0x05C7),
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
)
# Letters of Latin and Greek lose their accents; in Cyrillic "й" is another letter than "и".
_ACCENTED = ((0x00C0, 0x024F), (0x0370, 0x03FF), (0x1E00, 0x1FFF))
# German and Nordic letters as they are written where the keyboard lacks them.
_SPELT_OUT = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("å"): "aa", ord("ø"): "oe", ord("æ"): "ae"}
_UMLAUT = LazyPattern("[äöüåø]")


class _Folding(dict[int, str]):
    """Characters as they are folded, each looked at once."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if unicodedata.combining(character) and _within(character, _DROPPED_MARKS):
        return ""
    if unicodedata.decomposition(character) and _within(character, _ACCENTED):
        plain = unicodedata.normalize("NFD", character)[0]
        return _SPECIAL.get(plain, plain)
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def _within(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


_folding = _Folding()


def fold(word: str) -> str:
    """Write a normalised word without accents, points and variants of letters.

    >>> fold("café"), fold("łódź"), fold("ёлка"), fold("٢٠٢٤"), fold("йод")
    ('cafe', 'lodz', 'елка', '2024', 'йод')
    """
    return word if word.isascii() else word.translate(_folding)


def spelt_out(word: str) -> str | None:
    """Write umlauts and their like as two letters; None where a word has none.

    >>> spelt_out("münchen"), spelt_out("aarhus")
    ('muenchen', None)
    """
    return fold(word.translate(_SPELT_OUT)) if _UMLAUT.search(word) else None


# Longest stretch that is looked for, in words.
MAX_SHARED_WORDS = 40


def shared_ends(text: str, other: str) -> list[str]:
    """Return the words with which one text ends and the other begins, longest first.

    Args:
        text: Words parted by single blanks.
        other: Likewise.

    >>> shared_ends("i am off gluten for now", "he says i am off gluten")
    ['i am off gluten']
    >>> shared_ends("two cats", "i have a dog")
    []
    """
    here, there = text.split(), other.split()
    sizes = range(min(len(here), len(there), MAX_SHARED_WORDS), 0, -1)
    before = next((here[:size] for size in sizes if here[:size] == there[-size:]), [])
    behind = next((here[-size:] for size in sizes if here[-size:] == there[:size]), [])
    return sorted((" ".join(found) for found in (before, behind) if found), key=len, reverse=True)
