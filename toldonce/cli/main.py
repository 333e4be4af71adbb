"""Entry point of the command line: registers commands, and reports every error. Writes to stderr."""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from typing import Annotated

import typer
from typer.main import get_command, get_command_name

from toldonce.cli import (
    admin,
    characters,
    context,
    conversations,
    corrections,
    db,
    doctor,
    embedder,
    erase,
    evaluate,
    hook,
    keys,
    mcp,
    memories,
    profiles,
    replay,
    serve,
    subscribe,
    top,
    transfer,
    users,
)
from toldonce.cli.chat import command
from toldonce.cli.output import note, one_line
from toldonce.errors import SetupError, ToldOnceError

# Exit codes: failed command, usage error, invalid setup, Ctrl-C.
FAILED, USAGE, SETUP, INTERRUPTED = 1, 2, 3, 130

logger = logging.getLogger(__name__)

app = typer.Typer(
    name="toldonce",
    help="Long-term memory for any LLM chat: a proxy, a library and this command line over one database.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"toldonce {version('toldonce')}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Log debug messages, and tracebacks of errors.")] = False,
) -> None:
    """Long-term memory for any LLM chat: a proxy, a library and this command line over one database."""
    del version
    if debug:
        from toldonce.cli.logging_config import set_up_logs

        set_up_logs("debug", as_json=False)


_CHATTING = (serve, command, replay, hook, mcp)
_REMEMBERING = (memories, corrections, erase, context, subscribe, characters, conversations, top, admin)
_OPERATING = (users, keys, embedder, profiles, doctor, evaluate, transfer, db)
for part in (*_CHATTING, *_REMEMBERING, *_OPERATING):
    part.register(app)


@cache
def command_line(word: str) -> Callable[..., object]:
    """Build the command or group of that name, or all of them if there is none: reading their options takes 50 ms."""
    named = copy(app)
    named.registered_commands = [
        known
        for known in app.registered_commands
        if word == (known.name or (known.callback and get_command_name(known.callback.__name__)))
    ]
    named.registered_groups = [group for group in app.registered_groups if group.name == word]
    return get_command(named if named.registered_commands or named.registered_groups else app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; raises nothing."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            command_line(given[0] if given else "")(args=given, prog_name="toldonce")
        except SystemExit as ended:
            sys.stdout.flush()
            return ended.code if isinstance(ended.code, int) else FAILED
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return FAILED
    except ToldOnceError as error:
        logger.debug("failed", exc_info=True)
        note(f"toldonce: {one_line(str(error))}")
        return SETUP if isinstance(error, SetupError) else FAILED
    except Exception as error:
        logger.debug("failed unexpectedly", exc_info=True)
        note(f"toldonce: unexpected {type(error).__name__}; `toldonce --debug …` shows the traceback")
        return FAILED


def _drop_stdout() -> None:
    """Discard buffered output after the reader closed the pipe, so that exiting reports no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run())
