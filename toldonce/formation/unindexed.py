"""What users said that is no quotation yet, as the quotations it will be. Reads the store, embeds.

Recall reads it beside the memories, so that it is known from the moment it is recorded, whether or not a worker runs.
"""

from collections.abc import Sequence, Set

from toldonce.extraction.evidence import evidence_of
from toldonce.extraction.rules.summary import are_safe_to_show
from toldonce.extraction.sources import speaker_of
from toldonce.formation.index_turns import quotes_messages
from toldonce.formation.inputs import without_games
from toldonce.formation.recallable import rebuild_index_data
from toldonce.formation.recent_messages import Recent, is_read_at_once, recent_words
from toldonce.formation.runtime import Runtime
from toldonce.ids import unstored_id
from toldonce.providers.protocols import ImmediateTextEmbedder
from toldonce.recall.as_of import SnapshotItem
from toldonce.text import source_key
from toldonce.text.byte_runs import without_bytes
from toldonce.types import FormationKey, LoggedMessage, Memory, MemoryId, MemoryKind, Unindexed

# What is read: conversations, the user's messages in them, and their characters; the newest count.
MAX_CONVERSATIONS, MAX_MESSAGES, MAX_CHARACTERS = 20, 50, 20_000
# Messages read of one conversation: the user's, and what others said in between.
_MAX_READ = 2 * MAX_MESSAGES


async def read_unindexed(
    waiting: Sequence[Unindexed], runtime: Runtime, *, present: Set[int] = frozenset()
) -> list[SnapshotItem]:
    """Read what the user said in conversations that wait to be indexed, as quotations with what recall computes on.

    They show no more than quotations do: see `recent_words`. An embedder that has to be waited for is not asked: then
    they are found by their words.

    Args:
        waiting: The conversations, newest first, of one subject.
        runtime: Store and embedder, which is the subject's.
        present: Hashes of messages that the prompt has anyway: reading them would take the longer the more wait.
    """
    memories: list[Memory] = []
    room = MAX_CHARACTERS
    places = {(place.key.home, place.key.conversation): place for place in reversed(waiting)}
    for place in list(places.values())[::-1][:MAX_CONVERSATIONS]:
        own = await _own_messages(place, runtime)
        kept: list[LoggedMessage] = []
        for message in [each for each in own[::-1] if each.hash not in present and is_read_at_once(each)]:
            room -= len(without_bytes(message.text))
            if room < 0 or len(kept) + len(memories) == MAX_MESSAGES:
                break
            if are_safe_to_show(message):
                kept.append(message)
        shown = await recent_words([(message,) for message in kept[::-1]], place.key.subject, place.key.home, runtime)
        memories += [_quotation(recent, place.key) for recent in shown]
        if room < 0 or len(memories) >= MAX_MESSAGES:
            break
    indexed = await rebuild_index_data(runtime, memories, vectors=isinstance(runtime.embedder, ImmediateTextEmbedder))
    return [
        SnapshotItem(memory=memory, vectors=data.vectors, terms=data.terms)
        for memory, data in zip(memories, indexed, strict=True)
    ]


async def _own_messages(place: Unindexed, runtime: Runtime) -> list[LoggedMessage]:
    """Read the user's newest messages of a conversation that are on its active path, but for what is said in a game."""
    key = place.key
    if not await quotes_messages(key, runtime):
        return []
    after_seq = max(place.formed_seq, place.asked_seq - _MAX_READ)
    page = await runtime.store.conversations.page(
        key.home, key.conversation, after_seq=after_seq, limit=_MAX_READ, injected=1
    )
    live = [message for message in page.messages if message.seq not in page.abandoned and not message.erased]
    played = await without_games(live, page.abandoned, key, runtime)
    return [left for left, message in zip(played, live, strict=True) if left is message and message.role == "user"]


def _quotation(said: Recent, key: FormationKey) -> Memory:
    message = said.message
    return Memory(
        id=MemoryId(unstored_id(source_key(message.conversation, message.seq))),
        subject=key.subject,
        kind=MemoryKind.TURN,
        text=said.text,
        speaker=speaker_of(message),
        valid_from=message.said_at,
        known_from=message.recorded_at,
        profile=key.profile,
        version=key.version,
        evidence=(evidence_of(message),),
    )
