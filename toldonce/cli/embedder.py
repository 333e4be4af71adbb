"""The commands `embedder` and `reembed`. Use the engine and show a progress bar on stderr."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from toldonce.cli.erase import confirm
from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl, Yes, load_settings
from toldonce.cli.output import note, rows, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.cli.signals import on_signal
from toldonce.plural import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from toldonce.engine import AsyncToldOnce, EmbedderStatus, ReembedProgress
    from toldonce.types import EmbedderRecord, EmbedderSpec, ReembedReport

T = TypeVar("T")
_URL_VARIABLE = "TOLDONCE_EMBED_URL"

_Action = Annotated[str | None, typer.Argument(metavar="[use", help="`use` changes the embedder.")]
_Where = Annotated[
    str | None,
    typer.Argument(
        metavar="PATH|URL|multilingual|static]",
        help="ONNX model folder, API base URL including /v1, `multilingual` for the built-in one, or `static`.",
    ),
]
_Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Model name; required for a URL.")]
_KeyEnv = Annotated[
    str,
    typer.Option(
        "--key-env", metavar="VARIABLE", help="Environment variable with the API key; the key itself is not stored."
    ),
]
_QueryPrefix = Annotated[
    str, typer.Option("--query-prefix", metavar="TEXT", help="Text put before queries; some models need it.")
]
_PassagePrefix = Annotated[
    str, typer.Option("--passage-prefix", metavar="TEXT", help="Text put before stored texts; some models need it.")
]
_Batch = Annotated[
    int, typer.Option("--batch", min=0, metavar="N", help="Maximum texts per request; 0 picks a default.")
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Test the embedder and count memories, without changing anything.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(embedder)
    app.command()(reembed)


def embedder(  # noqa: PLR0913  # a command's options are its parameters
    action: _Action = None,
    where: _Where = None,
    model: _Model = None,
    key_env: _KeyEnv = "TOLDONCE_EMBED_KEY",
    query_prefix: _QueryPrefix = "",
    passage_prefix: _PassagePrefix = "",
    batch: _Batch = 0,
    dry_run: _DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Show the embedder, or change it and re-embed all memories. Servers keep running."""
    from dataclasses import replace

    if action not in (None, "use") or (action == "use") is (where is None):
        raise typer.BadParameter("write `toldonce embedder`, or `toldonce embedder use PATH|URL|multilingual|static`")
    if where is None:
        _show(database, as_json=as_json)
        return
    spec = replace(
        embedder_spec(where, model),
        key_env=key_env,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        batch=batch,
    )
    _use(spec, database, dry_run=dry_run, yes=yes, as_json=as_json)


