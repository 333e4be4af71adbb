"""Decide which memories are deleted with an erasure, and which copies stay. Works on a connection."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Set

from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.delete import MemoryDeleter
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.types import EraseRequest, MemoryKind, Subject

SQL = load("erase")
_TURN, _EPISODE = MemoryKind.TURN.number, MemoryKind.EPISODE.number
Source = tuple[int, bytes, int]
"""Home, conversation and `seq` of a message that is evidence of a memory."""
Places = Set[tuple[bytes, int]]
"""Conversation and `seq` of messages of one log."""


class ErasureCascade:
    """What an erasure deletes, in all subjects it reaches."""

    def __init__(self, db: SqlConnection, order: EraseRequest, counts: Counter[str]) -> None:
        self._db = db
        self._order = order
        self._counts = counts
        self.doomed: defaultdict[Subject, set[bytes]] = defaultdict(set)
        self._poorer: defaultdict[Subject, set[bytes]] = defaultdict(set)
        self.out_of_context: defaultdict[Subject, set[bytes]] = defaultdict(set)
        """Memories whose context quotes an erased message."""
        self._left: set[tuple[Subject, bytes]] = set()
        self._root = order.part_of or order.subject
        self.everywhere = order.everywhere

    def reaches(self, subject: Subject) -> bool:
        """Return whether memories formed in a subject are deleted too: it is the named one, or within it."""
        return self.everywhere or self._root in (subject, *subject.owners)

    def readers(self, homes: Iterable[Subject]) -> list[Subject]:
        """Return other subjects that the erasure reaches and that have formations of these logs."""
        names = {name for home in homes for (name,) in fetch(self._db, SQL["read_by"], home.key)}
        return [subject for subject in map(Subject.parse, sorted(names)) if self.reaches(subject)]

    def weigh(self, subject: Subject, id_: bytes, erased: Set[Source]) -> None:
        """Decide on a memory whose evidence is in erased messages.

        Quotations and summaries go; others stay if they rest on something else, too, and then rest on that alone.
        """
        if id_ in self.doomed[subject] or id_ in self._poorer[subject]:
            return
        kind = fetch_value(self._db, SQL["kind_and_state"], subject.key, id_)
        if kind == _TURN:  # its words stood in the message
            self.doomed[subject].add(id_)
        elif not self.reaches(subject):
            self._left.add((subject, id_))
        elif kind == _EPISODE or self._rests_on(subject, id_) <= erased:
            self.doomed[subject].add(id_)
        else:
            self._poorer[subject].add(id_)

    def _rests_on(self, subject: Subject, id_: bytes) -> set[Source]:
        return {(row[0], row[1], row[2]) for row in fetch(self._db, SQL["sources_of"], subject.key, id_)}

    def follow_folds(self) -> None:
        """Include the memories that a deleted one was folded into: they contain its words."""
        for subject, ids in self.doomed.items():
            waiting = list(ids)
            while waiting:
                for (id_,) in fetch(self._db, SQL["folded_into"], subject.key, waiting.pop()):
                    if id_ not in ids:
                        ids.add(id_)
                        waiting.append(id_)

    def follow_links(self) -> None:
        """Include the copies in other subjects, or count those that stay."""
        for subject, ids in list(self.doomed.items()):
            for id_ in list(ids):
                # The same id in another subject is a copy only where this one says so: an import may bring any id.
                if fetch_value(self._db, SQL["is_linked"], subject.key, id_) is None:
                    continue
                for (name,) in fetch(self._db, SQL["linked"], subject.key, id_):
                    self.leave_or_take(Subject.parse(name), id_)

    def leave_or_take(self, subject: Subject, id_: bytes) -> None:
        """Decide on a copy of an erased memory."""
        if self.reaches(subject):
            self.doomed[subject].add(id_)
        else:
            self._left.add((subject, id_))

    def remove(self, subject: Subject, erased: Set[Source], hollowed: Places, answers: Places) -> None:
        """Delete what was decided on in a subject, and every trace of it there."""
        removing = MemoryDeleter(self._db, subject, self._counts)
        removing.drop(sorted(self.doomed[subject]))
        for id_ in sorted(self._poorer[subject] - self.doomed[subject]):
            removing.strip(id_, erased)
        for id_ in sorted(self.out_of_context[subject] - self.doomed[subject]):
            removing.clear_context(id_)
        removing.clear_traces(hollowed, answers)

    def touched(self) -> list[Subject]:
        """Return the subjects that lose something, in a fixed order."""
        found = {
            subject
            for group in (self.doomed, self._poorer, self.out_of_context)
            for subject, ids in group.items()
            if ids
        }
        return sorted(found, key=lambda one: one.key)

    def count_left(self) -> None:
        """Count the copies that stay in other subjects."""
        self._counts["elsewhere"] = len({(who, id_) for who, id_ in self._left if id_ not in self.doomed[who]})
