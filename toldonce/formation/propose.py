"""What an extractor proposes for the next messages of a conversation. Reads the store, may ask a model.

A form model is not shown what surely holds nothing: messages without words, messages whose words are all others', and
courtesies and bare questions in which the trained heads see no statement. Words of a game and texts to work on are
shown, marked as such.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import ModelError, ModelFault
from toldonce.extraction.llm import ModelExtraction, extract_by_model
from toldonce.extraction.model_gate import SkipReason, skip_of
from toldonce.extraction.own_text.chat_bridges import by_speaker
from toldonce.extraction.provenance import INTERACTION, USER_CHARACTER
from toldonce.extraction.rules.extractor import forget_requests
from toldonce.extraction.salience import is_pleasantry
from toldonce.extraction.schemas import OutputSchema, schema_for
from toldonce.extraction.sources import ExtractionInput, readable
from toldonce.extraction.without_model import (
    PARAGRAPH_VERSION,
    RECORDS_VERSION,
    read_without_model,
    statements_version,
)
from toldonce.formation.batch import ExtractionBatch
from toldonce.formation.forgotten_words import without_forgotten
from toldonce.formation.inputs import LARGE_BATCH, characters
from toldonce.formation.neighbours import find_notes_sharing_terms, nearest
from toldonce.formation.runtime import Runtime
from toldonce.profiles.policies import FormPolicy
from toldonce.providers.protocols import LanguageModel
from toldonce.reading.sentences import fold, sentences
from toldonce.text import terms
from toldonce.types import Candidate, LoggedMessage, Memory, MemoryKind

# Memories shown to a model: those that the messages may repeat or correct, no more than a prompt can bear.
_NOTES_SHOWN, _FACTS_SHOWN = 10, 6
# Of the notes so many go to those near in meaning, while others share a word.
_NEAR_SHOWN = 5
# A note less similar to the messages than this ranks after those that share a word with them.
_MIN_SIMILARITY = 0.25
FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionResult:
    """What an extractor proposed: candidates, and why other proposals could not be read."""

    candidates: Sequence[Candidate] = ()
    dropped: Sequence[str] = ()
    unusable: bool = False
    """The model's answer was not of the form it was asked for; the last of `dropped` says how."""
    broke_off: bool = False
    """The model's answer ended too early, however often it was asked on."""
    seq: int | None = None
    """The message that `dropped` speaks of; None: the whole batch."""
    left_out: Mapping[int, str] = field(default_factory=dict)
    """How much of a message was not read or kept, by its `seq`."""
    kept: Mapping[int, float] = field(default_factory=dict)
    """By `seq` the probability of a message worth keeping, where the rules read it."""


def extractor_version(model: LanguageModel | None, form: FormPolicy) -> str:
    """Name the extractor: the way of asking and the model asked, or the rules; each shape has its own."""
    if model is not None:
        return f"{schema_for(form).version}:{model.name}"
    if form.extractor == "paragraph":
        return PARAGRAPH_VERSION
    return RECORDS_VERSION if form.without_model == "records" else statements_version(form)


