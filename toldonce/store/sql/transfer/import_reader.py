"""Read an export back: its lines into subjects, each checked as a whole. Reads what it is handed, writes nothing.

A file is hostile input: each value is bounded, and whatever the database would refuse, or could not read again, is
refused here, with the number of its line.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toldonce import former_name
from toldonce.clock import from_micros
from toldonce.errors import BadRequestError, RequestError
from toldonce.ids import id_text
from toldonce.store.sql.transfer import record_format
from toldonce.store.sql.transfer.export import Record
from toldonce.store.sql.transfer.import_check import LineError, check_block
from toldonce.types import ConversationId, Evidence, MemoryKind, Subject

_HEADERS = ("toldonce", former_name.NAME)
"""Names of the record at the beginning."""

_TURN = MemoryKind.TURN.number
_PLAIN = {
    "app": record_format.APP,
    "subscription": record_format.SUBSCRIPTION,
    "character_name": record_format.CHARACTER_NAME,
    "conversation": record_format.CONVERSATION,
    "decision": record_format.DECISION,
    "insertion": record_format.INSERTION,
    "erased": record_format.ERASED,
    "ledger": record_format.LEDGER,
}
# Of these a subject has one at most.
_SINGLE = ("app", "ledger")


class AmbiguousJsonError(ValueError):
    """JSON that two readers may read differently."""


def load_json(text: str | bytes) -> Any:
    """Read JSON that leaves no doubt: no name twice in an object, no NaN, no infinity.

    Raises:
        AmbiguousJsonError: It leaves doubt.
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_constant)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise AmbiguousJsonError("has a name twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise AmbiguousJsonError(f"has {name}, which is no number of JSON")


@dataclass
class ImportedSubject:
    """All an export has of one subject."""

    subject: Subject | None
    """None where all of it was erased: the ledger alone is left, under the key."""
    key: int
    line: int
    """Where it begins."""
    rows: dict[str, list[Record]] = field(default_factory=dict)
    """Of each kind of record, its columns, and its `line` in the file; `evidence` and `tags` are inside a memory,
    `calls` in a message."""

    @property
    def name(self) -> str:
        """How people are told of it."""
        return f"subject {self.key}, of which all was erased" if self.subject is None else self.subject.text

    @cached_property
    def words(self) -> dict[tuple[bytes, int], str]:
        """What is said in each place of its log."""
        return {(row["conversation"], row["seq"]): row["text"] for row in self.of("message")}

    def of(self, kind: str) -> list[Record]:
        """Return the records of a kind."""
        return self.rows.get(kind, [])


def read_blocks(lines: Iterable[bytes]) -> Iterator[ImportedSubject]:
    """Read the subjects of an export, one after another.

    Raises:
        BadRequestError: it is no export, or a line of it is not as it must be; the message says which, and why.
    """
    block: ImportedSubject | None = None
    count, ended = 0, False
    for number, line in enumerate(lines, start=1):
        try:
            kind, record = _record(line, first=number == 1)
            if ended:
                raise BadRequestError("something follows the end")
            if kind in _HEADERS:
                continue
            if kind in ("subject", "end"):
                if block is not None:
                    _check(block)
                    yield block
                ended = kind == "end"
                if ended and (isinstance(record["end"], bool) or record["end"] != count):
                    raise BadRequestError(f"there are {count} subjects, not {str(record['end'])[:40]}")
                block = None if ended else _begin(record, number)
                count += not ended
            elif block is None:
                raise BadRequestError("no subject was named before")
            else:
                _add(block, kind, record[kind], number)
        except RequestError as error:
            raise (error if isinstance(error, LineError) else LineError(number, str(error))) from None
    if not ended:
        raise BadRequestError("the file ends before its end: a part of it is missing")


def _record(line: bytes, *, first: bool) -> tuple[str, Record]:
    try:
        record = load_json(line)
    except AmbiguousJsonError as error:
        raise BadRequestError(str(error)) from None
    except (ValueError, RecursionError):
        raise BadRequestError("is no JSON in UTF-8") from None
    if not isinstance(record, dict) or not record:
        raise BadRequestError("is no object")
    kind = next(iter(record))
    if first != (kind in _HEADERS):
        raise BadRequestError("is no export of ToldOnce: such a file begins with its header" if first else "a header")
    if first and record != {kind: "export", "version": record_format.VERSION}:
        raise BadRequestError(
            f"has version {str(record.get('version'))[:40]} of the format, this ToldOnce reads "
            f"{record_format.VERSION}: install the version that wrote it"
        )
    if not first and kind != "subject" and len(record) != 1:
        raise BadRequestError("has more than one record")
    return kind, record


def _begin(record: Record, line: int) -> ImportedSubject:
    name = record["subject"]
    if name is None and record.keys() == {"subject", "key"}:
        return ImportedSubject(None, int(_value(record_format.WHOLE, record["key"], "key")), line)
    if not isinstance(name, str) or len(record) != 1:
        raise BadRequestError("names no subject")
    subject = Subject.parse(name)
    if subject.text != name:
        raise BadRequestError(f"{name!r} is not how a subject is written: {subject.text!r} is")
    return ImportedSubject(subject, subject.key, line)


def _add(block: ImportedSubject, kind: str, record: Any, line: int) -> None:
    if kind == "message":
        row = record_format.read(record_format.MESSAGE, record, beside=frozenset({"calls"}))
        row["calls"] = [_value(record_format.WHOLE, call, "calls") for call in _list(record["calls"], "calls")]
    elif kind == "memory":
        row = _memory(record)
    elif kind == "formation":
        row = record_format.read(record_format.FORMATION, record, beside=frozenset({"home"})) | {
            "home": _home(record["home"])
        }
    elif kind in _PLAIN:
        row = record_format.read(_PLAIN[kind], record)
    else:
        raise BadRequestError(f"no record is called {kind[:40]!r}")
    if block.subject is None and kind not in ("ledger", "erased"):
        raise BadRequestError(f"a {kind} of a subject of which all was erased")
    if kind in _SINGLE and block.of(kind):
        raise BadRequestError(f"a second {kind}")
    block.rows.setdefault(kind, []).append(row | {"line": line})


def _memory(record: Any) -> Record:
    row = record_format.read(record_format.MEMORY, record, beside=frozenset({"tags", "linked", "evidence"}))
    if (row["text"] is None) != (row["kind"] == _TURN):
        raise BadRequestError("a turn has no text of its own, and every other memory has")
    row["tags"] = [_value(record_format.INDEXED, tag, "tags") for tag in _list(record["tags"], "tags")]
    row["linked"] = bool(_value(record_format.FLAG, record["linked"], "linked"))
    row["evidence"] = [_evidence(source) for source in _list(record["evidence"], "evidence")]
    return row


def evidence_of(source: Record) -> Evidence:
    """Return a record of a memory's evidence as the evidence that it is."""
    return Evidence(
        conversation=ConversationId(id_text(source["conversation"])),
        seq=source["seq"],
        hash=source["hash"],
        role=source["role"],
        speaker=source["speaker"],
        quote=source["quote"],
        said_at=from_micros(source["said_at"]),
    )


def _evidence(record: Any) -> Record:
    try:
        return record_format.read(record_format.EVIDENCE, record, beside=frozenset({"home"})) | {
            "home": _home(record["home"])
        }
    except BadRequestError as error:
        raise BadRequestError(f"evidence {error}") from None


def _home(value: Any) -> Subject | int:
    if isinstance(value, str):
        return Subject.parse(value)
    return int(_value(record_format.WHOLE, value, "home"))


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRequestError(f"{name} is no list")
    return value


def _value(form: record_format.FieldCodec, value: Any, name: str) -> Any:
    try:
        return form.read(value)
    except ValueError as error:
        raise BadRequestError(f"{name} {error}") from None


def _check(block: ImportedSubject) -> None:
    """Look whether the records of a subject fit together.

    Raises:
        LineError: They do not.
    """
    check_block(block.rows, block.key)
    if (block.of("erased") or block.subject is None) and not block.of("ledger"):
        raise LineError(block.line, f"{block.name} has erased messages and no ledger")
    for row in block.of("subscription"):
        if block.subject is None or block.subject.kind != "user":
            raise LineError(row["line"], f"{block.name} is no user: only users read shared memories")
