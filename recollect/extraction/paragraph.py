"""A paragraph on a conversation without a model: its most telling sentences, and who said them. Pure."""

from collections import Counter
from dataclasses import dataclass

from recollect.extraction.salience import assess_salience, informative, is_pleasantry, short
from recollect.extraction.scene import paragraph_detail
from recollect.extraction.schemas.paragraph import USUAL_CHARACTERS
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.sources import ExtractionInput, readable, speaker_of, who
from recollect.text import terms
from recollect.types import Candidate, LoggedMessage, MemoryKind

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
                found.append(_Sentence(message, _one_line(piece), len(found), not informative(piece.text)))
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
    return informative(one.text) + 0.2 * recurring


def _written(chosen: list[_Sentence], room: int) -> str:
    parts: list[str] = []
    speaker = ""
    for one in chosen:
        lead = f"{who(one.message)} said: "
        said = short(one.text, int(room * (_MAX_SHARE if len(chosen) == 1 else 1 / 2)) - len(lead) - 1)
        parts.append(said if lead == speaker else f"{lead}{said}")
        speaker = lead
    return " ".join(parts)
