"""Work on all memories with its errors, erasures and the embedder; settings in effect, and what the doctor finds."""

from typing import Any

from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.status import NOT_FOUND

_PAGE_SIZE = 100
_KEY = ("subject", "home", "conversation", "profile", "stage", "version")


async def _work(request: PageRequest) -> HtmlPage:
    """List formations, and show the state of the embedder."""
    filters = {name: request.query.get(name, "") for name in ("subject", "parked")}
    listed = await _formations(request, parked=filters["parked"] or None, cursor=request.chosen("cursor"))
    data: dict[str, Any] = {"filters": filters, **listed, "totals": None, "embedder": None}
    if request.is_operator:
        data["totals"] = await request.rest.get("stats", "totals")
        data["embedder"] = await request.rest.get("embedder")
    return HtmlPage(template="work", title="Work", data=data)


async def _retry(request: PageRequest) -> SeeOther:
    """Make a parked formation due again."""
    key = {name: request.form.get(name, [""])[-1] for name in _KEY}  # as written: names may begin with a space
    await request.rest.post("formations", "retry", body=key)
    return SeeOther(page_path("work", done="retried"))


async def _retry_all(request: PageRequest) -> SeeOther:
    """Make all parked formations due again, as far as the filter goes."""
    listed = await _formations(request, parked="true")
    parked = listed["formations"]
    while listed["next_cursor"] is not None:
        listed = await _formations(request, parked="true", cursor=listed["next_cursor"])
        parked += listed["formations"]
    retried = 0
    for formation in parked:
        retried += await _is_retried(request, {name: formation[name] for name in _KEY})
    return SeeOther(page_path("work", done="retried-all", n=str(retried)))


async def _run(request: PageRequest) -> SeeOther:
    """Form all that is due, now."""
    formed = await request.rest.post("formations", "run", body={"bulk": False})
    return SeeOther(page_path("work", done="formed", n=str(formed["formations"])))


async def _maintain(request: PageRequest) -> HtmlPage:
    """Maintain all memories or those of one subject, or show what that would do."""
    dry_run = request.field("how") != "now"
    subject = request.field("subject") or None
    report = await request.rest.post("maintenance", body={"dry_run": dry_run, "subject": subject})
    return HtmlPage(template="maintained", title="Maintenance", data={"report": report, "subject": subject})


async def _finish(request: PageRequest) -> SeeOther:
    """Finish pending erasures."""
    finished = await request.rest.post("maintenance", "erasures", body={"rewrite": request.field("rewrite") == "yes"})
    return SeeOther(page_path("work", done="erasures-done" if finished["done"] else "erasures-pending"))


async def _check(request: PageRequest) -> SeeOther:
    """Ask the embedder for a vector."""
    text = request.field("text")
    if not text:
        raise BadFormError("Write a text to embed.")
    await request.rest.post("embedder", "check", body={"text": text})
    return SeeOther(page_path("work", done="embedder-answers"))


async def _formations(request: PageRequest, *, parked: str | None, cursor: str | None = None) -> dict[str, Any]:
    """Read a page of the work that waits or is parked; what is done comes after it in the API's list."""
    subject = request.field("subject") or request.chosen("subject")
    listed = await request.rest.get("formations", limit=_PAGE_SIZE, cursor=cursor, parked=parked, subject=subject)
    left = [formation for formation in listed["formations"] if formation["parked"] or formation["due_at"] is not None]
    is_last = len(left) < len(listed["formations"])
    return {"formations": left, "next_cursor": None if is_last else listed["next_cursor"]}


async def _is_retried(request: PageRequest, key: dict[str, Any]) -> bool:
    """Make a formation due again; return whether it was still parked."""
    try:
        await request.rest.post("formations", "retry", body=key)
    except RestError as error:
        if error.status != NOT_FOUND:
            raise
        return False
    return True


async def _settings(request: PageRequest) -> HtmlPage:
    """List the settings, those that differ first; findings have a link of their own, for they ask other servers."""
    listed = await request.rest.get("settings")
    only_changed = request.query.get("changed") == "yes"
    by_change = sorted(listed["settings"], key=lambda setting: bool(setting["is_default"]))
    settings = [setting for setting in by_change if not (only_changed and setting["is_default"])]
    data = {"settings": settings, "total": len(listed["settings"]), "only_changed": only_changed}
    return HtmlPage(template="settings", title="Settings", data=data)


async def _findings(request: PageRequest) -> HtmlPage:
    """Examine the server."""
    thorough = request.query.get("check") == "yes"
    report = await request.rest.get("doctor", check=thorough)
    return HtmlPage(template="findings", title="Findings", data={**report, "check": thorough})


PAGES = (
    PageRoute("GET", "/work", _work),
    PageRoute("POST", "/work/retry", _retry),
    PageRoute("POST", "/work/retry-all", _retry_all),
    PageRoute("POST", "/work/run", _run),
    PageRoute("POST", "/work/maintain", _maintain),
    PageRoute("POST", "/work/erasures", _finish),
    PageRoute("POST", "/work/embedder", _check),
    PageRoute("GET", "/settings", _settings),
    PageRoute("GET", "/settings/findings", _findings),
)
