"""The command `hook`: what coding agents run, and its place in their configurations. Reads and writes these."""

import difflib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toldonce.cli.options import AsJson, DatabaseUrl, UserName
from toldonce.cli.output import note, say, say_json

if TYPE_CHECKING:
    from toldonce.hook.clients import AgentClient
    from toldonce.hook.config_file import ConfigEdit

_Client = Annotated[str, typer.Argument(metavar="CLIENT", help="claude-code or codex.")]
_Project = Annotated[
    bool, typer.Option("--project", help="Configure the project of the current folder alone, not the user.")
]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
_Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="Server to talk to (default: a process that opens the database)."),
]
_Timeout = Annotated[float | None, typer.Option("--timeout", metavar="SECONDS", help="Deadline (default: 2).")]
_InstalledTimeout = Annotated[  # the clients end a hook after 10 s
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.1, max=8, help="Deadline of the hook, 0.1 to 8 (default: 2)."),
]
_StatusLine = Annotated[
    bool, typer.Option("--status-line", help="Print one line of what the session of the state on stdin was shown.")
]
_WithStatusLine = Annotated[
    bool, typer.Option("--status-line", help="Also show what was recalled in Claude Code's status line.")
]
_OwnName = Annotated[str | None, typer.Option("--client", metavar="NAME", help="Client that runs the hook.")]

hooks = typer.Typer(
    help="Give Claude Code or Codex a memory: answer an event on stdin, or change the client's configuration.",
    add_completion=False,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(hooks, name="hook", invoke_without_command=True)


@hooks.callback()
def answer_event(  # noqa: PLR0913  # a command's options are its parameters
    context: typer.Context,
    url: _Url = None,
    database: DatabaseUrl = None,
    user: UserName = None,
    timeout: _Timeout = None,
    client: _OwnName = None,
    status_line: _StatusLine = False,
) -> None:
    """Answer an event of an agent on stdin with what memory adds; silent if anything fails."""
    del client
    if context.invoked_subcommand is None:
        from toldonce.hook.command import STATUS_LINE, main

        given = {"--url": url, "--database": database, "--user": user, "--timeout": timeout}
        options = [f"{name}={value}" for name, value in given.items() if value is not None]
        main([*options, STATUS_LINE] if status_line else options)


@hooks.command()
def install(  # noqa: PLR0913  # a command's options are its parameters
    client: _Client,
    project: _Project = False,
    url: _Url = None,
    database: DatabaseUrl = None,
    user: UserName = None,
    timeout: _InstalledTimeout = None,
    status_line: _WithStatusLine = False,
    yes: _Yes = False,
    as_json: AsJson = False,
) -> None:
    """Add the hook to a client's configuration; shows the change first, and keeps a backup."""
    from toldonce.hook.config_file import plan_install
    from toldonce.hook.delivery import HAS_RESIDENT

    chosen = _chosen(client)
    if not (HAS_RESIDENT or url or os.environ.get("TOLDONCE_URL")):
        raise typer.BadParameter("on this system a hook needs a server: run `toldonce serve`, and pass its --url")
    if status_line and not chosen.has_status_line:
        raise typer.BadParameter(f"{chosen.title} has no status line that runs a command: leave out --status-line")
    seconds = None if timeout is None else f"{timeout:g}"
    given = {"--url": url, "--database": _absolute(database), "--user": user, "--timeout": seconds}
    options = [part for name, value in given.items() if value is not None for part in (name, value)]
    shown = chosen.status_line(options) if status_line else None
    edit = plan_install(chosen.path(_folder(project)), chosen.entries(options), shown)
    _apply(edit, installs=True, yes=yes, as_json=as_json)
    if edit.is_needed and chosen.afterwards:
        note(chosen.afterwards)


@hooks.command()
def uninstall(client: _Client, project: _Project = False, yes: _Yes = False, as_json: AsJson = False) -> None:
    """Take the hook out of a client's configuration, and leave the rest of it as it is."""
    from toldonce.hook.config_file import plan_uninstall

    _apply(plan_uninstall(_chosen(client).path(_folder(project))), installs=False, yes=yes, as_json=as_json)


@hooks.command()
def status(as_json: AsJson = False) -> None:
    """Show where the hook is installed, which turns it could not deliver, and the log of its failures."""
    from toldonce.hook.places import log_path
    from toldonce.hook.spool import undelivered_turns

    found = list(_installations())
    log = log_path() if Path(log_path()).exists() else None
    undelivered = undelivered_turns()
    if as_json:
        say_json({"installations": found, "log": log, "undelivered": undelivered})
        return
    for place in found:
        say(f"{place['client']}, {place['scope']}: {'' if place['commands'] else 'not '}installed in {place['path']}")
        for command in place["commands"]:
            gone = _missing_program(command)
            say(f"  {command}{f' (no such program: {gone}; install again)' if gone else ''}")
    if undelivered:
        say(f"Undelivered turns: {len(undelivered)}")
    if log is not None:
        say(f"Failures: {log}")


def _installations() -> Iterator[dict[str, Any]]:
    from toldonce.hook.clients import CLIENTS, LinkedConfigError
    from toldonce.hook.config_file import installed_commands

    for client in CLIENTS.values():
        for scope, folder in (("user", None), ("project", _folder(True))):
            try:
                path = client.path(folder)
            except LinkedConfigError as error:
                note(str(error))
                continue
            yield {"client": client.name, "scope": scope, "path": str(path), "commands": installed_commands(path)}


def _missing_program(command: str) -> str | None:
    """Return the interpreter or the script that a command names and that is not there."""
    try:
        parts = shlex.split(command)
    except ValueError:
        return None  # it is not as we wrote it
    return next((part for part in parts if os.path.isabs(part) and not os.path.exists(part)), None)


def _chosen(name: str) -> "AgentClient":
    from toldonce.hook.clients import CLIENTS

    if name not in CLIENTS:
        raise typer.BadParameter(f"CLIENT is {name[:40]!r}; it is one of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def _folder(project: bool) -> Path | None:
    """Return the project's folder: the one with `.git` around the current folder, else the current one."""
    if not project:
        return None
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _absolute(database: str | None) -> str | None:
    """Return a database's URL that means the same in any folder."""
    from toldonce.settings import SQLITE, Settings

    if database is None:
        return None
    url = Settings.load(database_url=database).database_url
    return SQLITE + Path(url.removeprefix(SQLITE)).absolute().as_posix() if url.startswith(SQLITE) else url


def _apply(edit: "ConfigEdit", *, installs: bool, yes: bool, as_json: bool) -> None:
    from toldonce.hook.config_file import apply_edit

    if edit.is_needed:
        if not as_json:
            for line in _diff(edit):
                say(line)
        if not yes and not typer.confirm(f"Write {edit.path}?", err=as_json):
            raise typer.Exit(1)
        apply_edit(edit, installs=installs)
    if as_json:
        say_json({"path": str(edit.path), "changed": edit.is_needed})
    elif edit.is_needed:
        say(f"{'Installed in' if installs else 'Removed from'} {edit.path}")
    else:
        say(f"{edit.path}: nothing to do")


def _diff(edit: "ConfigEdit") -> list[str]:
    before, after = ((side or b"").decode("utf-8").splitlines() for side in (edit.before, edit.after))
    return list(difflib.unified_diff(before, after, str(edit.path), str(edit.path), lineterm=""))
