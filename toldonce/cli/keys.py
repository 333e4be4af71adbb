"""The commands `keys …`: API keys of the server, and the log of administrative acts. Read and write via the engine."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import ACTOR, CommandOptions, Limit, with_options
from toldonce.cli.output import note, rows, say, say_json, when
from toldonce.lazy_pattern import LazyPattern

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from toldonce.engine import AsyncToldOnce
    from toldonce.types import ApiKey

_DAYS = LazyPattern(r"([0-9]{1,5})d")
_PAGE_SIZE = 1000

keys = typer.Typer(help="Create, list and revoke API keys of the server.", no_args_is_help=True, rich_markup_mode=None)

_Name = Annotated[str, typer.Option("--name", metavar="TEXT", help="What the key is for.", show_default=False)]
_Access = Annotated[str, typer.Option("--access", metavar="read|write|admin", help="What the key allows.")]
_User = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="Bind the key to one user.", show_default=False)
]
_App = Annotated[str | None, typer.Option("--app", metavar="NAME", help="Bind the key to one app.", show_default=False)]
_AnyUser = Annotated[bool, typer.Option("--any-user", help="Let requests with the key name any user of its tenant.")]
_Everything = Annotated[bool, typer.Option("--everything", help="Let the key reach all tenants and users.")]
_Tenant = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="Tenant of the key; none if you serve only one.")
]
_Expires = Annotated[
    str | None,
    typer.Option("--expires", metavar="WHEN", help="Days from now (90d) or a date (2027-05-03).", show_default=False),
]
_PerMinute = Annotated[int | None, typer.Option("--requests-per-minute", metavar="N", help="Rate limit of the key.")]
_AtOnce = Annotated[int | None, typer.Option("--concurrent", metavar="N", help="Maximum requests at the same time.")]
_BodyBytes = Annotated[int | None, typer.Option("--body-bytes", metavar="N", help="Maximum size of a request body.")]
_KeyId = Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as `toldonce keys list` shows it.")]
_OfTenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Show only this tenant.", show_default=False)
]
_Before = Annotated[
    str | None, typer.Option("--before", metavar="ID", help="Show what came before this entry.", show_default=False)
]

_Actor = Annotated[
    str, typer.Option("--actor", metavar="ID", help="Show only acts of this actor, such as cli.", show_default=False)
]
_Action = Annotated[
    str, typer.Option("--action", metavar="NAME", help="Show only acts of this name.", show_default=False)
]
_Target = Annotated[
    str, typer.Option("--target", metavar="ID", help="Show only acts on this key or memory.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(keys, name="keys")


@keys.command()
@with_options("as_json", "database", creates=True)
def create(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    name: _Name,
    access: _Access = "write",
    user: _User = None,
    app: _App = None,
    any_user: _AnyUser = False,
    everything: _Everything = False,
    tenant: _Tenant = "",
    expires: _Expires = None,
    requests_per_minute: _PerMinute = None,
    concurrent: _AtOnce = None,
    body_bytes: _BodyBytes = None,
) -> None:
    """Create a key and print it. It is shown only once."""
    from toldonce.types import Access, KeyLimits, NewApiKey

    if [user is not None, app is not None, any_user, everything].count(True) != 1:
        raise typer.BadParameter("bind the key by one of --user NAME, --app NAME, --any-user and --everything")
    if everything and tenant:
        raise typer.BadParameter("--everything reaches all tenants; leave out --tenant, or use --any-user")
    if access not in list(Access):
        raise typer.BadParameter(f"--access is {access!r}; it takes {', '.join(Access)}")
    new = NewApiKey(
        name=name,
        access=Access(access),
        tenant=None if everything else tenant,
        user=user,
        app=app,
        expires_at=_expiry(expires, here.zone),
        limits=KeyLimits(
            requests_per_minute=requests_per_minute, concurrent_requests=concurrent, body_bytes=body_bytes
        ),
    )
    key, secret = here.run(lambda engine: engine.keys.create(new, actor=ACTOR))
    if here.as_json:
        from toldonce.cli.json_output import to_json

        say_json({**to_json(key), "key": secret})
        return
    note(f"key {key.id} ({_binding(key)}, {key.access}); it is shown only this once:")
    say(secret)


@keys.command(name="list")
@with_options("as_json", "database")
def list_(here: CommandOptions, tenant: _OfTenant = None) -> None:
    """List all keys, without their secrets."""

    async def all_pages(engine: "AsyncToldOnce") -> "list[ApiKey]":
        listed = page = await engine.keys.list(tenant=tenant, limit=_PAGE_SIZE)
        while len(page) == _PAGE_SIZE:
            page = await engine.keys.list(tenant=tenant, after=page[-1].id, limit=_PAGE_SIZE)
            listed = [*listed, *page]
        return listed

    listed = here.run(all_pages)
    if here.as_json:
        say_json({"keys": listed})
        return
    if not listed:
        note("no keys; create one with `toldonce keys create`")
        return
    lines = [
        (
            key.id,
            key.access.value,
            _binding(key),
            _state(key, here.zone),
            when(key.last_used_at, here.zone) if key.last_used_at else "never",
            key.name,
        )
        for key in listed
    ]
    rows(("id", "access", "bound to", "state", "last used", "name"), lines)


@keys.command()
@with_options("as_json", "database")
def revoke(here: CommandOptions, key_id: _KeyId) -> None:
    """Revoke a key. Running servers refuse it within ten seconds."""
    key = here.run(lambda engine: engine.keys.revoke(key_id, actor=ACTOR))
    if here.as_json:
        say_json(key)
    else:
        say(f"revoked {key.id} ({key.name})")


@keys.command()
@with_options("as_json", "database")
def audit(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    tenant: _OfTenant = None,
    actor: _Actor = "",
    action: _Action = "",
    target: _Target = "",
    before: _Before = None,
    limit: Limit = 100,
) -> None:
    """Show administrative acts, newest first: who did what and when."""
    from toldonce.types import AuditFilter

    wanted = AuditFilter(actor=actor, action=action, target=target)
    entries = here.run(lambda engine: engine.keys.audit(wanted, tenant=tenant, before=before, limit=limit))
    if here.as_json:
        following = entries[-1].id if len(entries) == limit else None
        say_json({"entries": entries, "next": following})
        return
    if not entries:
        note("no administrative acts")
        return
    lines = [
        (when(entry.at, here.zone), entry.actor, entry.action, entry.tenant or "-", str(entry.count), entry.target)
        for entry in entries
    ]
    rows(("at", "who", "what", "tenant", "count", "target"), lines)


def _expiry(text: str | None, zone: "ZoneInfo") -> datetime | None:
    """Parse days from now, or a date or time in the users' zone."""
    if text is None:
        return None
    days = _DAYS.fullmatch(text)
    try:
        if days:
            return datetime.now(UTC) + timedelta(days=int(days[1]))
        given = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"--expires is {text[:40]!r}; write 90d, 2027-05-03 or 2027-05-03T08:00") from None
    return (given if given.tzinfo else given.replace(tzinfo=zone)).astimezone(UTC)


def _binding(key: "ApiKey") -> str:
    if key.tenant is None:
        return "everything"
    whose = f"@{key.tenant}/" if key.tenant else ""
    if key.user is not None:
        return f"{whose}user:{key.user}"
    return f"{whose}app:{key.app}" if key.app is not None else f"{whose}any user"


def _state(key: "ApiKey", zone: "ZoneInfo") -> str:
    if key.revoked_at is not None:
        return f"revoked {when(key.revoked_at, zone)}"
    if key.expires_at is None:
        return "valid"
    return f"{'valid until' if key.is_valid(datetime.now(UTC)) else 'expired'} {when(key.expires_at, zone)}"