async def propose(batch: ExtractionBatch, runtime: Runtime, *, alone: bool = False) -> ExtractionResult:
    """Let the extractor read the batch, unless the gate sees nothing in it.

    Args:
        batch: What is read.
        runtime: Store, model and embedder.
        alone: Show the model neither what was said before nor what is known.

    Raises:
        ModelError: the model failed.
    """
    size = characters(batch.messages)
    # With a model the heads judge, some milliseconds a message: not on the event loop.
    above = LARGE_BATCH if runtime.model is None else 0
    worth = await run_in_thread_if_large(size, lambda: _worth(batch, asked=runtime.model is not None), above=above)
    if not worth:
        return _nothing(batch)
    source = extraction_input(batch, runtime)
    form = batch.profile.form
    reads_whole = form.extractor == "paragraph" or (form.without_model == "records" and runtime.model is None)
    if runtime.model is None and not reads_whole:
        return await _by_rules(source, batch)
    # A request to forget is honoured whether or not the extractor knows of such.
    asking_us = replace(source, messages=as_user(source.messages, batch.options))
    requests = await asyncio.to_thread(forget_requests, asking_us)
    if reads_whole:
        source = await _without_forgotten(source, asking_us.messages, runtime)
    if runtime.model is None:
        read = await _by_rules(source, batch)
        return replace(read, candidates=(*read.candidates, *requests))
    shape = schema_for(form, max_characters=batch.profile.capacity.max_characters)
    known = () if shape.whole or alone else await _known(batch, worth, runtime)
    source = replace(source, neighbours=known, earlier=() if alone else source.earlier)
    answer = await _ask(source, runtime.model, shape)
    asking = {request.seq for request in requests}
    # What a model says to have ended in such a message, and finds nowhere, is the request again: no note of its own.
    told = [
        candidate
        for candidate in answer.candidates
        if candidate.replaces or not (candidate.ends and candidate.seq in asking)
    ]
    candidates = (*(_as_requested(candidate, requests) for candidate in told), *requests)
    return ExtractionResult(
        candidates=candidates,
        dropped=answer.dropped,
        unusable=answer.unusable,
        broke_off=answer.broke_off,
    )


def as_user(messages: Sequence[LoggedMessage], options: Mapping[str, Any]) -> tuple[LoggedMessage, ...]:
    """Return messages without the name of the character that the user plays: requests to forget are the user's."""
    played = options.get(USER_CHARACTER)
    return tuple(
        replace(message, name=None) if message.role == "user" and played and message.name == played else message
        for message in messages
    )


async def _without_forgotten(
    source: ExtractionInput, as_user: Sequence[LoggedMessage], runtime: Runtime
) -> ExtractionInput:
    """Leave out what is to be forgotten, and the requests: a text that keeps messages whole would repeat them."""
    left = {message.seq: message.text for message in await without_forgotten(as_user, source.subject, runtime)}
    messages = (replace(message, text=left[message.seq]) for message in source.messages)
    return replace(source, messages=tuple(message for message in messages if message.text.strip("… \n")))


def _as_requested(candidate: Candidate, requests: Sequence[Candidate]) -> Candidate:
    """Take an end that a model reads out of a request to forget as that request.

    Its words name what is to be forgotten: as the end of a memory that it names wrongly it would be kept as a note.
    """
    if not candidate.ends or candidate.kind is not MemoryKind.NOTE:
        return candidate
    for request in requests:
        if request.seq == candidate.seq and (candidate.quote in request.quote or request.quote in candidate.quote):
            return replace(
                candidate,
                forgets=request.forgets,
                forgets_seqs=request.forgets_seqs,
                forgets_all=request.forgets_all,
            )
    return candidate


async def _ask(source: ExtractionInput, model: LanguageModel, shape: OutputSchema) -> ModelExtraction:
    """Ask the model; where it fails on the question, once more without what was said before and what is known.

    A message that the model refuses is shown beside the ones that follow it, and so is a memory made of it: neither may
    cost more than its own turn.

    Raises:
        ModelError: the model failed.
    """
    alone = replace(source, earlier=(), neighbours=())
    try:
        answer = await extract_by_model(source, model, shape)
    except ModelError as error:
        if alone == source or error.fault is not ModelFault.REQUEST:
            raise
        return await extract_by_model(alone, model, shape)
    if answer.unusable and alone != source:
        return await extract_by_model(alone, model, shape)
    return answer


async def propose_by_rules(batch: ExtractionBatch, runtime: Runtime) -> ExtractionResult:
    """Let the rules read the batch, whether there is a model or not."""
    return await propose(batch, replace(runtime, model=None))


def extraction_input(batch: ExtractionBatch, runtime: Runtime) -> ExtractionInput:
    """Return what extractors read of a batch."""
    return ExtractionInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=batch.lease.key.subject,
        sources=batch.sources,
        time_zone=runtime.zone,
        interaction=str(batch.options.get(INTERACTION) or "chat"),
        tags=batch.tags,
        keeps_sentences=not batch.profile.form.turns,
        invented=batch.invented,
        carried=batch.carried,
    )


