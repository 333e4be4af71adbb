"""Find quotations within running text, and those that others said. Pure.

'She said "I live in Rome"' quotes another; 'I told her "I live in Ulm"' and 'I love "Up"' do not.
"""

import re

from toldonce.extraction.spans import Span, blank_out, merge_spans
from toldonce.lazy_pattern import LazyPattern

OTHERS_OPEN, OTHERS_CLOSE = "⟦", "⟧"
"""Marks around others' words in a question to a model; such signs in the messages themselves are removed."""

_MAX_QUOTED = 600
# Characters that are searched before and after a quotation.
_BEFORE, _AFTER = 60, 40
# Shorter quotations are names or titles.
_MIN_WORDS = 3
_QUOTED = LazyPattern(
    r"\"[^\"\n]{1,400}\"|(?<!\w)'[^'\n]{3,400}'(?!\w)"
    rf"|“[^“”]{{1,{_MAX_QUOTED}}}”|„[^„“”]{{1,{_MAX_QUOTED}}}[“”]|«[^«»]{{1,{_MAX_QUOTED}}}»"
    rf"|»[^«»]{{1,{_MAX_QUOTED}}}«"
    rf"|‹[^‹›]{{1,{_MAX_QUOTED}}}›|›[^‹›]{{1,{_MAX_QUOTED}}}‹|「[^「」]{{1,{_MAX_QUOTED}}}」|『[^『』]{{1,{_MAX_QUOTED}}}』"
    rf"|(?<!\w)[‘‚][^‘’‚\n]{{3,{_MAX_QUOTED}}}[’‘](?!\w)|``[^`\n]{{1,{_MAX_QUOTED}}}''"
)
SPEAKING_VERBS = (
    r"(?:schreibt|schrieb|sagt|sagte|meint|meinte|erzählt|erzählte|fragt|fragte|antwortet|antwortete|geschrieben|gesagt|gemeint"
    r"|écrit|dit|répond|répondu|raconte|raconté|écrivait|disait"
    r"|dice|dijo|escribe|escribió|preguntó|respondió|contó|escrito|dicho"
    r"|diz|disse|escreve|escreveu|perguntou|respondeu|contou"
    r"|scrive|scritto|detto|diceva|risponde|risposto|chiede|chiesto|racconta"
    r"|schrijft|schreef|zegt|zei|vraagt|vroeg|antwoordt|antwoordde|geschreven|gezegd"
    r"|say|says|said|tell|tells|wrote|writes|told|texted|texts|asked|asks|replied|replies|answered|claims|claimed|reads|states)"
)
"""Verbs of speaking, in seven languages."""
_I_SPOKE = LazyPattern(
    rf"\b(?:i|i've|i'd|we|ich|wir|j'ai|je|nous|yo|eu|io|ho|ik|wij)\s(?:\S{{1,20}}\s){{0,4}}{SPEAKING_VERBS}\b",
    re.IGNORECASE,
)
_ENDS_IN_SPEAKING = LazyPattern(rf"\b{SPEAKING_VERBS}\b(?:\s[^\s]{{1,20}}){{0,2}}\W*+$", re.IGNORECASE)
# Precedes a title or a name, which is no speech.
_NAMES = LazyPattern(
    r"(?:\b(?:is|was|are|be|called|named|titled|film|films|movie|movies|book|books|song|songs|album|show|series"
    r"|game|games|band|"
    r"podcast|poem|play|novel|like|likes|love|loves|read|reading|watch|watched|watching|heißt|ist|film|buch|lied"
    r"|est|livre|"
    r"es|libro|película|è|libro|é|livro|filme|is|heet|boek)|=)\s*+$",
    re.IGNORECASE,
)
_IS_LIKE = LazyPattern(r"(?:\w's|\b(?:is|was|were|are))\s(?:all\s)?like,?\s*+$", re.IGNORECASE)
_FIRST_PERSON = LazyPattern(
    r"\W{0,3}(?:(?:and|but|so|well|yes|no|hi|hey|hello|ja|nein|oui|non|sí|sì|sim|hallo|hola|ciao)\W{1,3})?"
    r"(?:i|i'm|i’m|i've|i’ve|i'd|my|we|we're|our|ich|wir|mein\w{0,2}|je|j['’]\w+|mon|ma|mes|nous|yo|mi|soy|vivo"
    r"|estoy|tengo|me|"
    r"eu|meu|minha|sou|moro|io|sono|mio|mia|ho|ik|mijn|wij|forget|remember|always|never|vergiss|oublie|olvida"
    r"|dimentica|esquece|"
    r"vergeet)\b",
    re.IGNORECASE,
)
_CLAUSE_END = LazyPattern(
    r"[.!?,;]\s|\b(?:and|but|und|et|y|e|en)\s(?=(?:she|he|they|sie|er|elle|il|ella|él|lei"
    r"|lui|zij|hij)\b)",
    re.I,
)
_TELLING = LazyPattern(rf"\b{SPEAKING_VERBS}\b", re.IGNORECASE)
# A label that claims what follows it: 'My motto:'.
_OF_ONESELF = LazyPattern(
    r"\b(?:i|my|mine|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?|meus?|minhas?|nosso|mi[oae]|mia|miei"
    r"|nostr[oa]|mijn|ons|onze)\b",
    re.IGNORECASE,
)
_I = frozenset("i i've i'd i'll we we've ich wir je j'ai nous yo eu io ho ik wij".split())
_I_TELL = LazyPattern(
    rf"[\s,.!?]{{0,3}}(?:i|we|ich|wir|je|yo|eu|io|ik)\s(?:[\w'’-]{{1,20}}\s){{0,2}}{SPEAKING_VERBS}\b", re.IGNORECASE
)
# Words before a verb of speaking that are searched for its subject.
_SUBJECT_WORDS = 3
_TOLD_AFTER = LazyPattern(
    rf"[\s,.!?]{{0,3}}(?:(?:was|is|war|c'est)\s(?:what\s)?)?(?:[\w'’-]{{1,20}}\s){{0,3}}{SPEAKING_VERBS}\b",
    re.IGNORECASE,
)


def is_own_speech(text: str) -> bool:
    """Return whether a text says that its writer said something: 'I told him'."""
    return bool(_I_SPOKE.search(text))


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
    before = _CLAUSE_END.split(before)[-1]
    telling_verbs = list(_TELLING.finditer(before))
    subject = (
        before[: telling_verbs[-1].start()].casefold().replace("’", "'").split()[-_SUBJECT_WORDS:]
        if telling_verbs
        else []
    )
    return any(word.strip(",.;:\"'") in _I for word in subject)


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
