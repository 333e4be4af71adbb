"""`toldonce import` of what other products exported. Reads files, writes through the engine, shows a progress bar."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import typer

from toldonce.cli.backlog import FormedBacklog, count_new, form_backlog
from toldonce.cli.options import CommandOptions
from toldonce.cli.output import note, one_line, say, say_json, when
from toldonce.cli.replay import ProgressBar
from toldonce.engine import AsyncToldOnce
from toldonce.engine.source_import import SourceImportReport
from toldonce.importers.export_files import ExportFiles, open_export
from toldonce.importers.sources import Source, detect_source, read_source, source_named
from toldonce.plural import plural
from toldonce.settings import SQLITE
from toldonce.types import MemoryKind

# Conversations of a dry run of which memories are formed, in a database in memory.
MAX_SAMPLE = 100
# Memories of a dry run that are shown, and bad records that are listed.
_MAX_SHOWN, _MAX_LISTED = 10, 20
_KIBIBYTE = 1024
_NOTHING_FORMED = FormedBacklog(0, 0, 0)


@dataclass(slots=True)
class _Outcome:
    source: str
    report: SourceImportReport
    formed: FormedBacklog = _NOTHING_FORMED
    memories: Counter[str] = field(default_factory=Counter)
    """Formed memories by kind."""
    samples: list[str] = field(default_factory=list)
    """Texts of memories that a dry run formed."""


class SourceImport:
    """One import of a file or folder."""

    def __init__(self, here: CommandOptions, path: Path, source: str | None, owner: str | None) -> None:
        self._here = here
        self._path = path
        self._name = source
        self._owner = owner

    def run(self, *, dry: bool, forms: bool) -> None:
        """Import and, if `forms`, form memories at once; or show what an import would do, and report it."""
        began = time.monotonic()
        with open_export(self._path) as files:
            source = detect_source(files) if self._name is None else source_named(self._name, files)
            outcome = self._dry_run(files, source) if dry else self._import(files, source, forms=forms)
        _report(outcome, self._here, seconds=time.monotonic() - began, dry=dry)
        if outcome.report.bad_count:
            raise typer.Exit(1)

    def _import(self, files: ExportFiles, source: Source, *, forms: bool) -> _Outcome:
        async def work(engine: AsyncToldOnce) -> _Outcome:
            began = engine.clock.now()
            with ProgressBar() as bar:
                records = read_source(source, files, self._owner)
                after_batch = _shown(bar, files)
                report = await engine.imports.take(
                    records, source.name, user=self._here.subject, after_batch=after_batch
                )
                outcome = _Outcome(source.name, report)
                if forms:
                    outcome.formed = await form_backlog(engine, bar)
            outcome.memories = await count_new(engine, self._here.subject, since=began)
            await self._here.note_act(engine, "subjects.import", count=report.conversations)
            return outcome

        return self._here.run(work)

    def _dry_run(self, files: ExportFiles, source: Source) -> _Outcome:
        """Import into memory, and form memories of the first conversations without a model."""
        here = self._here
        changed = {"database_url": f"{SQLITE}:memory:", "form_model": None}
        apart = replace(here, settings=here.settings.model_copy(update=changed))

        async def work(engine: AsyncToldOnce) -> _Outcome:
            began = engine.clock.now()
            with ProgressBar() as bar:
                after_batch = _shown(bar, files)
                records = read_source(source, files, self._owner)
                sample = islice(records, MAX_SAMPLE)
                report = await engine.imports.take(sample, source.name, user=here.subject, after_batch=after_batch)
                outcome = _Outcome(source.name, report, await form_backlog(engine, bar))
                outcome.memories = await count_new(engine, here.subject, since=began)
                facts = await engine.list(user=here.subject, kinds=[MemoryKind.FACT, MemoryKind.NOTE], limit=_MAX_SHOWN)
                outcome.samples = [memory.text for memory in facts]
                report.add(await engine.imports.count(records, source.name, after_batch=after_batch))
            return outcome

        return apart.run(work)


def _shown(bar: ProgressBar, files: ExportFiles) -> Callable[[], None]:
    """Begin a phase that counts what is read of an export; return what shows how far it is."""
    bar.begin("reading", "KiB", files.total_bytes // _KIBIBYTE)
    return lambda: bar.reach(files.read.done // _KIBIBYTE)


def _report(outcome: _Outcome, here: CommandOptions, *, seconds: float, dry: bool) -> None:
    report = outcome.report
    if here.as_json:
        say_json(_as_json(outcome, seconds=seconds, dry=dry))
        return
    for bad in report.bad[:_MAX_LISTED]:
        note(f"{one_line(bad.where)}: {one_line(bad.reason)}")
    if report.bad_count > _MAX_LISTED:
        note(f"… and {report.bad_count - _MAX_LISTED:,} more")
    dates = ""
    if report.first and report.last:
        dates = f" of {when(report.first, here.zone)[:10]} to {when(report.last, here.zone)[:10]}"
    counts = f"{plural(report.conversations, 'conversation')}, {plural(report.messages, 'message')}{dates}"
    say(
        f"{'would import' if dry else 'imported'} from {outcome.source}: {counts}, "
        f"{plural(report.memories, 'memory')} ({seconds:.1f} s)"
    )
    if report.known or report.known_memories:
        known = f"{plural(report.known, 'conversation')} and {plural(report.known_memories, 'memory')}"
        say(f"{known} were imported before: left unchanged")
    for reason, count in sorted(report.left_out.items()):
        say(f"{plural(count, 'record')} left out: {reason}")
    if report.held:
        note(f"{plural(report.held, 'memory')} held for review: `toldonce review`")
    _report_formed(outcome, dry=dry)
    if report.bad_count:
        say(f"{plural(report.bad_count, 'record')} could not be read (see above)")


def _report_formed(outcome: _Outcome, *, dry: bool) -> None:
    kinds = ", ".join(plural(count, kind) for kind, count in outcome.memories.most_common())
    if dry:
        say(f"of the first {MAX_SAMPLE} records it would form, without a model: {kinds or 'nothing'}")
        for text in outcome.samples:
            say(f"  {one_line(text)}")
        return
    say(f"new memories: {kinds or 'none'}")
    if outcome.formed.waiting:
        say(f"{plural(outcome.formed.waiting, 'formation')} to be done by `toldonce serve` or `toldonce worker`")
    if outcome.formed.parked:
        say(f"{plural(outcome.formed.parked, 'formation')} parked: see `toldonce formations --parked`")


def _as_json(outcome: _Outcome, *, seconds: float, dry: bool) -> dict[str, object]:
    report, formed = outcome.report, outcome.formed
    return {
        "source": outcome.source,
        "dry_run": dry,
        "conversations": report.conversations,
        "messages": report.messages,
        "memories": report.memories,
        "known": report.known,
        "known_memories": report.known_memories,
        "held": report.held,
        "first": report.first and report.first.isoformat(),
        "last": report.last and report.last.isoformat(),
        "left_out": dict(sorted(report.left_out.items())),
        "formed": dict(sorted(outcome.memories.items())),
        "formations": formed.formations,
        "waiting": formed.waiting,
        "parked": formed.parked,
        "samples": outcome.samples,
        "bad": [{"where": bad.where, "reason": bad.reason} for bad in report.bad],
        "bad_count": report.bad_count,
        "seconds": round(seconds, 3),
    }
