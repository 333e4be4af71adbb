"""The commands `users` and `merge-user`: who has memories here, and who is one person. Writes through the engine."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import ACTOR, CommandOptions, Limit, with_options
from toldonce.cli.output import note, rows, say, say_json, when
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.types import Subject, UserMergeReport, UserSummary

_After = Annotated[str | None, typer.Option("--after", metavar="NAME", help="Start after this user.")]
_Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Only users of this tenant (default: all).")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(users)
    app.command("merge-user")(merge_user)


@with_options("as_json", "database")
def users(
    here: CommandOptions,
    limit: Limit = 50,
    after: _After = None,
    tenant: _Tenant = None,
) -> None:
    """List users by name, with their memories and conversations, and when each was last seen."""
    from toldonce.types import Subject

    position = "" if after is None else Subject.parse(after).text

    async def work(engine: "AsyncToldOnce") -> "list[UserSummary]":
        # One more than shown tells whether there are more.
        return await engine.admin.users(after=position, limit=limit + 1, tenant=tenant)

    found = here.run(work)
    page, more = found[:limit], len(found) > limit
    if here.as_json:
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
            "" if user.merged_into is None else _name_of(user.merged_into),
        )
        for user in page
    ]
    merged = any(user.merged_into for user in page)
    heads = ("user", "memories", "conversations", "last seen", *(["merged into"] if merged else []))
    rows(heads, [line[: len(heads)] for line in lines])
    if more:
        same = [f"--tenant {shlex.quote(tenant)}"] if tenant is not None else []
        same += [f"{flag} {shlex.quote(value)}" for flag, value in here.given.items()]
        note(
            f"more: toldonce users {' '.join([*same, f'--limit {limit}', f'--after {shlex.quote(_named(page[-1]))}'])}"
        )


_Source = Annotated[str, typer.Argument(metavar="USER", help="User whose memory is copied.")]
_Target = Annotated[str | None, typer.Argument(metavar="[INTO]", help="User who gets it: the one that goes on.")]
_Undo = Annotated[bool, typer.Option("--undo", help="Undo the merge: USER has its own memory again.")]


@with_options("as_json", "database")
def merge_user(
    here: CommandOptions,
    user: _Source,
    into: _Target = None,
    undo: _Undo = False,
) -> None:
    """Merge two users who are one person: USER reads and writes the memory of INTO from now on.

    What is kept of USER is copied to INTO, and stays as it was for `--undo`. Of two values the newer one holds.
    """
    from toldonce.types import Subject

    if (into is None) != undo:
        raise typer.BadParameter("name two users, or one with --undo")

    async def work(engine: "AsyncToldOnce") -> "UserMergeReport":
        if into is None:
            return await engine.admin.undo_merge(Subject.parse(user), actor=ACTOR)
        return await engine.admin.merge_user(Subject.parse(user), Subject.parse(into), actor=ACTOR)

    done = here.run(work)
    if here.as_json:
        say_json(done)
        return
    source, target = _name_of(done.source), _name_of(done.target)
    carried = f"{plural(done.memories, 'memory')} and {plural(done.conversations, 'conversation')}"
    if undo:
        say(f"{source} has its own memory again; {carried} left {target}")
        if done.kept:
            say(f"{plural(done.kept, 'conversation')} stayed with {target}, as they went on there")
        return
    say(f"{source} reads and writes the memory of {target} now, which got {carried}")
    if done.replaced:
        say(f"{plural(done.replaced, 'fact')} had two values: the newer ones hold")
    note(f"undo: toldonce merge-user --undo {shlex.quote(source)}")


def _named(user: "UserSummary") -> str:
    """Return the name that `--user` takes; of a tenant's user, the subject's."""
    return _name_of(user.subject)


def _name_of(subject: "Subject") -> str:
    return subject.text if subject.tenant or ":" in subject.name or subject.name.startswith("@") else subject.name
