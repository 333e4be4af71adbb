"""How things look on a terminal and in a pipe. Writes to stdout and stderr."""

import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

# Control characters, and marks that turn the direction of text: stored words must not steer a terminal.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# How much of an id is shown in a table, from its end: the beginning is the time, alike in what was made together.
SHORT_ID = 8


def printable(text: str) -> str:
    """Make characters visible that would steer a terminal; line feeds and tabs stay.

    >>> printable("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    return _STEERING.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Fold a text into one printable line.

    >>> one_line("a\\n\\tb")
    'a b'
    """
    return " ".join(printable(text).split())


def when(instant: datetime, zone: tzinfo) -> str:
    """Write an instant for people.

    >>> from zoneinfo import ZoneInfo
    >>> when(datetime.fromisoformat("2026-05-03T22:30:00+00:00"), ZoneInfo("Europe/Oslo"))
    '2026-05-04 00:30'
    """
    return instant.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def plural(count: int, noun: str) -> str:
    """Count things.

    >>> plural(1, "message"), plural(2000, "message"), plural(2, "memory")
    ('1 message', '2,000 messages', '2 memories')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def say(line: str = "") -> None:
    """Print a line."""
    typer.echo(printable(line))


def note(line: str) -> None:
    """Tell the person something beside the data: on stderr."""
    typer.echo(printable(line), err=True)


def dim(line: str) -> None:
    """Print a line that stands back on a terminal."""
    typer.secho(printable(line), dim=True)


def say_json(data: object) -> None:
    """Print data as JSON, two blanks a level, in ASCII where the terminal cannot show more."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2)
    typer.echo(text)


def rows(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table on a terminal; tab-separated lines without a header elsewhere.

    The last column takes the room there is; the others stay whole.
    """
    if not sys.stdout.isatty():
        for line in lines:
            typer.echo("\t".join(one_line(cell) for cell in line))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, header in enumerate(headers, start=1):
        last = place == len(headers)
        table.add_column(header, no_wrap=not last, overflow="fold" if last else "ellipsis")
    for line in lines:
        table.add_row(*(Text(one_line(cell)) for cell in line))
    terminal().print(table)


def terminal(*, err: bool = False) -> "Console":
    """Return a console that adds no colours of its own."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def short(memory_id: str) -> str:
    """Shorten an id for a table on a terminal; in a pipe it stays whole."""
    return memory_id[-SHORT_ID:] if sys.stdout.isatty() else memory_id
