"""The best that fit in a count and a token budget, nothing said twice. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.recall.rank import RankedRow
from recollect.text import STOP_WORDS, words
from recollect.types import MAX_MEMORY_CHARACTERS, Memory, OmittedMemory

Counting = Callable[[str], int]
"""Counts the tokens of a text."""

# Most of the budget, beside the frames, that standing facts may take; the rest is there for what bears on the question.
# A fixed share, so that the block of facts does not change with the question (prompt caches).
STANDING_SHARE = 0.75
# What the frame of a block, and a row's marks, speaker and date take beside its text, in tokens: counted over rendered
# blocks, of which there are two: one of standing facts, one of the rest. A frame is 65 to 75, as its boundary falls.
FRAME_TOKENS = 76
ROW_TOKENS = 16


class RankedMemory(NamedTuple):
    """A ranked row with its memory."""

    row: RankedRow
    memory: Memory


def pack(
    ranked: Sequence[RankedMemory], *, limit: int, budget_tokens: int | None, count_tokens: Counting
) -> tuple[list[RankedMemory], list[OmittedMemory]]:
    """Keep what fits, in order; what is too long for the room left is passed over, not cut off from.

    Standing facts do not count towards `limit` and take at most `STANDING_SHARE` of the budget.

    Args:
        ranked: Standing facts first, then best first.
        limit: Most to keep beside standing facts.
        budget_tokens: Room in the prompt; None is without bound.
        count_tokens: Counts a text as the prompt's model would.

    Returns:
        What is kept, in order, and what is not with the reason.
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
    """Reduce a text to what tells it from others: its words in order, without stop words (negations stay).

    >>> gist("I live in Oslo!") == gist("i live  in OSLO"), gist("I live in Oslo") == gist("I don't live in Oslo")
    (True, False)
    """
    found = words(text)
    return tuple([word for word in found if word not in STOP_WORDS]) or tuple(found) or (text,)


class _Room:
    """The tokens left, for standing facts and in all."""

    def __init__(self, budget: int, count: Counting) -> None:
        self._left = budget
        self._standing = FRAME_TOKENS + int((budget - 2 * FRAME_TOKENS) * STANDING_SHARE)
        self._framed: set[bool] = set()
        self._count = count

    def refuse(self, found: RankedMemory) -> str:
        """Take the tokens of a row, and of the block that it opens, and return an empty text; or say why not."""
        standing = found.row.standing
        tokens = self._count(found.memory.text[:MAX_MEMORY_CHARACTERS]) + ROW_TOKENS
        frame = 0 if standing in self._framed else FRAME_TOKENS
        left = (min(self._left, self._standing) if standing else self._left) - frame
        if tokens > left:
            return f"no room: takes {tokens} tokens, {max(0, left)} are left"
        self._framed.add(standing)
        self._left -= tokens + frame
        self._standing -= tokens + frame
        return ""
