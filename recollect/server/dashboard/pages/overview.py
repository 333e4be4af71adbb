"""The first page: what the server holds, who it knows, or how to begin."""

from recollect.server.dashboard.page import Page, PageRequest, PageRoute, SeeOther
from recollect.server.dashboard.paths import page_path


async def _overview(request: PageRequest) -> Page | SeeOther:
    """Show counts and users; a key of one user leads to that user's memories."""
    connection = await request.rest.get("connection")
    if not request.is_administrator:
        if connection["subject"] is None:
            return Page(template="no_subject", title="Memories", data={"connection": connection})
        return SeeOther(page_path("subjects", connection["subject"]))
    totals = await request.rest.get("stats", "totals") if request.is_operator else None
    subjects = await request.rest.get("subjects", limit=20)
    data = {
        "connection": connection,
        "totals": totals,
        "subjects": subjects["subjects"],
        "has_more": subjects["next_cursor"] is not None,
    }
    return Page(template="overview", title="Overview", data=data)


async def _subjects(request: PageRequest) -> Page | SeeOther:
    """List subjects, or go to the one whose name was typed."""
    wanted = request.chosen("go")
    if wanted is not None:
        return SeeOther(page_path("subjects", wanted if ":" in wanted or wanted == "global" else f"user:{wanted}"))
    page = await request.rest.get("subjects", limit=100, cursor=request.chosen("cursor"))
    return Page(template="subjects", title="Memories", data=page)


PAGES = (
    PageRoute("GET", "", _overview),
    PageRoute("GET", "/subjects", _subjects),
)
