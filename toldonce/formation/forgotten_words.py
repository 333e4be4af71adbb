"""Remove from messages what the user has since asked to forget. Reads the store."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.evidence import evidence_of
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.extraction.rules.extractor import forget_requests
from toldonce.extraction.rules.forget_candidates import FORGET_REQUEST_MARK
from toldonce.extraction.sources import ExtractionInput, readable
from toldonce.formation.forgotten_answers import find_answers_among
from toldonce.formation.inputs import LARGE_BATCH, characters
from toldonce.formation.replays import NOTHING, Replayed, replayed
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, outdated_by_hand, outdated_topics, stale_stretches
from toldonce.formation.withheld import disjoint, with_secrets
from toldonce.text import squeeze
from toldonce.types import (
    Action,
    Decision,
    Lease,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MessageRef,
    Subject,
    Withheld,
)

# Reasons of decisions. When a later extractor reads the messages again, it looks for these.
FORGOTTEN, SAYS_THE_SAME = "forgotten by hand", "says what was forgotten by hand"
WAS_WRONG, NO_LONGER_TRUE = "was wrong, corrected by hand", "no longer true, corrected by hand"
ENDED_BY_HAND = (FORGOTTEN, SAYS_THE_SAME, WAS_WRONG, NO_LONGER_TRUE)
"""What the reasons begin with; a reason that the caller gave may follow."""
# Later messages of the conversation, and requests of other conversations, that are read; the newest of them.
MAX_LATER, MAX_REQUESTS = 64, 50
# Memories usually form seconds after their message was recorded. Where it took longer, requests to forget that were
# made in other conversations are read as well.
MAX_FORMATION_DELAY = timedelta(seconds=30)
_SOURCES = frozenset({"user"})
_REQUESTED = "it is to be forgotten"
_REASONS = (FORGOTTEN, SAYS_THE_SAME, WAS_WRONG, _REQUESTED)


@dataclass(frozen=True, slots=True)
class _Owners:
    """Owner of the memories formed from messages, and owner of their conversations."""

    subject: Subject
    home: Subject


async def without_forgotten(
    messages: Sequence[LoggedMessage],
    subject: Subject,
    runtime: Runtime,
    *,
    home: Subject | None = None,
    later: Sequence[LoggedMessage] = (),
) -> list[LoggedMessage]:
    """Return the messages with the clauses that are to be forgotten cut out; every message stays in the list.

    Args:
        messages: Messages in order, of one conversation or more.
        subject: Owner of the memories formed from them.
        runtime: Store and clock.
        home: Owner of their conversations, whose other conversations are searched for requests to forget; None: they
            are not searched.
        later: Messages after them, which are searched for requests to forget as well.
    """
    if not messages:
        return []
    replayed_parts = await replayed(messages, (subject, home or subject), runtime)
    requests = list[LoggedMessage]()
    if home is not None:
        requests = await _load_forget_requests_since(
            min(message.said_at for message in messages), messages, _Owners(subject, home), runtime
        )
    outdated = [
        *await _by_memories(messages, _Owners(subject, home or subject), runtime),
        *await _by_requests([*replayed_parts.without(messages), *later], subject, runtime),
        *await _by_requests(requests, subject, runtime),
    ]
    return await _shortened(messages, outdated, replayed_parts)


async def without_forgotten_since(
    messages: Sequence[LoggedMessage], lease: Lease, runtime: Runtime, *, last_seq: int
) -> tuple[list[LoggedMessage], int]:
    """Cut out what the user has asked to forget since the messages were recorded, before memories are formed from them.

    With a slow or unavailable model, memories may form long after the user took a message back. What a resent history
    repeats of forgotten or erased messages is cut out as well.

    Args:
        messages: Messages in order, of the lease's conversation.
        lease: Lease of the formation.
        runtime: Store and clock.
        last_seq: `seq` of the last message that is read with them.

    Returns:
        The messages, and the `seq` of the last message that was searched for requests to forget.
    """
    messages = (await replayed(messages, (lease.key.subject, lease.key.home), runtime)).without(messages)
    if not messages or (runtime.model is None and lease.last_seq <= last_seq and not _is_late(messages, runtime)):
        return list(messages), last_seq
    key = lease.key
    later = await runtime.store.conversations.messages(key.home, key.conversation, after_seq=last_seq, limit=MAX_LATER)
    requests = await _forget_requests(later)
    if _is_late(messages, runtime):
        since = min(message.recorded_at for message in messages)
        requests += await _load_forget_requests_since(since, messages, _Owners(key.subject, key.home), runtime)
    outdated = await _by_requests([*messages, *requests], key.subject, runtime) if requests else []
    request_places = {message.ref for message in requests}
    outdated = [old for old in outdated if old.until and old.until.ref in request_places]
    return await _shortened(messages, outdated), max([last_seq, *(message.seq for message in later)])


async def has_later_forget_request(lease: Lease, runtime: Runtime, seq: int) -> bool:
    """Return whether a message of the conversation after `seq` asks to forget something."""
    key = lease.key
    later = await runtime.store.conversations.messages(key.home, key.conversation, after_seq=seq, limit=MAX_LATER)
    return bool(await _forget_requests(later))


async def _forget_requests(messages: Sequence[LoggedMessage]) -> list[LoggedMessage]:
    """Return the user's messages that ask to forget something."""
    of_user = [message for message in messages if message.role == "user"]
    return await asyncio.to_thread(lambda: [message for message in of_user if asks_to_forget(readable(message))])


