"""A SQLite file with a key: what opens it, what does not, and that no byte of its content is on the disk."""

import asyncio
import math
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from canaries import DenseEmbedder, canary, found, spellings, vector_parts
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadSettingError, DatabaseKeyError, ToldOnceError, UnreadableStoreError
from toldonce.settings import Settings
from toldonce.store.database_key import DatabaseKey
from toldonce.store.factory import open_store
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.testing import FakeClock

PASSPHRASE, HEX = "a long passphrase", "0123456789abcdef" * 4
KEY = DatabaseKey(HEX)
"""Unlike a passphrase it takes no time."""
COUNT = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def file(folder: Path) -> Path:
    """An encrypted file."""
    path = folder / "kept.sqlite3"
    open_writer(DatabaseLocation(path=str(path), key=KEY)).close()
    return path


def data(path: Path) -> bytes:
    return path.read_bytes()


async def refusal(path: Path, key: DatabaseKey | None) -> ToldOnceError:
    """Open a file that must not open, check that it did not change, and return why."""
    before = data(path)
    with pytest.raises(ToldOnceError) as caught:
        await open_store(f"sqlite:///{path}", clock=FakeClock(), key=key)
    assert data(path) == before
    return caught.value


@pytest.fixture
async def engine(request: pytest.FixtureRequest, folder: Path, parts: Components) -> AsyncIterator[AsyncToldOnce]:
    key = KEY if request.param else None
    store = await open_store(f"sqlite:///{folder / 'kept.sqlite3'}", clock=parts.clock, key=key)
    async with AsyncToldOnce(replace(parts, store=store, embedder=DenseEmbedder())) as opened:
        yield opened


@pytest.mark.parametrize("engine", [False, True], indirect=True, ids=["plain", "encrypted"])
async def test_a11_no_byte_of_what_is_stored_is_on_the_disk(
    engine: AsyncToldOnce, folder: Path, request: pytest.FixtureRequest
) -> None:
    luck = random.Random(16)
    words = [canary(luck) for _ in range(COUNT)]
    for number, word in enumerate(words):
        said = [{"role": "user", "content": f"I'm allergic to {word}. My aunt keeps {word} in the garden."}]
        await engine.record(said, user=f"user-{number % 3}", conversation=f"chat-{number}")
        await engine.add(f"Ana likes {word}.", user="ana")
    await engine.form()
    [row] = await DenseEmbedder().embed([f"Ana likes {words[0]}."])
    patterns = {pattern: word for word in words for _, pattern in spellings(word)}
    patterns |= {part: "a vector" for _, part in vector_parts(row)}
    patterns |= {b"user:ana": "a name", b"CREATE TABLE": "the schema"}
    assert (folder / "kept.sqlite3-wal").stat().st_size > 0, "the log is searched, too"
    kinds = {hit.split(" in ")[0] for hit in found(folder, patterns)}
    encrypted = "encrypted" in request.node.callspec.id
    assert kinds == set() if encrypted else kinds >= {*words, "a vector", "a name", "the schema"}


def test_the_bytes_of_an_encrypted_file_are_as_good_as_random(file: Path) -> None:
    with closing(open_writer(DatabaseLocation(path=str(file), key=KEY))) as db:
        db.execute("INSERT INTO meta (name, value) VALUES ('zeros', zeroblob(1000000))")
    counts = Counter(file.read_bytes())
    total = counts.total()
    entropy = -sum(count / total * math.log2(count / total) for count in counts.values())
    assert entropy > 7.999


