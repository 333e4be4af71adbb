"""Which turns become the next episode, and which numbers they have. Reads the store.

The turns of one conversation, or of all of a user's, form a chain: ordered by when they began, and numbered from 1. A
turn gets its number with its episode and keeps it: one that is recorded late, though said before others, gets the next
number. Where an erasure or an edit took an episode away, what is left of its turns fills its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from toldonce.clock import to_micros
from toldonce.extraction.sources import Exchange
from toldonce.formation.episode_coverage import Coverage, CoverageKey, read_coverage
from toldonce.profiles.policies import EpisodePolicy
from toldonce.store.store import Store
from toldonce.types import ConversationId, EpisodeRange, FormationKey, MemoryKind, SubjectSnapshot, SummarizedPart

Cursors = dict[ConversationId, int]
"""Up to which message of a conversation all is in episodes, or was."""
# Place of a conversation whose waiting turns are not read yet: until then, it is ordered by when its first message was
# said.
_UNREAD = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The turns that no episode covers."""

    turns: tuple[Exchange, ...]
    """The oldest, as many as make an episode due; of each conversation in the order of its path."""
    coverages: Mapping[ConversationId, Coverage]
    """Those of the conversations that were read."""
    cursors: Cursors
    """Their cursors as they are stored, and those of the others that were listed."""

    @property
    def strays(self) -> list[EpisodeRange]:
        """Episodes that an edit took off their path."""
        return list({span.id: span for read in self.coverages.values() for span in read.strays}.values())

    def has_gap(self, snapshot: SubjectSnapshot) -> bool:
        """Return whether turns wait that may have been in an episode: others that came after them are in one."""
        began = snapshot.valid_from[snapshot.kinds == MemoryKind.EPISODE.number]
        is_older = any(to_micros(turn[0].said_at) < began.max(initial=0) for turn in self.turns[:1])
        return is_older or any(read.gap for read in self.coverages.values())

    def moved(self, taken: Sequence[Exchange]) -> Cursors:
        """Return the cursors that move when these turns are summed up."""
        ends = {id_: read.cursor_after(len(_of(taken, id_))) for id_, read in self.coverages.items()}
        return {id_: end for id_, end in ends.items() if end != self.cursors[id_]}


@dataclass(frozen=True, slots=True, kw_only=True)
class DueEpisode:
    """What is summed up next."""

    turns: tuple[Exchange, ...]
    first_turn: int
    last_turn: int
    fills_place: bool = False
    """Others follow it in the chain."""


async def read_waiting(store: Store, key: FormationKey, *, of_user: bool, enough: int) -> Waiting:
    """Read the oldest turns that no episode covers: of a user, or of one conversation.

    Args:
        store: Holds messages, episodes and cursors.
        key: The formation. Its conversation alone is read, unless `of_user`.
        of_user: Whether the turns of all the user's conversations form one chain.
        enough: Number of turns to read; at most so many conversations are read for them.
    """
    listed = await store.conversations.unsummarized(key.subject, key.profile, limit=enough) if of_user else []
    cursors = {found.conversation.id: found.cursor for found in listed}
    heads = [(to_micros(found.began), found.conversation.id, _UNREAD) for found in listed]
    if key.conversation not in cursors:
        cursors[key.conversation] = await store.conversations.summarized_up_to(key)
        heads.append((0, key.conversation, _UNREAD))
    coverages = {key.conversation: await _read(store, key, key.conversation, cursors, enough)}
    turns: list[Exchange] = []
    heapify(heads)
    while heads and len(turns) < enough:
        _, id_, place = heappop(heads)
        if place != _UNREAD:
            turns.append(coverages[id_].waiting[place])
        elif id_ not in coverages:
            coverages[id_] = await _read(store, key, id_, cursors, enough)
        following = coverages[id_].waiting[place + 1 : place + 2]
        for turn in following:
            heappush(heads, (to_micros(turn[0].said_at), id_, place + 1))
    return Waiting(turns=tuple(turns), coverages=coverages, cursors=cursors)


