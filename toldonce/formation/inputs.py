"""Read what one formation works on: its batch of messages, and what is left out of them. Reads the store."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.echo import EchoFilter
from toldonce.extraction.redaction import redact
from toldonce.extraction.sources import (
    MAX_READ_CHARACTERS,
    CarriedText,
    carried_texts,
    invented_words,
    readable,
    speaker_kind,
    without_role_play,
)
from toldonce.formation.batch import ExtractionBatch, ignored
from toldonce.formation.runtime import Runtime
from toldonce.types import Decision, FormationKey, InjectionRecord, LoggedMessage, Memory, MemoryId, Subject

# Newest insertions of a conversation that its answers may repeat. A memory is inserted once: these are nearly all.
RECENT = 32
# Longest text that a decision on an echo shows, in characters.
_MAX_LOGGED_CHARACTERS = 500
# Characters from which a batch is worked on in a thread: at worst some 10 ms of reading, splitting and stemming.
LARGE_BATCH = 1_000
# Most characters of one batch: a commit stays small, however long the pasted pages are that wait.
MAX_CHARACTERS = 200_000
# Messages before the new ones in which the beginning of a game is looked for.
MAX_LOOKBACK = 200


async def without_echoes(
    messages: Sequence[LoggedMessage], recalls: Sequence[InjectionRecord], runtime: Runtime
) -> list[LoggedMessage]:
    """Return the messages' readable words without the sentences that only repeat what was recalled."""
    return [kept for kept, _ in await parted(messages, recalls, runtime)]


async def parted(
    messages: Sequence[LoggedMessage],
    recalls: Sequence[InjectionRecord],
    runtime: Runtime,
    *,
    keeps_questions: bool = False,
) -> list[tuple[LoggedMessage, str]]:
    """Return the messages without what only repeats what was recalled, each with the words that were taken out."""
    recalled = await _memories(recalls, runtime) if messages else []
    if not recalled:
        return [(message, "") for message in messages]

    def found() -> list[tuple[LoggedMessage, str]]:
        echoes = EchoFilter(recalled)
        both = (
            (message, echoes.parted(message.role, readable(message), keeps_questions=keeps_questions))
            for message in messages
        )
        return [(replace(message, text=kept), " ".join(gone)) for message, (kept, gone) in both]

    size = characters(messages) + sum(len(memory.text) for memory in recalled)
    return await run_in_thread_if_large(size, found, above=LARGE_BATCH)


def log_repeated_parts(
    batch: ExtractionBatch, parts: Sequence[tuple[LoggedMessage, str]], runtime: Runtime
) -> list[Decision]:
    """Log the parts of messages that were left out because they only repeat memories in the prompt.

    Args:
        batch: Batch of the formation.
        parts: Messages, each with the words that were removed from it.
        runtime: Clock.
    """
    lease = batch.lease
    return [
        ignored(
            lease.key,
            "only repeats what was recalled",
            runtime.clock,
            seq=message.seq,
            text=redact(words[:_MAX_LOGGED_CHARACTERS]),
        )
        for message, words in parts
        if words and lease.formed_seq < message.seq <= batch.formed_seq and message.role in batch.sources
    ]


async def _memories(recalls: Sequence[InjectionRecord], runtime: Runtime) -> list[Memory]:
    wanted: dict[Subject, dict[MemoryId, None]] = {}
    for record in recalls:
        for subject, memory, _ in record.items:
            wanted.setdefault(subject, {})[memory] = None
    read = await asyncio.gather(
        *(runtime.store.memories.get_many(subject, list(ids)) for subject, ids in wanted.items())
    )
    return [memory for each in read for memory in each]


def take_batch(messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Take messages from the first on, at least one, as long as they hold `MAX_CHARACTERS` together."""
    taken: list[LoggedMessage] = []
    room = MAX_CHARACTERS
    for message in messages:
        room -= len(message.text)
        if taken and room < 0:
            break
        taken.append(message)
    return taken


def characters(messages: Sequence[LoggedMessage]) -> int:
    """Count the characters of messages."""
    return sum(len(message.text) for message in messages)


async def without_games(
    messages: Sequence[LoggedMessage], gone: Collection[int], key: FormationKey, runtime: Runtime
) -> list[LoggedMessage]:
    """Return messages of one conversation without what they say within a game that an earlier one began."""
    played, _ = await part_games(messages, gone, key, runtime)
    return played


async def part_games(
    messages: Sequence[LoggedMessage], gone: Collection[int], key: FormationKey, runtime: Runtime
) -> tuple[list[LoggedMessage], dict[int, str]]:
    """Part messages of one conversation from what they say within games and stories.

    Args:
        messages: In order.
        gone: Numbers of messages that an edit took off the conversation.
        key: The formation of the conversation.
        runtime: The store is read.

    Returns:
        The messages without what they say within a game that an earlier one began; and by `seq` what they say within
        any game, where there is a model to be shown it.
    """
    if not messages:
        return [], {}
    first = messages[0].seq
    earlier: list[str] = []
    if first > 1:
        read = await runtime.store.conversations.user_words(
            key.home,
            key.conversation,
            after_seq=max(0, first - 1 - MAX_LOOKBACK),
            before_seq=first,
            characters=MAX_READ_CHARACTERS,
        )
        own = (words for words in read if words.name is None or speaker_kind("user", words.name) == "user")
        earlier = [words.text for words in own if words.seq not in gone]
    size = characters(messages) + sum(map(len, earlier))
    asked = runtime.model is not None
    return await run_in_thread_if_large(
        size,
        lambda: (without_role_play(messages, earlier), invented_words(messages, earlier) if asked else {}),
        above=LARGE_BATCH,
    )


async def find_carried(
    said: Sequence[LoggedMessage],
    parts: Sequence[tuple[LoggedMessage, str]],
    invented: Collection[int],
    runtime: Runtime,
) -> dict[int, CarriedText]:
    """Return by `seq` the messages that carry others' words, where there is a model to be shown them.

    Args:
        said: The messages as they were said.
        parts: The same without what is forgotten and what repeats memories: what lost something shows nothing more.
        invented: Numbers of messages with parts of a game.
        runtime: Says whether there is a model.
    """
    if runtime.model is None:
        return {}
    whole = {message.seq: message for message in said}
    left = [whole[message.seq] for message, repeated in parts if not repeated and message.seq in whole]
    kept = {message.seq: message.text for message, _ in parts}
    unchanged = [message for message in left if kept[message.seq] in (message.text, readable(message))]
    return await run_in_thread_if_large(
        characters(unchanged), lambda: carried_texts(unchanged, invented), above=LARGE_BATCH
    )
