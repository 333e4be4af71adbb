"""The first page: what the server holds, who it knows, or how to begin."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.pages.first_visit import offer
from toldonce.server.dashboard.pages.traces import read_questions
from toldonce.server.dashboard.paths import page_path
from toldonce.types import SUBJECT_KINDS, MemoryState

_FIRST, _PAGE_SIZE = 20, 50
# Requests and memories on the first page, and days of which it has the tokens.
_RECENT, _DAYS = 5, 7
# Pages of the API's list that are read for one page of a kind.
_MAX_READ, _READ_SIZE = 5, 1000
_KINDS = {
    "": "All",
    "user": "Users",
    "app": "Apps",
    "session": "Sessions",
    "character": "Characters",
    "shared": "Shared",
    "global": "Global",
}
_NOBODY = "No one is known yet."


async def _overview(request: PageRequest) -> HtmlPage | SeeOther:
    """Show counts and users; a key of one user leads to that user's memories."""
    connection = await request.rest.get("connection")
    if not request.is_administrator:
        if connection["subject"] is None:
            return HtmlPage(template="no_subject", title="Memories", data={"connection": connection})
        return SeeOther(page_path("subjects", connection["subject"]))
    totals = await request.rest.get("stats", "totals") if request.is_operator else None
    page = await request.rest.get("subjects", limit=_FIRST)
    subjects = page["subjects"]
    data = {
        "connection": connection,
        "totals": totals,
        "recent": await _recent(request) if subjects else None,
        "subjects": subjects,
        "groups": await _groups(request, subjects),
        "empty_text": _NOBODY,
        "has_more": page["next_cursor"] is not None,
        "offer": await offer(request, subjects),
    }
    return HtmlPage(template="overview", title="Overview", data=data)


async def _recent(request: PageRequest) -> dict[str, Any]:
    """Return the last requests, the newest memories of who made them, what waits for a review, and tokens by day."""
    traces = (await request.rest.get("traces", limit=_RECENT))["traces"]
    newest: list[dict[str, Any]] = []
    for subject in dict.fromkeys(trace["subject"] for trace in traces):
        newest += (await request.rest.get("subjects", subject, "memories", limit=_RECENT))["memories"]
    since = (request.engine.clock.now() - timedelta(days=_DAYS - 1)).isoformat()
    counted = await request.rest.get("statistics", **{"from": since, "bucket": "day"})
    return {
        "traces": traces,
        "questions": await read_questions(request, traces),
        "memories": sorted(newest, key=lambda memory: str(memory["known_from"]), reverse=True)[:_RECENT],
        "held": sum(line["count"] for line in counted["memories"] if line["state"] == MemoryState.HELD),
        "zone": counted["time_zone"],
        "days": [{name: bucket[name] for name in ("begins", "prompts", "tokens")} for bucket in counted["buckets"]],
    }


async def _subjects(request: PageRequest) -> HtmlPage | SeeOther:
    """List subjects, or go to the one whose name was typed."""
    wanted = request.chosen("go")
    if wanted is not None:
        return SeeOther(page_path("subjects", wanted if ":" in wanted or wanted == "global" else f"user:{wanted}"))
    kind = request.query.get("kind", "")
    if kind not in _KINDS:
        raise BadFormError(f"There are these kinds of subjects: {', '.join(sorted(SUBJECT_KINDS))}.")
    subjects, cursor = await _of_kind(request, kind)
    data = {
        "subjects": subjects,
        "groups": await _groups(request, subjects),
        "empty_text": _NOBODY if not kind else "Nothing of this kind is known on this page of the list.",
        "next_cursor": cursor,
        "kind": kind,
        "kinds": _KINDS,
    }
    return HtmlPage(template="subjects", title="Memories", data=data)


async def _of_kind(request: PageRequest, kind: str) -> tuple[list[str], str | None]:
    """Return a page of subjects of a kind, and the cursor of the next one; empty: of any kind."""
    cursor = request.chosen("cursor")
    if not kind:
        page = await request.rest.get("subjects", limit=_PAGE_SIZE, cursor=cursor)
        return page["subjects"], page["next_cursor"]
    found: list[str] = []
    for _ in range(_MAX_READ):
        page = await request.rest.get("subjects", limit=_READ_SIZE, cursor=cursor)
        of_kind = [subject for subject in page["subjects"] if kind_of(subject) == kind]
        if len(found) + len(of_kind) > _PAGE_SIZE:
            found += of_kind[: _PAGE_SIZE - len(found)]
            return found, found[-1]
        found += of_kind
        cursor = _following(page, kind)
        if cursor is None:
            break
    return found, cursor


def _following(page: Mapping[str, Any], kind: str) -> str | None:
    """Return where to read on for subjects of a kind; None: there are no more.

    Subjects come in the order of their names: those of tenants first, each with its kinds, then the others by kind.
    """
    cursor: str | None = page["next_cursor"]
    if cursor is None or cursor.startswith("@"):
        return cursor
    if kind_of(cursor) > kind:
        return None
    return kind[:-1] if kind_of(cursor) < kind else cursor


async def _groups(request: PageRequest, subjects: Sequence[str]) -> list[dict[str, Any]]:
    """Return subjects by kind, each with the number of its memories, and when it last had a chat."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for subject in subjects:
        totals = await request.rest.get("subjects", subject)
        chats = (await request.rest.get("subjects", subject, "conversations", limit=1))["conversations"]
        row = {name: totals[name] for name in ("subject", "memories", "memory_of")}
        row["at"] = chats[0]["updated_at"] if chats else None
        groups.setdefault(kind_of(subject), []).append(row)
    order = [kind for kind in _KINDS if kind in groups]
    return [{"name": _KINDS[kind], "rows": groups[kind]} for kind in order]


def kind_of(subject: str) -> str:
    """Return the kind of a subject, of whatever tenant.

    >>> kind_of("@acme/user:ana"), kind_of("app:ana/calendar"), kind_of("global")
    ('user', 'app', 'global')
    """
    plain = subject.partition("/")[2] if subject.startswith("@") else subject
    return plain.partition(":")[0]


PAGES = (
    PageRoute("GET", "", _overview),
    PageRoute("GET", "/subjects", _subjects),
)
