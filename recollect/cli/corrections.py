"""The commands `why` and `undo`: explain a memory, take back a decision, a source or a time. Through the engine."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import AsJson, CommandOptions, DatabaseUrl, SubjectName, UserName, instant_of, session
from recollect.cli.output import note, one_line, plural, say, say_json, short, when

if TYPE_CHECKING:
    from recollect.engine import AsyncRecollect, MemoryExplanation, UndoPlan

_Id = Annotated[str, typer.Argument(metavar="ID", help="Its id, or 8 or more characters of the beginning or end.")]
_Decision = Annotated[
    str | None, typer.Argument(metavar="DECISION", help="A decision's id, as `show --json` and `why` name it.")
]
_Conversation = Annotated[
    str | None, typer.Option("--conversation", metavar="ID", help="Everything that a conversation left.")
]
_Message = Annotated[int | None, typer.Option("--message", metavar="SEQ", help="Only this message of it.")]
_Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Everything stored or closed since: 2026-05-03T08:00.")
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(why)
    app.command()(undo)


def why(
    memory_id: _Id,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Explain a memory in sentences: who said what, what was decided, what it replaced, where it was last used."""
    from recollect.cli import json_output
    from recollect.cli.id_prefix import find_id

    here = session(user=user, subject=subject, database=database, as_json=as_json)

    async def work(engine: "AsyncRecollect") -> "MemoryExplanation":
        return await engine.why(await find_id(engine, memory_id, here.subject), user=here.subject)

    found = here.run(work)
    if as_json:
        say_json(json_output.why(found))
        return
    for line in _sentences(found, here):
        say(line)


def _sentences(found: "MemoryExplanation", here: CommandOptions) -> Iterator[str]:
    memory, zone = found.history.memory, here.zone
    until = f" until {when(memory.valid_to, zone)}" if memory.valid_to else ""
    yield f"“{one_line(memory.text)}” is {memory.state.value}: true from {when(memory.valid_from, zone)}{until}."
    for said in memory.evidence:
        words = f": “{one_line(said.quote)}”" if said.quote else ""
        yield (
            f"It rests on what {one_line(said.speaker or said.role)} said on {when(said.said_at, zone)} "
            f"(message {said.seq} of {said.conversation}){words}."
        )
    if not memory.evidence:
        yield "It rests on no message: it was added by hand, or what it rested on was taken back."
    for line in found.history.decisions:
        because = f"the decision was {line.action.value}, because: {one_line(line.reason)}"
        yield f"On {when(line.at, zone)} {because} [{line.id}]."
    for other in found.replaced:
        yield f"It replaced “{one_line(other.text)}” [{other.id}]."
    for other in found.replaced_by:
        yield f"It was replaced by “{one_line(other.text)}” [{other.id}]."
    if found.last_recalled:
        place = found.last_recalled
        yield f"It was last recalled on {when(place.at, zone)}, for message {place.seq} of {place.conversation}."
    else:
        yield "It was never put into a prompt."


def undo(  # noqa: PLR0913  # a command's options are its parameters
    decision: _Decision = None,
    conversation: _Conversation = None,
    message: _Message = None,
    since: _Since = None,
    dry_run: _DryRun = False,
    user: UserName = None,
    subject: SubjectName = None,
    as_json: AsJson = False,
    database: DatabaseUrl = None,
) -> None:
    """Take back a decision, or everything from one conversation or since a time; the history stays."""
    from recollect.cli import json_output
    from recollect.cli.conversations import find_conversation

    if sum(one is not None for one in (decision, conversation, since)) != 1:
        raise typer.BadParameter("say what to undo: a DECISION, or --conversation ID, or --since TIME")
    if message is not None and conversation is None:
        raise typer.BadParameter("--message is a message of a --conversation")
    here = session(user=user, subject=subject, database=database, as_json=as_json)
    instant = instant_of(since, here.zone, "--since") if since else None

    async def work(engine: "AsyncRecollect") -> "UndoPlan":
        if decision is not None:
            return await engine.undo(decision, user=here.subject, dry_run=dry_run)
        chat = (await find_conversation(engine, conversation, here.subject)).id if conversation else None
        return await engine.undo_from(user=here.subject, conversation=chat, seq=message, since=instant, dry_run=dry_run)

    plan = here.run(work)
    if as_json:
        say_json(json_output.undone(plan, dry_run=dry_run))
        return
    _tell(plan, dry_run=dry_run)


def _tell(plan: "UndoPlan", *, dry_run: bool) -> None:
    for memory in plan.leaving:
        say(f"closed    {short(memory.id)}  {one_line(memory.text)}")
    for back in plan.returning:
        say(f"reopened  {short(back.memory.id)}  {one_line(back.memory.text)}")
    for weaker in plan.weakened:
        say(f"weakened  {short(weaker.id)}  rests on {plural(len(weaker.without), 'message')} less")
    for line in plan.unheard:
        say(f"not back  {one_line(line.text)} ({one_line(line.reason)})")
    note("nothing was changed: --dry-run" if dry_run else "done; `recollect why ID` tells of each")
