"""Make notes of clauses: sentences that need no context, with their dates written out. Pure.

'and I have a job interview tomorrow' becomes 'The user has a job interview on 4 May 2026.' Requests to forget, requests
to remember and corrections become notes of their own.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.dates import DateMention
from recollect.extraction.forget_requests import Scope, forget_request
from recollect.extraction.rules.antecedents import name_pronoun
from recollect.extraction.rules.clause_facts import facts_of, is_birthday, lead_length
from recollect.extraction.rules.news import is_news
from recollect.extraction.rules.note_weight import WeighedClause, begins_with_speaker, is_reported_speech, note_weight
from recollect.extraction.rules.parsed_message import DOUBTED, PLAIN, READ, ParsedMessage
from recollect.extraction.rules.rewrite import reporting, stand_alone
from recollect.extraction.rules.vocabulary import RELATIONS
from recollect.extraction.sentences import TextSpan, fine_clauses, fold, sentences, write_out
from recollect.extraction.sources import speaker_of
from recollect.extraction.speech_acts import (
    is_command,
    is_hedged,
    is_hyperbole,
    is_hypothetical,
    is_retraction,
    is_small_talk,
    statement_part,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text import terms
from recollect.text.sentence_ends import PICTURE
from recollect.types import Candidate, MemoryKind

# Weight from which a clause becomes a note: between people most sentences are about their lives (measured with
# benchmarks/formation_locomo.py), to an assistant most are about the work at hand.
MIN_WEIGHT_IN_TALK, MIN_WEIGHT_TO_ASSISTANT = 0.35, 0.45
# Characters of a clause that becomes a note: a longer one is a list or a paste.
MAX_CLAUSE_CHARACTERS = 600
# Characters of a sentence that continues a note.
_ASKED_FOR = "asked to remember: "
_MAX_FURTHER_CHARACTERS = 120
# The speaker turns to themselves after a comma: 'Fish is fine though, I still eat it'.
_TURNS_TO_SELF = LazyPattern(
    r"[,;]\s++(?:(?:so|and|but|because|since|as|now|then|also|plus)\s++)*(?=(?:i|i'm|i've|i'd|im|my)\b)", re.IGNORECASE
)
_IS = LazyPattern(r"(?<!\s)\s*+(?:is|was|'s)\s++")
# Words that only round off a sentence.
_TRAILING_WORDS = LazyPattern(
    rf"(?:(?<![\s,])[\s,]++(?:as\s++(?:you\s++know|i\s++said|always|mentioned)|you\s++know|lol|lmao|haha\w*|hehe\w*|jaja\w*|xd|btw|tbh|though|tho|pls|please|actually|fyi|"
    r"(?:just\s++)?so\s++you\s++know|for\s++(?:context|real|the\s++record)|trust\s++me|no\s++joke|believe\s++(?:it\s++or\s++not|me)|(?:so\s++)?don't\s++(?:ask|judge(?:\s++me)?|laugh|worry)|"
    r"can\s++you\s++believe\s++(?:it|that)|"
    rf"thanks|thank\s++you|before\s++you\s++(?:ask|suggest|say|start|recommend|plan|book|answer|continue)\b[^,.!?]{{0,80}}+|{PICTURE}+[\ufe0f\u200d]*)"
    r"|(?<!\s)\s*+[:;]-?[)(DPp]){0,4}(?<![\s.!…])(?P<mark>[\s.!…]*+)$",
    re.IGNORECASE,
)
# A request after a statement: 'he is vegan so make it 7', 'she is coeliac, so gluten-free would be good'.
_REQUEST_AFTER = LazyPattern(
    r"(?<![\s,])[\s,]++so\s++(?:(?:please|pls|can\s++you|could\s++you|maybe|just)\s++)*+"
    r"(?:(?:make|use|keep|give|find|suggest|recommend|plan|adjust|change|add|write|avoid|skip|leave|take|bear|factor|include|exclude|"
    r"explain|put|set|book|choose|pick|show|tell|let's)\s++(?!(?:me|us)\s++(?:sick|ill|feel)\b)\w"
    r"|(?:something|anything|nothing|[\w-]{1,30}+(?:\s++[\w-]{1,30}+){0,3}?)\s++would\s++be\s++(?:good|great|nice|best|better|perfect|helpful|ideal|lovely|awesome|appreciated))"
    r"[^.!?]{0,120}+[.!\s]*+$",
    re.IGNORECASE,
)
# 'Grandad passed away': relatives may have no determiner.
_BARE_KIN = LazyPattern(rf"(?:{RELATIONS})\b(?!'s)", re.IGNORECASE)
# With fewer words of its own, a dated sentence refers to the previous one.
_MIN_OWN_WORDS = 2
_CONTINUES_PERSON = LazyPattern(
    r"(?:he|she|his|her|they|their)(?:'s|'re)?\s++(?!(?:said|says|told|thinks?|asked)\b)\w+", re.IGNORECASE
)
# 'Needs low-salt meals.' after 'my grandad, he is 88' is about him.
_WITHOUT_SUBJECT = LazyPattern(
    r"(?:also\s++)?(?:needs|has|loves|hates|likes|can't|won't|eats|lives|works|speaks|weighs|takes|suffers|plays|goes|doesn't|isn't|is)\s++"
    r"(?!(?:it|this|that|there|anyone|the)\b)\w",
    re.IGNORECASE,
)
# 'We're doing a party that day' refers to an earlier day.
_THAT_DAY = LazyPattern(r"\b(?:on\s++)?(?:that|the\s++same)\s++day\b", re.IGNORECASE)
_PRONOUN = LazyPattern(r"\b(?:he|she|they)(?=\b|')", re.IGNORECASE)
_DAY_IS = LazyPattern(r"(?:it's\s++|it\s++is\s++)?(?P<what>my\s++[^,;.!?]{3,60}?)\s*+$", re.IGNORECASE)


def notes_of(reading: ParsedMessage, clause: TextSpan, *, stated: bool) -> list[Candidate]:
    """Make a note of a clause or, if it is not worth one, of its parts that are."""
    dated = [] if reading.between_people else _of_the_same_day(reading, clause)
    if dated:
        return dated
    note = note_of(reading, clause, stated=stated)
    if note or reading.between_people or not states_plainly(clause.text):
        return [note] if note else []
    parts = [part for part in fine_clauses(clause) if part.text != clause.text and states_plainly(part.text)]
    return [note for part in parts if (note := note_of(reading, part, stated=False))]


def _of_the_same_day(reading: ParsedMessage, clause: TextSpan) -> list[Candidate]:
    """Make two notes if a clause names a day and then refers to it by 'that day': either may change."""
    parts = fine_clauses(clause) if _THAT_DAY.search(clause.text) else []
    if len(parts) != 2 or _THAT_DAY.search(parts[0].text) or not all(states_plainly(part.text) for part in parts):
        return []
    days = reading.mentions_in(parts[0])
    first = note_of(reading, parts[0], stated=False)
    if len(days) != 1 or first is None:
        return []
    quote = reading.quote(parts[1])
    second_text = _written(reading, parts[1], write_out(fold(quote), reading.mentions_in(parts[1])))
    return [first, replace(first, text=_THAT_DAY.sub(days[0].phrase, second_text, count=1), quote=quote)]


def states_plainly(text: str) -> bool:
    """Return whether a clause is not supposed, exaggerated, ordered or reported."""
    body = text[lead_length(text) :]
    return not (is_hypothetical(text) or is_hyperbole(body) or is_command(body) or is_reported_speech(body))


def note_of(reading: ParsedMessage, clause: TextSpan, *, stated: bool) -> Candidate | None:
    """Make a note of a clause; None if it is not worth one.

    Args:
        reading: The message.
        clause: A part of it, others' words blanked.
        stated: A fact pattern matched it.
    """
    clause = _own_part(reading, clause) if not stated else clause
    lead = lead_length(clause.text)
    body = clause.text[lead:]
    if (
        len(body) > MAX_CLAUSE_CHARACTERS
        or is_hypothetical(clause.text)
        or (is_command(body) and not stated)
        or is_small_talk(body)
    ):
        return None
    if is_hyperbole(body):
        return None
    inside = [] if is_birthday(clause.text) else reading.mentions_in(clause)
    weighed = body if reading.between_people else _rounded_off(body)
    weight = note_weight(WeighedClause(weighed, bool(inside), reading.between_people, stated))
    if weight < (MIN_WEIGHT_IN_TALK if reading.between_people else MIN_WEIGHT_TO_ASSISTANT):
        return None
    quote = reading.quote(clause)
    written = write_out(fold(quote), inside)
    return Candidate(
        kind=MemoryKind.NOTE,
        text=_written(reading, clause, written[lead_length(written) :]),
        type=_type_of(inside, reading.message.said_at),
        importance=weight,
        confidence=DOUBTED if is_hedged(clause.text) else READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=event_time(inside, reading.message.said_at),
    )


def event_time(mentions: Sequence[DateMention], said_at: datetime) -> datetime:
    """Return when what a note tells began: the first day it names, if that is not ahead, else when it was said."""
    starts = [mention.start for mention in mentions if mention.start <= said_at and not mention.recurs]
    return min(starts, default=said_at).astimezone(said_at.tzinfo)


def _written(reading: ParsedMessage, clause: TextSpan, written: str) -> str:
    """Write a clause so that it needs no context; quotations of others stay unchanged."""
    if reading.quote(clause) != clause.text and '"' in written:
        return reporting(written, reading.speaker)
    if reading.between_people:
        return stand_alone(written, reading.speaker)
    own = f"my {written[0].lower()}{written[1:]}" if _BARE_KIN.match(written) else written
    request = _REQUEST_AFTER.search(own)
    own = own[: request.start()] if request else own
    own = name_pronoun(reading, clause, own)
    return stand_alone(_rounded_off(own), reading.speaker, frame=not is_news(own))


def _rounded_off(text: str) -> str:
    found = _TRAILING_WORDS.search(text)
    kept = text[: found.start()].rstrip() if found else text
    return f"{kept}{found['mark'].strip()}" if found and kept else text


def _own_part(reading: ParsedMessage, clause: TextSpan) -> TextSpan:
    """Drop the beginning of a clause if its speaker turns to themselves only later."""
    if reading.between_people or begins_with_speaker(clause.text[lead_length(clause.text) :]):
        return clause
    found = _TURNS_TO_SELF.search(clause.text)
    return TextSpan(clause.text[found.end() :], clause.start + found.end()) if found else clause


def continue_note(reading: ParsedMessage, note: Candidate, before: TextSpan, sentence: TextSpan) -> Candidate | None:
    """Continue a note with the next sentence if that refers to the same person or thing: 'Her name is Nala.'"""
    text = sentence.text
    between = reading.text[before.end : sentence.start]
    if (
        reading.between_people
        or len(text) > _MAX_FURTHER_CHARACTERS
        or between.strip()
        or not _says_further(reading, sentence)
    ):
        return None
    if is_hypothetical(text) or is_hyperbole(text) or not reading.quote(before).endswith(note.quote[-8:]):
        return None
    start = reading.text.rfind(note.quote, 0, before.end)
    if start < 0:
        return None
    further = write_out(fold(reading.quote(sentence)), reading.mentions_in(sentence))
    if _WITHOUT_SUBJECT.match(text):
        pronoun = _PRONOUN.search(note.text)
        if not pronoun:
            return None
        further = f"{pronoun[0].capitalize()} {statement_part(further) or further}"
    further = stand_alone(further, reading.speaker, frame=False)
    return replace(note, text=f"{note.text} {further}", quote=reading.text[start : sentence.end])


def _says_further(reading: ParsedMessage, sentence: TextSpan) -> bool:
    """Return whether a sentence depends on the previous one: 'Her name is Nala.', 'I start on Monday.'"""
    if _CONTINUES_PERSON.match(sentence.text) or _WITHOUT_SUBJECT.match(sentence.text):
        return True
    inside = reading.mentions_in(sentence)
    if not inside or not begins_with_speaker(sentence.text):
        return False
    undated = sentence.text
    for date in reversed(inside):
        undated = undated[: date.span[0]] + undated[date.span[1] :]
    return len(terms(undated)) < _MIN_OWN_WORDS


def note_of_day(reading: ParsedMessage, sentence: TextSpan) -> Candidate | None:
    """Read 'Today is my 30th birthday' as a note about that day; None for other sentences."""
    inside = reading.mentions_in(sentence)
    if len(inside) != 1 or sentence.text[: inside[0].span[0]].strip():
        return None
    day = inside[0]
    rest = _IS.match(sentence.text, day.span[1])
    found = _DAY_IS.match(_rounded_off(sentence.text[rest.end() :]).rstrip(" .!")) if rest else None
    if not rest or not found:
        return None
    occasion = found["what"][3:]
    verb = "was" if day.end <= reading.message.said_at else "is"
    return Candidate(
        kind=MemoryKind.NOTE,
        text=f"{reading.speaker.name}'s {occasion} {verb} {day.phrase}.",
        type="event",
        importance=0.6,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(sentence),
        valid_from=event_time([day], reading.message.said_at),
    )


FORGET_REQUEST_MARK = " wants forgotten: "
"""In the text of a request to forget: between the speaker and the topic."""


def read_forget_request(reading: ParsedMessage, sentence: TextSpan) -> Candidate | None:
    """Read a request to forget, or a statement that the other side's last sentence is not true (any longer)."""
    if reading.between_people:
        return None
    request = forget_request(sentence.text)
    topic = request.topic if request else ""
    # A retraction is unambiguous if the other side said only one sentence.
    if not request and is_retraction(sentence.text) and len(sentences(reading.previous_reply)) == 1:
        topic = " ".join(reading.previous_reply.split())[:MAX_CLAUSE_CHARACTERS]
    is_all = request is not None and request.scope is Scope.EVERYTHING
    seqs = _meant_messages(reading, sentence) if request and request.scope is Scope.BEFORE else ()
    if not topic and not is_all and not seqs:
        return None
    return _forgetting(reading, sentence, topic=topic, seqs=seqs, is_all=is_all)


