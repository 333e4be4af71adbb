"""Methods of the library that a server does: their parameters are sent, its answer is read. Asks one server.

What a connection does not have is here, too, each with the reason and what to do instead.
"""

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from dataclasses import field as dataclass_field
from datetime import datetime
from enum import Enum
from functools import wraps
from typing import Any, Never, TypeVar

from toldonce.engine.memories import parse_memory_id
from toldonce.engine.recorder import message_dates
from toldonce.errors import (
    BadRequestError,
    BadServerError,
    ChangedMemoryError,
    NotOverHttpError,
    ServerUnreachableError,
    UnknownConversationError,
    UnknownTraceError,
)
from toldonce.operations import OPERATIONS
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient, scope_headers, segment, written
from toldonce.remote.problems import error_of
from toldonce.types import EraseReceipt, Memory, ReceiptLine, RequestScope, Subject, is_same_but_for_uses

T = TypeVar("T")
Read = Callable[[Any, RestClient], Any]
"""Reads a value of the library from the JSON of an answer."""
Send = Callable[[Any, RestClient], object]
"""Returns what is sent for an argument."""
_OWN = "it is the server process's own"
_KEYS = "the server checks keys itself, with every request"
NOT_OVER_HTTP: Mapping[str, str] = {
    "settings": f"{_OWN}; `toldonce doctor` on its machine shows them",
    "clock": f"{_OWN}; memories and decisions have their times",
    "counter": f"{_OWN}; `context(…).tokens` has the count of a block",
    "metrics": f"{_OWN}; read its route /metrics",
    "turns": "chats go through the server's route /v1/chat/completions",
    "agent_notes.remember": "agents call the server's route /mcp; `add` stores a note of your own",
    "admin.require_writable": "the server's route /readyz says it",
    "admin.breaker": f"{_OWN}; its route /metrics shows it",
    "admin.worker_counters": f"{_OWN}; its route /metrics shows them",
    "admin.merges": "`admin.users` says of each user who was merged into whom",
    "admin.refresh_merges": "the server does it with each request",
    "admin.run_worker": "the server has its own workers; `toldonce worker` starts more beside it",
    "admin.stop_worker": "the server's workers stop with it",
    "embedder.try_out": "the embedder's model is on the server: run `toldonce embedder use --dry-run` there",
    "embedder.use": "the embedder's model is on the server: run `toldonce embedder use` there",
    "keys.create_first": "a server makes its first key when it starts; `keys.create` makes more",
    "keys.find": _KEYS,
    "keys.note_use": _KEYS,
    "keys.sign": "the server signs its sessions itself",
    "keys.is_any_valid": f"{_KEYS}; `keys.list` shows them",
    "keys.was_any_made": f"{_KEYS}; `keys.audit` shows it",
    "keys.note_act": "the server writes its audit log itself; `keys.audit` reads it",
}
"""Names as on the object that `connect` returns."""
_EXAMPLE = '{"role": "user", "content": "Hello"}'
_IN_URLS = frozenset({"GET", "DELETE"})
_PROGRESS = frozenset({"phase", "unit", "total", "done"})


class RemoteService:
    """A part of the library that a server does."""

    def __init__(self, client: RestClient) -> None:
        self._client = client


def nothing(raw: object, client: RestClient) -> None:
    """Read an answer without a value."""


def plain(type_: type[T]) -> Read:
    """Read a value whose fields are those of the answer."""
    return lambda raw, client: values.read(type_, raw)


def field(name: str, read: Read) -> Read:
    """Read one field of the answer."""
    return lambda raw, client: read(raw[name], client)


def each(read: Read) -> Read:
    """Read a list of values."""
    return lambda raws, client: [read(raw, client) for raw in raws]


def number(raw: Any, client: RestClient) -> int:
    """Read a number."""
    return int(raw)


def flag(raw: Any, client: RestClient) -> bool:
    """Read whether something is so."""
    return bool(raw)


def receipt(raw: dict[str, Any], client: RestClient) -> EraseReceipt:
    """Read the result of an erasure. It names no subject, as the server may keep it: the request's is added."""
    places = tuple(values.read(ReceiptLine, place) for place in raw["places"])
    return values.read(EraseReceipt, {**raw, "places": places})


def _id(after: str | None, client: RestClient) -> str | None:
    return parse_memory_id(after) if after else None


