"""A user without rights, who owns the schema and nothing else, is enough; what needs more says so. Starts a server."""

from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import errors

from postgres_server import NEEDS_POSTGRES, shared_server
from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import distribute_database
from toldonce.errors import StaleSubjectError, StoreUnavailableError, UnreadableStoreError
from toldonce.store.encryption.keyring_server import ServerLink
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import SCHEMA
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.migrate import prepare
from toldonce.testing import FakeClock, WordEmbedder

pytestmark = NEEDS_POSTGRES
DOUBLE = (Path(__file__).parent / "citus_double.sql").read_text("utf-8")
_numbers = count(1)


@pytest.fixture
def place() -> tuple[str, str]:
    """Return the URL of a new database as its administrator and as a user who may connect, with the extension made."""
    admin = shared_server().new_database(f"rights{next(_numbers)}")
    role = urlsplit(admin).path.removeprefix("/")
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute("CREATE EXTENSION vector")
        db.execute(f"REVOKE ALL ON DATABASE {role} FROM PUBLIC")
        db.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'a' NOSUPERUSER NOCREATEDB NOCREATEROLE")
        db.execute(f"GRANT CONNECT, TEMPORARY ON DATABASE {role} TO {role}")
    parts = urlsplit(admin)
    host = parts.netloc.rpartition("@")[2]
    return admin, urlunsplit(parts._replace(netloc=f"{role}:a@{host}"))


def give_schema(place: tuple[str, str]) -> None:
    admin, url = place
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute(f"CREATE SCHEMA {SCHEMA} AUTHORIZATION {urlsplit(url).username}")


def test_without_a_schema_the_error_says_what_an_administrator_does(place: tuple[str, str]) -> None:
    with pytest.raises(UnreadableStoreError, match=f"CREATE SCHEMA {SCHEMA} AUTHORIZATION"):
        prepare(place[1])


async def test_the_owner_of_the_schema_alone_does_everything_but_rewrite(
    place: tuple[str, str], clock: FakeClock
) -> None:
    give_schema(place)
    url = place[1]
    async with await AsyncToldOnce.open(url, embedder=WordEmbedder(), clock=clock) as engine:
        said = [{"role": "user", "content": "I live in Rome."}, {"role": "assistant", "content": "Noted."}]
        await engine.record(said, user="ana")
        assert await engine.form() > 0
        added = await engine.add("Ana plays the cello.", user="ana")
        assert added is not None
        assert await engine.search("cello", user="ana")
        await engine.admin.ping_all()
        await engine.admin.stats(check=True)
        receipt = await engine.erasure.subject("ana")
        assert receipt.places
    store = await open_store(url, clock=clock)
    try:
        with pytest.raises(UnreadableStoreError, match="GRANT pg_checkpoint TO"):
            await store.database.scrub(wait_ms=0, rewrite=True)
        with psycopg.connect(place[0], autocommit=True) as db:
            db.execute(f"GRANT pg_checkpoint TO {urlsplit(url).username}")
        assert await store.database.scrub(wait_ms=0, rewrite=True)
    finally:
        await store.close()


def test_the_owner_of_the_schema_keeps_a_keyring_in_it(place: tuple[str, str]) -> None:
    with pytest.raises(UnreadableStoreError, match=f"CREATE SCHEMA {SCHEMA} AUTHORIZATION"):
        ServerLink(place[1], create=True)
    give_schema(place)
    for _ in range(2):
        ServerLink(place[1], create=True).close()


def test_the_owner_of_the_schema_distributes_it(place: tuple[str, str]) -> None:
    admin, url = place
    give_schema(place)
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute(DOUBLE)
        db.execute("INSERT INTO pg_dist_node VALUES ('primary', true, true)")
        role = urlsplit(url).username
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
        # What Citus says to who does not own an extension and asks for it to be made.
        db.execute(
            "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS "
            "$$BEGIN RAISE insufficient_privilege USING MESSAGE = 'must be owner of extension vector'; END$$"
        )
        db.execute(
            "CREATE EVENT TRIGGER owners ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION') "
            "EXECUTE FUNCTION refuse()"
        )
    assert "memory" in distribute_database(url, shards=4).distributed


def test_a_duplicate_that_citus_reports_within_a_copy_is_one() -> None:
    told = errors.InternalError_('duplicate key value violates unique constraint "message_pkey_102031"')
    assert isinstance(fault(told, "there"), StaleSubjectError)
    assert isinstance(fault(errors.UniqueViolation("duplicate key"), "there"), StaleSubjectError)
    assert isinstance(fault(errors.InternalError_("cache lookup failed"), "there"), StoreUnavailableError)