def forget_previous(reading: ParsedMessage, sentence: TextSpan) -> tuple[Candidate, ...]:
    """Read 'jk' or 'sorry, wrong chat' as a request to forget the previous message."""
    if reading.between_people or not reading.previous_seq:
        return ()
    return (_forgetting(reading, sentence, topic="", seqs=(reading.previous_seq,), is_all=False),)


def _forgetting(
    reading: ParsedMessage, sentence: TextSpan, *, topic: str, seqs: tuple[int, ...], is_all: bool
) -> Candidate:
    # A topic that states a fact means its slot: 'I hate opera' is stored as a dislike.
    stated = next((fact for fact in facts_of(topic, ()) if not fact.key.startswith("rule:")), None)
    named = topic or ("everything" if is_all else "what was just said")
    return Candidate(
        kind=MemoryKind.NOTE,
        key=stated.key if stated else "",
        value=stated.value if stated else "",
        text=f"{reading.speaker.name}{FORGET_REQUEST_MARK}{named}",
        type="fact",
        importance=0.7,
        confidence=PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(sentence),
        valid_from=reading.message.said_at,
        ends=True,
        forgets=topic or reading.quote(sentence),
        forgets_seqs=seqs,
        forgets_all=is_all,
    )


def _meant_messages(reading: ParsedMessage, request: TextSpan) -> tuple[int, ...]:
    """Return the message that 'forget what I just said' means: this one if it states something, else the previous."""
    others = [piece for piece in sentences(reading.masked) if piece.start != request.start]
    if any(statement_part(piece.text) and not is_small_talk(piece.text) for piece in others):
        return (reading.message.seq,)
    return (reading.previous_seq,) if reading.previous_seq else ()


