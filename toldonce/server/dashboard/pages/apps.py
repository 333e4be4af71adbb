"""Apps with their memories, and sessions, characters and shared subjects: what is remembered beside users."""

from typing import Any

from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path

_KINDS = ("app", "session", "character", "shared")
_PAGE_SIZE = 200
_MEMORIES = 50


async def _apps(request: PageRequest) -> HtmlPage | SeeOther:
    """List the subjects of one kind, or go to the app whose name was typed."""
    wanted, tenant = request.chosen("go"), request.query.get("tenant", "")
    if wanted is not None:
        return SeeOther(_app_path(wanted, tenant))
    kind = request.query.get("kind", "app")
    kind = kind if kind in _KINDS else "app"
    apps: dict[str, Any] = {"apps": [], "next_cursor": None}
    if kind == "app":
        of = tenant if request.is_operator else None
        apps = await request.rest.get("apps", limit=_PAGE_SIZE, cursor=request.chosen("after"), tenant=of)
    # Subjects are listed by name: those of a kind are together, after the kind's name.
    prefix = f"@{tenant}/{kind}:" if tenant and request.is_operator else f"{kind}:"
    cursor = request.chosen("cursor") or prefix
    listed = await request.rest.get("subjects", limit=_PAGE_SIZE, cursor=cursor, tenant=tenant or None)
    subjects = [subject for subject in listed["subjects"] if subject.startswith(prefix)]
    is_complete = len(subjects) < len(listed["subjects"])
    data = {
        "kind": kind,
        "kinds": _KINDS,
        "may_choose_tenant": request.is_operator,
        "tenant": tenant,
        "apps": apps["apps"],
        "next_apps": apps["next_cursor"],
        "subjects": subjects,
        "next_cursor": None if is_complete else listed["next_cursor"],
    }
    return HtmlPage(template="apps", title="Apps", data=data)


async def _app(request: PageRequest) -> HtmlPage:
    """List an app's memories of all users."""
    app, tenant = request.parameters["app"], request.chosen("tenant")
    steps = ("apps", app, "memories")
    listed = await request.rest.get(*steps, limit=_MEMORIES, cursor=request.chosen("cursor"), tenant=tenant)
    data = {"app": app, "tenant": tenant or "", **listed}
    return HtmlPage(template="app", title="App", data=data)


async def _erase_memory(request: PageRequest) -> SeeOther:
    """Erase one memory of an app for one user; the messages it was formed from stay."""
    subject, memory = request.form.get("subject", [""])[-1], request.field("memory")
    request.require_sure()
    await request.rest.send("DELETE", "subjects", subject, "memories", memory, query={"keep_messages": True})
    return SeeOther(_app_path(request.parameters["app"], request.field("tenant"), done="erased-one"))


async def _purge(request: PageRequest) -> SeeOther:
    """Erase all memories of an app, of all users."""
    request.require_sure()
    app, tenant = request.parameters["app"], request.field("tenant")
    await request.rest.send("DELETE", "apps", app, "memories", query={"tenant": tenant or None})
    return SeeOther(_app_path(app, tenant, done="purged"))


def _app_path(app: str, tenant: str, **query: str) -> str:
    return page_path("apps", app, **query, **({"tenant": tenant} if tenant else {}))


PAGES = (
    PageRoute("GET", "/apps", _apps),
    PageRoute("GET", "/apps/{app}", _app),
    PageRoute("POST", "/apps/{app}/erase", _erase_memory),
    PageRoute("POST", "/apps/{app}/purge", _purge),
)
