"""What the rules make of messages in a profile's shape: statements, records or one paragraph. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.extraction.provenance import paragraph_detail, record_detail
from recollect.extraction.rules import RULES_VERSION, RulesReading, read_by_rules
from recollect.extraction.salience import assess_salience, information_weight, is_pleasantry, record_type, shorten
from recollect.extraction.schemas.notes import type_named
from recollect.extraction.schemas.paragraph import USUAL_CHARACTERS
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.sources import ExtractionInput, readable, speaker_label, speaker_of
from recollect.profiles.policies import FormPolicy, Profile
from recollect.text import bare, terms
from recollect.types import Candidate, LoggedMessage, MemoryKind

_TASTES = frozenset({"preference", "instruction"})
_LIKES = re.compile(
    r"\b(?:i|we)\s++(?:really\s++|also\s++|just\s++|absolutely\s++|always\s++)*(?:prefer|love|like|enjoy|hate|dislike|can't\s++stand|adore)"
    r"|\bmy\s++favou?rite\b",
    re.IGNORECASE,
)
# Records of these types tell what somebody made of something, not what is so.
_INSIGHTS = frozenset({"DISCOVERY", "INSIGHT", "ERROR_LESSON", "DECISION"})


def statements_version(form: FormPolicy) -> str:
    """Name the rules with the shape they are brought into."""
    return RULES_VERSION if form.extractor == "memories" else f"{RULES_VERSION}.{form.extractor}"


def extract_statements(source: ExtractionInput, form: FormPolicy) -> list[Candidate]:
    """Extract what people state about themselves: see `read_statements`."""
    return list(read_statements(source, form).candidates)


def read_statements(source: ExtractionInput, form: FormPolicy) -> RulesReading:
    """Read what people state about themselves, in the shape of a policy."""
    read = read_by_rules(source)
    return replace(read, candidates=_shaped(read.candidates, form))


def _shaped(found: Sequence[Candidate], form: FormPolicy) -> Sequence[Candidate]:
    if form.extractor == "facts":
        return [one for one in found if one.kind is MemoryKind.FACT or one.forgets]
    if form.extractor == "memories":
        return _without_repeats(found)
    told = _sentences(found)
    return [replace(one, type=_type(one, form.types)) for one in told] if form.extractor == "typed" else told


# Facts of these slots are statements in their own words: beside a note they would say the same twice, and outlive it.
_IN_OWN_WORDS = ("workflow:", "routine:", "commitment:")


def _without_repeats(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out facts in the user's own words where a note of the same words says the same."""
    notes = [(one.seq, one.quote) for one in found if one.kind is MemoryKind.NOTE]
    return [
        one
        for one in found
        if not (
            one.key.startswith(_IN_OWN_WORDS) and any(one.seq == seq and one.quote in quote for seq, quote in notes)
        )
    ]


def _sentences(found: Sequence[Candidate]) -> list[Candidate]:
    """Write facts as sentences; one that a sentence of the same words states already is left out.

    Of two facts read out of the very same words about the same thing the more important one is told.
    """
    found = [one for one in found if not any(_tells_more(other, one) for other in found)]
    notes = {(one.seq, one.quote) for one in found if one.kind is MemoryKind.NOTE}
    kept: list[Candidate] = []
    for one in found:
        if one.kind is MemoryKind.NOTE:
            kept.append(one)
        elif not any(seq == one.seq and one.quote in quote for seq, quote in notes):
            kept.append(replace(one, kind=MemoryKind.NOTE, category="", key="", value=""))
    return kept


def _tells_more(one: Candidate, other: Candidate) -> bool:
    """Whether a fact says with more weight what another says of the same words."""
    both = one.kind is other.kind is MemoryKind.FACT and (one.seq, one.quote) == (other.seq, other.quote)
    return both and one.importance > other.importance and bool(one.value) and bare(one.value) in bare(other.value)


def _type(candidate: Candidate, types: tuple[str, ...]) -> str:
    """Name a statement's class: a taste, what somebody made of something, or what is so."""
    taste = candidate.type in _TASTES or bool(_LIKES.search(candidate.quote))
    if taste:
        return type_named("preference", types)
    record = record_type(candidate.quote)
    named = {one.casefold() for one in types}
    if record.casefold() in named:
        return type_named(record, types)
    return type_named("insight" if record in _INSIGHTS else "fact", types)


