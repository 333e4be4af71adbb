"""What episodes cover of a conversation, and what waits to be summed up. Reads the store."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.extraction.sources import Exchange, exchanges
from recollect.store.store import Store
from recollect.types import ConversationId, EpisodeRange, LoggedMessage, MemoryState, Subject

# Messages of a conversation read at once.
_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageKey:
    """A conversation, and the subject whose memory its episodes are."""

    subject: Subject
    home: Subject
    conversation: ConversationId


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The active path as episodes divide it."""

    strays: tuple[EpisodeRange, ...]
    """Active episodes that an edit took off the path."""
    episodes: tuple[EpisodeRange, ...]
    """Active ones that are on it, by turn."""
    gap: tuple[Exchange, ...]
    """Turns that no episode covers though a later one does; only where something was taken away between."""
    gap_turn: int
    """Number of the first of them, counted from 1 along the path."""
    covered: int
    """`seq` of the last message that an episode covers; 0 where none does."""
    tail: tuple[Exchange, ...]
    """The turns after all episodes: the window."""
    tail_turn: int
    """Number of the first of them."""


async def read_coverage(store: Store, whose: CoverageKey, *, passed: int = 0, enough: int | None = None) -> Coverage:
    """Read how far episodes cover the active path of a conversation.

    An episode is valid if its last message is on the path, for then all before it are. In the usual case, in which
    episodes follow one another up to a message of the path, only the messages after them are read.

    Args:
        store: Holds messages and episodes.
        whose: Which conversation.
        passed: The cursor of the formation. Where it is on the path, all before it was summed up once, and what is not
            covered there any more was taken away on purpose: an erased episode does not come back.
        enough: Turns of the tail that need to be read; None reads them all.
    """
    spans = _newest(await store.conversations.episode_ranges(whose.subject, whose.conversation))
    last = spans[-1] if spans else None
    passed_seq = last.last_seq if last else 0
    tail = await _path(store, whose, passed_seq, enough)
    usual = _in_a_row(spans) and (not last or (tail and tail[0].parent_seq == passed_seq))
    if usual and not any(message.seq == passed for message in tail):
        return Coverage(
            strays=(),
            episodes=_active(spans),
            gap=(),
            gap_turn=0,
            covered=passed_seq,
            tail=tuple(exchanges(tail)),
            tail_turn=last.last_turn + 1 if last else 1,
        )
    return _divided(spans, await _path(store, whose, 0, None), passed)


def _newest(spans: Sequence[EpisodeRange]) -> list[EpisodeRange]:
    """Return one span of each stretch: of an episode that lost sentences, the one which took its place."""
    by_stretch: dict[tuple[int, int], EpisodeRange] = {}
    for span in spans:
        stretch = (span.first_seq, span.last_seq)
        if stretch not in by_stretch or span.state is MemoryState.ACTIVE:
            by_stretch[stretch] = span
    return list(by_stretch.values())


def _in_a_row(spans: Sequence[EpisodeRange]) -> bool:
    """Tell whether each span begins where the one before it ended."""
    ends = [0, *(span.last_turn for span in spans)]
    return all(span.first_turn == before + 1 for span, before in zip(spans, ends, strict=False))


async def _path(store: Store, whose: CoverageKey, after_seq: int, enough: int | None) -> list[LoggedMessage]:
    """Read the path after a message: all of it, or until so many turns are there."""
    found: list[LoggedMessage] = []
    while True:
        page = await store.conversations.active_path(whose.home, whose.conversation, after_seq=after_seq, limit=_PAGE)
        found += page
        if len(page) < _PAGE or (enough is not None and len(exchanges(found)) > enough):
            return found
        after_seq = page[-1].seq


def _divided(spans: Sequence[EpisodeRange], path: Sequence[LoggedMessage], passed: int) -> Coverage:
    """Divide a whole path by the spans on it."""
    on_path = {message.seq for message in path}
    standing = [span for span in spans if span.last_seq in on_path]
    passed = passed if passed in on_path else 0
    covered = max((span.last_seq for span in standing), default=0)
    covered = max(covered, passed)
    numbered = list(enumerate(exchanges(path), start=1))
    tail = [(number, turn) for number, turn in numbered if turn[0].seq > covered]
    gap = [
        (number, turn)
        for number, turn in numbered
        if passed < turn[0].seq < covered
        and not any(span.first_seq <= turn[0].seq <= span.last_seq for span in standing)
    ]
    # Of several gaps the first: the next formation finds the others.
    first_gap = [turn for place, (number, turn) in enumerate(gap) if number == gap[0][0] + place]
    return Coverage(
        strays=_active(span for span in spans if span.last_seq not in on_path),
        episodes=_active(standing),
        gap=tuple(first_gap),
        gap_turn=gap[0][0] if gap else 0,
        covered=covered,
        tail=tuple(turn for _, turn in tail),
        tail_turn=tail[0][0] if tail else len(numbered) + 1,
    )


def _active(spans: Iterable[EpisodeRange]) -> tuple[EpisodeRange, ...]:
    return tuple(span for span in spans if span.state is MemoryState.ACTIVE)
