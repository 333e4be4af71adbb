"""What of a subject may need a look: counts with what to do about them."""

from recollect.server.dashboard.page import Page, PageRequest, PageRoute


async def _health(request: PageRequest) -> Page:
    """Show the counts."""
    health = await request.rest.get("subjects", request.subject, "health")
    data = {"subject": request.subject, "health": health, "may_see_work": request.is_administrator}
    return Page(template="health", title="Health", data=data)


PAGES = (PageRoute("GET", "/subjects/{subject}/health", _health),)
