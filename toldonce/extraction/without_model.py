"""What the rules extract in the form a profile asks for: statements, records or one paragraph. Pure.

`read_without_model` chooses by profile: most store statements,
`character` stores each message worth a record, and `app` one paragraph per conversation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toldonce.extraction.provenance import paragraph_detail, record_detail
from toldonce.extraction.rules import RULES_VERSION, RulesResult, read_by_rules
from toldonce.extraction.salience import (
    assess_salience,
    content_weight,
    importance_of,
    is_pleasantry,
    record_type,
    shorten,
)
from toldonce.extraction.schemas.notes import type_named
from toldonce.extraction.schemas.paragraph import USUAL_CHARACTERS
from toldonce.extraction.sources import ExtractionInput, read_message, readable, speaker_label, speaker_of
from toldonce.profiles.policies import FormPolicy, Profile
from toldonce.reading.heads import Head, judge_alone
from toldonce.reading.sentences import TextSpan, fold, sentences
from toldonce.text import asks, terms
from toldonce.types import Candidate, LoggedMessage, MemoryKind

_TASTES = frozenset({"preference", "instruction"})
# Probability from which a sentence tells a taste.
_TASTE_THRESHOLD = 0.5
# Record types that state an insight, not a fact.
_INSIGHTS = frozenset({"DISCOVERY", "INSIGHT", "ERROR_LESSON", "DECISION"})


def statements_version(form: FormPolicy) -> str:
    """Return the version of the rules, with the form of their output."""
    return RULES_VERSION if form.extractor == "memories" else f"{RULES_VERSION}.{form.extractor}"


def extract_statements(source: ExtractionInput, form: FormPolicy) -> list[Candidate]:
    """Extract statements of people about themselves: see `read_statements`."""
    return list(read_statements(source, form).candidates)


def read_statements(source: ExtractionInput, form: FormPolicy) -> RulesResult:
    """Read statements of people about themselves, in the form of a policy."""
    read = read_by_rules(source)
    return replace(read, candidates=_shaped(read.candidates, form))


def _shaped(candidates: Sequence[Candidate], form: FormPolicy) -> Sequence[Candidate]:
    if form.extractor == "facts":
        return [item for item in candidates if item.kind is MemoryKind.FACT or item.forgets]
    if form.extractor == "memories":
        return candidates
    notes = _sentences(candidates)
    return [replace(note, type=_type(note, form.types)) for note in notes] if form.extractor == "typed" else notes


def _sentences(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Write facts as notes: one for each sentence, as important as the most important thing that it states."""
    notes: dict[tuple[int, str, str], Candidate] = {}
    for item in candidates:
        note = replace(item, kind=MemoryKind.NOTE, category="", key="" if not item.forgets else item.key)
        known = notes.get((item.seq, item.text, item.forgets))
        if known is None or known.importance < note.importance:
            notes[item.seq, item.text, item.forgets] = note
    return list(notes.values())


def _type(candidate: Candidate, types: tuple[str, ...]) -> str:
    """Return a statement's type: a taste, an insight or a fact."""
    if candidate.type in _TASTES or judge_alone(candidate.quote).of(0, Head.PREFERENCE) >= _TASTE_THRESHOLD:
        return type_named("preference", types)
    record = record_type(candidate.quote)
    named = {name.casefold() for name in types}
    if record.casefold() in named:
        return type_named(record, types)
    return type_named("insight" if record in _INSIGHTS else "fact", types)


RECORDS_VERSION = "records-1"
# Characters of a record: of a longer document, only the beginning is stored.
MAX_CONTENT_CHARACTERS = 8_000


def extract_records(source: ExtractionInput, *, types: tuple[str, ...], replies_only: bool) -> list[Candidate]:
    """Keep each message worth a record, whole, with its speaker.

    Args:
        source: The messages.
        types: Types of the profile.
        replies_only: Read only the assistant's replies, rather than both sides of the recent turns.
    """
    records: list[Candidate] = []
    for message in source.messages:
        if message.role not in source.sources or (replies_only and message.role != "assistant"):
            continue
        read = read_message(message)
        content = read.quoted[:MAX_CONTENT_CHARACTERS].strip()
        worth = assess_salience(read.words[:MAX_CONTENT_CHARACTERS].strip())
        if not worth.keep:
            continue
        records.append(
            Candidate(
                kind=MemoryKind.NOTE,
                text=f"{speaker_label(message)} said: {content}",
                type=type_named(worth.type, types),
                importance=worth.importance / 10,
                speaker=speaker_of(message),
                seq=message.seq,
                quote=worth.lead,
                valid_from=message.said_at,
                detail=record_detail(message, source, summary=worth.summary),
            )
        )
    return records


