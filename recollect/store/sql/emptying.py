"""Erase all of a subject, so that it may begin anew. Works on a connection, in a transaction."""

from collections import Counter, defaultdict
from collections.abc import Callable

from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.erase.cascade import ErasureCascade, Source
from recollect.store.sql.erase.delete import MemoryDeleter
from recollect.store.sql.erase.tombstones import TombstoneLedger
from recollect.store.sql.rows import ERASED, fetch
from recollect.store.sql.statements import load
from recollect.store.sql.tables import TABLES
from recollect.types import EraseRequest, Subject

SQL = load("erase")


class SubjectErasure:
    """Erases a subject: every row, its name, and what others quote of its messages."""

    def __init__(self, db: SqlConnection, order: EraseRequest, *, at: int, term_key: bytes) -> None:
        """Take the order."""
        self._db = db
        self._subject = order.subject
        self._root = order.part_of or order.subject
        self._at = at
        self._term_key = term_key
        self.counts: Counter[str] = Counter()
        self._reaching = ErasureCascade(db, order, self.counts)

    def erase(self, midway: Callable[[], None]) -> None:
        """Leave the ledger alone: masked hashes of the messages, and a tombstone."""
        self._reach_others()
        self._thin_owners()
        key = self._subject.key
        version = subjects.move_version(self._db, self._subject)
        self._db.execute(SQL["all_gone"], (key, version))
        ledger = TombstoneLedger(self._db, self._subject, self._term_key)
        for hash_, level in fetch(self._db, SQL["all_marks"], key):
            ledger.add(hash_ if level == ERASED else ledger.mask(hash_), self._at)
        midway()
        for table in TABLES:
            for statement in table.every:
                self._db.execute(SQL[statement], (key,))
                if table.counted:
                    self.counts[table.place] += self._db.changes()
        self._db.execute(SQL["note_erased_subject"], (key, self._at, version))

    def _thin_owners(self) -> None:
        """Take it out of what prompts of owners that stay are known to have held: its name is written there."""
        for owner in self._root.owners:
            if subjects.version_of(self._db, owner) is not None:
                MemoryDeleter(self._db, owner, self.counts).thin_recalls_of(self._subject)

    def _reach_others(self) -> None:
        """See to what other subjects hold of this one: quotations of its log go, the rest only everywhere."""
        formed: defaultdict[Subject, list[bytes]] = defaultdict(list)
        erased: set[Source] = set()
        for name, id_, conversation, seq in fetch(self._db, SQL["formed_elsewhere"], self._subject.key):
            formed[Subject.parse(name)].append(id_)
            erased.add((self._subject.key, conversation, seq))
        for subject, ids in formed.items():
            for id_ in ids:
                self._reaching.weigh(subject, id_, erased)
        for name, id_ in fetch(self._db, SQL["links_of_all"], self._subject.key):
            self._reaching.leave_or_take(Subject.parse(name), id_)
        others = dict.fromkeys([*self._reaching.touched(), *self._reaching.readers([self._subject])])
        rows = fetch(self._db, SQL["all_places"], self._subject.key) if others else []
        places = {(conversation, seq) for conversation, seq in rows}
        for subject in others:
            hollowed = places if self._reaching.reaches(subject) else set()
            self._reaching.remove(subject, erased, hollowed, frozenset())
        self._reaching.count_left()
