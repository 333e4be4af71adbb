"""Memories held for review: approve, reject, or keep other words in their place."""

from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path

_PAGE_SIZE = 50
_MAX_CHOSEN = 500
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
    chosen, action = request.form.get("memory", []), request.field("action")
    if not chosen or len(chosen) > _MAX_CHOSEN:
        raise BadFormError(f"Tick 1 to {_MAX_CHOSEN} memories first.")
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


_REVIEWS = "/subjects/{subject}/reviews"
PAGES = (
    PageRoute("GET", _REVIEWS, _reviews),
    PageRoute("POST", f"{_REVIEWS}/many", _decide_many),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/approve", _approve),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/reject", _reject),
    PageRoute("POST", f"{_REVIEWS}/{{memory}}/edit", _edit),
)
