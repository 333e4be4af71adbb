"""The command `subscribe`: shared memories that a user also reads. Reads and writes through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import AsJson, DatabaseUrl, UserName, load_options
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


def subscribe(
    shared: _Shared = None,
    remove: _Remove = False,
    user: UserName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Subscribe to shared memories, or list subscriptions."""
    if remove and shared is None:
        raise typer.BadParameter("name the subscription to cancel: toldonce subscribe --remove shared:NAME")
    here = load_options(user=user, database=database, as_json=as_json)

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
    if as_json:
        say_json({"subscriptions": subscriptions})
        return
    for subject in subscriptions:
        say(subject.text)
    if not subscriptions:
        note(f"{here.subject.text} has no subscriptions")
