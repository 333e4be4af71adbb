"""Erasure ledger: masked hashes, by which an erased message is recognized when it is resent. Works on a connection.

A mask is a keyed hash of a message's hash; forgotten or erased statements are recognized in the same way. The key is
derived from the database's key, separately from that of terms; an imported ledger keeps the key it came with.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from hashlib import blake2b

from toldonce.clock import from_micros, to_micros
from toldonce.errors import StaleSubjectError
from toldonce.ids import id_bytes
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import ANCHOR_MASKED, ERASED, WHOLE, fetch, fetch_value
from toldonce.types import AddMemory, Change, Decision, Evidence, MarkWords, Message, StrengthenMemory, Subject

SQL = load("erase")
_HASH_BYTES = 8
KEY_BYTES = 64
"""Length of a ledger's key."""
MIN_MARK = -(2**63)
"""Lowest mark."""
# Marks that are taken over in one transaction where a ledger is long.
MAX_MARKS = 1_000


def ledger_key(db: SqlConnection, subject: int, term_key: bytes) -> bytes:
    """Return the key that masks the erased messages of a subject, and after it those of ledgers that it took over."""
    imported = fetch_value(db, SQL["ledger_key"], imported_key_name(subject))
    if imported is not None:
        return bytes(imported)
    return blake2b(b"ledger" + subject.to_bytes(_HASH_BYTES, "little", signed=True), key=term_key).digest()


def imported_key_name(subject: int) -> str:
    """Return the name under which `meta` has the key of an imported ledger."""
    return f"ledger:{subject}"


class TombstoneLedger:
    """The erased messages of one subject."""

    def __init__(self, db: SqlConnection, subject: Subject, term_key: bytes, *, without: Subject | None = None) -> None:
        """Open the ledger of `subject`, but for what it took over from the ledger of `without`."""
        self._db = db
        self.subject = subject.key
        self._term_key = term_key
        self._without = without
        self.empty = fetch_value(db, SQL["nothing_erased"], subject.key) == 1

    @cached_property
    def _keys(self) -> tuple[bytes, ...]:
        keys = split_keys(ledger_key(self._db, self.subject, self._term_key))
        if self._without is None:
            return keys
        other = split_keys(ledger_key(self._db, self._without.key, self._term_key))[0]
        return tuple(key for key in keys if key != other)

    def mask(self, number: int) -> int:
        """Mask a hash, an anchor or a call: equal ones stay equal, and reveal nothing without the key."""
        return _masked(number, self._keys[0])

    def _masks(self, number: int) -> tuple[int, ...]:
        """Mask a hash by each key: that of another ledger masks what this one took over."""
        return tuple(_masked(number, key) for key in self._keys)

    def stored_hashes(self, number: int) -> tuple[int, ...]:
        """Return the hashes that a message may be stored under: its own, and the masked one it has if it was erased."""
        return (number,) if self.empty else (number, *self._masks(number))

    def _erased_at(self, number: int) -> int | None:
        """Return when a hash was added last, in microseconds; None if the ledger does not have it."""
        found = [fetch_value(self._db, SQL["erased_at"], self.subject, mark) for mark in self._masks(number)]
        return max((at for at in found if at is not None), default=None)

    def add(self, mark: int, at: int) -> None:
        """Add a masked hash."""
        self._db.execute(SQL["note_erased"], (self.subject, mark, at))

    def drop(self, number: int) -> None:
        """Remove a hash."""
        for mark in self._masks(number):
            self._db.execute(SQL["drop_erased"], (self.subject, mark))

    def known(self, numbers: Sequence[int]) -> dict[int, datetime]:
        """Return the hashes that the ledger has, with the time each was added."""
        if self.empty:
            return {}
        found = {number: self._erased_at(number) for number in numbers}
        return {number: from_micros(at) for number, at in found.items() if at is not None}

    def levels(self, messages: Sequence[Message], reply: Message | None) -> list[int]:
        """Return how much of each message of a turn, and last of its reply, may be written.

        Erased history stays erased. A repeated text that is the user's newest message, or the answer to it, counts as
        new, unless it was said before the erasure: then an old log is being imported again.
        """
        turn = [*messages, *([reply] if reply else [])]
        if self.empty:
            return [WHOLE] * len(turn)
        newest = max((place for place, message in enumerate(messages) if message.role == "user"), default=0)
        levels = []
        is_question_erased = False
        for place, message in enumerate(turn):
            at = self._erased_at(message.hash)
            known = at is not None
            is_erased = at is not None and (place < newest or to_micros(message.said_at) < at)
            if message.role == "user":
                is_question_erased = known
            masks_anchor = is_question_erased and message.anchor is not None
            levels.append(ERASED if is_erased else ANCHOR_MASKED if masks_anchor else WHOLE)
        return levels


