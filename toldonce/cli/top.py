"""The command `top`: requests as they come, and counters. Reads through the engine, or asks a server."""

import asyncio
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toldonce.cli.options import CommandOptions, with_options
from toldonce.cli.output import one_line, printable, say, say_json

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rich.console import Group

    from toldonce.engine import AsyncToldOnce
    from toldonce.types import RequestTrace, Subject, TracePlace

_REFRESH_S = 1.0
# Counts go over all memories: they are read less often than what is new.
_COUNT_EVERY_S = 10.0
# What another process records may become visible a little later than what was recorded after it.
_OVERLAP = timedelta(seconds=5)
_NO_ID = "00000000-0000-0000-0000-000000000000"
_MAX_SHOWN = 500
_COLUMNS = ("time", "subject", "conversation", "added", "of", "tokens", "ms", "what happened")
_ID_CHARACTERS = 12

_Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="Server to ask, with $TOLDONCE_KEY.", show_default=False),
]
_Once = Annotated[bool, typer.Option("--once", help="Print the newest requests and the counters, and exit.")]
_Limit = Annotated[int, typer.Option("--limit", min=1, max=_MAX_SHOWN, metavar="N", help="Requests to begin with.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(top)


@with_options()
def top(
    here: CommandOptions,
    once: _Once = False,
    limit: _Limit = 20,
    url: _Url = None,
) -> None:
    """Watch what memory does for requests as they come. All subjects, unless --user or --subject names one."""
    if here.as_json and not once:
        raise typer.BadParameter("--json needs --once")
    if url is not None and "--database" in here.given:
        raise typer.BadParameter("--url and --database cannot be combined")
    only = here.subject if here.is_subject_given else None
    try:
        asyncio.run(_watch(_Source(here, url), _View(only=only, zone=here.zone, limit=limit), once=once))
    except KeyboardInterrupt:
        return


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the requests are read."""

    here: CommandOptions
    url: str | None

    async def open(self) -> "AsyncToldOnce":
        """Open the database, or connect to the server."""
        from toldonce.engine import AsyncToldOnce

        if self.url is not None:
            key = self.here.settings.key
            return await AsyncToldOnce.connect(self.url, key.get_secret_value() if key else None)
        return await AsyncToldOnce.open(self.here.settings)


@dataclass(slots=True)
class _View:
    """The newest requests, and the counters."""

    only: "Subject | None"
    zone: "ZoneInfo"
    limit: int
    traces: "deque[RequestTrace]" = field(default_factory=lambda: deque(maxlen=_MAX_SHOWN))
    """Oldest first."""
    counters: dict[str, int] = field(default_factory=dict)
    after: "TracePlace | None" = None

    async def refresh(self, engine: "AsyncToldOnce") -> "list[RequestTrace]":
        """Read what is new; return it, oldest first."""
        now = datetime.now(UTC)
        found = await self._read(engine)
        known = {trace.record.id for trace in self.traces}
        new = [trace for trace in reversed(found) if trace.record.id not in known]
        self.traces.extend(new)
        settled = (now - _OVERLAP, _NO_ID)
        self.after = min(found[0].place, settled) if found else self.after or settled
        return new

    async def _read(self, engine: "AsyncToldOnce") -> "list[RequestTrace]":
        limit = self.limit if self.after is None else _MAX_SHOWN
        if self.only is None:
            return await engine.traces.list_all(after=self.after, limit=limit)
        return await engine.traces.list(user=self.only, after=self.after, limit=limit)

    async def count(self, engine: "AsyncToldOnce") -> None:
        """Read the counters: what is stored and waits, and what was spent today (UTC)."""
        now = datetime.now(UTC)
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        if self.only is None:
            totals = await engine.admin.totals()
            found = await engine.admin.statistics(since=today, time_zone="UTC")
            memories, due, parked = totals.memories, totals.formations_due, totals.formations_parked
        else:
            memories = (await engine.admin.subject_totals(user=self.only)).memories
            found = await engine.admin.subject_statistics(user=self.only, since=today, time_zone="UTC")
            due, parked = found.formations.due, found.formations.parked
        spent = [line.cost for line in found.spending if line.day >= today]
        self.counters = {
            "memories": memories,
            "formations_due": due,
            "formations_parked": parked,
            "model_calls_today": sum(cost.calls for cost in spent),
            "model_tokens_today": sum(cost.tokens for cost in spent),
            "prompts_today": sum(bucket.prompts for bucket in found.buckets),
            "prompt_tokens_today": sum(bucket.tokens for bucket in found.buckets),
        }

    def summary(self) -> str:
        """Return the counters in one line."""
        counts = self.counters
        return (
            f"{counts['memories']} memories · formations: {counts['formations_due']} due, "
            f"{counts['formations_parked']} parked · today: {counts['prompts_today']} prompts, "
            f"{counts['prompt_tokens_today']} tokens added, {counts['model_calls_today']} model calls, "
            f"{counts['model_tokens_today']} model tokens"
        )

    def row(self, trace: "RequestTrace") -> tuple[str, ...]:
        """Return the cells of one request."""
        record, asked = trace.record, trace.record.request
        return (
            trace.recorded_at.astimezone(self.zone).strftime("%H:%M:%S"),
            one_line(trace.home.text),
            one_line(trace.external_id or trace.conversation[-_ID_CHARACTERS:]),
            str(len(record.items)),
            "?" if asked.considered is None else str(asked.considered),
            str(record.tokens),
            "?" if asked.took_ms is None else f"{asked.took_ms:.0f}",
            ", ".join(_remarks(trace)),
        )

    def json(self) -> dict[str, Any]:
        """Return all of it, newest first."""
        return {"requests": list(reversed(self.traces)), "counters": self.counters}


async def _watch(source: _Source, view: _View, *, once: bool) -> None:
    async with await source.open() as engine:
        await view.count(engine)
        await view.refresh(engine)
        if once:
            _print_once(view, as_json=source.here.as_json)
        elif sys.stdout.isatty():
            await _watch_live(engine, view)
        else:
            await _watch_lines(engine, view)


def _print_once(view: _View, *, as_json: bool) -> None:
    if as_json:
        say_json(view.json())
        return
    say(view.summary())
    for trace in reversed(view.traces):
        say("\t".join(view.row(trace)))


async def _watch_lines(engine: "AsyncToldOnce", view: _View) -> None:
    """Print a line for each request as it comes, until the reader closes the pipe."""
    new = list(view.traces)
    while True:
        for trace in new:
            say("\t".join(view.row(trace)))
        sys.stdout.flush()
        await asyncio.sleep(_REFRESH_S)
        new = await view.refresh(engine)


async def _watch_live(engine: "AsyncToldOnce", view: _View) -> None:
    """Redraw the screen each second, until `q` is pressed."""
    from rich.live import Live

    from toldonce.cli.output import terminal

    console, waited = terminal(), 0.0
    with _pressed_q() as quit_, Live(console=console, screen=True, auto_refresh=False) as live:
        while not quit_.is_set():
            live.update(_screen(view, console.height), refresh=True)
            try:
                await asyncio.wait_for(quit_.wait(), _REFRESH_S)
            except TimeoutError:
                waited += _REFRESH_S
                await view.refresh(engine)
                if waited >= _COUNT_EVERY_S:
                    waited = 0.0
                    await view.count(engine)


def _screen(view: _View, height: int) -> "Group":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for column in _COLUMNS:
        table.add_column(column, no_wrap=True, overflow="ellipsis", justify="right" if column in _NUMBERS else "left")
    for trace in list(reversed(view.traces))[: max(1, height - 4)]:
        table.add_row(*(Text(cell) for cell in view.row(trace)))
    return Group(Text(view.summary()), Text("q quits", style="dim"), Text(), table)


_NUMBERS = ("added", "of", "tokens", "ms")


@contextmanager
def _pressed_q() -> Iterator[asyncio.Event]:
    """Set an event when `q` is pressed. Where keys cannot be read one by one, Ctrl-C alone quits."""
    pressed = asyncio.Event()
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield pressed
        return
    if not sys.stdin.isatty():
        yield pressed
        return
    keys, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    before = termios.tcgetattr(keys)

    def read() -> None:
        if sys.stdin.read(1) in ("q", "Q", ""):
            pressed.set()

    tty.setcbreak(keys)
    loop.add_reader(keys, read)
    try:
        yield pressed
    finally:
        loop.remove_reader(keys)
        termios.tcsetattr(keys, termios.TCSADRAIN, before)


def _remarks(trace: "RequestTrace") -> list[str]:
    """Return what else happened, in a few words."""
    record = trace.record
    counts: Mapping[str, int] = {
        "left out": len(record.omitted) - len(record.declared),
        "replayed": record.replayed,
        "declared ended": len(record.declared),
    }
    remarks = [f"{count} {what}" for what, count in counts.items() if count]
    prefix = [f"prefix {record.prefix}"] if record.prefix not in ("", "kept", "new") else []
    return [*remarks, *prefix, *([printable(record.failure)] if record.failure else [])]
