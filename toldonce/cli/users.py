"""The command `users`: who has memories or conversations here. Reads through the engine."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import AsJson, DatabaseUrl, Limit, load_options
from toldonce.cli.output import note, rows, say_json, when

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.types import UserSummary

_After = Annotated[str | None, typer.Option("--after", metavar="NAME", help="Start after this user.")]
_Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Only users of this tenant (default: all).")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(users)


def users(
    limit: Limit = 50,
    after: _After = None,
    tenant: _Tenant = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """List users by name, with their memories and conversations, and when each was last seen."""
    from toldonce.types import Subject

    here = load_options(database=database, as_json=as_json)
    position = "" if after is None else Subject.parse(after).text

    async def work(engine: "AsyncToldOnce") -> "list[UserSummary]":
        # One more than shown tells whether there are more.
        return await engine.admin.users(after=position, limit=limit + 1, tenant=tenant)

    found = here.run(work)
    page, more = found[:limit], len(found) > limit
    if as_json:
        say_json({"users": page, "next": page[-1].subject.text if more else None})
        return
    if not page:
        note("no users" + (" after that" if after else ""))
        return
    lines = [
        (
            _named(user),
            f"{user.memories}{'+' if user.is_partial else ''}",
            f"{user.conversations}{'+' if user.is_partial else ''}",
            "" if user.last_seen is None else when(user.last_seen, here.zone),
        )
        for user in page
    ]
    rows(("user", "memories", "conversations", "last seen"), lines)
    if more:
        same = [f"--tenant {shlex.quote(tenant)}"] if tenant is not None else []
        same += [f"--database {shlex.quote(database)}"] if database else []
        note(
            f"more: toldonce users {' '.join([*same, f'--limit {limit}', f'--after {shlex.quote(_named(page[-1]))}'])}"
        )


def _named(user: "UserSummary") -> str:
    """Return the name that `--user` takes; of a tenant's user, the subject's."""
    subject = user.subject
    return subject.text if subject.tenant or ":" in subject.name or subject.name.startswith("@") else subject.name
