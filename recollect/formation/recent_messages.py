"""What may be shown of recent messages: their words as quotations hold them. Reads the store."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.sources import Exchange, without_role_play
from recollect.formation.forgotten_words import without_forgotten
from recollect.formation.index_turns import shown_words
from recollect.formation.inputs import LARGE_BATCH, characters
from recollect.formation.reader import MAX_INLINE_CHARACTERS
from recollect.formation.runtime import Runtime
from recollect.formation.stale import Outdated, outdated_memory
from recollect.resolution.undo_plan import closes
from recollect.text.byte_runs import without_bytes
from recollect.types import (
    Action,
    Evidence,
    LoggedMessage,
    Memory,
    MemoryKind,
    MemoryState,
    Subject,
)

_FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """A message of another conversation, as it may be shown."""

    message: LoggedMessage
    text: str
    """Its words without what is secret, forgotten, pasted, or no longer holds."""


async def recent_words(turns: Sequence[Exchange], subject: Subject, home: Subject, runtime: Runtime) -> list[Recent]:
    """Return what may be shown of turns, in their order.

    These are the words that a quotation would hold: no small talk, no bare question, nothing that an assistant
    presumes, no game, no secret, and nothing that is forgotten or no longer holds. A message that is too long to be
    read at once is left out.

    Args:
        turns: Oldest first, of one conversation or more.
        subject: Whose memory is formed of them.
        home: In whose log they are.
        runtime: Store and clock.
    """
    spoken = [message for turn in turns for message in turn if message.role in ("user", "assistant")]
    spoken = [message for message in spoken if 0 < len(without_bytes(message.text)) <= MAX_INLINE_CHARACTERS]
    if not spoken:
        return []
    outdated = await _outdated(spoken, subject, runtime)
    told = await without_forgotten(spoken, subject, runtime, home=home, also_outdated=outdated)
    return await run_in_thread_if_large(characters(told), partial(_shown, told), above=LARGE_BATCH)


def _shown(messages: Sequence[LoggedMessage]) -> list[Recent]:
    left: dict[tuple[str, int], LoggedMessage] = {}
    for conversation in dict.fromkeys(message.conversation for message in messages):
        own = [message for message in messages if message.conversation == conversation]
        left |= {(conversation, message.seq): message for message in without_role_play(own, [])}
    kept = [left[message.ref] for message in messages]
    return [Recent(message=message, text=words) for message in kept if (words := shown_words(message))]


async def _outdated(messages: Sequence[LoggedMessage], subject: Subject, runtime: Runtime) -> list[Outdated]:
    """Find what messages said that was replaced or ended since."""
    found: dict[str, Memory] = {}
    for conversation in dict.fromkeys(message.conversation for message in messages):
        for memory in await runtime.store.memories.from_source(subject, conversation):
            if memory.state is MemoryState.CLOSED and memory.kind in _FORMED:
                found[memory.id] = memory
    outdated: list[Outdated] = []
    for memory in found.values():
        lines = [
            line for line in await runtime.store.decisions.list(subject, memory=memory.id) if closes(line, memory.id)
        ]
        # What was merged with its like, or went for want of room, was not wrong.
        if not lines or lines[-1].action not in (Action.REPLACE, Action.CLOSE, Action.ABANDON):
            continue
        successor = lines[-1].memory_id if lines[-1].action is Action.REPLACE else None
        until: Evidence | None = None
        if successor is not None:
            by = await runtime.store.memories.get_many(subject, [successor])
            until = max(by[0].evidence, key=lambda said: said.said_at, default=None) if by else None
        outdated.append(outdated_memory(memory, until=until))
    return outdated
