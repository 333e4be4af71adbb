"""From messages to candidates by rule: facts clause by clause, notes sentence by sentence. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.chat.names import spoken_name
from recollect.dates import DateMention, resolve_dates
from recollect.form.dates import write_out
from recollect.form.rules.fact import Fact
from recollect.form.rules.facts import facts_of, is_birthday, lead_of
from recollect.form.rules.notes import Clause, note_weight
from recollect.form.rules.stand_alone import Speaker, stand_alone
from recollect.form.sentences import Piece, coarse_clauses, fine_clauses, fold, sentences
from recollect.form.sources import FormInput, readable, speaker_of, who
from recollect.form.tone import commands, hedges, jokes, small_talk, statement_part, supposes, without_quoted
from recollect.types import Candidate, LoggedMessage, MemoryKind

RULES_VERSION = "rules-1"
# Confidence of what was said plainly, of what was read out of running talk, and of what the speaker doubts.
PLAIN, READ, DOUBTED = 1.0, 0.8, 0.5
# Lightest clause that becomes a note: in a talk between people most sentences tell of their lives (measured with
# benchmarks/formation_locomo.py), to an assistant most are about the work at hand.
LEAST_IN_TALK, LEAST_TO_ASSISTANT = 0.35, 0.45
# Most candidates of one message: more is a pasted text.
MOST_CANDIDATES = 20
# Longest clause that becomes a note, in characters: what runs on longer is a list or a paste.
LONGEST_CLAUSE = 600
_REMEMBER = re.compile(
    r"(?:please\s+|also\s+|and\s+)*(?:remember|don't\s+forget|keep\s+in\s+mind|note|make\s+a\s+note|"
    r"save)(?:\s+this)?(?:\s*:|\s+that)\s+(?P<what>.{8,400})$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A message while it is read."""

    message: LoggedMessage
    text: str
    """Own words, scrubbed; quotes in evidence are cut from it."""
    mentions: Sequence[DateMention]
    speaker: Speaker
    talk: bool


def extract_by_rules(source: FormInput) -> list[Candidate]:
    """Extract what the messages say that lasts about who says it.

    Facts come from the `user` role alone. The assistant is read only where it speaks under a name, as in a
    recorded talk between people. Order is that of the messages.
    """
    found: list[Candidate] = []
    everybody = [*source.earlier, *source.messages]
    for message in source.messages:
        if message.role not in source.sources or (message.role != "user" and not spoken_name(message.name)):
            continue
        text = readable(message)
        reading = _Reading(
            message=message,
            text=text,
            mentions=resolve_dates(text, said_at=message.said_at, zone=source.time_zone),
            speaker=_speaker(message, everybody),
            talk=bool(spoken_name(message.name)),
        )
        found.extend(_of_message(reading))
    return found


def _speaker(message: LoggedMessage, everybody: Sequence[LoggedMessage]) -> Speaker:
    mine = spoken_name(message.name)
    others = {name for one in everybody if (name := spoken_name(one.name)) and name != mine}
    return Speaker(who(message), bool(mine), others.pop() if len(others) == 1 and mine else "")


def _of_message(reading: _Reading) -> list[Candidate]:
    found: list[Candidate] = []
    masked = without_quoted(fold(reading.text))
    last_joked = 0
    for sentence in sentences(masked):
        if jokes(sentence.text):
            del found[last_joked:]
            continue
        last_joked = len(found)
        found.extend(_of_sentence(reading, sentence))
    return _unique(found)[:MOST_CANDIDATES]


def _of_sentence(reading: _Reading, sentence: Piece) -> Iterator[Candidate]:
    stated = statement_part(sentence.text)
    if not stated or small_talk(stated):
        return
    asked = _REMEMBER.match(stated)
    sentence = Piece(stated, sentence.start)
    facts = [pair for clause in fine_clauses(sentence) for pair in _facts(reading, clause)]
    yield from (candidate for candidate, _ in facts)
    spans = [clause for candidate, clause in facts if candidate.category != "instruction"]
    ordered = [clause for candidate, clause in facts if candidate.category == "instruction"]
    if asked and not facts:
        yield _remembered(reading, sentence, asked["what"])
        return
    for clause in coarse_clauses(sentence):
        if any(_within(span, clause) for span in ordered):
            continue
        note = _note(reading, clause, stated=any(_within(span, clause) for span in spans))
        if note:
            yield note


