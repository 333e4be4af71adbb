"""API keys under `/v1/keys`: an administrator of one tenant sees and makes keys of that tenant alone."""

from collections.abc import Mapping

import httpx
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.types import Access, NewApiKey


async def made(engine: AsyncToldOnce, tenant: str | None, access: Access = Access.ADMIN) -> dict[str, str]:
    _, secret = await engine.keys.create(NewApiKey(name="k", access=access, tenant=tenant))
    return {"authorization": f"Bearer {secret}"}


async def test_a_key_is_made_used_and_revoked(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin = await made(engine, "acme")
    body = {"name": "phone", "user": "ana", "requests_per_minute": 60, "expires_at": "2030-01-01T00:00:00Z"}
    answer = await api.post("/v1/keys", json=body, headers=admin)
    assert answer.status_code == 201
    new = answer.json()
    ours = {"authorization": f"Bearer {new.pop('key')}"}
    assert (new["tenant"], new["user"], new["access"]) == ("acme", "ana", "write")
    assert (await api.get("/v1/subjects/me/memories", headers=ours)).status_code == 200
    assert (await api.get("/v1/keys", headers=ours)).status_code == 403
    revoked = await api.post(f"/v1/keys/{new['id']}/revoke", headers=admin)
    assert revoked.json()["revoked_at"] is not None
    assert (await api.get("/v1/subjects/me/memories", headers=ours)).status_code == 401
    [revoking, creating] = (await api.get("/v1/audit?limit=2", headers=admin)).json()["entries"]
    assert (revoking["action"], revoking["target"]) == ("keys.revoke", new["id"])
    assert creating["actor"].startswith("key:k_")


async def test_keys_are_listed_page_by_page(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin = await made(engine, None)
    for number in range(4):
        await api.post("/v1/keys", json={"name": f"key {number}", "tenant": "acme"}, headers=admin)
    read: list[str] = []
    url: str | None = "/v1/keys?limit=2"
    while url is not None:
        answer = await api.get(url, headers=admin)
        read += [key["name"] for key in answer.json()["keys"]]
        url = answer.links.get("next", {}).get("url")
    assert sorted(read) == ["k", "key 0", "key 1", "key 2", "key 3"]


async def test_a_tenants_administrator_sees_no_other_tenant(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    acme, bolt = await made(engine, "acme"), await made(engine, "bolt")
    [theirs] = (await api.get("/v1/keys", headers=bolt)).json()["keys"]
    for answer in (
        await api.get(f"/v1/keys/{theirs['id']}", headers=acme),
        await api.post(f"/v1/keys/{theirs['id']}/revoke", headers=acme),
        await api.get("/v1/keys/k_none", headers=acme),
    ):
        assert answer.status_code == 404
        assert answer.json()["type"].endswith("unknown-key")
    assert [key["tenant"] for key in (await api.get("/v1/keys", headers=acme)).json()["keys"]] == ["acme"]
    acts = (await api.get("/v1/audit", headers=acme)).json()["entries"]
    assert {entry["tenant"] for entry in acts} == {"acme"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "x", "tenant": "bolt"}, 403),
        ({"name": "x", "tenant": "*"}, 403),
        ({"name": "x", "tenant": ""}, 403),
        ({"name": "x", "user": "ana", "access": "admin"}, 400),
        ({"name": "x", "user": "ana", "app": "calendar"}, 400),
        ({"name": "x", "expires_at": "2001-01-01T00:00:00Z"}, 400),
        ({"name": ""}, 400),
        ({"name": "x", "access": "root"}, 400),
        ({"name": "x", "requests_per_minute": 0}, 400),
    ],
)
async def test_a_key_beyond_ones_own_tenant_or_sense_is_refused(
    api: httpx.AsyncClient, engine: AsyncToldOnce, body: Mapping[str, object], status: int
) -> None:
    admin = await made(engine, "acme")
    assert (await api.post("/v1/keys", json=body, headers=admin)).status_code == status
    assert len((await api.get("/v1/keys", headers=admin)).json()["keys"]) == 1
