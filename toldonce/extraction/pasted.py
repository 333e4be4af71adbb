"""Find text that a user pasted into a message without quoting or wrapping it. Pure.

Its announcement gives it away: a file name or address on a line of its own, a sentence that points to it,
or horizontal rules around it. Its end is unknown, so it runs to the end of the message. A label before a colon gives
nothing away: people have endless labels for their own words ('Week 2:', 'Workout log:', 'Gute Nachricht:'). Nor does
a single rule, which parts a message.
"""

import re
from collections.abc import Iterator

from toldonce.extraction.spans import RemovedParts, Span, TextClause, clauses
from toldonce.extraction.work_orders import TEXTS
from toldonce.lazy_pattern import LazyPattern

# Words of a line that announces a text.
_MAX_ANNOUNCED = 14
# The noun that names a text is among this many last words of its announcement.
_NEAR_END = 6
_NOTHING = RemovedParts()
_WORD = LazyPattern(r"[^\W\d_]++(?:['’][^\W\d_]++)*+")
_EXTENSION = (
    r"(?:txt|md|markdown|rst|pdf|docx?|odt|rtf|tex|html?|xml|json|jsonl|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xlsx?"
    r"|pptx?|eml|msg|log|"
    r"py|js|ts|tsx|jsx|java|kt|go|rs|rb|php|c|h|cpp|cs|sh|sql|swift|srt|vtt|ics|vcf|png|jpe?g|gif|mp3|m4a|wav|mp4"
    r"|zip)"
)
# 'cv.txt', '**docs/a.md**', '--- about.html ---', 'report.pdf:'; and addresses.
_FILE_LINE = LazyPattern(
    r"^[ \t>]{0,9}(?:[-=#*_`]{1,9}[ \t]?"
    r"|(?:file|path|attachment|datei|fichier|archivo|arquivo|bestand)[ \t]?:?[ \t])?[*`\"'_]{0,3}"
    rf"(?:[^\s:*?\"<>|]{{0,200}}[/\\])?[^\s:/\\*?\"<>|]{{1,80}}\.{_EXTENSION}[*`\"'_]{{0,3}}(?:\s\([^()\n]{{1,40}}\))?"
    r"(?:[ \t]?[-=#*_]{1,9}|(?P<colon>[ \t]?:))?(?:[ \t]*+$|(?(colon)[ \t]|(?!)))",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESS_LINE = LazyPattern(
    r"^[ \t>]{0,9}(?:[^\W\d_]{1,10}[ \t]?:?[ \t])?<?https?://[^\s<>]{3,400}+>?[ \t]*+:?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_IMAGE = LazyPattern(r"https?:\S{3,400}\.(?:png|jpe?g|gif|webp|svg|mp4|webm|mov)(?:\?\S{0,400})?\W*$", re.IGNORECASE)
_RULE = LazyPattern(
    r"^[ \t]{0,9}(?:-{3,40}|={3,40}|\*{3,40}|_{3,40}|#{3,40}|~{3,40}|\+{3,40}|─{3,40}|—{2,40})[ \t]*+$", re.MULTILINE
)
# Words that point to the text that follows, in seven languages.
_POINTING_WORDS = frozenset(
    """here here's heres hier voici voilà ecco aquí aqui eis ci this these that below following look see read check
    got received found dies das dieser diese diesen siehe lies ce cette ceci este esta esto questo questa dit deze
    dat bekijk lees guarda mira olha regarde lis""".split()
)
_NAMES_TEXT = frozenset(
    """lebenslauf bewerbung brief nachricht text artikel gedicht liedtext aufsatz rezension protokoll candidature
    lettre texte article poème paroles rédaction courriel currículum carta mensaje texto artículo poema letra
    ensayo correo currículo redação mensagem artigo curriculum lettera testo articolo poesia canzone cv bio vitae
    tekst bericht sollicitatie clipboard chorus transcript ocr screenshot page webpage website lyrics quote""".split()
)
_WORK_ORDER = LazyPattern(
    r"\b(?:(?:über|zusammen)setz\w{0,4}|übersetze?n?|korrigier\w{0,3}|verbesser\w{0,3}|tradui\w{1,5}"
    r"|corrige\w{0,3}|correggi|traduci|traduz\w{0,3}|traduce\w{0,3}"
    r"|corrija|corrige|resume|resuma|riassumi|résume\w{0,2}|fasse|vertaal|verbeter|corrigeer|vat)\b",
    re.IGNORECASE,
)
_POINTING_PHRASE = LazyPattern(
    r"\b(?:got|received|found|saw|read)\s(?:this|these|the following)\b[^?\n]{0,60}$"
    r"|\bwhat\s(?:(?!i\b|we\b|you\b)[\w'’]{1,20}\s){1,4}(?:wrote|said|sent|posted|told|texted|emailed"
    r"|put)\b[^?\n]{0,30}$"
    r"|\b(?:see|look|read)\s(?:it\s)?below\W*$|\b(?:as follows|reads|says)\W*$"
    r"|\b(?:siehe|schau)\sunten\W*$|\bwie folgt\W*$|\b(?:voir|lis)\s(?:ci-dessous|plus bas)\W*$",
    re.IGNORECASE,
)
# Questions about the wording of the text that follows, and about the lines below.
_WORDING_QUESTION = LazyPattern(
    r"\b(?:grammatical|grammatically correct|correct (?:english|grammar)|proper english"
    r"|well[- ]written)\s?\?+$",
    re.IGNORECASE,
)
_QUESTION_ON_LINES = LazyPattern(
    r"\b(?:answer|reply|respond|say|think|make|meant?|sounds?)\s(?:\w{1,20}\s)?(?:to|of|about|by|with)\s(?:this"
    r"|that|these|him|her|them)\s?\?+$"
    r"|\b(?:is|was|does|would|should)\s(?:this|that|it)\b[^?\n]{0,40}\b(?:scam|spam|phishing|legit(?:imate)?|genuine|fake"
    r"|fishy|dodgy|suspicious|real|trustworthy|rude|polite|professional|formal|cringe|sounds?|reads?)\b[^?\n]{0,20}\?*$",
    re.IGNORECASE,
)
_FIRST_PERSON_SUBJECT = LazyPattern(r"\b(?:i|we|i've|we've|i'd|i'll|i'm|ich|wir|je|yo|eu|io|ik)\b", re.IGNORECASE)
_FIRST_PERSON = LazyPattern(
    r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our|ich|mein\w{0,2}|je|j'|mon|ma|yo|mi|eu|meu|minha|io|mio|mia|ik"
    r"|mijn)\b",
    re.I,
)


def find_pasted(text: str, removed: RemovedParts = _NOTHING) -> list[Span]:
    """Find what a user pasted.

    Args:
        text: A message, without what it wraps.
        removed: What is removed anyway; a clause that announces that announces nothing else.

    >>> text = "What is wrong?\\nnotes.txt\\nI ski."
    >>> [text[start:end] for start, end in find_pasted(text)]
    ['notes.txt\\nI ski.']
    >>> find_pasted("Workout log: I ski.")
    []
    """
    starts = [*find_named(text, removed), *_ruled(text)]
    last = len(text.rstrip())
    for clause in clauses(text):
        if clause.end >= last or (starts and min(starts) <= clause.start):
            break
        if removed.holds(clause.start) or removed.follows(text, clause.end):
            continue
        if not clause.text.strip().endswith((":", "\uff1a")) and _points(clause):
            starts.append(clause.end)
    return [(min(starts), len(text))] if starts else []


def find_named(text: str, removed: RemovedParts) -> Iterator[int]:
    """Find file names and addresses on lines of their own with text after them."""
    last = len(text.rstrip())
    for pattern in (_FILE_LINE, _ADDRESS_LINE):
        for found in pattern.finditer(text):
            if _IMAGE.search(found.group()):  # there is no text to paste from it
                continue
            if found.end() < last and not removed.holds(found.start()) and not removed.follows(text, found.end()):
                yield found.start()
                break


def _ruled(text: str) -> Iterator[int]:
    """Find the first of several horizontal rules: text that they set off is rarely the user's own."""
    rules = list(_RULE.finditer(text))
    if len(rules) > 1:
        yield rules[0].start()


def speaks_of_oneself(text: str) -> bool:
    """Return whether a text has a word of the first person, or asks for something in one's own name.

    >>> speaks_of_oneself("I ski."), speaks_of_oneself("Skis are made of wood.")
    (True, False)
    """
    return bool(_FIRST_PERSON.search(text))


def _points(clause: TextClause) -> bool:
    """Return whether a clause without a colon announces the text after it."""
    text = clause.text.strip()
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words or len(words) > _MAX_ANNOUNCED:
        return False
    if _WORDING_QUESTION.search(text) or (clause.ends_line and _QUESTION_ON_LINES.search(text)):
        return True
    if _POINTING_PHRASE.search(text):
        return not _FIRST_PERSON_SUBJECT.search(text.partition("what")[2] or text) or text.casefold().startswith("got ")
    if not clause.ends_line or text.endswith((".", "!", "?", ",", ";")):
        return False
    named = (TEXTS | _NAMES_TEXT).intersection(words[-_NEAR_END:])
    if not named or _FIRST_PERSON_SUBJECT.search(text):
        return False
    return (
        bool(_WORK_ORDER.search(text))
        or words[0] in TEXTS | _NAMES_TEXT
        or bool(_POINTING_WORDS.intersection(words[:4]))
    )
