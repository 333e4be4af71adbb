"""What the operator is told about a store."""

import apsw

from factories import ANA, BEN, SPACE, add, due, evidence, memory, turn
from toldonce.ids import id_bytes
from toldonce.store.factory import open_store
from toldonce.store.postgres.migrate import migrations
from toldonce.store.sqlite.migrate import newest_schema
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind


async def test_all_that_is_kept_is_counted(store: Store, clock: FakeClock) -> None:
    await store.conversations.record(turn("a", "b", formations=[due(due_at=clock.now()), due(stage="index")]))
    await store.conversations.record(turn("a", "b", "c", "d", subject=BEN))
    await store.memories.apply(ANA, [add(memory("one", clock=clock))], [])
    found = await store.admin.stats(check=True)

    assert (found.subjects, found.conversations, found.messages) == (2, 2, 6)
    assert (found.memories, found.formations_due, found.formations_parked) == (1, 2, 0)
    newest = newest_schema() if found.url.startswith("sqlite:") else migrations()[-1][0]
    assert (found.spaces, found.schema, found.problems) == ((SPACE,), newest, ())
    assert found.bytes > 0


async def test_a_check_names_what_does_not_agree(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    recorded = await store.conversations.record(turn("a", "b", "c", "d"))
    seen = memory("seen", clock=clock)
    quoted = memory("", kind=MemoryKind.TURN, sources=[evidence(recorded.conversation, 2)], clock=clock)
    await store.memories.apply(ANA, [add(seen), add(quoted)], [])
    db = apsw.Connection(url.removeprefix("sqlite:///"))
    db.execute("DELETE FROM message WHERE seq = 2")
    db.execute("DELETE FROM hot WHERE memory = ?", (id_bytes(seen.id),))
    db.close()
    problems = (await store.admin.stats(check=True)).problems
    await store.close()

    assert problems == (
        "1 conversations with a gap in their messages",
        "1 active memories that recall cannot see",
        "1 vectors without an active memory",
        "1 quotations whose message is missing",
    )


async def test_subjects_are_listed_by_name_and_paged(store: Store) -> None:
    for subject in (BEN, ANA):
        await store.conversations.record(turn("a", "b", subject=subject))
    assert await store.admin.subjects() == [ANA, BEN]
    assert await store.admin.subjects(after=ANA.text) == [BEN]
    assert await store.admin.subjects(limit=1) == [ANA]
