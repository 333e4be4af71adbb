"""The injection ledger in the store: rows are found by chain, follow their conversation, and outlive the process."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

import pytest

from factories import ANA, BEN, add, decision, memory, turn
from toldonce.errors import BadRequestError, StaleSubjectError
from toldonce.ids import new_id
from toldonce.store.sql.database import SqlConnection, SqlCursor
from toldonce.store.sql.log import insertions
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    MAX_THREAD_CHARACTERS,
    Action,
    CloseMemory,
    EraseRequest,
    InjectionRecord,
    LedgerRows,
    Memory,
    MemoryId,
    OmittedMemory,
    PromptInsertion,
    Subject,
)

THREAD, OTHER = 7, -(2**63)
MAX_ROWS = 12
"""Limit of a thread here: that of the product takes hundreds of commits to reach."""


@pytest.fixture(autouse=True)
def _small_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insertions, "MAX_INSERTIONS_PER_THREAD", MAX_ROWS)


def insertion(
    clock: FakeClock, chain: int, *shown: Memory, thread: int = THREAD, depth: int = 1, recalled: str = "Tea."
) -> PromptInsertion:
    """Make an insertion at a chain."""
    return PromptInsertion(
        thread=thread,
        chain=chain,
        depth=depth,
        id=new_id(clock),
        at=clock.now(),
        recalled=recalled,
        items=tuple((known.subject, known.id) for known in shown),
    )


async def known(store: Store, clock: FakeClock, text: str, subject: Subject = ANA) -> Memory:
    """Store a memory."""
    made = memory(text, subject=subject, clock=clock)
    await store.memories.apply(subject, [add(made)], [])
    return made


async def test_an_insertion_is_found_by_its_chain_byte_for_byte(store: Store, clock: FakeClock) -> None:
    shown = await known(store, clock, "Ana likes tea.")
    full = replace(
        insertion(clock, -5, shown, recalled="Zoë’s 蜜蜂 🐝\r\n\u2028 end"),
        standing="<memory>\n- tea\n</memory>",
        withdrawn=(MemoryId(new_id(clock)),),
        quotes_messages=True,
        sent_bytes=1234,
        sent_hash="abc",
    )
    empty = insertion(clock, 2**63 - 1, thread=OTHER, recalled="")
    for each in (full, empty):
        await store.insertions.add(ANA, [each])

    assert await store.insertions.find(ANA, [1, -5, 2**63 - 1]) == LedgerRows(insertions=(full, empty))
    assert await store.insertions.find(ANA, [1, 2]) == LedgerRows()
    assert await store.insertions.find(ANA, []) == LedgerRows()


async def test_a_chain_finds_the_rows_of_all_threads_by_depth(store: Store, clock: FakeClock) -> None:
    rows = [
        insertion(clock, chain, thread=thread, depth=chain, recalled=f"{chain}")
        for chain, thread in ((3, THREAD), (1, OTHER), (1, THREAD))
    ]
    for row in rows:
        await store.insertions.add(ANA, [row])
        clock.advance(seconds=1)

    found = await store.insertions.find(ANA, [3, 2, 1])

    assert found.insertions == (rows[1], rows[2], rows[0])


async def test_insertions_of_another_subject_are_not_found(store: Store, clock: FakeClock) -> None:
    await store.insertions.add(ANA, [insertion(clock, 1)])

    assert await store.insertions.find(BEN, [1]) == LedgerRows()
    await store.insertions.drop(BEN, THREAD, [1])
    assert [subject.text for subject in await store.admin.subjects()] == [ANA.text]


async def test_a_new_insertion_at_the_same_chain_replaces_the_old_one(store: Store, clock: FakeClock) -> None:
    tea, cake = await known(store, clock, "Ana likes tea."), await known(store, clock, "Ana likes cake.")
    await store.insertions.add(ANA, [insertion(clock, 1, tea)])
    again = insertion(clock, 1, cake, recalled="Cake.")
    await store.insertions.add(ANA, [again])

    assert (await store.insertions.find(ANA, [1])).insertions == (again,)


async def test_a_dropped_insertion_stays_without_text(store: Store, clock: FakeClock) -> None:
    tea = await known(store, clock, "Ana likes tea.")
    refused = replace(insertion(clock, 1, tea), standing="S", sent_bytes=9, sent_hash="h", quotes_messages=True)
    await store.insertions.add(ANA, [refused])
    await store.insertions.drop(ANA, THREAD, [1])

    [found] = (await store.insertions.find(ANA, [1])).insertions

    assert found == replace(
        refused, standing="", recalled="", items=(), sent_bytes=0, sent_hash="", quotes_messages=False
    )


async def test_a_recorded_turn_marks_the_answer_its_thread_went_on_with(store: Store, clock: FakeClock) -> None:
    await store.insertions.add(ANA, [insertion(clock, 1)])
    said = replace(turn("a", "b"), thread=THREAD, answer_chains=(2,), answer_depth=2)
    await store.conversations.record(said)
    await store.conversations.record(said)

    found = await store.insertions.find(ANA, [1, 2])

    assert [row.chain for row in found.insertions] == [1]
    [mark] = found.answers
    assert (mark.thread, mark.chain, mark.depth, mark.at) == (THREAD, 2, 2, said.said_at)


async def test_a_turn_without_a_thread_leaves_no_mark(store: Store) -> None:
    await store.conversations.record(replace(turn("a", "b"), answer_chains=(2,), answer_depth=2))

    assert await store.insertions.find(ANA, [2]) == LedgerRows()


@pytest.mark.parametrize("large", [True, False])
async def test_a_thread_that_grows_too_large_begins_a_new_ledger(store: Store, clock: FakeClock, large: bool) -> None:
    count = 4 if large else MAX_ROWS
    text = "x" * (MAX_THREAD_CHARACTERS // count) if large else "x"
    await store.insertions.add(ANA, [insertion(clock, -1, thread=OTHER)])
    for number in range(count):
        await store.insertions.add(ANA, [insertion(clock, number, recalled=text)])
    await store.insertions.add(ANA, [insertion(clock, count, recalled="")])
    chains = range(-1, count + 2)
    assert len((await store.insertions.find(ANA, chains)).insertions) == count + 2

    await store.insertions.add(ANA, [insertion(clock, count + 1)])

    assert {row.chain for row in (await store.insertions.find(ANA, chains)).insertions} == {-1, count + 1}


@pytest.mark.parametrize("large", [True, False])
async def test_a_replaced_row_does_not_count_towards_the_limits(store: Store, clock: FakeClock, large: bool) -> None:
    count = 4 if large else MAX_ROWS
    text = "x" * (MAX_THREAD_CHARACTERS // count) if large else "x"
    await store.insertions.add(ANA, [insertion(clock, number, recalled=text) for number in range(count)])

    await store.insertions.add(ANA, [insertion(clock, count - 1, recalled=text)])

    assert len((await store.insertions.find(ANA, range(count))).insertions) == count


async def test_rows_added_together_all_count_towards_the_limit(store: Store, clock: FakeClock) -> None:
    known_rows = [insertion(clock, number) for number in range(MAX_ROWS - 1)]
    await store.insertions.add(ANA, known_rows)
    first, second = len(known_rows), len(known_rows) + 1

    await store.insertions.add(ANA, [insertion(clock, first), insertion(clock, second)])

    found = (await store.insertions.find(ANA, range(second + 1))).insertions
    assert {row.chain for row in found} == {first, second}


async def test_an_insertion_with_an_erased_memory_is_refused(store: Store, clock: FakeClock) -> None:
    tea = await known(store, clock, "Ana likes tea.")
    late = insertion(clock, 1, tea)
    await store.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))

    with pytest.raises(StaleSubjectError, match="erased"):
        await store.insertions.add(ANA, [late])
    assert await store.insertions.find(ANA, [1]) == LedgerRows()


async def test_an_insertion_prepared_before_an_erasure_is_refused(store: Store, clock: FakeClock) -> None:
    await known(store, clock, "Ana likes tea.")
    late = insertion(clock, 1)
    clock.advance(seconds=1)
    await store.erasures.erase(EraseRequest(subject=ANA, everything=True))

    with pytest.raises(StaleSubjectError):
        await store.insertions.add(ANA, [late])
    assert await store.admin.subjects() == []
    await store.insertions.add(ANA, [insertion(clock, 1)])
    assert len((await store.insertions.find(ANA, [1])).insertions) == 1


async def test_a_record_keeps_what_recall_left_out(store: Store, clock: FakeClock) -> None:
    left_out = [OmittedMemory(id=MemoryId(new_id(clock)), reason=f"too long: “{number}”") for number in range(60)]
    record = InjectionRecord(
        id=new_id(clock),
        at=clock.now(),
        query_hash=1,
        items=(),
        block_hash="b",
        tokens=3,
        replayed=2,
        omitted=tuple(left_out),
        prefix="kept",
    )
    await store.conversations.record(turn("a", "b", recall=record))

    assert await store.conversations.injections(ANA) == [replace(record, omitted=tuple(left_out[:50]))]


async def test_an_insertion_with_a_memory_that_ended_meanwhile_is_kept(store: Store, clock: FakeClock) -> None:
    """Its prompt is on its way already, and the next one has to begin with it."""
    tea = await known(store, clock, "Ana likes tea.")
    late = insertion(clock, 1, tea)
    clock.advance(seconds=1)
    await store.memories.apply(ANA, [CloseMemory(id=tea.id, valid_to=clock.now(), closed_at=clock.now())], [])
    await store.insertions.add(ANA, [late])

    assert (await store.insertions.find(ANA, [1])).insertions == (late,)


async def test_an_insertion_with_a_memory_that_was_closed_by_words_is_refused(store: Store, clock: FakeClock) -> None:
    """The words may have asked to forget it; the store has emptied the insertions that were there."""
    tea = await known(store, clock, "Ana likes tea.")
    late = insertion(clock, 1, tea)
    clock.advance(seconds=1)
    close = CloseMemory(id=tea.id, valid_to=clock.now(), closed_at=clock.now(), forgotten=True)
    await store.memories.apply(ANA, [close], [decision(tea, Action.CLOSE, clock=clock)])
    with pytest.raises(StaleSubjectError):
        await store.insertions.add(ANA, [late])


async def test_only_insertions_without_a_conversation_are_pruned(store: Store, clock: FakeClock) -> None:
    tea = await known(store, clock, "Ana likes tea.")
    await store.insertions.add(ANA, [insertion(clock, 1, tea)])
    await store.conversations.record(replace(turn("a", "b"), thread=THREAD, answer_chains=(2,), answer_depth=2))
    for chain in (3, 4, 5):
        await store.insertions.add(ANA, [insertion(clock, chain, tea, thread=OTHER)])
    clock.advance(seconds=1)
    await store.insertions.add(ANA, [insertion(clock, 6, tea, thread=OTHER)])
    at = clock.now()
    clock.advance(days=100)

    assert await store.insertions.prune(BEN, at) == 0
    assert [await store.insertions.prune(ANA, at, limit=2) for _ in range(3)] == [2, 1, 0]
    assert [row.chain for row in (await store.insertions.find(ANA, range(7))).insertions] == [1, 6]


class Counted:
    """A connection that counts what is sent: the rows of one statement go together."""

    def __init__(self, db: SqlConnection) -> None:
        self.db = db
        self.sent: list[str] = []

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlCursor:
        self.sent.append(statement)
        return self.db.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        self.sent.append(statement)
        return self.db.executemany(statement, rows)

    def changes(self) -> int:
        return self.db.changes()

    def __enter__(self) -> object:
        return self.db.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        return self.db.__exit__(kind, error, trace)


async def test_insertions_of_a_prompt_go_in_with_few_statements(store: Store, clock: FakeClock) -> None:
    tea = await known(store, clock, "Ana likes tea.")
    shared = await known(store, clock, "The garden has bees.", Subject("shared", "garden"))
    rows = [insertion(clock, chain, tea, shared, depth=chain, recalled="Tea. Bees.") for chain in range(5)]
    sent: list[str] = []

    def add(db: SqlConnection) -> None:
        counted = Counted(db)
        insertions.add(counted, ANA, rows, b"key")
        sent.extend(counted.sent)

    await store.insertions._executor.write(add, ANA)

    assert (await store.insertions.find(ANA, range(5))).insertions == tuple(rows)
    assert len(sent) == 7, "two for each owner, one about the thread, and one for each table"


async def test_insertions_of_two_threads_are_refused_together(store: Store, clock: FakeClock) -> None:
    with pytest.raises(BadRequestError, match="several threads"):
        await store.insertions.add(ANA, [insertion(clock, 1), insertion(clock, 2, thread=OTHER)])
    assert await store.insertions.find(ANA, [1, 2]) == LedgerRows()
    await store.insertions.add(ANA, [])
