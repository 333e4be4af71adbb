"""A subject's memories: search with the parts of each score, filters, sorting, and changes to many at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from toldonce.dates import written
from toldonce.prompt.sentences import headings, place_under_heading
from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageError, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.pages.memory import is_correctable
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.status import NOT_FOUND
from toldonce.types import MemoryKind, MemoryOrder, MemoryState

Group = dict[str, Any]
PAGE_SIZE = 50
# Facts that are shown under headings; a person mostly has fewer.
_MAX_FACTS = 100
# Longer texts are cut in a list, and edited on their own pages.
_MAX_EDITED = 300
_FOUND = 25
_MAX_CHOSEN = 500
_PLAIN_FILTERS = ("tag", "type", "category", "conversation", "order")
_FILTERS = ("kind", "state", "age", *_PLAIN_FILTERS, "at", "known_at")
_CATEGORIES = ("identity", "preference", "constraint", "instruction")
# Days, and whether that is the most or the least.
_AGES = {
    "day": ("stored in the last day", 1, True),
    "week": ("stored in the last week", 7, True),
    "month": ("stored in the last 30 days", 30, True),
    "year": ("stored in the last year", 365, True),
    "older-month": ("stored over 30 days ago", 30, False),
    "older-year": ("stored over a year ago", 365, False),
}
_ORDERS = {
    MemoryOrder.NEWEST: "newest first",
    MemoryOrder.OLDEST: "oldest first",
    MemoryOrder.IMPORTANCE: "most important first",
    MemoryOrder.USES: "most used first",
    MemoryOrder.LAST_USED: "last used first",
}
_DONE = {"forget": "forgot-many", "erase": "erased-many", "share": "shared-many"}


async def _memories(request: PageRequest) -> HtmlPage:
    """List memories, or those that a search finds."""
    query = request.chosen("q")
    filters = {name: request.query.get(name, "") for name in _FILTERS}
    dates = {name: _end_of_day(filters[name]) for name in ("at", "known_at")}
    data: dict[str, Any] = {
        "subject": request.subject,
        "q": query or "",
        "filters": filters,
        "kept": {name: value for name, value in filters.items() if value},
        "kinds": list(MemoryKind),
        "states": list(MemoryState),
        "orders": _ORDERS,
        "categories": _CATEGORIES,
        "ages": {name: text for name, (text, _, _) in _AGES.items()},
        "is_past": any(dates.values()),
        "are_all_chosen": request.query.get("choose") == "all",
        "found": None,
        "listed": None,
        "totals": None,
        "groups": [],
        "correctable": [],
    }
    if query is not None:
        body = {"query": query, "limit": _FOUND, "explain": True, **dates}
        found = await request.rest.post("subjects", request.subject, "search", body=body)
        return HtmlPage(
            template="memories", title="Search", data={**data, "found": found, "bars": score_bars(found["items"])}
        )
    listed = await request.rest.get(
        "subjects",
        request.subject,
        "memories",
        limit=PAGE_SIZE,
        cursor=request.chosen("cursor"),
        kind=[filters["kind"]] if filters["kind"] else None,
        state=[filters["state"]] if filters["state"] else [MemoryState.ACTIVE, MemoryState.HELD],
        **{name: filters[name] or None for name in _PLAIN_FILTERS},
        **_stored(filters["age"], request.engine.clock.now()),
        **dates,
    )
    totals = await request.rest.get("subjects", request.subject)
    groups = [{"name": "", "memories": listed["memories"]}] if data["kept"] else await _grouped(request, listed)
    shown = [memory for group in groups for memory in group["memories"]]
    correctable = [each["id"] for each in shown if is_correctable(each) and len(each["text"]) <= _MAX_EDITED]
    found = {"listed": listed, "totals": totals, "groups": groups, "correctable": correctable}
    return HtmlPage(template="memories", title="Memories", data={**data, **found})


async def _grouped(request: PageRequest, listed: Mapping[str, Any]) -> list[Group]:
    """Return what is known in groups: on the first page facts under headings, and on all pages the rest by month."""
    known = await request.rest.get(
        "subjects",
        request.subject,
        "memories",
        limit=_MAX_FACTS,
        kind=[MemoryKind.FACT],
        state=[MemoryState.ACTIVE],
        order=MemoryOrder.IMPORTANCE,
    )
    facts = known["memories"]
    above = {fact["id"] for fact in facts}
    months = by_month(memory for memory in listed["memories"] if memory["id"] not in above)
    return months if request.chosen("cursor") else [*by_heading(facts), *months]


def _stored(age: str, now: datetime) -> dict[str, str]:
    """Return between which instants memories of an age were stored, as the API takes it.

    Raises:
        BadFormError: There is no such age.
    """
    if not age:
        return {}
    if age not in _AGES:
        raise BadFormError(f"The age is none of {', '.join(_AGES)}.")
    _, days, is_most = _AGES[age]
    return {"since" if is_most else "until": (now - timedelta(days=days)).isoformat()}


def _end_of_day(day: str) -> str | None:
    """Return the last instant of a day as the API takes it; None for no day.

    Raises:
        BadFormError: It is no day.
    """
    if not day:
        return None
    try:
        return f"{date.fromisoformat(day).isoformat()}T23:59:59Z"
    except ValueError:
        raise BadFormError("Write a day as 2026-05-03.") from None


async def _add(request: PageRequest) -> SeeOther:
    """Add a note, word for word."""
    text = request.field("text")
    if not text:
        raise BadFormError("Write what should be remembered.")
    body = {"memories": [{"text": text}]}
    await request.rest.post("subjects", request.subject, "memories", body=body)
    return SeeOther(page_path("subjects", request.subject, done="added"))


async def _change_many(request: PageRequest) -> SeeOther:
    """Forget, erase or share the memories that were ticked."""
    chosen, action = request.ticked("memory", _MAX_CHOSEN, "memories"), request.field("action")
    if action not in _DONE:
        raise BadFormError("Choose what to do with the ticked memories.")
    if action == "erase":
        request.require_sure()
    if action == "share" and not request.field("to"):
        raise BadFormError("Name the subject to share them with, such as shared:family.")
    changed = 0
    for id_ in chosen:
        try:
            await _change(request, action, id_)
        except RestError as error:
            if error.status == NOT_FOUND:  # erased meanwhile, such as with one before it
                continue
            raise PageError(error.status, f"{changed} of {len(chosen)} were done; then: {error}") from None
        changed += 1
    kept = {name: value for name in (*_FILTERS, "cursor") if (value := request.field(name))}
    return SeeOther(page_path("subjects", request.subject, **kept, done=_DONE[action], n=str(changed)))


async def _change(request: PageRequest, action: str, id_: str) -> None:
    steps = ("subjects", request.subject, "memories", id_)
    if action == "erase":
        await request.rest.send("DELETE", *steps)
        return
    done: Mapping[str, tuple[str, Mapping[str, str]]] = {
        "forget": ("close", {"reason": "chosen in the dashboard"}),
        "share": ("links", {"to": request.field("to")}),
    }
    verb, body = done[action]
    await request.rest.post(*steps, verb, body=body)


PAGES = (
    PageRoute("GET", "/subjects/{subject}", _memories),
    PageRoute("POST", "/subjects/{subject}/memories", _add),
    PageRoute("POST", "/subjects/{subject}/memories/many", _change_many),
)


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


def by_heading(facts: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return facts under their headings, in the order of a profile block: `{"name": heading, "memories": […]}`."""
    under: dict[int, list[tuple[int, str, str, Mapping[str, Any]]]] = {}
    for fact in facts:
        group, row = place_under_heading(fact["key"], fact["category"])
        under.setdefault(group, []).append((row, fact["key"], fact["id"], fact))
    return [
        {"name": headings()[group].heading.rstrip(":"), "memories": [row[-1] for row in sorted(rows, key=_place)]}
        for group, rows in sorted(under.items())
    ]


def _place(row: tuple[int, str, str, Mapping[str, Any]]) -> tuple[int, str, str]:
    return row[:-1]


def by_month(memories: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return memories by the month in which their words were said, the newest month first.

    >>> [group["name"] for group in by_month([{"evidence": [], "valid_from": "2026-05-03T10:00:00Z"}])]
    ['May 2026']
    """
    months: dict[str, list[Mapping[str, Any]]] = {}
    for memory in memories:
        at = memory["evidence"][0]["said_at"] if memory["evidence"] else memory["valid_from"]
        months.setdefault(at[: len("2026-05")], []).append(memory)
    return [
        {"name": written(datetime.fromisoformat(f"{month}-01")).partition(" ")[2], "memories": found}
        for month, found in sorted(months.items(), reverse=True)
    ]