PARAGRAPH_VERSION = "extract-1"
# Share of the room for a single sentence, so that a second one fits.
_MAX_SHARE = 0.6
# Sentences that are weighed: of a longer conversation, the newest.
_MAX_WEIGHED = 2_000


@dataclass(frozen=True, slots=True)
class _Sentence:
    message: LoggedMessage
    text: str
    place: int
    asks: bool
    """Such sentences are used only if there are no others."""


def extract_paragraph(source: ExtractionInput, *, max_sentences: int, characters: int = 0) -> list[Candidate]:
    """Summarize a conversation in its own sentences; nothing if there is only small talk.

    Each sentence follows its speaker's name, as it was said or cut short. Those of the user come first, and what was
    said twice is there once.
    """
    room = characters or USUAL_CHARACTERS
    spoken = _spoken(source)
    if not spoken:
        return []
    chosen = _chosen(spoken, max_sentences, room)
    first = chosen[0].message
    text = _written(chosen, room)
    return [
        Candidate(
            kind=MemoryKind.NOTE,
            text=text,
            type="event",
            importance=max(importance_of(sentence.text) for sentence in chosen) / 10,
            speaker=speaker_of(first),
            seq=first.seq,
            quote="",
            sums_up=tuple(dict.fromkeys(sentence.message.seq for sentence in chosen)),
            valid_from=source.messages[-1].said_at,
            detail=paragraph_detail(source),
        )
    ]


def _spoken(source: ExtractionInput) -> list[_Sentence]:
    found: list[_Sentence] = []
    for message in source.messages:
        if message.role not in source.sources:
            continue
        for piece in sentences(fold(readable(message))):
            if not is_pleasantry(piece.text):
                found.append(_Sentence(message, _one_line(piece), len(found), asks(piece.text)))
    stated = [sentence for sentence in found if not sentence.asks]
    newest = (stated or found)[-_MAX_WEIGHED:]
    once = {_letters(sentence.text): sentence for sentence in sorted(newest, key=_turn, reverse=True)}
    return sorted(once.values(), key=_turn)


def _turn(sentence: _Sentence) -> tuple[bool, int]:
    """Order sentences: the user's before the others', then as they were said."""
    return (sentence.message.role != "user", sentence.place)


def _letters(text: str) -> str:
    """Return what two sentences have in common that say the same: letters and digits, in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))


def _one_line(piece: TextSpan) -> str:
    return " ".join(piece.text.split())


def _chosen(spoken: list[_Sentence], max_sentences: int, room: int) -> list[_Sentence]:
    """Choose the most informative sentences that fit together, beginning with one of the user."""
    common = Counter(term for sentence in spoken for term in set(terms(sentence.text)))
    scored = sorted(spoken, key=lambda sentence: (-_weight(sentence, common), sentence.place))
    own = next((sentence for sentence in scored if sentence.message.role == "user"), scored[0])
    chosen: list[_Sentence] = []
    for sentence in (own, *(other for other in scored if other is not own)):
        longer = sorted([*chosen, sentence], key=_turn)
        if len(chosen) < 2 or len(_written(longer, room)) <= room:
            chosen = longer
        if len(chosen) == max_sentences:
            break
    return chosen


def _weight(sentence: _Sentence, common: Counter[str]) -> float:
    """Return the weight of a sentence: its information, and how often the conversation repeats its terms."""
    mine = set(terms(sentence.text))
    recurring = sum(min(common[term] - 1, 3) for term in mine) / max(len(mine), 1)
    return content_weight(sentence.text) + 0.2 * recurring


def _written(chosen: list[_Sentence], room: int) -> str:
    parts: list[str] = []
    speaker = ""
    for sentence in chosen:
        lead = f"{speaker_label(sentence.message)} said: "
        words = shorten(sentence.text, int(room * (_MAX_SHARE if len(chosen) == 1 else 1 / 2)) - len(lead) - 1)
        parts.append(words if lead == speaker else f"{lead}{words}")
        speaker = lead
    return " ".join(parts)


def read_without_model(source: ExtractionInput, profile: Profile) -> RulesResult:
    """Read messages by the rules, in the form that a profile asks for."""
    form = profile.form
    if form.extractor == "paragraph":
        longest = profile.capacity.max_characters
        return RulesResult(candidates=extract_paragraph(source, max_sentences=form.max_sentences, characters=longest))
    if form.without_model == "records":
        replies_only = profile.trigger.when == "every_turn"
        return RulesResult(candidates=extract_records(source, types=form.types, replies_only=replies_only))
    return read_statements(source, form)
