"""Erase: find what is to go with what was named, and take it away. Works on a connection, in a transaction."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set
from uuid import UUID

from recollect.clock import from_micros, to_micros
from recollect.errors import UnknownConversationError, UnknownMemoryError
from recollect.ids import id_bytes, id_text
from recollect.store.relational import subjects
from recollect.store.relational.database import Database
from recollect.store.relational.emptying import Whole
from recollect.store.relational.hollowing import Hollowing, Place
from recollect.store.relational.reaching import Reaching, Source
from recollect.store.relational.rows import STATE_NUMBER, fetch, fetch_one, fetch_value
from recollect.store.relational.statements import load
from recollect.types import EraseOrder, Erasure, MemoryState, Subject

SQL = load("erase")
LOG_SQL = load("log")
_CLOSED = STATE_NUMBER[MemoryState.CLOSED]


def erase(db: Database, order: EraseOrder, erasure: Erasure, term_key: bytes, midway: Callable[[], None]) -> Erasure:
    """Erase: see `Store.erase`.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        order: What is to go.
        erasure: Its id and instant, without counts.
        term_key: The database's key, from which the ledger's is drawn.
        midway: Called when some of it is gone.
    """
    at = to_micros(erasure.at)
    if subjects.version_of(db, order.subject) is None:
        _refuse_unknown(order)
        work: Part | Whole | None = None
    else:
        work = (Whole if order.everything else Part)(db, order, at=at, term_key=term_key)
        work.erase(midway)
    found = {name: count for name, count in work.counts.items() if count} if work else {}
    cleaned_at = None if work else erasure.at  # where nothing was, nothing is left behind
    values = (order.subject.key, at, UUID(erasure.id).bytes, at if cleaned_at else None, json.dumps(found))
    db.execute(SQL["note_erasure"], values)
    return Erasure(id=erasure.id, at=erasure.at, cleaned_at=cleaned_at, counts=found)


def erasures(db: Database, subject: Subject, *, limit: int) -> list[Erasure]:
    """List what was erased: see `Store.erasures`."""
    return [
        Erasure(
            id=id_text(id_),
            at=from_micros(at),
            cleaned_at=None if cleaned_at is None else from_micros(cleaned_at),
            counts=json.loads(counts),
        )
        for id_, at, cleaned_at, counts in fetch(db, SQL["erasure"], subject.key, limit)
    ]


def _refuse_unknown(order: EraseOrder) -> None:
    if order.memories:
        raise UnknownMemoryError(order.memories[0])
    if order.conversation:
        raise UnknownConversationError(order.conversation)


class Part:
    """Erases memories and messages of a subject that goes on."""

    def __init__(self, db: Database, order: EraseOrder, *, at: int, term_key: bytes) -> None:
        """Take the order."""
        self._db = db
        self._order = order
        self._at = at
        self._term_key = term_key
        self.counts: Counter[str] = Counter()
        self._reaching = Reaching(db, order, self.counts)
        self._logs: dict[Subject, Hollowing] = {}

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
        self._reaching.follow_folds()
        self._reaching.follow_links()
        for subject in {mine: None} | dict.fromkeys(self._reaching.touched()):
            logs = [log for home, log in self._logs.items() if self._order.everywhere or home == subject]
            hollowed = {place for log in logs for place in log.hollowed}
            self._reaching.remove(subject, erased, hollowed, {place for log in logs for place in log.answers})
        self._reaching.count_left()

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

    def _log(self, home: Subject) -> Hollowing:
        if home not in self._logs:
            self._logs[home] = Hollowing(self._db, home, at=self._at, term_key=self._term_key)
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
        log = self._log(home)
        log.erase([(id_, seq) for seq in self._order.seqs] or log.all_of(id_), self.counts)
        if not self._order.seqs:
            self._db.execute(SQL["forget_options"], (home.key, id_))

    def _weigh_formed(self, home: Subject, log: Hollowing, erased: Set[Source]) -> None:
        for conversation, seq in sorted(log.hollowed):
            for name, id_ in fetch(self._db, SQL["formed_of"], home.key, conversation, seq):
                self._reaching.weigh(Subject.parse(name), id_, erased)
        for conversation in {conversation for conversation, _ in log.hollowed}:
            seqs = [seq for one, seq in log.hollowed if one == conversation]
            self._weigh_episodes(home, conversation, seqs, any_left=bool(log.all_of(conversation)))

    def _weigh_episodes(self, home: Subject, conversation: bytes, seqs: Sequence[int], *, any_left: bool) -> None:
        """Drop the summaries whose range holds an erased message, and let what is left there be summed up again."""
        found: defaultdict[Subject, list[tuple[bytes, int, int]]] = defaultdict(list)
        for name, id_, first, last in fetch(self._db, SQL["episodes_of"], home.key, conversation):
            found[Subject.parse(name)].append((id_, first, last))
        for subject, episodes in found.items():
            hit = [one for one in episodes if any(one[1] <= seq <= one[2] for seq in seqs)]
            if not hit or not self._reaching.reaches(subject):
                continue
            start = min(first for _, first, _ in hit)
            if any_left:
                self._db.execute(SQL["episodes_due"], (subject.key, home.key, conversation, start - 1, self._at))
            self._reaching.doomed[subject] |= {id_ for id_, _, _ in hit}
