"""Settings in effect with where they come from, and what `toldonce doctor` finds."""

from toldonce.server.dashboard.page import HtmlPage, PageRequest, PageRoute


async def _settings(request: PageRequest) -> HtmlPage:
    """List the settings; findings are asked for by a link of their own, for that asks other servers."""
    listed = await request.rest.get("settings")
    only_changed = request.query.get("changed") == "yes"
    settings = [setting for setting in listed["settings"] if not (only_changed and setting["is_default"])]
    data = {"settings": settings, "total": len(listed["settings"]), "only_changed": only_changed}
    return HtmlPage(template="settings", title="Settings", data=data)


async def _findings(request: PageRequest) -> HtmlPage:
    """Examine the server."""
    thorough = request.query.get("check") == "yes"
    report = await request.rest.get("doctor", check=thorough)
    return HtmlPage(template="findings", title="Findings", data={**report, "check": thorough})


PAGES = (
    PageRoute("GET", "/settings", _settings),
    PageRoute("GET", "/settings/findings", _findings),
)