def _within(span: Piece, clause: Piece) -> bool:
    return clause.start <= span.start < clause.end


def _facts(reading: _Reading, clause: Piece) -> Iterator[tuple[Candidate, Piece]]:
    if reading.message.role != "user" or supposes(clause.text):
        return
    inside = _inside(reading.mentions, clause)
    for fact in facts_of(clause.text, inside):
        if reading.talk and fact.key.startswith("rule:"):
            continue  # said to another person, not to the assistant
        said_at = reading.message.said_at
        when = min((one.start for one in inside), default=said_at) if fact.dated else said_at
        if when > said_at:
            continue  # moves next month: a plan, and no fact yet
        yield _candidate(reading, clause, fact, when, doubted=hedges(clause.text)), clause


def _candidate(reading: _Reading, clause: Piece, fact: Fact, when: datetime, *, doubted: bool) -> Candidate:
    possessive = fact.says.startswith("'s ")
    return Candidate(
        kind=MemoryKind.FACT,
        text=f"{reading.speaker.name}{'' if possessive else ' '}{fact.says}.",
        type="instruction"
        if fact.category == "instruction"
        else "preference"
        if fact.category == "preference"
        else "fact",
        category=fact.category,
        key=fact.key,
        value=fact.value,
        importance=fact.importance,
        confidence=DOUBTED if doubted else PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=_quote(reading, clause),
        valid_from=when,
        ends=fact.ends,
    )


def _quote(reading: _Reading, clause: Piece) -> str:
    return reading.text[clause.start : clause.end]


def _inside(mentions: Sequence[DateMention], clause: Piece) -> list[DateMention]:
    return [
        replace(one, span=(one.span[0] - clause.start, one.span[1] - clause.start))
        for one in mentions
        if clause.start <= one.span[0] and one.span[1] <= clause.end
    ]


def _note(reading: _Reading, clause: Piece, *, stated: bool) -> Candidate | None:
    lead = lead_of(clause.text)
    body = clause.text[lead:]
    if len(body) > LONGEST_CLAUSE or supposes(clause.text) or (commands(body) and not stated) or small_talk(body):
        return None
    inside = [] if is_birthday(clause.text) else _inside(reading.mentions, clause)
    weight = note_weight(Clause(body, bool(inside), reading.talk, stated))
    if weight < (LEAST_IN_TALK if reading.talk else LEAST_TO_ASSISTANT):
        return None
    quote = _quote(reading, clause)
    written = write_out(fold(quote), inside)
    starts = [one.start for one in inside if one.start <= reading.message.said_at]
    return Candidate(
        kind=MemoryKind.NOTE,
        text=stand_alone(written[lead_of(written) :], reading.speaker),
        type=_type_of(inside, reading.message.said_at),
        importance=weight,
        confidence=DOUBTED if hedges(clause.text) else READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=min(starts, default=reading.message.said_at),
    )


def _type_of(mentions: Sequence[DateMention], said_at: datetime) -> str:
    if not mentions:
        return "fact"
    return "plan" if mentions[-1].start > said_at else "event"


def _remembered(reading: _Reading, sentence: Piece, what: str) -> Candidate:
    start = sentence.text.rindex(what)
    clause = Piece(what, sentence.start + start)
    written = write_out(fold(_quote(reading, clause)), _inside(reading.mentions, clause)).rstrip(" .!")
    plain = written.replace('"', "'")
    return Candidate(
        kind=MemoryKind.NOTE,
        text=f'{reading.speaker.name} asked to remember: "{plain}".',
        type="fact",
        importance=0.7,
        confidence=PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=_quote(reading, clause),
        valid_from=reading.message.said_at,
    )


def _unique(found: Sequence[Candidate]) -> list[Candidate]:
    unique: dict[tuple[str, str, str, bool], Candidate] = {}
    for one in found:
        unique.setdefault((one.kind, one.key or one.text, one.value.casefold(), one.ends), one)
    return list(unique.values())
