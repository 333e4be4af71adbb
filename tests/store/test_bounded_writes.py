"""What one transaction does stays small, however much a subject has: others wait for the one that writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from factories import ANA, BEN, add, decision, memory, recall_record, turn
from toldonce.errors import UnknownMemoryError
from toldonce.ids import new_id
from toldonce.store.sql import idempotency
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.erase import delete
from toldonce.store.sql.erase import insertions as insertions_sql
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    Action,
    CloseMemory,
    EraseRequest,
    IdempotencyKey,
    Memory,
    MemoryId,
    OmittedMemory,
    PromptInsertion,
    RecordedTurn,
    Subject,
)

QUOTING = 7


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insertions_sql, "MAX_EMPTIED", 3)
    monkeypatch.setattr(idempotency, "_PRUNED_AT_ONCE", 3)


async def known(store: Store, clock: FakeClock, text: str) -> Memory:
    made = memory(text, subject=ANA, clock=clock)
    await store.memories.apply(ANA, [add(made)], [])
    return made


async def quoted(store: Store, clock: FakeClock, *subjects: Subject) -> None:
    """Insert texts that quote messages, each in a prompt of its own."""
    for subject in subjects:
        rows = [
            PromptInsertion(
                thread=chain,
                chain=chain,
                depth=1,
                id=new_id(clock),
                at=clock.now(),
                recalled="What was said.",
                quotes_messages=True,
            )
            for chain in range(1, QUOTING + 1)
        ]
        for row in rows:
            await store.insertions.add(subject, [row])


async def emptied(store: Store, subject: Subject) -> int:
    rows = (await store.insertions.find(subject, range(1, QUOTING + 1))).insertions
    assert all(row.erased is not bool(row.recalled) for row in rows)
    return sum(row.erased for row in rows)


@contextmanager
def transactions(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Count the transactions that empty some texts, before the one that erases or forgets empties the rest."""
    counted: list[str] = []
    empties = insertions_sql.empty_quoting

    def empty(db: SqlConnection, key: int, **more: Any) -> int:
        counted.extend(["transaction"] if "limit" in more else [])
        return empties(db, key, **more)

    with monkeypatch.context() as patched:
        patched.setattr(insertions_sql, "empty_quoting", empty)
        yield counted


async def recorded(store: Store) -> RecordedTurn:
    return await store.conversations.record(turn("I was in Rome.", "Nice."))


async def test_erasing_a_message_empties_the_texts_that_quote_some_of_them_at_a_time(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = await recorded(store)
    await quoted(store, clock, ANA, BEN)
    with transactions(store, monkeypatch) as counted:
        done = await store.erasures.erase(EraseRequest(subject=ANA, conversation=said.conversation, seqs=(1,)))

    assert len(counted) == 2
    assert done.counts["insertions"] == await emptied(store, ANA) == QUOTING
    assert await emptied(store, BEN) == 0


async def test_forgetting_empties_the_texts_that_quote_some_of_them_at_a_time(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rome = await known(store, clock, "Ana was in Rome.")
    await quoted(store, clock, ANA)
    close = CloseMemory(id=rome.id, valid_to=clock.now(), closed_at=clock.now(), forgotten=True)
    with transactions(store, monkeypatch) as counted:
        await store.memories.apply(ANA, [close], [decision(rome, Action.CLOSE)])

    assert len(counted) == 2
    assert await emptied(store, ANA) == QUOTING


async def test_an_order_that_erases_no_message_empties_no_text(store: Store, clock: FakeClock) -> None:
    rome, said = await known(store, clock, "Ana was in Rome."), await recorded(store)
    await quoted(store, clock, ANA)
    for order in (
        EraseRequest(subject=ANA, memories=(rome.id,), keep_messages=True),
        EraseRequest(subject=ANA, conversation=said.conversation, seqs=(99,)),
    ):
        await store.erasures.erase(order)
    with pytest.raises(UnknownMemoryError):
        await store.erasures.erase(EraseRequest(subject=ANA, memories=(MemoryId(new_id(clock)),)))

    assert await emptied(store, ANA) == 0


async def test_old_keys_of_requests_are_deleted_some_at_a_time(store: Store, clock: FakeClock) -> None:
    keys = [IdempotencyKey(subject=ANA, key=bytes([number]) * 16, request=b"a") for number in range(8)]
    for key in keys:
        await store.idempotency.claim(key, clock.now())
    clock.advance(seconds=timedelta(days=2).total_seconds())
    kept = replace(keys[0], key=bytes([99]) * 16)
    await store.idempotency.claim(kept, clock.now())

    await store.idempotency.prune(clock.now())

    again = [await store.idempotency.claim(replace(key, request=b"b"), clock.now()) for key in (*keys, kept)]
    assert [claim.state.name for claim in again] == ["CLAIMED"] * 8 + ["REUSED"]


@pytest.mark.parametrize("looked_for", [0, 50])
async def test_what_is_erased_leaves_each_injection_that_names_it(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, looked_for: int
) -> None:
    monkeypatch.setattr(delete, "MAX_LOOKED_FOR", looked_for)
    rome, oslo = await known(store, clock, "Ana was in Rome."), await known(store, clock, "Ana was in Oslo.")
    records = [
        recall_record((ANA, rome.id, 0.5), (ANA, oslo.id, 0.4)),
        recall_record((ANA, oslo.id, 0.5)),
        replace(
            recall_record((ANA, oslo.id, 0.3)), omitted=(OmittedMemory(id=rome.id, reason=f"says what {oslo.id} says"),)
        ),
        replace(recall_record(), omitted=(OmittedMemory(id=oslo.id, reason=f"says what {rome.id} says"),)),
    ]
    for number, record in enumerate(records):
        await store.conversations.record(replace(turn(f"Q{number}", "A"), recall=replace(record, id=new_id(clock))))

    await store.erasures.erase(EraseRequest(subject=ANA, memories=(rome.id,)))

    found = await store.conversations.injections(ANA)
    assert sorted(len(record.items) for record in found) == [0, 1, 1, 1]
    assert [record.omitted for record in found if record.omitted] == []
