"""One spelling for what is typed in several: width, case, accents, vowel points, letter variants, digits. Pure."""

import re
import unicodedata

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
_UMLAUT = re.compile("[äöüåø]")


class _Folding(dict[int, str]):
    """Characters as they are folded, each looked at once."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if _within(character, _DROPPED_MARKS) and unicodedata.combining(character):
        return ""
    if _within(character, _ACCENTED):
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
