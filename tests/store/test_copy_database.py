"""A copy is complete: the same memories in the same order with the same scores, on every pair of databases."""

import asyncio
from itertools import product
from pathlib import Path
from threading import Thread

import pytest

from database_contents import QuietBar, everything
from factories import ANA, BEN, add, memory, turn
from populated import ERASED, QUERIES, SPACE, WHO, opened, populate
from postgres_server import programs
from sample_chats import assistant, user
from soak import whole_only
from stores import DURABLE, url_of
from toldonce.engine.databases import copy_database
from toldonce.errors import BadRequestError, StoreUnavailableError, UnreadableStoreError
from toldonce.store.factory import open_store
from toldonce.store.sql.tables import TABLES
from toldonce.store.sql.transfer.endpoint import CopyMarker, set_mark
from toldonce.store.sqlite.connection import DatabaseLocation, open_writer
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, Subject, SubjectSnapshot

# From one database into the other both are read and written; from one into its own kind, in a long run.
WAYS = [
    pytest.param(ways, marks=whole_only if len(set(ways)) < min(2, len(DURABLE)) else (), id="-to-".join(ways))
    for ways in product(DURABLE, DURABLE)
]


def urls(ways: tuple[str, str], folder: Path) -> tuple[str, str]:
    for name in ("here", "there"):
        (folder / name).mkdir(exist_ok=True)
    return url_of(ways[0], folder / "here"), url_of(ways[1], folder / "there")


async def snapshots(url: str) -> list[SubjectSnapshot]:
    store = await open_store(url, clock=FakeClock())
    found = [await store.snapshots.snapshot(Subject.parse(name), SPACE) for name in WHO]
    await store.close()
    return found


@pytest.mark.parametrize("ways", WAYS)
async def test_a_copy_recalls_the_same_in_the_same_order_with_the_same_scores(
    ways: tuple[str, str], tmp_path: Path
) -> None:
    source, destination = urls(ways, tmp_path)
    await populate(source)
    bar = QuietBar()
    copied = copy_database(source, destination, progress=bar)
    here, there = await everything(source), await everything(destination)
    assert here == there
    assert sum(bool(here[name, query]) for name in WHO for query in QUERIES) >= 20
    assert {name for name, count in copied.rows.items() if count} >= {table.name for table in TABLES} - {
        "api_key",
        "audit",
        "tool_call",
        "energy_poll",
        "subject_key",
        "user_alias",
    }
    assert copied.rows["vector"] < sum([len(snapshot.vectors) for snapshot in await snapshots(destination)]), (
        "some have several"
    )
    assert copied.subjects == len(here["subjects"])
    assert (copied.resumed, copied.copied_anew, copied.moved) == (False, 0, False)
    assert [phase for phase, _ in bar.phases] == ["copying", "comparing"]
    assert len({total for _, total in bar.phases}) == 1
    assert copied.digest == copy_database(destination, urls(ways, tmp_path / "here")[1], progress=bar).digest


async def test_what_was_erased_stays_erased_in_a_copy_when_a_client_sends_it_again(
    way: tuple[str, str], tmp_path: Path
) -> None:
    source, destination = urls(way, tmp_path)
    await populate(source)
    copy_database(source, destination, progress=QuietBar())
    again = [user(ERASED), assistant("A green door."), user("My car is a small van."), assistant("A van.")]
    async with opened(destination) as engine:
        told = [*again, user("It is blue."), assistant("Blue.")]
        recorded = await engine.record(told, user="ben", conversation="locker")
        assert recorded.appended == (5, 6)
        await engine.form()
        assert not [row for row in await engine.list(user="ben", kinds=tuple(MemoryKind)) if "door" in row.text]
        fresh = await engine.record(told, user="ben")
        assert [message.text for message in await engine.conversations.messages(fresh.conversation, user="ben")][
            :2
        ] == ["", ""]


async def test_a_copy_can_be_worked_with_at_once(way: tuple[str, str], tmp_path: Path) -> None:
    """No lease came over, numbers of new spaces go on behind the old ones, and memories are added and found."""
    source, destination = urls(way, tmp_path)
    await populate(source)
    copy_database(source, destination, progress=QuietBar())
    store = await open_store(destination, clock=FakeClock())
    await store.memories.apply(ANA, [add(memory("Ana paints.", clock=FakeClock()), space="another-4")], [])
    assert len(await store.snapshots.snapshot(ANA, "another-4")) > 1
    await store.close()
    async with opened(destination) as engine:
        assert await engine.form() >= 2
        assert (await engine.admin.stats()).formations_due == 0
        assert "cello" in (await engine.search("Who plays the cello?", user="ana")).items[0].memory.text
        assert (await engine.admin.stats(check=True)).problems == ()


@pytest.fixture(params=["file-to-postgres", "postgres-to-file"] if programs() else ["file-to-file"])
def way(request: pytest.FixtureRequest) -> tuple[str, str]:
    here, _, there = request.param.partition("-to-")
    return here, there


async def kept(url: str, *texts: str, subject: Subject = ANA) -> None:
    store = await open_store(url, clock=FakeClock())
    for text in texts:
        await store.conversations.record(turn(text, f"ok {text}", subject=subject))
    await store.close()


async def said(url: str, subject: Subject = ANA) -> set[str]:
    store = await open_store(url, clock=FakeClock())
    found = {
        message.text
        for chat in await store.conversations.list(subject)
        for message in await store.conversations.messages(subject, chat.id)
        if message.role == "user"
    }
    await store.close()
    return found


