"""What the subjects of an import say of others: sources, work, links and subscriptions. Reads one end of a copy.

A file may not make another subject's data its own. Where a record points into another subject's log, that log must come
with the file, so that nothing is read that the file does not hold; a subject that is there already, and so is left out
of the import, vouches only for what it holds word for word as the file does.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from toldonce.store.sql.database import load
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.store.sql.transfer.endpoint import CopyEndpoint
from toldonce.store.sql.transfer.export import Record
from toldonce.store.sql.transfer.import_check import LineError, key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject
from toldonce.types import MemoryKind, Subject

SQL, ERASE_SQL = load("export"), load("erase")
_TURN = MemoryKind.TURN.number
# Subjects whose memory is formed of conversations in the logs of users.
_WITHIN = frozenset({"session", "app", "character"})
_ADVICE = "import them together (`toldonce export --all`), or with --trusted if no one else had the file"


Place = tuple[bytes, int]
"""Conversation and `seq` in a log; 0 is the conversation itself."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What points into the log of another subject, first."""

    line: int
    needs_words: bool
    """It reads the message, so that an erased subject, of which nothing is left, does not do."""


class References:
    """What an import says of other subjects, gathered block by block."""

    def __init__(self, *, trusted: bool) -> None:
        """Begin with nothing. Of a trusted file only that is refused which no export ever holds."""
        self._trusted = trusted
        self._places: defaultdict[int, dict[Place, Reference]] = defaultdict(dict)
        self._linked: dict[bytes, tuple[int, int]] = {}
        self._shared: dict[int, tuple[int, str]] = {}

    def add(self, block: ImportedSubject) -> None:
        """Note what a subject's records say of others.

        Raises:
            LineError: It reads the log of a subject that is never read so.
        """
        for memory in block.of("memory"):
            for source in memory["evidence"]:
                self._note(block, memory["line"], source, reads=memory["kind"] == _TURN)
            if memory["linked"]:
                self._linked.setdefault(memory["id"], (memory["line"], block.key))
        for formation in block.of("formation"):
            self._note(block, formation["line"], formation | {"seq": 0}, reads=True)
        for row in block.of("subscription"):
            self._shared.setdefault(Subject.parse(row["shared"]).key, (row["line"], row["shared"]))

    def _note(self, block: ImportedSubject, line: int, source: Record, *, reads: bool) -> None:
        home = source["home"]
        if key_of(home) == block.key:
            return
        subject = block.subject
        if reads and (subject is None or subject.kind not in _WITHIN):
            raise LineError(line, "it reads the log of another subject: a memory is read from its own log alone")
        if self._trusted or (subject is not None and isinstance(home, Subject) and is_within(subject, home)):
            return
        place = (source["conversation"], source["seq"])
        self._places[key_of(home)].setdefault(place, Reference(line, reads))

    def check(
        self, end: CopyEndpoint, read: Callable[[], Iterable[ImportedSubject]], missing: Mapping[int, int]
    ) -> None:
        """Check what was noted against the file and the database.

        Args:
            end: The database.
            read: Reads the blocks of the file again.
            missing: Keys of the subjects that are written; the others are there already.

        Raises:
            LineError: Something points to what the file does not hold.
        """
        if self._trusted or not (self._places or self._linked or self._shared):
            return
        known: set[int] = set()
        for block in read():
            standing = None if block.key in missing else _Standing(end, block)
            wanted = self._places.get(block.key, {})
            for place in list(_held(block, standing, wanted)):
                del wanted[place]
            if standing is None or standing.holds_all_memories():
                known.add(block.key)
        lines = [place.line for places in self._places.values() for place in places.values()]
        if lines:
            raise LineError(
                min(lines), f"it points into the log of another subject that the file does not hold: {_ADVICE}"
            )
        self._check_subscriptions(end, known)
        self._check_links(end, known)

    def _check_subscriptions(self, end: CopyEndpoint, known: set[int]) -> None:
        for key, (line, name) in self._shared.items():
            if key not in known and fetch(end.db, SQL["one"], key):
                raise LineError(
                    line, f"{name} is there already: subscribe by `toldonce subscribe`, or import with --trusted"
                )

    def _check_links(self, end: CopyEndpoint, known: set[int]) -> None:
        for memory, (line, subject) in self._linked.items():
            for (name,) in fetch(end.db, ERASE_SQL["linked"], subject, memory):
                if Subject.parse(name).key not in known:
                    raise LineError(line, f"it is linked with a memory that is not in this file: {_ADVICE}")


def is_within(subject: Subject, owner: Subject) -> bool:
    """Return whether a subject is a user's own session, app or character: only that user ever reads it.

    >>> ana, an = Subject("user", "ana"), Subject("user", "an")
    >>> is_within(Subject("session", "ana/1"), ana), is_within(Subject("session", "ana/1"), an)
    (True, False)
    >>> is_within(Subject("app", "ana"), ana)
    False
    """
    whose = f"{quote(owner.name, safe='')}/"
    own_tenant = owner.tenant == subject.tenant
    return own_tenant and owner.kind == "user" and subject.kind in _WITHIN and subject.name.startswith(whose)


def _held(block: ImportedSubject, standing: "_Standing | None", wanted: Mapping[Place, Reference]) -> Iterator[Place]:
    """Find the places of a block that it holds: in the file, and word for word in the database where it is there."""
    conversations = {row["id"] for row in block.of("conversation")}
    for place, reference in wanted.items():
        conversation, seq = place
        if block.subject is None:
            if not reference.needs_words:
                yield place
        elif seq == 0:
            if conversation in conversations and (standing is None or standing.has_words(conversation)):
                yield place
        elif (conversation, seq) in block.words and (
            standing is None or standing.says(conversation, seq, may_lack=not reference.needs_words)
        ):
            yield place


class _Standing:
    """A subject of the file that is in the database already."""

    def __init__(self, end: CopyEndpoint, block: ImportedSubject) -> None:
        self._end = end
        self._block = block

    def says(self, conversation: bytes, seq: int, *, may_lack: bool = False) -> bool:
        """Return whether a message says there what it says in the file, or is not there at all where it may lack."""
        found = fetch_value(self._end.db, SQL["said_in"], self._block.key, conversation, seq)
        return may_lack if found is None else str(found) == self._block.words[conversation, seq]

    def has_words(self, conversation: bytes) -> bool:
        """Return whether a conversation says there what it says in the file."""
        return all(self.says(*place) for place in self._block.words if place[0] == conversation)

    def holds_all_memories(self) -> bool:
        """Return whether the file has all memories that are there: who wrote it knows them."""
        ids = {row["id"] for row in self._block.of("memory")}
        return all(bytes(id_) in ids for (id_,) in fetch(self._end.db, SQL["memory_ids"], self._block.key))
