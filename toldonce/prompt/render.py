"""Render recalled memories as blocks that their contents cannot close or forge. Pure.

A block's boundary carries a keyed hash of its content: the same content gives the same bytes (prompt caches), and a
matching boundary cannot be written without the key. This holds for every template.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from hashlib import blake2b

from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import ContextPolicy
from toldonce.prompt.escape import TAG, escape_quotation, strip_tags
from toldonce.prompt.repeats import without_repeats
from toldonce.prompt.rows import RowFormat, value_of
from toldonce.prompt.sentences import grouped, place_of
from toldonce.prompt.template import Template, TemplateBlock, filled, template
from toldonce.types import Memory, MemoryKind, OmittedMemory, Recall, RecalledMemory

# Twelve hexadecimal digits: 48 bits of a keyed hash cannot be guessed, and more would waste tokens.
_ID_BYTES = 6
_BLOCK_ID = LazyPattern(rf'<{TAG} id="([0-9a-f]{{{2 * _ID_BYTES}}})">')
GAP = "\n\n"
# The tags of a frame, and what a quotation must not close or open.
_FRAME_TAG = LazyPattern(r"</?([^\W\d][\w:.-]{0,40})")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """What blocks are rendered with, besides their memories."""

    policy: ContextPolicy
    key: bytes
    """Secret of this installation, at most 64 bytes."""
    zone: tzinfo
    """The reader's time zone: it determines the day on which something was said."""
    now: datetime
    app: str = ""
    """Name of the app whose memory it is."""

    @property
    def template(self) -> Template:
        """The template of the policy, with the policy's own frame and row if it has them."""
        shipped = template(self.policy.template)
        if not self.own:
            return shipped
        blocks = tuple(block.model_copy(update=self.own) for block in shipped.blocks)
        return shipped.model_copy(update={"blocks": blocks})

    @property
    def own(self) -> dict[str, object]:
        """Fields of the template that the policy replaces."""
        policy = self.policy
        given = {"head": policy.prefix, "foot": policy.suffix, "row": policy.row}
        own: dict[str, object] = {name: text for name, text in given.items() if text is not None}
        return own | {"rows": {}} if policy.row is not None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedContext:
    """The text that goes into a request."""

    standing: str = ""
    """Blocks that stay the same bytes from turn to turn until a fact changes; empty without any."""
    recalled: str = ""
    """Blocks of what was recalled for this turn; empty without any."""
    items: tuple[RecalledMemory, ...] = ()
    """The memories in them, in the order of the recall."""
    recent: int = 0
    """Number of messages of other conversations in them."""
    added: tuple[Memory, ...] = ()
    """Standing facts that they state because the conversation's profile block lacks them."""
    withdrawn: tuple[Memory, ...] = ()
    """Facts that they declare no longer true."""

    @property
    def boundary(self) -> str:
        """The ids of the blocks, joined by `+`; empty without any."""
        return "+".join(block_ids(self.standing) + block_ids(self.recalled))

    @property
    def text(self) -> str:
        """Both parts together."""
        return GAP.join(part for part in (self.standing, self.recalled) if part)


def render(recall: Recall, frame: RenderOptions) -> RenderedContext:
    """Render the blocks of a recall.

    Returns:
        Blocks without a line break at either end. Standing blocks contain neither scores nor dates; rows of the others
        contain days at most.
    """
    parts: dict[str, list[str]] = {"standing": [], "recalled": []}
    shown: set[int] = set()
    for block in frame.template.blocks:
        taken = [(place, item) for place, item in enumerate(recall.items) if _takes(block, item)]
        if taken:
            shown.update(place for place, _ in taken)
            if block.order == "nearest":
                taken.sort(key=lambda placed: -placed[1].similarity)
            parts[block.part].append(_written(block, [item.shown for _, item in taken], frame))
    return RenderedContext(
        standing=GAP.join(parts["standing"]),
        recalled=GAP.join(parts["recalled"]),
        items=tuple(item for place, item in enumerate(recall.items) if place in shown),
    )


def block_ids(text: str) -> list[str]:
    """Return the ids of the memory blocks in a text, in order.

    >>> block_ids('<toldonce-memory id="0123456789ab">')
    ['0123456789ab']
    """
    return _BLOCK_ID.findall(text)


def _takes(block: TemplateBlock, item: RecalledMemory) -> bool:
    return item.memory.kind in block.kinds and block.standing in (None, item.standing)


def _written(block: TemplateBlock, memories: Sequence[Memory], frame: RenderOptions) -> str:
    ordered = sorted(memories, key=_SORTS[block.order]) if block.order in _SORTS else memories
    reading = RowFormat(frame.zone, frame.now, block.longest, block.importance)
    rows = [_row(block, memory, reading) for memory in ordered]
    if block.order == "headings":
        rows = grouped(zip(map(place_of, ordered), rows, strict=True))
    if block.numbered:
        rows = [f"{number}. {row}" for number, row in enumerate(rows, start=1)]
    head, foot = (filled(source, lambda _: escape_quotation(frame.app)) for source in (block.head, block.foot))
    # A policy's own frame may contain the tags already.
    opened = f"<{block.tag}>" if block.tag and f"<{block.tag}>" not in head else ""
    closed = f"</{block.tag}>" if block.tag and f"</{block.tag}>" not in foot else ""
    content = "\n".join(part for part in (head, opened, *rows, closed, foot) if part)
    return enclose(strip_tags(content) if frame.own else content, frame.key)


