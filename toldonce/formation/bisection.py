"""Ask the model about fewer turns where it fails, and let the rules read the turn it fails on. May ask a model.

A model that refuses one message, answers it with nonsense, or breaks off however often it is asked to go on, would
otherwise hold back the conversation for good. So a batch that fails is halved until it passes; the rest of it is the
next formation. A turn that fails alone is read by the rules, with a decision that says so. An outage is no failure of
this kind: it goes on to the worker, which waits.
"""

import logging
import math
from dataclasses import dataclass, replace

from toldonce.errors import ModelDownError, ModelError, ModelFault
from toldonce.extraction.sources import Exchange, exchanges
from toldonce.formation.batch import ExtractionBatch
from toldonce.formation.propose import ExtractionResult, propose, propose_by_rules
from toldonce.formation.runtime import Runtime
from toldonce.formation.telemetry import place_of

logger = logging.getLogger(__name__)

# Tries that a turn gets alone where the server refused it or its answer could not be read: one may have been a fluke.
MAX_REFUSALS = 2
BY_RULES = "the rules read this turn in the model's place"
BROKE_OFF = "the model's answer broke off, however often it was asked to go on"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Why the model's answer on a batch is of no use."""

    reason: str
    error: ModelError | None = None
    """None: the model answered, but not in the form it was asked for."""


async def propose_in_parts(batch: ExtractionBatch, runtime: Runtime) -> tuple[ExtractionBatch, ExtractionResult]:
    """Let the extractor read the batch, or as much of its beginning as the model bears.

    Returns:
        The part that was read, and what was proposed of it. The rest is left for the next formation.

    Raises:
        ModelError: the model failed, and is to be asked again later.
    """
    turns = exchanges(batch.messages)
    size = _first_size(batch, len(turns))
    while True:
        part = _beginning(batch, turns, size)
        failure, extracted = await _asked(part, runtime)
        if failure is None:
            return part, extracted
        if size > 1 and (failure.error is None or failure.error.fault is ModelFault.REQUEST):
            size = (size + 1) // 2
            continue
        if failure.error is not None and _is_asked_again(failure.error, batch, alone=size <= 1):
            raise failure.error
        return part, await _read_by_rules(part, extracted, failure, runtime)


async def _asked(part: ExtractionBatch, runtime: Runtime) -> tuple[_Failure | None, ExtractionResult]:
    try:
        extracted = await propose(part, runtime, alone=_is_last(part))
    except ModelError as error:
        if isinstance(error, ModelDownError) or part.profile.form.on_error == "skip":
            raise
        return _Failure(reason=str(error), error=error), ExtractionResult()
    if extracted.broke_off:
        failure = ModelError(BROKE_OFF)
        if part.profile.form.on_error == "skip":
            raise failure
        return _Failure(reason=BROKE_OFF, error=failure), extracted
    if not extracted.unusable:
        return None, extracted
    return _Failure(reason=extracted.dropped[-1]), extracted


def _first_size(batch: ExtractionBatch, turns: int) -> int:
    """Say how many turns to ask about first: each earlier attempt that failed halves them, the last one takes one."""
    if batch.profile.form.extractor == "paragraph" or turns <= 1:
        return max(turns, 1)
    return 1 if _is_last(batch) else math.ceil(turns / 2 ** max(batch.lease.attempts - 1, 0))


def _is_last(batch: ExtractionBatch) -> bool:
    """Return whether this is the last attempt on the first turn, asked about alone and without context."""
    return batch.lease.attempts >= batch.profile.form.max_attempts


def _is_asked_again(error: ModelError, batch: ExtractionBatch, *, alone: bool) -> bool:
    """Tell whether a failed question is worth another try later."""
    max_attempts = batch.profile.form.max_attempts
    if error.fault is ModelFault.REQUEST and alone:
        max_attempts = min(max_attempts, MAX_REFUSALS)
    return batch.lease.attempts < max_attempts


def _beginning(batch: ExtractionBatch, turns: list[Exchange], size: int) -> ExtractionBatch:
    """Take the first turns of a batch."""
    if batch.profile.form.extractor == "paragraph" or size >= len(turns):
        return batch
    taken = tuple(message for turn in turns[:size] for message in turn)
    return replace(batch, messages=taken, formed_seq=turns[size][0].seq - 1)


async def _read_by_rules(
    part: ExtractionBatch, extracted: ExtractionResult, failure: _Failure, runtime: Runtime
) -> ExtractionResult:
    logger.warning("read by rules", extra={**place_of(part.lease.key), "error": failure.reason})
    by_rules = await propose_by_rules(part, runtime)
    whole = [candidate for candidate in extracted.candidates if candidate.by_model]  # of an answer that broke off
    dropped = [reason for reason in extracted.dropped if reason != failure.reason]
    asked = [message.seq for message in part.messages if message.role == "user"]
    # An error may repeat words of the message: its decision names one, to be erased with it.
    why = failure.reason if len(asked) == 1 else "it failed on the conversation (see the log)"
    return ExtractionResult(
        candidates=(*whole, *by_rules.candidates),
        dropped=(*dropped, *by_rules.dropped, f"{BY_RULES}: {why}"),
        seq=asked[0] if asked else part.messages[0].seq,
        left_out=by_rules.left_out,
        kept=by_rules.kept,
    )
