"""Take the words out of messages and leave their places. Works on a connection, in a transaction."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from recollect.store.sql.database import SqlConnection
from recollect.store.sql.erase.tombstones import TombstoneLedger
from recollect.store.sql.rows import ANCHOR_MASKED, ERASED, WHOLE, fetch, fetch_one
from recollect.store.sql.statements import load
from recollect.types import Subject

SQL = load("erase")
Place = tuple[bytes, int]
"""Conversation and `seq` of a message."""


class MessageRedactor:
    """The messages of one subject's log that are erased."""

    def __init__(self, db: SqlConnection, home: Subject, *, at: int, term_key: bytes) -> None:
        """Write under the instant `at`."""
        self._db = db
        self._key = home.key
        self._at = at
        self._ledger = TombstoneLedger(db, home, term_key)
        self.hollowed: set[Place] = set()
        """All that were named, those erased before among them."""
        self.answers: set[Place] = set()
        """What answers them: the question of a recall stands above its answer."""

    def erase(self, places: Iterable[Place], counts: Counter[str]) -> None:
        """Erase messages; those that are not there are passed over."""
        fresh: defaultdict[bytes, set[int]] = defaultdict(set)
        for conversation, seq in sorted(set(places)):
            row = fetch_one(self._db, SQL["place_to_erase"], self._key, conversation, seq)
            if row is None:
                continue
            self.hollowed.add((conversation, seq))
            hash_, anchor, role, level = row
            if level == ERASED:
                continue
            mark = self._ledger.mask(hash_)
            masked = anchor if anchor is None or level == ANCHOR_MASKED else self._ledger.mask(anchor)
            self._db.execute(SQL["hollow"], (self._key, conversation, seq, mark, masked))
            self._ledger.add(mark, self._at)
            fresh[conversation].add(seq)
            if role == "user":
                self._mask_answers(conversation, seq)
        for conversation, seqs in fresh.items():
            counts["messages"] += len(seqs)
            self._mask_calls(conversation, seqs)

    def _mask_answers(self, conversation: bytes, seq: int) -> None:
        """An answer's anchor is a hash of its question, too."""
        for below, anchor, level in fetch(self._db, SQL["answers_below"], self._key, conversation, seq):
            self.answers.add((conversation, below))
            if level == WHOLE and anchor is not None:
                self._db.execute(SQL["mask_anchor"], (self._key, conversation, below, self._ledger.mask(anchor)))

    def _mask_calls(self, conversation: bytes, seqs: set[int]) -> None:
        for call, seq in fetch(self._db, SQL["calls_in"], self._key, conversation):
            if seq in seqs:
                named = (self._key, conversation, seq, call)
                self._db.execute(SQL["mask_call"], (*named, self._ledger.mask(call)))
                self._db.execute(SQL["drop_call"], named)

    def all_of(self, conversation: bytes) -> list[Place]:
        """Return the messages of a conversation that are not erased yet."""
        return [(conversation, row[0]) for row in fetch(self._db, SQL["places_in"], self._key, conversation)]