RECORDS_VERSION = "records-1"
# Longest content of a record, in characters: what runs on longer is a document, and its beginning must do.
MAX_CONTENT_CHARACTERS = 8_000


def extract_records(source: ExtractionInput, *, types: tuple[str, ...], replies_only: bool) -> list[Candidate]:
    """Keep each message worth a record, whole, under the name of who said it.

    Args:
        source: The messages.
        types: The classes a record can have.
        replies_only: Read the assistant's replies alone, rather than both sides of the recent turns.
    """
    found: list[Candidate] = []
    for message in source.messages:
        if message.role not in source.sources or (replies_only and message.role != "assistant"):
            continue
        content = readable(message)[:MAX_CONTENT_CHARACTERS].strip()
        worth = assess_salience(content)
        if not worth.keep:
            continue
        found.append(
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
    return found


PARAGRAPH_VERSION = "extract-1"
# Two sentences at least, so none may take all the room.
_MAX_SHARE = 0.6
# Most sentences weighed: of a longer conversation the newest.
_MAX_WEIGHED = 2_000


@dataclass(frozen=True, slots=True)
class _Sentence:
    message: LoggedMessage
    text: str
    place: int
    asks: bool
    """It states nothing: taken only where nobody states anything."""


def extract_paragraph(source: ExtractionInput, *, max_sentences: int, characters: int = 0) -> list[Candidate]:
    """Sum a conversation up in its own sentences; nothing where there is only small talk.

    Each sentence stands there as it was said, cut short at most, behind the name of who said it.
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
            importance=max(assess_salience(one.text).importance for one in chosen) / 10,
            speaker=speaker_of(first),
            seq=first.seq,
            quote="",
            sums_up=tuple(dict.fromkeys(one.message.seq for one in chosen)),
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
                found.append(_Sentence(message, _one_line(piece), len(found), not information_weight(piece.text)))
    stated = [one for one in found if not one.asks]
    return (stated or found)[-_MAX_WEIGHED:]


def _one_line(piece: TextSpan) -> str:
    return " ".join(piece.text.split())


def _chosen(spoken: list[_Sentence], most: int, room: int) -> list[_Sentence]:
    """Choose the most telling sentences that fit together, in the order in which they were said."""
    common = Counter(term for one in spoken for term in set(terms(one.text)))
    scored = sorted(spoken, key=lambda one: (-_weight(one, common), one.place))
    chosen: list[_Sentence] = []
    for one in scored:
        longer = sorted([*chosen, one], key=lambda each: each.place)
        if len(chosen) < 2 or len(_written(longer, room)) <= room:
            chosen = longer
        if len(chosen) == most:
            break
    return chosen


def _weight(one: _Sentence, common: Counter[str]) -> float:
    """Weigh a sentence: what it tells, and how much of it the conversation comes back to."""
    mine = set(terms(one.text))
    recurring = sum(min(common[term] - 1, 3) for term in mine) / max(len(mine), 1)
    return information_weight(one.text) + 0.2 * recurring


def _written(chosen: list[_Sentence], room: int) -> str:
    parts: list[str] = []
    speaker = ""
    for one in chosen:
        lead = f"{speaker_label(one.message)} said: "
        said = shorten(one.text, int(room * (_MAX_SHARE if len(chosen) == 1 else 1 / 2)) - len(lead) - 1)
        parts.append(said if lead == speaker else f"{lead}{said}")
        speaker = lead
    return " ".join(parts)


def read_without_model(source: ExtractionInput, profile: Profile) -> RulesReading:
    """Read messages by the rules that a profile asks for."""
    form = profile.form
    if form.extractor == "paragraph":
        longest = profile.capacity.max_characters
        return RulesReading(candidates=extract_paragraph(source, max_sentences=form.max_sentences, characters=longest))
    if form.without_model == "records":
        replies_only = profile.trigger.when == "every_turn"
        return RulesReading(candidates=extract_records(source, types=form.types, replies_only=replies_only))
    return read_statements(source, form)
