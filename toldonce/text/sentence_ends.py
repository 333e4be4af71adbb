"""Where the sentences of a text end, in any language. Pure.

A sentence ends at the marks of its script and where its line does, but not at the stop of an abbreviation ('z.B.'), an
initial ('J. K. Rowling') or an ordinal number ('3. März'): see `abbreviations.py`. No library does this job:
`sentencex` must be told the language, which a message of five words does not say, and cuts 'M. Dupont' and '1. mai';
`pysbd` is unmaintained and loses places; others need models of many megabytes.
"""

from collections.abc import Iterator
from itertools import pairwise

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.abbreviations import is_abbreviation
from toldonce.text.normalize import words

# Marks that end a sentence where white space or the end follows: within a word they are a point or an address.
_SPACED = ".!?…"
# Marks that end a sentence anywhere: Chinese and Japanese, Indic, Burmese, Khmer, Armenian, Arabic, Ethiopic, Sinhala,
# Mongolian, Syriac, Ol Chiki; doubled ones.
_TIGHT = "。！？｡।॥။។៕։؟۔፧።෴᠃܀᱾᱿‼⁇⁈⁉"
# Closing characters after a mark; quotation marks that close in one language open in another.
_CLOSING = "\"'”’)\\]»」』｣）】〉》"
_CLOSING_BEFORE_BLANK = f"{_CLOSING}“‘›«‹"
_CJK = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_ARMENIAN = "\u0531-\u0587"
# A picture ends the sentence before it: 'Big news 🎉 we moved'.
_PICTURES = r"\u2600-\u27bf\U0001f000-\U0001faff"
"""Matches a picture."""
_BRANCHES = (
    rf"(?<=[{_SPACED}])(?<![{_SPACED}].)[{_SPACED}]*+[{_CLOSING_BEFORE_BLANK}]*+(?:[ \u00a0\u202f][»›])?(?=\s|$)"
    rf"|(?<=[{_CJK}][.!?])[!?]*+(?=[{_CJK}])"
    rf"|(?<=[{_TIGHT}])[{_TIGHT}]*+[{_CLOSING}]*+"
    r"|(?<=[^\d０-９．]．)(?![\d０-９．])"
    rf"|(?<=[{_GREEK}][;\u037e])(?=\s|$)|(?<=[{_ARMENIAN}]:)(?=\s|$)"
    r"|(?<=\n)\n*+"
    r"|(?<=\w\s[¿¡])"
)
# Each begins with one set of characters, which is what makes the search quick.
_MARKS = LazyPattern(rf"[{_SPACED}{_TIGHT}．;\u037e:\n¿¡](?:{_BRANCHES})")
_MARKS_AND_PICTURES = LazyPattern(
    rf"[{_SPACED}{_TIGHT}．;\u037e:\n¿¡{_PICTURES}](?:{_BRANCHES}|(?<=[{_PICTURES}])[\ufe0f\u200d]*+(?=\s|$))"
)
# Thai and Lao write no stop, but a blank between sentences and clauses. A sentence ends at one after a polite particle
# or before 'I' and 'we'.
_THAI_LETTER = LazyPattern("[\u0e01-\u0ec4]")
_THAI_GAP = LazyPattern(
    r" (?:(?<=ครับ )|(?<=ค่ะ )|(?<=คะ )|(?<=นะ )|(?<=จ้า )|(?<=จ้ะ )|(?<=ເດີ )"
    r"|(?=(?:ผม|ฉัน|ดิฉัน|พวกเรา|เรา)[\u0e01-\u0e4e])|(?=ຂ້ອຍ))"
)
# Words before '...' or so, after which a sentence in small letters goes on: 'So... we moved'.
_MAX_HESITATING_WORDS, _MAX_HESITATION = 2, 60
# Words of a statement before a question that no comma separates from it: 'Vivo en Oslo ¿y tú?'
_MIN_WORDS_BEFORE_INVERTED_MARK = 3
# Characters of a sentence that are searched for an opening quotation mark.
_MAX_QUOTED = 300
# Blanks after a mark that are passed over.
_MAX_BLANKS = 4
_OPENING = '"“„«»‘(['


def split_sentences(text: str) -> list[str]:
    """Cut a text into its sentences, without the blanks around them.

    >>> split_sentences("Hi Dr. Ray! I moved on 3. März 2020. Did you?")
    ['Hi Dr. Ray!', 'I moved on 3. März 2020.', 'Did you?']
    """
    places = [0, *sentence_ends(text), len(text)]
    pieces = (text[start:end].strip() for start, end in pairwise(places))
    return [piece for piece in pieces if piece]


def sentence_ends(text: str, *, pictures: bool = False) -> list[int]:
    """Return the places after the sentences of a text, with their closing marks, in order; its end need not be one.

    Args:
        text: Any text.
        pictures: A picture between blanks ends a sentence, too.

    >>> sentence_ends("I moved. z.B. nach Ulm!")
    [8, 23]
    """
    pattern = _MARKS_AND_PICTURES if pictures else _MARKS
    marks = [(mark.start(), mark.end()) for mark in pattern.finditer(text)]
    if _THAI_LETTER.search(text):
        marks = sorted({*marks, *((gap.start(), gap.end()) for gap in _THAI_GAP.finditer(text))})
    return list(_ends(text, marks))


def _ends(text: str, marks: list[tuple[int, int]]) -> Iterator[int]:
    begin = 0
    for start, end in marks:
        if text[start] in "¿¡":
            if len(text[begin:start].split()) >= _MIN_WORDS_BEFORE_INVERTED_MARK:
                begin = start
                yield begin
        elif text[start] not in _SPACED or not _goes_on(text, begin, start, end):
            begin = end
            yield begin


def _goes_on(text: str, begin: int, start: int, end: int) -> bool:
    """Return whether the sentence that began at `begin` goes on after marks of the Latin kind."""
    if end == len(text) or text[end] == "\n":
        return False
    marks = text[start:end].rstrip(_CLOSING_BEFORE_BLANK + " \u00a0\u202f")
    if marks == "." and is_abbreviation(text, begin, start, end):
        return True
    if not text[end : end + _MAX_BLANKS].lstrip()[:1].islower():
        return False
    if marks[0] == "…" or marks[:2] == "..":
        return 0 < len(words(text[begin : min(start, begin + _MAX_HESITATION)])) <= _MAX_HESITATING_WORDS
    # A quotation or a bracket within the sentence: 'He said "Go!" and left.' One that it begins with may be pasted.
    said = text[max(begin, start - _MAX_QUOTED) : start].lstrip()
    return end - start > len(marks) and any(mark in _OPENING for mark in said[1:])
