"""The commands `db …`: what is done with a whole database. Reads and writes databases, shows a bar on stderr."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson
from recollect.cli.output import note, plural, rows, say, say_json
from recollect.cli.replaying import ProgressBar

if TYPE_CHECKING:
    from recollect.engine.copying import Copied

db = typer.Typer(help="Do something with a whole database.", no_args_is_help=True, rich_markup_mode=None)

_Source = Annotated[str, typer.Argument(metavar="SOURCE", help="URL of the database to read.")]
_Destination = Annotated[str, typer.Argument(metavar="DEST", help="URL of an empty one.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(db, name="db")


@db.command()
def copy(source: _Source, destination: _Destination, as_json: AsJson = False) -> None:
    """Copy everything into another database, of whatever kind. Ended on the way, it goes on when started again."""
    from recollect.engine.copying import copy_database

    began = time.monotonic()
    with ProgressBar() as bar:
        copied = copy_database(source, destination, bar=bar)
    seconds = time.monotonic() - began
    if as_json:
        say_json(_described(copied, seconds))
    else:
        _report(copied, seconds)
    if copied.moved:
        note(f"{copied.source} was written to meanwhile: what came after the copy began is not in it")


def _described(copied: "Copied", seconds: float) -> dict[str, object]:
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


def _report(copied: "Copied", seconds: float) -> None:
    rows(("table", "rows"), [(name, f"{count:,}") for name, count in copied.rows.items()])
    total = copied.rows.total()
    rate = f"{total / seconds:,.0f} rows/s" if seconds else ""
    say(f"{plural(copied.subjects, 'subject')}, {plural(total, 'row')} in {seconds:.1f} s ({rate})")
    if copied.resumed:
        say(f"an earlier run went on; {plural(copied.copied_anew, 'subject')} had changed since and came over anew")
    say(f"both hold the same, digest {copied.digest}")
