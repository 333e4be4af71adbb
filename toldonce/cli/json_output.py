"""Output of `--json`, as documented in docs/cli.md: plain values, times in ISO 8601 with offset. Pure."""

from datetime import UTC, datetime
from typing import Any

from toldonce.engine import (
    EmbedderStatus,
    HeldMemory,
    MemoryExplanation,
    MemoryHistory,
    PromptContext,
    PromptTrace,
    UndoPlan,
)
from toldonce.types import (
    Conversation,
    Cost,
    Decision,
    EmbedderKind,
    EnergyStatus,
    EraseReceipt,
    Evidence,
    FormationStatus,
    LoggedMessage,
    Memory,
    Recall,
    RecalledMemory,
    Subject,
    closed_memory,
)


def instant(at: datetime | None) -> str | None:
    """Format a time in UTC."""
    return at.astimezone(UTC).isoformat() if at else None


def memory(item: Memory) -> dict[str, Any]:
    """Describe a memory."""
    return {
        "id": item.id,
        "subject": item.subject.text,
        "kind": item.kind.value,
        "text": item.text,
        "type": item.type,
        "category": item.category,
        "key": item.key,
        "value": item.value,
        "state": item.state.value,
        "importance": item.importance,
        "confidence": item.confidence,
        "speaker": item.speaker,
        "valid_from": instant(item.valid_from),
        "valid_to": instant(item.valid_to),
        "known_from": instant(item.known_from),
        "closed_at": instant(item.closed_at),
        "profile": item.profile,
        "version": item.version,
        "uses": item.uses,
        "last_used_at": instant(item.last_used_at),
        "evidence": [_evidence(source) for source in item.evidence],
    }


def embedder(state: EmbedderStatus) -> dict[str, Any]:
    """Describe a database's embedder."""
    record = state.record
    return {
        "space": record.space,
        "dim": record.dim,
        "kind": record.spec.kind.value,
        "where": record.spec.where or None,
        "model": record.spec.model or None,
        "key_env": record.spec.key_env if record.spec.kind is EmbedderKind.API else None,
        "query_prefix": record.spec.query_prefix,
        "passage_prefix": record.spec.passage_prefix,
        "midpoint": round(record.curve.midpoint, 4),
        "slope": round(record.curve.slope, 4),
        "chosen_at": instant(record.chosen_at),
        "problem": state.problem or None,
        "spaces": [
            {"space": count.space, "dim": count.dim, "memories": count.memories, "subjects": count.subjects}
            for count in state.spaces
        ],
        "waiting": {"subjects": state.waiting_subjects, "memories": state.waiting_memories},
    }


def held(item: HeldMemory) -> dict[str, Any]:
    """Describe a memory held for review."""
    return {"reason": item.reason, "memory": memory(item.memory)}


def _evidence(source: Evidence) -> dict[str, Any]:
    return {
        "conversation": source.conversation,
        "seq": source.seq,
        "role": source.role,
        "speaker": source.speaker,
        "quote": source.quote,
        "said_at": instant(source.said_at),
    }


def recall(result: Recall) -> dict[str, Any]:
    """Describe search results and left-out memories."""
    return {
        "query": result.query,
        "items": [_recalled(item) for item in result.items],
        "left_out": [{"id": item.id, "reason": item.reason} for item in result.left_out],
        "considered": result.considered,
        "compared": result.vectors_compared,
        "took_ms": round(result.took_ms, 3),
        "remark": result.warning or None,
    }


def context(result: PromptContext) -> dict[str, Any]:
    """Describe the memory block of a prompt."""
    return {
        "text": result.text,
        "items": [_recalled(item) for item in result.items],
        "left_out": [{"id": item.id, "reason": item.reason} for item in result.left_out],
        "tokens": result.tokens,
        "compared": result.vectors_compared,
        "remark": result.warning or None,
    }


def _recalled(item: RecalledMemory) -> dict[str, Any]:
    return {
        "score": round(item.score, 4),
        "similarity": round(item.similarity, 4),
        "words": round(item.word_share, 4),
        "reasons": list(item.reasons),
        "certain": item.standing,
        "memory": memory(item.memory),
    }


def history(result: MemoryHistory) -> dict[str, Any]:
    """Describe a memory with its history."""
    return {
        "memory": memory(result.memory),
        "decisions": [decision(line) for line in result.decisions],
        "related": [memory(item) for item in result.related],
        "sources": [message(item) for item in result.sources],
    }


