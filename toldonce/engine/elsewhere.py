"""The newest turns of a user's other conversations: the part of their window that a request does not hold. Reads the
store."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from toldonce.extraction.sources import Exchange
from toldonce.formation.episode_coverage import CoverageKey, read_coverage
from toldonce.store.store import Store
from toldonce.types import Conversation, ConversationId, Subject

# Maximum number of a user's other conversations read for their window, last updated first.
MAX_CONVERSATIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Which turns of other conversations belong to a window."""

    home: Subject
    """Subject whose log they are in."""
    subject: Subject
    """Subject whose memory is formed from them."""
    profile: str
    """Profile of these conversations: words to another app or character stay there."""
    room: int
    """Maximum number of turns."""
    summarized: bool
    """Whether the profile sums up what leaves the window."""
    own: ConversationId | None = None
    """The conversation of the request, if it is recorded already."""
    own_name: str | None = None
    """The client's id of the request's conversation."""
    present: frozenset[int] = frozenset()
    """`Message.hash` of the request's messages: turns and conversations that it repeats are left out."""


async def turns_elsewhere(store: Store, wanted: Elsewhere) -> tuple[Exchange, ...]:
    """Read the newest turns of the user's other conversations, oldest first; episodes cover none of them."""
    if wanted.room <= 0:
        return ()
    found: list[Exchange] = []
    for other, cursor in await _others(store, wanted):
        if len(found) >= wanted.room and other.updated_at < said_at(found[-wanted.room]):
            break  # all that is left is older
        if not _is_read(other, wanted):
            continue
        whose = CoverageKey(subject=wanted.subject, home=wanted.home, conversation=other.id)
        coverage = await read_coverage(store, whose, cursor=cursor)
        turns = coverage.gap + coverage.tail
        if not _is_continued(turns, wanted.present):
            found += [turn for turn in turns[-wanted.room :] if not _is_held(turn, wanted.present)]
            found.sort(key=said_at)
    return tuple(found[-wanted.room :])


async def _others(store: Store, wanted: Elsewhere) -> list[tuple[Conversation, int | None]]:
    """List conversations with turns that no episode covers, last updated first, each with its cursor if it has one."""
    if not wanted.summarized:
        return [(found, None) for found in await store.conversations.list(wanted.home, limit=MAX_CONVERSATIONS)]
    listed = await store.conversations.unsummarized(
        wanted.subject, wanted.profile, limit=MAX_CONVERSATIONS, newest=True
    )
    return [(found.conversation, found.cursor) for found in listed]


def said_at(turn: Exchange) -> datetime:
    """Return when a turn began."""
    return turn[0].said_at


def _is_read(other: Conversation, wanted: Elsewhere) -> bool:
    is_own = other.id == wanted.own or (wanted.own_name is not None and other.external_id == wanted.own_name)
    return not is_own and not other.app and (other.profile or wanted.profile) == wanted.profile


def _is_continued(tail: Collection[Exchange], present: Collection[int]) -> bool:
    """Return whether the request continues a conversation: it contains an answer that was given there."""
    return any(message.role == "assistant" and message.hash in present for turn in tail for message in turn)


def _is_held(turn: Exchange, present: Collection[int]) -> bool:
    return any(message.role == "user" and message.hash in present for message in turn)
