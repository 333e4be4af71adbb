"""Data keys as they are used: encrypted by the master key on their way to the keyring, and cached for a minute. Locks.

A cached key is dropped when it is destroyed by this process, and otherwise after a minute: other processes learn by
asking the keyring again.
"""

import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from os import urandom
from typing import Any

from toldonce.errors import DatabaseKeyError, SubjectKeyError
from toldonce.settings import MASTER_KEY_SETTING, OTHER_MASTER_SETTING
from toldonce.store.encryption.cipher import AESGCM, InvalidTag
from toldonce.store.encryption.keyring import Keyring, KeyringCounts, WrappedKey
from toldonce.store.encryption.sealer import KEY_BYTES, Sealer, SubjectKey
from toldonce.store.sql.database import Row

# How long a key is used without asking the keyring again, in seconds, and how many are kept (about 2 kB each).
KEPT_S = 60.0
MAX_KEPT = 4_096
# Keys encrypted by a new master key in one transaction.
_BATCH_SIZE = 500
_NONCE_BYTES = 12
_WHOSE = struct.Struct(">qI")
_ID_BYTES = 8


class MasterKey:
    """The key that encrypts the data keys."""

    def __init__(self, bits: bytes) -> None:
        self._cipher = AESGCM(bits)
        self.id = blake2b(b"recollect master key", key=bits, digest_size=_ID_BYTES).digest()
        """A number that tells it from others and does not reveal it."""

    def wrap(self, data_key: bytes, subject: int, generation: int) -> WrappedKey:
        """Encrypt a data key; it opens for this subject and number alone."""
        nonce = urandom(_NONCE_BYTES)
        wrapped = nonce + self._cipher.encrypt(nonce, data_key, _WHOSE.pack(subject, generation))
        return WrappedKey(subject, generation, wrapped, self.id)

    def unwrap(self, key: WrappedKey) -> bytes:
        """Decrypt a data key.

        Raises:
            SubjectKeyError: It was changed, or is another subject's.
        """
        wrapped = bytes(key.wrapped or b"")
        try:
            whose = _WHOSE.pack(key.subject, key.generation)
            return self._cipher.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], whose)
        except (InvalidTag, ValueError):
            raise SubjectKeyError(
                f"the keyring is damaged: the key of subject {key.subject} is not what it was"
            ) from None


