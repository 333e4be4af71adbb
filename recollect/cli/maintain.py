"""The command `tend`: end what is over, merge near-duplicates, make everything fit. Reads and writes the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, DatabaseUrl, SubjectName, UserName, session
from recollect.cli.output import note, plural, rows, say, say_json, short
from recollect.cli.replay import ProgressBar

if TYPE_CHECKING:
    from recollect.engine import AsyncRecollect
    from recollect.types import Decision, Subject

_PAGE_SIZE = 1000

_DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing, and show what would be closed.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tend)


def tend(
    dry_run: _DryRun = False,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Close what is over, merge near-duplicates, make memories fit their room: of everybody, or of one user."""
    from recollect.cli import json_output

    here = session(user=user, subject=subject, database=database, as_json=as_json)
    one = user is not None or subject is not None

    async def work(engine: "AsyncRecollect") -> "tuple[int, list[Decision]]":
        whose = [here.subject] if one else await _everybody(engine)
        decisions: list[Decision] = []
        with ProgressBar() as bar:
            if len(whose) > 1:
                bar.begin("tending", "subjects", len(whose))
            for place, subject in enumerate(whose, start=1):
                decisions += (await engine.tend(user=subject, dry_run=dry_run)).decisions
                bar.reach(place)
        return len(whose), decisions

    looked_at, decisions = here.run(work)
    if as_json:
        say_json(
            {
                "subjects": looked_at,
                "dry_run": dry_run,
                "closed": [json_output.tended(line) for line in decisions],
            }
        )
        return
    _report(looked_at, decisions, dry_run=dry_run)


async def _everybody(engine: "AsyncRecollect") -> "list[Subject]":
    found: list[Subject] = []
    page = await engine.subjects(limit=_PAGE_SIZE)
    while page:
        found += page
        page = await engine.subjects(after=page[-1].text, limit=_PAGE_SIZE)
    return found


def _report(looked_at: int, decisions: "list[Decision]", *, dry_run: bool) -> None:
    from recollect.types import closed_memory

    lines = [
        (line.subject.text, short(closed_memory(line) or ""), line.action.value, line.reason, line.text)
        for line in decisions
    ]
    if lines:
        rows(("subject", "id", "action", "reason", "memory"), lines)
    done = "would be closed" if dry_run else "closed"
    count = plural(len(decisions), "memory")
    (say if lines else note)(f"{plural(looked_at, 'subject')} looked at, {count} {done}")
