"""Stage `index`: messages become recallable, and requests to forget take effect. Reads the store; asks no model.

A model forms notes and facts when it has the time. What a user asks to forget must not wait for that: the rules read
the request, and what it means is closed in the commit that makes the message recallable.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import evidence_of
from recollect.extraction.requests import asks_to_forget
from recollect.extraction.rules.extractor import forget_requests
from recollect.extraction.sources import ExtractionInput, readable
from recollect.formation.answers import answers_among
from recollect.formation.batch import ExtractionBatch
from recollect.formation.extract import EARLIER, weigh
from recollect.formation.index_turns import Indexed, index_messages
from recollect.formation.portions import LARGE_BATCH, characters
from recollect.formation.propose import ExtractionResult, as_user
from recollect.formation.quotations import without_outdated
from recollect.formation.runtime import Runtime
from recollect.formation.stale import outdated_topics
from recollect.types import (
    AddMemory,
    Candidate,
    Change,
    CloseMemory,
    FormationResult,
    Lease,
    LoggedMessage,
    SubjectSnapshot,
)


async def index_turns(lease: Lease, tools: Runtime) -> FormationResult:
    """Make the next messages of a conversation recallable, and close what they ask to forget."""
    indexed = await index_messages(lease, tools)
    form = tools.profiles.get(lease.key.profile).form
    if indexed.hot is None or form.extractor == "paragraph" or "user" not in form.sources:
        return indexed.result
    own = [message for message in indexed.messages if message.role == "user"]
    asks = await run_in_thread_if_large(
        characters(own), lambda: any(asks_to_forget(readable(message)) for message in own), above=LARGE_BATCH
    )
    return await _honoured(indexed, indexed.hot, lease, tools) if asks else indexed.result


async def _honoured(indexed: Indexed, hot: SubjectSnapshot, lease: Lease, tools: Runtime) -> FormationResult:
    """Add to what is committed what the requests to forget close."""
    batch = await _batch(indexed, hot, lease, tools)
    source = ExtractionInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=lease.key.subject,
        sources=frozenset({"user"}),
        time_zone=tools.zone,
    )
    requests = await run_in_thread_if_large(
        characters(batch.messages), lambda: forget_requests(source), above=LARGE_BATCH
    )
    if not requests:
        return indexed.result
    changes, decisions = await weigh(batch, ExtractionResult(candidates=requests), replace(tools, model=None))
    result = indexed.result
    return replace(
        result,
        changes=(*await _shortened(result.changes, requests, batch.messages, tools), *changes),
        decisions=(*result.decisions, *decisions),
        subject_version=hot.version,
    )


async def _batch(indexed: Indexed, hot: SubjectSnapshot, lease: Lease, tools: Runtime) -> ExtractionBatch:
    key = lease.key
    opened = await tools.store.conversation(key.home, id=key.conversation)
    options = opened.options if opened else {}
    earlier: list[LoggedMessage] = []
    if lease.formed_seq:
        start = max(0, lease.formed_seq - EARLIER)
        gone = await tools.store.abandoned(key.home, key.conversation)
        read = await tools.store.messages(key.home, key.conversation, after_seq=start, limit=lease.formed_seq - start)
        earlier = [message for message in read if message.seq not in gone and not message.erased]
    return ExtractionBatch(
        lease=lease,
        profile=tools.profiles.get(key.profile),
        messages=as_user(indexed.messages, options),
        earlier=as_user(earlier, options),
        hot=hot,
        ended=frozenset(change.id for change in indexed.result.changes if isinstance(change, CloseMemory)),
        options=options,
        formed_seq=indexed.result.formed_seq,
    )


async def _shortened(
    changes: Sequence[Change], requests: Sequence[Candidate], messages: Sequence[LoggedMessage], tools: Runtime
) -> list[Change]:
    """Leave what is to be forgotten out of the quotations that are added with the request."""
    said = {message.seq: message for message in messages}
    outdated = [old for request in requests for old in outdated_topics(request, until=evidence_of(said[request.seq]))]
    outdated += answers_among(messages, outdated)
    added = [change for change in changes if isinstance(change, AddMemory)]
    others = [change for change in changes if not isinstance(change, AddMemory)]
    return [*others, *await without_outdated(added, outdated, tools)]
