"""`/v1/audit`: administrative acts over HTTP are noted with actor and target, and without any text."""

import json

import httpx
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.server.api.v1 import OPERATIONS
from toldonce.types import Access, NewApiKey, Subject

ANA = Subject("user", "ana", "acme")
MEMORIES = "/v1/subjects/user:ana/memories"


async def key(engine: AsyncToldOnce, access: Access, user: str | None = None, tenant: str | None = "acme") -> str:
    made, secret = await engine.keys.create(NewApiKey(name="k", access=access, tenant=tenant, user=user))
    return f"{made.id} {secret}"


def headers(given: str) -> dict[str, str]:
    return {"authorization": f"Bearer {given.split()[1]}"}


async def acts(api: httpx.AsyncClient, admin: str, **query: str) -> list[dict[str, str | int]]:
    found = (await api.get("/v1/audit", params=query, headers=headers(admin))).json()["entries"]
    return [entry for entry in reversed(found) if not entry["action"].startswith("keys.")]


async def test_what_an_administrator_does_to_a_user_is_noted(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin = await key(engine, Access.ADMIN)
    note = await engine.add("My bird is the heron.", user=ANA)
    other = await engine.add("My tree is the ash.", user=ANA)
    await api.post(f"{MEMORIES}/{other.id}/close", headers=headers(admin))
    await api.delete(f"{MEMORIES}/{note.id}", headers=headers(admin))
    subscriptions = "/v1/subjects/user:ana/subscriptions"
    await api.post(subscriptions, json={"shared": "shared:team"}, headers=headers(admin))
    await api.delete(f"{subscriptions}/shared:team", headers=headers(admin))
    await api.delete("/v1/subjects/user:ana", headers=headers(admin))
    noted = await acts(api, admin)
    assert [(entry["action"], entry["target"]) for entry in noted] == [
        ("memories.close", other.id),
        ("memories.erase", note.id),
        ("subscriptions.add", str(ANA.key)),
        ("subscriptions.remove", str(ANA.key)),
        ("subjects.erase", str(ANA.key)),
    ]
    assert {(entry["actor"], entry["tenant"]) for entry in noted} == {(f"key:{admin.split()[0]}", "acme")}
    assert "heron" not in json.dumps(noted)
    assert "ana" not in json.dumps(noted)


async def test_what_users_do_to_their_own_is_not_noted(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin, own = await key(engine, Access.ADMIN), await key(engine, Access.WRITE, "ana")
    note = await engine.add("My bird is the heron.", user=ANA)
    assert (await api.delete(f"{MEMORIES}/{note.id}", headers=headers(own))).status_code == 200
    assert await acts(api, admin) == []
    await api.delete("/v1/subjects/me", headers=headers(own))
    assert [entry["action"] for entry in await acts(api, admin)] == ["subjects.erase"]


async def test_acts_that_fail_are_not_noted(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin = await key(engine, Access.ADMIN)
    unknown = "018f0000-0000-7000-8000-000000000000"
    assert (await api.delete(f"{MEMORIES}/{unknown}", headers=headers(admin))).status_code == 404
    assert (await api.delete("/v1/subjects/user:ana?nothing=1", headers=headers(admin))).status_code == 400
    assert await acts(api, admin) == []


async def test_a_repeated_request_is_noted_once(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin = await key(engine, Access.ADMIN)
    await engine.add("My bird is the heron.", user=ANA)
    for _ in range(2):
        await api.delete("/v1/subjects/user:ana", headers={**headers(admin), "idempotency-key": "once"})
    assert [entry["action"] for entry in await acts(api, admin)] == ["subjects.erase"]


async def test_acts_are_filtered_and_paged(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin, second = await key(engine, Access.ADMIN), await key(engine, Access.ADMIN)
    for sender in (admin, second, admin):
        note = await engine.add("My bird is the heron.", user=ANA)
        await api.delete(f"{MEMORIES}/{note.id}", headers=headers(sender))
    await api.delete("/v1/subjects/user:ana", headers=headers(second))
    assert len(await acts(api, admin, action="memories.erase")) == 3
    assert len(await acts(api, admin, actor=f"key:{second.split()[0]}")) == 2
    assert [entry["action"] for entry in await acts(api, admin, subject="user:ana")] == ["subjects.erase"]
    [found] = await acts(api, admin, target=note.id)
    assert found["action"] == "memories.erase"
    url: str | None = "/v1/audit?action=memories.erase&limit=2"
    sizes = []
    while url is not None:
        page = await api.get(url, headers=headers(admin))
        sizes.append(len(page.json()["entries"]))
        url = page.links.get("next", {}).get("url")
    assert sizes == [2, 1]


async def test_a_tenant_sees_no_acts_of_another(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    acme, bolt = await key(engine, Access.ADMIN), await key(engine, Access.ADMIN, tenant="bolt")
    await api.delete("/v1/subjects/user:ana", headers=headers(acme))
    assert await acts(api, bolt) == []
    assert await acts(api, bolt, target=str(ANA.key)) == []


async def test_the_old_routes_note_acts_of_administrators(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    admin, own = await key(engine, Access.ADMIN), await key(engine, Access.WRITE, "ana")
    await api.delete("/apps/calendar/memories", headers=headers(own))
    assert await acts(api, admin) == []
    await api.delete("/apps/calendar/memories", headers={**headers(admin), "x-toldonce-user": "ana"})
    await api.delete("/apps/calendar/memories", headers=headers(admin))
    one_user, all_users = await acts(api, admin)
    assert (one_user["action"], one_user["target"]) == ("apps.purge", str(ANA.key))
    assert (all_users["action"], all_users["tenant"]) == ("apps.purge", "acme")


async def test_exports_and_imports_are_noted(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    if engine.settings.database_url.endswith(":memory:"):
        pytest.skip("a database in memory is neither exported nor imported into")
    operator = await key(engine, Access.ADMIN, tenant=None)
    await engine.add("My bird is the heron.", user="ben")
    file = (await api.get("/v1/export", headers=headers(operator))).content
    file = file.replace(b"user:ben", b"user:eva")
    kind = {"content-type": "application/x-ndjson"}
    answer = await api.post("/v1/import", content=file, headers={**headers(operator), **kind})
    assert answer.status_code == 200, answer.text
    noted = {entry["action"]: entry for entry in await acts(api, operator)}
    assert noted["subjects.import"]["count"] == 1
    assert noted["subjects.export"]["target"] == ""


def test_each_administrators_operation_that_changes_something_is_an_act() -> None:
    changing = {known.id for known in OPERATIONS if known.access is Access.ADMIN and known.method != "GET"}
    acts = {known.id for known in OPERATIONS if known.act}
    # Keys' entries share their transactions, purges note what they purged, and a check changes nothing.
    of_all = {"eraseAppMemoriesOfAllUsers", "eraseAppMemoryOfAllUsers", "removeAppForAllUsers"}
    assert changing - acts == {"createKey", "revokeKey", "checkEmbedder", "mergeUser", "undoMerge", *of_all}
