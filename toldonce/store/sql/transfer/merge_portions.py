"""How the records of a user are divided into transactions, each of a bounded number of rows. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from toldonce.store.sql.transfer.export import Record
from toldonce.store.sql.transfer.import_check import key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject

# Rows of one transaction, without those of a memory: it holds the one writer for some 20 ms.
MAX_ROWS = 250
_SMALL_TABLES = ("app", "subscription", "character_name")
Portion = list[ImportedSubject]
"""What is written in one transaction: records of one subject, or of some within one user."""


def log_portions(blocks: Sequence[ImportedSubject]) -> Iterator[Portion]:
    """Divide conversations: each comes with all its messages, and with what is to be formed of it.

    Of a long one, messages come first, and the conversation with the last of them; `earlier` names the others.
    """
    forming = defaultdict[tuple[int, bytes], list[tuple[ImportedSubject, Record]]](list)
    for block in blocks:
        for row in block.of("formation"):
            forming[key_of(row["home"]), row["conversation"]].append((block, row))
    for block in blocks:
        said = defaultdict[bytes, list[Record]](list)
        for message in block.of("message"):
            said[message["conversation"]].append(message)
        portion = _Portion()
        for conversation in block.of("conversation"):
            messages = said[conversation["id"]]
            last = (len(messages) - 1) // MAX_ROWS * MAX_ROWS if messages else 0
            for start in range(0, last, MAX_ROWS):
                yield [_part(block, message=messages[start : start + MAX_ROWS])]
            portion.add(block, "earlier", messages[:last])
            portion.add(block, "message", messages[last:])
            portion.add(block, "conversation", [conversation])
            for reader, row in forming[block.key, conversation["id"]]:
                portion.add(reader, "formation", [row])
            if portion.size >= MAX_ROWS:
                yield portion.parts
                portion = _Portion()
        if portion.size:
            yield portion.parts


def memory_portions(blocks: Sequence[ImportedSubject]) -> Iterator[Portion]:
    """Divide all that does not belong to a conversation of the same user: memories first."""
    logs = {(block.key, row["id"]) for block in blocks for row in block.of("conversation")}
    for block in blocks:
        yield from ([_part(block, memory=rows)] for rows in _memories(block))
        few = {table: block.of(table) for table in _SMALL_TABLES if block.of(table)}
        if few or not block.of("memory"):
            yield [_part(block, **few)]
        rest = [row for row in block.of("formation") if (key_of(row["home"]), row["conversation"]) not in logs]
        for table, rows in (
            ("decision", block.of("decision")),
            ("insertion", block.of("insertion")),
            ("formation", rest),
        ):
            for start in range(0, len(rows), MAX_ROWS):
                yield [_part(block, **{table: rows[start : start + MAX_ROWS]})]


def _memories(block: ImportedSubject) -> Iterator[list[Record]]:
    """Divide memories; versions of an app's memory that share a number stay together."""
    rows = sorted(block.of("memory"), key=lambda row: (row["number"] or 0, row["id"]))
    portion: list[Record] = []
    for row in rows:
        shares = bool(portion) and bool(row["number"]) and row["number"] == portion[-1]["number"]
        if len(portion) >= MAX_ROWS and not shares:
            yield portion
            portion = []
        portion.append(row)
    if portion:
        yield portion


class _Portion:
    """Records of some subjects."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: dict[int, ImportedSubject] = {}

    def add(self, block: ImportedSubject, table: str, rows: Sequence[Record]) -> None:
        """Add records of a subject."""
        part = self._parts.setdefault(block.key, _part(block))
        part.rows.setdefault(table, []).extend(rows)
        self.size += len(rows)

    @property
    def parts(self) -> Portion:
        """All of them."""
        return list(self._parts.values())


def _part(block: ImportedSubject, **rows: Sequence[Record]) -> ImportedSubject:
    return ImportedSubject(block.subject, block.key, block.line, {table: list(some) for table, some in rows.items()})
