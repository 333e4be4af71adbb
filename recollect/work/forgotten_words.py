"""Leave out of messages what their user asked to forget since. Reads the store."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from recollect.form.rules.extract import forget_requests
from recollect.form.sources import FormInput, speaker_of
from recollect.text import squeeze
from recollect.types import Action, Decision, Detail, Evidence, LoggedMessage, Memory, MemoryKind, MemoryState, Subject
from recollect.work.apart import apart
from recollect.work.portions import LARGE_BATCH, characters
from recollect.work.stale import Outdated, outdated_by_hand, outdated_topics, stale_stretches, with_secrets
from recollect.work.tools import Tools

# Reasons of decisions: a later extractor that reads the messages again heeds them.
FORGOTTEN, SAYS_THE_SAME = "forgotten by hand", "says what was forgotten by hand"
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
        and memory.kind is not MemoryKind.EPISODE
        and not places.isdisjoint((one.conversation, one.seq) for one in memory.evidence)
    ]
    forgotten = [one for one in closed if is_forgotten(one, await tools.store.decisions(subject, memory=one.id))]
    return [old for memory in forgotten for old in outdated_by_hand(memory)]


def is_forgotten(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether a closed memory was forgotten, by hand or by a request: so say the decisions about it."""
    ends = [line for line in lines if line.memory_id == memory.id and line.action is Action.CLOSE]
    return bool(ends) and any(ends[-1].reason.startswith(reason) for reason in _REASONS)


def _without(message: LoggedMessage, outdated: Sequence[Outdated]) -> LoggedMessage:
    if message.role not in ("user", "assistant") or not message.text:
        return message
    stale = stale_stretches(message.text, _evidence(message), outdated)
    withheld = with_secrets(message.text, stale)
    return replace(message, text=squeeze(Detail(withheld=withheld).quoted(message.text))) if stale else message


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
