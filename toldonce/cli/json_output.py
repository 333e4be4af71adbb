"""Output of `--json`, as documented in docs/cli.md: plain values, times in ISO 8601 with offset. Pure.

A value of the library is written with its fields, by their names; `_SHOWN` has the values that are shown otherwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from operator import attrgetter
from typing import Any

from toldonce.engine import EmbedderStatus, HeldMemory, MemoryExplanation, PromptContext, PromptTrace, UndoPlan
from toldonce.types import (
    ApiKey,
    Conversation,
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
    RequestTrace,
    SincePoll,
    Subject,
)

Shown = Callable[[Any], Mapping[str, object]]
"""Returns the parts of a value by their names."""


def to_json(value: Any) -> Any:
    """Return a value of the library, or a mapping or sequence with such values, as JSON has it."""
    match value:
        case Enum():
            return value.value
        case None | str() | int() | float():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat()
        case Subject():
            return value.text
        case Mapping():
            return {to_json(name): to_json(part) for name, part in value.items()}
        case _ if is_dataclass(value):
            shown = _SHOWN.get(type(value), _all_fields)
            return to_json(shown(value))
        case _:
            return [to_json(part) for part in value]


def _all_fields(value: Any) -> Mapping[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _named(*names: str, digits: int | None = None) -> Shown:
    """Show some fields in this order: `name`, or `name=attribute`; with a `?`, what is empty is null.

    Args:
        names: One or several in each text.
        digits: Digits after the point of numbers.
    """
    given = [(*name.rstrip("?").partition("="), name.endswith("?")) for name in " ".join(names).split()]
    parts = [(name, attrgetter(attribute or name), is_nullable) for name, _, attribute, is_nullable in given]

    def part(value: object, *, is_nullable: bool) -> object:
        if digits is not None and isinstance(value, float):
            return round(value, digits)
        return value or None if is_nullable else value

    return lambda value: {name: part(read(value), is_nullable=is_nullable) for name, read, is_nullable in parts}


def _embedder(state: EmbedderStatus) -> Mapping[str, object]:
    spec, shown = state.record.spec, _EMBEDDER(state)
    return {
        **{
            name: value if name != "key_env" or spec.kind is EmbedderKind.API else None for name, value in shown.items()
        },
        "waiting": {"subjects": state.waiting_subjects, "memories": state.waiting_memories},
    }


def _explanation(explanation: MemoryExplanation) -> Mapping[str, object]:
    return {
        **_all_fields(explanation.history),
        "replaced": [memory.id for memory in explanation.replaced],
        "replaced_by": [memory.id for memory in explanation.replaced_by],
        "last_recalled": explanation.last_recalled,
    }


def _plan(plan: UndoPlan) -> Mapping[str, object]:
    return {
        "closed": plan.leaving,
        "reopened": [back.memory for back in plan.returning],
        "weakened": [{"id": weaker.id, "messages": len(weaker.without)} for weaker in plan.weakened],
        "not_back": plan.unheard,
    }


def _trace(trace: PromptTrace) -> Mapping[str, object]:
    record = trace.record
    scores = {id_: score for _, id_, score in record.items}
    return {
        **_named("at seq prefix? replayed tokens failure?")(record),
        "memories": [
            {
                **_named("id text state")(memory),
                "score": round(scores[memory.id], 4),
                "used": None if record.hits is None else memory.id in record.hits,
            }
            for memory in trace.memories
        ],
        "omitted": record.omitted,
    }


def _request(trace: RequestTrace) -> Mapping[str, object]:
    record, items = trace.record, trace.record.items
    return {
        **_named("id=record.id at=record.at recorded_at subject=home conversation external_id")(trace),
        **_named("profile? model=destination.model upstream=destination.upstream considered")(record.request),
        "injected": [{"id": id_, "subject": owner, "score": round(score, 4)} for owner, id_, score in items],
        **_named("omitted replayed tokens took_ms=request.took_ms prefix? failure?")(record),
    }


_EMBEDDER = _named(
    "space=record.space dim=record.dim kind=record.spec.kind where=record.spec.where? model=record.spec.model? "
    "key_env=record.spec.key_env query_prefix=record.spec.query_prefix passage_prefix=record.spec.passage_prefix "
    "midpoint=record.curve.midpoint slope=record.curve.slope chosen_at=record.chosen_at problem? spaces",
    digits=4,
)
_SHOWN: Mapping[type, Shown] = {
    ApiKey: _named(
        "id name access tenant user app requests_per_minute=limits.requests_per_minute "
        "concurrent_requests=limits.concurrent_requests body_bytes=limits.body_bytes "
        "created_at expires_at revoked_at last_used_at"
    ),
    Conversation: _named("id subject external_id created_at updated_at messages=last_seq"),
    Decision: _named("id at action memory_id target_id reason text profile conversation seq"),
    EmbedderStatus: _embedder,
    EnergyStatus: _named(
        "level capacity critical refill_per_day share",
        "most_share=max_share",
        "tokens_today tokens_per_day today total unsettled since_poll waiting waits_until",
    ),
    EraseReceipt: _named("id subject at done places"),
    Evidence: _named("conversation seq role speaker quote said_at"),
    FormationStatus: _named(
        "subject=key.subject conversation=key.conversation profile=key.profile stage=key.stage version=key.version "
        "formed=formed_seq messages=last_seq due_at attempts parked error"
    ),
    HeldMemory: _named("reason memory"),
    LoggedMessage: _named("conversation seq parent_seq role name text said_at recorded_at complete erased"),
    Memory: _named(
        "id subject kind text type category key value state importance confidence speaker valid_from valid_to "
        "known_from closed_at profile version uses last_used_at evidence"
    ),
    MemoryExplanation: _explanation,
    PromptContext: _named("text items left_out tokens compared=vectors_compared remark=warning?"),
    PromptTrace: _trace,
    Recall: _named("query items left_out considered compared=vectors_compared took_ms remark=warning?", digits=3),
    RecalledMemory: _named("score similarity words=word_share reasons certain=standing memory", digits=4),
    RequestTrace: _request,
    SincePoll: _named("since calls=spent.calls units=spent.units tokens=spent.tokens"),
    UndoPlan: _plan,
}