def test_temporary_files_of_an_encrypted_file_are_encrypted(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rewritten file is as large as memory may not be: see `secure_delete`."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path / "temporary"))
    seen = Counter[bool]()

    def look() -> bool:
        for descriptor in Path("/proc/self/fd").iterdir():
            if "temporary" in os.path.realpath(descriptor):
                seen[b"canary" in data(descriptor)] += 1
        return False

    with closing(open_writer(DatabaseLocation(path=str(file), key=KEY))) as db:
        rows = ((f"row {number}", b"canary" * 200) for number in range(4_000))
        with db:
            db.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", rows)
        db.pragma("temp_store", "FILE")
        db.pragma("cache_size", -100)
        db.set_progress_handler(look, 2_000)
        db.execute("VACUUM")
    assert seen[False] > 0
    assert seen[True] == 0


@pytest.mark.parametrize("key", [DatabaseKey(PASSPHRASE), DatabaseKey(HEX[::-1])])
async def test_a_wrong_key_is_told_and_changes_nothing(file: Path, key: DatabaseKey) -> None:
    error = await refusal(file, key)
    assert isinstance(error, DatabaseKeyError)
    assert "is encrypted with another key (nothing was changed)" in str(error)


async def test_a_missing_key_is_told_and_changes_nothing(file: Path) -> None:
    error = await refusal(file, None)
    assert isinstance(error, DatabaseKeyError)
    assert "is encrypted (nothing was changed): set TOLDONCE_DATABASE_KEY" in str(error)


async def test_a_key_for_a_plain_file_is_told_and_changes_nothing(folder: Path) -> None:
    path = folder / "plain.sqlite3"
    open_writer(DatabaseLocation(path=str(path))).close()
    error = await refusal(path, KEY)
    assert isinstance(error, DatabaseKeyError)
    assert "`toldonce db encrypt`" in str(error)


@pytest.mark.parametrize("key", [None, KEY], ids=["without", "with"])
async def test_a_file_of_something_else_is_not_taken_for_an_encrypted_one(
    folder: Path, key: DatabaseKey | None
) -> None:
    path = folder / "picture.png"
    path.write_bytes(random.Random(1).randbytes(30_000))
    error = await refusal(path, key)
    assert isinstance(error, UnreadableStoreError)
    assert "is not a database" in str(error)


async def test_a_build_without_ciphers_is_told_with_the_command_that_repairs_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(apsw, "mc_version")
    error = await refusal(file, KEY)
    assert isinstance(error, BadSettingError)
    assert "pip install --force-reinstall --no-deps apsw-sqlite3mc" in str(error)
    assert isinstance(await refusal(file, None), DatabaseKeyError)


async def test_a_key_for_postgresql_is_refused() -> None:
    with pytest.raises(BadSettingError, match="encrypts SQLite files"):
        await open_store("postgresql://127.0.0.1:1/none", clock=FakeClock(), key=KEY)


async def test_a_database_in_memory_needs_no_key() -> None:
    store = await open_store("sqlite:///:memory:", clock=FakeClock(), key=KEY)
    assert (await store.admin.stats()).memories == 0
    await store.close()


async def test_a_hexadecimal_key_and_a_passphrase_open_their_files_again(folder: Path) -> None:
    for text in (HEX, PASSPHRASE):
        url = f"sqlite:///{folder / text[:4]}.sqlite3"
        for upper in (False, True) if text == HEX else (False,):
            store = await open_store(url, clock=FakeClock(), key=DatabaseKey(text.upper() if upper else text))
            await store.close()


def test_a_passphrase_is_that_of_other_programs_with_the_documented_parameters(folder: Path) -> None:
    file = folder / "kept.sqlite3"
    open_writer(DatabaseLocation(path=str(file), key=DatabaseKey(PASSPHRASE))).close()
    with closing(apsw.Connection(str(file))) as db:
        for name, value in (("cipher", "chacha20"), ("kdf_iter", 600_000), ("key", PASSPHRASE)):
            db.pragma(name, value)
        assert db.execute("SELECT count(*) FROM memory").get == 0


@pytest.mark.parametrize("text", ["", " " * 20, "short", "eleven char", "a line\nand another one", "with\0zero bytes"])
def test_what_is_no_safe_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadSettingError) as caught:
        DatabaseKey(text)
    assert text.strip() == "" or text not in str(caught.value)


def test_a_key_comes_from_the_environment_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.store.database_key.KDF_ROUNDS", 10)
    key_file = tmp_path / "key"
    for ending in ("", "\n", "\r\n"):
        key_file.write_bytes(f"{PASSPHRASE}{ending}".encode())
        named = DatabaseKey.of(Settings(database_key_file=key_file))
        assert named is not None
        assert named.bits(b"salt") == DatabaseKey(PASSPHRASE).bits(b"salt")
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", PASSPHRASE)
    with pytest.raises(BadSettingError, match="only one of"):
        Settings.load(database_key_file=key_file)
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", "")
    with pytest.raises(BadSettingError, match="at least 12"):
        DatabaseKey.of(Settings.load())
    monkeypatch.delenv("TOLDONCE_DATABASE_KEY")
    assert DatabaseKey.of(Settings.load()) is None
    with pytest.raises(BadSettingError, match="No such file"):
        DatabaseKey.of(Settings.load(database_key_file=tmp_path / "none"))


def test_a_key_comes_from_a_command_that_is_run_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toldonce.store.database_key.KDF_ROUNDS", 10)
    (tmp_path / "a key").write_text(f"{PASSPHRASE}\n", "utf-8")
    named = DatabaseKey.of(Settings.load(database_key_command=f"cat '{tmp_path / 'a key'}'"))
    assert named is not None
    assert named.bits(b"salt") == DatabaseKey(PASSPHRASE).bits(b"salt")
    for command, why in (
        ("false", "ended with code 1"),
        ("/nowhere/key-store", "No such file"),
        ("echo short", "at least 12"),
        ("printf '\\377 is not a text in UTF-8'", "not UTF-8"),
        ("cat 'unclosed", "cannot be run"),
        ("", "is empty"),
    ):
        with pytest.raises(BadSettingError, match=why):
            DatabaseKey.of(Settings.load(database_key_command=command))


def test_a_command_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.store.database_key.COMMAND_S", 0.05)
    with pytest.raises(BadSettingError, match="did not end within"):
        DatabaseKey.from_command("sleep 60")


def test_a_key_is_in_no_representation(tmp_path: Path) -> None:
    place = DatabaseLocation(path=str(tmp_path / "x"), key=KEY)
    settings = Settings(database_key=HEX)  # type: ignore[arg-type]  # as the environment gives it
    assert not [text for text in (repr(place), repr(KEY), str(KEY), repr(settings)) if HEX in text]


async def test_processes_that_make_a_file_at_the_same_time_have_one_file(folder: Path) -> None:
    url = f"sqlite:///{folder / 'new.sqlite3'}"
    keys = [DatabaseKey(HEX) for _ in range(4)]
    stores = await asyncio.gather(*(open_store(url, clock=FakeClock(), key=key) for key in keys))
    for store in stores:
        await store.close()
    with closing(open_reader(DatabaseLocation(path=str(folder / "new.sqlite3"), key=keys[0]))) as db:
        assert db.execute("PRAGMA integrity_check").get == "ok"
