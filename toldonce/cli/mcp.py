"""The command `mcp`: memory as tools for an agent, over stdin and stdout. Reads and writes through the engine."""

import asyncio
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import DatabaseUrl, SubjectName, UserName, load_options
from toldonce.cli.output import say

if TYPE_CHECKING:
    from toldonce.cli.options import CommandOptions
    from toldonce.mcp_server.toolbox import Toolbox
    from toldonce.types import Access

_App = Annotated[
    str | None,
    typer.Option(
        "--app", metavar="NAME", help="Also read this app's memory, such as a project's, and add new memories to it."
    ),
]
_Project = Annotated[
    bool, typer.Option("--project", help="As --app, with the project of the working folder, as hooks name it.")
]
_Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="Server whose memory is served, with the key in $TOLDONCE_KEY (default: a database).",
    ),
]
_ReadOnly = Annotated[bool, typer.Option("--read-only", help="Offer only the tools that read.")]
_Skill = Annotated[
    bool, typer.Option("--skill", help="Print a SKILL.md, which tells an agent when to use memory, and serve nothing.")
]
SKILL_FILE = Path(__file__).parents[1] / "mcp_server" / "SKILL.md"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)


def mcp(  # noqa: PLR0913  # a command's options are its parameters
    app: _App = None,
    project: _Project = False,
    read_only: _ReadOnly = False,
    url: _Url = None,
    skill: _Skill = False,
    user: UserName = None,
    subject: SubjectName = None,
    database: DatabaseUrl = None,
) -> None:
    """Serve memory as tools (Model Context Protocol) over stdin and stdout, for an agent that starts this command."""
    if skill:
        say(SKILL_FILE.read_text("utf-8").rstrip())
        return
    if project:
        app = _project(app)
    if url is not None:
        if subject is not None or database is not None:
            raise typer.BadParameter("--url cannot be combined with --database or --subject: the server has them")
        _relay(url, user=user, app=app, read_only=read_only)
        return
    _serve(load_options(user=user, subject=subject, database=database, creates=True), app=app, read_only=read_only)


def _serve(here: "CommandOptions", *, app: str | None, read_only: bool) -> None:
    """Serve the memory of a database."""
    from toldonce.cli.logging_config import set_up_logs
    from toldonce.errors import SetupError
    from toldonce.types import Access

    if find_spec("mcp") is None:
        raise SetupError("`toldonce mcp` needs the extra `mcp`: `make extras` installs it")
    set_up_logs(here.settings.log_level, as_json=None)

    asyncio.run(_serve_while_opening(here, app, Access.READ if read_only else Access.WRITE))


async def _serve_while_opening(here: "CommandOptions", app: str | None, access: "Access") -> None:
    """Answer the handshake at once: clients wait for it some seconds, and loading may take longer.

    Raises:
        ToldOnceError: The memory could not be opened; calls were answered with that.
    """
    from toldonce.mcp_server.stdio import serve_stdio
    from toldonce.mcp_server.toolbox import OpeningToolbox

    opening = asyncio.create_task(_open(here, app, access))
    try:
        await serve_stdio(OpeningToolbox(access=access, opening=opening))
    finally:
        await (await opening).engine.close()


async def _open(here: "CommandOptions", app: str | None, access: "Access") -> "Toolbox":
    """Open the memory of a database, and load what that takes, beside the event loop."""
    await asyncio.to_thread(import_module, "toldonce.engine.core")
    from toldonce.engine import AsyncToldOnce, owned_subject
    from toldonce.mcp_server.toolbox import Toolbox

    own = owned_subject("app", here.subject, app) if app else here.subject
    engine = await AsyncToldOnce.open(here.settings)
    return Toolbox(engine=engine, reads=tuple(dict.fromkeys((own, here.subject))), writes=own, access=access)


def _relay(url: str, *, user: str | None, app: str | None, read_only: bool) -> None:
    """Serve the memory of a server."""
    from toldonce.errors import BadSettingError
    from toldonce.hook.http_post import ServerAddress
    from toldonce.mcp_server.relay import relay_stdio

    key = os.environ.get("TOLDONCE_KEY")
    given = {
        "authorization": f"Bearer {key}" if key else None,
        "x-toldonce-user": user,
        "x-toldonce-app": app,
        "x-toldonce-memory": "read" if read_only else None,
    }
    headers = {name: value for name, value in given.items() if value}
    if any(not character.isprintable() for value in headers.values() for character in value):
        raise typer.BadParameter("the key, --user and --app may not hold control characters")
    try:
        address = ServerAddress(url.rstrip("/").removesuffix("/mcp"))
    except ValueError:
        raise BadSettingError("url", "…", "is no URL of a server; write http://127.0.0.1:8765") from None
    asyncio.run(relay_stdio(address, headers))


def _project(app: str | None) -> str | None:
    """Return the app of the working folder's project; None where it is no project."""
    from toldonce.hook.project import project_app

    if app is not None:
        raise typer.BadParameter("--app and --project cannot be combined")
    return project_app(os.getcwd())
