"""The command `rename-character`: a character gets a new name and keeps its memories. Writes through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, with_options
from toldonce.cli.output import say, say_json
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.engine.results import RenamedCharacter

_Character = Annotated[str, typer.Argument(metavar="CHARACTER", help="Present name of the character.")]
_To = Annotated[str, typer.Argument(metavar="NAME", help="New name.")]
_Join = Annotated[bool, typer.Option("--join", help="Take over the memories of a character that has the new name.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rename-character")(rename_character)


@with_options("user", "as_json", "database")
def rename_character(
    here: CommandOptions,
    character: _Character,
    to: _To,
    join: _Join = False,
) -> None:
    """Give a character a new name; it keeps its memories."""

    async def work(engine: "AsyncToldOnce") -> "RenamedCharacter":
        renamed = await engine.characters.rename(character, to, join=join, user=here.subject)
        await here.note_act(engine, "characters.rename")
        return renamed

    renamed = here.run(work)
    if here.as_json:
        say_json(renamed)
    else:
        say(f"{to}: {renamed.subject.text}, {plural(renamed.joined, 'memory')} joined")
