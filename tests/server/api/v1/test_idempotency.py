"""Idempotency keys under `/v1`: one effect and one answer for a day, whatever happens in between. On every store."""

import asyncio
from pathlib import Path

import httpx
import pytest

from soak import SOAK
from stores import DURABLE, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components, run_once
from toldonce.errors import LeaseLostError
from toldonce.providers.token_counter import token_counter
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.store.sql.idempotency import KEPT, LEASE
from toldonce.store.sql.rows import fetch_value
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import ClaimState, IdempotencyKey, MemoryKind, StoredAnswer, Subject

ANA = "/v1/subjects/user:ana"
TEA = {"memories": [{"text": "Ana likes green tea."}]}
KEY = {"Idempotency-Key": "k-1"}
MINE = IdempotencyKey(subject=Subject("user", "ana"), key=b"k" * 16, request=b"r" * 16)
DONE = StoredAnswer(status=201, headers={}, body=b"done")


async def decisions(engine: AsyncToldOnce) -> int:
    return len(await engine.history.decisions(user="ana"))


async def test_a_request_sent_again_has_one_effect_and_one_answer(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    first = await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    again = await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    assert (again.status_code, again.content) == (201, first.content)
    assert ("idempotency-replayed" in first.headers, again.headers["idempotency-replayed"]) == (False, "true")
    assert await decisions(engine) == 1
    assert (await api.post(f"{ANA}/memories", json=TEA)).status_code == 201  # without a key it strengthens
    assert await decisions(engine) == 2


async def test_a_recorded_turn_is_not_recorded_twice(api: httpx.AsyncClient) -> None:
    turn = {"messages": [{"role": "user", "content": "Good morning."}]}
    url = f"{ANA}/conversations/c/messages"
    answers = [await api.post(url, json=turn, headers=KEY) for _ in range(3)]
    assert len({answer.content for answer in answers}) == 1
    assert len((await api.get(url)).json()["messages"]) == 1


async def test_another_request_with_the_key_is_refused(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    other = {"memories": [{"text": "Ana rows."}]}
    refused = await api.post(f"{ANA}/memories", json=other, headers=KEY)
    assert (refused.status_code, refused.json()["type"]) == (422, "/docs#key-reused")
    # A key belongs to one operation of one subject.
    assert (await api.post("/v1/subjects/user:ben/memories", json=other, headers=KEY)).status_code == 201
    spaced = await api.post(
        f"{ANA}/memories",
        content=b'{ "memories": [ {"text": "Ana likes green tea."} ] }',
        headers={**KEY, "content-type": "application/json"},
    )
    assert spaced.headers["idempotency-replayed"] == "true"
    assert await decisions(engine) == 1


async def test_of_many_at_once_one_runs(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    answers = await asyncio.gather(
        *(api.post(f"{ANA}/memories", json=TEA, headers=KEY) for _ in range(64 if SOAK else 16))
    )
    good = [answer for answer in answers if answer.status_code == 201]
    assert good
    assert len({answer.content for answer in good}) == 1
    busy = [answer for answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["type"]) for answer in busy} <= {(409, "/docs#request-in-progress")}
    assert all(answer.headers["retry-after"] == "1" for answer in busy)
    assert await decisions(engine) == 1


async def test_a_refused_request_may_be_sent_again(api: httpx.AsyncClient) -> None:
    url = f"{ANA}/conversations/none/save"
    assert [(await api.post(url, headers=KEY)).status_code for _ in range(2)] == [404, 404]
    await api.put(f"{ANA}/conversations/none", json={})
    assert (await api.post(url, headers=KEY)).status_code == 202


@pytest.mark.parametrize("key", ["", "k" * 256, "schlüssel", "two words"])
async def test_a_key_that_is_none_is_refused(api: httpx.AsyncClient, key: str) -> None:
    headers = httpx.Headers([(b"idempotency-key", key.encode())])
    refused = await api.post(f"{ANA}/memories", json=TEA, headers=headers)
    assert (refused.status_code, refused.json()["param"]) == (400, "Idempotency-Key")


async def test_a_key_is_forgotten_after_a_day(api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock) -> None:
    await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    clock.advance(seconds=KEPT.total_seconds() - 1)
    assert "idempotency-replayed" in (await api.post(f"{ANA}/memories", json=TEA, headers=KEY)).headers
    clock.advance(seconds=1)
    assert "idempotency-replayed" not in (await api.post(f"{ANA}/memories", json=TEA, headers=KEY)).headers
    assert await decisions(engine) == 2


async def test_what_was_erased_is_in_no_stored_answer(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    [tea] = (await api.post(f"{ANA}/memories", json=TEA, headers=KEY)).json()["memories"]
    erasing = {"Idempotency-Key": "k-2"}
    receipt = await api.delete(f"{ANA}/memories/{tea['id']}", headers=erasing)
    lost = await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    assert (lost.status_code, lost.json()["type"]) == (409, "/docs#answer-lost")
    again = await api.delete(f"{ANA}/memories/{tea['id']}", headers=erasing)
    assert (again.status_code, again.content) == (200, receipt.content)
    assert await engine.list(user="ana") == []


async def test_an_erased_subject_takes_its_keys_with_it_but_the_erasures(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    erasing = {"Idempotency-Key": "k-2"}
    receipt = await api.delete(ANA, headers=erasing)
    assert (await api.post(f"{ANA}/memories", json=TEA, headers=KEY)).status_code == 201
    again = await api.delete(ANA, headers=erasing)
    assert again.content == receipt.content
    assert len(await engine.list(user="ana")) == 1, "the erasure that was sent again erased nothing new"


async def test_a_late_request_whose_claim_was_taken_over_changes_nothing(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    late, other = asyncio.Event(), asyncio.Event()

    async def slow() -> StoredAnswer:
        other.set()
        await late.wait()
        await engine.add("It rains.", user="ana")
        return DONE

    async def quick() -> StoredAnswer:
        await engine.add("It rains.", user="ana")
        return DONE

    first = asyncio.create_task(run_once(engine, MINE, slow))
    await other.wait()
    assert (await run_once(engine, MINE, quick)).state is ClaimState.RUNNING
    clock.advance(seconds=LEASE.total_seconds() + 1)
    assert (await run_once(engine, MINE, quick)).answer == DONE
    late.set()
    with pytest.raises(LeaseLostError):
        await first
    assert (await run_once(engine, MINE, quick)).answer == DONE
    assert await decisions(engine) == 1


async def test_a_request_that_died_after_its_effect_is_not_run_again(engine: AsyncToldOnce, clock: FakeClock) -> None:
    async def dies_afterwards() -> StoredAnswer:
        await engine.add("It rains.", user="ana")
        raise KeyboardInterrupt

    async def dies_before() -> StoredAnswer:
        raise KeyboardInterrupt

    async def lives() -> StoredAnswer:
        await engine.add("It rains.", user="ana")
        return DONE

    with pytest.raises(KeyboardInterrupt):
        await run_once(engine, MINE, dies_before)
    with pytest.raises(KeyboardInterrupt):
        await run_once(engine, MINE, dies_afterwards)
    clock.advance(seconds=LEASE.total_seconds() + 1)
    assert (await run_once(engine, MINE, lives)).state is ClaimState.LOST
    assert await decisions(engine) == 1


async def test_what_goes_on_after_a_request_writes_on_its_own(engine: AsyncToldOnce) -> None:
    begin = asyncio.Event()

    async def later() -> None:
        await begin.wait()
        await engine.add("It snows.", user="ana")

    tasks: list[asyncio.Task[None]] = []

    async def run() -> StoredAnswer:
        tasks.append(asyncio.create_task(later()))
        await engine.add("It rains.", user="ana")
        return DONE

    await run_once(engine, MINE, run)
    await engine.erasure.subject("ana")
    begin.set()
    await tasks[0]
    assert [note.text for note in await engine.list(user="ana")] == ["It snows."]


async def test_old_keys_are_pruned_by_maintenance(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await api.post(f"{ANA}/memories", json=TEA, headers=KEY)
    clock.advance(seconds=KEPT.total_seconds() + 1)
    await engine._steps._sweeps.portion(lambda: False)
    executor = engine._components.store.idempotency._executor
    assert await executor.read(lambda db: fetch_value(db, "SELECT count(*) FROM idempotency")) == 0


@pytest.mark.parametrize("kind", DURABLE)
async def test_a_restart_forgets_no_key(kind: str, clock: FakeClock, tmp_path: Path) -> None:
    answers = []
    for _ in range(2):
        parts = Components(
            settings=Settings(database_url=url_of(kind, tmp_path)),
            clock=clock,
            store=await new_store(kind, tmp_path, clock),
            embedder=WordEmbedder(64),
            model=None,
            counter=token_counter(),
        )
        async with AsyncToldOnce(parts) as engine:
            transport = httpx.ASGITransport(app=build_app(engine))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as api:
                answers.append(await api.post(f"{ANA}/memories", json=TEA, headers=KEY))
            assert [note.kind for note in await engine.list(user="ana")] == [MemoryKind.NOTE]
            assert await decisions(engine) == 1
    assert answers[0].content == answers[1].content