def enclose(content: str, key: bytes) -> str:
    """Put safe lines between the tags of a block, whose id is a hash of them keyed with `key`."""
    boundary = blake2b(content.encode(), key=key, digest_size=_ID_BYTES).hexdigest()
    return f'<{TAG} id="{boundary}">\n{content}\n</{TAG} id="{boundary}">'


def _row(block: TemplateBlock, memory: Memory, reading: RowFormat) -> str:
    frame_tag = _tags_of(block.tag, block.head, block.foot)

    def value(name: str) -> str:
        words = value_of(name, memory, reading)
        return frame_tag.sub("‹", words) if frame_tag else words

    return filled(_row_source(block.row, block.rows, memory), value)


@lru_cache(maxsize=64)
def _tags_of(tag: str, head: str, foot: str) -> re.Pattern[str] | None:
    """Return what finds the brackets of a frame's own tags in a quotation; None if it has none."""
    names = {name for name in (tag, *_FRAME_TAG.findall(head), *_FRAME_TAG.findall(foot)) if name}
    listed = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"[<＜﹤](?=[\s/]{{0,9}}(?:{listed})\b)", re.IGNORECASE) if names else None


def _row_source(row: str, rows: Mapping[MemoryKind, str], memory: Memory) -> str:
    if memory.kind is MemoryKind.FACT and not (memory.key and memory.value):
        return row
    return rows.get(memory.kind, row)


def _weight(memory: Memory) -> tuple[float, str, str, str]:
    return (-memory.importance, memory.category, memory.key, memory.id)


def _said(memory: Memory) -> tuple[datetime, int, str]:
    return (memory.valid_from, memory.detail.first_turn, memory.id)


_SORTS = {"importance": _weight, "turns": _said}


Counting = Callable[[str], int]
"""Counts the tokens of a text."""

NO_ROOM = "no room in the prompt"
# Number of memories after one that is too long that are tried for the room left.
_MAX_TRIED_AFTER = 8


def fit(recall: Recall, frame: RenderOptions, *, tokens: int, count: Counting) -> tuple[Recall, RenderedContext]:
    """Render the blocks, and leave out memories from the end until they fit.

    A memory that is too long for the room left is skipped, and the next ones are tried. Standing facts on health and
    other hard constraints are left out last. A note or quotation that says nothing beyond a fact that is shown is left
    out.

    Args:
        recall: The memories: standing facts first, then best first.
        frame: Template and policy. The policy's `max_characters` limits the text, `max_memory_characters` the memories
            in it without their frames.
        tokens: Maximum number of tokens of all blocks together.
        count: Counts a text as the prompt's model would.

    Returns:
        The recall with the memories that fit, the others among `left_out`; and the blocks.
    """
    once, facts = without_repeats(recall)
    fitted, rendered = _fit_tokens(once, frame, tokens, count)
    shown = {item.memory.id for item in fitted.items}
    if facts <= shown:
        return fitted, rendered
    # What repeats a fact that has no room stays itself.
    once, _ = without_repeats(recall, facts & shown)
    return _fit_tokens(once, frame, tokens, count)


def _fit_tokens(recall: Recall, frame: RenderOptions, tokens: int, count: Counting) -> tuple[Recall, RenderedContext]:
    def written(items: Sequence[RecalledMemory]) -> RenderedContext | None:
        rendered = render(replace(recall, items=tuple(items)), frame)
        policy, characters = frame.policy, sum(len(item.shown.text) for item in rendered.items)
        if policy.max_characters and len(rendered.text) > policy.max_characters:
            return None
        if policy.max_memory_characters and characters > policy.max_memory_characters:
            return None
        return rendered if count(rendered.standing) + count(rendered.recalled) <= tokens else None

    rendered = written(recall.items)
    if rendered is None:
        items = sorted(recall.items, key=lambda item: not (item.standing and item.memory.is_safety_critical))
        most = bisect_right(range(1, len(items) + 1), False, key=lambda size: written(items[:size]) is None)
        kept = list(items[:most])
        for item in items[most + 1 : most + 1 + _MAX_TRIED_AFTER]:
            if written([*kept, item]) is not None:
                kept.append(item)
        fitting = {item.memory.id for item in kept}
        rendered = written([item for item in recall.items if item.memory.id in fitting]) or RenderedContext()
    shown = {item.memory.id for item in rendered.items}
    left = [OmittedMemory(id=item.memory.id, reason=NO_ROOM) for item in recall.items if item.memory.id not in shown]
    return replace(recall, items=rendered.items, left_out=recall.left_out + tuple(left)), rendered


# A name, not an address: nothing can be fetched from it.
_URI = "toldonce://context"


def context_block(text: str) -> Mapping[str, object]:
    """Return a context as a content block of the Model Context Protocol: an embedded resource for the model.

    >>> context_block("Ana plays the cello.")["annotations"]
    {'audience': ['assistant']}
    """
    return {
        "type": "resource",
        "resource": {"uri": _URI, "mimeType": "text/plain", "text": text},
        "annotations": {"audience": ["assistant"]},
    }
