"""The command `subscribe`: shared memories that a user also reads. Reads and writes through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, with_options
from toldonce.cli.output import note, say, say_json

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.types import Subject

_Shared = Annotated[
    str | None, typer.Argument(metavar="[shared:NAME]", help="Shared subject; without it, list subscriptions.")
]
_Remove = Annotated[bool, typer.Option("--remove", help="Cancel the subscription.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(subscribe)


@with_options("user", "as_json", "database")
def subscribe(here: CommandOptions, shared: _Shared = None, remove: _Remove = False) -> None:
    """Subscribe to shared memories, or list subscriptions."""
    if remove and shared is None:
        raise typer.BadParameter("name the subscription to cancel: toldonce subscribe --remove shared:NAME")

    async def work(engine: "AsyncToldOnce") -> "list[Subject]":
        if shared is not None and not remove:
            await engine.shared.subscribe(shared, user=here.subject)
            await here.note_act(engine, "subscriptions.add")
        elif shared is not None and await engine.shared.unsubscribe(shared, user=here.subject):
            await here.note_act(engine, "subscriptions.remove")
        elif shared is not None:
            note(f"{here.subject.text} was not subscribed to {shared}")
        return await engine.shared.subscriptions(user=here.subject)

    subscriptions = here.run(work)
    if here.as_json:
        say_json({"subscriptions": subscriptions})
        return
    for subject in subscriptions:
        say(subject.text)
    if not subscriptions:
        note(f"{here.subject.text} has no subscriptions")
