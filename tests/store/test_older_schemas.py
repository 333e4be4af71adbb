"""A database of each schema in the history opens with what it holds, and goes on. Its rows fill the columns of then."""

import asyncio
from contextlib import closing
from pathlib import Path

import apsw
import psycopg
import pytest

from populated import WHO, opened, populate
from postgres_server import NEEDS_POSTGRES, shared_server
from sample_chats import assistant, user
from soak import sampled
from stores import url_of
from toldonce.engine import AsyncToldOnce
from toldonce.settings import SQLITE
from toldonce.store.postgres import migrate as postgres
from toldonce.store.sqlite import migrate as sqlite
from toldonce.types import Subject

Texts = dict[str, list[str]]

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'toldonce' AND tablename <> 'migration'"
_COLUMNS = "SELECT column_name FROM information_schema.columns WHERE table_schema = 'toldonce' AND table_name = %s"


async def texts(engine: AsyncToldOnce) -> Texts:
    """Return the texts of the memories of each subject."""
    return {who: sorted(memory.text for memory in await engine.list(user=Subject.parse(who))) for who in WHO}


async def texts_of_new(url: str) -> Texts:
    """Populate an empty database; return its texts."""
    await populate(url)
    async with opened(url) as engine:
        return await texts(engine)


async def is_whole(url: str, before: Texts, caplog: pytest.LogCaptureFixture, migrated: tuple[int, int]) -> None:
    """Open a database; see that it says so, that nothing is missing, and that it finds, records and forms."""
    caplog.set_level("INFO", logger="toldonce.store")
    async with opened(url) as engine:
        said = [vars(record) for record in caplog.records if record.getMessage() == "database migrated"]
        assert [(fields["before"], fields["after"]) for fields in said] == [migrated]
        assert await texts(engine) == before
        found = await engine.search("What should I avoid at a restaurant?", user="ana")
        assert "peanuts" in found.items[0].memory.text
        await engine.record([user("I play the oboe."), assistant("How nice.")], user="ana")
        await engine.form()
        assert any("oboe" in memory.text for memory in await engine.list(user="ana"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Texts]:
    path = tmp_path_factory.mktemp("today") / "today.sqlite3"
    return path, asyncio.run(texts_of_new(f"{SQLITE}{path}"))


@pytest.mark.soak
@pytest.mark.parametrize("number", sampled(range(1, sqlite.newest_schema()), 4))
async def test_a_file_of_an_older_schema_is_whole(
    number: int, file: tuple[Path, Texts], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    today, before = file
    path = tmp_path / "older.sqlite3"
    known = sqlite.migrations()[:number]
    with closing(apsw.Connection(str(path))) as db, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "migrations", lambda: known)
        sqlite.migrate(db)
        db.execute("ATTACH ? AS today", (str(today),))
        tables = [str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        with db:
            db.execute("DELETE FROM meta")
            for table in tables:
                columns = ", ".join(
                    f'"{name}"' for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))
                )
                db.execute(f'INSERT INTO "{table}" ({columns}) SELECT {columns} FROM today."{table}"')  # noqa: S608
    await is_whole(f"{SQLITE}{path}", before, caplog, (number, sqlite.newest_schema()))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Texts]:
    """A populated database, an empty one, and the texts of the first."""
    today = url_of("postgres", tmp_path_factory.mktemp("today"))
    return today, shared_server().new_database("older_schema"), asyncio.run(texts_of_new(today))


@NEEDS_POSTGRES
@pytest.mark.soak
@pytest.mark.parametrize("number", sampled(range(1, postgres.newest_schema()), 7))
async def test_a_server_of_an_older_schema_is_whole(
    number: int, server: tuple[str, str, Texts], caplog: pytest.LogCaptureFixture
) -> None:
    today, older, before = server
    known = postgres.migrations()[:number]
    with psycopg.connect(today) as source, psycopg.connect(older) as db, pytest.MonkeyPatch.context() as patch:
        db.execute("DROP SCHEMA IF EXISTS toldonce CASCADE")
        db.commit()
        patch.setattr(postgres, "migrations", lambda: known)
        postgres.prepare(older)
        db.execute("DELETE FROM toldonce.meta")
        for (table,) in db.execute(_TABLES).fetchall():
            columns = ", ".join(f'"{name}"' for (name,) in db.execute(_COLUMNS, (table,)))
            with (
                source.cursor().copy(f"COPY (SELECT {columns} FROM toldonce.{table}) TO STDOUT".encode()) as rows,  # noqa: S608
                db.cursor().copy(f"COPY toldonce.{table} ({columns}) FROM STDIN".encode()) as copied,
            ):
                for row in rows:
                    copied.write(row)
    await is_whole(older, before, caplog, (number, postgres.newest_schema()))
