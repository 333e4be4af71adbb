"""Whether the records of one subject in an export fit together. Pure.

What is checked here is what the database's keys and indexes demand, and what readers rely on: an import that was begun
must not fail on the way, nor leave rows that cannot be read.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from toldonce.errors import BadRequestError
from toldonce.store.sql.rows import ERASED, STATE_NUMBER
from toldonce.types import MemoryKind, MemoryState, Subject

Record = dict[str, Any]
Rows = Mapping[str, Sequence[Record]]
_FACT, _TURN = MemoryKind.FACT.number, MemoryKind.TURN.number
_ACTIVE, _CLOSED = STATE_NUMBER[MemoryState.ACTIVE], STATE_NUMBER[MemoryState.CLOSED]
# Clocks of two machines may differ: a memory may be closed so many microseconds before it was stored.
_CLOCK_SKEW = 24 * 60 * 60 * 1_000_000


class LineError(BadRequestError):
    """A line of a file that is imported is wrong."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")


def check_block(rows: Rows, subject: int) -> None:
    """Check the records of a subject, by its key.

    Raises:
        LineError: A record is wrong, or does not fit the others.
    """
    for kind, key in _UNIQUE:
        _require_unique(rows.get(kind, ()), kind, key)
    lengths = _check_messages(rows)
    for memory in rows.get("memory", ()):
        _check_memory(memory)
        for source in memory["evidence"]:
            _check_place(memory["line"], "evidence", source, lengths, subject)
    for insertion in rows.get("insertion", ()):
        _check_insertion(insertion, lengths)
    for formation in rows.get("formation", ()):
        if key_of(formation["home"]) == subject:
            last = lengths.get(formation["conversation"])
            if last is None or formation["formed_seq"] > last:
                raise LineError(formation["line"], "a formation of messages that there are not")


def _check_insertion(row: Record, lengths: Mapping[bytes, int]) -> None:
    if (row["is_answer"] or row["erased"]) and (row["standing"] or row["recalled"]):
        raise LineError(row["line"], "a mark of an answer or of an erased text has no text")
    if row["conversation"] is None and row["seq"] is not None:
        raise LineError(row["line"], "an insertion at a message has its conversation")
    if row["conversation"] is not None and (row["seq"] or 0) > lengths.get(row["conversation"], -1):
        raise LineError(row["line"], "the insertion points to a message that there is not")


def key_of(home: Subject | int) -> int:
    """Return the key of the subject whose log has something."""
    return home.key if isinstance(home, Subject) else home


_UNIQUE: tuple[tuple[str, Callable[[Record], Hashable]], ...] = (
    ("conversation", lambda row: row["id"]),
    ("conversation", lambda row: row["external_id"]),
    ("message", lambda row: (row["conversation"], row["seq"])),
    ("memory", lambda row: row["id"]),
    ("memory", lambda row: (row["category"], row["key"]) if (row["kind"], row["state"]) == (_FACT, _ACTIVE) else None),
    ("memory", lambda row: row["number"] if row["state"] == _ACTIVE else None),
    ("decision", lambda row: (row["at"], row["id"])),
    ("insertion", lambda row: (row["chain"], row["thread"])),
    ("subscription", lambda row: row["shared"]),
    ("character_name", lambda row: row["name"]),
    ("erased", lambda row: row["mark"]),
    (
        "formation",
        lambda row: (key_of(row["home"]), *(row[name] for name in ("conversation", "profile", "stage", "version"))),
    ),
)
"""What may occur only once; None means nothing."""


def _require_unique(rows: Iterable[Record], kind: str, key: Callable[[Record], Hashable]) -> None:
    seen: set[Hashable] = set()
    for row in rows:
        found = key(row)
        if found is None:
            continue
        if found in seen:
            raise LineError(row["line"], f"the same {kind}, or its place, comes twice")
        seen.add(found)


def _check_messages(rows: Rows) -> dict[bytes, int]:
    """Check that conversations are without gaps; return how many messages each has."""
    counted: dict[bytes, int] = {}
    for row in rows.get("message", ()):
        counted[row["conversation"]] = counted.get(row["conversation"], 0) + 1
    lengths: dict[bytes, int] = {}
    for row in rows.get("conversation", ()):
        lengths[row["id"]] = row["last_seq"]
        if counted.get(row["id"], 0) != row["last_seq"]:
            raise LineError(row["line"], "the conversation has not the messages that it should have")
    for row in rows.get("message", ()):
        last = lengths.get(row["conversation"])
        if last is None:
            raise LineError(row["line"], "the message is of a conversation that there is not")
        if row["seq"] > last or row["parent_seq"] >= row["seq"]:
            raise LineError(row["line"], "the message has a position that does not exist")
        if row["erased"] == ERASED and row["text"]:
            raise LineError(row["line"], "the message is erased and has words")
    return lengths


def _check_memory(memory: Record) -> None:
    line = memory["line"]
    if memory["valid_to"] is not None and memory["valid_to"] < memory["valid_from"]:
        raise LineError(line, "the memory ends before it begins: valid_to is before valid_from")
    if (memory["closed_at"] is not None) != (memory["state"] == _CLOSED):
        raise LineError(line, "a memory has closed_at if it is closed, and only then")
    if memory["closed_at"] is not None and memory["closed_at"] < memory["known_from"] - _CLOCK_SKEW:
        raise LineError(line, "the memory was closed before it was stored: closed_at is before known_from")
    if memory["kind"] == _TURN and len(memory["evidence"]) != 1:
        raise LineError(line, "a turn rests on the one message that it quotes")


def _check_place(line: int, what: str, source: Record, lengths: Mapping[bytes, int], subject: int) -> None:
    """Check that a source in the subject's own log is there; those in other logs are checked with these."""
    if key_of(source["home"]) == subject and source["seq"] > lengths.get(source["conversation"], 0):
        raise LineError(line, f"{what} points to a message that there is not")
