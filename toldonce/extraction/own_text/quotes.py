"""Find quotations within running text, and those that others said. Pure.

'She said "I live in Rome"' quotes another; 'I told her "I live in Ulm"' and 'I love "Up"' do not.
"""

from toldonce.extraction.own_text.carriers import pattern
from toldonce.extraction.own_text.spans import Span, blank_out, merge_spans

OTHERS_OPEN, OTHERS_CLOSE = "⟦", "⟧"
"""Marks around others' words in a question to a model; such signs in the messages themselves are removed."""

# Characters that are searched before and after a quotation.
_BEFORE, _AFTER = 60, 40
# Shorter quotations are names or titles.
_MIN_WORDS = 3
# Words before a verb of speaking that are searched for its subject.
_SUBJECT_WORDS = 3
_QUOTED = pattern("quotes", "quoted")
_ENDS_IN_SPEAKING = pattern("quotes", "ends_in_speaking")
_TELLING = pattern("quotes", "telling")
_TOLD_AFTER = pattern("quotes", "told_after")
_I_TELL = pattern("quotes", "i_tell")
_IS_LIKE = pattern("quotes", "is_like")
_NAMES = pattern("quotes", "names")
_FIRST_PERSON = pattern("quotes", "first_person")
_CLAUSE_END = pattern("quotes", "clause_end")
_OF_ONESELF = pattern("quotes", "of_oneself")
_I = frozenset("i i've i'd i'll we we've ich wir je j'ai nous yo eu io ho ik wij".split())


def ends_in_speaking(text: str) -> bool:
    """Return whether a text ends with a verb of speaking: 'my friend told me'."""
    return bool(_ENDS_IN_SPEAKING.search(text))


def find_quoted(text: str) -> list[Span]:
    """Find text in quotation marks, the marks included."""
    return merge_spans(found.span() for found in _QUOTED.finditer(text))


def find_others_speech(text: str) -> list[Span]:
    """Find quotations of others' speech: no titles, no names, and nothing the speaker says to have said.

    >>> text = 'She said "I live in Rome" and I told her "I live in Ulm". I love "Up".'
    >>> [text[start:end] for start, end in find_others_speech(text)]
    ['"I live in Rome"']
    """
    return [span for span in find_quoted(text) if _is_of_others(text, span)]


def _is_of_others(text: str, span: Span) -> bool:
    start, end = span
    inside = text[start:end].strip("\"'“”„«»‹›「」『』‘’‚`")
    before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    after = text[end : end + _AFTER]
    if _is_by_oneself(before) or _I_TELL.match(after):
        return False
    is_attributed = ends_in_speaking(before) or _IS_LIKE.search(before) or _TOLD_AFTER.match(after)
    if len(inside.split()) < _MIN_WORDS and inside.isascii():
        return False
    if before.rstrip().endswith(":") and not is_attributed and _OF_ONESELF.search(before):
        return False
    return bool(is_attributed or (_FIRST_PERSON.match(inside) and not _NAMES.search(before)))


def _is_by_oneself(before: str) -> bool:
    """Return whether the last verb of speaking before a quotation has the first person as its subject."""
    clause = _CLAUSE_END.split(before)[-1]
    verbs = list(_TELLING.finditer(clause))
    subject = clause[: verbs[-1].start()].casefold().replace("’", "'").split() if verbs else []
    return any(word.strip(",.;:\"'") in _I for word in subject[-_SUBJECT_WORDS:])


def without_quoted(text: str) -> str:
    """Blank out text in quotation marks, keeping every character's place.

    >>> without_quoted('She said "I love tea" to me')
    'She said              to me'
    """
    return blank_out(text, find_quoted(text))


def with_marked_speech(text: str) -> str:
    """Mark what others said.

    >>> with_marked_speech('She said "I live in Rome."')
    'She said ⟦"I live in Rome."⟧'
    """
    kept: list[str] = []
    at = 0
    for start, end in find_others_speech(text):
        kept += [text[at:start], OTHERS_OPEN, text[start:end], OTHERS_CLOSE]
        at = end
    return "".join([*kept, text[at:]])
