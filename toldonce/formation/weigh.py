"""Weigh candidates against what is known: what is stored, closed or left out, and why. Reads the store, embeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.evidence import check_evidence, with_source
from toldonce.extraction.redaction import redact
from toldonce.extraction.review_gate import pasted_reason, review_reason
from toldonce.extraction.sources import CarriedWords, readable
from toldonce.extraction.summary_evidence import check_summary
from toldonce.formation.batch import ExtractionBatch, ignored
from toldonce.formation.budgeted_model import with_budget
from toldonce.formation.contexts import shorten_contexts, without_stale_contexts
from toldonce.formation.forget import forget_shown, forgotten_by_hand, repeats_forgotten
from toldonce.formation.forgotten_answers import find_forgotten
from toldonce.formation.inputs import (
    LARGE_BATCH,
    characters,
)
from toldonce.formation.neighbours import add_requested, exclude, gather_neighbours
from toldonce.formation.propose import ExtractionResult, extractor_version
from toldonce.formation.quotations import withhold
from toldonce.formation.replays import mark_forgotten
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, outdated_by
from toldonce.formation.summaries import shorten_episodes
from toldonce.ids import new_id
from toldonce.profiles.policies import Profile, ResolvePolicy
from toldonce.providers.chunker import chunks
from toldonce.reading.sentences import shortened
from toldonce.resolution.decide import resolve
from toldonce.resolution.extractor_word import left_open
from toldonce.resolution.llm_judge import judge, open_questions
from toldonce.resolution.planned_changes import MemoryFactory, to_changes
from toldonce.resolution.values import (
    Claim,
    JudgeVerdict,
    Neighbours,
    ResolvedCandidate,
    ResolveInputs,
    refusal,
)
from toldonce.store.executor import MAX_PAGE_SIZE as MAX_PAGE_SIZE
from toldonce.text import terms
from toldonce.text.source_marks import names_pasted_source
from toldonce.types import (
    Candidate,
    Change,
    CloseMemory,
    CostPurpose,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    Vector,
    Vectors,
)

# Candidates weighed on the event loop, which takes a few milliseconds; more go to a thread.
MAX_INLINE_CANDIDATES = 4
# Memories awaiting review that are compared, so that the same is held once.
MAX_HELD = 1_000


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
    await _embed_rewritten(resolved, by_text, runtime)
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
    decisions += [ignored(batch.lease.key, reason, runtime.clock, seq=extracted.seq) for reason in extracted.dropped]
    gone = batch.ended | {change.id for change in changes if isinstance(change, CloseMemory)}
    outdated = outdated_by(resolved, decisions)
    home, read = batch.lease.key.home, (*batch.earlier, *batch.messages)
    changes = await without_stale_contexts(changes, outdated, read, runtime, home=home)
    shortened, why = await _shortened(outdated, batch, runtime, gone=gone)
    return [*changes, *shortened], [*decisions, *why]


async def _embed_rewritten(
    resolved: Sequence[ResolvedCandidate], by_text: dict[str, tuple[Vector, ...]], runtime: Runtime
) -> None:
    """Add the vectors of what the judge rewrote."""
    texts = {decided.candidate.text for decided in resolved if decided.adds} - by_text.keys()
    pieces = {text: chunks(text) or [text] for text in sorted(texts)}
    if not texts:
        return
    rows: Iterator[Vector] = iter(await runtime.embedder.embed([piece for each in pieces.values() for piece in each]))
    by_text |= {text: tuple(row for row in islice(rows, len(each)) if row.any()) for text, each in pieces.items()}


async def _shortened(
    outdated: Sequence[Outdated], batch: ExtractionBatch, runtime: Runtime, *, gone: frozenset[MemoryId]
) -> tuple[list[Change], list[Decision]]:
    """Leave what is to be forgotten out of quotations, episodes and the contexts of records."""
    home = batch.lease.key.home
    forgotten = await find_forgotten(outdated, batch.snapshot, runtime, home=home)
    outdated = [*outdated, *forgotten.outdated]
    turns, why_turns = await withhold(outdated, batch.snapshot, runtime, gone=gone)
    episodes, why_episodes = await shorten_episodes(outdated, batch.snapshot, runtime, home=home, gone=gone)
    contexts, why_contexts = await shorten_contexts(outdated, batch.snapshot, runtime, gone=gone)
    marked = mark_forgotten(forgotten, runtime)
    shown = await forget_shown(outdated, batch.lease.key.subject, runtime)
    return [*turns, *episodes, *contexts, *marked, *shown], [*why_turns, *why_episodes, *why_contexts]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """Candidates, parted by whether they have evidence."""

    proven: Sequence[Claim]
    further: Mapping[int, tuple[Evidence, ...]]
    """What else those of `proven` rest on, by their places: messages that they sum up, passages that a quote joins."""
    refused: Sequence[ResolvedCandidate]


def _check(batch: ExtractionBatch, candidates: Sequence[Candidate], forgotten: Sequence[Memory]) -> _Checked:
    """Separate candidates whose quote is in its message from those that are refused."""
    proven: list[Claim] = []
    further: dict[int, tuple[Evidence, ...]] = {}
    refused: list[ResolvedCandidate] = []
    carried = CarriedWords(batch.invented, batch.carried)
    for candidate in candidates:
        if candidate.sums_up:
            summed = check_summary(candidate, batch.messages, batch.sources)
            evidence, reason = summed.evidence, summed.reason
        else:
            checked = check_evidence(candidate, batch.messages, batch.sources, batch.earlier, carried)
            evidence, reason = (checked.evidence, *checked.further) if checked.evidence else (), checked.reason
            candidate = with_source(candidate) if checked.is_pasted else candidate
        if not evidence:
            refused.append(refusal(candidate, reason))
            continue
        if any(repeats_forgotten(candidate, said, forgotten) for said in evidence):
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
    """Decide on what is proven; what rests on pasted texts apart, so that it neither ends nor replaces a statement."""
    resolved: list[ResolvedCandidate] = []
    for is_pasted in (False, True):
        places = [n for n, claim in enumerate(checked.proven) if names_pasted_source(claim.candidate.text) is is_pasted]
        part = _Checked(
            proven=[checked.proven[place] for place in places],
            further={number: checked.further[place] for number, place in enumerate(places)},
            refused=(),
        )
        resolved += await _resolve_part(batch, part, vectors[places], runtime, is_pasted=is_pasted)
    return resolved


async def _resolve_part(
    batch: ExtractionBatch, checked: _Checked, vectors: Vectors, runtime: Runtime, *, is_pasted: bool
) -> list[ResolvedCandidate]:
    proven = checked.proven
    if not proven:
        return []
    policy, form = batch.profile.resolve, batch.profile.form
    candidates = [claim.candidate for claim in proven]
    neighbours = await gather_neighbours(batch.snapshot, candidates, vectors, runtime, limit=policy.neighbours)
    if any(candidate.forgets_seqs or candidate.forgets_all for candidate in candidates):
        conversation = batch.lease.key.conversation
        neighbours = await add_requested(neighbours, candidates, batch.snapshot, conversation, runtime)
    neighbours = batch.back.beside(exclude(neighbours, batch.ended), vectors, runtime.embedder)
    neighbours = _of_a_kind(neighbours, is_pasted=is_pasted)
    between = runtime.embedder.relevance(np.asarray(vectors @ vectors.T, dtype=np.float32))
    hold_reasons = await run_in_thread_if_large(
        len(proven), lambda: _hold_reasons(batch, proven), above=MAX_INLINE_CANDIDATES
    )
    inputs = ResolveInputs(
        now=runtime.clock.now(),
        min_importance=form.min_importance,
        min_confidence=form.min_confidence,
        hold_reasons=hold_reasons,
        waiting=[memory.text for memory in await runtime.store.memories.held(batch.lease.key.subject, limit=MAX_HELD)]
        if hold_reasons
        else (),
        similar=lambda one, two: float(between[one, two]),
        messages=_messages(batch, proven),
    )
    size = len(proven)
    resolved = await run_in_thread_if_large(
        size, lambda: _resolved(proven, neighbours, policy, inputs), above=MAX_INLINE_CANDIDATES
    )
    model = None if is_pasted else with_budget(runtime, CostPurpose.JUDGE, batch.lease.key.subject, batch.profile)
    questions = left_open(open_questions(resolved, neighbours, policy), policy) if model else []
    if model and questions:
        verdicts = await judge(questions, model, clean=redact)
        judged = replace(inputs, judged=_fitting(verdicts, batch, proven))
        resolved = await run_in_thread_if_large(
            size, lambda: _resolved(proven, neighbours, policy, judged), above=MAX_INLINE_CANDIDATES
        )
    return [
        replace(decided, evidence=(*decided.evidence, *checked.further[place])) if checked.further[place] else decided
        for place, decided in enumerate(resolved)
    ]


def _fitting(
    verdicts: Mapping[int, JudgeVerdict], batch: ExtractionBatch, proven: Sequence[Claim]
) -> dict[int, JudgeVerdict]:
    """Hold the words in which the judge rewrote memories against what holds for every memory."""
    written = {
        place: Claim(replace(proven[place].candidate, text=redact(verdict.text)), proven[place].evidence)
        for place, verdict in verdicts.items()
        if verdict.text
    }
    fitted = _fitted(_Checked(proven=list(written.values()), further={}, refused=()), batch.profile).proven
    held = _hold_reasons(batch, fitted)
    anew = {
        place: JudgeVerdict(problem=f"what it wrote must be reviewed: {held[number]}")
        if number in held
        else replace(verdicts[place], text=fitted[number].candidate.text)
        for number, place in enumerate(written)
    }
    return {**verdicts, **anew}


def _of_a_kind(neighbours: Neighbours, *, is_pasted: bool) -> Neighbours:
    """Keep the notes that name a pasted source, or those that do not and the facts."""
    near = [
        [neighbour for neighbour in each if names_pasted_source(neighbour.memory.text) is is_pasted]
        for each in neighbours.near
    ]
    return Neighbours(near=near) if is_pasted else replace(neighbours, near=near)


def _messages(batch: ExtractionBatch, proven: Sequence[Claim]) -> dict[int, str]:
    """Return the own words of the messages that candidates rest on, where they claim to correct something."""
    own = {message.seq: message for message in batch.messages}
    correcting = {n: each for n, each in enumerate(proven) if each.candidate.replaces or each.candidate.replaces_item}
    return {place: readable(own[claim.evidence.seq]) for place, claim in correcting.items()}


def _hold_reasons(batch: ExtractionBatch, proven: Sequence[Claim]) -> dict[int, str]:
    """Say why candidates must wait for review, by their places."""
    own = {message.seq: readable(message) for message in batch.messages}
    # A user's request to forget ends memories and adds none: there is nothing to review.
    reasons = {
        place: (
            pasted_reason(claim.candidate, own[claim.evidence.seq])
            if names_pasted_source(claim.candidate.text)
            else review_reason(claim.candidate, claim.evidence.role, own[claim.evidence.seq])
        )
        for place, claim in enumerate(proven)
        if not claim.candidate.forgets or claim.evidence.role != "user"
    }
    return {place: reason for place, reason in reasons.items() if reason is not None}


def _resolved(
    proven: Sequence[Claim], neighbours: Neighbours, policy: ResolvePolicy, inputs: ResolveInputs
) -> tuple[ResolvedCandidate, ...]:
    return resolve(proven, neighbours, policy=policy, inputs=inputs).resolved