def reembed(dry_run: _DryRun = False, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Resume an embedder change, and embed missing vectors."""

    async def work(engine: "AsyncToldOnce") -> "ReembedReport":
        if dry_run:
            return await engine.embedder.reembed(dry_run=True)
        with ProgressBar() as bar, _resumable():
            done = await engine.embedder.reembed(tell=_telling(bar))
        await engine.keys.note_act("embedder.reembed", actor=ACTOR, count=done.memories)
        return done

    began = time.monotonic()
    report = _run(database, work)
    _report(report, seconds=time.monotonic() - began, dry_run=dry_run, as_json=as_json)


def embedder_spec(where: str, model: str | None, *, option: str = "--model") -> "EmbedderSpec":
    """Describe an embedder: a folder, a URL, or a packaged one's name; `option` names that of the model in errors."""
    from toldonce.types import EmbedderKind, EmbedderSpec

    if where in ("static", "multilingual"):
        return EmbedderSpec(kind=EmbedderKind(where))
    if where.startswith(("http://", "https://")):
        if not model:
            raise typer.BadParameter(f"a URL needs a model name: {option} NAME")
        return EmbedderSpec(kind=EmbedderKind.API, where=_base_url(where), model=model)
    return EmbedderSpec(kind=EmbedderKind.ONNX, where=str(Path(where).expanduser().absolute()), model=model or "")


def _base_url(url: str) -> str:
    """Validate a URL as the settings do, and strip a pasted `/embeddings`."""
    from toldonce.settings import Settings

    base = url.rstrip("/").removesuffix("/embeddings")
    return Settings.load(embed_url=base, embed_model="any", embed_dim=1).embed_url or base


def _use(spec: "EmbedderSpec", database: str | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    async def work(engine: "AsyncToldOnce") -> "tuple[EmbedderRecord, ReembedReport]":
        trial = await engine.embedder.try_out(spec)
        record = trial.record
        plan = await engine.embedder.use(trial, dry_run=True)
        if dry_run:
            return record, plan
        count = f"{plural(plan.memories, 'memory')} of {plural(plan.subjects, 'subject')}"
        confirm(f"Use {record.space} ({record.dim} dimensions) and re-embed {count}?", yes=yes)
        with ProgressBar() as bar, _resumable():
            report = await engine.embedder.use(trial, tell=_telling(bar))
        await engine.keys.note_act("embedder.use", actor=ACTOR, count=report.memories)
        return record, report

    began = time.monotonic()
    record, report = _run(database, work)
    if not as_json:
        curve = f"a cosine of {record.curve.midpoint:.2f} means a relevance of 0.5"
        say(f"{record.space}: {record.dim} dimensions, {curve}")
    _report(report, seconds=time.monotonic() - began, dry_run=dry_run, as_json=as_json, record=record)
    if not dry_run and os.environ.get(_URL_VARIABLE):
        note(f"{_URL_VARIABLE} is set: unset it, or processes whose settings name another embedder refuse to start")


def _telling(bar: ProgressBar) -> "Callable[[ReembedProgress], None]":
    began: list[bool] = []

    def tell(progress: "ReembedProgress") -> None:
        if not began:
            began.append(True)
            bar.begin("embedding", "memories", progress.of)
        bar.reach(progress.done)

    return tell


@contextmanager
def _resumable() -> Iterator[None]:
    """Let SIGTERM cancel the work as Ctrl-C does; if it is interrupted, say how to resume it."""
    from toldonce.errors import TryAgainError

    work = asyncio.current_task()
    if work is None:
        raise AssertionError("only a task has work to cancel")
    try:
        with on_signal(work.cancel, (signal.SIGTERM,)):
            yield
    except (TryAgainError, asyncio.CancelledError):
        note("not finished: old vectors serve the remaining memories; `toldonce reembed` resumes")
        raise


def _run(database: str | None, work: "Callable[[AsyncToldOnce], Coroutine[Any, Any, T]]") -> T:
    """Run `work` with the engine, even if the settings and the database name different embedders."""
    from toldonce.engine import AsyncToldOnce
    from toldonce.errors import OtherEmbedderError

    async def inside() -> T:
        settings = load_settings(database)
        try:
            engine = await AsyncToldOnce.open(settings)
        except OtherEmbedderError as other:
            note(str(other))
            engine = await AsyncToldOnce.open(settings.model_copy(update={"embed_url": None}))
        async with engine:
            return await work(engine)

    try:
        return asyncio.run(inside())
    except asyncio.CancelledError:  # by SIGTERM; Ctrl-C leaves `asyncio.run` as a KeyboardInterrupt
        raise SystemExit(128 + signal.SIGTERM) from None


def _show(database: str | None, *, as_json: bool) -> None:
    async def work(engine: "AsyncToldOnce") -> "EmbedderStatus":
        return await engine.embedder.status()

    state = _run(database, work)
    if as_json:
        say_json(state)
    else:
        _show_state(state)
    if state.problem:
        raise typer.Exit(1)


def _show_state(state: "EmbedderStatus") -> None:
    record, spec = state.record, state.record.spec
    where = f"{spec.model} at {spec.where}" if spec.where else "built in, offline"
    say(f"{record.space}: {where}, {record.dim} dimensions")
    say(f"a cosine of {record.curve.midpoint:.2f} means a relevance of 0.5" + _chosen(record))
    lines = [(count.space, f"{count.memories:,}", f"{count.subjects:,}") for count in state.spaces]
    if lines:
        rows(("space", "memories", "subjects that read it"), lines)
    if state.waiting_subjects or state.waiting_memories:
        count = f"{plural(state.waiting_memories, 'memory')} of {plural(state.waiting_subjects, 'subject')}"
        note(f"{count} to be re-embedded: run `toldonce reembed`")
    if state.problem:
        note(state.problem)


def _chosen(record: "EmbedderRecord") -> str:
    return f"; chosen {record.chosen_at:%Y-%m-%d}" if record.chosen_at else "; from the settings"


def _report(
    report: "ReembedReport", *, seconds: float, dry_run: bool, as_json: bool, record: "EmbedderRecord | None" = None
) -> None:
    if as_json:
        say_json(
            {
                "space": report.space,
                "dim": record.dim if record else None,
                "dry_run": dry_run,
                "subjects": report.subjects,
                "memories": report.memories,
                "dropped": report.dropped,
                "seconds": round(seconds, 3),
            }
        )
        return
    count = f"{plural(report.memories, 'memory')} of {plural(report.subjects, 'subject')}"
    if dry_run:
        say(f"{count} would be re-embedded")
        return
    rate = report.memories / seconds if seconds else 0.0
    say(f"{count} re-embedded in {seconds:.1f} s ({rate:,.0f} memories/s), {report.dropped:,} old vectors dropped")
    say("running servers and workers use it already; no restart is needed")
