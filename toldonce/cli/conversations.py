"""The commands `conversations`, `messages` and `trace`: the log and its prompts. Read through the engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, Limit, with_options
from toldonce.cli.output import note, one_line, rows, say, say_json, short, when
from toldonce.plural import plural

if TYPE_CHECKING:
    from datetime import tzinfo

    from toldonce.engine import AsyncToldOnce, PromptTrace
    from toldonce.types import Conversation, LoggedMessage, Subject

# Shorter prefixes match too many ids.
_MIN_PREFIX_CHARACTERS = 8
# Conversations searched for a part of an id or a client's id, newest first.
_MAX_SEARCHED = 10_000

_Conversation = Annotated[
    str,
    typer.Argument(metavar="CONVERSATION", help="Conversation id, at least 8 characters of it, or the client's id."),
]
_After = Annotated[int, typer.Option("--after", min=0, metavar="SEQ", help="Start after this message.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(conversations)
    app.command()(messages)
    app.command()(trace)


@with_options()
def conversations(here: CommandOptions, limit: Limit = 50) -> None:
    """List conversations, most recently updated first."""

    async def work(engine: "AsyncToldOnce") -> "list[Conversation]":
        return await engine.conversations.list(user=here.subject, limit=limit)

    found = here.run(work)
    if here.as_json:
        say_json({"conversations": found})
        return
    if not found:
        note(f"no conversations of {here.subject.text}")
        return
    lines = [
        (short(item.id), when(item.updated_at, here.zone), str(item.last_seq), item.external_id or "") for item in found
    ]
    rows(("id", "last", "messages", "client's id"), lines)


@with_options()
def messages(
    here: CommandOptions,
    conversation: _Conversation,
    after: _After = 0,
    limit: Limit = 100,
) -> None:
    """Show the messages of a conversation. All branches, in order of arrival."""

    async def work(engine: "AsyncToldOnce") -> "list[LoggedMessage]":
        found = await find_conversation(engine, conversation, here.subject)
        return await engine.conversations.messages(found.id, user=here.subject, after_seq=after, limit=limit + 1)

    found = here.run(work)
    page, more = found[:limit], len(found) > limit
    if here.as_json:
        following = page[-1].seq if more else None
        say_json({"messages": page, "next": following})
        return
    lines = [
        (
            str(item.seq),
            when(item.said_at, here.zone),
            item.name or item.role,
            "(erased)" if item.erased else item.text if item.complete else f"{item.text} … (incomplete)",
        )
        for item in page
    ]
    rows(("seq", "said", "who", "message"), lines)
    if more:
        note(f"more: add --after {page[-1].seq}")


@with_options()
def trace(here: CommandOptions, conversation: _Conversation, limit: Limit = 10) -> None:
    """Show what memory did for the requests of a conversation. Newest first."""

    async def work(engine: "AsyncToldOnce") -> "list[PromptTrace]":
        found = await find_conversation(engine, conversation, here.subject)
        return await engine.conversations.trace(found.id, user=here.subject, limit=limit)

    traces = here.run(work)
    if here.as_json:
        say_json({"prompts": traces})
        return
    if not traces:
        note("no request of this conversation had memory")
    for item in traces:
        _say_trace(item, here.zone)


def _say_trace(item: "PromptTrace", zone: "tzinfo") -> None:
    """Print what memory did for one request."""
    record = item.record
    added = f"{plural(len(record.items), 'memory')} added ({plural(record.tokens, 'token')})"
    prefix = f", prefix {record.prefix}" if record.prefix else ""
    failure = f", {record.failure}" if record.failure else ""
    say(f"{when(record.at, zone)}  message {record.seq}: {added}, {record.replayed} replayed{prefix}{failure}")
    for memory in item.memories:
        used = "  (used by the answer)" if memory.id in (record.hits or ()) else ""
        state = "" if memory.state.value == "active" else f"  ({memory.state.value})"
        say(f"  added     {short(memory.id)}  {one_line(memory.text) or 'forgotten'}{state}{used}")
    for left_out in record.omitted:
        say(f"  left out  {short(left_out.id)}  {one_line(left_out.reason)}")


async def find_conversation(engine: "AsyncToldOnce", given: str, subject: "Subject") -> "Conversation":
    """Find a conversation by its id, a part of it, or the client's id.

    Raises:
        UnknownConversationError: No conversation matches.
        BadRequestError: Several conversations match.
    """
    from toldonce.errors import BadRequestError, UnknownConversationError

    known = await engine.conversations.list(user=subject, limit=_MAX_SEARCHED)
    exact = [item for item in known if given in (item.id, item.external_id)]
    part = given.lower()
    near = [item for item in known if item.id.startswith(part) or item.id.endswith(part)]
    found = exact or (near if len(part) >= _MIN_PREFIX_CHARACTERS else [])
    if not found:
        raise UnknownConversationError(given)
    if len(found) > 1:
        raise BadRequestError(f"{given!r} is ambiguous: {len(found)} conversations match; give more of the id")
    return found[0]
