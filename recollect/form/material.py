"""Find texts to work on, speech of others and test data in a user's message: no statements of the user. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.form.spans import Span

# Longest clause that is looked at, in characters, from its end: what announces a text is short.
_MAX_CLAUSE = 300
# Most words of a heading ('Lyrics:'), and of an order that stands behind its text ('Translate to French').
_HEADING_WORDS, _ORDER_WORDS = 3, 7
# Words before a colon that are looked at.
_NEAR = 14
_CLAUSE = re.compile(r"(?:[^.!?:\n]|[.:](?=\S))++[.!?:]*+\n?")
_WORD = re.compile(r"[^\W\d_][\w'-]*+")
_LEAD = (
    r"\A(?:(?:please|pls|kindly|can you|could you|would you|will you|now|and|then|also|so|but|ok|okay|hey|hi|"
    r"hello|help me(?: to)?|"
    r"i need you to|i want you to|i'd like you to|you should|let's|how (?:do|would|can|should) (?:you|i))[ ,]++){0,4}"
)
_WORKS = re.compile(
    _LEAD + r"(?:translate|rewrite|re-write|rephrase|paraphrase|correct|proofread|summari[sz]e|shorten|polish|improve|"
    r"edit|fix|check|"
    r"review|revise|analy[sz]e|say|grade|rate|classify|reword|simplify|expand|continue|complete|finish|format|"
    r"convert|enhance|"
    r"elevate|critique|humani[sz]e|label|annotate|read)\b",
    re.IGNORECASE,
)
# Orders that are about words alone.
_CORRECTS = re.compile(
    _LEAD + r"(?:translate|rewrite|re-write|rephrase|paraphrase|proofread|reword|polish|"
    r"(?:correct|fix|check|improve|edit|revise|shorten|simplify)\s+(?:(?:the|my|this|its|any|all)\s+)*+(?:grammar|"
    r"spelling|english|"
    r"punctuation|wording|text|sentences?|paragraphs?|message|mail|e-?mail|letter|essay|it|this|mistakes?|errors?))\b",
    re.IGNORECASE,
)
_WRITES = re.compile(
    _LEAD + r"(?:write|draft|compose|create|generate|make|begin|start|continue|finish|complete|prepare|give me|turn)\b",
    re.IGNORECASE,
)
_TEXTS = frozenset(
    """abstract intro introduction notes ad advert announcement article bio biography blog book caption chapter
    chat comment conversation cv description dialogue diary draft email e-mail essay eulogy excerpt fable fanfic
    letter line lines lyrics mail message messages monologue novel obituary paragraph paragraphs passage poem
    post profile prologue prompt quote reply resume response review scene screenplay script sentence sentences
    song sonnet speech statement story storyline testimonial tale text texts toast tweet verse whatsapp sms
    transcript interview testimony caption email's affidavit""".split()
)
_CHATS = frozenset("chat conversation dialogue transcript messages interview texts whatsapp".split())
_SHOWS = frozenset(
    """here here's heres below following this these that from by reads read says goes begins beginning starts starting
    sent wrote received got found quote called titled entitled attached next original version with reply answer
    respond replying about first second own pasted""".split()
)
_TESTS = re.compile(
    r"\b(?:test|sample|dummy|mock|fake|example|placeholder|demo|synthetic)\s(?:data|input|case|user|profile|"
    r"record|row|person|text|"
    r"message|details|entry|prompt)s?\b|^\s*+(?:template|test|sample|fixture|example|for example|e\.g\.?|input|"
    r"lorem ipsum)\s*+:",
    re.IGNORECASE,
)
_IS_A_TEST = re.compile(
    r"\b(?:this|that|it)(?:'s| is| was) (?:just |only )?(?:a test|test data|dummy data|sample data|fake data|"
    r"made[- ]up|"
    r"placeholder text|fictional)\s*+(?:[.!)]|$)|\bjust testing\b|\btesting,? testing\b|\btest message\b|"
    r"\bjohn doe\b|\bjane doe\b|"
    r"\blorem ipsum\b",
    re.IGNORECASE,
)
# Things that words stand on or in.
_THINGS = frozenset(
    """shirt t-shirt sign poster sticker slogan tattoo mug billboard chorus film movie hint saying proverb motto meme
    headline song narrator hero heroine character villain protagonist singer rapper""".split()
)
_SPEAKS = (
    r"(?:said|says|say|told (?:me|us|him|her|them)|tells (?:me|us|him|her|them)|wrote|writes|asked|asks|goes|went|"
    r"replied|replies|"
    r"answered|answers|texted|texts|shouted|shouts|reads|speaks|speaking|(?:was|is|were|'s) like|whispered|"
    r"whispers|sang|sings|claims|"
    r"claimed|insists|insisted|explained|explains|mentioned|mentions|yelled|joked|jokes|argued|thinks|thought)"
)
_STARTS = r"(?:hi|hey|hello|ok|yes|no|well)\b|i\b|i'|my\b|we\b|im\b"
_SPEECH = re.compile(
    rf"\b{_SPEAKS}(?:(?:\s[\w']+){{0,4}}\s*+(?P<line>:)(?=\s*+(?:{_STARTS})|[ \t]*+(?:\n(?!\s*+[\"“'])|$))|"
    rf",(?=\s+(?:{_STARTS})))",
    re.IGNORECASE,
)
_BY_ONESELF = re.compile(r"\b(?:i|we|i've|we've|i'd|i'll|you|i'm)\s+(?:[\w']+\s+){0,2}$", re.IGNORECASE)
_ACCORDING = re.compile(
    r"\b(?:according to|in the words of|to quote|quoting)\s(?!me\b)[^,:\n]{1,60}[,:]", re.IGNORECASE
)
_SLOT = re.compile(
    r"\[(?:(?:your|insert|first|last|full|company|job|city|the|my|his|her|recipient|sender|client)\s[^\]\n]{1,40}|"
    r"name|city|company|date|"
    r"title|address|place|country|age|phone|product|position|employer|school|university|hobby|occupation|"
    r"profession|location|state|"
    r"number|time|x+)\]|\{\{?\s?(?:(?:user|first|last|full|your|company|job)[_ ]?)?(?:name|city|company|date|"
    r"title|address|country|age|employer|job|position|place|school|diet)\s?\}?\}|(?<!\w)_{3,}(?!\w)|(?<![\w/.-])(?:X{3,}|YYY|"
    r"ZZZ)(?![\w/-])"
    r"|<\s?(?:(?:your|insert|first|last|full|company|job)[ _-][^<>\n]{1,30}|name|city|company|date|title|address|"
    r"place|country|age|employer)\s?>",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"^[ \t#*]*+(?:once upon a time\b|(?:chapter|scene|act|prologue|epilogue|verse|chorus|stanza|"
    r"canto)\b(?:\s(?:\d{1,3}|[ivxl]{1,6}|one|"
    r"two|three|four|five))?[ \t]*+(?:[:.*-]|$)|\[(?:verse|chorus|intro|bridge|outro|hook)\b)",
    re.IGNORECASE | re.MULTILINE,
)


