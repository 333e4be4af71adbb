"""A PostgreSQL database of the version before the project was renamed opens, with all that guards it."""

import io
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from populated import opened, populate
from postgres_server import NEEDS_POSTGRES, shared_server
from stores import url_of
from toldonce.engine.databases import enable_row_security, row_security
from toldonce.errors import UnreadableStoreError
from toldonce.store.encryption.keyring_server import ServerLink

pytestmark = NEEDS_POSTGRES
ROLE = "former_owner"
RULES = "SELECT count(*) FROM pg_policies WHERE schemaname = 'toldonce' AND qual LIKE '%toldonce_rls%'"


def age(url: str) -> None:
    """Give a database the names that it had before."""
    with psycopg.connect(url) as db:
        db.execute("ALTER SCHEMA toldonce RENAME TO recollect")
        rows = db.execute("SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = 'recollect'")
        for table, policy, rule in rows.fetchall():
            former = rule.replace("toldonce_rls", "recollect_rls")
            db.execute(f"ALTER POLICY {policy} ON recollect.{table} USING ({former}) WITH CHECK ({former})")


async def exported(url: str) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


def owned(name: str) -> tuple[str, str]:
    """Make a database with a schema of a user who may make none; return its administrator's and its user's URL."""
    admin = shared_server().new_database(name)
    with psycopg.connect(admin, autocommit=True) as db:
        if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
            db.execute(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER")
        db.execute("CREATE EXTENSION vector")
        db.execute(f"CREATE SCHEMA toldonce AUTHORIZATION {ROLE}")
    return admin, f"postgresql://{ROLE}@{urlsplit(admin).hostname}:{urlsplit(admin).port}/{name}"


async def test_everything_is_there_and_found_as_before(tmp_path: Path) -> None:
    url = url_of("postgres", tmp_path)
    await populate(url)
    before = await exported(url)
    age(url)
    assert await exported(url) == before


async def test_tenants_stay_apart(tmp_path: Path) -> None:
    admin, url = owned("former_rls")
    enable_row_security(url)
    age(admin)
    with psycopg.connect(admin, autocommit=True) as db:
        db.execute(f"GRANT CREATE ON DATABASE former_rls TO {ROLE}")
    async with opened(url) as engine:
        await engine.add("The bird is the heron.", user="ana")
        [found] = (await engine.search("bird", user="ana")).items
    assert found.memory.text == "The bird is the heron."
    assert not row_security(url).unguarded
    with psycopg.connect(admin) as db:
        assert db.execute(RULES).fetchone() == (len(row_security(url).guarded),)


async def test_who_may_not_rename_is_told_the_statement_and_nothing_changes() -> None:
    admin, url = owned("former_owned")
    async with opened(url) as engine:
        await engine.add("The bird is the heron.", user="ana")
    age(admin)
    statement = "ALTER SCHEMA recollect RENAME TO toldonce"
    with pytest.raises(UnreadableStoreError, match=statement):
        await opened(url).__aenter__()
    with psycopg.connect(admin) as db:
        db.execute(f"CREATE SCHEMA toldonce AUTHORIZATION {ROLE}")
    with pytest.raises(UnreadableStoreError, match="run `DROP SCHEMA toldonce`"):
        await opened(url).__aenter__()
    with psycopg.connect(admin) as db:
        db.execute("DROP SCHEMA toldonce")
        db.execute(statement)
    async with opened(url) as engine:
        assert [memory.text for memory in await engine.list(user="ana")] == ["The bird is the heron."]


def test_a_keyring_is_carried_over(tmp_path: Path) -> None:
    url = shared_server().new_database("former_keyring")
    ServerLink(url, create=True).close()
    with psycopg.connect(url) as db:
        db.execute("INSERT INTO toldonce.keyring_info (name, value) VALUES ('note', 'kept')")
    age(url)
    ServerLink(url, create=False).close()
    with psycopg.connect(url) as db:
        assert db.execute("SELECT value FROM toldonce.keyring_info").fetchone() == (b"kept",)
