"""Plots of counts over time: what `GET /v1/statistics` answers, as rows of numbers to draw and to list. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from toldonce.server.dashboard.filters import kind_name

# Days for which spending is kept.
_SPENDING_DAYS = 30
_TOKENS = "Tokens newly put into prompts. Earlier insertions, which are repeated word for word, are not counted again."
_PREFIX = (
    "A provider's cache serves the beginning of a prompt that it has seen before: the nearer to 100 %, the less the "
    "prompts cost."
)
Raw = Mapping[str, Any]
_PURPOSES = {
    "create": "forming memories",
    "compact": "choosing what to evict",
    "judge": "comparing memories",
    "episode": "summarizing",
    "turn": "chat turns",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSeries:
    """One row of numbers."""

    name: str
    values: Sequence[float | None]
    """One for each span of the plot; None: nothing was measured then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Numbers over time."""

    id: str
    title: str
    text: str
    """What the numbers mean."""
    begins: Sequence[str]
    """Begin of each span, in the order of time."""
    seconds: int
    """Length of a span."""
    series: Sequence[PlotSeries]
    """Only those that are not zero everywhere; empty: there is nothing to draw."""
    is_share: bool = False
    """Whether the numbers are shares of 1, drawn as a line; else they are counts, drawn as stacked bars."""


def plots_of(statistics: Raw) -> list[dict[str, Any]]:
    """Return all plots, as plain data."""
    buckets, seconds = statistics["buckets"], 3600 if statistics["bucket"] == "hour" else 86400
    begins = [bucket["begins"] for bucket in buckets]

    def counts(id_: str, title: str, text: str, series: Sequence[PlotSeries]) -> Plot:
        return Plot(id=id_, title=title, text=text, begins=begins, seconds=seconds, series=_not_zero(series))

    kept = [_kept_share(bucket) for bucket in buckets]
    plots = [
        counts("stored", "Memories stored", "By kind. Erased ones are not counted.", _stored(buckets)),
        counts("decisions", "Decisions", "What was done with what was said, by action.", _named(buckets, "decisions")),
        counts("prompts", "Prompts with memory", "Turns recorded with memory.", [_numbers(buckets, "prompts")]),
        counts("tokens", "Tokens of memory in prompts", _TOKENS, [_numbers(buckets, "tokens")]),
        Plot(
            id="prefix",
            title="Prompts whose beginning was kept",
            text=_PREFIX,
            begins=begins,
            seconds=seconds,
            series=[] if set(kept) == {None} else [PlotSeries(name="kept", values=kept)],
            is_share=True,
        ),
    ]
    return [asdict(each) for each in (*plots, *_spending(statistics))]


def _spending(statistics: Raw) -> list[Plot]:
    """Return the plots of model calls, tokens and energy, by day and purpose."""
    begins = _days(statistics)
    cells = {(line["day"][:10], line["purpose"]): line for line in statistics["spending"]}
    purposes = sorted({purpose for _, purpose in cells})

    def series(number: str) -> list[PlotSeries]:
        return _not_zero(
            [
                PlotSeries(
                    name=_PURPOSES.get(purpose, purpose),
                    values=[cells.get((day[:10], purpose), {}).get(number, 0) for day in begins],
                )
                for purpose in purposes
            ]
        )

    what = {
        "calls": ("Model calls", "By purpose; days older than 30 are not kept."),
        "tokens": ("Tokens spent", "What models read and wrote, by purpose."),
        "units": ("Energy spent", "Units of the budget, by purpose."),
    }
    return [
        Plot(id=f"spent-{number}", title=title, text=text, begins=begins, seconds=86400, series=series(number))
        for number, (title, text) in what.items()
    ]


def _days(statistics: Raw) -> list[str]:
    ends = datetime.fromisoformat(statistics["ends"])
    last = (ends - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    begins = datetime.fromisoformat(statistics["begins"])
    days = [last - timedelta(days=age) for age in range(_SPENDING_DAYS)]
    return [day.isoformat() for day in reversed(days) if day + timedelta(days=1) > begins]


def _named(buckets: Sequence[Raw], name: str) -> list[PlotSeries]:
    keys = sorted({key for bucket in buckets for key in bucket[name]})
    return [PlotSeries(name=key, values=[bucket[name].get(key, 0) for bucket in buckets]) for key in keys]


def _stored(buckets: Sequence[Raw]) -> list[PlotSeries]:
    return [replace(each, name=kind_name(each.name)) for each in _named(buckets, "stored")]


def _numbers(buckets: Sequence[Raw], name: str) -> PlotSeries:
    return PlotSeries(name=name, values=[bucket[name] for bucket in buckets])


def _kept_share(bucket: Raw) -> float | None:
    compared = bucket["kept_prefixes"] + bucket["broken_prefixes"]
    return bucket["kept_prefixes"] / compared if compared else None


def _not_zero(series: Sequence[PlotSeries]) -> list[PlotSeries]:
    return [each for each in series if any(each.values)]
