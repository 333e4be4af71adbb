"""Erase what was named and everything derived from it. Works on a connection, in a transaction."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from toldonce.clock import Clock, to_micros
from toldonce.errors import UnknownConversationError, UnknownMemoryError
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.store.sql import inner, subjects
from toldonce.store.sql.aliases import erased_with
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase import insertions
from toldonce.store.sql.erase.cascade import ErasureCascade, Source
from toldonce.store.sql.erase.delete import MemoryDeleter, MessageRedactor, Place
from toldonce.store.sql.erase.orders import (
    begin_or_continue,
    begun_erasure,
    erasures,
    joined,
    note_begun,
    note_erasure,
)
from toldonce.store.sql.erase.tombstones import TombstoneLedger, take_over_ledger
from toldonce.store.sql.rows import ERASED, STATE_NUMBER, fetch, fetch_one, fetch_value, read_detail
from toldonce.store.sql.tables import TABLES
from toldonce.types import (
    ConversationId,
    EraseRequest,
    ErasureRecord,
    MemoryId,
    MemoryKind,
    MemoryState,
    Subject,
    message_address,
)

SQL = load("erase")
LOG_SQL = load("log")
KEYS_SQL = load("keys")
KEYS = "keys"
"""Count of the data keys that are to be destroyed after the commit."""
_TURN = MemoryKind.TURN.number
_CLOSED = STATE_NUMBER[MemoryState.CLOSED]
# Subjects within another that are erased in one transaction: others write in between, and no lock list grows long.
MAX_INNER = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseServices:
    """Services that erasing needs."""

    clock: Clock
    term_key: bytes
    """The database's key, from which the ledger's is drawn."""
    midway: Callable[[], None]
    """Called when part of it is deleted."""


def erase(
    db: SqlConnection,
    order: EraseRequest,
    services: EraseServices,
    *,
    begun: ErasureRecord | None = None,
    emptied: int = 0,
    sources: Sequence[Subject] = (),
) -> ErasureRecord:
    """Erase memories or messages, or all of one subject.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        order: What to erase.
        services: Clock, key and failpoint.
        begun: What earlier transactions erased of the subject, which this one ends.
        emptied: Insertions that earlier transactions emptied for this erasure.
        sources: Subjects whose memory was copied into this one: see `aliases.sources_of`. It is erased there, too.
    """
    now = services.clock.now()
    erasure = begun or ErasureRecord(id=new_id(services.clock), at=now, cleaned_at=None, counts={})
    noted = order.everything and inner.forget(db, order.subject)
    if subjects.version_of(db, order.subject) is None:
        _refuse_unknown(order)
        work: PartialErasure | SubjectErasure | None = None
    else:
        kind = SubjectErasure if order.everything else PartialErasure
        work = kind(db, order, at=to_micros(now), term_key=services.term_key)
        work.erase(services.midway)
        if isinstance(work, PartialErasure):
            for source in sources:
                work.erase_at(source)
    found = Counter(erasure.counts) + (work.counts if work else Counter()) + Counter(insertions=emptied)
    cleaned_at = None if work or noted or begun else now  # nothing was there, so no bytes are left
    erasure = replace(erasure, cleaned_at=cleaned_at, counts=dict(found))
    note_erasure(db, order.subject, erasure)
    return erasure


def erase_whole(
    db: SqlConnection,
    order: EraseRequest,
    parts: Sequence[Subject],
    services: EraseServices,
    *,
    continues: bool = False,
) -> tuple[list[tuple[Subject, ErasureRecord]], ErasureRecord | None]:
    """Erase subjects within the one that is to go, and that one itself once there are none left.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        order: The subject to erase.
        parts: Some of those within it, innermost first.
        services: Clock, key and failpoint.
        continues: An earlier transaction began this. If another process ended it meanwhile, nothing is done: the
            subject may be in use again.

    Returns:
        What was erased of each part that was there, and of the subject itself; None where more are within it.
    """
    # Locks the row: a transaction that creates another subject within this one waits, or is seen below.
    subjects.version_of(db, order.subject)
    begun = begun_erasure(db, order.subject)
    if begun:
        order = joined(order, begun)
    elif continues:
        return [], erasures(db, order.subject, limit=1)[0]
    there = [part for part in parts if subjects.version_of(db, part) is not None]
    erased = {part: erase(db, replace(order, subject=part, part_of=order.subject), services) for part in parts}
    done = [(part, erased[part]) for part in there]
    if erased_with(db, order.subject, limit=1):
        note_begun(db, begin_or_continue(db, order, services.clock))
        return done, None
    return done, erase(db, order, services, begun=begun.record if begun else None)


def erases_messages(db: SqlConnection, order: EraseRequest) -> bool:
    """Return whether an order for memories or messages of a subject erases messages of its log."""
    key = order.subject.key
    if subjects.version_of(db, order.subject) is None:
        return False
    ids = [id_ for memory in order.memories if (id_ := id_bytes(memory)) is not None]
    if not order.keep_messages and any(row[0] == key for id_ in ids for row in fetch(db, SQL["sources_of"], key, id_)):
        return True
    conversation = order.conversation and id_bytes(order.conversation)
    if not conversation:
        return False
    levels = [fetch_value(db, SQL["level_of"], key, conversation, seq) for seq in order.seqs]
    return bool(
        any(level not in (None, ERASED) for level in levels)
        if levels
        else fetch(db, SQL["places_in"], key, conversation)
    )


def _refuse_unknown(order: EraseRequest) -> None:
    if order.memories:
        raise UnknownMemoryError(order.memories[0])
    if order.conversation:
        raise UnknownConversationError(order.conversation)


class PartialErasure:
    """Erases memories and messages of a subject that goes on."""

    def __init__(self, db: SqlConnection, order: EraseRequest, *, at: int, term_key: bytes) -> None:
        self._db = db
        self._order = order
        self._at = at
        self._term_key = term_key
        self.counts: Counter[str] = Counter()
        self._reaching = ErasureCascade(db, order, self.counts)
        self._logs: dict[Subject, MessageRedactor] = {}

    def erase(self, midway: Callable[[], None]) -> None:
        """Find all, then take all away."""
        mine = self._order.subject
        for memory in self._order.memories:
            self._reaching.doomed[mine] |= self._with_earlier_versions(memory)
        if self._order.everywhere:
            self._reaching.follow_links()
        if not self._order.keep_messages:
            self._hollow_sources()
        if self._order.conversation is not None:
            self._hollow_named(self._order.conversation)
        midway()
        erased = {(home.key, *place) for home, log in self._logs.items() for place in log.hollowed}
        for home, log in self._logs.items():
            self._weigh_formed(home, log, erased)
            self._unquote_answers(home, log)
        for subject in {mine: None} | dict.fromkeys(self._logs):
            ledger = TombstoneLedger(self._db, subject, self._term_key)
            for number in sorted(self._order.said):
                ledger.add(ledger.mask(number), self._at)
        self._reaching.follow_folds()
        self._reaching.follow_links()
        readers = self._reaching.readers(self._logs)
        for subject in {mine: None} | dict.fromkeys(self._reaching.touched()) | dict.fromkeys(readers):
            reached = self._reaching.reaches(subject)
            logs = [log for home, log in self._logs.items() if reached or home == subject]
            hollowed = {place for log in logs for place in log.hollowed}
            self._reaching.remove(subject, erased, hollowed, {place for log in logs for place in log.answers})
        self._reaching.count_left()

    def erase_at(self, source: Subject) -> None:
        """Erase the same from a subject that it was copied from; what came later is not there."""
        if subjects.version_of(self._db, source) is None:
            return
        users = {self._order.subject.user: source.user}
        doomed = [id_text(id_) for id_ in sorted(self._reaching.doomed[self._order.subject])]
        known = [id_ for id_ in doomed if fetch_one(self._db, SQL["kind_and_state"], source.key, id_bytes(id_))]
        orders = [replace(self._order, subject=source, memories=tuple(map(MemoryId, known)), conversation=None)]
        for home, log in self._logs.items():
            places = defaultdict[bytes, list[int]](list)
            for conversation, seq in log.hollowed:
                places[conversation].append(seq)
            there = home.of_other_users(users)
            for conversation, seqs in sorted(places.items()) if there != home else ():
                last = fetch_value(self._db, LOG_SQL["last_seq"], there.key, conversation) or 0
                left = tuple(seq for seq in sorted(seqs) if seq <= last)
                if left:
                    found = ConversationId(id_text(conversation))
                    orders.append(replace(self._order, subject=there, memories=(), conversation=found, seqs=left))
        for order in orders:
            PartialErasure(self._db, order, at=self._at, term_key=self._term_key).erase(lambda: None)

    def _with_earlier_versions(self, memory: str) -> set[bytes]:
        """Return a memory with the closed ones that it replaced, however often: they are its history."""
        key = self._order.subject.key
        first = id_bytes(memory)
        if first is None or fetch_one(self._db, SQL["kind_and_state"], key, first) is None:
            raise UnknownMemoryError(memory)
        found, waiting = {first}, [first]
        while waiting:
            for (id_,) in fetch(self._db, SQL["earlier_versions"], key, waiting.pop()):
                row = fetch_one(self._db, SQL["kind_and_state"], key, id_)
                if id_ not in found and row is not None and row[1] == _CLOSED:
                    found.add(id_)
                    waiting.append(id_)
        return found

    def _log(self, home: Subject) -> MessageRedactor:
        if home not in self._logs:
            self._logs[home] = MessageRedactor(self._db, home, at=self._at, term_key=self._term_key)
        return self._logs[home]

    def _hollow_sources(self) -> None:
        """Empty the messages that the memories rest on: in the subject's own log, or everywhere."""
        sources: defaultdict[int, set[Place]] = defaultdict(set)
        for subject, ids in self._reaching.doomed.items():
            for id_ in ids:
                for home, conversation, seq, _ in fetch(self._db, SQL["sources_of"], subject.key, id_):
                    sources[home].add((conversation, seq))
        for home, places in sources.items():
            name = fetch_value(self._db, SQL["name_of"], home)
            if name is None:
                continue  # all of that subject was erased
            if self._reaching.reaches(Subject.parse(name)):
                self._log(Subject.parse(name)).erase(places, self.counts)
            else:
                self.counts["sources_elsewhere"] += len(places)

    def _hollow_named(self, conversation: str) -> None:
        home = self._order.subject
        id_ = id_bytes(conversation)
        if id_ is None or fetch_value(self._db, LOG_SQL["last_seq"], home.key, id_) is None:
            raise UnknownConversationError(conversation)
        if not self._order.seqs:
            self._db.execute(SQL["forget_options"], (home.key, id_))
            self.counts["insertions"] += insertions.delete_conversation(self._db, home.key, id_)
        log = self._log(home)
        log.erase([(id_, seq) for seq in self._order.seqs] or log.all_of(id_), self.counts)

    def _weigh_formed(self, home: Subject, log: MessageRedactor, erased: Set[Source]) -> None:
        for conversation, seq in sorted(log.hollowed):
            for name, id_ in fetch(self._db, SQL["formed_of"], home.key, conversation, seq):
                self._reaching.weigh(Subject.parse(name), id_, erased)
        for conversation in {conversation for conversation, _ in log.hollowed}:
            seqs = [seq for other, seq in log.hollowed if other == conversation]
            self._weigh_episodes(home, conversation, seqs, any_left=bool(log.all_of(conversation)))
            self._weigh_contexts(home, conversation, seqs)

    def _weigh_contexts(self, home: Subject, conversation: bytes, seqs: Sequence[int]) -> None:
        """Note the memories whose context quotes an erased message."""
        erased = {message_address(id_text(conversation), seq) for seq in seqs}
        for name, id_, detail in fetch(self._db, SQL["contexts_of"], home.key, conversation):
            subject = Subject.parse(name)
            if read_detail(detail).context_source in erased and self._reaching.reaches(subject):
                self._reaching.out_of_context[subject].add(id_)

    def _unquote_answers(self, home: Subject, log: MessageRedactor) -> None:
        """Drop the quotations of what answers an erased message: it may repeat it."""
        for conversation, seq in sorted(log.answers):
            for name, id_ in fetch(self._db, SQL["formed_of"], home.key, conversation, seq):
                subject = Subject.parse(name)
                if fetch_value(self._db, SQL["kind_and_state"], subject.key, id_) == _TURN:
                    self._reaching.doomed[subject].add(id_)

    def _weigh_episodes(self, home: Subject, conversation: bytes, seqs: Sequence[int], *, any_left: bool) -> None:
        """Drop the summaries whose range holds an erased message, and let what is left there be summed up again."""
        found: defaultdict[Subject, list[tuple[bytes, int, int]]] = defaultdict(list)
        for name, id_, first, last in fetch(self._db, SQL["episodes_of"], home.key, conversation):
            found[Subject.parse(name)].append((id_, first, last))
        for subject, episodes in found.items():
            hit = [(id_, first, last) for id_, first, last in episodes if any(first <= seq <= last for seq in seqs)]
            if not hit or not self._reaching.reaches(subject):
                continue
            starts = {conversation: min(first for _, first, _ in hit)} if any_left else {}
            for id_, _, _ in hit:
                for other, first in fetch(self._db, SQL["parts_of"], subject.key, id_):
                    if other != conversation:
                        starts[other] = min(first, starts.get(other, first))
            for other, start in starts.items():
                self._db.execute(SQL["episodes_due"], (subject.key, home.key, other, start - 1, self._at))
            self._reaching.doomed[subject] |= {id_ for id_, _, _ in hit}