AFTER_ID: Mapping[str, Any] = {"names": {"after": "cursor"}, "send": {"after": _id}}
"""Options of a list whose pages go on after the memory with an id."""
OF_MEMORY: Mapping[str, Any] = {"names": {"memory_id": "memory"}}
"""Options of an operation on one memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How one operation is asked for."""

    read: Read
    """Reads the answer; of a list that comes in pages, one item."""
    pages: str = ""
    """Of such a list: the field with the items. The parameter `limit` counts them."""
    names: Mapping[str, str] = dataclass_field(default_factory=dict)
    """Name of a parameter on the server, where it is another one; `cursor` is that of the page before."""
    send: Mapping[str, Send] = dataclass_field(default_factory=dict)
    """What is sent for an argument, where it is not the argument itself."""
    more: Mapping[str, object] = dataclass_field(default_factory=dict)
    """What is sent besides the arguments."""
    check: Callable[..., None] | None = None
    """Gets the arguments by name, and raises what the library would."""
    timeout_s: float | None = None
    """How long the server may work on it; None: the connection's."""
    of: str = ""
    """The method of the base class; empty: the one of the same name."""
    tells_destination: bool = False
    """Whether the body names the destination of the scope."""


def over_http(operation: str, read: Read = nothing, **how: Any) -> Any:
    """Return a method that asks for an operation, with the parameters and the description of the base class's.

    `user` names the subject of the path; `scope`, `time_zone` and `unchanged` become headers; other parameters are the
    path's, the URL's or the body's by their names.

    Args:
        operation: Its id.
        read: Reads the answer.
        how: Fields of `_Plan`.
    """
    return _Method(operation, _Plan(read=read, **how))


class _Method:
    """Becomes a method of the class that it is written in."""

    def __init__(self, operation: str, plan: _Plan) -> None:
        self._operation, self._plan = operation, plan

    def __set_name__(self, owner: type, name: str) -> None:
        of = self._plan.of or name
        near = next(vars(base)[of] for base in owner.__mro__[1:] if of in vars(base))
        setattr(owner, name, _method(near, self._operation, self._plan))


def not_over_http(namespace: str) -> Any:
    """Return a method or property that refuses, with the signature and the description of the base class's.

    Args:
        namespace: Where it is on the object that `connect` returns: `NOT_OVER_HTTP` has the reason.
    """
    return _Refusal(namespace)