async def _by_rules(source: ExtractionInput, batch: ExtractionBatch) -> ExtractionResult:
    read = await asyncio.to_thread(read_without_model, source, batch.profile)
    return ExtractionResult(candidates=read.candidates, left_out=read.left_out, kept=read.kept)


def _nothing(batch: ExtractionBatch) -> ExtractionResult:
    """Say of a conversation that ended why it leaves no memory; of a turn that goes without saying."""
    if batch.profile.form.extractor != "paragraph" or not batch.messages:
        return ExtractionResult()
    return ExtractionResult(dropped=("nothing was said in the conversation that is worth a memory",))


def _worth(batch: ExtractionBatch, *, asked: bool) -> list[LoggedMessage]:
    """Find the messages that may hold something lasting; `asked`: a model is there to tell."""
    heard = [message for message in batch.messages if message.role in batch.sources]
    form = batch.profile.form
    if form.extractor == "paragraph" or (form.extractor == "typed" and asked):
        # Typed memories hold facts about anything, so a message need not mention its speaker.
        return [message for message in heard if _says_something(message) or message.seq in batch.shown]
    if not asked:
        return heard  # reading a message by the rules takes less than deciding whether to
    return [message for message in heard if not all(why_skipped(part, batch) for part in by_speaker([message]))]


def _says_something(message: LoggedMessage) -> bool:
    return any(not is_pleasantry(piece.text) for piece in sentences(fold(readable(message))))


async def _known(batch: ExtractionBatch, worth: Sequence[LoggedMessage], runtime: Runtime) -> tuple[Memory, ...]:
    """Pick the memories that a model is shown: notes near the messages, and facts, those of the same words first."""
    texts = [readable(message) for message in worth]
    vectors = await runtime.embedder.embed(texts)
    kinds = [kind.number for kind in FORMED]
    found = await nearest(batch.snapshot, vectors, runtime, limit=_NOTES_SHOWN, kinds=kinds)
    ranked = sorted((neighbour for each in found for neighbour in each), key=lambda one: -one.similarity)
    said = {term for text in texts for term in terms(text)}
    facts = [fact for fact in await runtime.store.memories.facts(batch.lease.key.subject) if fact.id not in batch.ended]
    facts.sort(key=lambda fact: (-len(said & terms(f"{fact.key} {fact.text}").keys()), -fact.importance))
    near = [neighbour.memory for neighbour in ranked if neighbour.similarity >= _MIN_SIMILARITY]
    # What is corrected or to be forgotten need not be alike: it is named by a word, or the embedder knows the language
    # badly, and the nearest there are come last.
    named = [
        memory
        for memory in await find_notes_sharing_terms(batch.snapshot, said, runtime, limit=_NOTES_SHOWN)
        if memory not in near[:_NEAR_SHOWN]
    ]
    ordered = [
        *near[:_NEAR_SHOWN],
        *named[: _NOTES_SHOWN - _NEAR_SHOWN],
        *near,
        *named,
        *(neighbour.memory for neighbour in ranked),
    ]
    notes = {memory.id: memory for memory in ordered if memory.kind is MemoryKind.NOTE and memory.id not in batch.ended}
    shown = list(notes.values())[:_NOTES_SHOWN]
    return (*shown, *facts[:_FACTS_SHOWN])


def why_skipped(message: LoggedMessage, batch: ExtractionBatch) -> SkipReason:
    """Return why a model need not see a new message of a batch; empty if it may hold something."""
    if message.seq in batch.shown:
        return ""
    return skip_of(message, (*batch.earlier, *batch.messages))


def withheld(batch: ExtractionBatch) -> list[SkipReason]:
    """Return why user messages of the batch need not be shown to a model, a reason for each that need not."""
    if batch.profile.form.extractor == "paragraph" or "user" not in batch.sources:
        return []
    reasons = (why_skipped(message, batch) for message in batch.messages if message.role == "user")
    return [reason for reason in reasons if reason]
