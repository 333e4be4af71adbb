"""The commands `db …`: what is done with a whole database. Reads and writes databases, shows a bar on stderr."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, DatabaseUrl
from recollect.cli.output import note, plural, rows, say, say_json
from recollect.cli.replay import ProgressBar

if TYPE_CHECKING:
    from recollect.engine.databases import CopyReport, IndexReport

db = typer.Typer(help="Do something with a whole database.", no_args_is_help=True, rich_markup_mode=None)

_Source = Annotated[str, typer.Argument(metavar="SOURCE", help="URL of the database to read.")]
_Destination = Annotated[str, typer.Argument(metavar="DEST", help="URL of an empty one.")]
_Shards = Annotated[
    int, typer.Option("--shards", metavar="N", help="Into how many parts the subjects are divided, at the first time.")
]
_From = Annotated[
    int, typer.Option("--from", metavar="N", help="From how many vectors on a subject gets one.", show_default=True)
]
_Drop = Annotated[bool, typer.Option("--drop", help="Drop them all.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(db, name="db")


@db.command()
def copy(source: _Source, destination: _Destination, as_json: AsJson = False) -> None:
    """Copy everything into another database, of whatever kind. Ended on the way, it goes on when started again."""
    from recollect.engine.databases import copy_database

    began = time.monotonic()
    with ProgressBar() as bar:
        copied = copy_database(source, destination, progress=bar)
    seconds = time.monotonic() - began
    if as_json:
        say_json(_described(copied, seconds))
    else:
        _report(copied, seconds)
    if copied.moved:
        note(f"{copied.source} was written to meanwhile: what came after the copy began is not in it")


@db.command()
def distribute(shards: _Shards = 32, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Spread a PostgreSQL database over the nodes of Citus; what lies there already stays."""
    from dataclasses import asdict

    from recollect.engine.databases import distribute_database
    from recollect.settings import Settings

    done = distribute_database(Settings.load(database_url=database).database_url, shards=shards)
    if as_json:
        say_json(asdict(done))
        return
    if done.distributed:
        say(f"distributed by their subject: {', '.join(done.distributed)}")
    if done.copied:
        say(f"put on each node: {', '.join(done.copied)}")
    if done.before:
        say(f"{plural(len(done.before), 'table')} lay so already")
    say(f"{done.where}: Citus {done.citus}, {plural(done.nodes, 'node')} with shards")


@db.command()
def index(least: _From = 100_000, drop: _Drop = False, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Give users with very many memories an index of their vectors, on PostgreSQL; drop what is not wanted any more."""
    from dataclasses import asdict

    from recollect.engine.databases import build_indexes, drop_indexes
    from recollect.settings import Settings

    url = Settings.load(database_url=database).database_url
    with ProgressBar() as bar:
        done = drop_indexes(url, progress=bar) if drop else build_indexes(url, progress=bar, least=least)
    if as_json:
        say_json(asdict(done))
    else:
        _tell_indexes(done)


def _tell_indexes(done: "IndexReport") -> None:
    listed = [("built", one) for one in done.built] + [("there", one) for one in done.before]
    if listed:
        rows(
            ("", "subject", "space", "vectors", "size"),
            [(what, one.subject, one.space, f"{one.vectors:,}", f"{one.bytes / 1e6:,.1f} MB") for what, one in listed],
        )
    for name in done.dropped:
        say(f"dropped: {name}")
    for why in done.refused:
        note(f"no index for {why}")
    if not listed:
        say(f"{done.where}: no subject has an index: each recall compares all vectors of its subject")


def _described(copied: "CopyReport", seconds: float) -> dict[str, object]:
    return {
        "source": copied.source,
        "destination": copied.destination,
        "subjects": copied.subjects,
        "rows": dict(sorted(copied.rows.items())),
        "digest": copied.digest,
        "resumed": copied.resumed,
        "copied_anew": copied.copied_anew,
        "moved": copied.moved,
        "seconds": round(seconds, 3),
    }


def _report(copied: "CopyReport", seconds: float) -> None:
    rows(("table", "rows"), [(name, f"{count:,}") for name, count in copied.rows.items()])
    total = copied.rows.total()
    rate = f"{total / seconds:,.0f} rows/s" if seconds else ""
    say(f"{plural(copied.subjects, 'subject')}, {plural(total, 'row')} in {seconds:.1f} s ({rate})")
    if copied.resumed:
        say(f"an earlier run went on; {plural(copied.copied_anew, 'subject')} had changed since and came over anew")
    say(f"both hold the same, digest {copied.digest}")
