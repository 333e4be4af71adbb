"""What an item of an answer says of known memories and of earlier items: which it repeats, which it updates. Pure."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas.output_schema import MAX_SHOWN_MEMORY, Target
from toldonce.extraction.sources import ExtractionInput
from toldonce.types import Comparison, MemoryId


class ComparedItem(BaseModel):
    """An item with the numbers of known memories; what it updates may also be an earlier item."""

    model_config = ConfigDict(extra="ignore")

    repeats: Target = None
    updates: Target = None


@dataclass(frozen=True, slots=True)
class KnownTargets:
    """What an item names."""

    updates: MemoryId | None
    updates_item: int
    """Number of an earlier item of the answer; 0: none."""
    comparison: Comparison


def known_targets(item: ComparedItem, source: ExtractionInput) -> KnownTargets:
    """Return the memories that were shown with an item's numbers.

    An item with a wrong number is kept without a target: if it were dropped, the statement it corrects would remain the
    newest. It does not count as compared with anything then, nor if it lacks one of the numbers.
    """
    known = {number: memory.id for number, memory in enumerate(source.neighbours, start=1)}
    last = len(known) + source.items
    updates_item = item.updates if item.updates is not None and len(known) < item.updates <= last else 0
    named = [number for number in (None if updates_item else item.updates, item.repeats) if number is not None]
    unshown = any(number not in known for number in named)
    is_answered = {"repeats", "updates"} <= item.model_fields_set and not unshown
    # What is shown has its secrets blanked out, which may make it longer (`question.py`).
    whole = frozenset(memory.id for memory in source.neighbours if len(redact(memory.text)) <= MAX_SHOWN_MEMORY)
    return KnownTargets(
        updates=None if item.updates is None else known.get(item.updates),
        updates_item=updates_item,
        comparison=Comparison(
            seen=whole if is_answered else frozenset(),
            repeats=None if item.repeats is None else known.get(item.repeats),
            has_unshown_target=unshown,
        ),
    )
