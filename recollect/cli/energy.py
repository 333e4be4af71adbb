"""The command `energy`: what memory work costs, and what the budget allows. Reads through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, DatabaseUrl, SubjectName, UserName, session
from recollect.cli.output import plural, rows, say, say_json, when

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from recollect.types import EnergyStatus

_Profile = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="Whose budget; by default RECOLLECT_PROFILE.", show_default=False),
]
_Poller = Annotated[
    str | None,
    typer.Option(
        "--poller", metavar="NAME", help="Also show what was spent since NAME asked before.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(energy)


def energy(
    profile: _Profile = None,
    poller: _Poller = None,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Show what memory work cost today, and what its budget still allows."""
    from recollect.cli import json_output

    here = session(user=user, subject=subject, database=database, as_json=as_json)
    found = here.run(lambda engine: engine.energy(user=here.subject, profile=profile, poller=poller))
    if as_json:
        say_json(json_output.energy(here.subject, found))
        return
    for line in _lines(found, here.zone):
        say(line)
    spent = [(purpose.value, str(one.calls), f"{one.units:g}", str(one.tokens)) for purpose, one in found.today.items()]
    if spent:
        rows(("today", "calls", "units", "tokens"), spent)


def _lines(found: "EnergyStatus", zone: "ZoneInfo") -> list[str]:
    lines = [
        f"{found.level:.0f} of {found.capacity:g} units, {found.refill_per_day:g} come back in a day; below "
        f"{found.critical:g} work waits"
        if found.capacity
        else "units are not rationed"
    ]
    if found.most_share < 1 and found.capacity:
        lines.append(f"memory work is {found.share:.1%} of all units, and stays below {found.most_share:.1%}")
    cap = f" of {found.tokens_per_day}" if found.tokens_per_day else ""
    lines.append(f"{found.tokens_today}{cap} tokens today")
    if found.unsettled:
        lines.append(f"{plural(found.unsettled, 'call')} under way or broken off: counted as booked")
    if found.since_poll is not None:
        since, spent = found.since_poll.since, found.since_poll.spent
        asked = f"since {when(since, zone)}" if since else "up to this first poll"
        lines.append(f"{plural(spent.calls, 'call')}, {spent.units:g} units and {spent.tokens} tokens {asked}")
    if found.waiting is not None and found.waits_until is not None:
        lines.append(f"work waits: {found.waiting}; next try by {when(found.waits_until, zone)}")
    return lines
