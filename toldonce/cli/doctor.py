"""The command `doctor`: prints the findings of `server/doctor.py` and `machine_checks.py`."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import AsJson, DatabaseUrl
from toldonce.cli.output import one_line, say, say_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toldonce.server.findings import Finding
    from toldonce.settings import Settings

_COLOURS = {"ok": typer.colors.GREEN, "warn": typer.colors.YELLOW, "fail": typer.colors.RED}
_Check = Annotated[bool, typer.Option("--check", help="Also verify the database's files and indexes (slow).")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(check: _Check = False, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Check settings, database, models and addresses. Suggests a fix for each problem."""
    from toldonce.server.doctor import settings_in_effect
    from toldonce.server.findings import FindingState
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    findings = asyncio.run(_examine(settings, check=check, show=not as_json))
    bad = any(finding.state is FindingState.FAIL for finding in findings)
    if as_json:
        say_json({"ok": not bad, "settings": settings_in_effect(settings), "findings": findings})
    if bad:
        raise typer.Exit(1)


async def _examine(settings: "Settings", *, check: bool, show: bool) -> "list[Finding]":
    from toldonce.server.doctor import examine
    from toldonce.server.machine_checks import address_finding, spool_finding

    async def all_findings() -> "AsyncIterator[Finding]":
        async for finding in examine(settings, check=check):
            yield finding
        yield await address_finding(settings)
        if about_hooks := await asyncio.to_thread(spool_finding):
            yield about_hooks

    findings = []
    async for finding in all_findings():
        findings.append(finding)
        if show:
            typer.secho(f"{finding.state.value:<5}", fg=_COLOURS[finding.state.value], nl=False)
            say(f"{finding.what:<11} {one_line(finding.text)}")
            if finding.todo:
                say(f"     {'':<11} → {one_line(finding.todo)}")
    return findings
