"""What of a subject may need a look: counts, lists, pairs of which one may go, and memories held for review."""

from dataclasses import dataclass

from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageError, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.status import NOT_FOUND

_PAGE_SIZE = 50
_MAX_CHOSEN = 500


@dataclass(frozen=True, slots=True)
class _List:
    """A list of `GET /v1/subjects/{subject}/health/…`."""

    title: str
    text: str
    has_pairs: bool = False


_LISTS = {
    "never-recalled": _List("Never recalled", "Stored at least 30 days ago, and no prompt has used them since."),
    "idle": _List("Idle notes", "Neither stored nor used in the last 90 days."),
    "near-duplicates": _List(
        "Notes that say nearly the same",
        "Two notes that mean nearly the same take room twice in prompts. Keep the better one: the other is forgotten.",
        has_pairs=True,
    ),
    "replaced": _List(
        "Replaced in the last 30 days",
        "The newer memory contradicted the older one and took its place. Undo it where the older one still holds.",
        has_pairs=True,
    ),
    "held-conflicts": _List(
        "Contradictions that wait for review",
        "The newer statement contradicts what is known, and is held. Keeping it closes the older one.",
        has_pairs=True,
    ),
}


async def _health(request: PageRequest) -> HtmlPage:
    """Show the counts."""
    health = await request.rest.get("subjects", request.subject, "health")
    data = {"subject": request.subject, "health": health, "may_see_work": request.is_administrator}
    return HtmlPage(template="health", title="Health", data=data)


async def _list(request: PageRequest) -> HtmlPage:
    """Show one list of memories or pairs."""
    name = _named(request)
    cursor = request.chosen("cursor")
    listed = await request.rest.get("subjects", request.subject, "health", name, limit=_PAGE_SIZE, cursor=cursor)
    shown = _LISTS[name]
    data = {
        "subject": request.subject,
        "list": name,
        "title": shown.title,
        "text": shown.text,
        "cursor": cursor or "",
        "memories": listed.get("memories", []),
        "pairs": listed.get("pairs", []),
        "compared": listed.get("compared"),
        "next_cursor": listed["next_cursor"],
    }
    return HtmlPage(template="health_pairs" if shown.has_pairs else "health_memories", title=shown.title, data=data)


async def _forget(request: PageRequest) -> SeeOther:
    """Forget the memories that were ticked."""
    name, chosen = _named(request), request.ticked("memory", _MAX_CHOSEN, "memories")
    for id_ in chosen:
        await _close(request, id_, f"in the list “{_LISTS[name].title}”")
    return _back(request, "forgot-many")


async def _keep(request: PageRequest) -> SeeOther:
    """Keep one memory of a pair, and let the other go."""
    name, kept = _named(request), request.field("keep")
    newer, older = request.field("newer"), request.field("older")
    if kept not in ("newer", "older"):
        raise BadFormError("Choose which of the two memories to keep.")
    if name == "held-conflicts":
        action = "approve" if kept == "newer" else "reject"
        await request.rest.post("subjects", request.subject, "reviews", newer, action)
    elif name == "near-duplicates":
        await _close(request, older if kept == "newer" else newer, "says nearly the same as another one, which is kept")
    else:
        raise BadFormError("There is no choice to make in this list.")
    return _back(request, "kept-one")


async def _undo(request: PageRequest) -> SeeOther:
    """Take back that a memory replaced another one."""
    await request.rest.post("subjects", request.subject, "decisions", request.field("decision"), "undo")
    return _back(request, "undone")


async def _close(request: PageRequest, id_: str, reason: str) -> None:
    await request.rest.post("subjects", request.subject, "memories", id_, "close", body={"reason": reason})


def _named(request: PageRequest) -> str:
    """Return the list of the path.

    Raises:
        PageError: There is none of that name.
    """
    name = request.parameters["list"]
    if name not in _LISTS:
        raise PageError(NOT_FOUND, "There is no such page.")
    return name


