"""Where keyrings are, what opens them, and which databases they belong to."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from database_contents import QuietBar
from postgres_server import NEEDS_POSTGRES, shared_server
from stores import SEALED, keyring_of, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.databases import change_master_key
from toldonce.errors import BadSettingError, DatabaseKeyError, ToldOnceError, UnreadableStoreError
from toldonce.settings import Settings
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.keyring import Keyring
from toldonce.store.encryption.keyring_file import FileLink
from toldonce.store.encryption.sealer import Sealer
from toldonce.store.encryption.vault import KEPT_S, MAX_KEPT, MasterKey, SubjectVault
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock

OTHER = DatabaseKey("f" * 64)


@pytest.fixture(params=SEALED)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request.param, tmp_path)


@pytest.fixture
def keyring(tmp_path: Path) -> KeyringPlace:
    found = keyring_of("sealed", tmp_path)
    assert found is not None
    return found


class Moments:
    """A clock that stays where it is put."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_keys_are_kept_for_a_minute_and_not_too_many(tmp_path: Path) -> None:
    moments, keyring, master = Moments(), Keyring(FileLink(str(tmp_path / "keys"), create=True)), MasterKey(bytes(32))
    keyring.set_master(master.id)
    vault = SubjectVault(keyring, [master], Sealer(b"term key"), now=moments)
    first = vault.new_key(1, 1)
    assert vault.key(1, 1) is first
    moments.now = KEPT_S + 1
    again = vault.key(1, 1)
    assert again is not first
    assert again.open(first.seal(b"bees")) == b"bees"
    for subject in range(MAX_KEPT + 50):
        vault._open(master.wrap(bytes(32), subject, 1))
    vault.key(1, 1)
    assert len(vault._kept) <= MAX_KEPT + 1
    moments.now = 10 * KEPT_S
    vault.key(1, 1)
    assert len(vault._kept) == 1, "what is not asked for is dropped, too"
    vault.close()


def test_a_key_opens_for_its_subject_and_number_alone() -> None:
    master = MasterKey(bytes(32))
    key = master.wrap(bytes(range(32)), 7, 1)
    assert master.unwrap(key) == bytes(range(32))
    for other in (replace(key, subject=8), replace(key, generation=2)):
        with pytest.raises(ToldOnceError, match="is not what it was"):
            master.unwrap(other)


def test_settings_of_the_keyring_need_the_master_key() -> None:
    assert KeyringPlace.of(Settings()) is None
    with pytest.raises(BadSettingError, match="needs TOLDONCE_MASTER_KEY"):
        KeyringPlace.of(Settings.load(subject_keys="sqlite:///elsewhere.keys"))
    with pytest.raises(BadSettingError, match="only one of"):
        Settings.load(master_key="a" * 64, master_key_command="cat key")
    with pytest.raises(BadSettingError, match=r"TOLDONCE_MASTER_KEY_COMMAND.* is empty"):
        KeyringPlace.of(Settings.load(master_key_command=" "))
    found = KeyringPlace.of(Settings.load(master_key_command=f"echo {'b' * 64}", other_master_key="a" * 64))
    assert found is not None
    assert found.other is not None
    assert (found.master.bits(b""), found.other.bits(b"")) == (bytes.fromhex("b" * 64), bytes.fromhex("a" * 64))


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ("master", DatabaseKeyError, "not the master key"),
        ("missing", UnreadableStoreError, "missing"),
        ("none", DatabaseKeyError, "are encrypted"),
        ("foreign", UnreadableStoreError, "another database"),
    ],
)
async def test_what_does_not_belong_together_is_not_opened(
    url: str, keyring: KeyringPlace, wrong: str, error: type[ToldOnceError], said: str, tmp_path: Path
) -> None:
    await (await open_store(url, clock=FakeClock(), keyring=keyring)).close()
    foreign = f"sqlite:///{tmp_path / 'foreign.keys'}"
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.sqlite3'}"
    await (await open_store(elsewhere, clock=FakeClock(), keyring=replace(keyring, url=foreign))).close()
    given = {
        "master": replace(keyring, master=OTHER),
        "missing": replace(keyring, url=f"sqlite:///{tmp_path / 'nowhere.keys'}"),
        "none": None,
        "foreign": replace(keyring, url=foreign),
    }
    with pytest.raises(error, match=said):
        await open_store(url, clock=FakeClock(), keyring=given[wrong])
    assert not (tmp_path / "nowhere.keys").exists()


