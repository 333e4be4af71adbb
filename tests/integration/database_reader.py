"""Reads the database as another process would: what is in the log and the work, past the server. Opens the file.

`python database_reader.py DATABASE` checks a ledger given on standard input (see `Acknowledged`) and prints what is
wrong, one line each: the campaigns run it in a process of its own.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import apsw
import psycopg

_STAGES = {"index", "extract"}
# Messages that an edit took off the active path, and all below them; then what is quoted of each message.
_QUOTED = """
WITH RECURSIVE gone (subject, conversation, seq) AS (
    SELECT old.subject, old.conversation, old.seq FROM message AS old JOIN message AS new
        ON new.subject = old.subject AND new.conversation = old.conversation AND new.parent_seq = old.parent_seq
     WHERE old.role = 'user' AND new.role = 'user' AND new.seq > old.seq
     UNION
    SELECT m.subject, m.conversation, m.seq FROM gone AS g JOIN message AS m
        ON m.subject = g.subject AND m.conversation = g.conversation AND m.parent_seq = g.seq
)
SELECT m.text, max(CASE WHEN g.seq IS NULL THEN 0 ELSE 1 END), count(q.id)
  FROM message AS m
  LEFT JOIN gone AS g ON g.subject = m.subject AND g.conversation = m.conversation AND g.seq = m.seq
  LEFT JOIN evidence AS e ON e.home = m.subject AND e.conversation = m.conversation AND e.seq = m.seq
  LEFT JOIN memory AS q ON q.subject = e.subject AND q.id = e.memory AND q.kind = 3 AND q.state = 0
 GROUP BY m.subject, m.conversation, m.seq
HAVING count(q.id) <> min(CASE WHEN g.seq IS NULL THEN 1 ELSE 0 END)
"""
_TURN = 3
# This file is a program, too, which finds none of the tests' other modules.
_CHECKED_WITHIN_S = 600
LEASE_S = 600
"""Longer than any lease: what a killed server was working on can be taken up again after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A logged message."""

    conversation: bytes
    external_id: str | None
    seq: int
    parent_seq: int
    role: str
    complete: bool
    text: str

    @property
    def place(self) -> tuple[int, int, str, str]:
        """Its place and what it says."""
        return self.seq, self.parent_seq, self.role, self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Formation:
    """A row of work."""

    conversation: bytes
    stage: str
    formed_seq: int
    due: bool
    parked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An active memory of a subject."""

    kind: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """A turn whose `[DONE]` a client saw: every text is unique in its user's log."""

    user: str
    said: str
    answered: str
    follows: str | None
    """The answer it was said to; None for the first turn of a conversation."""


@contextmanager
def reading(path: Path | str) -> Iterator[Any]:
    """Open the database so that nothing can be written, even while a server uses it or after it was killed."""
    if isinstance(path, str):
        with psycopg.connect(
            path, options="-c search_path=toldonce,public -c default_transaction_read_only=on"
        ) as there:
            yield there
        return
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(10_000)
        connection.pragma("query_only", True)
        yield connection
    finally:
        connection.close()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the database's write lock, as a backup or another program would."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(10_000)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


