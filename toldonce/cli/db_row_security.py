"""The command `db rls`: row-level security of a PostgreSQL database. Changes its policies."""

from typing import Annotated

import typer

from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl
from toldonce.cli.output import note, say, say_json
from toldonce.plural import plural

_ACTIONS = {"enable": True, "disable": False, "status": None}
_Action = Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(_ACTIONS)}.")]


def register(db: typer.Typer) -> None:
    """Add the command to those of `db`."""
    db.command()(rls)


def rls(action: _Action, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Let PostgreSQL itself keep tenants apart (row-level security). Stop servers and workers before."""
    from toldonce.engine.databases import change_row_security, note_database_act
    from toldonce.settings import Settings

    if action not in _ACTIONS:
        raise typer.BadParameter(f"ACTION is {action!r}; it is one of {', '.join(_ACTIONS)}")
    url = Settings.load(database_url=database).database_url
    report = change_row_security(url, guard=_ACTIONS[action])
    if action != "status":
        note_database_act(url, f"row_security.{action}", actor=ACTOR, count=len(report.guarded))
    if as_json:
        say_json({"where": report.where, "guarded": list(report.guarded), "unguarded": list(report.unguarded)})
        return
    say(f"{report.where}: {plural(len(report.guarded), 'table')} guarded, {len(report.unguarded)} not")
    if report.guarded and report.unguarded:
        note(f"not guarded: {', '.join(report.unguarded)}; run `toldonce db rls enable`")
