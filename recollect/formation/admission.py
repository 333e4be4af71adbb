"""Leave out messages that the rules cannot read within their CPU budget. Reads through the child process."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import ReadingOverrunError
from recollect.extraction.probe import probe
from recollect.extraction.sources import keep_readable
from recollect.formation.batch import ExtractionBatch
from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.types import Action, Decision, LoggedMessage


async def admitted(messages: Sequence[LoggedMessage], tools: Runtime) -> tuple[list[LoggedMessage], dict[int, str]]:
    """Read each long message where it can be ended; leave out those that are not read in time.

    Returns:
        The messages that every stage can read, and why the others are left out, by their `seq`.
    """
    refused: dict[int, str] = {}
    for message in messages:
        if message.erased or tools.reader is None:
            continue
        try:
            known = (message.conversation, message.seq, message.hash)
            words = await tools.reader.check(known, len(message.text), probe, message, tools.zone)
            if words is not None:
                keep_readable(message, words)
        except ReadingOverrunError as error:
            refused[message.seq] = str(error)
    return [message for message in messages if message.seq not in refused], refused


async def blanked(messages: Sequence[LoggedMessage], tools: Runtime) -> list[LoggedMessage]:
    """Take the words out of messages that cannot be read in time; their places stay."""
    _, refused = await admitted(messages, tools)
    return [replace(message, text="") if message.seq in refused else message for message in messages]


def skipped(refused: dict[int, str], batch: ExtractionBatch, tools: Runtime) -> list[Decision]:
    """Write a decision for each message that was left out of what this formation is done with."""
    key = batch.lease.key
    return [
        Decision(
            id=new_id(tools.clock),
            subject=key.subject,
            at=tools.clock.now(),
            action=Action.IGNORE,
            memory_id=None,
            target_id=None,
            reason=f"not read: {why}",
            text="",
            profile=key.profile,
            conversation=key.conversation,
            seq=seq,
        )
        for seq, why in refused.items()
        if batch.lease.formed_seq < seq <= batch.formed_seq
    ]
