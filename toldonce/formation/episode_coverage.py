"""What episodes cover of a conversation, and what waits to be summed up. Reads the store."""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.sources import Exchange, exchanges
from toldonce.store.store import Store
from toldonce.types import ConversationId, EpisodeRange, LoggedMessage, MemoryState, Subject

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

    cursor: int
    """All of the path up to this message is in episodes, or was and was taken away on purpose."""
    end: int
    """The last message that was read of the path."""
    tail: tuple[Exchange, ...]
    """The turns after all episodes: the window."""
    gap: tuple[Exchange, ...] = ()
    """Turns that no episode covers though a later one does, where an erasure or an edit took one away: of several
    stretches the first."""
    strays: tuple[EpisodeRange, ...] = ()
    """Active episodes that an edit took off the path."""

    @property
    def waiting(self) -> tuple[Exchange, ...]:
        """The turns to be summed up next: those in the gap first."""
        return self.gap or self.tail

    def cursor_after(self, turns: int) -> int:
        """Return the cursor when so many of the waiting turns are summed up."""
        left = self.waiting[turns:]
        if left:
            return left[0][0].parent_seq
        return self.gap[-1][-1].seq if self.gap else self.end


async def read_coverage(
    store: Store, whose: CoverageKey, *, cursor: int | None = None, enough: int | None = None
) -> Coverage:
    """Read how far episodes cover the active path of a conversation.

    In the usual case, in which all of the path up to the cursor is covered and nothing after it, only the messages
    after it are read. Else the whole path is divided by the episodes on it. An episode is on it if its last message is,
    for then all before it are.

    Args:
        store: Holds messages and episodes.
        whose: Which conversation.
        cursor: That of the formation: what is before it and not covered was taken away on purpose, as an erased
            episode does not come back. None: the end of the last episode.
        enough: Turns of the tail that need to be read; None reads them all.
    """
    spans = None
    if cursor is None:
        spans = await _spans(store, whose)
        cursor = spans[-1].last_seq if spans else 0
    tail = await _path(store, whose, cursor, enough)
    follows = not tail or tail[0].parent_seq == cursor
    if follows and (spans is not None or not await _may_be_covered(store, whose, tail)):
        return Coverage(cursor=cursor, end=tail[-1].seq if tail else cursor, tail=tuple(exchanges(tail)))
    return _divided(await _spans(store, whose) if spans is None else spans, await _path(store, whose, 0, None), cursor)


async def _may_be_covered(store: Store, whose: CoverageKey, tail: Sequence[LoggedMessage]) -> bool:
    """Return whether episodes may cover messages of a tail; on erased ones nothing rests, though they are covered."""
    return any(message.erased for message in tail) or (
        bool(tail)
        and await store.conversations.is_covered_after(
            whose.subject, whose.home, whose.conversation, tail[0].parent_seq
        )
    )


async def _spans(store: Store, whose: CoverageKey) -> list[EpisodeRange]:
    """Read one span of each stretch: of an episode that lost sentences, the one which took its place."""
    by_stretch: dict[tuple[int, int], EpisodeRange] = {}
    for span in await store.conversations.episode_ranges(whose.subject, whose.conversation):
        stretch = (span.first_seq, span.last_seq)
        if stretch not in by_stretch or span.state is MemoryState.ACTIVE:
            by_stretch[stretch] = span
    return sorted(by_stretch.values(), key=lambda span: span.last_seq)


async def _path(store: Store, whose: CoverageKey, after_seq: int, enough: int | None) -> list[LoggedMessage]:
    """Read the path after a message: all of it, or until so many turns are there."""
    found: list[LoggedMessage] = []
    while True:
        page = await store.conversations.active_path(whose.home, whose.conversation, after_seq=after_seq, limit=_PAGE)
        found += page
        if len(page) < _PAGE or (enough is not None and len(exchanges(found)) > enough):
            return found
        after_seq = page[-1].seq


def _divided(spans: Sequence[EpisodeRange], path: Sequence[LoggedMessage], cursor: int) -> Coverage:
    """Divide a whole path by the spans on it."""
    on_path = {message.seq for message in path}
    standing = [span for span in spans if span.last_seq in on_path]
    strays = tuple(span for span in spans if span.last_seq not in on_path and span.state is MemoryState.ACTIVE)
    # What a stray covered is open again, as far as it is still on the path.
    before = min((span.first_seq - 1 for span in strays), default=cursor)
    passed = max((seq for seq in on_path if seq <= min(cursor, before)), default=0)
    covered = max((span.last_seq for span in standing), default=0)
    gap: list[Exchange] = []
    tail: list[Exchange] = []
    for turn in exchanges(path):
        seq = turn[0].seq
        is_covered = any(span.first_seq <= seq <= span.last_seq for span in standing)
        if seq > max(covered, passed):
            tail.append(turn)
        elif seq > passed and not is_covered and (not gap or turn[0].parent_seq == gap[-1][-1].seq):
            gap.append(turn)
    return Coverage(cursor=passed, end=path[-1].seq if path else 0, tail=tuple(tail), gap=tuple(gap), strays=strays)