class SubjectVault:
    """The data keys of all subjects of a database."""

    def __init__(
        self,
        keyring: Keyring,
        masters: Sequence[MasterKey],
        sealer: Sealer,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use any of `masters`; `rotate` changes to the first."""
        self.keyring, self.sealer = keyring, sealer
        self._masters = {master.id: master for master in masters}
        self._master = masters[0]
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], tuple[float, SubjectKey]] = OrderedDict()

    def key(self, subject: int, generation: int) -> SubjectKey:
        """Return a subject's key by its number.

        Raises:
            SubjectKeyError: It was destroyed, or the keyring does not have it.
            DatabaseKeyError: Another master key encrypts it.
            StoreUnavailableError: The keyring does not answer.
        """
        kept = self._recall(subject, generation)
        if kept is not None:
            return kept
        found = self.keyring.key(subject, generation)
        if found is None:
            raise SubjectKeyError(
                f"the keyring {self.keyring.where} has no key {generation} of subject {subject}: if the keyring was "
                "restored, use a backup of it that is newer than the database's"
            )
        return self._open(found)

    def new_key(self, subject: int, generation: int) -> SubjectKey:
        """Return the key with which a subject begins, made if it is not there yet; durable on return.

        Raises:
            SubjectKeyError: That key was destroyed.
            DatabaseKeyError: Another master key encrypts it, or is the keyring's by now: what an old key encrypted
                could not be read once that key is destroyed.
            StoreUnavailableError: The keyring does not answer.
        """

        def wrap(master: bytes) -> WrappedKey:
            return self._master_by(master, subject).wrap(urandom(KEY_BYTES), subject, generation)

        return self._open(self.keyring.find_or_add(subject, generation, wrap))

    def destroy(self, subject: int, up_to: int) -> int:
        """Destroy a subject's keys up to a number; return how many.

        Raises:
            StoreUnavailableError: The keyring does not answer.
        """
        with self._lock:
            for place in [place for place in self._kept if place[0] == subject and place[1] <= up_to]:
                del self._kept[place]
        done = self.keyring.destroy(subject, up_to)
        if done:
            self.keyring.scrub()
        return done

    def opened(self, rows: list[Row]) -> list[Row]:
        """Open all sealed values of rows."""
        is_sealed, opened = self.sealer.is_sealed, self.sealer.open
        used: dict[tuple[int, int], SubjectKey] = {}

        def find(subject: int, generation: int) -> SubjectKey:
            """Ask for a key once: most rows are of one subject."""
            if (subject, generation) not in used:
                used[subject, generation] = self.key(subject, generation)
            return used[subject, generation]

        for at, row in enumerate(rows):
            if any(map(is_sealed, row)):
                rows[at] = tuple([opened(value, find) if is_sealed(value) else value for value in row])
        return rows

    def open(self, value: Any) -> Any:
        """Open a sealed value; others stay as they are."""
        return self.sealer.open(value, self.key) if self.sealer.is_sealed(value) else value

    def counts(self) -> KeyringCounts:
        """Count the keys; `others` are those that another master key encrypts."""
        return self.keyring.counts(self._master.id)

    def rotate(self, reach: Callable[[int], None]) -> int:
        """Encrypt all data keys by the master key that the settings name first; return how many were changed.

        Others may use the keyring meanwhile, with both keys: from the beginning on they make new keys by this one, too.
        Calling it again goes on after an interruption.

        Args:
            reach: Called with the number of keys changed so far.

        Raises:
            DatabaseKeyError: Neither key encrypts some of them.
        """
        self.keyring.set_master(self._master.id)
        done = 0
        while found := self.keyring.not_by(self._master.id, _BATCH_SIZE):
            pairs = []
            for key in found:
                data_key = self._master_of(key).unwrap(key)
                pairs.append((key, self._master.wrap(data_key, key.subject, key.generation)))
            self.keyring.rewrap(pairs)
            done += len(pairs)
            reach(done)
        self.keyring.scrub()
        return done

    def close(self) -> None:
        """Close the keyring and forget all keys."""
        with self._lock:
            self._kept.clear()
        self.keyring.close()

    def _recall(self, subject: int, generation: int) -> SubjectKey | None:
        with self._lock:
            self._drop_old()
            kept = self._kept.get((subject, generation))
            return kept[1] if kept else None

    def _drop_old(self) -> None:
        """Drop keys whose time is over: the oldest come first."""
        ends = self._now() - KEPT_S
        while self._kept and (len(self._kept) > MAX_KEPT or next(iter(self._kept.values()))[0] <= ends):
            self._kept.popitem(last=False)

    def _open(self, found: WrappedKey) -> SubjectKey:
        if found.wrapped is None:
            raise SubjectKeyError(
                f"the key of subject {found.subject} was destroyed when the subject was erased: its rows cannot be "
                "decrypted; erase it once more from a restored database"
            )
        key = SubjectKey(self._master_of(found).unwrap(found), found.subject, found.generation)
        with self._lock:
            place = (found.subject, found.generation)
            self._kept.pop(place, None)
            self._kept[place] = (self._now(), key)
        return key

    def _master_of(self, key: WrappedKey) -> MasterKey:
        return self._master_by(bytes(key.master or b""), key.subject)

    def _master_by(self, id_: bytes, subject: int) -> MasterKey:
        master = self._masters.get(id_)
        if master is None:
            raise DatabaseKeyError(
                f"the key of subject {subject} is encrypted by another master key than {MASTER_KEY_SETTING}: while it "
                f"is changed, set {OTHER_MASTER_SETTING} to the other one"
            )
        return master
