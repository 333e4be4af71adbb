"""Options shared by several commands. Reads the environment through the settings."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from os.path import exists
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from toldonce.engine import AsyncToldOnce
    from toldonce.settings import Settings
    from toldonce.types import Memory, Subject

T = TypeVar("T")
ACTOR = "cli"
"""Who acts, in the audit log."""

UserName = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="User (default: $TOLDONCE_DEFAULT_USER).", show_default=False),
]
SubjectName = Annotated[
    str | None,
    typer.Option(
        "--subject", metavar="KIND:NAME", help="Subject other than a user, such as app:calendar.", show_default=False
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="PATH|URL",
        help="SQLite file or URL (default: $TOLDONCE_DATABASE_URL).",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (format: docs/cli.md).")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=9_999, metavar="N", help="Maximum number to show.")]
MemoryIdText = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the memory, or at least 8 characters of its beginning or end.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation prompt.")]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Show what was true at this time: 2026-05-03 or 2026-05-03T08:00."),
]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="Show what was known at this time.")]
TimeZone = Annotated[
    str | None,
    typer.Option("--time-zone", metavar="NAME", help="Where the user is, such as Europe/Berlin (default: their own)."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """Settings, subject and output format of one command."""

    settings: "Settings"
    subject: "Subject"
    given: Mapping[str, str]
    """Values of `--user`, `--subject` and `--database`, as far as they were given."""
    as_json: bool = False

    @property
    def is_subject_given(self) -> bool:
        """Whether the command line names the subject."""
        return not self.given.keys().isdisjoint(("--user", "--subject"))

    @property
    def zone(self) -> "ZoneInfo":
        """Time zone for displayed times."""
        from zoneinfo import ZoneInfo

        return ZoneInfo(self.settings.time_zone)

    def run(self, work: Callable[["AsyncToldOnce"], Coroutine[Any, Any, T]]) -> T:
        """Open the engine, run `work` with it, and close it."""
        from toldonce.engine import AsyncToldOnce

        async def inside() -> T:
            async with await AsyncToldOnce.open(self.settings) as engine:
                return await work(engine)

        return asyncio.run(inside())

    async def note_act(
        self, engine: "AsyncToldOnce", action: str, *, target: str | None = None, count: int = 0, of_all: bool = False
    ) -> None:
        """Append an act of the command line to the audit log; without `target`, or `of_all`, it is on the subject."""
        tenant = "" if of_all else self.subject.tenant
        target = "" if of_all else target or str(self.subject.key)
        await engine.keys.note_act(action, actor=ACTOR, tenant=tenant, target=target, count=count)

    async def note_acts(self, engine: "AsyncToldOnce", action: str, memories: "Iterable[Memory]") -> None:
        """Append an act on each of some memories to the audit log."""
        for memory in memories:
            await self.note_act(engine, action, target=memory.id)


def load_options(
    *,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
    creates: bool = False,
) -> CommandOptions:
    """Load the settings and resolve the subject.

    Args:
        user: Name given by `--user`.
        subject: Name given by `--subject`.
        as_json: Whether the command prints JSON.
        database: Path or URL given by `--database`.
        creates: Whether the command may begin a database.

    Raises:
        SetupError: A setting is invalid, or `--database` names a file that is not there.
        BadSubjectError: The name is not a valid subject.
    """
    settings = load_settings(database, creates=creates)
    given = {"--user": user, "--subject": subject, "--database": database}
    return CommandOptions(
        settings=settings,
        subject=chosen_subject(settings, user=user, subject=subject),
        given={flag: value for flag, value in given.items() if value is not None},
        as_json=as_json,
    )


def with_options(
    *names: Literal["user", "subject", "as_json", "database"], creates: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options that several have, by default all of `load_options`; it takes what they load.

    Args:
        names: Parameters of `load_options`.
        creates: Whether the command may begin a database.
    """
    parameters = signature(load_options).parameters
    shared = [
        parameters[name].replace(kind=Parameter.POSITIONAL_OR_KEYWORD)
        for name in names or ("user", "subject", "as_json", "database")
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(command).parameters.values())[1:]

        @wraps(command)
        def loaded(**given: Any) -> None:
            here = load_options(**{option.name: given.pop(option.name) for option in shared}, creates=creates)
            command(here, **given)

        loaded.__annotations__ = {option.name: option.annotation for option in (*own, *shared)}
        loaded.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]  # what inspect looks for
        return loaded

    return decorate


def load_settings(database: str | None, *, creates: bool = False) -> "Settings":
    """Load the settings of a command; see `load_options` for arguments and errors."""
    from toldonce.errors import BadSettingError
    from toldonce.settings import SQLITE, Settings

    settings = Settings.load(database_url=database)
    path = settings.database_url.removeprefix(SQLITE)
    if database is not None and not creates and path not in (settings.database_url, ":memory:") and not exists(path):
        raise BadSettingError("--database", database, "there is no such file; `toldonce add` and `serve` begin one")
    return settings


def chosen_subject(settings: "Settings", *, user: str | None, subject: str | None) -> "Subject":
    """Return the subject given by `--user` or `--subject`, or else the default user."""
    from toldonce.errors import BadSubjectError
    from toldonce.types import SUBJECT_KINDS, Subject

    if user is not None and subject is not None:
        raise typer.BadParameter(
            "--user and --subject cannot be combined: --user NAME is short for --subject user:NAME"
        )
    if subject is not None:
        parsed = Subject.parse(subject)
        if parsed.text != subject:  # it was taken for a user's name
            raise BadSubjectError(subject, f"the kind is none of {', '.join(sorted(SUBJECT_KINDS))}")
        return parsed
    return Subject("user", user if user is not None else settings.default_user or "local")


def instant_of(text: str | None, zone: "ZoneInfo", option: str) -> "datetime | None":
    """Parse an ISO 8601 time, in `zone` if it has no offset; None for None."""
    from datetime import datetime

    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{option} is {text!r}; write 2026-05-03 or 2026-05-03T08:00") from None
    return found if found.tzinfo else found.replace(tzinfo=zone)
