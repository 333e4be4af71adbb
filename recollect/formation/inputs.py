"""Read what stood in a conversation's prompts, and take its echoes out of what was said. Reads the store."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.echo import EchoFilter
from recollect.extraction.redaction import scrub
from recollect.extraction.sources import readable
from recollect.formation.batch import ExtractionBatch
from recollect.formation.portions import LARGE_BATCH, characters
from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.types import Action, Decision, InjectionRecord, Lease, LoggedMessage, Memory, MemoryId, Subject

# The conversation's newest prompts: what stood in an older one is in the history that clients send, and stays known.
RECENT = 8
# Longest text that a decision on an echo shows, in characters.
_TOLD_CHARACTERS = 500


async def recent_recalls(lease: Lease, tools: Runtime, *, most: int = RECENT) -> list[InjectionRecord]:
    """Read what was put into the conversation's newest prompts."""
    return await tools.store.recalls(lease.key.home, conversation=lease.key.conversation, limit=most)


async def without_echoes(
    messages: Sequence[LoggedMessage], recalls: Sequence[InjectionRecord], tools: Runtime
) -> list[LoggedMessage]:
    """Return the messages' readable words without the sentences that only repeat what was recalled."""
    return [kept for kept, _ in await parted(messages, recalls, tools)]


async def parted(
    messages: Sequence[LoggedMessage],
    recalls: Sequence[InjectionRecord],
    tools: Runtime,
    *,
    keeps_questions: bool = False,
) -> list[tuple[LoggedMessage, str]]:
    """Return the messages without what only repeats what was recalled, each with the words that were taken out."""
    recalled = await _memories(recalls, tools) if messages else []
    if not recalled:
        return [(one, "") for one in messages]

    def found() -> list[tuple[LoggedMessage, str]]:
        echoes = EchoFilter(recalled)
        both = ((one, echoes.parted(one.role, readable(one), keeps_questions=keeps_questions)) for one in messages)
        return [(replace(one, text=kept), " ".join(gone)) for one, (kept, gone) in both]

    size = characters(messages) + sum(len(memory.text) for memory in recalled)
    return await run_in_thread_if_large(size, found, above=LARGE_BATCH)


def told_again(batch: ExtractionBatch, parts: Sequence[tuple[LoggedMessage, str]], tools: Runtime) -> list[Decision]:
    """Log what was left out of the messages formed because it only repeats what stood in the prompt.

    Args:
        batch: What was formed.
        parts: Messages with the words that were taken out of them.
        tools: Clock.
    """
    lease = batch.lease
    return [
        Decision(
            id=new_id(tools.clock),
            subject=lease.key.subject,
            at=tools.clock.now(),
            action=Action.IGNORE,
            memory_id=None,
            target_id=None,
            reason="only repeats what was recalled",
            text=scrub(words[:_TOLD_CHARACTERS]),
            profile=lease.key.profile,
            conversation=lease.key.conversation,
            seq=message.seq,
        )
        for message, words in parts
        if words and lease.formed_seq < message.seq <= batch.formed_seq and message.role in batch.sources
    ]


async def _memories(recalls: Sequence[InjectionRecord], tools: Runtime) -> list[Memory]:
    wanted: dict[Subject, dict[MemoryId, None]] = {}
    for record in recalls:
        for subject, memory, _ in record.items:
            wanted.setdefault(subject, {})[memory] = None
    read = await asyncio.gather(*(tools.store.memories(subject, list(ids)) for subject, ids in wanted.items()))
    return [memory for each in read for memory in each]
