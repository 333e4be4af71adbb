"""Requests as they come: what each recalled, left out and why."""

from typing import Any

from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.questions import read_questions
from toldonce.server.welcome import request_to_try

_REQUESTS_OF_PAGE = 50
# Maximum number of pages that one poll reads. After a pause with more requests than that, the oldest need a reload.
_MAX_PAGES = 10


async def _of_all(request: PageRequest) -> HtmlPage:
    """Show the requests of all subjects."""
    return await _live(request, ("traces",), page_path("live"))


async def _of_subject(request: PageRequest) -> HtmlPage:
    """Show the requests of one subject."""
    subject = request.subject
    return await _live(request, ("subjects", subject, "traces"), page_path("subjects", subject, "live"))


async def _live(request: PageRequest, steps: tuple[str, ...], here: str) -> HtmlPage:
    after, cursor = request.chosen("after"), request.chosen("cursor")
    page = await request.rest.get(*steps, limit=_REQUESTS_OF_PAGE, cursor=cursor, after=after)
    traces, newest = list(page["traces"]), page["newest"]
    read = 1
    while after and page["next_cursor"] and read < _MAX_PAGES:
        page = await request.rest.get(*steps, limit=_REQUESTS_OF_PAGE, cursor=page["next_cursor"], after=after)
        traces += page["traces"]
        read += 1
    data: dict[str, Any] = {
        "subject": request.parameters.get("subject"),
        "here": here,
        "traces": traces,
        "questions": await read_questions(request, traces),
        "newest": newest,
        "next_cursor": page["next_cursor"],
        "is_newest": cursor is None,
        "to_try": request_to_try(request.engine.settings, f"{request.origin}/v1"),
    }
    return HtmlPage(template="live", title="Live", data=data)


PAGES = (
    PageRoute("GET", "/live", _of_all),
    PageRoute("GET", "/subjects/{subject}/live", _of_subject),
)
