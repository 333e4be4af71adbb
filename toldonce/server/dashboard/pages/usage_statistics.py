"""Counts over time of the whole server or tenant, and of one subject: plots, tables, and what memory work may cost."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute
from toldonce.server.dashboard.plots import plots_of

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
    return data, {"from": _begin(request.engine.clock.now(), int(days), bucket), "bucket": bucket}


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
