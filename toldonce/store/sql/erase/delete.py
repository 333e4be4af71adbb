"""Delete memories, and the words of messages, whose places stay. Works on a connection, in a transaction."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Set

from toldonce.ids import id_text
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase import insertions
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.rows import (
    ANCHOR_MASKED,
    ERASED,
    WHOLE,
    fetch,
    fetch_one,
    fetch_value,
    read_detail,
    write_detail,
)
from toldonce.store.sql.snapshot_codec import pack_sources
from toldonce.types import NO_DETAIL, Subject

SQL = load("erase")
MEMORY_SQL, EXPORT_SQL, UNDO_SQL = load("memory"), load("export"), load("undo")
IDEMPOTENCY_SQL = load("idempotency")
# Memories up to which the database looks for each in all recall records; more take longer than reading all records.
MAX_LOOKED_FOR = 50
_TARGET_ERASED = "what it was weighed against was erased"
_MESSAGE_ERASED = "the message it rests on was erased"
_ERROR_ERASED = "its error went with what was erased"
# Statements that take a memory's rows away, with the line of the receipt on which they are counted.
_ROWS = (
    ("erase_vectors", "vectors"),
    ("erase_hot", "terms"),
    ("erase_evidence", "evidence"),
    ("erase_tags", "tags"),
    ("drop_link", ""),
    ("erase_memory", "memories"),
)


class MemoryDeleter:
    """What is taken away from one subject."""

    def __init__(self, db: SqlConnection, subject: Subject, counts: Counter[str]) -> None:
        """Move the subject's version: caches and decisions that rest on what was there are stale."""
        self._db = db
        self._key = subject.key
        self._counts = counts
        self._version = subjects.move_version(db, subject)
        db.execute(IDEMPOTENCY_SQL["forget_answers"], (subject.key,))
        self.gone: set[bytes] = set()

    def drop(self, ids: Collection[bytes]) -> None:
        """Take memories away with their vectors, terms, quotes, tags and links."""
        for id_ in ids:
            for statement, place in _ROWS:
                self._db.execute(SQL[statement], (self._key, id_))
                if place:
                    self._counts[place] += self._db.changes()
            self._db.execute(SQL["note_gone"], (self._key, self._version, id_))
        self._counts["insertions"] += insertions.empty_showing(self._db, self._key, ids)
        self.gone.update(ids)

    def strip(self, id_: bytes, erased: Set[tuple[int, bytes, int]]) -> None:
        """Take erased messages (home, conversation, seq) out of what a memory rests on; it keeps the others."""
        left = 0
        for home, conversation, seq, place in fetch(self._db, SQL["sources_of"], self._key, id_):
            if (home, conversation, seq) in erased:
                self._db.execute(SQL["drop_source"], (self._key, id_, place))
                self._counts["evidence"] += 1
                continue
            if place != left:  # the next source is added after as many as there are
                self._db.execute(SQL["move_source"], (self._key, id_, place, left))
            left += 1
        rows = fetch(self._db, SQL["sources_packed"], self._key, id_)
        packed = pack_sources((hash_, id_text(conversation), seq) for hash_, conversation, seq in rows)
        self._db.execute(SQL["repack_sources"], (self._key, id_, packed))
        self._db.execute(SQL["touch_memory"], (self._key, id_, self._version))
        self._note_stale(id_)
        self.clear_context(id_)

    def clear_context(self, id_: bytes) -> None:
        """Take the words of another message out of a memory's context."""
        written = fetch_value(self._db, SQL["detail_of"], self._key, id_)
        detail = read_detail(written) if written else NO_DETAIL
        if detail.context_source:
            values = (self._key, id_, write_detail(detail.without_circumstance()), self._version)
            self._db.execute(SQL["write_detail"], values)
            self._note_stale(id_)
            self._counts["evidence"] += 1
            self._counts["insertions"] += insertions.empty_showing(self._db, self._key, [id_])

    def _note_stale(self, id_: bytes) -> None:
        """Let processes drop what they cached of a memory that lost a part of itself."""
        self._db.execute(SQL["note_gone"], (self._key, self._version, id_))

    def clear_traces(self, hollowed: Set[tuple[bytes, int]], answers: Set[tuple[bytes, int]]) -> None:
        """Take away what decisions, recall records and waiting work say of what is gone.

        Args:
            hollowed: Conversation and `seq` of the messages that were erased.
            answers: The same of the messages that answer them.
        """
        for row in self._decisions(hollowed):
            self._clear_decision(row, hollowed)
        for place in sorted(hollowed | answers):
            for at, id_ in fetch(self._db, SQL["recalls_of"], self._key, *place):
                self._db.execute(SQL["erase_recall"], (self._key, at, id_))
                self._counts["recalls"] += 1
        gone = frozenset(id_text(memory) for memory in self.gone)
        for at, id_, items, omitted in self._recalls_naming(gone):
            self._thin_recall(at, id_, items, lambda item: item[1] in gone)
            self._thin_omitted(at, id_, omitted, gone)
        for cut, clear in (("cut_leases", "clear_errors"), ("cut_leases_on_log", "clear_errors_on_log")):
            self._db.execute(SQL[cut], (self._key,))
            self._db.execute(SQL[clear], (self._key, _ERROR_ERASED))
            self._counts["formations"] += self._db.changes()

    def _recalls_naming(self, gone: Set[str]) -> list[Row]:
        """Read the recall records that may name memories: no index has them, and most records name none."""
        if not gone:
            return []
        if len(gone) > MAX_LOOKED_FOR:
            rows = fetch(self._db, SQL["all_recalls"], self._key)
            return [(at, id_, items, omitted) for at, id_, _, _, items, omitted in rows]
        return fetch(self._db, SQL["recalls_naming"], self._key, json.dumps(sorted(gone)))

    def thin_recalls_of(self, subject: Subject) -> None:
        """Take all that is another subject's out of recall records."""
        ids = frozenset(id_text(id_) for (id_,) in fetch(self._db, EXPORT_SQL["memory_ids"], subject.key))
        for at, id_, _, _, items, omitted in fetch(self._db, SQL["all_recalls"], self._key):
            self._thin_recall(at, id_, items, lambda item: item[0] == subject.text)
            self._thin_omitted(at, id_, omitted, ids)

    def _decisions(self, hollowed: Set[tuple[bytes, int]]) -> list[Row]:
        """Read the decisions about what is gone, and those that rest on erased messages."""
        rows: list[Row] = []
        if self.gone:
            gone = json.dumps([id_text(memory) for memory in sorted(self.gone)])
            rows += fetch(self._db, MEMORY_SQL["decisions_of_many"], self._key, gone)
        for place in sorted(hollowed):
            rows += fetch(self._db, UNDO_SQL["decisions_on"], self._key, *place)
        return list({row[:2]: row for row in rows}.values())

    def _clear_decision(self, row: Row, hollowed: Set[tuple[bytes, int]]) -> None:
        id_, at, action, memory, target, reason, text, profile, conversation, seq = row
        of_erased = (conversation, seq) in hollowed
        if not of_erased and memory not in self.gone and target not in self.gone:
            return
        self._db.execute(SQL["erase_decision"], (self._key, at, id_))
        self._counts["decisions"] += 1
        if memory is None or memory in self.gone:
            return
        # A remaining memory keeps its line without what was erased: lines cannot be changed, so it is written again.
        if target in self.gone:
            target, reason = None, _TARGET_ERASED
        if of_erased:
            text, reason = "", _MESSAGE_ERASED
        line = (self._key, at, id_, action, memory, target, reason, text, profile, conversation, seq)
        self._db.execute(MEMORY_SQL["add_decision"], line)

    def _thin_recall(self, at: int, id_: bytes, items: str, is_gone: Callable[[list[str]], bool]) -> None:
        known = json.loads(items)
        left = [item for item in known if not is_gone(item)]
        if len(left) < len(known):
            self._db.execute(SQL["thin_recall"], (self._key, at, id_, json.dumps(left)))
            self._counts["recalls"] += 1
            self._counts["answers"] += 1

    def _thin_omitted(self, at: int, id_: bytes, omitted: str, gone: Set[str]) -> None:
        """Take the lines away that are about memories which are gone, or whose reason names one."""
        known = json.loads(omitted)
        left = [line for line in known if line[0] not in gone and gone.isdisjoint(line[1].split())]
        if gone:
            left = [line for line in left if not _tells_key(line[1])]
        if len(left) < len(known):
            self._db.execute(SQL["thin_omitted"], (self._key, at, id_, json.dumps(left, ensure_ascii=False)))


