"""The commands `correct`, `why`, `undo` and `review`: put memories right, explain them, revert. Use the engine."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import (
    CommandOptions,
    Limit,
    MemoryIdText,
    instant_of,
    with_options,
)
from toldonce.cli.output import dim, lifetime, note, one_line, say, say_json, short, when
from toldonce.plural import plural

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from toldonce.engine import AsyncToldOnce, HeldMemory, MemoryExplanation, UndoPlan
    from toldonce.types import Memory

_Text = Annotated[str | None, typer.Argument(metavar="TEXT", help="What holds in its place; nothing: nothing does.")]
_Value = Annotated[
    str | None, typer.Option("--value", metavar="VALUE", help="Of a fact: the value of its slot that TEXT says.")
]
_NOW = "now"
_TrueUntil = Annotated[
    str | None,
    typer.Option(
        "--true-until", metavar="TIME", help="It was true until then, or until `now`. Without this, it was never true."
    ),
]
_Decision = Annotated[
    str | None, typer.Argument(metavar="DECISION", help="Id of a decision, as printed by `show --json` and `why`.")
]
_Conversation = Annotated[
    str | None, typer.Option("--conversation", metavar="ID", help="Undo everything formed from this conversation.")
]
_Message = Annotated[
    int | None, typer.Option("--message", metavar="SEQ", help="With --conversation: only this message.")
]
_Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Undo everything stored or closed since, such as 2026-05-03T08:00."),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, without changing anything.")]
_Approve = Annotated[
    list[str] | None,
    typer.Option("--approve", metavar="ID", help="Activate this memory (repeatable).", show_default=False),
]
_Reject = Annotated[
    list[str] | None,
    typer.Option("--reject", metavar="ID", help="Close this memory (repeatable).", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(correct)
    app.command()(review)
    app.command()(why)
    app.command()(undo)


@with_options()
def correct(
    here: CommandOptions,
    memory_id: MemoryIdText,
    text: _Text = None,
    value: _Value = None,
    true_until: _TrueUntil = None,
) -> None:
    """Correct a memory that was wrong or is no longer true. TEXT takes its place, if given."""
    from toldonce.engine import find_id

    until = None if true_until == _NOW else instant_of(true_until, here.zone, "--true-until")

    async def work(engine: "AsyncToldOnce") -> "tuple[Memory, Memory]":
        known = await find_id(engine, memory_id, here.subject)
        end = engine.clock.now() if true_until == _NOW else until
        made = await engine.correct(known, text, user=here.subject, true_until=end, value=value)
        await here.note_act(engine, "memories.correct", target=known)
        return await engine.get(known, user=here.subject), made

    closed, made = here.run(work)
    if here.as_json:
        say_json({"closed": closed, "memory": made if text else None})
        return
    say(f"closed  {short(closed.id)}  {one_line(closed.text)} ({lifetime(closed, here.zone)})")
    if text:
        say(f"added   {short(made.id)}  {one_line(made.text)} ({lifetime(made, here.zone)})")


@with_options()
def why(here: CommandOptions, memory_id: MemoryIdText) -> None:
    """Explain a memory: its sources, decisions and last use."""
    from toldonce.engine import find_id

    async def work(engine: "AsyncToldOnce") -> "MemoryExplanation":
        return await engine.history.explain(await find_id(engine, memory_id, here.subject), user=here.subject)

    explanation = here.run(work)
    if here.as_json:
        say_json(explanation)
        return
    for line in _sentences(explanation, here):
        say(line)


def _sentences(explanation: "MemoryExplanation", here: CommandOptions) -> Iterator[str]:
    memory, zone = explanation.history.memory, here.zone
    yield f"“{one_line(memory.text)}” is {memory.state.value}: {lifetime(memory, zone)}."
    for source in memory.evidence:
        words = f": “{one_line(source.quote)}”" if source.quote else ""
        yield (
            f"It is based on what {one_line(source.speaker or source.role)} said on {when(source.said_at, zone)} "
            f"(message {source.seq} of {source.conversation}){words}."
        )
    if not memory.evidence:
        yield "It is based on no message: it was added by hand, or its source was undone."
    for line in explanation.history.decisions:
        because = f"the decision was {line.action.value}, because: {one_line(line.reason)}"
        yield f"On {when(line.at, zone)} {because} [{line.id}]."
    for other in explanation.replaced:
        yield f"It replaced “{one_line(other.text)}” [{other.id}]."
    for other in explanation.replaced_by:
        yield f"It was replaced by “{one_line(other.text)}” [{other.id}]."
    if explanation.last_recalled:
        place = explanation.last_recalled
        yield f"It was last recalled on {when(place.at, zone)}, for message {place.seq} of {place.conversation}."
    else:
        yield "It was never put into a prompt."


@with_options()
def undo(
    here: CommandOptions,
    decision: _Decision = None,
    conversation: _Conversation = None,
    message: _Message = None,
    since: _Since = None,
    dry_run: _DryRun = False,
) -> None:
    """Undo a decision, a conversation, or changes since a time. The history is kept."""
    from toldonce.cli.conversations import find_conversation

    if sum(target is not None for target in (decision, conversation, since)) != 1:
        raise typer.BadParameter("say what to undo: a DECISION, or --conversation ID, or --since TIME")
    if message is not None and conversation is None:
        raise typer.BadParameter("--message requires --conversation")
    instant = instant_of(since, here.zone, "--since") if since else None

    async def work(engine: "AsyncToldOnce") -> "UndoPlan":
        if decision is not None:
            plan = await engine.history.undo(decision, user=here.subject, dry_run=dry_run)
        else:
            chat = (await find_conversation(engine, conversation, here.subject)).id if conversation else None
            plan = await engine.history.undo_source(
                user=here.subject, conversation=chat, seq=message, since=instant, dry_run=dry_run
            )
        if not dry_run:
            await here.note_act(engine, "decisions.undo", target=decision)
        return plan

    plan = here.run(work)
    if here.as_json:
        from toldonce.cli.json_output import to_json

        say_json({"dry_run": dry_run, **to_json(plan)})
        return
    _show_undo(plan, dry_run=dry_run)


def _show_undo(plan: "UndoPlan", *, dry_run: bool) -> None:
    for memory in plan.leaving:
        say(f"closed    {short(memory.id)}  {one_line(memory.text)}")
    for back in plan.returning:
        say(f"reopened  {short(back.memory.id)}  {one_line(back.memory.text)}")
    for weaker in plan.weakened:
        say(f"weakened  {short(weaker.id)}  lost {plural(len(weaker.without), 'source message')}")
    for line in plan.unheard:
        say(f"not back  {one_line(line.text)} ({one_line(line.reason)})")
    note("dry run: nothing was changed" if dry_run else "done; `toldonce why ID` explains each memory")


@with_options()
def review(
    here: CommandOptions,
    approve: _Approve = None,
    reject: _Reject = None,
    limit: Limit = 50,
) -> None:
    """List, approve or reject memories held for review."""
    from toldonce.engine import find_id

    async def work(engine: "AsyncToldOnce") -> "tuple[list[Memory], list[Memory], list[HeldMemory]]":
        good = [await find_id(engine, given, here.subject) for given in approve or ()]
        bad = [await find_id(engine, given, here.subject) for given in reject or ()]
        both = set(good) & set(bad)
        if both:
            raise typer.BadParameter(f"{min(both)} cannot be approved and rejected at once")
        approved = [await engine.reviews.approve(memory_id, user=here.subject) for memory_id in dict.fromkeys(good)]
        rejected = [await engine.reviews.reject(memory_id, user=here.subject) for memory_id in dict.fromkeys(bad)]
        await here.note_acts(engine, "reviews.approve", approved)
        await here.note_acts(engine, "reviews.reject", rejected)
        return approved, rejected, await engine.reviews.list(user=here.subject, limit=limit)

    approved, rejected, held = here.run(work)
    if here.as_json:
        data = {
            "approved": approved,
            "rejected": rejected,
            "held": held,
        }
        say_json(data)
        return
    for done, memories in (("approved", approved), ("rejected", rejected)):
        for memory in memories:
            say(f"{done}  {short(memory.id)}  {one_line(memory.text)}")
    for item in held:
        _show_held(item, here.zone)
    if not held:
        note(f"no memories of {here.subject.text} are held for review")


def _show_held(held: "HeldMemory", zone: "ZoneInfo") -> None:
    memory = held.memory
    say(f"{short(memory.id)}  {one_line(memory.text)}")
    dim(f"    held: {one_line(held.reason)}")
    for source in memory.evidence:
        quote = f": “{one_line(source.quote)}”" if source.quote else ""
        dim(f"    {when(source.said_at, zone)}  {one_line(source.speaker or source.role)}{quote}")
