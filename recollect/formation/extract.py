"""Stage `extract`: messages become notes and facts, weighed against what is known. Reads the store, may ask a model."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import check_evidence, check_summary
from recollect.extraction.provenance import with_characters
from recollect.extraction.redaction import scrub
from recollect.extraction.review_gate import review_reason
from recollect.extraction.rules.notes import REQUESTED
from recollect.extraction.sentences import shortened
from recollect.extraction.sources import is_read_whole, readable
from recollect.formation.answers import find_forgotten
from recollect.formation.batch import ExtractionBatch
from recollect.formation.bisection import propose_in_parts
from recollect.formation.budget import with_budget
from recollect.formation.contexts import shorten_contexts, without_stale_contexts
from recollect.formation.forget import forgotten_by_hand, repeats_forgotten
from recollect.formation.forgotten_words import is_asked_behind, without_asked_since
from recollect.formation.inputs import (
    LARGE_BATCH,
    admitted,
    characters,
    parted,
    recent_recalls,
    skipped,
    take_batch,
    told_again,
    without_games,
)
from recollect.formation.neighbours import beside_requests, excluding, gather_neighbours
from recollect.formation.propose import FORMED, ExtractionResult, extractor_version, withheld
from recollect.formation.quotations import withhold
from recollect.formation.reconcile import close_abandoned, restore_replaced
from recollect.formation.reconcile import close_outdated as outdated_by_version
from recollect.formation.replays import marking
from recollect.formation.runtime import Runtime
from recollect.formation.stale import Outdated, outdated_by
from recollect.formation.summaries import shorten_episodes
from recollect.formation.telemetry import count_secrets
from recollect.formation.updates import closed_within, misspoken, superseded
from recollect.ids import new_id
from recollect.profiles.overrides import with_overrides
from recollect.profiles.policies import Profile, ResolvePolicy
from recollect.providers.chunker import chunks
from recollect.providers.offline_model import MODEL as OFFLINE_MODEL
from recollect.resolution.changes import MemoryFactory, to_changes
from recollect.resolution.decide import resolve
from recollect.resolution.llm_judge import judge, open_questions
from recollect.resolution.values import Claim, Neighbours, ResolvedCandidate, ResolveInputs, refusal
from recollect.store.paging import MAX_PAGE_SIZE as MAX_PAGE_SIZE
from recollect.text import terms
from recollect.types import (
    NO_VECTORS,
    Action,
    Candidate,
    Change,
    CloseMemory,
    CostPurpose,
    Decision,
    Evidence,
    FormationResult,
    Lease,
    LoggedMessage,
    Memory,
    MemoryId,
    Vectors,
)

# Candidates that are weighed against what is known on the loop: a few milliseconds. More go to a thread.
MAX_INLINE_CANDIDATES = 4
# Messages formed per commit. By rules a batch costs milliseconds; a model sees few enough to name each one well.
RULES_BATCH = 32
MODEL_BATCH = 8
# Where turns are formed together: the most of them that one question can hold.
BATCH_SIZE = 40
# A conversation that is summed up is read whole, as far as one page goes.
WHOLE_BATCH = MAX_PAGE_SIZE
# Messages before the new ones that an extractor may read, for what "it" and "there" mean.
EARLIER = 4

# What waits for review and is looked at for the same again; who floods beyond that is seen in the review.
MAX_HELD = 1_000


async def extract(lease: Lease, runtime: Runtime) -> FormationResult:
    """Form notes and facts of the next messages of a conversation.

    Compute first, then store: nothing is held while a model answers, and what the decisions rest on is checked by its
    version when they are committed. Reads are gathered: each is a way to another thread and back.
    """
    key = lease.key
    profile, options = await _settings(lease, runtime)
    start = max(0, lease.formed_seq - EARLIER)
    limit = _limit(profile, asked=runtime.model is not None)
    # One page holds the earlier messages as well, and is never longer than the store allows.
    page = min(limit + lease.formed_seq - start, MAX_PAGE_SIZE)
    read, gone, hot, recalls = await asyncio.gather(
        runtime.store.messages(key.home, key.conversation, after_seq=start, limit=page),
        runtime.store.abandoned(key.home, key.conversation),
        runtime.store.hot(key.subject, runtime.embedder.space, sought=NO_VECTORS),
        recent_recalls(lease, runtime),
    )
    if not read or read[-1].seq <= lease.formed_seq:
        return FormationResult(formed_seq=lease.last_seq)
    new = [one for one in read if one.seq > lease.formed_seq]
    new = new if limit == WHOLE_BATCH else take_batch(new)
    read = [one for one in read if one.seq <= lease.formed_seq] + new
    told, refused = await _admitted(read, gone, options, runtime)
    told = await without_games(told, gone, lease, runtime)
    told, seen = await without_asked_since(told, lease, runtime, behind=read[-1].seq)
    asks = "assistant" not in profile.form.sources  # a question stays for its answer where it is no memory itself
    parts = await parted(told, recalls, runtime, keeps_questions=asks)
    live = [message for message, _ in parts]
    closes, abandoned = await close_abandoned(hot, gone, lease, runtime, kinds=FORMED)
    batch = ExtractionBatch(
        lease=lease,
        profile=profile,
        messages=tuple(message for message in live if message.seq > lease.formed_seq),
        earlier=tuple(message for message in live if message.seq <= lease.formed_seq),
        hot=hot,
        ended=frozenset(closing.id for closing in closes),
        options=options,
        formed_seq=read[-1].seq,
        back=await restore_replaced(closes, lease, runtime),
    )
    batch, extracted = await propose_in_parts(batch, runtime)
    if runtime.model and await is_asked_behind(lease, runtime, seen):
        return await extract(lease, runtime)  # what the model was shown is to be forgotten by now
    await _count(told, batch, runtime)
    changes, decisions = await weigh(batch, extracted, runtime)
    decisions = [*await _unknown(decisions, lease, runtime), *await _left_out(batch, extracted, runtime)]
    old, why = await _outdated(batch, (*closes, *changes), runtime)
    again = told_again(batch, parts, runtime)
    return FormationResult(
        formed_seq=batch.formed_seq,
        changes=(*closes, *batch.back.closes, *batch.back.changes, *batch.back.added, *changes, *old),
        decisions=(*abandoned, *again, *batch.back.decisions, *decisions, *why, *skipped(refused, batch, runtime)),
        subject_version=hot.version,
        user_characters=characters([one for one in new if one.role == "user"]),
    )


async def _settings(lease: Lease, runtime: Runtime) -> tuple[Profile, Mapping[str, Any]]:
    """Return the profile by which a conversation is formed, and the options that it was opened with."""
    opened = await runtime.store.conversation(lease.key.home, id=lease.key.conversation)
    options = opened.options if opened else {}
    return with_overrides(runtime.profiles.get(lease.key.profile), options), options


async def _admitted(
    read: Sequence[LoggedMessage], gone: set[int], options: Mapping[str, Any], runtime: Runtime
) -> tuple[list[LoggedMessage], dict[int, str]]:
    """Return the messages that may be formed, and why others are not read, by their `seq`."""
    # The built-in model's answers quote what was recalled, and say nothing of anybody.
    told = [one for one in read if one.seq not in gone and not one.erased and one.name != OFFLINE_MODEL]
    told, refused = await admitted(told, runtime)
    return with_characters(told, options), refused


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
        runtime.metrics.skipped.update(
            await run_in_thread_if_large(characters(read), lambda: withheld(batch), above=LARGE_BATCH)
        )
    formed = [one for one in read if batch.lease.formed_seq < one.seq <= batch.formed_seq]
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


async def weigh(
    batch: ExtractionBatch, extracted: ExtractionResult, runtime: Runtime
) -> tuple[list[Change], list[Decision]]:
    """Weigh candidates against what is known: say what is to be stored, and why."""
    size = characters(batch.messages)
    forgotten = await forgotten_by_hand(batch.lease.key, runtime) if extracted.candidates else []
    checked = await run_in_thread_if_large(
        size, lambda: _check(batch, extracted.candidates, forgotten), above=LARGE_BATCH
    )
    checked = _fitted(checked, batch.profile)
    # Long content has a vector for each of its pieces; what it is weighed by is the first.
    pieces = [chunks(claim.candidate.text) or [claim.candidate.text] for claim in checked.proven]
    rows = await runtime.embedder.embed([piece for each in pieces for piece in each])
    starts = np.cumsum([0, *map(len, pieces)])
    vectors = rows[starts[:-1]]
    resolved = [*await _resolve(batch, checked, vectors, runtime), *checked.refused]
    by_text = {
        claim.candidate.text: tuple(row for row in rows[starts[place] : starts[place + 1]] if row.any())
        for place, claim in enumerate(checked.proven)
    }
    making = MemoryFactory(
        subject=batch.lease.key.subject,
        now=runtime.clock.now(),
        ids=partial(new_id, runtime.clock),
        profile=batch.profile.name,
        version=extractor_version(runtime.model, batch.profile.form),
        conversation=batch.lease.key.conversation,
        space=runtime.embedder.space,
        vectors=lambda text: by_text.get(text, ()),
        terms=terms,
    )
    changes, decisions = to_changes(resolved, making)
    decisions += [_unread(batch, reason, extracted.seq, runtime) for reason in extracted.dropped]
    gone = batch.ended | {change.id for change in changes if isinstance(change, CloseMemory)}
    changes = closed_within(changes, extracted, batch, now=runtime.clock.now())
    ended = await superseded(extracted, batch, runtime, gone=gone)
    changes, decisions = [*changes, *ended.changes], [*decisions, *ended.decisions]
    gone |= {change.id for change in ended.changes if isinstance(change, CloseMemory)}
    outdated = [*outdated_by(resolved, changes, decisions), *ended.outdated, *await misspoken(batch, runtime)]
    home, read = batch.lease.key.home, (*batch.earlier, *batch.messages)
    changes = await without_stale_contexts(changes, outdated, read, runtime, home=home)
    shortened, why = await _shortened(outdated, batch, runtime, gone=gone)
    return [*changes, *shortened], [*decisions, *why]


async def _shortened(
    outdated: Sequence[Outdated], batch: ExtractionBatch, runtime: Runtime, *, gone: frozenset[MemoryId]
) -> tuple[list[Change], list[Decision]]:
    """Leave what no longer holds out of quotations, episodes and the contexts of records."""
    home = batch.lease.key.home
    forgotten = await find_forgotten(outdated, batch.hot, runtime, home=home)
    outdated = [*outdated, *forgotten.outdated]
    turns, why_turns = await withhold(outdated, batch.hot, runtime, gone=gone)
    episodes, why_episodes = await shorten_episodes(outdated, batch.hot, runtime, home=home, gone=gone)
    contexts, why_contexts = await shorten_contexts(outdated, batch.hot, runtime, gone=gone)
    marked = marking(forgotten, runtime)
    return [*turns, *episodes, *contexts, *marked], [*why_turns, *why_episodes, *why_contexts]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """Candidates, parted by whether they have evidence."""

    proven: Sequence[Claim]
    further: Mapping[int, tuple[Evidence, ...]]
    """What else those of `proven` rest on that sum up several messages, by their places."""
    refused: Sequence[ResolvedCandidate]


def _check(batch: ExtractionBatch, candidates: Sequence[Candidate], forgotten: Sequence[Memory]) -> _Checked:
    """Part candidates whose quote stands in its message from those that are refused."""
    proven: list[Claim] = []
    further: dict[int, tuple[Evidence, ...]] = {}
    refused: list[ResolvedCandidate] = []
    for candidate in candidates:
        if candidate.sums_up:
            summed = check_summary(candidate, batch.messages, batch.sources)
            evidence, reason = summed.evidence, summed.reason
        else:
            checked = check_evidence(candidate, batch.messages, batch.sources, batch.earlier)
            evidence, reason = (checked.evidence,) if checked.evidence else (), checked.reason
        if not evidence:
            refused.append(refusal(candidate, reason))
            continue
        if repeats_forgotten(candidate, evidence[0], forgotten):
            refused.append(refusal(candidate, "was forgotten by hand"))
            continue
        further[len(proven)] = evidence[1:]
        proven.append(Claim(candidate, evidence[0]))
    return _Checked(proven=proven, further=further, refused=refused)


def _fitted(checked: _Checked, profile: Profile) -> _Checked:
    """Cut what is longer than the profile lets a memory be."""
    longest = profile.capacity.max_characters
    proven = [
        replace(claim, candidate=replace(claim.candidate, text=shortened(claim.candidate.text, longest)))
        for claim in checked.proven
    ]
    return replace(checked, proven=proven)


async def _resolve(
    batch: ExtractionBatch, checked: _Checked, vectors: Vectors, runtime: Runtime
) -> list[ResolvedCandidate]:
    proven = checked.proven
    if not proven:
        return []
    policy, form = batch.profile.resolve, batch.profile.form
    candidates = [claim.candidate for claim in proven]
    neighbours = await gather_neighbours(batch.hot, candidates, vectors, runtime, most=policy.neighbours)
    if any(candidate.forgets_seqs or candidate.forgets_all for candidate in candidates):
        conversation = batch.lease.key.conversation
        neighbours = await beside_requests(neighbours, candidates, batch.hot, conversation, runtime)
    neighbours = batch.back.beside(excluding(neighbours, batch.ended), vectors, runtime.embedder)
    between = runtime.embedder.relevance(np.asarray(vectors @ vectors.T, dtype=np.float32))
    held = await run_in_thread_if_large(len(proven), lambda: _held(batch, proven), above=MAX_INLINE_CANDIDATES)
    inputs = ResolveInputs(
        now=runtime.clock.now(),
        min_importance=form.min_importance,
        min_confidence=form.min_confidence,
        held=held,
        waiting=[one.text for one in await runtime.store.held(batch.lease.key.subject, limit=MAX_HELD)] if held else (),
        similar=lambda one, two: float(between[one, two]),
        messages=_messages(batch, proven),
    )
    size = len(proven)
    resolved = await run_in_thread_if_large(
        size, lambda: _resolved(proven, neighbours, policy, inputs), above=MAX_INLINE_CANDIDATES
    )
    model = with_budget(runtime, CostPurpose.JUDGE, batch.lease.key.subject, batch.profile)
    questions = open_questions(resolved, neighbours, policy) if model else []
    if model and questions:
        judged = replace(inputs, judged=await judge(questions, model, clean=scrub))
        resolved = await run_in_thread_if_large(
            size, lambda: _resolved(proven, neighbours, policy, judged), above=MAX_INLINE_CANDIDATES
        )
    return [
        replace(one, evidence=(*one.evidence, *checked.further[place])) if checked.further[place] else one
        for place, one in enumerate(resolved)
    ]


def _messages(batch: ExtractionBatch, proven: Sequence[Claim]) -> dict[int, str]:
    """Return the own words of the messages that candidates rest on, where they claim to correct something."""
    own = {message.seq: message for message in batch.messages}
    return {place: readable(own[claim.evidence.seq]) for place, claim in enumerate(proven) if claim.candidate.replaces}


def _held(batch: ExtractionBatch, proven: Sequence[Claim]) -> dict[int, str]:
    """Say why candidates must wait for review, by their places."""
    own = {message.seq: readable(message) for message in batch.messages}
    # A user's request to forget ends memories and adds none: there is nothing to review.
    reasons = {
        place: review_reason(claim.candidate, claim.evidence.role, own[claim.evidence.seq])
        for place, claim in enumerate(proven)
        if not claim.candidate.forgets or claim.evidence.role != "user"
    }
    return {place: reason for place, reason in reasons.items() if reason is not None}


def _resolved(
    proven: Sequence[Claim], neighbours: Neighbours, policy: ResolvePolicy, inputs: ResolveInputs
) -> tuple[ResolvedCandidate, ...]:
    return resolve(proven, neighbours, policy=policy, inputs=inputs).resolved


async def _unknown(decisions: Sequence[Decision], lease: Lease, runtime: Runtime) -> list[Decision]:
    """Leave out that a request to forget ends nothing that is known, where that was decided when it was recorded."""
    again = [line for line in decisions if line.action is Action.IGNORE and REQUESTED in line.text]
    done: set[int | None] = set()
    for seq in {line.seq for line in again}:
        known = await runtime.store.decisions_from(lease.key.subject, conversation=lease.key.conversation, seq=seq)
        done |= {seq for line in known if REQUESTED in line.text}
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
    return [_unread(batch, f"left out of a long message: {left}", seq, runtime) for seq, left in sorted(why.items())]


def _unread(batch: ExtractionBatch, reason: str, seq: int | None, runtime: Runtime) -> Decision:
    """Log what was not read: nothing vanishes in silence."""
    return Decision(
        id=new_id(runtime.clock),
        subject=batch.lease.key.subject,
        at=runtime.clock.now(),
        action=Action.IGNORE,
        memory_id=None,
        target_id=None,
        reason=reason,
        text="",
        profile=batch.profile.name,
        conversation=batch.lease.key.conversation,
        seq=seq,
    )
