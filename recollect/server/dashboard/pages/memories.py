"""A subject's memories: search with the parts of each score, filters, sorting, and changes to many at once."""

from typing import Any

from recollect.server.dashboard.page import BadFormError, Page, PageRequest, PageRoute, SeeOther
from recollect.server.dashboard.paths import page_path

PAGE_SIZE = 50
_FOUND = 25
_KINDS = ("note", "fact", "episode", "turn")
_STATES = ("active", "held", "closed")
_ORDERS = ("newest", "importance", "uses")
_MAX_CHOSEN = 500


async def _memories(request: PageRequest) -> Page:
    """List memories, or those that a search finds."""
    query = request.chosen("q")
    filters = {name: request.query.get(name, "") for name in ("kind", "state", "tag", "order")}
    data: dict[str, Any] = {
        "subject": request.subject,
        "q": query or "",
        "filters": filters,
        "kinds": _KINDS,
        "states": _STATES,
        "orders": _ORDERS,
    }
    if query is not None:
        body = {"query": query, "limit": _FOUND}
        found = await request.rest.post("subjects", request.subject, "search", body=body)
        return Page(template="memories", title="Search", data={**data, "found": found, "listed": None})
    listed = await request.rest.get(
        "subjects",
        request.subject,
        "memories",
        limit=PAGE_SIZE,
        cursor=request.chosen("cursor"),
        kind=[filters["kind"]] if filters["kind"] else list(_KINDS[:3]),
        state=[filters["state"]] if filters["state"] else ["active", "held"],
        tag=filters["tag"] or None,
        order=filters["order"] or None,
    )
    return Page(template="memories", title="Memories", data={**data, "found": None, "listed": listed})


async def _add(request: PageRequest) -> SeeOther:
    """Add a note, word for word."""
    text = request.field("text")
    if not text:
        raise BadFormError("Write what should be remembered.")
    body = {"memories": [{"text": text}]}
    await request.rest.post("subjects", request.subject, "memories", body=body)
    return SeeOther(page_path("subjects", request.subject, done="added"))


async def _change_many(request: PageRequest) -> SeeOther:
    """Forget or erase the memories that were ticked."""
    chosen, action = request.form.get("memory", []), request.field("action")
    if not chosen or len(chosen) > _MAX_CHOSEN:
        raise BadFormError(f"Tick 1 to {_MAX_CHOSEN} memories first.")
    if action not in ("forget", "erase"):
        raise BadFormError("Choose what to do with the ticked memories.")
    if action == "erase" and request.field("sure") != "yes":
        raise BadFormError("Tick the box that says that erasing cannot be undone.")
    for id_ in chosen:
        if action == "forget":
            body = {"reason": "chosen in the dashboard"}
            await request.rest.post("subjects", request.subject, "memories", id_, "close", body=body)
        else:
            await request.rest.send("DELETE", "subjects", request.subject, "memories", id_)
    done = "forgot-many" if action == "forget" else "erased-many"
    return SeeOther(page_path("subjects", request.subject, done=done, n=str(len(chosen))))


PAGES = (
    PageRoute("GET", "/subjects/{subject}", _memories),
    PageRoute("POST", "/subjects/{subject}/memories", _add),
    PageRoute("POST", "/subjects/{subject}/memories/many", _change_many),
)
