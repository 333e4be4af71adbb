"""One memory: what it says, since when it holds, where it comes from, what was decided; and what to do about it."""

from recollect.server.dashboard.page import BadFormError, Page, PageRequest, PageRoute, SeeOther
from recollect.server.dashboard.paths import page_path


async def _memory(request: PageRequest) -> Page:
    """Show a memory with its sources, decisions and versions."""
    id_ = request.parameters["memory"]
    answer = await request.rest.send("GET", "subjects", request.subject, "memories", id_)
    why = await request.rest.get("subjects", request.subject, "memories", id_, "why")
    data = {"subject": request.subject, "tag": answer.headers["etag"], "why": why}
    return Page(template="memory", title="Memory", data=data)


async def _correct(request: PageRequest) -> SeeOther:
    """Say what holds in the memory's place: it was wrong, or is no longer true."""
    text, ended = request.field("text"), request.field("how") == "ended"
    body: dict[str, str] = {}
    if text:
        body["text"] = text
    if value := request.field("value"):
        body["value"] = value
    if ended:
        day = request.field("true_until")
        if not day:
            raise BadFormError("Say until which day it was true.")
        body["true_until"] = f"{day}T00:00:00Z"
    answer = await request.rest.send("PATCH", *_steps(request), body=body, if_match=request.field("tag") or None)
    return SeeOther(page_path("subjects", request.subject, "memories", answer.data["id"], done="corrected"))


async def _forget(request: PageRequest) -> SeeOther:
    """Close the memory: its history stays."""
    body = {"reason": request.field("reason")}
    await request.rest.send("POST", *_steps(request), "close", body=body, if_match=request.field("tag") or None)
    return SeeOther(page_path(*_steps(request), done="forgot"))


async def _erase(request: PageRequest) -> Page:
    """Erase the memory for good, and show the receipt."""
    if request.field("sure") != "yes":
        raise BadFormError("Tick the box that says that erasing cannot be undone.")
    query = {"keep_messages": request.field("keep_messages") == "yes"}
    receipt = (await request.rest.send("DELETE", *_steps(request), query=query)).data
    return Page(template="receipt", title="Erased", data={"subject": request.subject, "receipt": receipt})


async def _undo(request: PageRequest) -> SeeOther:
    """Reverse a decision about the memory."""
    await request.rest.post("subjects", request.subject, "decisions", request.field("decision"), "undo")
    return SeeOther(page_path(*_steps(request), done="undone"))


async def _link(request: PageRequest) -> SeeOther:
    """Share the memory with another subject."""
    await request.rest.post(*_steps(request), "links", body={"to": request.field("to")})
    return SeeOther(page_path(*_steps(request), done="shared"))


def _steps(request: PageRequest) -> tuple[str, ...]:
    return ("subjects", request.subject, "memories", request.parameters["memory"])


_MEMORY = "/subjects/{subject}/memories/{memory}"
PAGES = (
    PageRoute("GET", _MEMORY, _memory),
    PageRoute("POST", f"{_MEMORY}/correct", _correct),
    PageRoute("POST", f"{_MEMORY}/forget", _forget),
    PageRoute("POST", f"{_MEMORY}/erase", _erase),
    PageRoute("POST", f"{_MEMORY}/undo", _undo),
    PageRoute("POST", f"{_MEMORY}/share", _link),
)
