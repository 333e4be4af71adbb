"""Stage `extract`: messages become notes and facts, weighed against what is known. Reads the store, may ask a model.

A message that the trained heads keep is no second memory: its own quotation counts for more, and is listed among what
is known.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.provenance import SYSTEM_CHARACTER, tags_of, with_characters
from toldonce.extraction.rules.forget_candidates import FORGET_REQUEST_MARK
from toldonce.extraction.rules.summary import are_safe_to_show
from toldonce.extraction.sources import is_read_whole
from toldonce.formation.batch import ExtractionBatch, ignored
from toldonce.formation.bisection import propose_in_parts
from toldonce.formation.forgotten_words import has_later_forget_request, without_forgotten_since
from toldonce.formation.inputs import (
    LARGE_BATCH,
    RECENT,
    characters,
    find_carried,
    log_repeated_parts,
    part_games,
    parted,
    take_batch,
)
from toldonce.formation.keep_requests import asked_to_keep
from toldonce.formation.owners import own_candidates
from toldonce.formation.propose import FORMED, ExtractionResult, extractor_version, withheld
from toldonce.formation.reconcile import close_abandoned, restore_replaced
from toldonce.formation.reconcile import close_outdated as outdated_by_version
from toldonce.formation.runtime import KnownMemories, Runtime
from toldonce.formation.telemetry import count_secrets
from toldonce.formation.weigh import weigh
from toldonce.ids import id_text
from toldonce.profiles.overrides import with_overrides
from toldonce.profiles.policies import Profile
from toldonce.providers.offline_model import MODEL as OFFLINE_MODEL
from toldonce.store.executor import MAX_PAGE_SIZE as MAX_PAGE_SIZE
from toldonce.text import source_key
from toldonce.types import (
    KEPT_IMPORTANCE,
    NO_VECTORS,
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Conversation,
    Decision,
    FormationResult,
    Lease,
    LoggedMessage,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    SubjectSnapshot,
)

# Messages formed per commit. By rules a batch costs milliseconds; a model sees few enough to name each one well.
RULES_BATCH = 32
MODEL_BATCH = 8
# Where turns are formed together: the most of them that one question can hold.
BATCH_SIZE = 40
# A conversation that is summed up is read whole, as far as one page goes.
WHOLE_BATCH = MAX_PAGE_SIZE
# Messages before the new ones that an extractor may read, for what "it" and "there" mean.
EARLIER = 4


async def extract(lease: Lease, runtime: Runtime) -> FormationResult:
    """Form notes and facts of the next messages of a conversation.

    Compute first, then store: nothing is held while a model answers, and what the decisions rest on is checked by its
    version when they are committed. A question stays for its answer where it is no memory itself.
    """
    key = lease.key
    profile, options, opened = await _settings(lease, runtime)
    start = max(0, lease.formed_seq - EARLIER)
    limit = _limit(profile, asked=runtime.model is not None)
    # One page holds the earlier messages as well, and is never longer than the store allows.
    page_size = min(limit + lease.formed_seq - start, MAX_PAGE_SIZE)
    page, snapshot = await asyncio.gather(
        runtime.store.conversations.page(key.home, key.conversation, after_seq=start, limit=page_size, injected=RECENT),
        runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS),
    )
    if not page.messages or page.messages[-1].seq <= lease.formed_seq:
        return FormationResult(formed_seq=lease.last_seq)
    new = _taken([message for message in page.messages if message.seq > lease.formed_seq], limit)
    read = [message for message in page.messages if message.seq <= lease.formed_seq] + new
    told = _told(read, page.abandoned, options)
    played, invented = await part_games(told, page.abandoned, key, runtime)
    left, seen = await without_forgotten_since(played, lease, runtime, last_seq=read[-1].seq)
    parts = await parted(left, page.injections, runtime, keeps_questions="assistant" not in profile.form.sources)
    closes, abandoned = await close_abandoned(snapshot, page.abandoned, lease, runtime, kinds=FORMED)
    batch = ExtractionBatch(
        lease=lease,
        profile=profile,
        messages=tuple(message for message, _ in parts if message.seq > lease.formed_seq),
        earlier=tuple(message for message, _ in parts if message.seq <= lease.formed_seq),
        snapshot=snapshot,
        ended=frozenset(closing.id for closing in closes),
        options=options,
        tags=await _tags(lease, options, runtime),
        formed_seq=read[-1].seq,
        back=await restore_replaced(closes, lease, runtime),
        invented=invented if left == played else {},  # it may say what is to be forgotten
        carried=await find_carried(told, parts, invented, runtime) if profile.form.extractor != "paragraph" else {},
    )
    batch, extracted = await propose_in_parts(batch, runtime)
    if runtime.model and await has_later_forget_request(lease, runtime, seen):
        # What the model was shown is to be forgotten by now, and memories may have changed meanwhile.
        return await extract(lease, replace(runtime, known=KnownMemories(runtime.store)))
    await _count(left, batch, runtime)
    changes, decisions = await weigh(batch, _owned(extracted, batch, opened), runtime)
    again = [*log_repeated_parts(batch, parts, runtime), *await _left_out(batch, extracted, runtime)]
    decisions = [*await _unknown(decisions, lease, runtime), *again]
    changes = [*changes, *await _kept(batch, extracted, new, changes, by_rules=runtime.model is None)]
    old, why = await _outdated(batch, (*closes, *changes), runtime)
    return FormationResult(
        formed_seq=batch.formed_seq,
        changes=(*closes, *batch.back.closes, *batch.back.changes, *batch.back.added, *changes, *old),
        decisions=(*abandoned, *batch.back.decisions, *decisions, *why),
        subject_version=snapshot.version,
        user_characters=characters([message for message in new if message.role == "user"]),
    )


async def _kept(
    batch: ExtractionBatch,
    extracted: ExtractionResult,
    said: Sequence[LoggedMessage],
    changes: Sequence[Change],
    *,
    by_rules: bool,
) -> list[StrengthenMemory]:
    """Weigh the quotations of messages that are worth keeping or asked to be kept, where the rules read them."""
    form = batch.profile.form
    if not (by_rules or extracted.kept) or not form.turns or form.extractor != "memories":
        return []
    here = {message.seq for message in batch.messages}
    left = {message.seq: message for message in without_held(said, changes) if message.seq in here}
    known = (*batch.earlier, *batch.messages)

    def weigh_turns() -> list[StrengthenMemory]:
        asked = {message.seq: message for message in asked_to_keep(list(left.values()), known) if by_rules}
        stated = {
            source_key(*source.ref)
            for change in changes
            if isinstance(change, AddMemory)
            for source in change.memory.evidence
        }
        stated |= _stated(batch.snapshot)
        sure = {seq: 1.0 for seq, each in asked.items() if source_key(each.conversation, seq) not in stated}
        return kept_turns({**extracted.kept, **sure}, list((asked | left).values()), batch.snapshot)

    return await run_in_thread_if_large(characters(list(left.values())), weigh_turns, above=LARGE_BATCH)


def _stated(snapshot: SubjectSnapshot) -> set[int]:
    """Return the keys of the messages that facts and notes rest on."""
    owners = np.repeat(np.arange(len(snapshot)), np.diff(snapshot.source_start))
    formed = np.isin(snapshot.kinds[owners], [kind.number for kind in FORMED])
    return set(snapshot.source_key[formed].tolist())


def _owned(extracted: ExtractionResult, batch: ExtractionBatch, opened: Conversation | None) -> ExtractionResult:
    """Leave to another subject of the conversation what is its own."""
    mine = own_candidates(extracted.candidates, batch.lease.key.subject, batch.profile, opened)
    return replace(extracted, candidates=mine)


def _taken(new: list[LoggedMessage], limit: int) -> list[LoggedMessage]:
    """Take the messages of one batch; a conversation that is summed up is read whole."""
    return new if limit == WHOLE_BATCH else take_batch(new)


async def _settings(lease: Lease, runtime: Runtime) -> tuple[Profile, Mapping[str, Any], Conversation | None]:
    """Return the profile by which a conversation is formed, the options that it was opened with, and itself."""
    opened = await runtime.store.conversations.get(lease.key.home, id=lease.key.conversation)
    options = opened.options if opened else {}
    return with_overrides(runtime.profiles.get(lease.key.profile), options), options, opened


async def _tags(lease: Lease, options: Mapping[str, Any], runtime: Runtime) -> tuple[str, ...]:
    if SYSTEM_CHARACTER not in options:
        return ()
    return tags_of(options, await runtime.store.apps.character_names(lease.key.home))


def _told(read: Sequence[LoggedMessage], gone: Collection[int], options: Mapping[str, Any]) -> list[LoggedMessage]:
    """Return the messages that may be formed."""
    # The built-in model's answers quote what was recalled, and say nothing of anybody.
    told = [
        message for message in read if message.seq not in gone and not message.erased and message.name != OFFLINE_MODEL
    ]
    return with_characters(told, options)


async def _outdated(
    batch: ExtractionBatch, changes: Sequence[Change], runtime: Runtime
) -> tuple[list[CloseMemory], list[Decision]]:
    """Close what an older extractor made of the same messages; nothing where another one forms than is in use."""
    lease = batch.lease
    if lease.key.version != extractor_version(runtime.model, batch.profile.form):
        return [], []
    return await outdated_by_version(lease, runtime, changes, formed_seq=batch.formed_seq)


async def _count(read: Sequence[LoggedMessage], batch: ExtractionBatch, runtime: Runtime) -> None:
    """Count the secrets struck out of what was formed, and what no model needed to see of it."""
    if runtime.model:
        runtime.metrics.skipped.update(await asyncio.to_thread(withheld, batch))
    formed = [message for message in read if batch.lease.formed_seq < message.seq <= batch.formed_seq]
    await run_in_thread_if_large(characters(formed), lambda: count_secrets(formed, runtime), above=LARGE_BATCH)


def _limit(profile: Profile, *, asked: bool) -> int:
    """Say how many messages are read at once."""
    if profile.form.extractor == "paragraph":
        return WHOLE_BATCH
    if not asked:
        return RULES_BATCH
    if profile.trigger.when == "every_turn":
        return MODEL_BATCH
    turns = profile.trigger.every if profile.trigger.when == "periodic" else BATCH_SIZE
    return max(MODEL_BATCH, min(2 * turns, BATCH_SIZE))


async def _unknown(decisions: Sequence[Decision], lease: Lease, runtime: Runtime) -> list[Decision]:
    """Leave out that a request to forget ends nothing that is known, where that was decided when it was recorded."""
    again = [line for line in decisions if line.action is Action.IGNORE and FORGET_REQUEST_MARK in line.text]
    done: set[int | None] = set()
    for seq in {line.seq for line in again}:
        known = await runtime.store.decisions.from_source(
            lease.key.subject, conversation=lease.key.conversation, seq=seq
        )
        done |= {seq for line in known if FORGET_REQUEST_MARK in line.text}
    return [line for line in decisions if line not in again or line.seq not in done]


async def _left_out(batch: ExtractionBatch, extracted: ExtractionResult, runtime: Runtime) -> list[Decision]:
    """Log how much of a message was left out because it is too long, or states too much."""
    own = [message for message in batch.messages if message.role in batch.sources]
    whole = await run_in_thread_if_large(
        characters(own), lambda: [is_read_whole(message) for message in own], above=LARGE_BATCH
    )
    why = {m.seq: f"the end of {len(m.text)} characters" for m, read in zip(own, whole, strict=True) if not read}
    for seq, left in extracted.left_out.items():
        why[seq] = f"{left} and {why[seq]}" if seq in why else left
    return [
        ignored(batch.lease.key, f"left out of a long message: {left}", runtime.clock, seq=seq)
        for seq, left in sorted(why.items())
    ]


# The most that a kept quotation is worth: less than what is known for sure.
_MAX_IMPORTANCE = 0.8


def kept_turns(
    kept: Mapping[int, float], messages: Sequence[LoggedMessage], snapshot: SubjectSnapshot
) -> list[StrengthenMemory]:
    """Return the new weights of the quotations of messages worth keeping.

    Args:
        kept: By `seq` the probability of a message worth keeping.
        messages: Messages of one conversation that may be kept.
        snapshot: The subject's active memories, the quotations of these messages among them.
    """
    places: dict[int, int] = {}
    owners = np.repeat(np.arange(len(snapshot)), np.diff(snapshot.source_start))
    for row in np.flatnonzero((snapshot.kinds == MemoryKind.TURN.number)[owners]) if kept else ():
        places[int(snapshot.source_key[row])] = int(owners[row])
    changes: list[StrengthenMemory] = []
    for message in messages:
        place = places.get(source_key(message.conversation, message.seq))
        if place is None or message.seq not in kept or not are_safe_to_show(message):
            continue
        weight = KEPT_IMPORTANCE + (_MAX_IMPORTANCE - KEPT_IMPORTANCE) * kept[message.seq]
        changes.append(StrengthenMemory(id=MemoryId(id_text(snapshot.ids[place])), importance=round(weight, 2)))
    return changes


def without_held(said: Sequence[LoggedMessage], changes: Sequence[Change]) -> list[LoggedMessage]:
    """Return the messages of which nothing waits for review."""
    held = {
        source.seq
        for change in changes
        if isinstance(change, AddMemory) and change.memory.state is MemoryState.HELD
        for source in change.memory.evidence
    }
    return [message for message in said if message.seq not in held]
