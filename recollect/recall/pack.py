"""Keep the best memories that fit a limit and a token budget, without repetition. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.recall.rank import RankedRow
from recollect.text import STOP_WORDS, words
from recollect.types import MAX_MEMORY_CHARACTERS, Memory, OmittedMemory

Counting = Callable[[str], int]
"""Counts the tokens of a text."""

# Maximum share of the budget, without the frames, for standing facts. It is fixed so that the block of facts does not
# change with the question (prompt caches).
STANDING_SHARE = 0.75
# Tokens of a block's frame, and of a row's marks, speaker and date, as counted over rendered blocks. There are two
# blocks: standing facts, whose rows have marks only, and the rest. A frame takes 65 to 75 tokens, depending on its
# boundary.
FRAME_TOKENS = 76
ROW_TOKENS = 16
STANDING_ROW_TOKENS = 3


class RankedMemory(NamedTuple):
    """A ranked row with its memory."""

    row: RankedRow
    memory: Memory


def pack(
    ranked: Sequence[RankedMemory], *, limit: int, budget_tokens: int | None, count_tokens: Counting
) -> tuple[list[RankedMemory], list[OmittedMemory]]:
    """Keep what fits, in order; a memory that is too long for the room left is skipped, and the next one tried.

    Standing facts do not count towards `limit` and take at most `STANDING_SHARE` of the budget.

    Args:
        ranked: Standing facts first, then best first.
        limit: Maximum number to keep, standing facts not counted.
        budget_tokens: Room in the prompt; None is unbounded.
        count_tokens: Counts a text as the prompt's model would.

    Returns:
        The memories kept, in order, and those left out with reasons.
    """
    kept: list[RankedMemory] = []
    left: list[OmittedMemory] = []
    said: dict[tuple[str, ...], RankedMemory] = {}
    room = None if budget_tokens is None else _Room(budget_tokens, count_tokens)
    near = 0
    for found in ranked:
        if not found.row.standing and near >= limit:
            left.append(OmittedMemory(id=found.memory.id, reason=f"ranks below the {limit} asked for"))
            continue
        before = said.setdefault(gist(found.memory.text), found)
        if before is not found:
            left.append(OmittedMemory(id=found.memory.id, reason=f"says the same as {before.memory.id}"))
        elif room is not None and (why := room.refuse(found)):
            left.append(OmittedMemory(id=found.memory.id, reason=why))
        else:
            kept.append(found)
            near += not found.row.standing
    return kept, left


def gist(text: str) -> tuple[str, ...]:
    """Return the words of a text in order without stop words; negations stay. Texts with equal gists say the same.

    >>> gist("I live in Oslo!") == gist("i live  in OSLO"), gist("I live in Oslo") == gist("I don't live in Oslo")
    (True, False)
    """
    found = words(text)
    return tuple([word for word in found if word not in STOP_WORDS]) or tuple(found) or (text,)


class _Room:
    """Counts the tokens left, for standing facts and in total."""

    def __init__(self, budget: int, count: Counting) -> None:
        self._left = budget
        self._standing = FRAME_TOKENS + int((budget - 2 * FRAME_TOKENS) * STANDING_SHARE)
        self._framed: set[bool] = set()
        self._count = count

    def refuse(self, found: RankedMemory) -> str:
        """Take the tokens of a row and of the block it opens; returns why there is no room, or an empty text."""
        standing = found.row.standing
        marks = STANDING_ROW_TOKENS if standing else ROW_TOKENS
        tokens = self._count(found.memory.text[:MAX_MEMORY_CHARACTERS]) + marks
        frame = 0 if standing in self._framed else FRAME_TOKENS
        left = (min(self._left, self._standing) if standing else self._left) - frame
        if tokens > left:
            return f"no room: takes {tokens} tokens, {max(0, left)} are left"
        self._framed.add(standing)
        self._left -= tokens + frame
        self._standing -= tokens + frame
        return ""