def is_asked_for(note: Candidate) -> bool:
    """Return whether a note is of what its speaker asked to remember."""
    return _ASKED_FOR in note.text


def note_on_request(reading: ParsedMessage, sentence: TextSpan, request: str) -> Candidate:
    """Make a note of what the speaker asks to remember, in their own words."""
    start = sentence.text.rindex(request)
    clause = TextSpan(request, sentence.start + start)
    written = write_out(fold(reading.quote(clause)), reading.mentions_in(clause)).rstrip(" .!")
    plain = written.replace('"', "'")
    return Candidate(
        kind=MemoryKind.NOTE,
        text=f'{reading.speaker.name} {_ASKED_FOR}"{plain}".',
        type="fact",
        importance=0.7,
        confidence=PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(clause),
        valid_from=reading.message.said_at,
    )


def corrected_note(reading: ParsedMessage, sentence: TextSpan, meant: str) -> Candidate:
    """Make a note of a correction that no rule reads as a statement."""
    written = (meant or fold(reading.quote(sentence))).strip(" .!")
    plain = written.replace('"', "'")
    return Candidate(
        kind=MemoryKind.NOTE,
        text=stand_alone(written, reading.speaker) if meant else f'{reading.speaker.name} said: "{plain}."',
        type="fact",
        importance=0.5,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(sentence),
        valid_from=reading.message.said_at,
    )


def _type_of(mentions: Sequence[DateMention], said_at: datetime) -> str:
    mentions = [mention for mention in mentions if not mention.recurs]
    if not mentions:
        return "fact"
    return "plan" if mentions[-1].start > said_at else "event"
