"""Take out of messages what belongs to a game that the conversation began before. Reads the store."""

from collections.abc import Collection, Sequence

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.sources import without_role_play
from recollect.formation.portions import LARGE_BATCH, characters
from recollect.formation.runtime import Runtime
from recollect.types import Lease, LoggedMessage

# Messages before the new ones in which the beginning of a game is looked for.
MAX_LOOKBACK = 200


async def without_games(
    messages: Sequence[LoggedMessage], gone: Collection[int], lease: Lease, tools: Runtime
) -> list[LoggedMessage]:
    """Return messages of one conversation without what they say within a game that an earlier one began.

    Args:
        messages: In order.
        gone: Numbers of messages that an edit took off the conversation.
        lease: On the conversation.
        tools: The store is read.
    """
    if not messages:
        return []
    key, first = lease.key, messages[0].seq
    start = max(0, first - 1 - MAX_LOOKBACK)
    earlier: list[LoggedMessage] = []
    if first > 1:
        read = await tools.store.messages(key.home, key.conversation, after_seq=start, limit=MAX_LOOKBACK)
        earlier = [message for message in read if message.seq < first and message.seq not in gone]
    size = characters(messages) + characters(earlier)
    return await run_in_thread_if_large(size, lambda: without_role_play(messages, earlier), above=LARGE_BATCH)
