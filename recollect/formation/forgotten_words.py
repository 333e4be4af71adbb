"""Leave out of messages what their user asked to forget since. Reads the store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import evidence_of
from recollect.extraction.forget_requests import asks_to_forget
from recollect.extraction.rules.extractor import forget_requests
from recollect.extraction.rules.notes import FORGET_REQUEST_MARK
from recollect.extraction.sources import ExtractionInput, readable
from recollect.formation.answers import answers_among
from recollect.formation.inputs import LARGE_BATCH, characters
from recollect.formation.replays import NOTHING, Replayed, replayed
from recollect.formation.runtime import Runtime
from recollect.formation.stale import (
    Outdated,
    disjoint,
    outdated_by_hand,
    outdated_topics,
    stale_stretches,
    with_secrets,
)
from recollect.text import squeeze
from recollect.types import (
    Action,
    Decision,
    Lease,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MemoryKind,
    MemoryState,
    Subject,
    Withheld,
)

# Reasons of decisions: a later extractor that reads the messages again heeds them.
FORGOTTEN, SAYS_THE_SAME = "forgotten by hand", "says what was forgotten by hand"
# Later messages, and requests of other conversations, that are looked at: the newest.
MAX_LATER, MAX_REQUESTS = 64, 50
# Memories are formed seconds after their message was recorded; what took longer may have been taken back elsewhere.
LATE = timedelta(seconds=30)
_SOURCES = frozenset({"user"})
_ASKED = "it is to be forgotten"
_REASONS = frozenset((FORGOTTEN, SAYS_THE_SAME, _ASKED))


async def without_forgotten(
    messages: Sequence[LoggedMessage],
    subject: Subject,
    runtime: Runtime,
    *,
    home: Subject | None = None,
    later: Sequence[LoggedMessage] = (),
    beside: Sequence[Outdated] = (),
) -> list[LoggedMessage]:
    """Return messages without the clauses that are to be forgotten; none is left out whole.

    Args:
        messages: In order, of one conversation or more.
        subject: Whose memories rest on them.
        runtime: Store and clock.
        home: In whose log they are: requests of other conversations in it are heeded as well; None: they are not.
        later: Messages after them, in which requests to forget are looked for as well.
        beside: What else is to be left out.
    """
    if not messages:
        return []
    gone = await replayed(messages, (subject, home or subject), runtime)
    asking, elsewhere = gone.without(messages), list[LoggedMessage]()
    if home is not None:
        elsewhere = await _requests_since(
            min(message.said_at for message in messages), messages, (subject, home), runtime
        )
    outdated = [
        *await _by_memories(messages, subject, runtime),
        *await _by_requests([*asking, *later], subject, runtime),
        *await _by_requests(elsewhere, subject, runtime),
        *beside,
    ]
    return await _shortened(messages, outdated, gone)


async def without_asked_since(
    messages: Sequence[LoggedMessage], lease: Lease, runtime: Runtime, *, last_seq: int
) -> tuple[list[LoggedMessage], int]:
    """Return messages without what was asked to be forgotten since, before memories are formed of them.

    Nor do they hold what a resent history says of what was forgotten or erased. A model that is slow or away forms
    memories of messages whose user has long taken them back.

    Args:
        messages: In order, of the lease's conversation.
        lease: Says whose memories are formed.
        runtime: Store and clock.
        last_seq: `seq` of the last message that is read with them.

    Returns:
        The messages, and the `seq` of the last message that was looked at.
    """
    messages = (await replayed(messages, (lease.key.subject, lease.key.home), runtime)).without(messages)
    if not messages or (runtime.model is None and lease.last_seq <= last_seq and not _is_late(messages, runtime)):
        return list(messages), last_seq
    key = lease.key
    later = await runtime.store.conversations.messages(key.home, key.conversation, after_seq=last_seq, limit=MAX_LATER)
    elsewhere: list[LoggedMessage] = []
    if _is_late(messages, runtime):
        since = min(message.recorded_at for message in messages)
        elsewhere = await _requests_since(since, messages, (key.subject, key.home), runtime)
    asked = [*await _asking(later), *elsewhere]
    outdated = await _by_requests([*messages, *asked], key.subject, runtime) if asked else []
    later_ones = {(message.conversation, message.seq) for message in asked}
    outdated = [old for old in outdated if old.until and (old.until.conversation, old.until.seq) in later_ones]
    return await _shortened(messages, outdated), max([last_seq, *(message.seq for message in later)])


async def is_asked_behind(lease: Lease, runtime: Runtime, seq: int) -> bool:
    """Return whether a message of the conversation after `seq` asks to forget something."""
    key = lease.key
    return bool(
        await _asking(
            await runtime.store.conversations.messages(key.home, key.conversation, after_seq=seq, limit=MAX_LATER)
        )
    )


async def _asking(messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Return the user's messages that ask to forget something."""
    own = [message for message in messages if message.role == "user"]
    found = await run_in_thread_if_large(
        characters(own), lambda: [message for message in own if asks_to_forget(readable(message))], above=LARGE_BATCH
    )
    return found


