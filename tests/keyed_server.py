"""A server with API keys of each kind, as most tests of access need one. Works on an engine with a fake clock."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import httpx

from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey, Subject

ANA = Subject("user", "ana", "acme")
READER = NewApiKey(name="k", access=Access.READ, tenant="acme", user="ana")
KEYS = {
    "ana reads": READER,
    "ana": replace(READER, access=Access.WRITE),
    "bob": replace(READER, access=Access.WRITE, user="bob"),
    "any user": replace(READER, access=Access.WRITE, user=None),
    "app": replace(READER, access=Access.WRITE, user=None, app="calendar"),
    "other app": replace(READER, access=Access.WRITE, user=None, app="notes"),
    "other tenant": replace(READER, access=Access.WRITE, tenant="bolt"),
    "tenant admin": replace(READER, access=Access.ADMIN, user=None),
    "operator": replace(READER, access=Access.ADMIN, user=None, tenant=None),
}


@dataclass
class KeyedServer:
    """An application with its keys."""

    client: httpx.AsyncClient
    secrets: dict[str, str]

    async def ask(self, who: str, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        credential = {"authorization": f"Bearer {self.secrets[who]}"} if self.secrets.get(who) else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = None if body is None else json.dumps(body).encode()
        kind = {"content-type": "application/json"} if content else {}
        return await self.client.request(method, path, content=content, headers={**credential, **kind, **named})


@asynccontextmanager
async def keyed_server(engine: AsyncToldOnce) -> AsyncIterator[KeyedServer]:
    """Make all keys, and those that are no longer valid; serve."""
    secrets = {"none": "", "unknown": "rk_" + "a" * 43}
    for name, new in KEYS.items():
        secrets[name] = (await engine.keys.create(new))[1]
    gone, secrets["revoked"] = await engine.keys.create(KEYS["operator"])
    await engine.keys.revoke(gone.id)
    soon = engine.clock.now() + timedelta(seconds=1)
    _, secrets["expired"] = await engine.keys.create(replace(KEYS["operator"], expires_at=soon))
    assert isinstance(engine.clock, FakeClock)
    engine.clock.advance(seconds=2)
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield KeyedServer(client, secrets)
