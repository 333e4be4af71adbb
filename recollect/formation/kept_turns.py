"""Keep what users said about themselves: the weight of a quotation that the learned gate keeps. Pure.

A kept message is no second memory: its own quotation counts for more, and is listed among what is known.
"""

from collections.abc import Sequence

import numpy as np

from recollect.extraction.rules.kept_sentences import kept_sentences
from recollect.extraction.rules.parsed_message import ParsedMessage, parse_messages
from recollect.extraction.rules.summary import are_safe_to_show
from recollect.extraction.sentences import sentences
from recollect.extraction.sources import ExtractionInput
from recollect.ids import id_text
from recollect.text import source_key
from recollect.types import (
    KEPT_IMPORTANCE,
    AddMemory,
    Candidate,
    Change,
    LoggedMessage,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    SubjectSnapshot,
)

# The most that a kept quotation is worth: less than what is known for sure.
_MAX_IMPORTANCE = 0.8
# Share of a sentence's letters that its facts may leave unquoted, such as an "and" between them.
MAX_UNQUOTED = 0.2


def kept_turns(
    source: ExtractionInput,
    hot: SubjectSnapshot,
    said: Sequence[LoggedMessage],
    candidates: Sequence[Candidate],
) -> list[StrengthenMemory]:
    """Return the new weights of the quotations whose messages are worth keeping.

    Args:
        source: The messages, of one conversation.
        hot: The subject's active memories, the quotations of these messages among them.
        said: The same messages whole, as they are quoted; one that is missing here is not kept.
        candidates: What was read of the messages; a message that only says what facts quote is not kept besides.
    """
    quoted = {
        message.seq: [item.quote for item in candidates if item.seq == message.seq] for message in source.messages
    }
    places: dict[int, int] = {}
    whole = {message.seq: message.text for message in said}
    turns = hot.kinds == MemoryKind.TURN.number
    owners = np.repeat(np.arange(len(hot)), np.diff(hot.source_start))
    for row in np.flatnonzero(turns[owners]):
        places[int(hot.source_key[row])] = int(owners[row])
    changes: list[StrengthenMemory] = []
    for reading in parse_messages(source):
        place = places.get(source_key(reading.message.conversation, reading.message.seq))
        text = whole.get(reading.message.seq)
        if place is None or text is None or not _is_mostly_own(reading, text):
            continue
        stated = quoted[reading.message.seq]
        kept = [
            each
            for each in kept_sentences(reading, sentences(reading.masked))
            if not _is_quoted(reading.quote(each.piece), stated)
        ]
        if not kept or not are_safe_to_show(reading.message):
            continue
        weight = KEPT_IMPORTANCE + (_MAX_IMPORTANCE - KEPT_IMPORTANCE) * max(each.probability for each in kept)
        changes.append(StrengthenMemory(id=MemoryId(id_text(hot.ids[place])), importance=round(weight, 2)))
    return changes


def _is_quoted(sentence: str, quotes: Sequence[str]) -> bool:
    """Return whether facts quote a sentence, all of it or clause by clause."""
    left = sentence
    for quote in sorted(quotes, key=len, reverse=True):
        left = "" if sentence in quote else left.replace(quote, " ")
    return _letters(left) <= MAX_UNQUOTED * _letters(sentence)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def without_held(said: Sequence[LoggedMessage], changes: Sequence[Change]) -> list[LoggedMessage]:
    """Return the messages of which nothing waits for review."""
    held = {
        source.seq
        for change in changes
        if isinstance(change, AddMemory) and change.memory.state is MemoryState.HELD
        for source in change.memory.evidence
    }
    return [message for message in said if message.seq not in held]


def _is_mostly_own(reading: ParsedMessage, whole: str) -> bool:
    """Return whether at least half of a message is its speaker's own; the quotation shows what others wrote as well."""
    own, all_of_it = (len("".join(text.split())) for text in (reading.masked, whole))
    return 2 * own >= all_of_it
