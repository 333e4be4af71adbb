"""Read what stood in a conversation's prompts, and take its echoes out of what was said. Reads the store."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from recollect.form.echo import Echoes
from recollect.form.sources import readable
from recollect.types import Lease, LoggedMessage, Memory, MemoryId, RecallRecord, Subject
from recollect.work.tools import Tools

# The conversation's newest prompts: what stood in an older one is in the history that clients send, and stays known.
RECENT = 8


async def recent_recalls(lease: Lease, tools: Tools, *, most: int = RECENT) -> list[RecallRecord]:
    """Read what was put into the conversation's newest prompts."""
    return await tools.store.recalls(lease.key.home, conversation=lease.key.conversation, limit=most)


async def without_echoes(
    messages: Sequence[LoggedMessage], recalls: Sequence[RecallRecord], tools: Tools
) -> list[LoggedMessage]:
    """Return the messages' readable words without the sentences that only repeat what was recalled."""
    recalled = await _memories(recalls, tools) if messages else []
    if not recalled:
        return list(messages)
    echoes = Echoes(recalled)
    return [replace(one, text=echoes.without(one.role, readable(one))) for one in messages]


async def _memories(recalls: Sequence[RecallRecord], tools: Tools) -> list[Memory]:
    wanted: dict[Subject, dict[MemoryId, None]] = {}
    for record in recalls:
        for subject, memory, _ in record.items:
            wanted.setdefault(subject, {})[memory] = None
    read = await asyncio.gather(*(tools.store.memories(subject, list(ids)) for subject, ids in wanted.items()))
    return [memory for each in read for memory in each]
