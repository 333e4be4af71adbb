"""Words of a sentence as frames compare them: folded, with their places and the marks between them. Pure."""

import re
from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold, typed

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u3005"
# An article or pronoun before a vowel is a word: l'infermiera, j'habite, dell'arachide.
_ELIDED = r"(?i:[cdjlmnstv]|gl|qu|(?:lors|puis|jus)qu|un|all|dall|dell|nell|sull|quell|quest|anch|com|dov|quand)'"
# Arabic 'and', which is written as one word with the article of the next; not the 'w' of 'father', 'mother', 'by God'.
_AND = r"\bو(?=[اٱ]ل(?!ل[هّ]|د(?:ي|ة|ه|ك|نا|ت\w{1,3})?\b|ا\b)\w{2})"
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = LazyPattern(
    rf"[{UNSPACED}]|'s\b|{_AND}|\b{_ELIDED}(?!(?i:s)\b)(?=\w)"
    rf"|{_LETTER}(?:{_LETTER}|'(?!s\b)(?=\w)|[\u0300-\u036f\u064b-\u0652])*+[+#]{{0,2}}"
)
_MARK = LazyPattern(r"[,;:!?()\[\]{}\n\"„«»…。，、；：！？（）「」『』؟،؛/|&]|\s[-–]\s|—|\.\.")
# Endings of a past tense in Spanish and Italian, in words of at least so many letters: not of 'só'.
_STRESSED, _MIN_STRESSED = ("ó", "ò", "o\u0301", "o\u0300"), 4
_QUOTES = str.maketrans("’‘ʼ“”", "'''\"\"")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence; in scripts without blanks, a character."""

    text: str
    """In small letters, without accents."""
    start: int
    end: int
    mark: str = ""
    """The mark between the word before and this one; empty where there is none."""


def words_of(text: str) -> list[Word]:
    """Cut a sentence into words that keep their places.

    >>> [(word.text, word.mark) for word in words_of("Hi, I’m Éva from 東京")]
    [('hi', ''), ("i'm", ','), ('eva', ''), ('from', ''), ('東', ''), ('京', '')]
    """
    found: list[Word] = []
    plain = text.translate(_QUOTES)
    at = 0
    for match in _WORD.finditer(plain):
        between = _MARK.search(plain, at, match.start())
        mark = between.group().strip() or "-" if between else ""
        if not mark and 0 < at < match.start() and is_character(plain[at - 1]) and is_character(match.group()):
            mark = "-"  # in scripts without blanks, a blank is written where others write a comma
        found.append(Word(folded(match.group()), match.start(), match.end(), mark))
        at = match.end()
    return found


def folded(word: str) -> str:
    """Return a word as frames compare it; a stressed last o tells 'llamó', he called, from 'llamo', I call.

    >>> folded("Straße"), folded("Élan"), folded("lavorò")
    ('strasse', 'elan', 'lavoró')
    """
    plain = fold(typed(word).lower()).replace("ß", "ss")
    return f"{plain[:-1]}ó" if len(plain) >= _MIN_STRESSED and word.endswith(_STRESSED) else plain


def is_character(word: str) -> bool:
    """Return whether a word is a character of a script without blanks.

    >>> is_character("京"), is_character("a")
    (True, False)
    """
    return bool(re.fullmatch(rf"[{UNSPACED}]", word))


def parts_of(word: str) -> list[str]:
    """Cut a word as `words_of` does: into characters where its script has no blanks, before an 's, behind an l'."""
    return re.findall(rf"[{UNSPACED}]|'s$|^{_ELIDED}(?!s$)(?=\w)|(?:(?!'s$)[^{UNSPACED}])+", word)
