"""The commands `add`, `search`, `list`, `show` and `forget`. Read and write through the engine."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.erase import confirm, show_receipts
from toldonce.cli.options import (
    At,
    CommandOptions,
    KnownAt,
    Limit,
    MemoryIdText,
    TimeZone,
    Yes,
    instant_of,
    with_options,
)
from toldonce.cli.output import dim, note, one_line, rows, say, say_json, short, when
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce, MemoryHistory
    from toldonce.types import EraseReceipt, Memory, MemoryKind, Recall, Subject

# Maximum number of left-out memories that `search --explain` shows.
_MAX_LEFT_OUT_SHOWN = 20
_STDIN = "-"
# Lines of stdin stored in one commit: a fraction of a second of work, so that an interruption loses little.
_BATCH_SIZE = 250

_Importance = Annotated[float, typer.Option("--importance", metavar="0..1", help="Importance of the memory.")]
_Explain = Annotated[
    bool, typer.Option("--explain", help="Explain why each memory was found, and why others were left out.")
]
_Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="note|fact|episode|turn", help="Show only this kind (repeatable)."),
]
_Closed = Annotated[bool, typer.Option("--closed", help="Include closed memories (replaced, forgotten, abandoned).")]
_After = Annotated[str | None, typer.Option("--after", metavar="ID", help="Start after this memory.")]
_Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of memories, or at least 8 characters of each.")]
_Erase = Annotated[bool, typer.Option("--erase", help="Erase permanently, including the source messages.")]
_Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why, for the history.", show_default=False)]
_KeepMessages = Annotated[bool, typer.Option("--keep-messages", help="With --erase: keep the source messages.")]
_Everywhere = Annotated[bool, typer.Option("--everywhere", help="With --erase: also erase copies in other subjects.")]
_Text = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="Text to remember; - or nothing reads stdin, one memory per line.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(add)
    app.command()(search)
    app.command("list")(list_)
    app.command()(show)
    app.command()(forget)


@with_options(creates=True)
def add(here: CommandOptions, text: _Text = None, importance: _Importance = 0.7) -> None:
    """Store a memory, word for word."""
    lines = [] if text is not None and text != _STDIN else _stdin_lines()
    bad: list[str] = []

    async def work(engine: "AsyncToldOnce") -> "list[Memory]":
        if lines:
            return await _keep_lines(engine, lines, here.subject, importance, bad)
        return [await engine.add(text or "", user=here.subject, importance=importance)]

    kept = here.run(work)
    if here.as_json:
        say_json({"memories": kept})
    else:
        for memory in kept:
            say(f"{short(memory.id)}  {one_line(memory.text)}")
    for line in bad:
        note(line)
    if bad:
        raise typer.Exit(1)


async def _keep_lines(
    engine: "AsyncToldOnce", lines: list[tuple[str, str]], subject: "Subject", importance: float, bad: list[str]
) -> "list[Memory]":
    """Store each line, in batches; append refused lines to `bad` and store the others."""
    from toldonce.errors import BadRequestError
    from toldonce.types import NewNote

    kept: list[Memory] = []
    for start in range(0, len(lines), _BATCH_SIZE):
        batch = lines[start : start + _BATCH_SIZE]
        try:
            kept += await engine.bulk.add([NewNote(line, importance) for _, line in batch], user=subject)
        except BadRequestError:
            for where, line in batch:
                try:
                    kept.append(await engine.add(line, user=subject, importance=importance))
                except BadRequestError as error:
                    bad.append(f"{where}: {error}")
    return kept


def _stdin_lines() -> list[tuple[str, str]]:
    """Read stdin as pairs of position and line, without empty lines."""
    from toldonce.errors import BadRequestError

    if sys.stdin.isatty():
        raise typer.BadParameter("nothing to remember: give TEXT, or pipe lines into the command")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequestError(f"stdin is not UTF-8 at byte {error.start + 1}") from None
    lines = [(f"line {number}", line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise BadRequestError("nothing to remember: stdin is empty")
    return lines


@with_options()
def search(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, a question, or dates such as 'last May'.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number to show, 1 to 200.")] = 10,
    explain: _Explain = False,
    at: At = None,
    known_at: KnownAt = None,
    time_zone: TimeZone = None,
) -> None:
    """Search memories, best match first."""

    then, known = instant_of(at, here.zone, "--at"), instant_of(known_at, here.zone, "--known-at")

    async def work(engine: "AsyncToldOnce") -> "tuple[Recall, list[tuple[Memory, str]]]":
        recall = await engine.search(
            query, user=here.subject, limit=limit, at=then, known_at=known, time_zone=time_zone
        )
        shown = recall.left_out[:_MAX_LEFT_OUT_SHOWN] if explain and not here.as_json else ()
        return recall, [(await engine.get(item.id, user=here.subject), item.reason) for item in shown]

    recall, left_out = here.run(work)
    if here.as_json:
        say_json(recall)
        return
    if not recall.items:
        note(f"nothing found for {here.subject.text}; `toldonce list` shows all memories")
    elif explain:
        _explain(here, recall)
    else:
        rows(
            ("score", "kind", "date", "id", "memory"),
            [
                (
                    f"{item.score:.2f}",
                    item.memory.kind.value,
                    when(item.memory.valid_from, here.zone),
                    short(item.memory.id),
                    item.memory.text,
                )
                for item in recall.items
            ],
        )
    if explain:
        _explain_left_out(recall, left_out)


def _explain(here: CommandOptions, recall: "Recall") -> None:
    for place, item in enumerate(recall.items, start=1):
        memory = item.memory
        say(f"{place:>2}. {item.score:.2f}  {one_line(memory.text)}")
        dim(f"      {memory.kind.value} {short(memory.id)}, {when(memory.valid_from, here.zone)}")
        dim(f"      similarity {item.similarity:.2f}, words {item.word_share:.2f}; {'; '.join(item.reasons)}")


def _explain_left_out(recall: "Recall", left_out: "Sequence[tuple[Memory, str]]") -> None:
    say()
    if recall.warning:
        say(recall.warning)
    say(f"{recall.considered:,} compared in {recall.took_ms:.1f} ms; near matches left out: {len(recall.left_out):,}")
    if recall.vectors_compared is not None:
        say(f"approximate: an index picked {recall.vectors_compared:,} vectors to compare with the query")
    for memory, reason in left_out:
        dim(f"  {short(memory.id)}  {one_line(memory.text)}: {reason}")
    if len(recall.left_out) > len(left_out):
        dim(f"  … and {len(recall.left_out) - len(left_out):,} more (all with --json)")


@with_options()
def list_(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    kind: _Kinds = None,
    closed: _Closed = False,
    limit: Limit = 50,
    after: _After = None,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """List memories, newest first."""
    from toldonce.engine import find_id

    kinds = _kinds(kind)

    async def work(engine: "AsyncToldOnce") -> "list[Memory]":
        position = await find_id(engine, after, here.subject) if after else None
        # One more than shown tells whether there are more.
        then, known = instant_of(at, here.zone, "--at"), instant_of(known_at, here.zone, "--known-at")
        wanted = partial(engine.list, user=here.subject, kinds=kinds, closed=closed, after=position)
        return await wanted(limit=limit + 1, at=then, known_at=known)

    found = here.run(work)
    page, more = found[:limit], len(found) > limit
    if here.as_json:
        following = page[-1].id if more else None
        say_json({"memories": page, "next": following})
        return
    if not page:
        names = " or ".join(name.value for name in kinds) if kinds else "memory"
        hint = "" if kind else "; --kind turn lists messages"
        note(f"no {names} of {here.subject.text}{' after that' if after else ''}{hint}")
        return
    headers = ("id", "kind", "date", *(("state",) if closed else ()), "memory")
    lines = [
        (
            short(memory.id),
            memory.kind.value,
            when(memory.valid_from, here.zone),
            *((memory.state.value,) if closed else ()),
            memory.text,
        )
        for memory in page
    ]
    rows(headers, lines)
    if more:
        same = [f"--kind {name.value}" for name in kinds] if kinds else []
        same += ["--closed"] if closed else []
        same += [f"--at {at}"] if at else []
        same += [f"--known-at {known_at}"] if known_at else []
        same += [f"{flag} {shlex.quote(value)}" for flag, value in here.given.items()]
        note(f"more: toldonce list {' '.join([*same, f'--limit {limit}', f'--after {page[-1].id}'])}")


def _kinds(names: Sequence[str] | None) -> "tuple[MemoryKind, ...] | None":
    from toldonce.types import KIND_ORDER, MemoryKind

    if not names:
        return None
    known = {kind.value for kind in KIND_ORDER}
    wrong = next((name for name in names if name not in known), None)
    if wrong is not None:
        raise typer.BadParameter(
            f"{wrong!r} is not a kind of memory; kinds are: {', '.join(k.value for k in KIND_ORDER)}"
        )
    return tuple(MemoryKind(name) for name in dict.fromkeys(names))


@with_options()
def show(here: CommandOptions, memory_id: MemoryIdText) -> None:
    """Show a memory with its sources and history."""
    from toldonce.cli.history_view import lines_of
    from toldonce.engine import find_id

    async def work(engine: "AsyncToldOnce") -> "MemoryHistory":
        return await engine.history.get(await find_id(engine, memory_id, here.subject), user=here.subject)

    history = here.run(work)
    if here.as_json:
        say_json(history)
        return
    for line in lines_of(history, here.zone):
        say(line)


@with_options()
def forget(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    memory_ids: _Ids,
    yes: Yes = False,
    reason: _Reason = "",
    erase: _Erase = False,
    keep_messages: _KeepMessages = False,
    everywhere: _Everywhere = False,
) -> None:
    """Close memories, so that they are no longer recalled. Their history is kept unless --erase is given."""
    from toldonce.engine import find_id
    from toldonce.errors import UnknownMemoryError

    _require_whole(erase=erase, erases_more=keep_messages or everywhere, reason=reason)

    async def find(engine: "AsyncToldOnce") -> "list[Memory]":
        ids = dict.fromkeys([await find_id(engine, given, here.subject) for given in memory_ids])
        found = [await engine.get(memory_id, user=here.subject) for memory_id in ids]
        if not yes:
            _confirm(found, "Erase" if erase else "Forget")
        return found

    async def close(engine: "AsyncToldOnce") -> "list[Memory]":
        closed = [await engine.forget(memory.id, user=here.subject, reason=reason) for memory in await find(engine)]
        await here.note_acts(engine, "memories.close", closed)
        return closed

    async def take_away(engine: "AsyncToldOnce") -> "list[EraseReceipt]":
        receipts = []
        for memory in await find(engine):
            with suppress(UnknownMemoryError):  # erased together with an earlier one
                receipts.append(
                    await engine.erase(memory.id, user=here.subject, keep_messages=keep_messages, everywhere=everywhere)
                )
                await here.note_act(engine, "memories.erase", target=memory.id)
        return receipts

    if erase:
        show_receipts(here.run(take_away), as_json=here.as_json)
        return
    closed = here.run(close)
    if here.as_json:
        say_json({"memories": closed})
        return
    for memory in closed:
        say(f"{short(memory.id)}  {one_line(memory.text)}")
    say(f"{plural(len(closed), 'memory')} forgotten: no longer recalled.")
    say("The history is kept (`toldonce show`); `toldonce forget --erase` removes it permanently.")


def _require_whole(*, erase: bool, erases_more: bool, reason: str) -> None:
    if erases_more and not erase:
        raise typer.BadParameter("--keep-messages and --everywhere require --erase")
    if reason and erase:
        raise typer.BadParameter("--reason cannot be kept with --erase, which removes the history too")


def _confirm(memories: "Sequence[Memory]", verb: str) -> None:
    if sys.stdin.isatty():
        for memory in memories:
            note(f"{memory.id}  {one_line(memory.text)}")
    confirm(f"{verb} {plural(len(memories), 'memory')}?", yes=False)
