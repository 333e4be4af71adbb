"""The command `replay`, and the progress bar. Reads a file, writes through the engine, shows a bar on stderr."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, with_options
from toldonce.cli.output import note, say, say_json, terminal
from toldonce.datasets.recordings import BadRecord, Format, Recording
from toldonce.plural import plural

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from toldonce.cli.replay_run import ReplayOutcome
    from toldonce.engine import AsyncToldOnce

# Maximum number of bad records listed: a file of another format has no others.
_MAX_LISTED = 20

_As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="LoCoMo: the speaker to treat as the user (default: each in turn)."),
]
_Limit = Annotated[
    int | None,
    typer.Option("--limit", min=1, metavar="N", help="Replay only the first N lines (OpenAI) or samples (LoCoMo)."),
]
_FormatOption = Annotated[Format, typer.Option("--format", help="Format of the file; auto detects it.")]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="OpenAI messages as JSONL, or LoCoMo JSON.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


@with_options(creates=True)
def replay(
    here: CommandOptions,
    file: _File,
    form: _FormatOption = Format.AUTO,
    speaker: _As = None,
    limit: _Limit = None,
) -> None:
    """Replay recorded conversations with their original dates. Replaying a file again adds nothing."""
    from toldonce.cli.replay_run import Replay, read_plan
    from toldonce.types import Subject

    plan = read_plan(file, form, as_speaker=speaker, limit=limit, zone=here.zone)
    if here.is_subject_given and speaker is None and any(recording.user for recording in plan.recordings):
        raise typer.BadParameter("the file has two speakers: choose the one for --user or --subject with --as NAME")

    def whose(recording: Recording) -> Subject:
        return here.subject if here.is_subject_given or recording.user is None else Subject("user", recording.user)

    async def work(engine: "AsyncToldOnce") -> "ReplayOutcome":
        with ProgressBar() as bar:
            return await Replay(engine, plan, whose=whose, bar=bar).run()

    began = time.monotonic()
    outcome = here.run(work)
    _report(outcome, seconds=time.monotonic() - began, as_json=here.as_json)
    if outcome.bad:
        raise typer.Exit(1)


def _report(outcome: "ReplayOutcome", *, seconds: float, as_json: bool) -> None:
    for bad in outcome.bad[:_MAX_LISTED]:
        note(f"{bad.where}: {bad.reason}")
    if len(outcome.bad) > _MAX_LISTED:
        note(f"… and {len(outcome.bad) - _MAX_LISTED:,} more")
    rate = outcome.messages / seconds if seconds else 0.0
    if as_json:
        say_json(
            {
                "conversations": outcome.conversations,
                "messages": outcome.messages,
                "known": outcome.known,
                "memories": dict(sorted(outcome.memories.items())),
                "formations": outcome.formations,
                "waiting": outcome.waiting,
                "parked": outcome.parked,
                "bad": [_bad(bad) for bad in outcome.bad],
                "seconds": round(seconds, 3),
                "messages_per_s": round(rate, 1),
            }
        )
        return
    say(
        f"{plural(outcome.conversations, 'conversation')}, {plural(outcome.messages, 'message')} "
        f"in {seconds:.1f} s ({rate:,.0f} messages/s)"
    )
    if outcome.known:
        say(f"{plural(outcome.known, 'conversation')} already exist: left unchanged")
    kinds = ", ".join(plural(count, kind) for kind, count in outcome.memories.most_common())
    say(f"new memories: {kinds or 'none'}")
    if outcome.waiting:
        say(f"{plural(outcome.waiting, 'formation')} to be retried by `toldonce worker` or `toldonce serve`")
    if outcome.parked:
        say(f"{plural(outcome.parked, 'formation')} parked: see `toldonce formations --parked`")
    if outcome.bad:
        say(f"{plural(len(outcome.bad), 'record')} could not be replayed (see above)")


def _bad(bad: BadRecord) -> dict[str, str]:
    return {"where": bad.where, "reason": bad.reason}


class ProgressBar:
    """Progress bar on stderr with count, rate and time left; hidden if stderr is not a terminal."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> "ProgressBar":
        if sys.stderr.isatty():
            self._progress = self._rich()
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    @staticmethod
    def _rich() -> "Progress":
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TimeRemainingColumn
        from rich.text import Text

        class Rate(ProgressColumn):
            def render(self, task: Task) -> Text:
                speed = task.finished_speed or task.speed
                return Text(f"{speed:,.0f}/s" if speed else "")

        return Progress(
            "{task.description:<9}",
            BarColumn(),
            MofNCompleteColumn(),
            "{task.fields[unit]}",
            Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=terminal(err=True),
        )

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Begin a phase of `total` units."""
        if self._progress is not None:
            self._task = self._progress.add_task(phase, total=total, unit=unit)

    def reach(self, done: int) -> None:
        """Report how many units of the phase are done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)