def _back(request: PageRequest, done: str) -> SeeOther:
    """Return to the same page of the list."""
    return SeeOther(page_path("subjects", request.subject, "health", _named(request), **_place(request, done)))


_DONE_WITH_MANY = {"approve": "approved-many", "reject": "rejected-many"}


async def _reviews(request: PageRequest) -> HtmlPage:
    """List what waits, oldest first."""
    cursor = request.chosen("cursor")
    listed = await request.rest.get("subjects", request.subject, "reviews", limit=_PAGE_SIZE, cursor=cursor)
    health = await request.rest.get("subjects", request.subject, "health")
    data = {
        "subject": request.subject,
        "waiting": health["held"],
        "cursor": cursor or "",
        "reviews": listed["reviews"],
        "next_cursor": listed["next_cursor"],
    }
    return HtmlPage(template="reviews", title="Reviews", data=data)


async def _approve(request: PageRequest) -> SeeOther:
    """Let a memory be recalled from now on."""
    await request.rest.post(*_steps(request), "approve")
    return _to_next(request, "approved")


async def _reject(request: PageRequest) -> SeeOther:
    """Close a memory: it is never recalled."""
    await request.rest.post(*_steps(request), "reject")
    return _to_next(request, "rejected")


async def _edit(request: PageRequest) -> SeeOther:
    """Keep other words in the place of a memory.

    A fact with another value is approved and corrected at once, so that the new value takes its slot. Anything else is
    rejected, after the other words were added as a note: the API corrects active memories only.
    """
    text, value = request.field("text"), request.field("value")
    if not text:
        raise BadFormError("Write what should be remembered instead.")
    if value and value != request.field("held_value"):
        approved = await request.rest.post(*_steps(request), "approve")
        steps = ("subjects", request.subject, "memories", approved["id"])
        await request.rest.send("PATCH", *steps, body={"text": text, "value": value})
    else:
        body = {"memories": [{"text": text}]}
        await request.rest.post("subjects", request.subject, "memories", body=body)
        await request.rest.post(*_steps(request), "reject")
    return _to_next(request, "kept-other-words")


async def _decide_many(request: PageRequest) -> SeeOther:
    """Approve or reject all that were ticked."""
    chosen, action = request.ticked("memory", _MAX_CHOSEN, "memories"), request.field("action")
    if action not in _DONE_WITH_MANY:
        raise BadFormError("Choose what to do with the ticked memories.")
    for id_ in chosen:
        await request.rest.post("subjects", request.subject, "reviews", id_, action)
    return SeeOther(page_path("subjects", request.subject, "reviews", **_place(request, _DONE_WITH_MANY[action])))


def _steps(request: PageRequest) -> tuple[str, ...]:
    return ("subjects", request.subject, "reviews", request.parameters["memory"])


def _place(request: PageRequest, done: str) -> dict[str, str]:
    """Return the query of the page that the form was on."""
    cursor = request.field("cursor")
    return {"done": done, **({"cursor": cursor} if cursor else {})}


def _to_next(request: PageRequest, done: str) -> SeeOther:
    """Go to the memory after the one that was decided."""
    following = request.field("next")
    anchor = f"#r-{following}" if following else ""
    return SeeOther(page_path("subjects", request.subject, "reviews", **_place(request, done)) + anchor)


_HEALTH = "/subjects/{subject}/health"
_REVIEWS = "/subjects/{subject}/reviews"
PAGES = (
    PageRoute("GET", _HEALTH, _health),
    PageRoute("GET", f"{_HEALTH}/{{list}}", _list),
    PageRoute("POST", f"{_HEALTH}/{{list}}/forget", _forget),
    PageRoute("POST", f"{_HEALTH}/{{list}}/keep", _keep),
    PageRoute("POST", f"{_HEALTH}/{{list}}/undo", _undo),
    PageRoute("GET", _REVIEWS, _reviews),
    PageRoute("POST", f"{_REVIEWS}/many", _decide_many),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/approve", _approve),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/reject", _reject),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/edit", _edit),
)
