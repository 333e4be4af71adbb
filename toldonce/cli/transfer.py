"""The commands `export` and `import`. Read and write files and pipes, show a progress bar on stderr."""

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from toldonce.cli.options import CommandOptions, with_options
from toldonce.cli.output import note, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toldonce.engine import AsyncToldOnce
    from toldonce.engine.transfer import TransferReport

_PIPE = "-"
# How the first line of an export of ToldOnce begins.
_OWN_HEAD, _MARKDOWN_HEAD, _HEAD_BYTES = b'"toldonce"', b"<!-- toldonce markdown", 100
_File = Annotated[
    str, typer.Argument(metavar="FILE", help="File of JSON lines (format: docs/export.md); - for a pipe.")
]
_Export = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="An export of ToldOnce, ChatGPT, Claude, …: file, zip or folder; - for a pipe."
    ),
]
_All = Annotated[bool, typer.Option("--all", help="Export all subjects.")]
_Markdown = Annotated[
    bool, typer.Option("--markdown", help="Export what is known as Markdown, to read, edit and import again.")
]
_Trusted = Annotated[
    bool,
    typer.Option("--trusted", help="Skip redaction and review; only for your own exports."),
]
_From = Annotated[
    str | None,
    typer.Option("--from", metavar="SOURCE", help="Product that made the export (default: detected)."),
]
_SourceUser = Annotated[
    str | None,
    typer.Option("--source-user", metavar="NAME", help="User of that product, if the export has several."),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be recorded and formed; store nothing.")]
_RecordOnly = Annotated[
    bool, typer.Option("--record-only", help="Leave forming memories to `toldonce serve` or `toldonce worker`.")
]
_ForgetRemoved = Annotated[
    bool, typer.Option("--forget-removed", help="Of Markdown: forget memories whose lines were removed.")
]
_Missing = Annotated[bool, typer.Option("--only-missing", help="Skip subjects that already exist.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(export)
    app.command("import")(take_in)


@with_options()
def export(
    here: CommandOptions,
    file: _File,
    everybody: _All = False,
    markdown: _Markdown = False,
) -> None:
    """Export conversations and memories as JSON lines. Includes the history and erasure records."""
    if everybody and here.is_subject_given:
        raise typer.BadParameter("--all cannot be combined with --user or --subject")
    if here.as_json and file == _PIPE:
        raise typer.BadParameter("--json and the export cannot share a pipe: name a file")

    async def work(engine: "AsyncToldOnce") -> int:
        with _written(file) as out:
            if markdown:
                from toldonce.engine.markdown_export import export_markdown

                count = await export_markdown(
                    engine, out, user=here.subject, everybody=everybody, at=engine.clock.now(), zone=here.zone
                )
            else:
                count = await engine.transfer.export_to(out, user=here.subject, everybody=everybody)
        await here.note_act(engine, "subjects.export", of_all=everybody)
        return count

    count, what = here.run(work), "memory" if markdown else "line"
    if here.as_json:
        say_json({"file": file, "memories" if markdown else "lines": count})
    elif file != _PIPE:
        say(f"{plural(count, what)} written to {file}")


@with_options(creates=True)
def take_in(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    file: _Export,
    source: _From = None,
    source_user: _SourceUser = None,
    dry_run: _DryRun = False,
    record_only: _RecordOnly = False,
    only_missing: _Missing = False,
    trusted: _Trusted = False,
    forget_removed: _ForgetRemoved = False,
) -> None:
    """Import an export of ToldOnce, or what ChatGPT, Claude and other products exported.

    Dates and branches are kept, secrets struck out, planted instructions held for review. Importing again adds nothing.
    """
    if source is source_user is None and file != _PIPE and _begins(file, _MARKDOWN_HEAD):
        if only_missing or trusted or record_only:
            raise typer.BadParameter("--only-missing, --trusted and --record-only are not for Markdown")
        from toldonce.cli.import_markdown import take_in_markdown

        named = here.subject if here.is_subject_given else None
        take_in_markdown(here, Path(file), named, forget_removed=forget_removed, dry_run=dry_run)
        return
    if forget_removed:
        raise typer.BadParameter("--forget-removed is for what `toldonce export --markdown` wrote")
    if source is source_user is None and (file == _PIPE or _begins(file, _OWN_HEAD)):
        if here.is_subject_given or dry_run or record_only:
            raise typer.BadParameter("--user, --subject, --dry-run and --record-only are for other products' exports")
        _take_in_own(here, file, only_missing=only_missing, trusted=trusted)
        return
    if file == _PIPE:
        raise typer.BadParameter("--from reads a file or a folder, not a pipe")
    if only_missing or trusted:
        raise typer.BadParameter("--only-missing and --trusted are for exports of ToldOnce")
    from toldonce.cli.import_sources import SourceImport

    SourceImport(here, Path(file), source, source_user).run(dry=dry_run, forms=not record_only)


def _begins(name: str, head: bytes) -> bool:
    """Return whether a file has that in its beginning, as `toldonce export` writes it."""
    try:
        with open(name, "rb") as file:
            return head in file.read(_HEAD_BYTES)
    except OSError:
        return False


def _take_in_own(here: CommandOptions, file: str, *, only_missing: bool, trusted: bool) -> None:

    async def work(engine: "AsyncToldOnce") -> "TransferReport":
        with _opened(file) as source, ProgressBar() as bar:
            report = await engine.transfer.import_from(source, progress=bar, only_missing=only_missing, trusted=trusted)
        await here.note_act(engine, "subjects.import", count=report.subjects, of_all=True)
        return report

    began = time.monotonic()
    carried = here.run(work)
    seconds = time.monotonic() - began
    if here.as_json:
        say_json({**asdict(carried), "seconds": round(seconds, 3)})
        return
    counts = (
        plural(carried.subjects, "subject"),
        plural(carried.conversations, "conversation"),
        plural(carried.messages, "message"),
        plural(carried.memories, "memory"),
    )
    say(f"{', '.join(counts)} in {seconds:.1f} s")
    if carried.present:
        note(f"{plural(carried.present, 'subject')} already exist: left unchanged")
    if carried.held:
        note(f"{plural(carried.held, 'memory')} held for review: `toldonce review`, or import with --trusted")
    if carried.set_aside:
        note(f"{plural(carried.set_aside, 'quotation')} closed: they contain instructions that may have been planted")


@contextmanager
def _written(name: str) -> "Iterator[BinaryIO]":
    """Open the target; a file appears when it is complete, readable by its owner only."""
    from toldonce.errors import BadRequestError

    if name == _PIPE:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path, part = Path(name), Path(f"{name}.part")
    if path.exists():
        raise BadRequestError(f"{name} already exists: name another file, or remove it")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise BadRequestError(f"{name}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _opened(name: str) -> "Iterator[BinaryIO]":
    """Open the source; a pipe is copied to a temporary file, because it is read twice."""
    from toldonce.errors import BadRequestError

    if name == _PIPE:
        with TemporaryFile() as kept:
            copyfileobj(sys.stdin.buffer, kept)
            kept.seek(0)
            yield kept
        return
    try:
        source = open(name, "rb")  # noqa: SIM115  # closed below; errors of the import must pass
    except OSError as error:
        raise BadRequestError(f"{name}: {error.strerror or error}") from None
    with source:
        yield source