class SubjectErasure:
    """Erases a subject: every row, its name, and what others quote of its messages."""

    def __init__(self, db: SqlConnection, order: EraseRequest, *, at: int, term_key: bytes) -> None:
        self._db = db
        self._subject = order.subject
        self._root = order.part_of or order.subject
        self._at = at
        self._term_key = term_key
        self.counts: Counter[str] = Counter()
        self._reaching = ErasureCascade(db, order, self.counts)

    def erase(self, midway: Callable[[], None]) -> None:
        """Delete all but the ledger: masked hashes of the messages, and a tombstone."""
        self._reach_others()
        self._thin_owners()
        key = self._subject.key
        version = subjects.move_version(self._db, self._subject)
        self._db.execute(SQL["all_gone"], (key, version))
        ledger = TombstoneLedger(self._db, self._subject, self._term_key)
        for hash_, level in fetch(self._db, SQL["all_marks"], key):
            ledger.add(hash_ if level == ERASED else ledger.mask(hash_), self._at)
        self._mark_of_target(ledger)
        midway()
        for table in TABLES:
            for statement in table.delete_statements:
                self._db.execute(SQL[statement], (key,))
                if table.counted:
                    self.counts[table.receipt_line] += self._db.changes()
        self._db.execute(SQL["note_erased_subject"], (key, self._at, version))
        self._db.execute(KEYS_SQL["retire_key"], (key,))
        self.counts[KEYS] += self._db.changes()

    def _mark_of_target(self, ledger: TombstoneLedger) -> None:
        """Mark what was said in place of this subject in the memory of another user, which is erased with it."""
        target = self._root
        if self._subject.kind != "user" or target in (self._subject, *self._subject.owners):
            return
        for hash_, level in fetch(self._db, SQL["all_marks"], target.key):
            if level != ERASED:
                ledger.add(ledger.mask(hash_), self._at)
        take_over_ledger(self._db, target, self._subject, self._term_key)

    def _thin_owners(self) -> None:
        """Remove it from the injection records of owners that stay: its name is written there."""
        for owner in self._root.owners:
            if subjects.version_of(self._db, owner) is not None:
                MemoryDeleter(self._db, owner, self.counts).thin_recalls_of(self._subject)
        self.counts["insertions"] += insertions.empty_showing_any(self._db, self._subject.key)

    def _reach_others(self) -> None:
        """Handle what other subjects hold of this one: quotations go, links if erased everywhere."""
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
