"""Read JSON that leaves no doubt: what two readers may read differently is refused. Pure."""

import json
from typing import Any


class AmbiguousJsonError(ValueError):
    """JSON that two readers may read differently."""


def load_json(text: str | bytes) -> Any:
    """Read JSON that leaves no doubt: no name twice in an object, no NaN, no infinity.

    Raises:
        AmbiguousJsonError: It leaves doubt.
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_constant)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise AmbiguousJsonError("has a name twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise AmbiguousJsonError(f"has {name}, which is no number of JSON")
