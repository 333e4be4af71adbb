"""The command `formations`: work that waits or is parked. Reads and writes through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, DatabaseUrl, session
from recollect.cli.output import note, plural, rows, say, say_json, short, when

if TYPE_CHECKING:
    from recollect.engine import AsyncRecollect
    from recollect.types import FormationStatus

# Parked formations retried at once; more are there after the next call.
_RETRIED = 10_000

_Parked = Annotated[bool, typer.Option("--parked", help="Only those that failed too often.")]
_Retry = Annotated[bool, typer.Option("--retry-parked", help="Make all parked ones due again.")]
_Limit = Annotated[int, typer.Option("--limit", min=1, max=9_999, metavar="N", help="Most to show.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(formations)


def formations(
    parked: _Parked = False,
    retry_parked: _Retry = False,
    limit: _Limit = 100,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Show the formations of all subjects that wait or are parked, and why."""
    from recollect.cli import json_output

    here = session(database=database, as_json=as_json)

    async def work(engine: "AsyncRecollect") -> "tuple[list[FormationStatus], int]":
        retried = 0
        if retry_parked:
            for status in await engine.formations(parked=True, limit=_RETRIED):
                retried += await engine.retry(status.key)
        found = await engine.formations(parked=True if parked else None, limit=limit)
        return [status for status in found if status.parked or status.due_at is not None], retried

    found, retried = here.run(work)
    if as_json:
        say_json({"formations": [json_output.formation(status) for status in found], "retried": retried})
        return
    if retry_parked:
        say(f"{plural(retried, 'formation')} due again: `recollect worker` or `recollect serve` works on them")
    if not found:
        note("nothing is parked" if parked else "nothing waits and nothing is parked")
        return
    lines = [
        (
            status.key.subject.text,
            short(status.key.conversation),
            status.key.stage,
            f"{status.formed_seq}/{status.last_seq}",
            "parked" if status.parked or status.due_at is None else when(status.due_at, here.zone),
            str(status.attempts),
            status.error or "",
        )
        for status in found
    ]
    rows(("subject", "conversation", "stage", "formed", "due", "tries", "error"), lines)
