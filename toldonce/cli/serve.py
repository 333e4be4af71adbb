"""The commands `serve` and `worker`. Open a port and handle signals."""

import asyncio
import gc
import logging
import os
import signal
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.logging_config import set_up_logs
from toldonce.cli.options import DatabaseUrl
from toldonce.cli.output import say
from toldonce.cli.signals import on_signal

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.settings import Settings

_Host = Annotated[
    str | None, typer.Option("--host", metavar="ADDRESS", help="Address to listen on (default: $TOLDONCE_HOST).")
]
_Port = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", help="Port to listen on; 0 picks a free one (default: $TOLDONCE_PORT)."),
]
_Upstream = Annotated[
    str | None, typer.Option("--upstream-url", metavar="URL", help="Base URL of the upstream API, including /v1.")
]
_NoWorker = Annotated[bool, typer.Option("--no-worker", help="Form no memories: run `toldonce worker` separately.")]
_Level = Annotated[
    str | None, typer.Option("--log-level", metavar="debug|info|warning|error", help="Minimum log level.")
]
_MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port", metavar="PORT", help="Port for metrics and probes (default: $TOLDONCE_METRICS_PORT)."
    ),
]
_LogJson = Annotated[bool, typer.Option("--log-json", help="Log JSON lines even on a terminal.")]


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
    """Run the OpenAI-compatible proxy until Ctrl-C or SIGTERM."""
    from toldonce.settings import Settings

    settings = Settings.load(
        host=host,
        port=port,
        database_url=database,
        upstream_url=upstream_url,
        worker="off" if no_worker else None,
        log_level=log_level,
    )
    _set_up_logs(settings, log_json=log_json)
    from toldonce.server.http_server import serve as serve_until_stopped

    async def run() -> int:
        stop = asyncio.Event()
        with on_signal(stop.set) as received:
            await serve_until_stopped(settings, say=say, stop=stop, log_json=log_json)
        return received[0] if received else 0

    if asyncio.run(run()) == signal.SIGINT:
        raise KeyboardInterrupt


def worker(
    database: DatabaseUrl = None,
    metrics_port: _MetricsPort = None,
    log_level: _Level = None,
    log_json: _LogJson = False,
) -> None:
    """Run the formation worker without the proxy. Stops at Ctrl-C or SIGTERM."""
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database, metrics_port=metrics_port, log_level=log_level)
    _set_up_logs(settings, log_json=log_json)
    asyncio.run(_work(settings))


def _set_up_logs(settings: "Settings", *, log_json: bool) -> None:
    debug = logging.getLogger("toldonce").level == logging.DEBUG  # `toldonce --debug serve`
    set_up_logs("debug" if debug else settings.log_level, as_json=log_json or None)


async def _work(settings: "Settings") -> None:
    from toldonce.engine import AsyncToldOnce
    from toldonce.settings import unknown_variables

    async with await AsyncToldOnce.open(settings) as engine:
        extractor = settings.form_model or "built-in rules"
        with on_signal(partial(engine.admin.stop_worker, promptly=True)):
            for unknown in unknown_variables(os.environ):
                say(f"warning: {unknown}")
            say(f"Forming memories in {settings.shown_database} ({extractor}); Ctrl-C stops")
            gc.freeze()  # loaded modules stay: garbage collections need not scan them
            async with _monitored(engine):
                await engine.admin.run_worker()
        counters = engine.admin.worker_counters
        say(f"formed {counters.formed}, failed {counters.failed}, parked {counters.parked}")


def _monitored(engine: "AsyncToldOnce") -> AbstractAsyncContextManager[None]:
    if engine.settings.metrics_port is None:
        return nullcontext()  # the server's modules take a second to load
    from toldonce.metrics import ProxyCounters
    from toldonce.server.http_server import monitored

    return monitored(engine, ProxyCounters(), say=say)
