"""Find texts to work on, speech of others and test data in a user's message: no statements of the user. Pure.

'I moved. Translate into Spanish: I am cold.' states that the user moved, not that they are cold.
"""

import re
from collections.abc import Iterator

from toldonce.extraction.quotes import is_own_speech
from toldonce.extraction.spans import RemovedParts, Span, TextClause, clauses
from toldonce.extraction.work_orders import LEAD, TEXTS, lists_wishes, works_on_text
from toldonce.lazy_pattern import LazyPattern

_NOTHING = RemovedParts()
# Words of an order that follows its text ('Translate to French').
_ORDER_WORDS = 7
_WORD = LazyPattern(r"[^\W\d_][\w'-]*+")
# Orders that concern wording only.
_WORDING_ORDER = LazyPattern(
    LEAD + r"(?:translate|rewrite|re-write|rephrase|paraphrase|proofread|reword|polish|"
    r"(?:correct|fix|check|improve|edit|revise|shorten|simplify)\s+(?:(?:the|my|this|its|any|all)\s+)*+(?:grammar|"
    r"spelling|english|"
    r"punctuation|wording|text|sentences?|paragraphs?|message|mail|e-?mail|letter|essay|it|this|mistakes?|errors?))\b",
    re.IGNORECASE,
)
# A question on a problem, not on wording: 'I lose my keys all the time. How can I fix this?'
_HOW_TO_FIX = LazyPattern(
    r"\A(?:(?:and|so|but|then)[ ,]++)?how (?:do|would|can|could|should) (?:i|we) (?:correct|fix|check|improve|edit|"
    r"revise|shorten|simplify) (?:it|this|that)\W*\Z",
    re.IGNORECASE,
)
# An order to write a text with this beginning.
_WRITING_ORDER = LazyPattern(
    LEAD + r"(?:write|draft|compose|create|generate|make|begin|start|continue|finish|complete|turn)\b[^\n]{0,200}\b"
    r"(?:begins?|beginning|starts?|starting|opens?|continues?|goes|reads|ends?)(?: with| like this| this way)?\W*\Z",
    re.IGNORECASE,
)
_TEST_DATA = LazyPattern(
    r"\b(?:test|sample|dummy|mock|fake|example|placeholder|demo|synthetic)\s(?:data|input|case|user|profile|"
    r"record|row|person|text|"
    r"message|details|entry|prompt)s?\b",
    re.IGNORECASE,
)
_IS_A_TEST = LazyPattern(
    r"\b(?<!if )(?:this|that|it)(?:'s| is| was) (?:just |only )?(?:a test|test data|dummy data|sample data|fake data|"
    r"made[- ]up|"
    r"placeholder text|fictional)\s*+(?:[.!)]|$)|\bjust testing\b|\btesting,? testing\b|\btest message\b|"
    r"\bjohn doe\b|\bjane doe\b|"
    r"\blorem ipsum\b",
    re.IGNORECASE,
)
_SPEAKS = (
    r"(?:said|says|say|told (?:me|us|him|her|them)|tells (?:me|us|him|her|them)|wrote|writes|asked|asks|goes|went|"
    r"replied|replies|"
    r"answered|answers|texted|texts|shouted|shouts|reads|speaks|speaking|(?:was|is|were|'s) like|whispered|"
    r"whispers|sang|sings|"
    r"messaged|messages|emailed|emails|announced|announces|commented|comments|"
    r"(?:sent|sends|left|leaves|posted|posts)\s(?:(?:me|us|him|her|them|everyone)\s)?(?:an?|this|the|another)\s"
    r"(?:[\w'-]{1,15}\s){0,2}(?:note|voicemail|message|msg|text|e-?mail|mail|dm|letter|card|reply|review|comment)|"
    r"claimed|insists|insisted|explained|explains|mentioned|mentions|yelled|joked|jokes|argued|thinks|thought)"
)
_STARTS = r"(?:hi|hey|hello|ok|yes|no|well)\b|i\b|i'|my\b|we\b|im\b"
_REPORTED_SPEECH = LazyPattern(
    rf"\b{_SPEAKS}(?:(?:\s[\w']+){{0,4}}\s*+(?P<line>:)(?=\s*+(?:{_STARTS})|[ \t]*+(?:\n(?!\s*+[\"“'])|$))|"
    rf",(?=\s+(?:{_STARTS})))",
    re.IGNORECASE,
)
# The same before a colon in seven languages: 'Mein Freund schreibt:', 'Mon ami m'a écrit :', '他说：'.
_REPORTS = LazyPattern(
    r"(?:\b(?:schreibt|schrieb|sagt|sagte|meint|meinte|erzählte|fragte|antwortete|répond|raconte|disait|écrivait|dijo|escribió"
    r"|preguntó|respondió|disse|escreveu|perguntou|respondeu|scrive|diceva|risponde|schrijft|schreef|zegt|zei|vroeg|says?|said"
    r"|wrote|writes|told|texted|asked|replied|answered)|\b(?:a|ha|hat|heeft|has|had)\s(?:\S{1,20}\s){0,2}(?:geschrieben|gesagt"
    r"|écrit|dit|répondu|raconté|escrito|dicho|scritto|detto|risposto|geschreven|gezegd|written))"
    r"(?:\s[^\s:]{1,20}){0,2}\s?[:：]\s*\Z|[他她][说說][：:]\s*\Z",
    re.IGNORECASE,
)
_FIRST_PERSON_BEFORE = LazyPattern(r"\b(?:i|we|i've|we've|i'd|i'll|you|i'm)\s+(?:[\w']+\s+){0,2}$", re.IGNORECASE)
_ACCORDING = LazyPattern(
    r"\b(?:according to|in the words of|to quote|quoting)\s(?!me\b)[^,:\n]{1,60}[,:]", re.IGNORECASE
)
_PLACEHOLDER = LazyPattern(
    r"\[(?:(?:your|insert|first|last|full|company|job|city|recipient|sender|client)\s[^\]\n]{1,40}"
    r"|(?:the|my|his|her)\s(?-i:[^\]\nA-Z]{1,40})|"
    r"name|city|company|date|"
    r"title|address|place|country|age|phone|product|position|employer|school|university|hobby|occupation|"
    r"profession|location|state|"
    r"number|time|x+)\]|\{\{?\s?(?:(?:user|first|last|full|your|company|job)[_ ]?)?(?:name|city|company|date|"
    r"title|address|country|age|employer|job|position|place|school|diet)\s?\}?\}|(?<!\w)_{3,20}(?!\w)|(?<![\w/.:“\"「《-])(?:X{3,}|YYY|"
    r"ZZZ)(?![\w/-])"
    r"|<\s?(?:(?:your|insert|first|last|full|company|job)[ _-][^<>\n]{1,30}|name|city|company|date|title|address|"
    r"place|country|age|employer)\s?>",
    re.IGNORECASE,
)
_STORY_HEADING = LazyPattern(
    r"^[ \t#*]*+(?:once upon a time\b|(?:chapter|scene|act|prologue|epilogue|verse|chorus|stanza|canto)\b"
    r"(?:\s(?:\d{1,3}|[ivxl]{1,6}|one|two|three|four|five))?[ \t]*+[:.*-]*+[ \t]*+$"
    r"|\[(?:verse|chorus|intro|bridge|outro|hook)\b)",
    re.IGNORECASE | re.MULTILINE,
)


