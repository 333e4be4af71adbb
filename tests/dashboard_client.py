"""A browser without scripts for tests of the dashboard: it keeps cookies, and sends forms as pages write them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import httpx

from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app

HTML = {"accept": "text/html"}
JSON = {"accept": "application/json"}


class _Forms(HTMLParser):
    """Finds the forms of a page, with the fields that they send unchanged."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._fields: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form or one of its hidden fields."""
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._fields = self.forms.setdefault(values.get("action", ""), {})
        elif tag == "input" and values.get("type") == "hidden" and self._fields is not None:
            self._fields[values["name"]] = values.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a form."""
        if tag == "form":
            self._fields = None


def token_of(html: str) -> str:
    """Return what the forms of a page send back."""
    parsed = _Forms()
    parsed.feed(html)
    return next(fields["csrf"] for fields in parsed.forms.values() if "csrf" in fields)


@dataclass
class DashboardClient:
    """Somebody who opens pages and sends forms."""

    http: httpx.AsyncClient

    async def open(self, path: str, **query: str) -> str:
        """Open a page; return its HTML. Fails unless it is there."""
        answer = await self.http.get(path, params=query or None, headers=HTML, follow_redirects=True)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.text

    async def read(self, path: str, **query: str) -> Any:
        """Open a page as JSON."""
        answer = await self.http.get(path, params=query or None, headers=JSON)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    async def submit(
        self, page: str, action: str, fields: Mapping[str, str | list[str]] | None = None
    ) -> httpx.Response:
        """Fill in the form of a page that goes to `action`, send it, and go where the answer leads."""
        parsed = _Forms()
        parsed.feed(await self.open(page))
        assert action in parsed.forms, f"no form goes to {action}, but to {sorted(parsed.forms)}"
        data = {**parsed.forms[action], **(fields or {})}
        return await self.http.post(action, data=data, headers=HTML, follow_redirects=True)


@asynccontextmanager
async def dashboard_client(engine: AsyncToldOnce, **headers: str) -> AsyncIterator[DashboardClient]:
    """Serve an engine, and open its dashboard."""
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as http:
        yield DashboardClient(http)
