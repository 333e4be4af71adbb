"""Bars for the parts of a score: what speaks for a memory to the right, what speaks against it to the left. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_NAMES = {
    "similarity": "meaning",
    "words": "words",
    "around": "messages around it",
    "speaker": "who said it",
    "question": "kind of question",
    "time": "time asked for",
    "importance": "importance",
    "confidence": "confidence",
    "recency": "recency",
    "kind": "kind of memory",
    "uses": "uses",
    "size": "many memories",
    "other": "profile",
}
_MIDDLE = 50.0
_MIN_SCALE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBar:
    """One part of a score, in a drawing 100 units wide with zero in the middle."""

    name: str
    value: float
    start: float
    width: float
    is_for: bool
    """It speaks for the memory."""


def score_bars(found: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the bars of each memory that was found, by its id, all in one scale; the longest comes first."""
    values = [abs(value) for item in found for value in item["parts"].values()]
    scale = max([_MIN_SCALE, *values])
    return {item["memory"]["id"]: [asdict(bar) for bar in _bars(item["parts"], scale)] for item in found}


def _bars(parts: Mapping[str, float], scale: float) -> list[ScoreBar]:
    bars = []
    for name, value in sorted(parts.items(), key=lambda part: -abs(part[1])):
        width = round(abs(value) / scale * _MIDDLE, 1)
        start = _MIDDLE if value > 0 else _MIDDLE - width
        bars.append(
            ScoreBar(name=_NAMES.get(name, name), value=value, start=round(start, 1), width=width, is_for=value > 0)
        )
    return bars
