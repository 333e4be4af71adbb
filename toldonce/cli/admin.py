"""The commands `formations`, `energy` and `maintain`: pending work, its cost, upkeep. Read and write via the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, Limit, with_options
from toldonce.cli.output import note, rows, say, say_json, short, when
from toldonce.cli.replay import ProgressBar
from toldonce.plural import plural

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from toldonce.engine import AsyncToldOnce
    from toldonce.types import Decision, EnergyStatus, FormationStatus, Subject

# Maximum number of parked formations that one call retries.
_MAX_RETRIES = 10_000
_PAGE_SIZE = 1000

_Parked = Annotated[bool, typer.Option("--parked", help="Show only parked formations (those that failed repeatedly).")]
_Retry = Annotated[bool, typer.Option("--retry-parked", help="Schedule all parked formations again.")]
_Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="Profile whose budget to show (default: $TOLDONCE_PROFILE).",
        show_default=False,
    ),
]
_Poller = Annotated[
    str | None,
    typer.Option(
        "--poller",
        metavar="NAME",
        help="Also show consumption since the last call with this poller name.",
        show_default=False,
    ),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be closed, without changing anything.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(formations)
    app.command()(energy)
    app.command()(maintain)


@with_options("as_json", "database")
def formations(
    here: CommandOptions,
    parked: _Parked = False,
    retry_parked: _Retry = False,
    limit: Limit = 100,
) -> None:
    """List pending and parked formations with their errors. Covers all subjects."""

    async def work(engine: "AsyncToldOnce") -> "tuple[list[FormationStatus], int]":
        retried = 0
        if retry_parked:
            for status in await engine.admin.formations(parked=True, limit=_MAX_RETRIES):
                retried += await engine.admin.retry_formation(status.key)
            await here.note_act(engine, "formations.retry", count=retried, of_all=True)
        listed = await engine.admin.formations(parked=True if parked else None, limit=limit)
        return [status for status in listed if status.parked or status.due_at is not None], retried

    listed, retried = here.run(work)
    if here.as_json:
        say_json({"formations": listed, "retried": retried})
        return
    if retry_parked:
        say(f"{plural(retried, 'formation')} due again; `toldonce worker` or `toldonce serve` will process them")
    if not listed:
        note("no parked formations" if parked else "no pending or parked formations")
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
        for status in listed
    ]
    rows(("subject", "conversation", "stage", "formed", "due", "tries", "error"), lines)


@with_options()
def energy(here: CommandOptions, profile: _Profile = None, poller: _Poller = None) -> None:
    """Show today's cost of memory work, and the remaining budget."""
    status = here.run(lambda engine: engine.admin.energy(user=here.subject, profile=profile, poller=poller))
    if here.as_json:
        from toldonce.cli.json_output import to_json

        say_json({"subject": here.subject, **to_json(status)})
        return
    for line in _energy_lines(status, here.zone):
        say(line)
    spent = [
        (purpose.value, str(cost.calls), f"{cost.units:g}", str(cost.tokens)) for purpose, cost in status.today.items()
    ]
    if spent:
        rows(("today", "calls", "units", "tokens"), spent)


def _energy_lines(status: "EnergyStatus", zone: "ZoneInfo") -> list[str]:
    lines = [
        f"{status.level:.0f} of {status.capacity:g} units, refilled by {status.refill_per_day:g} a day; below "
        f"{status.critical:g} work waits"
        if status.capacity
        else "no limit on units"
    ]
    if status.max_share < 1 and status.capacity:
        lines.append(f"memory work is {status.share:.1%} of all units (limit: below {status.max_share:.1%})")
    cap = f" of {status.tokens_per_day}" if status.tokens_per_day else ""
    lines.append(f"{status.tokens_today}{cap} tokens today")
    if status.unsettled:
        lines.append(f"{plural(status.unsettled, 'call')} running or interrupted: counted at the reserved cost")
    if status.since_poll is not None:
        since, spent = status.since_poll.since, status.since_poll.spent
        period = f"since {when(since, zone)}" if since else "up to this first poll"
        lines.append(f"{plural(spent.calls, 'call')}, {spent.units:g} units and {spent.tokens} tokens {period}")
    if status.waiting is not None and status.waits_until is not None:
        lines.append(f"work waits: {status.waiting}; next try by {when(status.waits_until, zone)}")
    return lines


@with_options()
def maintain(here: CommandOptions, dry_run: _DryRun = False) -> None:
    """Close expired, near-duplicate and surplus memories. Covers all subjects unless one is given."""
    named = here.is_subject_given

    async def work(engine: "AsyncToldOnce") -> "tuple[int, list[Decision]]":
        subjects = [here.subject] if named else await _all_subjects(engine)
        decisions: list[Decision] = []
        with ProgressBar() as bar:
            if len(subjects) > 1:
                bar.begin("maintaining", "subjects", len(subjects))
            for place, subject in enumerate(subjects, start=1):
                decisions += (await engine.admin.maintain(user=subject, dry_run=dry_run)).decisions
                bar.reach(place)
        if not dry_run:
            await here.note_act(engine, "maintenance.run", count=len(decisions), of_all=not named)
        return len(subjects), decisions

    checked, decisions = here.run(work)
    if here.as_json:
        say_json({"subjects": checked, "dry_run": dry_run, "closed": [_closing(line) for line in decisions]})
        return
    _report_maintenance(checked, decisions, dry_run=dry_run)


def _closing(line: "Decision") -> dict[str, object]:
    from toldonce.cli.json_output import to_json
    from toldonce.types import closed_memory

    return {"subject": line.subject, "closed_id": closed_memory(line), **to_json(line)}


async def _all_subjects(engine: "AsyncToldOnce") -> "list[Subject]":
    subjects: list[Subject] = []
    page = await engine.admin.subjects(limit=_PAGE_SIZE)
    while page:
        subjects += page
        page = await engine.admin.subjects(after=page[-1].text, limit=_PAGE_SIZE)
    return subjects


def _report_maintenance(checked: int, decisions: "list[Decision]", *, dry_run: bool) -> None:
    from toldonce.types import closed_memory

    lines = [
        (line.subject.text, short(closed_memory(line) or ""), line.action.value, line.reason, line.text)
        for line in decisions
    ]
    if lines:
        rows(("subject", "id", "action", "reason", "memory"), lines)
    done = "would be closed" if dry_run else "closed"
    count = plural(len(decisions), "memory")
    (say if lines else note)(f"{plural(checked, 'subject')} checked, {count} {done}")
