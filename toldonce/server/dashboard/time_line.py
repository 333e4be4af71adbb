"""A drawn time line of one memory: when it was true, when it was known, what happened, and now. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

# Shares of the width, in percent: room left of the first instant and right of the last one.
_FIRST, _LAST = 2.0, 96.0
_MIN_BAR = 0.8
_MIN_SPAN = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBar:
    """A span on a row, in percent of the width."""

    start: float
    width: float
    is_open: bool
    """It goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRow:
    """A row of the drawing: a sentence, and either a bar or dots under it."""

    label: str
    bar: TimeBar | None = None
    dots: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLine:
    """The rows, and where now is."""

    rows: tuple[TimeRow, ...]
    now: float
    first: str
    """Day at the left end."""
    label: str
    """All of it in words, for those who cannot see it."""


def time_line(memory: Mapping[str, Any], recalled_at: str | None, now: datetime) -> TimeLine:
    """Draw a memory's time line.

    Args:
        memory: The memory as the API describes it.
        recalled_at: When a prompt last had it; None: never.
        now: The right end, unless something is later.
    """
    begun, ended = _read(memory["valid_from"]), _read(memory["valid_to"])
    known, closed = _read(memory["known_from"]), _read(memory["closed_at"])
    said = sorted(at for source in memory["evidence"] if (at := _read(source["said_at"])))
    used = _read(recalled_at)
    instants = [at for at in (begun, ended, known, closed, used, now, *said) if at is not None]
    scale = _Scale(min(instants), max(instants))
    was_never = begun is not None and begun == ended
    rows = [
        TimeRow(
            label=_true_label(memory, was_never=was_never), bar=None if was_never else scale.bar(begun, ended, now)
        ),
        TimeRow(label=_known_label(memory), bar=scale.bar(known, closed, now)),
    ]
    if said:
        rows.append(TimeRow(label=_said_label(said), dots=tuple(scale.at(at) for at in said)))
    if used:
        rows.append(TimeRow(label=f"Last recalled on {used:%Y-%m-%d}", dots=(scale.at(used),)))
    words = ". ".join(row.label for row in rows)
    return TimeLine(
        rows=tuple(rows), now=scale.at(now), first=f"{scale.first:%Y-%m-%d}", label=f"{words}. Now: {now:%Y-%m-%d}."
    )


class _Scale:
    """Where an instant is, in percent of the width."""

    def __init__(self, first: datetime, last: datetime) -> None:
        self.first = first
        self._span = max(last - first, _MIN_SPAN)

    def at(self, instant: datetime) -> float:
        return round(_FIRST + (instant - self.first) / self._span * (_LAST - _FIRST), 2)

    def bar(self, start: datetime | None, end: datetime | None, now: datetime) -> TimeBar | None:
        if start is None:
            return None
        right = self.at(end or max(now, start))
        left = max(min(self.at(start), right - _MIN_BAR), 0)
        return TimeBar(start=round(left, 2), width=round(right - left, 2), is_open=end is None)


def _true_label(memory: Mapping[str, Any], *, was_never: bool) -> str:
    if was_never:
        return "Never true: it was wrong"
    begun, ended = memory["valid_from"][:10], memory["valid_to"]
    return f"True from {begun} until {ended[:10]}" if ended else f"True since {begun}"


def _known_label(memory: Mapping[str, Any]) -> str:
    known, closed = memory["known_from"][:10], memory["closed_at"]
    return f"Known from {known} until {closed[:10]}" if closed else f"Known since {known}"


def _said_label(said: Sequence[datetime]) -> str:
    if len(said) == 1:
        return f"Said on {said[0]:%Y-%m-%d}"
    return f"Said {len(said)} times, last on {said[-1]:%Y-%m-%d}"


def _read(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
