"""What a model is asked for, and how its answer is read: the parts of one shape. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recollect.extraction.sources import ExtractionInput
from recollect.types import Candidate


def listed(data: object) -> list[object] | None:
    """Take the items out of an answer that lists memories; None where it lists none.

    A bare list is taken, and one item without its list.

    >>> listed({"memories": [1]}), listed([1]), listed({"text": "x", "quote": "y"}), listed({"a": "b"})
    ([1], [1], [{'text': 'x', 'quote': 'y'}], None)
    """
    if isinstance(data, dict):
        if "memories" not in data and data.keys() & {"text", "content", "value"} and len(data) > 1:
            return [data]
        data = data.get("memories")
    return data if isinstance(data, list) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """One way to write down what is remembered."""

    version: str
    """Names the way of asking: a new one forms anew."""
    system: str
    """The rules of the question."""
    schema: Mapping[str, Any]
    read: Callable[[object, ExtractionInput], Candidate]
    """Reads one item.

    Raises:
        ValidationError: the item is not of this shape.
        UnusableError: it is, and cannot be used.
    """
    user: str = "messages.user.txt"
    """Prompt file of the question itself."""
    items: Callable[[object], list[object] | None] = listed
    """Takes the items out of an answer; None where there are none to be found."""
    missing: str = "the answer holds no list of memories"
    """What is said of an answer without items."""
    whole: bool = False
    """Whether all that was said since the last time is read at once."""