# A paragraph in quotation marks.
_QUOTED_BLOCK = LazyPattern(
    r"^[ \t]*+(?:\"[^\"]{12,4000}+\"|“[^”]{12,4000}+”|„[^“”]{12,4000}+[“”]|«[^»]{12,4000}+»)[ \t.,!?]*+$", re.MULTILINE
)


def find_material(text: str, removed: RemovedParts = _NOTHING) -> list[Span]:
    """Find the parts of a message that the user does not say about themselves.

    Args:
        text: A message, without what it wraps.
        removed: What is removed anyway; an order right before it refers to that.

    >>> text = "I moved. Translate into Spanish: I am cold."
    >>> [text[start:end] for start, end in find_material(text)]
    [' I am cold.']
    """
    if _IS_A_TEST.search(text):
        return [(0, len(text))]
    return [*find_unmeant(text, removed), *find_worked_on(text, removed)]


def find_unmeant(text: str, removed: RemovedParts = _NOTHING) -> list[Span]:
    """Find what is not meant: test data, templates, stories, and what is put into the mouth of others.

    >>> text = "My name is [your name]."
    >>> find_unmeant(text) == [(0, len(text))]
    True
    """
    if _IS_A_TEST.search(text):
        return [(0, len(text))]
    heading = _STORY_HEADING.search(text)
    story = [(heading.start(), len(text))] if heading else []
    return [*_placeholders(text, removed), *story, *_spoken(text, removed)]


