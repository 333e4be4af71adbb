"""Write what is known about subjects as a Markdown document. Reads through the engine or a server; writes a file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import datetime, tzinfo
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from toldonce.clock import to_micros
from toldonce.dates import written
from toldonce.engine.markdown_document import introduction, last_line, memory_line, subject_lines
from toldonce.engine.scope import owned_subject
from toldonce.errors import BadRequestError, NoAccessError
from toldonce.prompt.rows import said_on
from toldonce.prompt.sentences import headings, place_of
from toldonce.types import INNER_KINDS, Memory, MemoryKind, MemoryOrder, MemoryState, Subject

if TYPE_CHECKING:
    from toldonce.engine.core import AsyncToldOnce

# Memories read per call, and lines written at a time.
_PAGE = 1_000
_NOTES, _SUMMARIES = "Notes", "Summaries of conversations"
_APART = "\n> This key may not list the apps, sessions and characters of a user: what they hold is not in here."
# On disk, and gone when it is closed: facts go under headings and notes under months, however many there are.
_SCHEMA = "CREATE TABLE line (part INT, month INT, place INT, name TEXT, id TEXT, heading TEXT, line TEXT)"
_ORDER = "SELECT part, heading, line FROM line ORDER BY part, month, place, name, id"


async def export_markdown(
    memory: "AsyncToldOnce",
    file: BinaryIO,
    *,
    user: str | Subject | None = None,
    everybody: bool = False,
    at: datetime,
    zone: tzinfo,
) -> int:
    """Write what is known about a user, and in the user's apps, sessions and characters; return how many memories.

    Facts are under the headings of the profile block, notes and kept quotations by month, summaries last. What is
    held, closed or forgotten is left out. The document is no snapshot: what is formed meanwhile may be in it.

    Args:
        memory: An engine, or a connection to a server.
        file: Binary file to write to, from a thread.
        user: User to export; None is the default user.
        everybody: Export all subjects; `user` is ignored.
        at: Now (aware): an import tells by it what was changed since.
        zone: Time zone for the days of what was said in none.

    Raises:
        BadRequestError: Nothing is known about that user.
    """
    count, is_first = 0, True
    async for subject, note in _chosen(memory, None if everybody else memory.subject(user)):
        with closing(sqlite3.connect("", check_same_thread=False)) as lines:
            lines.execute(_SCHEMA)
            known = 0 if subject is None else await _sort(memory, subject, zone, lines)
            if subject is not None and known:
                head = subject_lines(subject, at)
                await asyncio.to_thread(
                    _write, file, [*introduction(at.astimezone(zone).date()), *head] if is_first else head
                )
                await asyncio.to_thread(_write_sorted, file, lines)
                count, is_first = count + known, False
        if note and count:
            await asyncio.to_thread(_write, file, [note])
    if not count:
        raise BadRequestError("nothing is known that could be written: is the name written as it was?")
    await asyncio.to_thread(_write, file, [last_line()])
    return count


async def _chosen(memory: "AsyncToldOnce", only: Subject | None) -> AsyncIterator[tuple[Subject | None, str]]:
    """Yield one subject and those within it, or all subjects; a note for the reader where they cannot be listed."""
    if only is None:
        async for subject in _listed(memory, ""):
            yield subject, ""
        return
    yield only, ""
    try:
        async for subject in _within(memory, only):
            yield subject, ""
    except NoAccessError:
        yield None, _APART


async def _within(memory: "AsyncToldOnce", owner: Subject) -> AsyncIterator[Subject]:
    for kind in sorted(INNER_KINDS):
        async for subject in _listed(memory, owned_subject(kind, owner, "").text):
            if subject.owner == owner:
                yield subject
                async for inner in _within(memory, subject):
                    yield inner


async def _listed(memory: "AsyncToldOnce", prefix: str) -> AsyncIterator[Subject]:
    """Yield the subjects whose names begin with a prefix, by name."""
    after = prefix
    while page := await memory.admin.subjects(after=after, limit=_PAGE):
        for subject in page:
            if not subject.text.startswith(prefix):
                return
            yield subject
        after = page[-1].text


async def _sort(memory: "AsyncToldOnce", subject: Subject, zone: tzinfo, lines: sqlite3.Connection) -> int:
    """Read a subject's active memories page by page into a table of lines; return how many there are."""
    count, after = 0, None
    while page := await memory.list(user=subject, after=after, order=MemoryOrder.OLDEST, limit=_PAGE):
        rows = [_row(known, zone) for known in page if known.state is MemoryState.ACTIVE]
        lines.executemany("INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        count, after = count + len(rows), page[-1].id
    return count


def _row(memory: Memory, zone: tzinfo) -> tuple[int, int, int, str, str, str, str]:
    """Return where a memory's line is in the document, its headings, and the line."""
    line = memory_line(memory, zone)
    if memory.kind is MemoryKind.FACT:
        place = place_of(memory)
        return place.group, 0, place.row, place.key, memory.id, headings()[place.group].heading.rstrip(":"), line
    day = said_on(memory, zone)
    part, title = (2, _SUMMARIES) if memory.kind is MemoryKind.EPISODE else (1, _NOTES)
    month = -(12 * day.year + day.month)
    heading = f"{title}\n{written(day).partition(' ')[2]}"
    return len(headings()) + part, month, -to_micros(memory.valid_from), "", memory.id, heading, line


def _write_sorted(file: BinaryIO, lines: sqlite3.Connection) -> None:
    text = _under_headings(lines.execute(_ORDER))
    while some := list(islice(text, _PAGE)):
        _write(file, some)


def _under_headings(rows: Iterator[tuple[int, str, str]]) -> Iterator[str]:
    """Yield lines, each part under its heading and each month under its own."""
    part, above = -1, ""
    for number, heading, line in rows:
        title, _, month = heading.partition("\n")
        if number != part:
            yield f"\n## {title}"
        if heading != above:
            yield f"\n### {month}\n" if month else ""
        part, above = number, heading
        yield line


def _write(file: BinaryIO, lines: list[str]) -> None:
    file.write(("\n".join(lines) + "\n").encode())
