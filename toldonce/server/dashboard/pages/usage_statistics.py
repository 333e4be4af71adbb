"""Counts over time of the whole server or tenant, and of one subject: plots, tables, and what memory work may cost.

What `GET /v1/statistics` answers becomes rows of numbers to draw and to list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from toldonce.server.dashboard.filters import kind_name
from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute
from toldonce.time_zones import read_zone

_RANGES = {"1": "a day", "7": "a week", "30": "30 days", "90": "90 days", "365": "a year"}
_USUAL_RANGE = "30"
_MAX_DAYS_OF_HOURS = 16  # the API counts at most 400 spans
_AGES = (1, 7, 30, 90, 365, None)


async def _of_all(request: PageRequest) -> HtmlPage:
    """Show the statistics of all subjects."""
    tenant = request.chosen("tenant")
    data, query = _asked(request)
    found = await request.rest.get("statistics", tenant=tenant, **query)
    data |= {"subject": None, "energy": None, "tenant": tenant or "", "may_choose_tenant": request.is_operator}
    return _page(found, data)


async def _of_subject(request: PageRequest) -> HtmlPage:
    """Show the statistics of one subject, and the budget of its memory work."""
    data, query = _asked(request)
    found = await request.rest.get("subjects", request.subject, "statistics", **query)
    energy = await request.rest.get("subjects", request.subject, "energy")
    data |= {"subject": request.subject, "energy": energy, "tenant": "", "may_choose_tenant": False}
    return _page(found, data)


def _asked(request: PageRequest) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the reader chose, and the query of the API for it."""
    days = request.query.get("range", _USUAL_RANGE)
    days = days if days in _RANGES else _USUAL_RANGE
    wants_hours = days == "1" or request.query.get("by") == "hour"
    bucket = "hour" if wants_hours and int(days) <= _MAX_DAYS_OF_HOURS else "day"
    data = {
        "range": days,
        "ranges": _RANGES,
        "by": bucket,
        "is_too_long": wants_hours and bucket == "day",
    }
    begin = _begin(request.engine.clock.now(), int(days), bucket)
    return data, {"from": begin, "bucket": bucket, "time_zone": _zone(request)}


def _zone(request: PageRequest) -> str:
    """Return the reader's time zone, as the page's script tells it, else the server's."""
    zone = read_zone(request.query.get("zone", ""))
    return zone.key if isinstance(zone, ZoneInfo) else request.engine.settings.time_zone


def _begin(now: datetime, days: int, bucket: str) -> str:
    # The span that has not ended counts as one.
    length = timedelta(hours=1) if bucket == "hour" else timedelta(days=1)
    return (now - timedelta(days=days) + length).isoformat()


def _page(found: Mapping[str, Any], data: Mapping[str, Any]) -> HtmlPage:
    shown = {**data, "statistics": found, "ages": _AGES, "kinds": _by_kind(found["memories"]), "plots": plots_of(found)}
    return HtmlPage(template="statistics", title="Statistics", data=shown)


def _by_kind(counts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each kind: active memories by age, and the number of others by state."""
    rows = []
    for kind in dict.fromkeys(line["kind"] for line in counts):
        own = [line for line in counts if line["kind"] == kind]
        active = [line for line in own if line["state"] == "active"]
        ages = [sum(line["count"] for line in active if line["max_age_days"] == age) for age in _AGES]
        others = {state: sum(line["count"] for line in own if line["state"] == state) for state in ("held", "closed")}
        rows.append({"kind": kind, "ages": ages, "active": sum(ages), **others})
    return rows


PAGES = (
    PageRoute("GET", "/statistics", _of_all),
    PageRoute("GET", "/subjects/{subject}/statistics", _of_subject),
)


# Days for which spending is kept.
_SPENDING_DAYS = 30
_SAID = "By kind. What an import brought is counted when it was said, what no message says when it was stored."
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
    zone: str = "UTC"
    """Time zone of the begins."""
    is_share: bool = False
    """Whether the numbers are shares of 1, drawn as a line; else they are counts, drawn as stacked bars."""


def plots_of(statistics: Raw) -> list[dict[str, Any]]:
    """Return all plots, as plain data."""
    buckets, seconds = statistics["buckets"], 3600 if statistics["bucket"] == "hour" else 86400
    begins, zone = [bucket["begins"] for bucket in buckets], statistics["time_zone"]

    def counts(id_: str, title: str, text: str, series: Sequence[PlotSeries]) -> Plot:
        drawn = _not_zero(series)
        return Plot(id=id_, title=title, text=text, begins=begins, seconds=seconds, zone=zone, series=drawn)

    kept = [_kept_share(bucket) for bucket in buckets]
    plots = [
        counts("said", "Memories by when they were said", _SAID, _kinds(buckets, "said")),
        counts("stored", "Memories stored", "By kind. Erased ones are not counted.", _kinds(buckets, "stored")),
        counts("decisions", "Decisions", "What was done with what was said, by action.", _named(buckets, "decisions")),
        counts("prompts", "Prompts with memory", "Turns recorded with memory.", [_numbers(buckets, "prompts")]),
        counts("tokens", "Tokens of memory in prompts", _TOKENS, [_numbers(buckets, "tokens")]),
        Plot(
            id="prefix",
            title="Prompts whose beginning was kept",
            text=_PREFIX,
            begins=begins,
            seconds=seconds,
            zone=zone,
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


def _kinds(buckets: Sequence[Raw], name: str) -> list[PlotSeries]:
    return [replace(each, name=kind_name(each.name)) for each in _named(buckets, name)]


def _numbers(buckets: Sequence[Raw], name: str) -> PlotSeries:
    return PlotSeries(name=name, values=[bucket[name] for bucket in buckets])


def _kept_share(bucket: Raw) -> float | None:
    compared = bucket["kept_prefixes"] + bucket["broken_prefixes"]
    return bucket["kept_prefixes"] / compared if compared else None


def _not_zero(series: Sequence[PlotSeries]) -> list[PlotSeries]:
    return [each for each in series if any(each.values)]