async def _read(store: Store, key: FormationKey, id_: ConversationId, cursors: Cursors, enough: int) -> Coverage:
    whose = CoverageKey(subject=key.subject, home=key.home, conversation=id_)
    return await read_coverage(store, whose, cursor=cursors[id_], enough=enough)


async def next_episode(
    store: Store,
    key: FormationKey,
    waiting: Waiting,
    policy: EpisodePolicy,
    snapshot: SubjectSnapshot,
    *,
    of_user: bool,
) -> DueEpisode | None:
    """Choose the turns of the next episode, and number them; None if too few wait.

    They are those whose place in the chain is empty; else, of a full window, as many of the oldest as leave it with
    those that are kept, however many more wait.

    Args:
        store: Holds messages and episodes.
        key: The formation.
        waiting: What was read of it.
        policy: How many turns make a window.
        snapshot: The subject's active memories.
        of_user: As in `read_waiting`.
    """
    is_full = len(waiting.turns) >= policy.window
    if not policy.window or not (is_full or waiting.has_gap(snapshot)):
        return None
    limit = policy.window - policy.keep
    last: EpisodeRange | None = None
    if of_user and not waiting.has_gap(snapshot):
        last = await store.conversations.last_of_chain(key.subject, key.profile)
    else:
        chain = await _chain(store, key, of_user=of_user)
        end = 0
        for span in chain:
            if span.first_turn > end + 1 and (turns := _of_place(span, waiting)):
                return _filling(turns, end + 1, span.first_turn - 1, limit)
            end = max(end, span.last_turn)
        last = max(chain, key=lambda span: span.last_turn, default=None)
    if not is_full:
        return None
    oldest = waiting.turns[:limit]
    first = 1 if last is None else last.last_turn + 1 + await _taken_away(store, key, last, waiting, oldest[0])
    return DueEpisode(turns=oldest, first_turn=first, last_turn=first + len(oldest) - 1)


async def _chain(store: Store, key: FormationKey, *, of_user: bool) -> list[EpisodeRange]:
    if of_user:
        return await store.conversations.episode_chain(key.subject, key.profile)
    return await store.conversations.episode_ranges(key.subject, key.conversation)


def _of_place(follower: EpisodeRange, waiting: Waiting) -> list[Exchange]:
    """Return the waiting turns that come before an episode.

    In a conversation of the episode's those come before that are above its turns; in another, those that began no
    later. A turn of a conversation is never numbered before those above it.
    """
    found: list[Exchange] = []
    later: set[ConversationId] = set()
    for turn in waiting.turns:
        id_ = turn[0].conversation
        part = _part(follower, id_)
        is_before = turn[0].seq < part.first_seq if part else turn[0].said_at <= follower.began
        if is_before and id_ not in later:
            found.append(turn)
        else:
            later.add(id_)
    return found


def _filling(turns: Sequence[Exchange], first: int, last: int, limit: int) -> DueEpisode:
    """Put turns into an empty place of the chain; where fewer are left of it, they get all of its numbers."""
    taken = tuple(turns[: min(limit, last - first + 1)])
    return DueEpisode(
        turns=taken,
        first_turn=first,
        last_turn=last if len(taken) == len(turns) else min(last, first + len(taken) - 1),
        fills_place=True,
    )


async def _taken_away(
    store: Store, key: FormationKey, last: EpisodeRange, waiting: Waiting, following: Exchange
) -> int:
    """Count the turns after the last episode that had one which was erased: their numbers stay theirs."""
    id_ = following[0].conversation
    cursor = waiting.coverages[id_].cursor
    part = _part(last, id_)
    if part is None or part.last_seq >= cursor:
        return 0
    whose = CoverageKey(subject=key.subject, home=key.home, conversation=id_)
    return sum(turn[0].seq <= cursor for turn in (await read_coverage(store, whose)).tail)


def _part(span: EpisodeRange, conversation: ConversationId) -> SummarizedPart | None:
    return next((part for part in span.parts if part.conversation == conversation), None)


def _of(turns: Sequence[Exchange], conversation: ConversationId) -> list[Exchange]:
    return [turn for turn in turns if turn[0].conversation == conversation]
