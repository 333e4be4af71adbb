"""A process that works on encrypted subjects: `python subject_keys_process.py ACTION URL KEYRING [NUMBER]`."""

import asyncio
import os
import signal
import sys
from dataclasses import replace

from populated import parts_of
from stores import MASTER, OTHER_MASTER
from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import change_master_key, decrypt_subjects, encrypt_subjects
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption import convert, vault
from toldonce.store.encryption.vault_opener import KeyringPlace


class DyingBar:
    """Kills the process when so much is reached."""

    def __init__(self, at: int) -> None:
        """Die at the number `at`; 0 never."""
        self._at = at

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Say nothing."""

    def reach(self, done: int) -> None:
        """Die here, if this is the number."""
        if self._at and done >= self._at:
            os.kill(os.getpid(), signal.SIGKILL)


async def add_many(url: str, keyring: KeyringPlace, name: str) -> None:
    """Add memories of one subject and of many."""
    async with AsyncToldOnce(await parts_of(url, keyring=keyring)) as engine:
        for number in range(20):
            await engine.add(f"{name} keeps {number} bees.", user="ana")
            await engine.add(f"{name} keeps {number} goats.", user=f"user-{number}")


async def erase(url: str, keyring: KeyringPlace) -> None:
    """Erase a subject."""
    async with AsyncToldOnce(await parts_of(url, keyring=keyring)) as engine:
        await engine.erasure.subject("ana")


if __name__ == "__main__":
    action, url, where, number = (*sys.argv[1:], "0")[:4]
    place = KeyringPlace(url=where, master=DatabaseKey(MASTER))
    convert.BATCH_SIZE, vault._BATCH_SIZE = 3, 5
    match action:
        case "encrypt":
            encrypt_subjects(url, place, progress=DyingBar(int(number)))
        case "decrypt":
            decrypt_subjects(url, place, progress=DyingBar(int(number)))
        case "rotate":
            other = replace(place, master=DatabaseKey(OTHER_MASTER), other=place.master)
            change_master_key(url, other, progress=DyingBar(int(number)))
        case "erase":
            asyncio.run(erase(url, place))
        case name:
            asyncio.run(add_many(url, place, name))