async def test_a_destination_that_holds_something_is_refused_and_left_as_it_is(
    way: tuple[str, str], tmp_path: Path
) -> None:
    source, destination = urls(way, tmp_path)
    await kept(source, "here")
    await kept(destination, "there", subject=BEN)
    with pytest.raises(BadRequestError, match="is not empty"):
        copy_database(source, destination, progress=QuietBar())
    assert await said(destination, BEN) == {"there"}
    assert await said(destination) == set()


async def test_a_database_is_not_copied_into_itself_or_memory_or_from_nothing(tmp_path: Path) -> None:
    source, destination = urls(("file", "file"), tmp_path)
    await kept(source, "here")
    for wrong, why in (
        ((source, source), "same database"),
        ((source, "sqlite:///:memory:"), "one process alone"),
        ((f"sqlite:///{tmp_path}/nothing.sqlite3", destination), "no such file"),
    ):
        with pytest.raises(BadRequestError, match=why):
            copy_database(*wrong, progress=QuietBar())
    assert not (tmp_path / "nothing.sqlite3").exists()


async def test_a_destination_that_another_process_has_open_is_refused(tmp_path: Path) -> None:
    source, destination = urls(("file", "file"), tmp_path)
    await kept(source, "here")
    store = await open_store(destination, clock=FakeClock())
    with pytest.raises(StoreUnavailableError, match="open in another process"):
        copy_database(source, destination, progress=QuietBar())
    await store.close()


class StoppingBar(QuietBar):
    """Ends the copy, as Ctrl-C does, when so many phases have begun."""

    def __init__(self, phases: int) -> None:
        super().__init__()
        self._left = phases

    def begin(self, phase: str, unit: str, total: int) -> None:
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("phases", [1, 2])
async def test_an_unfinished_copy_cannot_be_opened_and_resumes_with_later_changes(
    way: tuple[str, str], tmp_path: Path, phases: int
) -> None:
    source, destination = urls(way, tmp_path)
    await kept(source, "first")
    await kept(source, "of ben", subject=BEN)
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, destination, progress=StoppingBar(phases))
    with pytest.raises(UnreadableStoreError, match="not finished"):
        await open_store(destination, clock=FakeClock())
    with pytest.raises(UnreadableStoreError, match="not finished"):
        copy_database(destination, urls(way, tmp_path / "here")[1], progress=QuietBar())
    await kept(source, "second")
    copied = copy_database(source, destination, progress=QuietBar())
    assert copied.resumed
    assert copied.copied_anew == phases - 1, "after the first phase all are there, and one has changed"
    assert await said(destination) == {"first", "second"}
    assert await said(destination, BEN) == {"of ben"}


async def test_a_copy_begun_from_another_database_does_not_go_on_with_this_one(
    way: tuple[str, str], tmp_path: Path
) -> None:
    source, destination = urls(way, tmp_path)
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    await kept(source, "here")
    await kept(other, "other")
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, destination, progress=StoppingBar(2))
    with pytest.raises(BadRequestError, match="copy of another database was begun"):
        copy_database(other, destination, progress=QuietBar())
    copy_database(source, destination, progress=QuietBar())
    assert await said(destination) == {"here"}


class WritingBar(QuietBar):
    """Lets somebody write to the source while it is copied."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    def begin(self, phase: str, unit: str, total: int) -> None:
        writer = Thread(target=lambda: asyncio.run(kept(self._url, f"while {phase}")))
        writer.start()
        writer.join()


async def test_a_source_in_use_is_copied_as_of_the_start_and_the_copy_says_so(
    way: tuple[str, str], tmp_path: Path
) -> None:
    source, destination = urls(way, tmp_path)
    await kept(source, "before")
    copied = copy_database(source, destination, progress=WritingBar(source))
    assert copied.moved
    assert await said(destination) == {"before"}
    assert await said(source) == {"before", "while copying", "while comparing"}


async def test_a_destination_that_loses_a_row_during_the_copy_is_reported(tmp_path: Path) -> None:
    source, destination = urls(("file", "file"), tmp_path)
    await kept(source, "before")

    class Thief(QuietBar):
        def begin(self, phase: str, unit: str, total: int) -> None:
            if phase == "comparing":
                db = open_writer(DatabaseLocation(path=destination.removeprefix("sqlite:///")))
                db.execute("UPDATE message SET text = 'another' WHERE seq = 1")
                db.close()

    with pytest.raises(StoreUnavailableError, match="does not hold what"):
        copy_database(source, destination, progress=Thief())


def test_a_mark_in_a_file_keeps_its_store_closed(tmp_path: Path) -> None:
    db = open_writer(DatabaseLocation(path=str(tmp_path / "half.sqlite3")))
    set_mark(db, CopyMarker(source="x", next_subject=0))
    db.close()
    with pytest.raises(UnreadableStoreError, match="db copy"):
        copy_database(
            f"sqlite:///{tmp_path / 'half.sqlite3'}", f"sqlite:///{tmp_path / 'new.sqlite3'}", progress=QuietBar()
        )


async def test_a_finished_copy_is_compared_again_and_never_written_over(way: tuple[str, str], tmp_path: Path) -> None:
    source, destination = urls(way, tmp_path)
    await kept(source, "here")
    first = copy_database(source, destination, progress=QuietBar())
    again = copy_database(source, destination, progress=QuietBar())
    assert (again.resumed, again.digest) == (True, first.digest)
    await kept(destination, "there")
    with pytest.raises(BadRequestError, match="finished copy"):
        copy_database(source, destination, progress=QuietBar())
    assert await said(destination) == {"here", "there"}
