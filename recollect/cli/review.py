"""The command `review`: what is held, approved and rejected. Reads and writes through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, DatabaseUrl, SubjectName, UserName, session
from recollect.cli.output import dim, note, one_line, say, say_json, short, when

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from recollect.engine import AsyncRecollect, HeldMemory
    from recollect.types import Memory

_Approve = Annotated[
    list[str] | None,
    typer.Option("--approve", metavar="ID", help="Let it hold; may be given several times.", show_default=False),
]
_Reject = Annotated[
    list[str] | None,
    typer.Option("--reject", metavar="ID", help="Close it; may be given several times.", show_default=False),
]
_Limit = Annotated[int, typer.Option("--limit", min=1, max=9_999, metavar="N", help="Most to show.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(review)


def review(  # noqa: PLR0913  # a command's options are its parameters
    approve: _Approve = None,
    reject: _Reject = None,
    limit: _Limit = 50,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Show what is held back, who said it and why it waits; approve or reject it."""
    from recollect.cli import json_output
    from recollect.cli.id_prefix import find_id

    here = session(user=user, subject=subject, database=database, as_json=as_json)

    async def work(engine: "AsyncRecollect") -> "tuple[list[Memory], list[Memory], list[HeldMemory]]":
        good = [await find_id(engine, given, here.subject) for given in approve or ()]
        bad = [await find_id(engine, given, here.subject) for given in reject or ()]
        both = set(good) & set(bad)
        if both:
            raise typer.BadParameter(f"{min(both)} cannot be approved and rejected at once")
        approved = [await engine.approve(one, user=here.subject) for one in dict.fromkeys(good)]
        rejected = [await engine.reject(one, user=here.subject) for one in dict.fromkeys(bad)]
        return approved, rejected, await engine.held(user=here.subject, limit=limit)

    approved, rejected, held = here.run(work)
    if as_json:
        data = {
            "approved": [json_output.memory(one) for one in approved],
            "rejected": [json_output.memory(one) for one in rejected],
            "held": [json_output.held(one) for one in held],
        }
        say_json(data)
        return
    for done, memories in (("approved", approved), ("rejected", rejected)):
        for memory in memories:
            say(f"{done}  {short(memory.id)}  {one_line(memory.text)}")
    for one in held:
        _show(one, here.zone)
    if not held:
        note(f"nothing of {here.subject.text} waits for review")


def _show(one: "HeldMemory", zone: "ZoneInfo") -> None:
    memory = one.memory
    say(f"{short(memory.id)}  {one_line(memory.text)}")
    dim(f"    held: {one_line(one.reason)}")
    for source in memory.evidence:
        quote = f": “{one_line(source.quote)}”" if source.quote else ""
        dim(f"    {when(source.said_at, zone)}  {one_line(source.speaker or source.role)}{quote}")
