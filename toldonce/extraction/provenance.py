"""Where a memory comes from: its message, who talked with whom, and what was said just before. Pure.

A record carries, for example, the context 'Marcus and Kira, 20 November 2026' and 'Marcus asked: Why did you leave?'.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toldonce.dates.mention import written
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.extraction.review_gate import planted_order
from toldonce.extraction.salience import content_weight, is_pleasantry, shorten
from toldonce.extraction.sources import ExtractionInput, readable, speaker_label, speaker_of
from toldonce.reading.sentences import TextSpan, fold, sentences
from toldonce.text import asks, squeeze
from toldonce.time_zones import day_of
from toldonce.types import CIRCUMSTANCE, LoggedMessage, MemoryDetail, message_address

# Characters that a context quotes: a row of a prompt has room for one sentence.
MAX_QUOTED = 120
# Earlier messages that are searched: the previous one, or one before some small talk.
MAX_BEFORE = 4
# Last sentences of such a message that are read; they lead to the reply.
_MAX_SENTENCES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """What another speaker said just before a message."""

    text: str
    """Speaker and words: 'Marcus asked: Why did you leave?'"""
    message: LoggedMessage
    """The message that is quoted."""


def find_circumstance(message: LoggedMessage, source: ExtractionInput) -> Circumstance | None:
    """Find what another speaker said just before a message; None if it was small talk or a request to forget.

    Args:
        message: A record's own message.
        source: The messages around it.
    """
    spoken = [earlier for earlier in (*source.earlier, *source.messages) if earlier.role in ("user", "assistant")]
    before = [earlier for earlier in spoken if earlier.seq < message.seq][-MAX_BEFORE:]
    for earlier in reversed(before):
        if speaker_of(earlier) == speaker_of(message):
            continue
        words = readable(earlier)
        if asks_to_forget(words):
            return None
        sentence = _telling(words, earlier.role)
        if sentence is not None:
            verb = "asked" if asks(sentence) else "said"
            return Circumstance(
                text=f"{speaker_label(earlier)} {verb}: {shorten(sentence, MAX_QUOTED)}", message=earlier
            )
    return None


def _telling(words: str, role: str) -> str | None:
    """Return the last question, else the most informative sentence; None for small talk."""
    pieces = [piece for piece in sentences(fold(words))[-_MAX_SENTENCES:] if not is_pleasantry(piece.text)]
    pieces = [piece for piece in pieces if planted_order(piece.text, role) is None]
    questions = [piece for piece in pieces if asks(piece.text)]
    chosen = questions[-1] if questions else max(pieces, key=_weight, default=None)
    return " ".join(chosen.text.split()) if chosen else None


def _weight(piece: TextSpan) -> tuple[float, int]:
    """Rank a sentence by its words; of two equal ones the later wins."""
    return content_weight(piece.text), piece.start


SYSTEM_CHARACTER, USER_CHARACTER, INTERACTION = "systemCharacter", "userCharacter", "interaction"
"""Names of a conversation's options, as the interfaces of the profiles spell them."""


def source_uri(message: LoggedMessage) -> str:
    """Write the address of a message: `toldonce://CONVERSATION/SEQ`."""
    return message_address(message.conversation, message.seq)


def speakers(messages: Iterable[LoggedMessage]) -> list[str]:
    """List the speakers in the order of their first messages."""
    return list(dict.fromkeys(speaker_of(message) for message in messages if message.role in ("user", "assistant")))


def source_context(message: LoggedMessage, source: ExtractionInput) -> str:
    """Write who talked with whom, and when: 'Marcus and Kira, 20 November 2026'."""
    day = day_of(message.said_at, source.time_zone)
    names = " and ".join(speakers((*source.earlier, *source.messages))).replace(CIRCUMSTANCE.strip(), ",")
    return f"{names}, {written(day)}"


def pair_tag(knower: str, other: str) -> str:
    """Name a pair of characters, the owner of the memory first: what one observed is not the other's memory.

    >>> pair_tag("Kira", "Marcus")
    'pair:kira+marcus'
    """
    return f"pair:{character(knower)}+{character(other)}"


def character(name: str) -> str:
    """Normalize a character's name as subjects and tags spell it."""
    return squeeze(name).casefold().replace("+", " ")


def with_characters(messages: Iterable[LoggedMessage], options: Mapping[str, Any]) -> list[LoggedMessage]:
    """Name the speakers of unnamed messages after the characters of their conversation."""
    names = {"assistant": options.get(SYSTEM_CHARACTER), "user": options.get(USER_CHARACTER)}
    return [
        replace(message, name=name)
        if not message.name and isinstance(name := names.get(message.role), str)
        else message
        for message in messages
    ]


def kept_as(name: str, names: Mapping[str, str]) -> str:
    """Return the name under which a character's memories are kept.

    >>> kept_as("Nova", {"nova": "kira"}), kept_as("Marcus", {"nova": "kira"})
    ('kira', 'marcus')
    """
    spelled = character(name)
    return names.get(spelled, spelled)


def tags_of(options: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tags of a conversation's records: its pair of characters, if it has one.

    Args:
        options: Options of the conversation.
        names: Further names of the characters, each with the one under which its memories are kept.
    """
    knower, other = options.get(SYSTEM_CHARACTER), options.get(USER_CHARACTER)
    if not (isinstance(knower, str) and isinstance(other, str)):
        return ()
    return (pair_tag(kept_as(knower, names), kept_as(other, names)),)


def record_detail(message: LoggedMessage, source: ExtractionInput, *, summary: str) -> MemoryDetail:
    """Describe the origin of a record: its message, who talked, and what was said just before."""
    context, circumstance = source_context(message, source), find_circumstance(message, source)
    return MemoryDetail(
        summary=summary,
        source_uri=source_uri(message),
        source_context=f"{context}{CIRCUMSTANCE}{circumstance.text}" if circumstance else context,
        context_source=source_uri(circumstance.message) if circumstance else "",
        tags=source.tags,
    )


def paragraph_detail(source: ExtractionInput, tags: tuple[str, ...] = ()) -> MemoryDetail:
    """Describe the origin of a paragraph: the conversation up to its last message."""
    last = source.messages[-1]
    return MemoryDetail(
        source_uri=source_uri(last),
        source_context=source_context(last, source),
        tags=tuple(dict.fromkeys((*source.tags, *tags))),
    )
