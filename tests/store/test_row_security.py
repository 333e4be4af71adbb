"""Row-level security on PostgreSQL: a statement that forgets its subject sees no other tenant's rows."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from postgres_server import NEEDS_POSTGRES, shared_server
from sample_chats import user
from toldonce.engine import AsyncToldOnce, acting_for
from toldonce.engine.databases import disable_row_security, enable_row_security, row_security
from toldonce.errors import BadRequestError, UnreadableStoreError
from toldonce.server.app import build_app
from toldonce.store.postgres.executor import PostgresExecutor
from toldonce.store.postgres.row_security import GUARDED
from toldonce.store.sql.tables import TABLES
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Access, NewApiKey, NewNote, Subject

pytestmark = NEEDS_POSTGRES
ROLE = "guarded"
ACME, BOLT, PLAIN = Subject("user", "ana", "acme"), Subject("user", "ana", "bolt"), Subject("user", "ana")
COUNT = "SELECT count(*) FROM toldonce.memory"


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    """A database of a user without rights; without a password, as the server trusts its machine."""
    server, name = shared_server(), f"rls_{abs(hash(request.node.name)) % 10**8}"
    admin = server.new_database(name)
    with psycopg.connect(admin, autocommit=True) as db:
        if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
            db.execute(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER")
        db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        db.execute(f"CREATE SCHEMA toldonce AUTHORIZATION {ROLE}")
    return f"postgresql://{ROLE}@{urlsplit(admin).hostname}:{urlsplit(admin).port}/{name}"


@pytest.fixture
async def engine(url: str, clock: FakeClock) -> AsyncIterator[AsyncToldOnce]:
    enable_row_security(url)
    async with await AsyncToldOnce.open(url, embedder=WordEmbedder(), clock=clock) as opened:
        yield opened


async def fill(engine: AsyncToldOnce) -> None:
    for subject in (ACME, BOLT, PLAIN):
        await engine.add(f"The bird of {subject.text} is the heron.", user=subject)


@pytest.fixture
async def executor(engine: AsyncToldOnce, url: str) -> AsyncIterator[PostgresExecutor]:
    opened = await PostgresExecutor.open(url)
    yield opened
    await opened.close()


async def counted(executor: PostgresExecutor) -> int:
    """Count the rows that a statement sees which forgot to name a subject."""
    return int((await executor.read(lambda db: db.execute(COUNT).fetchall()))[0][0])


async def test_a_statement_that_forgets_the_tenant_sees_no_other_tenants_rows(
    engine: AsyncToldOnce, executor: PostgresExecutor
) -> None:
    await fill(engine)
    for tenant in ("acme", "bolt", ""):
        with acting_for(tenant):
            assert await counted(executor) == 1
    with acting_for("acm"):
        assert await counted(executor) == 0
    assert await counted(executor) == 3


async def test_a_session_that_says_nothing_sees_nothing(engine: AsyncToldOnce, url: str) -> None:
    await fill(engine)
    with psycopg.connect(url) as db:
        assert db.execute(COUNT).fetchone() == (0,)
        db.execute("SET toldonce_rls.tenant = '=acme'")
        assert db.execute(COUNT).fetchone() == (1,)
        changed = db.execute("UPDATE toldonce.memory SET uses = 7").rowcount
        assert changed == 1
        db.execute("SET toldonce_rls.tenant = '*'")
        assert db.execute("SELECT count(*) FROM toldonce.app_memories").fetchone() == (0,)
        assert db.execute(COUNT).fetchone() == (3,)


async def test_a_wrong_subject_within_a_request_reads_and_writes_nothing(engine: AsyncToldOnce) -> None:
    await fill(engine)
    with acting_for("acme"):
        assert await engine.list(user=BOLT) == []
        assert len(await engine.list(user=ACME)) == 1
        with pytest.raises(UnreadableStoreError):
            await engine.add("The tree is the ash.", user=BOLT)
    assert len(await engine.list(user=BOLT)) == 1


async def test_all_that_a_tenant_does_goes_on_as_before(engine: AsyncToldOnce, executor: PostgresExecutor) -> None:
    await fill(engine)
    with acting_for("acme"):
        notes = [NewNote(text=f"Note {number} says that the bird is number {number}.") for number in range(300)]
        await engine.bulk.add(notes, user=ACME)  # so many rows go in by COPY elsewhere
        await engine.record([user("I live in Rome.")], user=ACME, conversation="c")
        assert (await engine.search("bird number 7", user=ACME)).items
    await engine.form()  # as the worker does, for all tenants
    with acting_for("acme"):
        facts = await engine.list(user=ACME)
        assert any("Rome" in memory.text for memory in facts)
        await engine.erase(facts[0].id, user=ACME)
        await engine.erasure.subject(ACME)
        assert await engine.list(user=ACME) == []
        assert await counted(executor) == 0
        await engine.record([user("I live in Oslo.")], user=ACME, conversation="d")
        assert [known.last_seq for known in await engine.conversations.list(user=ACME)] == [1]
    assert await counted(executor) == 2


async def test_exports_and_imports_reach_all_tenants(engine: AsyncToldOnce, executor: PostgresExecutor) -> None:
    await fill(engine)
    file = BytesIO()
    await engine.transfer.export_to(file, everybody=True)
    moved = BytesIO(file.getvalue().replace(b"user:ana", b"user:eva"))
    assert (await engine.transfer.import_from(moved)).memories == 3
    assert await counted(executor) == 6


async def test_requests_act_for_the_tenant_of_their_key(
    engine: AsyncToldOnce, executor: PostgresExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(engine)
    seen: list[int] = []
    search = engine.search

    async def counting(*arguments: object, **named: object) -> object:
        seen.append(await counted(executor))
        return await search(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "search", counting)
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for tenant in ("acme", None):
            _, secret = await engine.keys.create(NewApiKey(name="k", access=Access.ADMIN, tenant=tenant))
            named = "user:ana" if tenant else "@bolt%2Fuser:ana"
            answer = await client.post(
                f"/v1/subjects/{named}/search", json={"query": "bird"}, headers={"authorization": f"Bearer {secret}"}
            )
            assert answer.status_code == 200, answer.text
    assert seen == [1, 3]


def test_it_is_enabled_shown_and_disabled(url: str) -> None:
    assert row_security(url).guarded == ()
    assert enable_row_security(url).guarded == enable_row_security(url).guarded == GUARDED
    assert row_security(url).unguarded == ()
    assert disable_row_security(url).guarded == ()
    of_subjects = {table.name for table in TABLES if not table.is_global}
    assert of_subjects - set(GUARDED) == {"subject", "subject_key"}


def test_a_user_who_bypasses_it_is_refused(tmp_path: Path) -> None:
    url = shared_server().new_database("rls_superuser")
    with pytest.raises(UnreadableStoreError, match="bypasses row-level security"):
        enable_row_security(url)
    with pytest.raises(BadRequestError, match="PostgreSQL"):
        enable_row_security(f"sqlite:///{tmp_path}/a.db")
