"""Keep the best memories that fit a limit and a token budget, without repetition. Pure."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from toldonce.recall.rank import RankedRow
from toldonce.text import STOP_WORDS, words
from toldonce.text.normalize import typed
from toldonce.text.source_marks import words_said
from toldonce.types import MAX_MEMORY_CHARACTERS, Memory, MemoryId, OmittedMemory, SubjectSnapshot

Counting = Callable[[str], int]
"""Counts the tokens of a text."""

# Maximum share of the budget, without the frames, for standing facts. It is fixed so that the block of facts does not
# change with the question (prompt caches).
STANDING_SHARE = 0.75
# Tokens of a block's frame, and of a row's marks, speaker and date, as counted over rendered blocks. There are two
# blocks: standing facts and the rest. A frame takes 65 to 80 tokens with its headings. Rows of standing facts
# have marks only, unless the fact is in its speaker's words.
FRAME_TOKENS = 82
ROW_TOKENS = 16
STANDING_ROW_TOKENS = 3
_QUOTED_ROW = '- "" (the user, 30 September 2026)\n'
# Maximum tokens of a row of the profile block that is not about health: a longer one is shown where it bears on the
# query, not in every prompt. Over ten conversations of BEAM, where a sentence has 36 words on average, the block took
# 490 tokens of 800 without this limit.
MAX_STANDING_ROW_TOKENS = 48


class RankedMemory(NamedTuple):
    """A ranked row with its memory."""

    row: RankedRow
    memory: Memory
    passage: str = ""
    """See `RecalledMemory.passage`."""


# Gists that are kept of a subject: as many as its texts that are cached.
_MAX_GISTS = 1_000


class Gists:
    """What the memories of a subject say, in a few words each: see `gist`. Kept with a snapshot, as its texts are."""

    __slots__ = ("_known",)

    def __init__(self, snapshot: SubjectSnapshot | None = None) -> None:
        del snapshot
        self._known: dict[MemoryId, tuple[str, ...]] = {}

    def of(self, memory: Memory) -> tuple[str, ...]:
        """Return the gist of a memory, whose text does not change while the snapshot is kept."""
        known = self._known.get(memory.id)
        if known is None:
            if len(self._known) >= _MAX_GISTS:
                self._known.clear()
            known = self._known[memory.id] = gist(memory.text)
        return known


NO_SPARES: Mapping[bytes, RankedRow] = MappingProxyType({})


class Room:
    """Counts the tokens left: in the profile block of standing facts, and in total."""

    def __init__(self, budget: int, profile: int, count: Counting) -> None:
        """Create the room of a prompt.

        Args:
            budget: Tokens of all memories.
            profile: Tokens of the profile block; it never takes more than `STANDING_SHARE` of the budget.
            count: Counts a text as the prompt's model would.
        """
        self._left = budget
        self._standing = min(profile, FRAME_TOKENS + int((budget - 2 * FRAME_TOKENS) * STANDING_SHARE))
        self._framed: set[bool] = set()
        self._count = count

    def refuse(self, found: RankedMemory) -> str:
        """Take the tokens of a row and of the block it opens; returns why there is no room, or an empty text."""
        standing, critical = found.row.standing, found.memory.is_safety_critical
        said = words_said(found.memory.text)
        marks = ROW_TOKENS
        if standing:
            marks = STANDING_ROW_TOKENS if said is None else self._count(_QUOTED_ROW)
        tokens = self._count((said or found.passage or found.memory.text)[:MAX_MEMORY_CHARACTERS]) + marks
        frame = 0 if standing in self._framed else FRAME_TOKENS
        is_bounded = standing and not critical
        if is_bounded and tokens > MAX_STANDING_ROW_TOKENS:
            return f"no room in the profile block: takes {tokens} tokens, a row has at most {MAX_STANDING_ROW_TOKENS}"
        left = (min(self._left, self._standing) if is_bounded else self._left) - frame
        if tokens > left:
            where = " in the profile block" if is_bounded else ""
            return f"no room{where}: takes {tokens} tokens, {max(0, left)} are left"
        self._framed.add(standing)
        self._left -= tokens + frame
        if standing:
            self._standing -= tokens + frame
        return ""


def pack(
    ranked: Sequence[RankedMemory],
    *,
    limit: int,
    room: Room | None,
    spares: Mapping[bytes, RankedRow] = NO_SPARES,
    gists: Gists | None = None,
) -> tuple[list[RankedMemory], list[OmittedMemory]]:
    """Keep what fits, in order; a memory that is too long for the room left is skipped, and the next one tried.

    Standing facts do not count towards `limit`. If not all of them fit, which ones do does not depend on the query, so
    that the profile block stays the same: first those on health and other hard constraints, then the most important, of
    equal ones the newest.

    Args:
        ranked: Standing facts first, then best first.
        limit: Maximum number to keep, standing facts not counted.
        room: Room in the prompt; None is unbounded.
        spares: Standing facts that bear on the query, by id, as ordinary rows: without room in the profile block they
            take part as such.
        gists: The gists of these memories, as far as they are known.

    Returns:
        The memories kept, in order, and those left out with reasons.
    """
    packing = _Packing(room, gists or Gists())
    standing = [found for found in ranked if found.row.standing]
    near = [found for found in ranked if not found.row.standing] if standing else ranked
    waiting: list[RankedMemory] = []
    # Reversed, as the ids of equally important facts ascend with the time of their storing.
    for found in sorted(reversed(standing), key=_by_need):
        spare = spares.get(found.row.id)
        if not packing.take(found, report=spare is None) and spare is not None:
            waiting.append(found._replace(row=spare))
    taken = {found.row.id for found in packing.kept}
    facts = [found for found in standing if found.row.id in taken]
    packing.kept.clear()
    for found in _merge_spares(near, waiting):
        if len(packing.kept) >= limit:
            packing.left.append(OmittedMemory(id=found.memory.id, reason=f"ranks below the {limit} asked for"))
        else:
            packing.take(found)
    return facts + packing.kept, packing.left


class _Packing:
    """What is kept, and what is left out with reasons."""

    def __init__(self, room: Room | None, gists: Gists) -> None:
        self.kept: list[RankedMemory] = []
        self.left: list[OmittedMemory] = []
        self._said: dict[tuple[str, ...], MemoryId] = {}
        self._room = room
        self._gists = gists

    def take(self, found: RankedMemory, *, report: bool = True) -> bool:
        """Keep a memory if there is room and nothing says the same; `report` a missing room as the reason if not.

        A memory that is left out without a report may be offered again later.
        """
        said = self._gists.of(found.memory)
        before = self._said.get(said)
        if before is not None:
            self.left.append(OmittedMemory(id=found.memory.id, reason=f"says the same as {before}"))
            return True
        refused = self._room.refuse(found) if self._room is not None else ""
        if not refused:
            self.kept.append(found)
            self._said[said] = found.memory.id
        elif report:
            self.left.append(OmittedMemory(id=found.memory.id, reason=refused))
        return not refused


def gist(text: str) -> tuple[str, ...]:
    """Return the words of a text in order without stop words; negations stay. Texts with equal gists say the same.

    A text with other letters than ASCII keeps all: English stop words deny in some languages.

    >>> gist("I live in Oslo!") == gist("i live  in OSLO"), gist("I live in Oslo") == gist("I don't live in Oslo")
    (True, False)
    """
    found = words(text)
    telling = [word for word in found if word not in STOP_WORDS] if typed(text).isascii() else found
    return tuple(telling) or tuple(found) or (text,)


def _by_need(found: RankedMemory) -> tuple[bool, float]:
    """Sort key: critical facts first, then the most important."""
    return (not found.memory.is_safety_critical, -found.memory.importance)


def _merge_spares(near: Sequence[RankedMemory], spares: Sequence[RankedMemory]) -> list[RankedMemory]:
    """Insert spares, each before the first memory with less evidence; the others keep their order."""
    merged = list(near)
    for spare in sorted(spares, key=lambda found: found.row.evidence):
        at = next((at for at, found in enumerate(merged) if found.row.evidence < spare.row.evidence), len(merged))
        merged.insert(at, spare)
    return merged
