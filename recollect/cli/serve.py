"""The commands `serve` and `worker`. Open a port; take signals."""

import asyncio
import gc
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.logging_config import set_up_logs
from recollect.cli.options import DatabaseUrl
from recollect.cli.output import say

if TYPE_CHECKING:
    from recollect.settings import Settings

_Host = Annotated[str | None, typer.Option("--host", help="Address to listen on; by default RECOLLECT_HOST.")]
_Port = Annotated[int | None, typer.Option("--port", help="Port to listen on; 0 takes a free one.")]
_Upstream = Annotated[
    str | None, typer.Option("--upstream-url", metavar="URL", help="The API that answers, with its /v1.")
]
_NoWorker = Annotated[bool, typer.Option("--no-worker", help="Do not form memories in this process.")]
_Level = Annotated[
    str | None, typer.Option("--log-level", metavar="debug|info|warning|error", help="Least level logged.")
]
_LogJson = Annotated[bool, typer.Option("--log-json", help="JSON lines even on a terminal.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(serve)
    app.command()(worker)


def serve(  # noqa: PLR0913  # a command's options are its parameters
    host: _Host = None,
    port: _Port = None,
    database: DatabaseUrl = None,
    upstream_url: _Upstream = None,
    no_worker: _NoWorker = False,
    log_level: _Level = None,
    log_json: _LogJson = False,
) -> None:
    """Serve the OpenAI-compatible proxy until Ctrl-C or SIGTERM."""
    from recollect.settings import Settings

    settings = Settings.load(
        host=host,
        port=port,
        database_url=database,
        upstream_url=upstream_url,
        worker=False if no_worker else None,
        log_level=log_level,
    )
    _set_up_logs(settings, log_json=log_json)
    from recollect.server.run import serve as serve_until_stopped

    async def run() -> int:
        stop = asyncio.Event()
        with _told_by_signals(stop) as told:
            await serve_until_stopped(settings, say=say, stop=stop)
        return told[0] if told else 0

    if asyncio.run(run()) == signal.SIGINT:
        raise KeyboardInterrupt


def worker(database: DatabaseUrl = None, log_level: _Level = None, log_json: _LogJson = False) -> None:
    """Form memories without serving, until Ctrl-C or SIGTERM; what is under way is finished."""
    from recollect.settings import Settings

    settings = Settings.load(database_url=database, log_level=log_level)
    _set_up_logs(settings, log_json=log_json)
    asyncio.run(_work(settings))


def _set_up_logs(settings: "Settings", *, log_json: bool) -> None:
    debug = logging.getLogger("recollect").level == logging.DEBUG  # `recollect --debug serve`
    set_up_logs("debug" if debug else settings.log_level, as_json=log_json or None)


async def _work(settings: "Settings") -> None:
    from recollect.engine import AsyncRecollect

    async with await AsyncRecollect.open(settings) as engine:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, engine.admin.stop_worker)
        who = settings.form_model or "built-in rules"
        say(f"Forming memories in {settings.shown_database} ({who}); Ctrl-C ends it after what is under way")
        gc.freeze()  # what is loaded by now stays: neither collections nor the end of the process need to walk it
        await engine.admin.run_worker()
        counters = engine.admin.worker_counters
        say(f"formed {counters.formed}, failed {counters.failed}, parked {counters.parked}")


@contextmanager
def _told_by_signals(stop: asyncio.Event) -> Iterator[list[int]]:
    """Set the event on SIGINT and SIGTERM, noting which came; a second one ends the program at once."""
    loop = asyncio.get_running_loop()
    told: list[int] = []

    def tell(number: int, frame: FrameType | None) -> None:
        del frame
        told.append(number)
        if len(told) > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.set)

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
