"""Where a memory comes from: its source's address, who talked with whom, and the names it is listed under. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from recollect.dates.mention import written
from recollect.extraction.circumstance import circumstance
from recollect.extraction.sources import ExtractionInput, speaker_of
from recollect.text import squeeze
from recollect.types import CIRCUMSTANCE, LoggedMessage, MemoryDetail, message_address

SYSTEM_CHARACTER, USER_CHARACTER, INTERACTION = "systemCharacter", "userCharacter", "interaction"
"""Names of a conversation's options, as the profiles' interfaces spell them."""


def source_uri(message: LoggedMessage) -> str:
    """Write the address of a message: `recollect://CONVERSATION/SEQ`."""
    return message_address(message.conversation, message.seq)


def speakers(messages: Iterable[LoggedMessage]) -> list[str]:
    """List who speaks, in the order of their first words."""
    return list(dict.fromkeys(speaker_of(message) for message in messages if message.role in ("user", "assistant")))


def source_context(message: LoggedMessage, source: ExtractionInput) -> str:
    """Say who talked with whom, and when: 'Marcus and Kira, 20 November 2026'."""
    day = message.said_at.astimezone(source.time_zone).date()
    names = " and ".join(speakers((*source.earlier, *source.messages))).replace(CIRCUMSTANCE.strip(), ",")
    return f"{names}, {written(day)}"


def pair_tag(knower: str, other: str) -> str:
    """Name a pair of characters, the one who knows first: what one observed is not the other's memory.

    >>> pair_tag("Kira", "Marcus")
    'pair:kira+marcus'
    """
    return f"pair:{character(knower)}+{character(other)}"


def character(name: str) -> str:
    """Fold a character's name as subjects and tags spell it."""
    return squeeze(name).casefold().replace("+", " ")


def with_characters(messages: Iterable[LoggedMessage], options: Mapping[str, Any]) -> list[LoggedMessage]:
    """Give messages without a name those of the characters that their conversation was opened with."""
    called = {"assistant": options.get(SYSTEM_CHARACTER), "user": options.get(USER_CHARACTER)}
    return [
        replace(one, name=name) if not one.name and isinstance(name := called.get(one.role), str) else one
        for one in messages
    ]


def tags_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names under which what a conversation leaves is listed: its pair of characters, if it has one."""
    knower, other = options.get(SYSTEM_CHARACTER), options.get(USER_CHARACTER)
    return (pair_tag(knower, other),) if isinstance(knower, str) and isinstance(other, str) else ()


def record_detail(message: LoggedMessage, source: ExtractionInput, *, summary: str) -> MemoryDetail:
    """Describe where a record comes from: its message, who talked, and what was said just before."""
    context, said = source_context(message, source), circumstance(message, source)
    return MemoryDetail(
        summary=summary,
        source_uri=source_uri(message),
        source_context=f"{context}{CIRCUMSTANCE}{said.text}" if said else context,
        context_source=source_uri(said.message) if said else "",
        tags=source.tags,
    )


def paragraph_detail(source: ExtractionInput, tags: tuple[str, ...] = ()) -> MemoryDetail:
    """Describe where a paragraph comes from: the conversation up to its last message."""
    last = source.messages[-1]
    return MemoryDetail(
        source_uri=source_uri(last),
        source_context=source_context(last, source),
        tags=tuple(dict.fromkeys((*source.tags, *tags))),
    )
