"""Values of the library, read from the server's JSON. Pure.

A value is read by the annotations of its dataclass: wherever the server names a field otherwise, or writes it in
another way, a function below says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from toldonce.engine.results import HeldMemory, MemoryExplanation, MemoryHistory, PromptTrace, TraceDetail
from toldonce.errors import BadServerError
from toldonce.remote.client import RestClient
from toldonce.types import (
    ApiKey,
    Conversation,
    Decision,
    Destination,
    FormationStatus,
    InjectionRecord,
    InjectionSite,
    KeyLimits,
    LoggedMessage,
    Memory,
    MemoryRequest,
    OmittedMemory,
    PromptBlock,
    Recall,
    RecalledMemory,
    RequestTrace,
    Statistics,
    Subject,
    TreeMessage,
)

Raw = Mapping[str, Any]
T = TypeVar("T")
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}
"""How each type is read; made at its first use."""
_HASH_BITS = 64


def read(type_: type[T], raw: object) -> T:
    """Read a value by the annotations of its dataclass; unknown fields of a newer server are left out.

    Raises:
        BadServerError: The server wrote something else.
    """
    try:
        adapter: TypeAdapter[T] = _adapter(type_)
        return adapter.validate_python(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise BadServerError(f"the server's {type_.__name__} cannot be read at {where}: {first['msg']}") from None


def _adapter(type_: type[T]) -> TypeAdapter[T]:
    if type_ not in _ADAPTERS:
        _ADAPTERS[type_] = TypeAdapter(type_)
    return _ADAPTERS[type_]


def _parts(raw: Any, client: RestClient) -> Any:
    """Return what was sent with its subjects and hashes as the library has them, and each memory's details apart."""
    if isinstance(raw, list):
        return [_parts(item, client) for item in raw]
    if not isinstance(raw, Mapping):
        return raw
    found = {name: _PARTS.get(name, _parts)(value, client) for name, value in raw.items()}
    return {**found, "detail": found} if "evidence" in raw else found


def _reader(type_: type[T]) -> Callable[[Raw, RestClient], T]:
    """Return what reads a value that the server names as the library does."""
    return lambda raw, client: read(type_, _parts(raw, client))


memory = _reader(Memory)
recalled = _reader(RecalledMemory)
recall = _reader(Recall)
decision = _reader(Decision)
message = _reader(LoggedMessage)
held = _reader(HeldMemory)
history = _reader(MemoryHistory)


def memories(raws: Iterable[Raw], client: RestClient) -> list[Memory]:
    """Read memories."""
    return [memory(raw, client) for raw in raws]


def tree_message(raw: Raw, client: RestClient) -> TreeMessage:
    """Read a message with its place and what it left."""
    parts = _parts(raw, client)
    return read(TreeMessage, {**parts, "message": parts, "active": bool(raw["active"])})


def conversation(raw: Raw, client: RestClient) -> Conversation:
    """Read a conversation."""
    return read(Conversation, {**_parts(raw, client), "last_seq": raw["messages"]})


def explanation(raw: Raw, client: RestClient) -> MemoryExplanation:
    """Read why a memory is what it is."""
    known = history(raw, client)
    by_id = {str(related.id): related for related in known.related}
    place = raw["last_recalled"]
    return MemoryExplanation(
        history=known,
        replaced=tuple(by_id[id_] for id_ in raw["replaced"]),
        replaced_by=tuple(by_id[id_] for id_ in raw["replaced_by"]),
        last_recalled=None if place is None else read(InjectionSite, place),
    )


def trace(raw: Raw, client: RestClient) -> PromptTrace:
    """Read what memory did for a request."""
    shown = [memory(item["memory"], client) for item in raw["memories"]]
    record = _record(raw, raw["memories"], [known.subject for known in shown])
    return PromptTrace(record=record, memories=tuple(shown))


def request_trace(raw: Raw, client: RestClient) -> RequestTrace:
    """Read what memory did for a request, with its memories as ids."""
    request = MemoryRequest(
        profile=raw["profile"] or "",
        reads=tuple(subjects(raw["reads"], client)),
        destination=read(Destination, {name: raw[name] for name in ("upstream", "model", "client")}),
        considered=raw["considered"],
        took_ms=raw["took_ms"],
    )
    owners = subjects((item["subject"] for item in raw["injected"]), client)
    record = replace(_record(raw, raw["injected"], owners), request=request)
    place = {name: raw[name] for name in ("conversation", "external_id", "recorded_at")}
    return read(RequestTrace, {**place, "record": record, "home": client.parsed(raw["subject"])})


def _record(raw: Raw, injected: Sequence[Raw], owners: Sequence[Subject]) -> InjectionRecord:
    """Read the record of a request, which put these memories of these owners into its prompt."""
    judged = [item for item in injected if item["used"] is not None]
    return read(
        InjectionRecord,
        {
            **{name: raw[name] for name in ("id", "at", "seq", "block_hash", "replayed", "tokens")},
            "query_hash": _number(raw["query_hash"]),
            "items": tuple((owner, item["id"], item["score"]) for owner, item in zip(owners, injected, strict=True)),
            "hits": frozenset(item["id"] for item in judged if item["used"]) if judged else None,
            "omitted": tuple(read(OmittedMemory, item) for item in raw["omitted"]),
            "prefix": raw["prefix"] or "",
            "failure": raw["failure"] or "",
        },
    )


def trace_detail(raw: Raw, client: RestClient) -> TraceDetail:
    """Read one request in full."""

    def block(written: Raw | None) -> PromptBlock | None:
        return None if written is None else read(PromptBlock, written)

    return TraceDetail(
        trace=request_trace(raw["trace"], client),
        memories=tuple(memory(item["memory"], client) for item in raw["memories"]),
        added=block(raw["added"]),
        previous=block(raw["previous"]),
        replayed=tuple(read(PromptBlock, written) for written in raw["replayed"]),
    )


def formation(raw: Raw, client: RestClient) -> FormationStatus:
    """Read the state of a formation."""
    parts = _parts(raw, client)
    return read(FormationStatus, {**parts, "key": parts})


def statistics(raw: Raw) -> Statistics:
    """Read counts over time."""
    span = {"since": raw["begins"], "until": raw["ends"], "size": raw["bucket"], "zone": raw["time_zone"]}
    return read(Statistics, {**raw, "span": span, "spending": [{**line, "cost": line} for line in raw["spending"]]})


def api_key(raw: Raw) -> ApiKey:
    """Read an API key."""
    return read(ApiKey, {**raw, "limits": read(KeyLimits, raw)})


def subjects(texts: Iterable[str], client: RestClient) -> list[Subject]:
    """Read the names of subjects."""
    return [client.parsed(text) for text in texts]


def _number(hash_: str) -> int:
    """Read a signed 64-bit hash.

    >>> _number("ffffffffffffffff")
    -1
    """
    value = int(hash_, 16)
    return value - (1 << _HASH_BITS) if value >> (_HASH_BITS - 1) else value


_PARTS: Mapping[str, Callable[[Any, RestClient], Any]] = {
    **dict.fromkeys(("subject", "home"), lambda text, client: client.parsed(text)),
    **dict.fromkeys(("subjects", "reads"), subjects),
    **dict.fromkeys(("hash", "query_hash"), lambda digits, client: _number(digits)),
}
"""How values with these names are read, wherever they are."""
