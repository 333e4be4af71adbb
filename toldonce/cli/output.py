"""Output for terminals and pipes. Writes to stdout and stderr."""

import json
import sys
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import typer

from toldonce.lazy_pattern import LazyPattern

if TYPE_CHECKING:
    from rich.console import Console

    from toldonce.types import Memory

# Control characters and text direction marks: stored text must not control a terminal.
_CONTROL = LazyPattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Characters of an id shown in tables, from its end: the beginning is a time and barely differs.
SHORT_ID = 8


def printable(text: str) -> str:
    """Replace characters that would control a terminal; keep line feeds and tabs.

    >>> printable("a\\x1b[31mb")
    'a\ufffd[31mb'
    """
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Fold text into one printable line.

    >>> one_line("a\\n\\tb")
    'a b'
    """
    return " ".join(printable(text).split())


def when(instant: datetime, zone: tzinfo) -> str:
    """Format a time for people.

    >>> from zoneinfo import ZoneInfo
    >>> when(datetime.fromisoformat("2026-05-03T22:30:00+00:00"), ZoneInfo("Europe/Oslo"))
    '2026-05-04 00:30'
    """
    return instant.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def lifetime(memory: "Memory", zone: tzinfo) -> str:
    """Format when a memory was true: what ended when it began was wrong."""
    if memory.valid_to is not None and memory.valid_to <= memory.valid_from:
        return "never true"
    until = f" until {when(memory.valid_to, zone)}" if memory.valid_to else ""
    return f"true from {when(memory.valid_from, zone)}{until}"


def say(line: str = "") -> None:
    """Print a line."""
    typer.echo(printable(line))


def note(line: str) -> None:
    """Print a message for the user to stderr, separate from the data."""
    typer.echo(printable(line), err=True)


def dim(line: str) -> None:
    """Print a line, dimmed on a terminal."""
    typer.secho(printable(line), dim=True)


def say_json(data: object) -> None:
    """Print values, or a mapping or sequence with values, as indented JSON that cannot control a terminal.

    It is in ASCII if the terminal's encoding requires that.
    """
    from toldonce.cli.json_output import to_json  # loads the engine
    from toldonce.text.visible_json import visible_json  # its package loads the stemmers

    plain = to_json(data)
    text = visible_json(plain, indent=2)
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = json.dumps(plain, indent=2)
    typer.echo(text)


def rows(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table on a terminal, and tab-separated lines without a header elsewhere.

    The last column wraps; the others are never cut.
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
    """Return a console without automatic highlighting."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def short(memory_id: str) -> str:
    """Shorten an id on a terminal; keep it whole in a pipe."""
    return memory_id[-SHORT_ID:] if sys.stdout.isatty() else memory_id
