"""Write as much of a recall as has room in a prompt. Pure."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.prompt.render import RenderedContext, RenderOptions, render
from recollect.types import OmittedMemory, Recall, RecalledMemory

Counting = Callable[[str], int]
"""Counts the tokens of a text."""

NO_ROOM = "no room in the prompt"
# How many memories behind one that is too long are tried for the room that is left.
_TRIED_BEHIND = 8


def fit(recall: Recall, frame: RenderOptions, *, tokens: int, count: Counting) -> tuple[Recall, RenderedContext]:
    """Write the blocks, and leave out from the end what would make them longer than they may be.

    A memory that is too long for the room left is passed over, not cut off from.

    Args:
        recall: What was recalled, what matters most first.
        frame: Template and policy, whose `max_characters` bounds the text as well, and `max_memory_characters` the
            memories in it without what frames them.
        tokens: Most tokens of all blocks together.
        count: Counts a text as the prompt's model would.

    Returns:
        The recall of what is written, with the rest among what was left out; and the blocks.
    """

    def written(items: Sequence[RecalledMemory]) -> RenderedContext | None:
        rendered = render(replace(recall, items=tuple(items)), frame)
        policy, told = frame.policy, sum(len(item.memory.text) for item in rendered.items)
        if policy.max_characters and len(rendered.text) > policy.max_characters:
            return None
        if policy.max_memory_characters and told > policy.max_memory_characters:
            return None
        return rendered if count(rendered.standing) + count(rendered.recalled) <= tokens else None

    rendered = written(recall.items)
    if rendered is None:
        items = recall.items
        most = bisect_right(range(1, len(items) + 1), False, key=lambda size: written(items[:size]) is None)
        kept = list(items[:most])
        for item in items[most + 1 : most + 1 + _TRIED_BEHIND]:
            if written([*kept, item]) is not None:
                kept.append(item)
        rendered = written(kept) or RenderedContext()
    shown = {item.memory.id for item in rendered.items}
    left = [OmittedMemory(id=item.memory.id, reason=NO_ROOM) for item in recall.items if item.memory.id not in shown]
    return replace(recall, items=rendered.items, left_out=recall.left_out + tuple(left)), rendered
