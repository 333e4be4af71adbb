"""The commands `embedder` and `reembed`. Work through the engine, show a bar on stderr."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from recollect.cli.erase import confirm
from recollect.cli.options import AsJson, DatabaseUrl
from recollect.cli.output import note, plural, rows, say, say_json
from recollect.cli.replay import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from recollect.engine import AsyncRecollect, EmbedderStatus, ReembedProgress
    from recollect.types import EmbedderRecord, EmbedderSpec, ReembedReport

T = TypeVar("T")
_URL_VARIABLE = "RECOLLECT_EMBED_URL"

_Action = Annotated[str | None, typer.Argument(metavar="[use", help="use changes the embedder.")]
_Where = Annotated[
    str | None,
    typer.Argument(
        metavar="PATH|URL|static]", help="A folder with an ONNX model, an API's URL with its /v1, or the built-in one."
    ),
]
_Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model's name: at a URL it is needed.")]
_KeyEnv = Annotated[
    str,
    typer.Option("--key-env", metavar="VARIABLE", help="The variable with the API's key; the key is not kept."),
]
_QueryPrefix = Annotated[
    str, typer.Option("--query-prefix", metavar="TEXT", help="Put before what is asked; some models want it.")
]
_PassagePrefix = Annotated[
    str, typer.Option("--passage-prefix", metavar="TEXT", help="Put before what is to be found; some models want it.")
]
_Batch = Annotated[int, typer.Option("--batch", min=0, metavar="N", help="Most texts a request; 0: as fits the kind.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Try it out and count, and change nothing.")]
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(embedder)
    app.command()(reembed)


def embedder(  # noqa: PLR0913  # a command's options are its parameters
    action: _Action = None,
    where: _Where = None,
    model: _Model = None,
    key_env: _KeyEnv = "RECOLLECT_EMBED_KEY",
    query_prefix: _QueryPrefix = "",
    passage_prefix: _PassagePrefix = "",
    batch: _Batch = 0,
    dry_run: _DryRun = False,
    yes: _Yes = False,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Show by what memories are embedded; or change it and embed all of them anew, while everything goes on."""
    from dataclasses import replace

    if action not in (None, "use") or (action == "use") is (where is None):
        raise typer.BadParameter("write `recollect embedder`, or `recollect embedder use PATH|URL|static`")
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
    """Go on with a change of the embedder, and embed what has no vectors of the one in use."""

    async def work(engine: "AsyncRecollect") -> "ReembedReport":
        if dry_run:
            return await engine.embedder.reembed(dry_run=True)
        with ProgressBar() as bar:
            return await engine.embedder.reembed(tell=_telling(bar))

    began = time.monotonic()
    with _told_how_to_go_on():
        report = _run(database, work)
    _report(report, seconds=time.monotonic() - began, dry_run=dry_run, as_json=as_json)


def embedder_spec(where: str, model: str | None, *, option: str = "--model") -> "EmbedderSpec":
    """Read a folder, a URL or `static`, and the model's name, given by an option of this name."""
    from recollect.types import EmbedderKind, EmbedderSpec

    if where == "static":
        return EmbedderSpec(kind=EmbedderKind.STATIC)
    if where.startswith(("http://", "https://")):
        if not model:
            raise typer.BadParameter(f"an API has many models: say which with {option} NAME")
        return EmbedderSpec(kind=EmbedderKind.API, where=_base_url(where), model=model)
    return EmbedderSpec(kind=EmbedderKind.ONNX, where=str(Path(where).expanduser().absolute()), model=model or "")


def _base_url(url: str) -> str:
    """Check a URL as the settings do; where somebody pasted that of the call, take the base."""
    from recollect.settings import Settings

    base = url.rstrip("/").removesuffix("/embeddings")
    return Settings.load(embed_url=base, embed_model="any", embed_dim=1).embed_url or base


