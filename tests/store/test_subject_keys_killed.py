"""Processes that encrypt, decrypt, erase or change the master key are killed; two write at the same time."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from database_contents import QuietBar, everything
from forked_processes import ForkedProcess
from patience import PATIENCE_S
from populated import opened, populate
from stores import OTHER_MASTER, SEALED, keyring_of, url_of
from toldonce.engine.databases import change_master_key, decrypt_subjects, encrypt_subjects
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.testing import FakeClock

SCRIPT = Path(__file__).parent / "subject_keys_process.py"
TESTS = Path(__file__).parent.parent
pytestmark = pytest.mark.process


@pytest.fixture(params=SEALED)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request.param, tmp_path)


@pytest.fixture
def keyring(tmp_path: Path) -> KeyringPlace:
    found = keyring_of("sealed", tmp_path)
    assert found is not None
    return found


def start(action: str, url: str, keyring: KeyringPlace, number: int = 0, failpoint: str = "") -> ForkedProcess:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    return ForkedProcess(str(SCRIPT), action, url, str(keyring.url), str(number), env=environment)


def killed(process: ForkedProcess) -> None:
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, err


async def test_encrypting_and_decrypting_go_on_where_they_were_killed(url: str, keyring: KeyringPlace) -> None:
    await populate(url)
    before = await everything(url)
    for failpoint in ("before-commit:9", "after-commit:120"):
        killed(start("encrypt", url, keyring, failpoint=failpoint))
        assert await everything(url, keyring=keyring) == before, f"readable after {failpoint}"
    encrypt_subjects(url, keyring, progress=QuietBar())
    assert await everything(url, keyring=keyring) == before
    for failpoint in ("before-commit:60",):
        killed(start("decrypt", url, keyring, failpoint=failpoint))
        assert await everything(url, keyring=keyring) == before, f"readable after {failpoint}"
    encrypt_subjects(url, keyring, progress=QuietBar())
    assert await everything(url, keyring=keyring) == before
    decrypt_subjects(url, keyring, progress=QuietBar())
    assert await everything(url) == before


@pytest.mark.parametrize("failpoint", ["erased", "destroyed"])
async def test_an_erasure_that_was_killed_destroys_the_key_later(
    url: str, keyring: KeyringPlace, failpoint: str
) -> None:
    async with opened(url, keyring=keyring) as engine:
        await engine.add("Ana keeps bees.", user="ana")
    killed(start("erase", url, keyring, failpoint=failpoint))
    async with opened(url, keyring=keyring) as engine:
        await engine.add("Ana is back.", user="ana")
        await engine.erasure.finish()
        stats = (await engine.admin.stats()).encryption
        assert stats is not None
        assert (stats.pending, stats.keys) == (0, 1), "the new key stays"
        assert [item.text for item in await engine.list(user="ana")] == ["Ana is back."]


async def test_a_change_of_the_master_key_goes_on_where_it_was_killed(url: str, keyring: KeyringPlace) -> None:
    async with opened(url, keyring=keyring) as engine:
        for number in range(12):
            await engine.add("Bees.", user=f"user-{number}")
    killed(start("rotate", url, keyring, number=5))
    both = replace(keyring, other=DatabaseKey(OTHER_MASTER))
    async with opened(url, keyring=both) as engine:
        assert [len(await engine.list(user=f"user-{number}")) for number in range(12)] == [1] * 12
    last = replace(keyring, master=DatabaseKey(OTHER_MASTER), other=keyring.master)
    changed = change_master_key(url, last, progress=QuietBar())
    assert (changed.changed, changed.keys) == (7, 12)
    async with opened(url, keyring=replace(last, other=None)) as engine:
        assert [len(await engine.list(user=f"user-{number}")) for number in range(12)] == [1] * 12


async def test_two_processes_use_the_same_keys(url: str, keyring: KeyringPlace) -> None:
    await (await open_store(url, clock=FakeClock(), keyring=keyring)).close()
    processes = [start(name, url, keyring) for name in ("Ana", "Ben")]
    for process in processes:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
    async with opened(url, keyring=keyring) as engine:
        assert len(await engine.list(user="ana", limit=100)) == 40
        assert all([len(await engine.list(user=f"user-{number}")) == 2 for number in range(20)])
        stats = (await engine.admin.stats()).encryption
        assert stats is not None
        assert (stats.extent, stats.keys) == ("whole", 21)


async def test_another_store_does_not_go_on_with_a_destroyed_key(url: str, keyring: KeyringPlace) -> None:
    """It erased nothing itself: the subject's rows tell it that the key is another one now."""
    async with opened(url, keyring=keyring) as here:
        await here.add("Ana keeps bees.", user="ana")
        async with opened(url, keyring=keyring) as there:
            await there.erasure.subject("ana")
        await here.add("Ana is back.", user="ana")
        assert [item.text for item in await here.list(user="ana")] == ["Ana is back."]