def mark_words(db: SqlConnection, subject: Subject, changes: Sequence[MarkWords], term_key: bytes) -> None:
    """Add forgotten statements to the ledger, and remove those that hold again."""
    if not changes:
        return
    ledger = TombstoneLedger(db, subject, term_key)
    for change in changes:
        for number in change.forgotten:
            ledger.add(ledger.mask(number), to_micros(change.at))
        for number in change.returned:
            ledger.drop(number)


def take_over_ledger(db: SqlConnection, source: Subject, subject: Subject, term_key: bytes) -> None:
    """Let the ledger of `subject` recognize what that of `source` does: its hashes cannot be masked by another key."""
    after: int | None = MIN_MARK
    while after is not None:
        after = take_over_marks(db, source, subject, term_key, after)


def take_over_marks(db: SqlConnection, source: Subject, subject: Subject, term_key: bytes, first: int) -> int | None:
    """Do a part of `take_over_ledger`: some marks, `first` the lowest; return the lowest of the next part, or None."""
    marks = fetch(db, SQL["marks_from"], source.key, first, MAX_MARKS)
    if not marks:
        return None
    keys = (*split_keys(ledger_key(db, subject.key, term_key)), *split_keys(ledger_key(db, source.key, term_key)))
    db.execute(SQL["keep_ledger_keys"], (imported_key_name(subject.key), b"".join(dict.fromkeys(keys))))
    db.executemany(SQL["note_erased"], [(subject.key, mark, at) for mark, at in marks])
    return int(marks[-1][0]) + 1 if len(marks) == MAX_MARKS else None


def split_keys(joined: bytes) -> tuple[bytes, ...]:
    """Return the keys that `ledger_key` returned as one."""
    return tuple(joined[start : start + KEY_BYTES] for start in range(0, len(joined), KEY_BYTES))


def _masked(number: int, key: bytes) -> int:
    digest = blake2b(number.to_bytes(_HASH_BYTES, "little", signed=True), digest_size=_HASH_BYTES, key=key)
    return int.from_bytes(digest.digest(), "little", signed=True)


def refuse_erased(db: SqlConnection, home: Subject, changes: Sequence[Change], decisions: Sequence[Decision]) -> None:
    """Refuse changes based on messages that were erased in the meantime.

    Raises:
        StaleSubjectError: A change or a decision is based on one.
    """
    sources = [(source.conversation, source.seq) for change in changes for source in _evidence(change)]
    sources += [
        (line.conversation, line.seq) for line in decisions if line.text and line.conversation and line.seq is not None
    ]
    if not sources or fetch_value(db, SQL["nothing_erased"], home.key) == 1:
        return
    for conversation, seq in dict.fromkeys(sources):
        if fetch_value(db, SQL["level_of"], home.key, id_bytes(conversation), seq) == ERASED:
            raise StaleSubjectError(
                f"message {seq} of conversation {conversation} was erased meanwhile: read again, then decide again"
            )


def _evidence(change: Change) -> tuple[Evidence, ...]:
    match change:
        case AddMemory():
            return change.memory.evidence
        case StrengthenMemory():
            return change.evidence
        case _:
            return ()
