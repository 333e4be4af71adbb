"""Serves an operation that is one method of the library: reads its arguments by their names. Through the engine.

What a request leaves out is left to the defaults of the method. Some names mean more than their value:

| name | argument |
|---|---|
| `subject` in the path | `user`: the subject, which the request may use as the operation does |
| a `SubjectName` that `Needs` an access | the subject, which the request may use in that way |
| `memory` in the path | `memory_id` |
| `cursor` | the place that it names, for the parameter of the operation's `Paging` |
| `tenant` | the tenant, as far as the credential goes |
| `everywhere` | the same, refused to a request that is bound to one user or app |
| `profile` | the profile, or that of the header |

A method with the parameter `scope` gets profile, app, destination and headers in it; one with `time_zone`, that of the
header; one with `unchanged`, the memory that `If-Match` demands.
"""

import inspect
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from toldonce.errors import ChangedMemoryError
from toldonce.server.api.v1.fields import Answer, Needs, Page, PageAnswer, Paging
from toldonce.server.api.v1.memory_answers import etag_of
from toldonce.server.api.v1.message_bodies import DestinationBody, scope_of
from toldonce.server.api.v1.operation import ResourceReply, ResourceRequest
from toldonce.types import Access, Memory

ARGUMENTS = {"memory": "memory_id", "subject": "user"}
"""Names of arguments, where they are not those of the request."""
# Other subjects in a path, and what the request must be allowed to do with them.
_PATH_SUBJECTS = {"shared": Access.READ}
SCOPE_NAMES = frozenset({"profile", "app", "destination"})
"""What a method with the parameter `scope` gets in it."""


async def call_method(request: ResourceRequest) -> ResourceReply:
    """Call the method with what the request says; answer what it returns."""
    operation = request.operation
    if operation.calls is None:
        raise TypeError(f"the operation {operation.id} declares neither a method nor a handler")
    method = operation.calls(request.engine)
    taken = parameters_of(method)
    given = _given(request, taken)
    if operation.takes_if_match:
        unchanged = await _unchanged(request)
        given |= {"unchanged": unchanged} if "unchanged" in taken else {}
    return _reply(request, await method(**{name: value for name, value in given.items() if value is not None}))


def parameters_of(method: Callable[..., object]) -> frozenset[str]:
    """Return the names of a bound method's parameters."""
    return _parameters(getattr(method, "__func__", method))


@cache
def _parameters(function: Callable[..., object]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _given(request: ResourceRequest, taken: Collection[str]) -> dict[str, Any]:
    """Return the arguments that path, URL and body name."""
    operation, given = request.operation, dict[str, Any]()
    for name, text in request.path.items():
        access = operation.access if name == "subject" else _PATH_SUBJECTS.get(name)
        given[ARGUMENTS.get(name, name)] = text if access is None else request.subject(text, access)
    for part in (request.query, *([] if operation.body is None else [request.body_as(operation.body)])):
        for name, field in type(part).model_fields.items():
            needs = next((mark for mark in field.metadata if isinstance(mark, Needs)), None)
            given[ARGUMENTS.get(name, name)] = _argument(request, name, getattr(part, name), needs)
    if "scope" in taken:
        body = {name: given.pop(name, None) for name in SCOPE_NAMES}
        given["scope"] = scope_of(request, body["profile"], body["app"], body["destination"])
    elif isinstance(given.get("destination"), DestinationBody):
        given["destination"] = given["destination"].plain
    if "time_zone" in taken:
        given["time_zone"] = request.requester.identity.scope.time_zone
    if operation.paging is not None:
        given[operation.paging.into] = operation.paging.read(given.pop("cursor"))
    return given


def _argument(request: ResourceRequest, name: str, value: Any, needs: Needs | None) -> object:
    match name:
        case "tenant":
            return request.requester.require_tenant(value)
        case "everywhere":
            return request.reaches_others(value)
        case "profile":
            return request.profile(value)
        case _ if needs is not None and value is not None:
            return request.subject(value, needs.access)
        case _:
            return value


def _reply(request: ResourceRequest, value: Any) -> ResourceReply:
    operation = request.operation
    shape = operation.answer
    if shape is None:
        return ResourceReply()
    if operation.paging is not None:
        return _page(request, shape, operation.paging, value)
    described = value if operation.describe is None else operation.describe(value, request)
    if len(shape.model_fields) == 1:
        [name] = shape.model_fields
        described = {name: described}
    headers = {"ETag": etag_of(value, request.requester)} if operation.has_etag else {}
    return ResourceReply(answer=shape.of(described, request.requester), headers=headers)


def _page(request: ResourceRequest, shape: type[Answer], paging: Paging, found: Any) -> ResourceReply:
    """Answer a page: a list of items, or a value with the fields of the answer and its own idea of what follows."""
    names = shape.model_fields.keys() - PageAnswer.model_fields.keys()
    if isinstance(found, list):
        is_full = len(found) == request.query_as(Page).limit
        following = paging.write(found[-1]) if is_full else None
        fields = dict.fromkeys(names, found)
    else:
        following = paging.write(found)
        fields = {name: getattr(found, name) for name in names}
    return ResourceReply(
        answer=shape.of({**fields, "next_cursor": following}, request.requester), next_cursor=following
    )


async def _unchanged(request: ResourceRequest) -> Memory | None:
    """Return the memory of the path as the header `If-Match` demands it; None without that header.

    Raises:
        UnknownMemoryError: The subject has no such memory.
        ChangedMemoryError: No tag of the header is that of the memory.
    """
    wanted = request.header("if-match")
    if wanted is None:
        return None
    memory = await request.engine.get(request.path["memory"], user=request.target)
    tags = [tag.strip() for tag in wanted.split(",")]
    if wanted != "*" and etag_of(memory, request.requester) not in tags:
        raise ChangedMemoryError(memory.id)
    return memory