def find_worked_on(text: str, removed: RemovedParts = _NOTHING) -> list[Span]:
    """Find texts to work on: paragraphs in quotation marks, what an order announces, and what one follows."""
    spans = [found.span() for found in _QUOTED_BLOCK.finditer(text)]
    found = [clause for clause in clauses(text) if not removed.holds(clause.start)]
    for clause in found[:-1]:
        if not removed.follows(text, clause.end) and _announces(clause):
            return [*spans, (clause.end, len(text))]
    last = found[-1] if found else None
    if last and len(found) > 1 and not removed.spans and not removed.places and _is_order_behind(last.text.strip()):
        spans.append((0, last.start))
    return spans


def _announces(clause: TextClause) -> bool:
    """Return whether a clause orders work on the text that follows it."""
    text = clause.text.strip()
    if lists_wishes(text):
        return False
    if text.endswith((":", "\uff1a")):
        return bool(works_on_text(text) or _WRITING_ORDER.match(text) or _TEST_DATA.search(text))
    words = [word.lower() for word in _WORD.findall(text)]
    if not words:
        return False
    asked = bool(_WORDING_ORDER.match(text)) or (works_on_text(text) and not text.endswith((",", ";")))
    if clause.ends_line and asked and not text.endswith(",") and len(words) > 1:
        return True
    pointed = bool({"this", "following", "below"}.intersection(words))
    names = bool(TEXTS.intersection(words[-4:]))
    wants = asked or bool({"reply", "respond", "answer", "think", "mean", "sound", "summarize"}.intersection(words))
    return pointed and names and wants


def _is_order_behind(text: str) -> bool:
    if _HOW_TO_FIX.match(text):
        return False
    return bool(_WORDING_ORDER.match(text)) and len(_WORD.findall(text)) <= _ORDER_WORDS


def _spoken(text: str, removed: RemovedParts) -> Iterator[Span]:
    """Find what others say in the first person, without quotation marks; what is removed anyway needs no search."""
    for found in _REPORTED_SPEECH.finditer(text):
        before = text[max(0, found.start() - 40) : found.start()]
        if not removed.holds(found.start()) and not _FIRST_PERSON_BEFORE.search(before.rpartition("\n")[2]):
            yield _to_stop(text, found.end(), line=bool(found["line"]))
    for clause in clauses(text):
        if removed.holds(clause.start) or removed.follows(text, clause.end):
            continue
        if _REPORTS.search(clause.text) and not is_own_speech(clause.text):
            yield _to_stop(text, clause.end, line=not clause.ends_line)
            if clause.ends_line:
                yield (clause.end, len(text))
    for found in _ACCORDING.finditer(text):
        yield _to_stop(text, found.end(), line=False)


_STOP = LazyPattern(r"[.!?](?=\s|$)|\n")
_LINE_END = LazyPattern(r"\n")


def _to_stop(text: str, place: int, *, line: bool) -> Span:
    rest = text[place : place + 1]
    if line and (rest == "\n" or not rest):
        return (place, len(text))
    stop = (_LINE_END if line else _STOP).search(text, place)
    return (place, stop.end() if stop else len(text))


def _placeholders(text: str, removed: RemovedParts) -> Iterator[Span]:
    """Find paragraphs with slots that are to be filled in, but not in what is removed anyway."""
    at = 0
    for paragraph in text.split("\n\n"):
        if any(not removed.holds(at + found.start()) for found in _PLACEHOLDER.finditer(paragraph)):
            yield (at, at + len(paragraph))
        at += len(paragraph) + 2