def _rows(connection: Any, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(connection, psycopg.Connection):
        sql = sql.replace("?", "%s")
    return list(connection.execute(sql, values))


class Database:
    """What lies in a database now; each call looks anew."""

    def __init__(self, path: Path | str) -> None:
        """Take the file, or the URL of a PostgreSQL database."""
        self.path = path

    def messages(self, user: str) -> list[Row]:
        """Return a user's log: conversations in the order they began, messages by position."""
        with reading(self.path) as connection:
            return _messages(connection, f"user:{user}")

    def conversations(self, user: str) -> list[list[tuple[int, int, str, str]]]:
        """Return (seq, parent_seq, role, text) of a user's messages, a list for each conversation."""
        grouped: dict[bytes, list[tuple[int, int, str, str]]] = {}
        for row in self.messages(user):
            grouped.setdefault(row.conversation, []).append(row.place)
        return list(grouped.values())

    def formations(self, user: str) -> list[Formation]:
        """Return a user's work."""
        with reading(self.path) as connection:
            return _formations(connection, f"user:{user}")

    def known(self, user: str) -> list[Known]:
        """Return a user's active memories; a quotation shows the words it points to."""
        with reading(self.path) as connection:
            found = _rows(
                connection,
                "SELECT DISTINCT r.id, r.kind, r.text FROM remembered AS r JOIN subject AS s ON s.key = r.subject"
                " WHERE s.name = ? AND r.state = 0 ORDER BY r.id",
                (f"user:{user}",),
            )
        return [Known(kind=kind, text=text) for _, kind, text in found]

    def settled(self, user: str) -> bool:
        """Tell whether a user's conversations have left work, and all of it is done, also that of an app."""
        with reading(self.path) as connection:
            found = _rows(
                connection,
                "SELECT count(*), count(f.due_at) FROM formation AS f JOIN subject AS s ON s.key = f.home"
                " WHERE s.name = ?",
                (f"user:{user}",),
            )
        [(rows, due)] = found
        return bool(rows) and not due

    def problems(self, acknowledged: Sequence[Acknowledged], *, quiet: bool = False) -> list[str]:
        """Say what is wrong with the database as it lies; `quiet`: all work should be done as well."""
        with reading(self.path) as connection:
            found: list[str] = []
            if isinstance(connection, apsw.Connection):
                connection.execute("BEGIN")
                checked = _rows(connection, "PRAGMA integrity_check")
                found = [f"integrity: {row[0]}" for row in checked if row[0] != "ok"]
            found += _broken_conversations(connection)
            for name in sorted({turn.user for turn in acknowledged}):
                rows = _messages(connection, f"user:{name}")
                found += _lost(rows, [turn for turn in acknowledged if turn.user == name])
            if quiet:
                found += [*_unfinished(connection), *_doubled(connection)]
        return found

    def problems_elsewhere(self, acknowledged: Sequence[Acknowledged], *, quiet: bool = False) -> list[str]:
        """Like `problems`, found by a process that shares nothing with this one or the server."""
        ledger = json.dumps({"quiet": quiet, "turns": [asdict(turn) for turn in acknowledged]})
        checked = subprocess.run(
            [sys.executable, str(Path(__file__)), str(self.path)],
            input=ledger,
            capture_output=True,
            text=True,
            timeout=_CHECKED_WITHIN_S,
        )
        if checked.returncode:
            return [f"the checker failed: {checked.stderr}"]
        problems: list[str] = json.loads(checked.stdout)
        return problems


def let_time_pass(path: Path, seconds: int) -> None:
    """Move every lease back, as if so much time had passed since the server that held them was killed."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(10_000)
    connection.execute("UPDATE formation SET lease_until = lease_until - ?", (seconds * 1_000_000,))
    connection.close()


def _messages(connection: Any, subject: str) -> list[Row]:
    found = _rows(
        connection,
        "SELECT m.conversation, c.external_id, m.seq, m.parent_seq, m.role, m.complete, m.text"
        " FROM message AS m"
        " JOIN subject AS s ON s.key = m.subject"
        " JOIN conversation AS c ON c.subject = m.subject AND c.id = m.conversation"
        " WHERE s.name = ? ORDER BY c.created_at, c.id, m.seq",
        (subject,),
    )
    return [
        Row(conversation=c, external_id=e, seq=seq, parent_seq=parent, role=role, complete=bool(complete), text=text)
        for c, e, seq, parent, role, complete, text in found
    ]


def _formations(connection: Any, subject: str) -> list[Formation]:
    found = _rows(
        connection,
        "SELECT f.conversation, f.stage, f.formed_seq, f.due_at IS NOT NULL, f.parked FROM formation AS f"
        " JOIN subject AS s ON s.key = f.subject WHERE s.name = ? ORDER BY f.conversation, f.stage",
        (subject,),
    )
    return [
        Formation(conversation=c, stage=stage, formed_seq=formed, due=bool(due), parked=bool(parked))
        for c, stage, formed, due, parked in found
    ]


def _broken_conversations(connection: Any) -> Iterator[str]:
    """Find positions with gaps, parents that are not there, and conversations without exactly their work."""
    for subject, conversation, last in _rows(connection, "SELECT subject, id, last_seq FROM conversation"):
        where = f"conversation {conversation.hex()}"
        key = (subject, conversation)
        rows = _rows(
            connection, "SELECT seq, parent_seq FROM message WHERE subject = ? AND conversation = ? ORDER BY seq", key
        )
        if [seq for seq, _ in rows] != list(range(1, last + 1)):
            yield f"{where}: positions {[seq for seq, _ in rows]} are not 1 to {last}"
        if any(parent >= seq for seq, parent in rows):
            yield f"{where}: a message follows one that came later"
        stages = Counter(
            stage
            for (stage,) in _rows(connection, "SELECT stage FROM formation WHERE home = ? AND conversation = ?", key)
        )
        if stages != Counter(_STAGES):
            yield f"{where}: its work is {dict(stages)}"
    strays = _rows(
        connection,
        "SELECT count(*) FROM message AS m LEFT JOIN conversation AS c"
        " ON c.subject = m.subject AND c.id = m.conversation WHERE c.id IS NULL",
    )
    if strays[0][0]:
        yield f"{strays[0][0]} messages without a conversation"


def _lost(rows: Sequence[Row], acknowledged: Sequence[Acknowledged]) -> Iterator[str]:
    """Find acknowledged words that are not there, there twice, or in another place."""
    by_text: dict[str, list[Row]] = {}
    for row in rows:
        by_text.setdefault(row.text, []).append(row)
    for turn in acknowledged:
        for text in (turn.said, turn.answered):
            if (times := len(by_text.get(text, ()))) != 1:
                yield f"user:{turn.user}: {text!r} is there {times} times"
                break
        else:
            said, answered = by_text[turn.said][0], by_text[turn.answered][0]
            if (answered.conversation, answered.parent_seq) != (said.conversation, said.seq):
                yield f"user:{turn.user}: {turn.answered!r} does not follow {turn.said!r}"
            before = by_text.get(turn.follows or "", [])
            place = (before[0].conversation, before[0].seq) if before else (said.conversation, 0)
            if (said.conversation, said.parent_seq) != place:
                yield f"user:{turn.user}: {turn.said!r} stands behind {said.parent_seq}, not behind {turn.follows!r}"


def _unfinished(connection: Any) -> Iterator[str]:
    late = _rows(
        connection,
        "SELECT f.stage, f.formed_seq, c.last_seq, f.parked, f.error FROM formation AS f JOIN conversation AS c"
        " ON c.subject = f.home AND c.id = f.conversation"
        " WHERE f.due_at IS NOT NULL OR f.formed_seq <> c.last_seq OR f.parked <> 0",
    )
    for stage, formed, last, parked, error in late:
        yield f"{stage} stands at {formed} of {last} (parked: {bool(parked)}, error: {error})"


def _doubled(connection: Any) -> Iterator[str]:
    """Find messages that are not quoted once (or not at all, once edited away), and sentences known twice."""
    for text, gone, times in _rows(connection, _QUOTED):
        yield f"{text!r} is quoted {times} times ({'edited away' if gone else 'said'})"
    known = _rows(
        connection,
        "SELECT text, count(*) FROM memory WHERE kind < ? AND state = 0 "
        " GROUP BY subject, kind, text HAVING count(*) > 1",
        (_TURN,),
    )
    for text, times in known:
        yield f"{text!r} is known {times} times"
    yield from _disagreeing(connection)


def _disagreeing(connection: Any) -> Iterator[str]:
    """Find active memories that recall does not see, and seen ones that are not active."""
    wrong = _rows(
        connection,
        "SELECT (SELECT count(*) FROM memory AS m LEFT JOIN hot AS h ON h.subject = m.subject AND h.memory = m.id"
        " WHERE m.state = 0 AND h.memory IS NULL),"
        " (SELECT count(*) FROM hot AS h LEFT JOIN memory AS m"
        " ON h.subject = m.subject AND h.memory = m.id AND m.state = 0 WHERE m.id IS NULL)",
    )
    if wrong[0] != (0, 0):
        yield f"{wrong[0][0]} active memories are not recallable, {wrong[0][1]} recallable ones are not active"


def _main() -> None:
    given = json.load(sys.stdin)
    turns = [Acknowledged(**turn) for turn in given["turns"]]
    there = sys.argv[1]
    json.dump(
        Database(there if there.startswith("postgresql:") else Path(there)).problems(turns, quiet=given["quiet"]),
        sys.stdout,
    )


if __name__ == "__main__":
    _main()