class _Refusal:
    """Becomes each member of the class that it is assigned to."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace

    def __set_name__(self, owner: type, name: str) -> None:
        near = next(vars(base)[name] for base in owner.__mro__[1:] if name in vars(base))
        is_property = isinstance(near, property)
        refusing = _refusing(near.fget if is_property else near, f"{self._namespace}.{name}")
        setattr(owner, name, property(refusing) if is_property else refusing)


def _refusing(near: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(near)
    def refuse(*args: object, **options: object) -> Never:
        raise unavailable(name)

    @wraps(near)
    async def refuse_later(*args: object, **options: object) -> Never:
        raise unavailable(name)

    return refuse_later if inspect.iscoroutinefunction(near) else refuse


def unavailable(name: str) -> NotOverHttpError:
    """Return the error of a part that a connection does not have."""
    return NotOverHttpError(name, NOT_OVER_HTTP[name])


def _method(near: Callable[..., Any], operation: str, plan: _Plan) -> Callable[..., Awaitable[Any]]:
    signature = inspect.signature(near)

    @wraps(near)
    async def ask(self: RemoteService, *args: object, **options: object) -> Any:
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        given = {name: value for name, value in bound.arguments.items() if name != "self"}
        if plan.check is not None:
            plan.check(**given)
        client = self._client
        limit = given.pop("limit") if plan.pages else 0
        call, cursor = _call(client, operation, plan, given)
        if plan.pages:
            raws = await client.pages(call, plan.pages, limit, cursor=cursor)
            return [plan.read(raw, client) for raw in raws]
        if given.get("unchanged") is not None:
            call = replace(call, headers=await _if_match(client, given["memory_id"], given["user"], given["unchanged"]))
        raw = await client.ask(call)
        if plan.read is receipt:
            raw = {**raw, "subject": client.subject(given["user"])}
        return plan.read(raw, client)

    return ask


def _call(client: RestClient, operation: str, plan: _Plan, given: Mapping[str, Any]) -> tuple[Call, str | None]:
    """Return the request, and the cursor of its page."""
    declared = OPERATIONS[operation]
    steps, headers, data = dict[str, str](), {}, dict(plan.more)
    for parameter, value in given.items():
        name = plan.names.get(parameter, parameter)
        if parameter in ("scope", "time_zone"):
            scope = value if parameter == "scope" else RequestScope(time_zone=value)
            headers = dict(scope_headers(scope))
            data |= {"destination": asdict(scope.destination)} if plan.tells_destination else {}
        elif "{" + name + "}" in declared.path:
            steps[name] = _step(name, plan.send[parameter](value, client) if parameter in plan.send else value)
        elif parameter not in ("user", "unchanged") or parameter in plan.names:
            data[name] = plan.send[parameter](value, client) if parameter in plan.send else _sent(value)
    if "{subject}" in declared.path:
        steps["subject"] = client.named(client.subject(given.get("user")))
    cursor = data.pop("cursor", None) if plan.pages else None
    in_url = declared.method in _IN_URLS
    call = Call(
        method=declared.method,
        path=declared.path.format_map({name: segment(step) for name, step in steps.items()}),
        query=data if in_url else {},
        body=None if in_url or not data else data,
        headers=headers,
        writes=declared.writes,
        timeout_s=plan.timeout_s,
    )
    return call, None if cursor is None else str(cursor)


async def _if_match(
    client: RestClient, memory_id: str, user: str | Subject | None, unchanged: Memory
) -> Mapping[str, str]:
    """Return the header that demands a memory as the caller read it.

    Raises:
        ChangedMemoryError: It has changed already.
    """
    call = Call(method="GET", path=client.path(user, "memories", parse_memory_id(memory_id)))
    headers, raw = await client.ask_with_head(call)
    known = values.memory(raw, client)
    if not is_same_but_for_uses(known, unchanged):
        raise ChangedMemoryError(known.id)
    return {"If-Match": headers["etag"]}


def _step(name: str, value: object) -> str:
    """Return a part of a path; what the library would not find by it is refused here.

    Raises:
        UnknownMemoryError: It is not the id of a memory.
        UnknownConversationError, UnknownTraceError: It is empty.
    """
    text = str(value)
    if name == "memory":
        return parse_memory_id(text)
    if name == "conversation" and not text:
        raise UnknownConversationError(text)
    if name == "trace" and not text:
        raise UnknownTraceError("the id of a request is empty")
    return text


def _sent(value: object) -> object:
    """Return an argument as JSON has it."""
    match value:
        case datetime():
            return written(value)
        case Enum():
            return value.value
        case Mapping():
            return dict(value)
        case str() | bytes():
            return value
        case Sequence():
            return [_sent(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        case _:
            return value


async def last_line(parts: AsyncIterator[bytes], say: Callable[[dict[str, Any]], None], call: Call) -> dict[str, Any]:
    """Read an answer of JSON lines to its end; pass each line about progress on, and return the last one.

    Raises:
        ToldOnceError: The work failed; the last line holds the problem.
        ServerUnreachableError: The answer broke off.
    """
    rest = b""
    async for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            read = _object(line, call)
            if "problem" in read:
                problem = read["problem"]
                raise error_of(int(problem["status"]), {}, problem, call.shown)
            if read.keys() - _PROGRESS:
                return read
            say(read)
    raise ServerUnreachableError(f"the answer to {call.shown} broke off", is_sent=True)


def _object(line: bytes, call: Call) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise BadServerError(f"{call.shown} was not answered with JSON lines: is it a ToldOnce server?")
    return read


def plain_messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as JSON objects.

    Raises:
        BadRequestError: One is something else.
    """
    given: object = messages
    wrong = next((place for place, each in enumerate(messages, 1) if not isinstance(each, Mapping)), None)
    if isinstance(given, str | bytes) or wrong is not None:
        raise BadRequestError(f"message {wrong or 1} is not an object such as {_EXAMPLE}", param="messages")
    return [dict(each) for each in messages]


def dated_messages(
    messages: Sequence[Mapping[str, Any]], said_at: datetime | Sequence[datetime] | None
) -> list[dict[str, Any]]:
    """Return messages with the instants at which they were said.

    Raises:
        BadRequestError: There are not as many instants as messages, or one has no time zone.
    """
    plain = plain_messages(messages)
    if not plain:
        raise BadRequestError("messages is empty: there is nothing to log", param="messages")
    if said_at is None:
        return plain
    dates = message_dates(plain, said_at)
    return [{**each, "said_at": written(at)} for each, at in zip(plain, dates, strict=True)]


def sent_messages(messages: Sequence[Mapping[str, Any]], client: RestClient) -> object:
    """Send messages of a chat as JSON objects: see `plain_messages`."""
    return plain_messages(messages)
