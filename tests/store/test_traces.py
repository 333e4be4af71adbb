"""Traces of requests across conversations: in the order of recording, by page, of a subject, a tenant or all."""

from dataclasses import replace
from datetime import timedelta

import pytest

from factories import ANA, BEN, add, memory, recall_record, turn
from toldonce.errors import BadRequestError
from toldonce.ids import new_id
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    ConversationId,
    Destination,
    EraseRequest,
    InjectionRecord,
    MemoryRequest,
    RequestTrace,
    Subject,
)

ACME, ACME_ORG = Subject("user", "ana", "acme"), Subject("user", "ana", "acme.org")
TEAM = Subject("shared", "team-x")
ASKED = MemoryRequest(
    profile="default",
    reads=(ANA, TEAM),
    destination=Destination(upstream="api.example", model="m1", client="chat"),
    considered=7,
    took_ms=3.25,
)


async def ask(
    store: Store, clock: FakeClock, subject: Subject = ANA, *, request: MemoryRequest = ASKED, chat: str = "chat"
) -> InjectionRecord:
    """Record a turn with what memory did for it, one second after the one before."""
    clock.advance(seconds=1)
    record = replace(recall_record(at=clock.now()), id=new_id(clock), request=request)
    said = turn(f"question {record.id}", "answer", subject=subject, external_id=chat, append=True, recall=record)
    await store.conversations.record(said)
    return record


def ids(traces: list[RequestTrace]) -> list[str]:
    return [trace.record.id for trace in traces]


async def test_a_trace_tells_how_memory_was_asked(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(TEAM, [], [])
    record = await ask(store, clock)
    [found] = await store.traces.list(ANA)
    assert found.record == record
    assert found.record.request == ASKED
    assert (found.home, found.external_id, found.recorded_at) == (ANA, "chat", clock.now())
    assert await store.traces.within(ANA, found.conversation) == [found]
    assert await store.traces.within(ANA, found.conversation, id=record.id) == [found]
    assert await store.traces.list_all() == [found]


async def test_pages_of_traces_go_back_without_gap_or_repeat(store: Store, clock: FakeClock) -> None:
    asked = [(await ask(store, clock, subject, chat=chat)).id for chat in "abc" for subject in (ANA, BEN, ANA)]
    listed: list[str] = []
    before = None
    while page := await store.traces.list_all(before=before, limit=2):
        listed += ids(page)
        before = page[-1].place
    assert listed == asked[::-1]
    own = [id_ for place, id_ in enumerate(asked) if place % 3 != 1]
    assert ids(await store.traces.list(ANA)) == own[::-1]
    assert ids(await store.traces.list(ANA, before=(await store.traces.list(ANA))[1].place)) == own[-3::-1]


async def test_what_is_recorded_later_comes_after_a_place(store: Store, clock: FakeClock) -> None:
    await ask(store, clock)
    seen = (await store.traces.list_all())[0].place
    assert await store.traces.list_all(after=seen) == []
    new = await ask(store, clock, BEN)
    assert ids(await store.traces.list_all(after=seen)) == [new.id]
    assert await store.traces.list(ANA, after=seen) == []


async def test_a_slow_answer_is_listed_when_it_was_recorded(store: Store, clock: FakeClock) -> None:
    """Its prompt was prepared before that of the other, which a client has seen meanwhile."""
    slow = replace(recall_record(at=clock.now()), id=new_id(clock), request=ASKED)
    quick = await ask(store, clock)
    seen = (await store.traces.list(ANA))[0].place
    clock.advance(seconds=30)
    await store.conversations.record(turn("slow", "answer", external_id="other", recall=slow))
    found = await store.traces.list(ANA, after=seen)
    assert [trace.record for trace in found] == [slow]
    assert found[0].recorded_at - found[0].record.at == timedelta(seconds=31)
    assert ids(await store.traces.list(ANA)) == [slow.id, quick.id]


async def test_requests_of_one_instant_are_paged_by_id(store: Store, clock: FakeClock) -> None:
    records = [replace(recall_record(at=clock.now()), id=new_id(clock)) for _ in range(5)]
    for number, record in enumerate(records):
        await store.conversations.record(turn("a", "b", external_id=f"c{number}", recall=record))
    first = await store.traces.list_all(limit=3)
    rest = await store.traces.list_all(limit=3, before=first[-1].place)
    assert ids([*first, *rest]) == sorted((record.id for record in records), reverse=True)


async def test_a_tenants_requests_are_listed_without_the_others(store: Store, clock: FakeClock) -> None:
    asked = {subject.tenant: (await ask(store, clock, subject)).id for subject in (ANA, ACME, ACME_ORG)}
    for tenant, id_ in asked.items():
        assert ids(await store.traces.list_all(tenant=tenant)) == [id_]
    assert await store.traces.list_all(tenant="bolt") == []
    assert len(await store.traces.list_all()) == 3


async def test_an_erased_subject_is_on_no_list_and_its_name_on_no_reading_list(store: Store, clock: FakeClock) -> None:
    shared = memory("shared", clock=clock, subject=TEAM)
    await store.memories.apply(TEAM, [add(shared)], [])
    await ask(store, clock)
    await ask(store, clock, BEN)
    await store.erasures.erase(EraseRequest(subject=TEAM, everything=True))
    assert [trace.record.request.reads for trace in await store.traces.list_all()] == [(ANA,), (ANA,)]
    await store.erasures.erase(EraseRequest(subject=ANA, everything=True))
    assert [trace.home for trace in await store.traces.list_all()] == [BEN]


async def test_long_names_of_models_are_cut(store: Store, clock: FakeClock) -> None:
    await ask(store, clock, request=MemoryRequest(destination=Destination(model="m" * 10_000 + "\0")))
    [found] = await store.traces.list(ANA)
    assert found.record.request.destination == Destination(model="m" * 200)
    assert found.record.request.considered is None


async def test_an_unknown_conversation_or_id_has_no_trace(store: Store, clock: FakeClock) -> None:
    await ask(store, clock)
    [found] = await store.traces.list(ANA)
    for conversation, id_ in ((found.conversation, new_id(clock)), (found.conversation, "no id"), ("no id", None)):
        assert await store.traces.within(ANA, ConversationId(conversation), id=id_) == []
    assert await store.traces.within(BEN, found.conversation) == []
    with pytest.raises(BadRequestError, match="cursor"):
        await store.traces.list(ANA, before=(clock.now(), "no id"))
