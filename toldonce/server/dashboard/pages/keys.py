"""API keys and the log of administrative acts."""

from datetime import datetime, timedelta
from typing import Any

from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.status import CREATED
from toldonce.types import Access

_PAGE_SIZE = 100
_MAX_DIGITS = 10  # of numbers that the API takes or refuses itself
_LIMITS = ("requests_per_minute", "concurrent_requests", "body_bytes")
_FILTERS = ("actor", "action", "target", "subject", "tenant")


async def _keys(request: PageRequest) -> HtmlPage:
    """List keys with their state, and the form for a new one."""
    tenant = request.chosen("tenant")
    listed = await request.rest.get("keys", limit=_PAGE_SIZE, cursor=request.chosen("cursor"), tenant=tenant)
    now = request.engine.clock.now()
    keys = [{**key, "state": _state(key, now)} for key in listed["keys"]]
    data = {
        "keys": keys,
        "next_cursor": listed["next_cursor"],
        "tenant": tenant or "",
        "tomorrow": str(now.date() + timedelta(days=1)),
        "accesses": [access.value for access in Access],
        "may_choose_tenant": request.is_operator,
        # The sender has no key, and asks for the first one.
        "is_first": request.caller is None and all(key["state"] != "valid" for key in keys),
    }
    return HtmlPage(template="keys", title="Keys", data=data)


async def _create(request: PageRequest) -> HtmlPage:
    """Make a key, and show its secret this once."""
    body: dict[str, Any] = {
        "name": request.field("name"),
        "access": request.field("access"),
        # Without a tenant, the key is of the sender's own.
        "tenant": request.field("tenant") if request.is_operator else None,
        "user": request.field("user") or None,
        "app": request.field("app") or None,
        "expires_at": f"{request.field('expires_on')}T00:00:00Z" if request.field("expires_on") else None,
    }
    body |= {name: _number(request, name) for name in _LIMITS}
    made = await request.rest.post("keys", body=body)
    data = {"key": made, "is_open": request.caller is None}
    return HtmlPage(template="key_made", title="Key made", data=data, status=CREATED)


async def _revoke(request: PageRequest) -> SeeOther:
    """Revoke a key for good."""
    request.require_sure("revoking cannot be undone")
    await request.rest.post("keys", request.parameters["key"], "revoke")
    return SeeOther(page_path("keys", done="revoked"))


async def _audit(request: PageRequest) -> HtmlPage:
    """List administrative acts, newest first."""
    filters = {name: request.query.get(name, "").strip() for name in _FILTERS}
    wanted = {name: value or None for name, value in filters.items()}
    listed = await request.rest.get("audit", limit=_PAGE_SIZE, cursor=request.chosen("cursor"), **wanted)
    data = {**listed, "filters": filters, "may_choose_tenant": request.is_operator}
    return HtmlPage(template="audit", title="Audit log", data=data)


def _number(request: PageRequest, name: str) -> int | None:
    """Return a number of the form; None if its field is empty.

    Raises:
        BadFormError: It is no whole number.
    """
    text = request.field(name)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS):
        raise BadFormError(f"{name.replace('_', ' ').capitalize()}: write a whole number, or leave it empty.")
    return int(text)


def _state(key: dict[str, Any], now: datetime) -> str:
    if key["revoked_at"]:
        return "revoked"
    if key["expires_at"] and datetime.fromisoformat(key["expires_at"]) <= now:
        return "expired"
    return "valid"


PAGES = (
    PageRoute("GET", "/keys", _keys),
    PageRoute("POST", "/keys", _create),
    PageRoute("POST", "/keys/{key}/revoke", _revoke),
    PageRoute("GET", "/audit", _audit),
)
