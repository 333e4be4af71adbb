"""Seal values with a subject's data key, and open them. Pure.

A sealed value begins with a prefix that is drawn from the database's own key, so that no text of a user can begin with
it. Then follow a head (how it is sealed, whose it is, the number of the key) and the ciphertext; in a text column all
after the prefix is base64. The head is authenticated with the ciphertext.
"""

import base64
import struct
from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b
from os import urandom

from toldonce.errors import SubjectKeyError
from toldonce.store.encryption.cipher import AESGCM, AESSIV, SHA256, HKDFExpand, InvalidTag

KEY_BYTES = 32
_NONCE_BYTES = 12
# How it is sealed, the subject, the number of its key.
_HEAD = struct.Struct(">BqI")
_RANDOM, _MATCHED = 1, 2
_TEXT_PREFIX_BYTES, _BYTES_PREFIX = 9, 8
_TEXT_MARK = "sealed."
# Prefix, head, nonce and tag are 49 bytes, which 4 does not divide: so `vector_codec.py` tells an encrypted vector from
# a plain one, whose numbers have 4 bytes each.


class SubjectKey:
    """The data key of a subject: seals and opens its values."""

    def __init__(self, data_key: bytes, subject: int, generation: int) -> None:
        """Take 32 random bytes, whose they are and their number."""
        self.subject, self.generation = subject, generation
        self._data_key = data_key
        self._heads = {kind: _HEAD.pack(kind, subject, generation) for kind in (_RANDOM, _MATCHED)}

    @cached_property
    def _random(self) -> AESGCM:
        return AESGCM(self._subkey(b"values", KEY_BYTES))

    @cached_property
    def _matched(self) -> AESSIV:
        return AESSIV(self._subkey(b"equal values", 2 * KEY_BYTES))

    def _subkey(self, purpose: bytes, length: int) -> bytes:
        return HKDFExpand(SHA256(), length, b"recollect subject " + purpose).derive(self._data_key)

    def seal(self, data: bytes) -> bytes:
        """Return head and ciphertext; the same data looks different each time."""
        head, nonce = self._heads[_RANDOM], urandom(_NONCE_BYTES)
        return head + nonce + self._random.encrypt(nonce, data, head)

    def seal_equal(self, data: bytes, column: str) -> bytes:
        """Return head and ciphertext; the same data of the same column looks the same."""
        head = self._heads[_MATCHED]
        return head + column.encode() + b"\0" + self._matched.encrypt(data, [head, column.encode()])

    def open(self, sealed: bytes) -> bytes:
        """Return what was sealed.

        Raises:
            InvalidTag: It was not sealed with this key, or was changed.
        """
        head, rest = sealed[: _HEAD.size], sealed[_HEAD.size :]
        if head[0] == _RANDOM:
            return self._random.decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], head)
        column, _, ciphertext = rest.partition(b"\0")
        return self._matched.decrypt(ciphertext, [head, column])


FindKey = Callable[[int, int], SubjectKey]
"""Returns the key of a subject by its number."""


class Sealer:
    """Writes sealed values of one database, and knows them when it sees them."""

    def __init__(self, term_key: bytes) -> None:
        """Draw the prefixes from the key of the database."""
        drawn = blake2b(b"sealed", key=term_key, digest_size=_TEXT_PREFIX_BYTES + _BYTES_PREFIX).digest()
        self.text_prefix = _TEXT_MARK + base64.urlsafe_b64encode(drawn[:_TEXT_PREFIX_BYTES]).decode()
        self.bytes_prefix = drawn[_TEXT_PREFIX_BYTES:]

    def is_sealed(self, value: object) -> bool:
        """Return whether a value from the database is a sealed one."""
        kind = type(value)
        if kind is bytes:
            return value.startswith(self.bytes_prefix)  # type: ignore[attr-defined,no-any-return]  # bytes
        return kind is str and value.startswith(self.text_prefix)  # type: ignore[attr-defined]  # a text

    def seal(self, value: str | bytes | None, key: SubjectKey) -> str | bytes | None:
        """Seal a value; what is empty stays as it is, and says no more than its length."""
        if not value:
            return value
        if isinstance(value, str):
            return self._as_text(key.seal(value.encode()))
        return self.bytes_prefix + key.seal(bytes(value))

    def seal_equal(self, value: str | None, key: SubjectKey, column: str) -> str | None:
        """Seal a text that the database compares: equal ones of a subject's column stay equal."""
        return self._as_text(key.seal_equal(value.encode(), column)) if value else value

    def open(self, value: str | bytes, find: FindKey) -> str | bytes:
        """Open a sealed value.

        Raises:
            SubjectKeyError: It was changed, or is sealed with another key of that number.
        """
        try:
            if isinstance(value, str):
                sealed = base64.b64decode(value[len(self.text_prefix) :], validate=True)
                return _opened(sealed, find).decode()
            return _opened(value[len(self.bytes_prefix) :], find)
        except ValueError:  # no base64, too short, not UTF-8
            raise SubjectKeyError(DAMAGED) from None

    def _as_text(self, sealed: bytes) -> str:
        return self.text_prefix + base64.b64encode(sealed).decode()


DAMAGED = (
    "an encrypted value cannot be decrypted with its subject's key: it was changed, or the database and its keyring do "
    "not belong together; restore both from backups of the same time"
)


def _opened(sealed: bytes, find: FindKey) -> bytes:
    if len(sealed) < _HEAD.size or sealed[0] not in (_RANDOM, _MATCHED):
        raise ValueError
    _, subject, generation = _HEAD.unpack(sealed[: _HEAD.size])
    try:
        return find(subject, generation).open(sealed)
    except InvalidTag:
        raise ValueError from None