def why(explanation: MemoryExplanation) -> dict[str, Any]:
    """Describe the explanation of a memory."""
    place = explanation.last_recalled
    recalled = {"conversation": place.conversation, "seq": place.seq, "at": instant(place.at)} if place else None
    return {
        **history(explanation.history),
        "replaced": [item.id for item in explanation.replaced],
        "replaced_by": [item.id for item in explanation.replaced_by],
        "last_recalled": recalled,
    }


def undone(plan: UndoPlan, *, dry_run: bool) -> dict[str, Any]:
    """Describe an undo, done or planned."""
    return {
        "dry_run": dry_run,
        "closed": [memory(item) for item in plan.leaving],
        "reopened": [memory(item.memory) for item in plan.returning],
        "weakened": [{"id": item.id, "messages": len(item.without)} for item in plan.weakened],
        "not_back": [decision(line) for line in plan.unheard],
    }


def decision(line: Decision) -> dict[str, Any]:
    """Describe a decision."""
    return {
        "id": line.id,
        "at": instant(line.at),
        "action": line.action.value,
        "memory_id": line.memory_id,
        "target_id": line.target_id,
        "reason": line.reason,
        "text": line.text,
        "profile": line.profile,
        "conversation": line.conversation,
        "seq": line.seq,
    }


def maintenance_decision(line: Decision) -> dict[str, Any]:
    """Describe a maintenance decision: what was closed, and why."""
    return {"subject": line.subject.text, "closed_id": closed_memory(line), **decision(line)}


def message(item: LoggedMessage) -> dict[str, Any]:
    """Describe a logged message."""
    return {
        "conversation": item.conversation,
        "seq": item.seq,
        "parent_seq": item.parent_seq,
        "role": item.role,
        "name": item.name,
        "text": item.text,
        "said_at": instant(item.said_at),
        "recorded_at": instant(item.recorded_at),
        "complete": item.complete,
        "erased": item.erased,
    }


def receipt(item: EraseReceipt) -> dict[str, Any]:
    """Describe an erasure receipt."""
    return {
        "id": item.id,
        "subject": item.subject.text,
        "at": instant(item.at),
        "done": item.done,
        "places": [
            {"name": place.name, "reach": place.reach.value, "count": place.count, "text": place.text}
            for place in item.places
        ],
    }


def conversation(item: Conversation) -> dict[str, Any]:
    """Describe a conversation."""
    return {
        "id": item.id,
        "subject": item.subject.text,
        "external_id": item.external_id,
        "created_at": instant(item.created_at),
        "updated_at": instant(item.updated_at),
        "messages": item.last_seq,
    }


def trace(item: PromptTrace) -> dict[str, Any]:
    """Describe what memory did for a request."""
    record = item.record
    scores = {id_: score for _, id_, score in record.items}
    return {
        "at": instant(record.at),
        "seq": record.seq,
        "prefix": record.prefix or None,
        "replayed": record.replayed,
        "tokens": record.tokens,
        "failure": record.failure or None,
        "memories": [
            {
                "id": memory.id,
                "text": memory.text,
                "state": memory.state.value,
                "score": round(scores[memory.id], 4),
                "used": None if record.hits is None else memory.id in record.hits,
            }
            for memory in item.memories
        ],
        "omitted": [{"id": memory.id, "reason": memory.reason} for memory in record.omitted],
    }


def formation(item: FormationStatus) -> dict[str, Any]:
    """Describe a formation."""
    return {
        "subject": item.key.subject.text,
        "conversation": item.key.conversation,
        "profile": item.key.profile,
        "stage": item.key.stage,
        "version": item.key.version,
        "formed": item.formed_seq,
        "messages": item.last_seq,
        "due_at": instant(item.due_at),
        "attempts": item.attempts,
        "parked": item.parked,
        "error": item.error,
    }


def energy(subject: Subject, status: EnergyStatus) -> dict[str, Any]:
    """Describe the state of a budget."""
    poll = status.since_poll
    return {
        "subject": subject.text,
        "level": status.level,
        "capacity": status.capacity,
        "critical": status.critical,
        "refill_per_day": status.refill_per_day,
        "share": status.share,
        "most_share": status.max_share,
        "tokens_today": status.tokens_today,
        "tokens_per_day": status.tokens_per_day,
        "today": {purpose.value: _spent(cost) for purpose, cost in status.today.items()},
        "total": _spent(status.total),
        "unsettled": status.unsettled,
        "since_poll": None if poll is None else {"since": instant(poll.since), **_spent(poll.spent)},
        "waiting": status.waiting,
        "waits_until": instant(status.waits_until),
    }


def _spent(cost: Cost) -> dict[str, Any]:
    return {"calls": cost.calls, "units": cost.units, "tokens": cost.tokens}
