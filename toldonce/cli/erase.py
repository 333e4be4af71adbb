"""The command `erase`, and erasure receipts. Writes through the engine."""

import asyncio
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import CommandOptions, Yes, with_options
from toldonce.cli.output import note, printable, rows, say, say_json
from toldonce.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toldonce.engine import AsyncToldOnce
    from toldonce.types import EraseReceipt, ReceiptLine

_SPOOL_WAIT_S = 5.0
"""How long to wait for hooks that deliver turns."""
_Conversation = Annotated[
    str | None,
    typer.Option(
        "--conversation", metavar="ID", help="Erase this conversation (its id, part of it, or the client's id)."
    ),
]
_Messages = Annotated[
    list[int] | None,
    typer.Option("--message", metavar="SEQ", help="Erase only this message of the conversation (repeatable)."),
]
_All = Annotated[bool, typer.Option("--all", help="Erase everything of the user, including the name.")]
_Finish = Annotated[bool, typer.Option("--finish", help="Finish pending erasures of all subjects.")]
_Rewrite = Annotated[
    bool,
    typer.Option("--rewrite", help="With --finish on PostgreSQL: rewrite the tables; each is locked meanwhile."),
]
_Everywhere = Annotated[
    bool, typer.Option("--everywhere", help="Also erase copies in other subjects, and memories formed there.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(erase)


@with_options()
def erase(  # noqa: PLR0913  # a command's options are its parameters
    here: CommandOptions,
    conversation: _Conversation = None,
    message: _Messages = None,
    everything: _All = False,
    finish: _Finish = False,
    rewrite: _Rewrite = False,
    everywhere: _Everywhere = False,
    yes: Yes = False,
) -> None:
    """Permanently erase a conversation or a user. For single memories, see `toldonce forget`."""
    if (conversation is not None) + everything + finish != 1:
        raise typer.BadParameter("give one of --conversation ID, --all or --finish")
    if rewrite and not finish:
        raise typer.BadParameter("--rewrite requires --finish")
    if message and conversation is None:
        raise typer.BadParameter("--message requires --conversation")
    if finish:
        _finish(here, rewrite=rewrite)
        return
    if everything:
        if not here.is_subject_given:
            raise typer.BadParameter("--all requires --user NAME or --subject KIND:NAME")
        confirm(f"Erase everything of {here.subject.text}?", yes=yes)

    async def work(engine: "AsyncToldOnce") -> "EraseReceipt":
        from toldonce.cli.conversations import find_conversation

        if conversation is None:
            waiting = await asyncio.to_thread(_erase_waiting_turns, here)
            receipt = await engine.erasure.subject(here.subject, everywhere=everywhere)
            await here.note_act(engine, "subjects.erase")
            return replace(receipt, places=(*receipt.places, *waiting))
        logged = await find_conversation(engine, conversation, here.subject)
        count = f"{len(message)} of the {logged.last_seq}" if message else f"all {logged.last_seq}"
        confirm(f"Erase {count} messages of conversation {logged.id}?", yes=yes)
        if message:
            receipt = await engine.erasure.messages(logged.id, message, user=here.subject, everywhere=everywhere)
            await here.note_act(engine, "messages.erase", count=len(message))
            return receipt
        receipt = await engine.erasure.conversation(logged.id, user=here.subject, everywhere=everywhere)
        await here.note_act(engine, "conversations.erase")
        return receipt

    show_receipts([here.run(work)], as_json=here.as_json)


def _erase_waiting_turns(here: CommandOptions) -> "list[ReceiptLine]":
    """Remove the user's turns from the spool of hooks on this machine, or they would come back."""
    from toldonce.hook.places import target_name
    from toldonce.hook.spool import erase_turns
    from toldonce.types import ErasureStatus, ReceiptLine

    if here.subject.kind != "user" or here.subject.tenant:
        return []
    target = target_name(url=None, database=here.given.get("--database"), user=None)
    until = time.monotonic() + _SPOOL_WAIT_S
    removed, busy = erase_turns(target, here.subject.name, here.settings.default_user, until)
    if not removed + busy:
        return []
    reach = ErasureStatus.PENDING if busy else ErasureStatus.REACHED
    text = "turns that hooks on this machine had not delivered yet were removed"
    if busy:
        text += f"; {plural(busy, 'other turn')} just being delivered: erase again"
    return [ReceiptLine(name="spool of hooks", reach=reach, count=removed, text=text)]


def _finish(here: CommandOptions, *, rewrite: bool) -> None:
    async def work(engine: "AsyncToldOnce") -> bool:
        done = await engine.erasure.finish(rewrite=rewrite)
        await here.note_act(engine, "erasures.finish", of_all=True)
        return done

    done = here.run(work)
    if here.as_json:
        say_json({"done": done})
    elif done:
        say("Nothing is pending: no erased byte is left in the database's own files.")
    elif rewrite:
        note("still pending: another process holds the database's log; try again later")
    else:
        note(
            "still pending: another process holds the file's log (try again later), or PostgreSQL tables need --rewrite"
        )
    if not done:
        raise typer.Exit(1)


def confirm(question: str, *, yes: bool) -> None:
    """Ask for confirmation on a terminal; end the command if it is declined, or without a terminal."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("no terminal to ask for confirmation: add --yes")
    if not typer.confirm(printable(question), err=True):
        raise typer.Exit(1)


def show_receipts(receipts: "Sequence[EraseReceipt]", *, as_json: bool) -> None:
    """Print the receipts of erasures, place by place."""
    if as_json:
        say_json({"receipts": receipts})
        return
    for receipt in receipts:
        lines = [(place.reach.value, place.name, str(place.count or ""), place.text) for place in receipt.places]
        rows(("reach", "place", "count", "what"), lines)
