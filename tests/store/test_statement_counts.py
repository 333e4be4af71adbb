"""How many statements usual operations send: an upper bound for each, so that they do not grow unnoticed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from factories import ANA, add, memory
from statement_counter import StatementCounter
from stores import DURABLE, new_store
from toldonce.chat.formats.openai_chat import request_of
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Identity, Subject

TALK = [
    {"role": "user", "content": "I live in Rome and I work as a baker."},
    {"role": "assistant", "content": "Nice!"},
    {"role": "user", "content": "My favourite colour is green, and I adopted a cat named Tofu."},
    {"role": "assistant", "content": "Lovely."},
]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> StatementCounter:
    return StatementCounter(monkeypatch)


@pytest.fixture
async def engine(statements: StatementCounter, tmp_path: Path, clock: FakeClock) -> AsyncIterator[AsyncToldOnce]:
    opened = await AsyncToldOnce.open(tmp_path / "toldonce.sqlite3", embedder=WordEmbedder(), clock=clock)
    async with opened:
        await opened.add("I like tea in the morning.", user="ana")
        yield opened


async def test_an_add_sends_few_statements(engine: AsyncToldOnce, statements: StatementCounter) -> None:
    await engine.search("tea", user="ana")
    with statements.counted() as sent:
        await engine.add("The violin belongs to Mia.", user="ana")

    assert len(sent) <= 10, sent


async def test_an_add_after_another_reads_no_memories(engine: AsyncToldOnce, statements: StatementCounter) -> None:
    await engine.search("tea", user="ana")
    await engine.add("The flute belongs to Eve.", user="ana")
    with statements.counted() as sent:
        await engine.add("The violin belongs to Mia.", user="ana")
        await engine.add("The cello belongs to Tom.", user="ana")

    assert len(sent) == 16, sent
    read = [sql for sql in sent if sql.startswith(("SELECT", "WITH", "--"))]
    assert all(sql.startswith("SELECT id, dim FROM space") for sql in read), read
    assert sum(sql.startswith("BEGIN") for sql in sent) == 2


async def test_a_search_after_an_add_reads_no_changes(engine: AsyncToldOnce, statements: StatementCounter) -> None:
    await engine.search("tea", user="ana")
    await engine.add("The violin belongs to Mia.", user="ana")
    with statements.counted() as sent:
        found = await engine.search("violin", user="ana")

    assert found.items[0].memory.text == "The violin belongs to Mia."
    assert not [sql for sql in sent if "FROM hot" in sql], sent


async def test_many_notes_of_one_call_share_what_is_said_once(
    engine: AsyncToldOnce, statements: StatementCounter
) -> None:
    texts = [f"Shelf {number} holds boxes." for number in range(100)]
    with statements.counted() as sent:
        await engine.bulk.add(texts, user="ana")

    rows = [sql for sql in sent if sql.startswith("INSERT INTO")]
    assert len(rows) == 4 * len(texts)  # the memory, its words, its vector and its decision
    assert len(sent) - len(rows) <= 11


async def test_a_recorded_turn_sends_few_statements(engine: AsyncToldOnce, statements: StatementCounter) -> None:
    await engine.record(TALK[:2], user="ana")
    with statements.counted() as sent:
        await engine.record(TALK, user="ana")

    assert len(sent) <= 18, sent


async def test_a_formed_turn_sends_few_statements(engine: AsyncToldOnce, statements: StatementCounter) -> None:
    await engine.record(TALK[:2], user="ana")
    await engine.form()
    await engine.record(TALK, user="ana")
    with statements.counted() as sent:
        assert await engine.form() == 2

    assert sum(sql.startswith("BEGIN IMMEDIATE") for sql in sent) <= 3
    assert sum(sql.startswith("SELECT name, version, space FROM subject") for sql in sent) <= 16
    assert len(sent) <= 120, sent


async def test_a_chat_sends_few_statements_with_its_request(
    engine: AsyncToldOnce, statements: StatementCounter
) -> None:
    await engine.search("tea", user="ana")
    messages: list[dict[str, str]] = []
    sent_for: list[list[str]] = []
    for number in range(3):
        messages.append({"role": "user", "content": f"Which tea do I like, {number}?"})
        request, identity = request_of(messages), Identity(subject=Subject("user", "ana"))
        with statements.counted() as sent:
            prepared = await engine.turns.prepare(request, identity)
            assert prepared.entry is not None
            assert prepared.entry.writing is not None
            await prepared.entry.writing  # it writes while the prompt is on its way
        sent_for.append(sent)
        answer = Reply(text=f"Tea number {number}.", complete=True)
        await engine.turns.finish(request, identity, answer, prepared)
        await engine.form()  # else the next recall reads what waits to be indexed
        messages.append({"role": "assistant", "content": answer.text})

    first, *later = [[sql for sql in sent if "SELECT" in sql] for sent in sent_for]
    assert len(first) <= 8, first
    for selects in later:
        # The ledger, the states of what it shows, what waits to be indexed, the time zone, the subject's version and at
        # most its changes; and three of the write to the ledger.
        assert len(selects) <= 9, selects


@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("count", [1, 20])
async def test_uses_of_many_memories_are_noted_at_once(
    kind: str, count: int, statements: StatementCounter, tmp_path: Path, clock: FakeClock
) -> None:
    store = await new_store(kind, tmp_path, clock)
    memories = [memory(f"note {number}", clock=clock) for number in range(count)]
    await store.memories.apply(ANA, [add(known) for known in memories], [])
    with statements.counted() as sent:
        await store.memories.record_uses(ANA, [known.id for known in memories], clock.now())
        await store.close()

    # A file takes the rows of one `executemany` one by one.
    assert len({sql for sql in sent if sql.startswith(("UPDATE", "WITH", "SELECT"))}) <= 4, sent
    reopened = await new_store(kind, tmp_path, clock)
    assert {known.uses for known in await reopened.memories.get_many(ANA, [known.id for known in memories])} == {1}
    await reopened.close()