def _tells_key(reason: str) -> bool:
    """Return whether a reason has the key of a memory that it does not name; earlier versions wrote such reasons."""
    _, holds, value = reason.partition(" has its own ")
    return bool(holds) and not value.startswith("value: ")


Place = tuple[bytes, int]
"""Conversation and `seq` of a message."""


class MessageRedactor:
    """Erases the words of messages in one subject's log."""

    def __init__(self, db: SqlConnection, home: Subject, *, at: int, term_key: bytes) -> None:
        self._db = db
        self._key = home.key
        self._at = at
        self._ledger = TombstoneLedger(db, home, term_key)
        self.hollowed: set[Place] = set()
        """All named messages, including those that were erased before."""
        self.answers: set[Place] = set()
        """Their answers: the question of an injection is the parent of its answer."""

    def erase(self, places: Iterable[Place], counts: Counter[str]) -> None:
        """Erase messages; unknown ones are skipped."""
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
            counts["insertions"] += insertions.empty_from(self._db, self._ledger, conversation, min(seqs))
        if fresh:
            counts["insertions"] += insertions.empty_quoting(self._db, self._key)

    def _mask_answers(self, conversation: bytes, seq: int) -> None:
        """Mask the anchors of answers, which are hashes of their question too."""
        for below, anchor, level in fetch(self._db, SQL["answers_below"], self._key, conversation, seq):
            self.answers.add((conversation, below))
            if level == WHOLE and anchor is not None:
                self._db.execute(SQL["mask_anchor"], (self._key, conversation, below, self._ledger.mask(anchor)))

    def _mask_calls(self, conversation: bytes, seqs: set[int]) -> None:
        for seq in sorted(seqs):
            for (call,) in fetch(self._db, SQL["calls_of"], self._key, conversation, seq):
                named = (self._key, conversation, seq, call)
                self._db.execute(SQL["mask_call"], (*named, self._ledger.mask(call)))
                self._db.execute(SQL["drop_call"], named)

    def all_of(self, conversation: bytes) -> list[Place]:
        """Return the messages of a conversation that are not erased yet."""
        return [(conversation, row[0]) for row in fetch(self._db, SQL["places_in"], self._key, conversation)]
