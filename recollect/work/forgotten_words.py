"""Leave out of messages what their user asked to forget since. Reads the store."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from recollect.form.rules.extract import forget_requests
from recollect.form.sources import FormInput, speaker_of
from recollect.text import squeeze
from recollect.types import Action, Detail, Evidence, LoggedMessage, Memory, MemoryKind, MemoryState, Subject
from recollect.work.apart import apart
from recollect.work.forget import FORGOTTEN, SAYS_THE_SAME
from recollect.work.portions import LARGE_BATCH, characters
from recollect.work.stale import Outdated, outdated_memory, outdated_topics, stale_stretches
from recollect.work.tools import Tools

_SOURCES = frozenset({"user"})
_ASKED = "it is to be forgotten"
_REASONS = frozenset((FORGOTTEN, SAYS_THE_SAME, _ASKED))


async def without_forgotten(
    messages: Sequence[LoggedMessage], subject: Subject, tools: Tools, *, later: Sequence[LoggedMessage] = ()
) -> list[LoggedMessage]:
    """Return messages without the clauses that are to be forgotten; none is left out whole.

    Args:
        messages: In order, of one conversation or more.
        subject: Whose memories rest on them.
        tools: Store and clock.
        later: Messages behind them, in which requests to forget are looked for as well.
    """
    if not messages:
        return []
    outdated = [*await _by_memories(messages, subject, tools), *await _by_requests([*messages, *later], subject, tools)]
    if not outdated:
        return list(messages)
    size = characters(messages) * len(outdated)
    return await apart(size, lambda: [_without(one, outdated) for one in messages], above=LARGE_BATCH)


async def _by_requests(messages: Sequence[LoggedMessage], subject: Subject, tools: Tools) -> list[Outdated]:
    found: list[Outdated] = []
    for conversation in dict.fromkeys(message.conversation for message in messages):
        own = {message.seq: message for message in messages if message.conversation == conversation}
        source = FormInput(
            messages=tuple(own.values()), earlier=(), subject=subject, sources=_SOURCES, time_zone=tools.zone
        )
        asked = await apart(characters(source.messages), partial(forget_requests, source), above=LARGE_BATCH)
        found += [old for one in asked for old in outdated_topics(one, until=_evidence(own[one.seq]))]
    return found


async def _by_memories(messages: Sequence[LoggedMessage], subject: Subject, tools: Tools) -> list[Outdated]:
    """Find what was forgotten of them by hand, or in another conversation."""
    places = {(message.conversation, message.seq) for message in messages}
    closed = [
        memory
        for conversation in dict.fromkeys(message.conversation for message in messages)
        for memory in await tools.store.memories_from(subject, conversation)
        if memory.state is MemoryState.CLOSED
        and memory.kind in (MemoryKind.NOTE, MemoryKind.FACT)
        and not places.isdisjoint((one.conversation, one.seq) for one in memory.evidence)
    ]
    return [
        outdated_memory(memory, until=None, is_topic=True) for memory in closed if await _is_forgotten(memory, tools)
    ]


async def _is_forgotten(memory: Memory, tools: Tools) -> bool:
    lines = await tools.store.decisions(memory.subject, memory=memory.id)
    ends = [line for line in lines if line.memory_id == memory.id and line.action is Action.CLOSE]
    return bool(ends) and any(ends[-1].reason.startswith(reason) for reason in _REASONS)


def _without(message: LoggedMessage, outdated: Sequence[Outdated]) -> LoggedMessage:
    if message.role not in ("user", "assistant") or not message.text:
        return message
    stale = stale_stretches(message.text, _evidence(message), outdated)
    return replace(message, text=squeeze(Detail(withheld=stale).quoted(message.text))) if stale else message


def _evidence(message: LoggedMessage) -> Evidence:
    return Evidence(
        conversation=message.conversation,
        seq=message.seq,
        hash=message.hash,
        role=message.role,
        speaker=speaker_of(message),
        quote="",
        said_at=message.said_at,
    )
