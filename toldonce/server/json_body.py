"""JSON bodies of requests: what is refused before anything else reads it. Pure."""

import json
from typing import Any

from toldonce.chat.json_depth import has_more_values, nests_deeper
from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Headers, MediaTypeError, header

# Half of a surrogate pair can only be written as an escape: UTF-8 has no bytes for it.
_SURROGATE_ESCAPE = LazyPattern(rb"\\u[dD][89a-fA-F]")
_JSON_TYPE = LazyPattern(r"application/(?:[a-z0-9!#$&^_.+-]{1,100}\+)?json[ \t]*(?:;.*)?")


async def is_too_deep(body: bytes, limit: int) -> bool:
    """Return whether a body nests JSON deeper than `limit`; a large one is read in a thread."""
    return await run_in_thread_if_large(len(body), lambda: nests_deeper(body, limit))


def too_deep(limit: int) -> str:
    """Return what is wrong with a body that is nested too deeply."""
    return f"the body nests values deeper than {limit}"


async def has_too_many_values(body: bytes, limit: int) -> bool:
    """Return whether a body holds more values than `limit`; a large one is read in a thread."""
    return await run_in_thread_if_large(len(body), lambda: has_more_values(body, limit))


def too_many_values(limit: int) -> str:
    """Return what is wrong with a body that holds too many values."""
    return f"the body holds more than {limit:,} values: send it in parts"


def require_json(headers: Headers) -> None:
    """Refuse a body that says it is something else; one that says nothing is taken for JSON.

    Raises:
        MediaTypeError: Its content type is not JSON.
    """
    kind = (header(headers, b"content-type") or b"").decode("latin-1").strip().lower()
    if kind and not _JSON_TYPE.fullmatch(kind):
        raise MediaTypeError(f"the body's content type is {kind[:80]!r}; send application/json")


def decode_json(body: bytes, *, max_depth: int, max_values: int) -> Any:
    """Decode a body; None if it is empty.

    Raises:
        BadRequestError: It is not JSON (NaN and infinity are not), is nested too deeply, holds too many values, or has
            half a character.
    """
    if not body.strip():
        return None
    if nests_deeper(body, max_depth):
        raise BadRequestError(too_deep(max_depth))
    if has_more_values(body, max_values):
        raise BadRequestError(too_many_values(max_values))
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequestError(f"the body is not JSON: {reason[:200]}") from None
    if _SURROGATE_ESCAPE.search(body):
        _require_whole_characters(value)
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _require_whole_characters(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise BadRequestError(
            f"the body has half of a surrogate pair, \\u{ord(half):04x}, which is no character"
        ) from None
