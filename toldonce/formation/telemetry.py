"""Count and log what a formation did. Writes to the log and to the counts."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from toldonce.errors import BreakerOpenError, BudgetSpentError
from toldonce.extraction.redaction import redact_with_shapes
from toldonce.extraction.sources import MAX_READ_CHARACTERS
from toldonce.formation.runtime import Runtime
from toldonce.types import (
    Action,
    AddMemory,
    Decision,
    FormationKey,
    FormationResult,
    Lease,
    LoggedMessage,
    MemoryKind,
    Subject,
)

logger = logging.getLogger(__name__)
# What becomes of a candidate; other decisions are about what was known before.
_OF_CANDIDATES = frozenset({Action.ADD, Action.MERGE, Action.REPLACE, Action.IGNORE, Action.HOLD})


@contextmanager
def measure_extraction(lease: Lease, runtime: Runtime) -> Iterator[None]:
    """Count an extraction, how long it took, and whether it went well."""
    metrics, started = runtime.metrics, runtime.clock.monotonic()
    extracting = lease.key.stage == "extract"
    metrics.extraction_count += extracting
    went_well = deferred = False
    try:
        yield
        went_well = True
    except (BreakerOpenError, BudgetSpentError):
        deferred = True
        raise
    finally:
        metrics.extraction_success += extracting and went_well
        metrics.extraction_errors += extracting and not went_well and not deferred
        metrics.formation_seconds.observe(runtime.clock.monotonic() - started)


def count_secrets(messages: Iterable[LoggedMessage], runtime: Runtime) -> None:
    """Count by shape what is struck out of messages before anything is derived from them."""
    for message in messages:
        runtime.metrics.scrubbed.update(redact_with_shapes(message.text[:MAX_READ_CHARACTERS])[1])


def record_outcome(lease: Lease, result: FormationResult, runtime: Runtime) -> None:
    """Count what was committed, and log the decisions of one run: ids; names and words only where the settings allow.

    An extraction is logged also where it decided nothing: readers of the log want to know that it ran.
    """
    added = [change.memory for change in result.changes if isinstance(change, AddMemory)]
    kept = sum(memory.kind is not MemoryKind.TURN for memory in added)
    runtime.metrics.saved += kept
    runtime.metrics.app_created += kept if lease.key.subject.kind == "app" else 0
    runtime.metrics.decisions.update(decision.action.value for decision in result.decisions)
    record_evictions(lease.key.subject, result.decisions, runtime, conversation=lease.key.conversation)
    if not result.decisions and lease.key.stage != "extract":
        return
    logger.info(
        "memory_decision",
        extra={
            # A name in a log outlives its erasure; the key names the same user in every line.
            "user_id": lease.key.home.text if runtime.log_text else lease.key.home.key,
            **place_of(lease.key),
            "input_message_length": result.user_characters,
            "extracted_count": sum(decision.action in _OF_CANDIDATES for decision in result.decisions),
            "decisions": [_told(decision, runtime) for decision in result.decisions],
        },
    )


def place_of(key: FormationKey) -> dict[str, str]:
    """Return what each log line of a formation names: conversation and stage, and the app, if it is one's."""
    app = {} if key.subject.app_name is None else {"app": key.subject.app_name}
    return {"conversation": key.conversation, "stage": key.stage, **app}


def record_evictions(
    subject: Subject, decisions: Sequence[Decision], runtime: Runtime, *, conversation: str | None = None
) -> None:
    """Count and log the committed compactions of an app's memories: one for each that found no room."""
    gone = [line for line in decisions if line.action is Action.EVICT or line.action is Action.FOLD]
    # A fold is told of both memories that went into one.
    compactions = len({line.target_id if line.action is Action.EVICT else line.memory_id for line in gone})
    if subject.kind == "app" and compactions:
        runtime.metrics.app_compactions += compactions
        logger.info(
            "memory_compaction",
            extra={
                "subject": subject.key,
                "app": subject.app_name,
                "conversation": conversation,
                "compactions": compactions,
            },
        )


def _told(decision: Decision, runtime: Runtime) -> dict[str, str]:
    told = {"action": decision.action.value}
    fact = decision.text if runtime.log_text else decision.memory_id or decision.id
    told["fact"] = fact
    if decision.target_id:
        told["target_id"] = decision.target_id
    if runtime.log_text:
        told["reason"] = decision.reason
    return told