def _is_late(messages: Sequence[LoggedMessage], runtime: Runtime) -> bool:
    return runtime.clock.now() - min(message.recorded_at for message in messages) > LATE


async def _requests_since(
    since: datetime, messages: Sequence[LoggedMessage], whose: tuple[Subject, Subject], runtime: Runtime
) -> list[LoggedMessage]:
    """Read the messages, but for these, whose requests to forget were heeded since an instant, in order.

    Args:
        since: When the first of these was said or recorded.
        messages: These.
        whose: Whose memories rest on them, and in whose log they are.
        runtime: Store.
    """
    subject, home = whose
    lines = await runtime.store.decisions.from_source(subject, since=since)
    here = {(message.conversation, message.seq) for message in messages}
    places = {
        (line.conversation, line.seq): None
        for line in lines
        if FORGET_REQUEST_MARK in line.text
        and line.conversation
        and line.seq
        and (line.conversation, line.seq) not in here
    }
    found: list[LoggedMessage] = []
    for conversation, seq in list(places)[-MAX_REQUESTS:]:
        if await runtime.store.conversations.get(home, id=conversation):
            read = await runtime.store.conversations.messages(home, conversation, after_seq=seq - 1, limit=1)
            found += [message for message in read if message.seq == seq]
    return found


async def _shortened(
    messages: Sequence[LoggedMessage], outdated: Sequence[Outdated], gone: Replayed = NOTHING
) -> list[LoggedMessage]:
    if not outdated:
        return gone.without(messages)
    size = characters(messages) * len(outdated)
    return await run_in_thread_if_large(size, lambda: _all_shortened(messages, outdated, gone), above=LARGE_BATCH)


def _all_shortened(
    messages: Sequence[LoggedMessage], outdated: Sequence[Outdated], gone: Replayed
) -> list[LoggedMessage]:
    outdated = [*outdated, *answers_among(messages, outdated)]
    return [_without(message, outdated, gone.of(message)) for message in messages]


async def _by_requests(messages: Sequence[LoggedMessage], subject: Subject, runtime: Runtime) -> list[Outdated]:
    found: list[Outdated] = []
    for conversation in dict.fromkeys(message.conversation for message in messages):
        own = {message.seq: message for message in messages if message.conversation == conversation}
        source = ExtractionInput(
            messages=tuple(own.values()), earlier=(), subject=subject, sources=_SOURCES, time_zone=runtime.zone
        )
        asked = await run_in_thread_if_large(
            characters(source.messages), partial(forget_requests, source), above=LARGE_BATCH
        )
        found += [
            old for candidate in asked for old in outdated_topics(candidate, until=evidence_of(own[candidate.seq]))
        ]
    return found


async def _by_memories(messages: Sequence[LoggedMessage], subject: Subject, runtime: Runtime) -> list[Outdated]:
    """Find what was forgotten of them by hand, or in another conversation."""
    places = {(message.conversation, message.seq) for message in messages}
    closed = [
        memory
        for conversation in dict.fromkeys(message.conversation for message in messages)
        for memory in await runtime.store.memories.from_source(subject, conversation)
        if memory.state is MemoryState.CLOSED
        and memory.kind is not MemoryKind.EPISODE
        and not places.isdisjoint((source.conversation, source.seq) for source in memory.evidence)
    ]
    forgotten = [
        memory
        for memory in closed
        if is_forgotten(memory, await runtime.store.decisions.list(subject, memory=memory.id))
    ]
    return [old for memory in forgotten for old in outdated_by_hand(memory)]


def is_forgotten(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether a closed memory was forgotten, by hand or by a request: so say the decisions about it."""
    ends = [line for line in lines if line.memory_id == memory.id and line.action is Action.CLOSE]
    return bool(ends) and any(ends[-1].reason.startswith(reason) for reason in _REASONS)


def _without(message: LoggedMessage, outdated: Sequence[Outdated], gone: Sequence[Withheld]) -> LoggedMessage:
    if message.role not in ("user", "assistant") or not message.text:
        return message
    stale = disjoint((*gone, *stale_stretches(message.text, evidence_of(message), outdated)))
    withheld = with_secrets(message.text, stale)
    return replace(message, text=squeeze(MemoryDetail(withheld=withheld).quoted(message.text))) if stale else message
