"""`toldonce import` of a document of `toldonce export --markdown`. Reads a file, writes through the engine."""

from dataclasses import asdict
from os import fstat
from pathlib import Path

import typer

from toldonce.cli.options import CommandOptions
from toldonce.cli.output import note, one_line, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.engine import AsyncToldOnce
from toldonce.engine.markdown_import import MarkdownChange, MarkdownOptions, MarkdownReport, import_markdown
from toldonce.errors import BadRequestError
from toldonce.plural import plural
from toldonce.types import Subject

_KIBIBYTE = 1024


def take_in_markdown(
    here: CommandOptions, path: Path, user: Subject | None, *, forget_removed: bool, dry_run: bool
) -> None:
    """Take the changes of an edited document, or show what they would be, and report them."""
    options = MarkdownOptions(user=user, forget_removed=forget_removed, dry_run=dry_run)

    async def work(engine: AsyncToldOnce) -> MarkdownReport:
        try:
            file = path.open("rb")
        except OSError as error:
            raise BadRequestError(f"{path}: {error.strerror or error}") from None
        with file, ProgressBar() as bar:
            bar.begin("importing", "KiB", fstat(file.fileno()).st_size // _KIBIBYTE)
            report = await import_markdown(
                engine, file, options, after_batch=lambda read_bytes: bar.reach(read_bytes // _KIBIBYTE)
            )
        if not dry_run:
            await here.note_act(engine, "subjects.import", count=report.changed, of_all=user is None)
        return report

    report = here.run(work)
    if here.as_json:
        say_json({"dry_run": dry_run, **asdict(report)})
    else:
        _show(report, dry_run=dry_run)
    if report.lost_count:
        raise typer.Exit(1)


def _show(report: MarkdownReport, *, dry_run: bool) -> None:
    for line in report.skipped:
        note(f"{_place(line.line)}: {one_line(line.reason)}")
    if report.skipped_count > len(report.skipped):
        note(f"… and {report.skipped_count - len(report.skipped):,} more")
    for change in report.changes:
        say(f"{_place(change.line)}: {_written(change)}")
    if report.changed > len(report.changes):
        say(f"… and {report.changed - len(report.changes):,} more")
    counts = f"{report.corrected} corrected, {report.added} added, {report.forgotten} forgotten"
    say(f"{'would be ' if dry_run else ''}{counts}; {report.unchanged} unchanged")
    if report.missing:
        say(f"{plural(report.missing, 'memory')} without a line kept: --forget-removed closes them")


def _written(change: MarkdownChange) -> str:
    return f"{change.action} {' → '.join(one_line(text) for text in (change.before, change.after) if text)}"


def _place(line: int) -> str:
    return f"line {line}" if line else "removed"