async def test_a_new_subject_gets_no_key_by_a_master_key_that_was_changed(
    url: str, keyring: KeyringPlace, parts: Components
) -> None:
    await refuses_the_old_master_key(url, keyring, parts)


@NEEDS_POSTGRES
async def test_a_keyring_on_a_server_gives_no_key_by_a_changed_master_key(tmp_path: Path, parts: Components) -> None:
    place = KeyringPlace(url=shared_server().new_database("keys_by_masters"), master=DatabaseKey("a" * 64))
    await refuses_the_old_master_key(url_of("postgres", tmp_path), place, parts)


async def refuses_the_old_master_key(url: str, old: KeyringPlace, parts: Components) -> None:
    """Change the master key while one process has the old key alone, and another has both."""
    store = await open_store(url, clock=parts.clock, keyring=old)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.add("Ana keeps bees.", user="ana")
        both = await open_store(url, clock=parts.clock, keyring=replace(old, other=OTHER))
        changed = change_master_key(url, replace(old, master=OTHER, other=old.master), progress=QuietBar())
        assert changed.changed == 1
        with pytest.raises(DatabaseKeyError, match="by another master key"):
            await engine.add("Ben keeps hens.", user="ben")
    async with AsyncToldOnce(replace(parts, store=both)) as engine:
        await engine.add("Cem keeps cats.", user="cem")
    store = await open_store(url, clock=parts.clock, keyring=replace(old, master=OTHER))
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        for user, text in (("ana", ["Ana keeps bees."]), ("ben", []), ("cem", ["Cem keeps cats."])):
            assert [item.text for item in await engine.list(user=user)] == text


@NEEDS_POSTGRES
async def test_a_keyring_on_a_server_must_not_be_in_the_database_itself(tmp_path: Path) -> None:
    url = url_of("postgres", tmp_path)
    master = DatabaseKey("a" * 64)
    with pytest.raises(BadSettingError, match="another one"):
        await open_store(url, clock=FakeClock(), keyring=KeyringPlace(url=url, master=master))
    with pytest.raises(BadSettingError, match="has to name a database"):
        await open_store(url, clock=FakeClock(), keyring=KeyringPlace(url=None, master=master))


@NEEDS_POSTGRES
async def test_a_keyring_on_a_server_serves_a_database_on_it(tmp_path: Path, parts: Components) -> None:
    url = url_of("postgres", tmp_path)
    place = KeyringPlace(url=shared_server().new_database("keys_of_subjects"), master=DatabaseKey("a" * 64))
    for _ in range(2):
        store = await open_store(url, clock=parts.clock, keyring=place)
        async with AsyncToldOnce(replace(parts, store=store)) as engine:
            await engine.add("Ana keeps bees.", user="ana")
            assert {item.text for item in await engine.list(user="ana")} == {"Ana keeps bees."}
    store = await open_store(url, clock=parts.clock, keyring=place)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        await engine.erasure.subject("ana")
        stats = (await engine.admin.stats()).encryption
        assert stats is not None
        assert (stats.keys, stats.pending) == (0, 0)
    changed = change_master_key(url, replace(place, master=OTHER, other=place.master), progress=QuietBar())
    assert changed.changed == 0


async def test_a_file_has_its_keyring_beside_it_unless_another_is_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kept.sqlite3'}"
    await (await open_store(url, clock=FakeClock(), keyring=KeyringPlace(url=None, master=OTHER))).close()
    keys = tmp_path / "kept.sqlite3.keys"
    assert keys.stat().st_mode & 0o077 == 0
    named = KeyringPlace(url=f"sqlite:///{shutil.copy(tmp_path / 'kept.sqlite3', tmp_path / 'copy')}", master=OTHER)
    with pytest.raises(UnreadableStoreError, match="is not a keyring"):
        await open_store(f"sqlite:///{tmp_path / 'new.sqlite3'}", clock=FakeClock(), keyring=named)
