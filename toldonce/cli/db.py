"""The commands on whole databases, but for those that encrypt. Read and write databases, show a bar on stderr."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli import db_encryption
from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl
from toldonce.cli.output import note, rows, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine.databases import CopyReport, IndexReport


db = typer.Typer(
    help="Migrate, copy, encrypt, index or distribute a database.", no_args_is_help=True, rich_markup_mode=None
)

_Source = Annotated[str, typer.Argument(metavar="SOURCE", help="URL of the database to copy.")]
_Destination = Annotated[str, typer.Argument(metavar="DEST", help="URL of an empty database.")]
_Shards = Annotated[int, typer.Option("--shards", metavar="N", help="Number of shards; only used the first time.")]
_From = Annotated[
    int, typer.Option("--from", metavar="N", help="Minimum number of vectors for an index.", show_default=True)
]
_Drop = Annotated[bool, typer.Option("--drop", help="Drop all vector indexes.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    db_encryption.register(db)
    db.command()(rls)
    app.add_typer(db, name="db")


@db.command()
def migrate(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Create the database, or bring it to the newest schema. Run it before the servers of a new version start."""
    from toldonce.engine.databases import DatabaseKey, migrate_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key, keeps = DatabaseKey.of(settings), settings.migration_copy
    done = migrate_database(settings.database_url, key=key, migration_copy=keeps)
    if as_json:
        say_json({"database": done.where, "before": done.before, "after": done.after, "copy": done.copy})
    elif done.before == done.after:
        say(f"{done.where}: up to date (schema {done.after})")
    elif not done.before:
        say(f"{done.where}: created with schema {done.after}")
    else:
        say(f"{done.where}: migrated {done.before} → {done.after}")
    if done.copy:
        note(f"what it held before is in {done.copy}: delete that once the new version serves you well")


@db.command()
def copy(source: _Source, destination: _Destination, as_json: AsJson = False) -> None:
    """Copy a database to another one, SQLite or PostgreSQL. Run again to resume an interrupted copy."""
    from toldonce.engine.databases import DatabaseKey, copy_database
    from toldonce.settings import Settings

    began = time.monotonic()
    settings = Settings.load()
    key, keeps = DatabaseKey.of(settings), settings.migration_copy
    here, there = (Settings.load(database_url=end).database_url for end in (source, destination))
    with ProgressBar() as bar:
        copied = copy_database(here, there, progress=bar, key=key, actor=ACTOR, migration_copy=keeps)
    seconds = time.monotonic() - began
    if as_json:
        say_json(_as_json(copied, seconds))
    else:
        _report(copied, seconds)
    if copied.moved:
        note(f"{copied.source} changed during the copy: later changes are not in it")


@db.command()
def distribute(shards: _Shards = 32, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Distribute a PostgreSQL database over Citus nodes. Tables that are already distributed stay."""

    from toldonce.engine.databases import distribute_database, note_database_act
    from toldonce.settings import Settings

    url = Settings.load(database_url=database).database_url
    done = distribute_database(url, shards=shards)
    note_database_act(url, "databases.distribute", actor=ACTOR, count=len(done.distributed))
    if as_json:
        say_json(done)
        return
    if done.distributed:
        say(f"distributed by subject: {', '.join(done.distributed)}")
    if done.copied:
        say(f"replicated to each node: {', '.join(done.copied)}")
    if done.before:
        say(f"{plural(len(done.before), 'table')} already distributed")
    say(f"{done.where}: Citus {done.citus}, {plural(done.nodes, 'node')} with shards")


@db.command()
def index(minimum: _From = 100_000, drop: _Drop = False, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Build vector indexes for the largest subjects (PostgreSQL only), and drop unneeded ones."""

    from toldonce.engine.databases import build_indexes, drop_indexes, note_database_act
    from toldonce.settings import Settings

    url = Settings.load(database_url=database).database_url
    with ProgressBar() as bar:
        done = drop_indexes(url, progress=bar) if drop else build_indexes(url, progress=bar, minimum=minimum)
    if done.built or done.dropped:
        count = len(done.built) + len(done.dropped)
        note_database_act(url, "databases.unindex" if drop else "databases.index", actor=ACTOR, count=count)
    if as_json:
        say_json(done)
    else:
        _show_indexes(done)


def _show_indexes(done: "IndexReport") -> None:
    listed = [("built", entry) for entry in done.built] + [("there", entry) for entry in done.before]
    if listed:
        rows(
            ("", "subject", "space", "vectors", "size"),
            [
                (state, entry.subject, entry.space, f"{entry.vectors:,}", f"{entry.bytes / 1e6:,.1f} MB")
                for state, entry in listed
            ],
        )
    for name in done.dropped:
        say(f"dropped: {name}")
    for reason in done.refused:
        note(f"no index for {reason}")
    if not listed:
        say(f"{done.where}: no subject has an index: each recall compares all vectors of the subject")


def _as_json(copied: "CopyReport", seconds: float) -> dict[str, object]:
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
        say(f"resumed an earlier run; {plural(copied.copied_anew, 'subject')} had changed and were copied again")
    say(f"both databases have the same content, digest {copied.digest}")


_ACTIONS = ("enable", "disable", "status")
_Action = Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(_ACTIONS)}.")]


def rls(action: _Action, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Let PostgreSQL itself keep tenants apart (row-level security). Stop servers and workers before."""
    from toldonce.engine.databases import disable_row_security, enable_row_security, note_database_act, row_security
    from toldonce.settings import Settings

    if action not in _ACTIONS:
        raise typer.BadParameter(f"ACTION is {action!r}; it is one of {', '.join(_ACTIONS)}")
    act = {"enable": enable_row_security, "disable": disable_row_security, "status": row_security}[action]
    url = Settings.load(database_url=database).database_url
    report = act(url)
    if action != "status":
        note_database_act(url, f"row_security.{action}", actor=ACTOR, count=len(report.guarded))
    if as_json:
        say_json({"where": report.where, "guarded": list(report.guarded), "unguarded": list(report.unguarded)})
        return
    say(f"{report.where}: {plural(len(report.guarded), 'table')} guarded, {len(report.unguarded)} not")
    if report.guarded and report.unguarded:
        note(f"not guarded: {', '.join(report.unguarded)}; run `toldonce db rls enable`")
