"""Encrypted subjects: no content is in the database, and once a key is destroyed no copy of the database tells it."""

import io
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from canaries import DenseEmbedder, canary, found, spellings, vector_parts
from database_contents import QuietBar, everything
from factories import ANA, BEN, add, decision, memory
from populated import fill, opened, populate
from stores import SEALED, keyring_of, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.databases import change_master_key, copy_database, decrypt_subjects, encrypt_subjects
from toldonce.errors import (
    DatabaseKeyError,
    StoreUnavailableError,
    SubjectKeyError,
)
from toldonce.server.app import build_app
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_end, open_store
from toldonce.store.postgres.connection import SCHEMA, TABLES, connect
from toldonce.store.sql.tables import CONTENT
from toldonce.store.sql.transfer.endpoint import EndpointMode
from toldonce.types import ErasureStatus, Memory, Subject

COUNT = 8
OTHER = DatabaseKey("f" * 64)


@pytest.fixture(params=SEALED)
def sealed(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def url(sealed: str, folder: Path) -> str:
    return url_of(sealed, folder)


@pytest.fixture
def keyring(sealed: str, tmp_path: Path) -> KeyringPlace:
    """In a folder of its own, as its backups are apart."""
    found = keyring_of(sealed, tmp_path)
    assert found is not None
    return found


@pytest.fixture
async def engine(url: str, keyring: KeyringPlace, parts: Components) -> AsyncIterator[AsyncToldOnce]:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    async with AsyncToldOnce(replace(parts, store=store, embedder=DenseEmbedder())) as opened:
        yield opened


def dump(url: str, into: Path) -> None:
    """Write all values of all tables of a server into a file, as their bytes are."""
    with connect(url) as db, into.open("wb") as file:
        for (table,) in db.execute(TABLES, (SCHEMA,)).fetchall():
            for row in db.cursor(binary=True).execute(f'TABLE "{SCHEMA}"."{table}"'.encode()).fetchall():
                for value in row:
                    file.write(value if isinstance(value, bytes) else str(value).encode())
                    file.write(b"\n")


def plain_cells(url: str) -> dict[str, int]:
    """Count content that is plain, by column."""
    end = open_end(url, EndpointMode.READ)
    counts: dict[str, int] = {}
    try:
        for table, content in CONTENT.items():
            columns = [*content.seals, *content.matches]
            if table == "vector" and url.startswith("postgres"):
                columns = ["embedding"]
            for column in columns:
                text = f'CAST("{column}" AS TEXT)' if column in ("data", "terms", "body", "embedding") else column
                if column in ("data", "terms", "body"):
                    continue
                plain = f"SELECT count(*) FROM {table} WHERE {text} <> '' AND {text} NOT LIKE 'sealed.%'"  # noqa: S608
                rows = end.db.execute(plain).fetchall()
                if rows[0][0]:
                    counts[f"{table}.{column}"] = rows[0][0]
    finally:
        end.close()
    return counts


async def add_tagged(engine: AsyncToldOnce, text: str, tag: str) -> Memory:
    parts = engine._components
    made = memory(text, subject=ANA, clock=parts.clock)
    made = replace(made, detail=replace(made.detail, tags=(tag,)))
    [row] = await parts.embedder.embed([text])
    vector = [float(number) for number in row]
    await parts.store.memories.apply(ANA, [add(made, vector=vector, space=parts.embedder.space)], [decision(made)])
    return made


async def talk(engine: AsyncToldOnce, words: list[str]) -> None:
    for number, word in enumerate(words):
        said = [{"role": "user", "content": f"I'm allergic to {word}. My aunt keeps {word} in the garden."}]
        said.append({"role": "assistant", "content": f"Noted: {word}."})
        await engine.record(said, user=f"user-{number % 3}", conversation=f"chat {word}")
        await add_tagged(engine, f"Ana likes {word}.", word)
    await engine.form()
    for number, word in enumerate(words):
        await engine.prompt(f"What about {word}?", user=f"user-{number % 3}", conversation=f"chat {word}")


async def test_a11_no_byte_of_what_is_stored_is_in_the_database(engine: AsyncToldOnce, url: str, folder: Path) -> None:
    luck = random.Random(16)
    words = [canary(luck) for _ in range(COUNT)]
    await talk(engine, words)
    stats = (await engine.admin.stats(check=True)).encryption
    assert stats is not None
    assert (stats.extent, stats.mixed, stats.keys) == ("whole", 0, 4)
    [row] = await DenseEmbedder().embed([f"Ana likes {words[0]}."])
    patterns = {pattern: word for word in words for _, pattern in spellings(word)}
    patterns |= {part: "a vector" for _, part in vector_parts(row)}
    patterns |= {part[::-1]: "a vector" for _, part in vector_parts(row)}
    patterns[b"user:user-1"] = "a name"
    if url.startswith("postgres"):
        dump(url, folder / "dump")
    assert {hit.split(" in ")[0] for hit in found(folder, patterns)} == {"a name"}, "names are not encrypted"
    assert plain_cells(url) == {}


async def test_with_encryption_all_answers_are_the_same(url: str, keyring: KeyringPlace) -> None:
    """The same is stored in both, so the copy that is encrypted afterwards has to answer as before."""
    await populate(url)
    before = await everything(url)
    bar = QuietBar()
    done = encrypt_subjects(url, keyring, progress=bar, rewrite=True)
    assert (done.subjects >= 6, bar.reached) == (True, done.subjects)
    assert plain_cells(url) == {}
    assert await everything(url, keyring=keyring) == before
    with pytest.raises(DatabaseKeyError, match="are encrypted"):
        await everything(url)
    assert encrypt_subjects(url, keyring, progress=bar).rows == 0, "there is nothing left to do"
    decrypt_subjects(url, keyring, progress=bar)
    assert await everything(url) == before


async def test_an_export_is_plain_and_its_import_encrypted(url: str, keyring: KeyringPlace, tmp_path: Path) -> None:
    await fill(url, keyring=keyring)
    assert plain_cells(url) == {}, "filled with something of everything"
    found = await everything(url, keyring=keyring)
    assert len(found["user:ana", "list"]) > 5
    assert len(found["user:ana", "messages"]) > 2
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    other = KeyringPlace(url=None, master=OTHER)
    data = io.BytesIO()
    async with opened(url, keyring=keyring) as engine:
        await engine.transfer.export_to(data, everybody=True)
        before = await engine.list(user="ana", limit=100)
    assert b"sealed." not in data.getvalue()
    assert "蜜".encode() in data.getvalue()
    async with opened(there, keyring=other) as engine:
        carried = await engine.transfer.import_from(data, trusted=True)
        assert carried.memories > 20
        after = await engine.list(user="ana", limit=100)
        assert [(item.id, item.text) for item in after] == [(item.id, item.text) for item in before]
    assert plain_cells(there) == {}


async def test_old_rows_are_found_and_replaced_while_some_are_plain(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    """A conversation's name, the slot of a fact and a tag are looked up among plain and sealed rows alike."""

    async def engine_of(keyring: KeyringPlace | None) -> AsyncToldOnce:
        return AsyncToldOnce(replace(parts, store=await open_store(url, clock=parts.clock, keyring=keyring)))

    async with await engine_of(None) as engine:
        old = await engine.record([{"role": "user", "content": "I live in Oslo."}], user="ana", conversation="home")
        await engine.form()
        await add_tagged(engine, "Ana has bees.", "hive")
    async with await engine_of(keyring) as engine:
        said = [{"role": "user", "content": "I live in Bergen now."}]
        new = await engine.record(said, user="ana", conversation="home")
        assert new.conversation == old.conversation
        await engine.form()
        facts = [item for item in await engine.list(user="ana") if item.key and item.category]
        assert [item.value for item in facts if "Oslo" in item.value] == []
        assert [item.value for item in facts if "Bergen" in item.value] != []
        await add_tagged(engine, "Ana sells honey.", "hive")
        tagged = await engine.list(user="ana", tag="hive")
        assert {item.text for item in tagged} == {"Ana has bees.", "Ana sells honey."}


async def test_a11_after_erasing_a_subject_a_backup_made_before_is_unreadable(
    url: str, keyring: KeyringPlace, parts: Components, tmp_path: Path
) -> None:
    backup = f"sqlite:///{tmp_path / 'backup' / 'kept.sqlite3'}"
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        await engine.add("Ben keeps goats.", user="ben")
        copy_database(url, backup)
        receipt = await engine.erasure.subject("ana")
        [line] = [line for line in receipt.places if line.name == "keys"]
        assert (line.reach, line.count) == (ErasureStatus.REACHED, 1)
        await engine.add("Ana is new here.", user="ana")
        assert [item.text for item in await engine.list(user="ana")] == ["Ana is new here."]
    restored = await open_store(backup, clock=parts.clock, keyring=keyring)
    async with AsyncToldOnce(replace(parts, store=restored)) as engine:
        assert [item.text for item in await engine.list(user="ben")] == ["Ben keeps goats."]
        with pytest.raises(SubjectKeyError, match="destroyed"):
            await engine.list(user="ana")
        with pytest.raises(SubjectKeyError, match="destroyed"):
            await engine.add("Ana says something.", user="ana")
        await engine.erasure.subject("ana")
        await engine.add("Ana begins again.", user="ana")
        assert [item.text for item in await engine.list(user="ana")] == ["Ana begins again."]


async def test_an_erasure_while_the_keyring_is_away_is_finished_later(
    url: str, keyring: KeyringPlace, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    assert store.vault is not None

    def away(*_: object) -> int:
        raise StoreUnavailableError("the keyring does not answer")

    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        with monkeypatch.context() as patch:
            patch.setattr(store.vault, "destroy", away)
            receipt = await engine.erasure.subject("ana")
            assert [line.reach for line in receipt.places if line.name == "keys"] == [ErasureStatus.PENDING]
            assert await store.erasures.pending() >= 1
        stats = (await engine.admin.stats()).encryption
        assert stats is not None
        assert (stats.pending, stats.keys) == (1, 1)
        await engine.erasure.finish()
        stats = (await engine.admin.stats()).encryption
        assert stats is not None
        assert (stats.pending, stats.keys) == (0, 0)


async def test_nothing_is_written_plain_while_the_keyring_is_away(
    url: str, keyring: KeyringPlace, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    assert store.vault is not None

    def away(*_: object) -> None:
        raise StoreUnavailableError("the keyring does not answer")

    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        store.vault._kept.clear()
        with monkeypatch.context() as patch:
            patch.setattr(store.vault.keyring, "key", away)
            patch.setattr(store.vault.keyring, "find_or_add", away)
            for user in ("ana", "ben"):
                with pytest.raises(StoreUnavailableError):
                    await engine.add("A goat.", user=user)
            with pytest.raises(StoreUnavailableError):
                await engine.list(user="ana")
        assert plain_cells(url) == {}
        assert [item.text for item in await engine.list(user="ana")] == ["Ana keeps bees."]


async def test_a_chat_goes_on_without_memory_where_the_key_is_gone(
    url: str, keyring: KeyringPlace, parts: Components, caplog: pytest.LogCaptureFixture
) -> None:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    assert store.vault is not None
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        store.vault.destroy(ANA.key, 1)
        with pytest.raises(SubjectKeyError):
            await engine.search("bees", user="ana")
        transport = httpx.ASGITransport(app=build_app(engine))
        chat = {"model": "toldonce/offline", "messages": [{"role": "user", "content": "Where are the bees?"}]}
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.post("/u/ana/v1/chat/completions", json=chat)
            assert (answer.status_code, answer.json()["memories"]) == (200, [])
            answer = await client.get("/v1/subjects/user:ana/memories")
            assert (answer.status_code, "its key was destroyed" in answer.json()["detail"]) == (410, True)
        assert [record for record in caplog.records if record.exc_info] == [], "a message says all there is to say"
        await engine.add("Ben keeps goats.", user="ben")


async def test_a_shared_memory_is_encrypted_by_the_key_of_who_reads_it(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    assert store.vault is not None
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        added = await add_tagged(engine, "Ana keeps bees.", "hive")
        await engine.shared.link(added.id, to=Subject("shared", "team"), user="ana")
        store.vault.destroy(ANA.key, 1)
        [there] = await engine.list(user=Subject("shared", "team"))
        assert (there.text, there.detail.tags) == (added.text, added.detail.tags)
        assert (await engine.search("bees", user=Subject("shared", "team"))).items


async def test_the_master_key_is_changed_while_others_use_the_old_one(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    old = await open_store(url, clock=parts.clock, keyring=replace(keyring, other=OTHER))
    async with AsyncToldOnce(replace(parts, store=old)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        changed = change_master_key(url, replace(keyring, master=OTHER, other=keyring.master), progress=QuietBar())
        assert (changed.changed, changed.keys) == (1, 1)
        assert old.vault is not None
        old.vault._kept.clear()
        assert [item.text for item in await engine.list(user="ana")] == ["Ana keeps bees."]
        await engine.add("Ben keeps goats.", user="ben")
    with pytest.raises(DatabaseKeyError, match="not the master key"):
        await open_store(url, clock=parts.clock, keyring=keyring)
    last = replace(keyring, master=OTHER, other=keyring.master)
    assert change_master_key(url, last, progress=QuietBar()).changed == 0, "new keys are encrypted by the new one"
    new = await open_store(url, clock=parts.clock, keyring=replace(keyring, master=OTHER))
    async with AsyncToldOnce(replace(parts, store=new)) as engine:
        assert [item.text for item in await engine.list(user="ben")] == ["Ben keeps goats."]


async def test_a_users_text_that_looks_like_an_encrypted_value_is_a_text(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    """The prefix is drawn from a key of the database: no one can know it, and its beginning alone means nothing."""
    texts = ["sealed.AAAAAAAAAAAAcGxhaW4=", "sealed.", "sealed." + "A" * 40]
    plain = await open_store(url, clock=parts.clock)
    async with AsyncToldOnce(replace(parts, store=plain)) as engine:
        for text in texts:
            await engine.record([{"role": "user", "content": text}], user="ana", conversation="odd")
    sealed = await open_store(url, clock=parts.clock, keyring=keyring)
    async with AsyncToldOnce(replace(parts, store=sealed)) as engine:
        for text in texts:
            await engine.record([{"role": "user", "content": text}], user="ben", conversation="odd")
        for user in ("ana", "ben"):
            [chat] = await engine.conversations.list(user=user)
            assert [m.text for m in await engine.conversations.messages(chat.id, user=user)] == texts


async def test_a_value_of_another_subject_is_not_opened_in_its_place(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    store = await open_store(url, clock=parts.clock, keyring=keyring)
    assert store.vault is not None
    key = store.vault.new_key(BEN.key, 1)
    sealed = store.vault.sealer.seal("Ben keeps goats.", key)
    assert isinstance(sealed, str)
    assert store.vault.open(sealed) == "Ben keeps goats."
    changed = sealed[:-6] + ("A" if sealed[-6] != "A" else "B") + sealed[-5:]
    with pytest.raises(SubjectKeyError, match="cannot be decrypted"):
        store.vault.open(changed)
    await store.close()


async def test_views_show_encrypted_texts_and_no_error(url: str, keyring: KeyringPlace) -> None:
    await fill(url, keyring=keyring)
    server = url.startswith("postgres")
    end = open_end(url, EndpointMode.READ)
    for view in ("vectors", "users_vectors", "memory_updates", "episodic_memory", "structured_facts", "app_memories"):
        rows = end.db.execute(f"SELECT * FROM {SCHEMA if server else 'main'}.{view}").fetchall()  # noqa: S608  # ours
        assert rows, view
    [(summary, turn)] = end.db.execute("SELECT summary, turn_start FROM episodic_memory LIMIT 1").fetchall()
    assert (summary.startswith("sealed."), turn) == (True, None)
    end.close()