def _use(spec: "EmbedderSpec", database: str | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    async def work(engine: "AsyncRecollect") -> "tuple[EmbedderRecord, ReembedReport]":
        trial = await engine.embedder.try_out(spec)
        record = trial.record
        plan = await engine.embedder.use(trial, dry_run=True)
        if dry_run:
            return record, plan
        count = f"{plural(plan.memories, 'memory')} of {plural(plan.subjects, 'subject')}"
        confirm(f"Use {record.space} ({record.dim} numbers a vector) and embed {count} anew by it?", yes=yes)
        with ProgressBar() as bar, _told_how_to_go_on():
            return record, await engine.embedder.use(trial, tell=_telling(bar))

    began = time.monotonic()
    record, report = _run(database, work)
    if not as_json:
        curve = f"a cosine of {record.curve.midpoint:.2f} means a relevance of 0.5"
        say(f"{record.space}: {record.dim} numbers a vector, {curve}")
    _report(report, seconds=time.monotonic() - began, dry_run=dry_run, as_json=as_json, record=record)
    if not dry_run and os.environ.get(_URL_VARIABLE):
        note(f"{_URL_VARIABLE} is set here: unset it, or what starts with another embedder in it is refused")


def _telling(bar: ProgressBar) -> "Callable[[ReembedProgress], None]":
    began: list[bool] = []

    def tell(progress: "ReembedProgress") -> None:
        if not began:
            began.append(True)
            bar.begin("embedding", "memories", progress.of)
        bar.reach(progress.done)

    return tell


@contextmanager
def _told_how_to_go_on() -> Iterator[None]:
    """Where it ends on the way, say what holds: nothing is lost."""
    from recollect.errors import TryAgainError

    try:
        yield
    except (TryAgainError, KeyboardInterrupt):
        note("not all is embedded anew: the old vectors serve the rest, and `recollect reembed` goes on from here")
        raise


def _run(database: str | None, work: "Callable[[AsyncRecollect], Coroutine[Any, Any, T]]") -> T:
    """Open the engine, also where the settings name another embedder than the database: that is to be mended here."""
    from recollect.engine import AsyncRecollect
    from recollect.errors import OtherEmbedderError
    from recollect.settings import Settings

    async def inside() -> T:
        settings = Settings.load(database_url=database)
        try:
            engine = await AsyncRecollect.open(settings)
        except OtherEmbedderError as other:
            note(str(other))
            engine = await AsyncRecollect.open(settings.model_copy(update={"embed_url": None}))
        async with engine:
            return await work(engine)

    return asyncio.run(inside())


def _show(database: str | None, *, as_json: bool) -> None:
    async def work(engine: "AsyncRecollect") -> "EmbedderStatus":
        return await engine.embedder.status()

    state = _run(database, work)
    if as_json:
        from recollect.cli import json_output

        say_json(json_output.embedder(state))
    else:
        _show_state(state)
    if state.problem:
        raise typer.Exit(1)


def _show_state(state: "EmbedderStatus") -> None:
    record, spec = state.record, state.record.spec
    where = f"{spec.model} at {spec.where}" if spec.where else "built in, offline"
    say(f"{record.space}: {where}, {record.dim} numbers a vector")
    say(f"a cosine of {record.curve.midpoint:.2f} means a relevance of 0.5" + _chosen(record))
    lines = [(count.space, f"{count.memories:,}", f"{count.subjects:,}") for count in state.spaces]
    if lines:
        rows(("space", "memories", "subjects that read it"), lines)
    if state.waiting_subjects or state.waiting_memories:
        count = f"{plural(state.waiting_memories, 'memory')} of {plural(state.waiting_subjects, 'subject')}"
        note(f"{count} wait to be embedded anew: `recollect reembed`")
    if state.problem:
        note(state.problem)


def _chosen(record: "EmbedderRecord") -> str:
    return f"; chosen {record.chosen_at:%Y-%m-%d}" if record.chosen_at else "; from the settings, never chosen"


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
        say(f"{count} would be embedded anew")
        return
    rate = report.memories / seconds if seconds else 0.0
    say(f"{count} embedded anew in {seconds:.1f} s ({rate:,.0f} memories/s), {report.dropped:,} old vectors dropped")
    say("servers and workers that run have noticed: nothing need be started again")