# A paragraph in quotation marks.
_QUOTED_BLOCK = re.compile(
    r"^[ \t]*+(?:\"[^\"]{12,4000}\"|“[^”]{12,4000}”|„[^“”]{12,4000}[“”]|«[^»]{12,4000}»)[ \t.,!?]*+$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    start: int
    end: int
    line_end: int


def find_material(text: str, *, wrapped: bool = False, chatted: bool = False) -> list[Span]:
    """Find what of a message is not said by the user themselves.

    Args:
        text: Own words, without wrappers and mail.
        chatted: A pasted chat was taken out of it: what announces a chat is about that.
        wrapped: Something wrapped was taken out of it: an order to work on a text is about that.

    >>> text = "I moved. Translate into Spanish: I am cold."
    >>> [text[start:end] for start, end in find_material(text)]
    [' I am cold.']
    """
    if _IS_A_TEST.search(text):
        return [(0, len(text))]
    spans = [*_placeholders(text), *((found.start(), found.end()) for found in _QUOTED_BLOCK.finditer(text))]
    told = _CHAPTER.search(text)
    if told:
        spans.append((told.start(), len(text)))
    spans += _spoken(text)
    clauses = list(_clauses(text))
    for clause in clauses[:-1]:
        start = _announced(clause, text, wrapped=wrapped, chatted=chatted)
        if start is not None:
            return [*spans, (start, len(text))]
    last = clauses[-1] if clauses else None
    if last and len(clauses) > 1 and not wrapped and _is_order_behind(last.text.strip()):
        spans.append((0, last.start))
    return spans


def _clauses(text: str) -> Iterator[_Clause]:
    line_end = -1
    for found in _CLAUSE.finditer(text):
        if found.end() > line_end:
            line_end = text.find("\n", found.end())
            line_end = len(text) if line_end < 0 else line_end
        if found.group().strip():
            yield _Clause(found.group()[-_MAX_CLAUSE:], found.start(), found.end(), line_end)


def _announced(clause: _Clause, text: str, *, wrapped: bool, chatted: bool) -> int | None:
    """Return where a text begins that a clause announces; None where it announces none."""
    said = clause.text.strip()
    words = [word.lower() for word in _WORD.findall(said)]
    if said.endswith(":"):
        if wrapped and text[clause.end - 1 : clause.end + 1].strip(" \t")[-1:] == "\n":
            return None  # what it announces was taken out
        about_chat = chatted and bool(_CHATS.intersection(words))
        return clause.end if not about_chat and _heads_text(said, words) else None
    lines = clause.text.endswith("\n")
    if wrapped or not words:
        return None
    asked = bool(_CORRECTS.match(said)) or (bool(_WORKS.match(said)) and not said.endswith((",", ";")))
    if lines and asked and not said.endswith(",") and len(words) > 1:
        return clause.end
    pointed = bool({"this", "following", "below"}.intersection(words))
    names = bool(_TEXTS.intersection(words[-4:]))
    wants = asked or bool({"reply", "respond", "answer", "think", "mean", "sound", "summarize"}.intersection(words))
    return clause.end if pointed and names and wants else None


def _heads_text(said: str, words: list[str]) -> bool:
    words = words[-_NEAR:]
    if _TESTS.search(said):
        return True
    if _WORKS.match(said):
        return True
    texts = _TEXTS.intersection(words)
    if texts and _WRITES.match(said):
        return True
    if "about me" in said.lower() or "myself" in words:
        return False
    if texts and (_SHOWS.intersection(words) or (words[-1] in _TEXTS and len(words) <= _HEADING_WORDS)):
        return True
    return bool(_THINGS.intersection(words)) and words[0] not in ("no", "all")


def _is_order_behind(said: str) -> bool:
    return bool(_CORRECTS.match(said)) and len(_WORD.findall(said)) <= _ORDER_WORDS


def _spoken(text: str) -> Iterator[Span]:
    """Find what others say in the first person, without quotation marks."""
    for found in _SPEECH.finditer(text):
        before = text[max(0, found.start() - 40) : found.start()]
        if not _BY_ONESELF.search(before.rpartition("\n")[2]):
            yield _to_stop(text, found.end(), line=bool(found["line"]))
    for found in _ACCORDING.finditer(text):
        yield _to_stop(text, found.end(), line=False)


_STOP = re.compile(r"[.!?](?=\s|$)|\n")


def _to_stop(text: str, place: int, *, line: bool) -> Span:
    rest = text[place : place + 1]
    if line and (rest == "\n" or not rest):
        return (place, len(text))
    stop = re.compile(r"\n").search(text, place) if line else _STOP.search(text, place)
    return (place, stop.end() if stop else len(text))


def _placeholders(text: str) -> Iterator[Span]:
    """Find paragraphs with slots that are to be filled in."""
    at = 0
    for paragraph in text.split("\n\n"):
        if _SLOT.search(paragraph):
            yield (at, at + len(paragraph))
        at += len(paragraph) + 2
