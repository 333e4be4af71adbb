"""Write subjects as records, one a line, in an order that depends on nothing but them. Works on one end of a copy.

Left out is what is derived (vectors, hashed terms, what recall computes on), records of recalls, what is spent, and who
works on what. Messages are shown to `seen` before they are written: it strikes out secrets.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toldonce.store.sql.database import Row, load
from toldonce.store.sql.erase.tombstones import ledger_key
from toldonce.store.sql.inner import inner_subjects
from toldonce.store.sql.rows import fetch, fetch_value, read_detail
from toldonce.store.sql.tables import TABLES
from toldonce.store.sql.transfer import record_format
from toldonce.store.sql.transfer.endpoint import CopyEndpoint, KeyRange
from toldonce.text.visible_json import visible_json
from toldonce.types import Subject

SQL = load("export")
SUBJECT_SQL = load("subject")
HEADER = {"toldonce": "export", "version": record_format.VERSION}
_TABLES = {table.name: table for table in TABLES}

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """What rows look like when they leave the database."""

    message: Callable[[Record], Record]
    """Returns a message's row as it may leave."""
    detail: Callable[[str, str], str]
    """Returns the detail of a quotation, given that and the words of its message as they are stored: the stretches that
    it withholds are counted in the words that leave."""
    inserted: Callable[[str], str]
    """Returns a text that was inserted into prompts as it may leave."""


def export_lines(end: CopyEndpoint, wanted: Sequence[Row], seen: Seen, glance: Callable[[], None]) -> Iterator[bytes]:
    """Write subjects within the caller's snapshot; the header first, and last how many there are.

    Args:
        end: Database to read.
        wanted: Key and name of each subject.
        seen: What leaves the database.
        glance: Called for each row and line; it may raise.
    """
    yield _line(HEADER)
    term_key = bytes(fetch_value(end.db, SUBJECT_SQL["term_key"]))
    for key, name in wanted:
        for line in _Subject(end, _Named(key, name), term_key, seen, glance).lines():
            glance()
            yield line
    yield _line({"end": len(wanted)})


def subjects_to_export(end: CopyEndpoint, only: Subject | None) -> list[Row]:
    """List key and name of those there are: with conversations first, for others rest on them. Last the nameless.

    Of these all was erased, and the ledger alone is left. With `only`: that one and the subjects within it.
    """
    if only is not None:
        wanted = [only, *inner_subjects(end.db, only)]
        rows = (row for subject in wanted for row in fetch(end.db, SQL["one"], subject.key) if row[1] == subject.text)
        return [row[:2] for row in sorted(rows, key=lambda row: not row[2])]
    named = fetch(end.db, SQL["named"])
    talked = [row[:2] for row in named if row[2]]
    return [
        *talked,
        *(row[:2] for row in named if not row[2]),
        *((key, None) for (key,) in fetch(end.db, SQL["nameless"])),
    ]


@dataclass(frozen=True, slots=True)
class _Named:
    """Key and name of a subject."""

    key: int
    name: str | None


class _Subject:
    """One subject on its way out."""

    def __init__(
        self, end: CopyEndpoint, named: _Named, term_key: bytes, seen: Seen, glance: Callable[[], None]
    ) -> None:
        self._end = end
        self._key, self._name = named.key, named.name
        self._term_key = term_key
        self._seen = seen
        self._glance = glance
        self._names: dict[int, str | int] = {}

    def lines(self) -> Iterator[bytes]:
        """Write it."""
        yield _line({"subject": self._name, **({} if self._name else {"key": self._key})})
        yield from self._ledger()
        yield from self._plain("app", record_format.APP)
        yield from self._plain("subscription", record_format.SUBSCRIPTION)
        yield from self._plain("character_name", record_format.CHARACTER_NAME)
        yield from self._plain("conversation", record_format.CONVERSATION)
        yield from self._messages()
        yield from self._memories()
        yield from self._plain("decision", record_format.DECISION)
        yield from self._insertions()
        for row in self._rows("formation"):
            yield _line(
                {"formation": {"home": self._name_of(row["home"]), **record_format.write(record_format.FORMATION, row)}}
            )

    def _rows(self, table: str) -> list[Record]:
        columns = self._end.columns(_TABLES[table])
        rows = []
        for row in self._end.rows(_TABLES[table], columns, KeyRange(self._key, self._key)):
            self._glance()
            rows.append(dict(zip(columns, row, strict=True)))
        return rows

    def _plain(self, table: str, fields: tuple[record_format.Field, ...]) -> Iterator[bytes]:
        for row in self._rows(table):
            yield _line({table: record_format.write(fields, row)})

    def _ledger(self) -> Iterator[bytes]:
        marks, whole = self._rows("erased_message"), self._rows("erased_subject")
        if not marks and not whole:
            return
        row = {"at": None, "version": None, **(whole[0] if whole else {})}
        row["key"] = ledger_key(self._end.db, self._key, self._term_key)
        yield _line({"ledger": record_format.write(record_format.LEDGER, row)})
        for mark in marks:
            yield _line({"erased": record_format.write(record_format.ERASED, mark)})

    def _messages(self) -> Iterator[bytes]:
        calls: defaultdict[tuple[bytes, int], list[int]] = defaultdict(list)
        for row in self._rows("tool_call"):
            calls[row["conversation"], row["seq"]].append(row["call"])
        for row in self._rows("message"):
            made = calls[row["conversation"], row["seq"]]
            yield _line(
                {"message": {**record_format.write(record_format.MESSAGE, self._seen.message(row)), "calls": made}}
            )

    def _insertions(self) -> Iterator[bytes]:
        for row in self._rows("insertion"):
            row |= {name: self._seen.inserted(row[name]) for name in ("standing", "recalled")}
            yield _line({"insertion": record_format.write(record_format.INSERTION, row)})

    def _memories(self) -> Iterator[bytes]:
        sources: defaultdict[bytes, list[Record]] = defaultdict(list)
        for row in self._rows("evidence"):
            sources[row["memory"]].append(row)
        tags: defaultdict[bytes, list[str]] = defaultdict(list)
        for row in self._rows("memory_tag"):
            tags[row["memory"]].append(row["tag"])
        linked = {row["memory"] for row in self._rows("link")}
        for row in self._rows("memory"):
            id_ = row["id"]
            evidence = [
                {"home": self._name_of(source["home"]), **record_format.write(record_format.EVIDENCE, source)}
                for source in sources[id_]
            ]
            beside = {"tags": tags[id_], "linked": id_ in linked, "evidence": evidence}
            row["detail"] = self._detail(row, sources[id_])
            yield _line({"memory": {**record_format.write(record_format.MEMORY, row), **beside}})

    def _detail(self, memory: Record, sources: Sequence[Record]) -> str | None:
        detail: str | None = memory["detail"]
        if not detail or not read_detail(detail).withheld or not sources:
            return detail
        source = sources[0]
        said = fetch_value(self._end.db, SQL["said_in"], source["home"], source["conversation"], source["seq"])
        return self._seen.detail(detail, str(said or ""))

    def _name_of(self, key: int) -> str | int:
        """Name the subject with a key; one that is not there any more has its key alone."""
        if key not in self._names:
            rows = fetch(self._end.db, SQL["one"], key)
            self._names[key] = rows[0][1] if rows else key
        return self._names[key]


def _line(record: Record) -> bytes:
    return visible_json(record).encode() + b"\n"
