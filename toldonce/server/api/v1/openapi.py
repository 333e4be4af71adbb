"""The OpenAPI 3.1 document of the REST API under `/v1`, generated from its operations and their models. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from toldonce.server.api.v1.fields import SUBJECT_PATTERN
from toldonce.server.api.v1.operation import MARKDOWN, NDJSON, OCTETS, PATH_LIMITS, ResourceOperation
from toldonce.server.api.v1.problems import PROBLEM_JSON, Problem
from toldonce.server.api.v1.request import JSON
from toldonce.server.status import NO_CONTENT, SERVICE_UNAVAILABLE, TOO_MANY_REQUESTS
from toldonce.types import Access

OPENAPI_VERSION = "3.1.0"
_REF = "#/components/schemas/{model}"
_ABOUT = (
    "Long-term memory for LLM chat. Everything about a subject is under `/v1/subjects/{subject}`: a user "
    "(`user:ana`), a session, app, character or shared subject, or `me`, the request's own user. "
    "Instants are ISO 8601 with an offset. Errors are problem details (RFC 9457)."
)
_TAGS = {
    "keys": "Who may call the server, and what administrators did.",
    "subjects": "Users and others whose memories are kept.",
    "conversations": "Conversations and the messages in them.",
    "traces": "What memory did for each request, across conversations.",
    "memories": "What is known: notes, facts, summaries and quotations.",
    "history": "Decisions about memories, and taking them back.",
    "apps": "Apps with a memory of their own.",
    "reviews": "Memories that wait for review.",
    "usage": "What memory work costs, and what it may cost.",
    "operation": "The whole server: formations, profiles, export, import and counts.",
}
_PARAMETERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "subject": (
        "`user:ana`, `session:ana/1`, `app:ana/calendar`, `character:…`, `shared:…`, `global`, or `me`; "
        "percent-encoded. It is relative to the tenant of the credential.",
        {"pattern": SUBJECT_PATTERN},
    ),
    "memory": ("Id of a memory.", {}),
    "conversation": ("Your id of the conversation, or the server's; percent-encoded.", {}),
    "decision": ("Id of a decision.", {}),
    "trace": ("Id of a request, as a list of traces has it.", {}),
    "key": ("Public id of an API key.", {}),
    "app": ("Name of the app; percent-encoded.", {}),
    "character": ("Name of the character; percent-encoded.", {}),
    "number": ("The memory's `number`.", {}),
    "shared": ("A shared subject, such as `shared:family`; percent-encoded.", {"pattern": SUBJECT_PATTERN}),
}
_FILE = {"type": "string", "format": "binary"}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Chosen by the client. For 24 hours, the same request with the same key has one effect and one "
    "answer; another request with it is refused (422), and one while the first still runs, too (409).",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "description": "Only if the memory still has this ETag (else 412).",
    "schema": {"type": "string", "maxLength": 1000, "pattern": "^[!-~]+$"},
}

_TIME_ZONE = {
    "name": "X-ToldOnce-Time-Zone",
    "in": "header",
    "description": "Where the user is, such as `Europe/Berlin`, `CET` or `UTC+2`: decides which day `yesterday` was. "
    "By default as the user said, else the server's setting.",
    "schema": {"type": "string", "maxLength": 64},
}
# Operations with words of a user.
_ZONED = frozenset({"recordMessages", "recordTurn", "searchMemories", "getContext", "writePrompt"})


def openapi_document(operations: Sequence[ResourceOperation], version: str) -> dict[str, Any]:
    """Build the document; equal operations give an equal document."""
    definitions = _schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation, definitions)
    return {
        "openapi": OPENAPI_VERSION,
        "info": {"title": "ToldOnce", "version": version, "description": _ABOUT},
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "security": [{}, {"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "None is needed where everybody who can connect is trusted.",
                }
            },
            "schemas": definitions["schemas"],
        },
    }


def _schemas(operations: Iterable[ResourceOperation]) -> dict[str, Any]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(Problem, "serialization"): None}
    for operation in operations:
        wanted[operation.query, "validation"] = None
        if operation.body is not None:
            wanted[operation.body, "validation"] = None
        if operation.answer is not None:
            wanted[operation.answer, "serialization"] = None
    references, defined = models_json_schema(list(wanted), ref_template=_REF)
    schemas: dict[str, Any] = dict(defined["$defs"])
    for schema in schemas.values():
        for described in schema.get("properties", {}).values():
            if "default" in described and described["default"] is None:
                # What may be null may be absent. Generators for TypeScript make fields with a default mandatory.
                del described["default"]
    resolved = {model: schemas[str(found["$ref"]).rpartition("/")[2]] for (model, _), found in references.items()}
    for model, mode in wanted:
        if mode == "validation" and not any(operation.body is model for operation in operations):
            schemas.pop(model.__name__, None)  # parameters are described where they are used
    return {"schemas": schemas, "of": resolved, "references": {model: ref for (model, _), ref in references.items()}}


def _described(operation: ResourceOperation, definitions: Mapping[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": f"{operation.description} Needs {operation.access.value} access.".strip(),
        "parameters": [*_path_parameters(operation.path), *_query_parameters(operation, definitions)],
        "responses": _responses(operation, definitions),
    }
    if operation.id in _ZONED:
        described["parameters"].append(_TIME_ZONE)
    if operation.writes:
        described["parameters"].append(_IDEMPOTENCY_KEY)
    if operation.takes_if_match:
        described["parameters"].append(_IF_MATCH)
    if operation.body is not None:
        content = {JSON: {"schema": definitions["references"][operation.body]}}
        described["requestBody"] = {"required": not operation.has_optional_body, "content": content}
    if operation.streams_body:
        described["requestBody"] = {"required": True, "content": {kind: {"schema": _FILE} for kind in (NDJSON, OCTETS)}}
    if operation.access is Access.ADMIN:
        described["x-access"] = operation.access.value
    return described


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [step[1:-1] for step in path.split("/") if step.startswith("{")]
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": text,
            "schema": {"type": "string", "minLength": 1, "maxLength": PATH_LIMITS[name], **schema},
        }
        for name in names
        for text, schema in [_PARAMETERS[name]]
    ]


def _query_parameters(operation: ResourceOperation, definitions: Mapping[str, Any]) -> list[dict[str, Any]]:
    schema = definitions["of"][operation.query]
    parameters = []
    for name, described in schema.get("properties", {}).items():
        plain = {key: value for key, value in described.items() if key not in ("title", "description")}
        plain = _without_null(plain)
        parameter = {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": plain}
        if "description" in described:
            parameter["description"] = described["description"]
        parameters.append(parameter)
    return parameters


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter that may be absent, and cannot be null in a URL."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf" and not (key == "default" and value is None)}
    return {**rest, **options[0]}


def _responses(operation: ResourceOperation, definitions: Mapping[str, Any]) -> dict[str, Any]:
    status = operation.status
    good: dict[str, Any] = {"description": HTTPStatus(status).phrase}
    if operation.answer is not None:
        good["content"] = {JSON: {"schema": definitions["references"][operation.answer]}}
    elif operation.streams_answer:
        documents = (MARKDOWN,) if "format" in operation.query.model_fields else ()
        good["content"] = {kind: {"schema": _FILE} for kind in (NDJSON, OCTETS, *documents)}
    else:
        good = {"description": HTTPStatus(NO_CONTENT).phrase}
        status = NO_CONTENT
    headers: dict[str, Any] = {}
    if operation.has_etag:
        headers["ETag"] = {"schema": {"type": "string"}, "description": "Changes with everything but its uses."}
    if "cursor" in operation.query.model_fields:
        headers["Link"] = {"schema": {"type": "string"}, "description": 'The next page: `<…>; rel="next"`.'}
    if headers:
        good["headers"] = headers
    responses = {str(status): good}
    for error in operation.errors:
        responses[str(error)] = _problem(error, definitions)
    return responses


def _problem(status: int, definitions: Mapping[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {PROBLEM_JSON: {"schema": definitions["references"][Problem]}},
    }
    if status in (TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE):
        answer["headers"] = {
            "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait before trying again."}
        }
    return answer
