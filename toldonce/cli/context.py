"""The command `context`: the memory block of a prompt. Reads through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, TimeZone, with_options
from toldonce.cli.output import note, say, say_json

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce, PromptContext

_Query = Annotated[str, typer.Argument(metavar="QUERY", help="Last user message of the prompt.")]
_Profile = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Profile (default: $TOLDONCE_PROFILE).")
]
_Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Conversation, by the client's id.")]
_App = Annotated[str | None, typer.Option("--app", metavar="NAME", help="App that the conversation belongs to.")]
_Characters = Annotated[
    tuple[str, str] | None,
    typer.Option("--characters", metavar="SYSTEM USER", help="Characters played by the assistant and by the user."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(context)


@with_options()
def context(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    query: _Query,
    profile: _Profile = None,
    session_id: _Session = None,
    app: _App = None,
    characters: _Characters = None,
    time_zone: TimeZone = None,
) -> None:
    """Show what would be added to a prompt that ends with QUERY. Does not count as use."""
    from toldonce.types import RequestScope

    scope = RequestScope(profile=profile, app=app, characters=characters, time_zone=time_zone)

    async def work(engine: "AsyncToldOnce") -> "PromptContext":
        return await engine.context(query, user=here.subject, conversation=session_id, scope=scope, use=False)

    prepared = here.run(work)
    if here.as_json:
        say_json(prepared)
    elif prepared.text:
        for line in prepared.text.split("\n"):
            say(line)
    else:
        note(f"nothing would be added to a prompt of {here.subject.text}; `toldonce search` shows the nearest memories")