def _is_late(messages: Sequence[LoggedMessage], runtime: Runtime) -> bool:
    return runtime.clock.now() - min(message.recorded_at for message in messages) > MAX_FORMATION_DELAY


async def _load_forget_requests_since(
    since: datetime, messages: Sequence[LoggedMessage], owners: _Owners, runtime: Runtime
) -> list[LoggedMessage]:
    """Load the messages whose requests to forget were carried out since an instant, in order.

    Args:
        since: When the first of `messages` was said or recorded.
        messages: Messages whose own requests are left out.
        owners: Owners of the memories and of the conversations.
        runtime: Store.
    """
    lines = await runtime.store.decisions.from_source(owners.subject, since=since)
    known = {message.ref for message in messages}
    places = {
        (line.conversation, line.seq): None
        for line in lines
        if FORGET_REQUEST_MARK in line.text
        and line.conversation
        and line.seq
        and (line.conversation, line.seq) not in known
    }
    requests: list[LoggedMessage] = []
    for conversation, seq in list(places)[-MAX_REQUESTS:]:
        if await runtime.store.conversations.get(owners.home, id=conversation):
            read = await runtime.store.conversations.messages(owners.home, conversation, after_seq=seq - 1, limit=1)
            requests += [message for message in read if message.seq == seq]
    return requests


async def _shortened(
    messages: Sequence[LoggedMessage], outdated: Sequence[Outdated], replayed_parts: Replayed = NOTHING
) -> list[LoggedMessage]:
    if not outdated:
        return replayed_parts.without(messages)
    size = characters(messages) * len(outdated)
    return await run_in_thread_if_large(
        size, lambda: _all_shortened(messages, outdated, replayed_parts), above=LARGE_BATCH
    )


def _all_shortened(
    messages: Sequence[LoggedMessage], outdated: Sequence[Outdated], replayed_parts: Replayed
) -> list[LoggedMessage]:
    outdated = [*outdated, *find_answers_among(messages, outdated)]
    return [_without(message, outdated, replayed_parts.of(message)) for message in messages]


async def _by_requests(messages: Sequence[LoggedMessage], subject: Subject, runtime: Runtime) -> list[Outdated]:
    """Find what the requests to forget among these messages mean."""
    outdated: list[Outdated] = []
    for conversation in dict.fromkeys(message.conversation for message in messages):
        by_seq = {message.seq: message for message in messages if message.conversation == conversation}
        source = ExtractionInput(
            messages=tuple(by_seq.values()), earlier=(), subject=subject, sources=_SOURCES, time_zone=runtime.zone
        )
        requests = await asyncio.to_thread(forget_requests, source)
        outdated += [
            old
            for candidate in requests
            for old in outdated_topics(candidate, until=evidence_of(by_seq[candidate.seq]))
        ]
    return outdated


async def _by_memories(messages: Sequence[LoggedMessage], owners: _Owners, runtime: Runtime) -> list[Outdated]:
    """Find what was forgotten of these messages by hand, or on request in another conversation."""
    places = {message.ref for message in messages}
    closed: list[Memory] = []
    for conversation in dict.fromkeys(message.conversation for message in messages):
        seqs = [message.seq for message in messages if message.conversation == conversation]
        first = MessageRef(conversation, min(seqs))
        found = await runtime.store.memories.closed_from(owners.subject, owners.home, first, last=max(seqs))
        closed += [memory for memory in found if not places.isdisjoint(source.ref for source in memory.evidence)]
    forgotten = [
        memory
        for memory in closed
        if is_forgotten(memory, await runtime.store.decisions.list(owners.subject, memory=memory.id))
    ]
    return [old for memory in forgotten for old in outdated_by_hand(memory)]


def is_forgotten(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether decisions say that a closed memory was forgotten, by hand or on request."""
    ends = [line for line in lines if line.memory_id == memory.id and line.action is Action.CLOSE]
    return bool(ends) and ends[-1].reason.startswith(_REASONS)


def _without(message: LoggedMessage, outdated: Sequence[Outdated], stretches: Sequence[Withheld]) -> LoggedMessage:
    if message.role not in ("user", "assistant") or not message.text:
        return message
    stale = disjoint((*stretches, *stale_stretches(message.text, evidence_of(message), outdated)))
    withheld = with_secrets(message.text, stale)
    return replace(message, text=squeeze(MemoryDetail(withheld=withheld).quoted(message.text))) if stale else message
