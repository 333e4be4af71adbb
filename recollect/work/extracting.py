"""Stage `extract`: messages become notes and facts, weighed against what is known. Reads the store, may ask a model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from recollect.form.evidence import check_evidence
from recollect.form.gate import worth_a_look
from recollect.form.hold import hold_reason
from recollect.form.model import MODEL_VERSION, extract_by_model
from recollect.form.rules import RULES_VERSION, extract_by_rules
from recollect.form.scrub import scrub
from recollect.form.sources import FormInput, readable
from recollect.ids import new_id
from recollect.profiles.model import Profile
from recollect.providers.protocol import LanguageModel
from recollect.resolve.changes import Making, to_changes
from recollect.resolve.decide import resolve
from recollect.resolve.judge import judge, open_questions
from recollect.resolve.plan import ResolveContext, Resolved, refusal
from recollect.text import terms
from recollect.types import (
    KIND_ORDER,
    Action,
    Candidate,
    Change,
    CloseMemory,
    Decision,
    Evidence,
    FormationResult,
    Hot,
    Lease,
    LoggedMessage,
    MemoryId,
    MemoryKind,
    Vector,
    Vectors,
)
from recollect.work.abandoning import abandon
from recollect.work.apart import apart
from recollect.work.neighbours import gather_neighbours, nearest, without
from recollect.work.portions import LARGE_BATCH, characters, portion
from recollect.work.reforming import outdated
from recollect.work.returning import Back, coming_back
from recollect.work.tools import Tools

# Messages formed per commit. By rules a batch costs milliseconds; a model sees few enough to name each one well.
RULES_BATCH = 32
MODEL_BATCH = 8
# Messages before the new ones that an extractor may read, for what "it" and "there" mean.
EARLIER = 6
_KNOWN_SHOWN = 10
_FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


def extractor_version(model: LanguageModel | None) -> str:
    """Name the extractor: the rules, or the way of asking and the model asked."""
    return f"{MODEL_VERSION}:{model.name}" if model else RULES_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What one formation works on."""

    lease: Lease
    profile: Profile
    messages: tuple[LoggedMessage, ...]
    """The new ones that were not edited away."""
    earlier: tuple[LoggedMessage, ...]
    hot: Hot
    ended: frozenset[MemoryId]
    """Memories that this formation closes because an edit took back what they rest on: nothing is weighed against them,
    or an edit that says the same again would be ignored as known and its memory lost."""
    back: Back
    """What comes back because what replaced it was taken back: candidates are weighed against it as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extracted:
    """What an extractor proposed: candidates, and why other proposals could not be read."""

    candidates: Sequence[Candidate]
    dropped: Sequence[str] = ()


async def extract(lease: Lease, tools: Tools) -> FormationResult:
    """Form notes and facts of the next messages of a conversation.

    Compute first, then store: nothing is held while a model answers, and what the decisions rest on is checked by its
    version when they are committed.
    """
    key = lease.key
    limit = MODEL_BATCH if tools.model else RULES_BATCH
    start = max(0, lease.formed_seq - EARLIER)
    read = await tools.store.messages(
        key.home, key.conversation, after_seq=start, limit=limit + lease.formed_seq - start
    )
    if not read or read[-1].seq <= lease.formed_seq:
        return FormationResult(formed_seq=lease.last_seq)
    read = [one for one in read if one.seq <= lease.formed_seq] + portion(
        [one for one in read if one.seq > lease.formed_seq]
    )
    gone = await tools.store.abandoned(key.home, key.conversation)
    live = [message for message in read if message.seq not in gone]
    hot = await tools.store.hot(key.subject, tools.embedder.space)
    closes, abandoned = await abandon(hot, gone, lease, tools, kinds=_FORMED)
    batch = _Batch(
        lease=lease,
        profile=tools.profiles.get(key.profile),
        messages=tuple(message for message in live if message.seq > lease.formed_seq),
        earlier=tuple(message for message in live if message.seq <= lease.formed_seq),
        hot=hot,
        ended=frozenset(closing.id for closing in closes),
        back=await coming_back(closes, lease, tools),
    )
    changes, decisions = await _form(batch, tools)
    old: list[CloseMemory] = []
    why: list[Decision] = []
    if key.version == extractor_version(tools.model):
        old, why = await outdated(lease, tools, (*closes, *changes), formed_seq=read[-1].seq)
    return FormationResult(
        formed_seq=read[-1].seq,
        changes=(*closes, *batch.back.changes, *changes, *old),
        decisions=(*abandoned, *batch.back.decisions, *decisions, *why),
        subject_version=hot.version,
        read_characters=characters(batch.messages),
    )


async def _form(batch: _Batch, tools: Tools) -> tuple[list[Change], list[Decision]]:
    extracted = await _propose(batch, tools)
    size = characters(batch.messages)
    proven, refused = await apart(size, lambda: _check(batch, extracted.candidates), above=LARGE_BATCH)
    vectors = await tools.embedder.embed([candidate.text for candidate, _ in proven])
    resolved = [*await _resolve(batch, proven, vectors, tools), *refused]
    by_text: dict[str, Vector] = {one[0].text: row for one, row in zip(proven, vectors, strict=True) if row.any()}
    making = Making(
        subject=batch.lease.key.subject,
        now=tools.clock.now(),
        ids=partial(new_id, tools.clock),
        profile=batch.profile.name,
        version=extractor_version(tools.model),
        conversation=batch.lease.key.conversation,
        space=tools.embedder.space,
        vectors=lambda text: (by_text[text],) if text in by_text else (),
        terms=terms,
    )
    changes, decisions = to_changes(resolved, making)
    return changes, [*decisions, *(_unread(batch, reason, tools) for reason in extracted.dropped)]


async def _propose(batch: _Batch, tools: Tools) -> _Extracted:
    """Let the extractor read the batch, unless the gate sees nothing in it."""
    sources = frozenset(batch.profile.form.sources)
    worth = await apart(characters(batch.messages), lambda: _worth(batch, sources), above=LARGE_BATCH)
    if not worth:
        return _Extracted(candidates=())
    source = FormInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=batch.lease.key.subject,
        sources=sources,
        time_zone=tools.zone,
    )
    if tools.model is None:
        return _Extracted(candidates=await asyncio.to_thread(extract_by_rules, source))
    vectors = await tools.embedder.embed([readable(one) for one in worth])
    kinds = [KIND_ORDER.index(kind) for kind in _FORMED]
    near = await nearest(batch.hot, vectors, tools, most=_KNOWN_SHOWN, kinds=kinds)
    facts = await tools.store.facts(batch.lease.key.subject)
    known = {one.memory.id: one.memory for each in near for one in each} | {fact.id: fact for fact in facts}
    shown = tuple([one for one in known.values() if one.id not in batch.ended][: 2 * _KNOWN_SHOWN])
    answer = await extract_by_model(
        FormInput(
            messages=source.messages,
            earlier=source.earlier,
            subject=source.subject,
            sources=source.sources,
            time_zone=source.time_zone,
            neighbours=shown,
        ),
        tools.model,
    )
    return _Extracted(candidates=answer.candidates, dropped=answer.dropped)


def _worth(batch: _Batch, sources: frozenset[str]) -> list[LoggedMessage]:
    return [one for one in batch.messages if one.role in sources and worth_a_look(readable(one))]


def _check(batch: _Batch, candidates: Sequence[Candidate]) -> tuple[list[tuple[Candidate, Evidence]], list[Resolved]]:
    """Part candidates whose quote stands in its message from those that are refused."""
    sources = frozenset(batch.profile.form.sources)
    proven: list[tuple[Candidate, Evidence]] = []
    refused: list[Resolved] = []
    for candidate in candidates:
        checked = check_evidence(candidate, batch.messages, sources)
        if checked.evidence is None:
            refused.append(refusal(candidate, checked.reason))
        else:
            proven.append((candidate, checked.evidence))
    return proven, refused


async def _resolve(
    batch: _Batch, proven: Sequence[tuple[Candidate, Evidence]], vectors: Vectors, tools: Tools
) -> tuple[Resolved, ...]:
    if not proven:
        return ()
    policy, form = batch.profile.resolve, batch.profile.form
    candidates = [candidate for candidate, _ in proven]
    neighbours = await gather_neighbours(batch.hot, candidates, vectors, tools, most=policy.neighbours)
    neighbours = batch.back.beside(without(neighbours, batch.ended), vectors, tools.embedder)
    between = tools.embedder.relevance(np.asarray(vectors @ vectors.T, dtype=np.float32))
    held = {
        place: reason
        for place, (candidate, evidence) in enumerate(proven)
        if (reason := hold_reason(candidate, evidence.role)) is not None
    }
    context = ResolveContext(
        now=tools.clock.now(),
        min_importance=form.min_importance,
        min_confidence=form.min_confidence,
        held=held,
        similar=lambda one, two: float(between[one, two]),
    )
    resolved = resolve(proven, neighbours, policy=policy, context=context).resolved
    questions = open_questions(resolved, neighbours, policy) if tools.model else []
    if tools.model is None or not questions:
        return resolved
    judged = await judge(questions, tools.model, clean=scrub)
    return resolve(proven, neighbours, policy=policy, context=replace(context, judged=judged)).resolved


def _unread(batch: _Batch, reason: str, tools: Tools) -> Decision:
    """Log what the model answered and could not be read: nothing vanishes in silence."""
    return Decision(
        id=new_id(tools.clock),
        subject=batch.lease.key.subject,
        at=tools.clock.now(),
        action=Action.IGNORE,
        memory_id=None,
        target_id=None,
        reason=reason,
        text="",
        profile=batch.profile.name,
        conversation=batch.lease.key.conversation,
    )
