"""Idempotency keys: the same request with the same key has one effect and one answer. Runs through the engine."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import blake2b

from toldonce.engine import run_once
from toldonce.errors import BadRequestError
from toldonce.server.api.v1.operation import ResourceRequest
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.status import CONFLICT, UNPROCESSABLE
from toldonce.types import ClaimState, IdempotencyKey, StoredAnswer, Subject

HEADER = b"idempotency-key"
REPLAYED = "Idempotency-Replayed"
"""Header of an answer that is given again."""
_MAX_CHARACTERS = 255
_HASH_BYTES = 16
_REFUSALS = {
    ClaimState.RUNNING: (CONFLICT, "request-in-progress", "a request with this idempotency key is still running"),
    ClaimState.LOST: (
        CONFLICT,
        "answer-lost",
        "the request with this idempotency key took effect, but its answer is not kept: read what it did",
    ),
    ClaimState.REUSED: (UNPROCESSABLE, "key-reused", "another request has used this idempotency key: choose another"),
}


async def answer_once(request: ResourceRequest, run: Callable[[], Awaitable[StoredAnswer]]) -> StoredAnswer:
    """Run a request that writes, or give the answer to an equal one again, if it has a key.

    Raises:
        BadRequestError: The key is not one.
        ProblemError: An equal request is running or its answer is lost (409), or another one used the key (422).
    """
    given = [value for name, value in request.headers if name.lower() == HEADER]
    if not given or not request.operation.writes:
        return await run()
    key = _key(given, request)
    is_first = False

    async def first() -> StoredAnswer:
        nonlocal is_first
        is_first = True
        return await run()

    claim = await run_once(request.engine, key, first)
    if claim.answer is None:
        status, kind, detail = _REFUSALS[claim.state]
        headers = {"Retry-After": "1"} if claim.state is ClaimState.RUNNING else {}
        raise ProblemError(status, kind, detail, headers=headers)
    if is_first:
        return claim.answer
    return replace(claim.answer, headers={**claim.answer.headers, REPLAYED: "true"})


def _key(given: list[bytes], request: ResourceRequest) -> IdempotencyKey:
    text = given[0].decode("latin-1")
    if (
        len(given) > 1
        or not 1 <= len(text) <= _MAX_CHARACTERS
        or not all("!" <= character <= "~" for character in text)
    ):
        raise BadRequestError(
            f"Idempotency-Key takes 1 to {_MAX_CHARACTERS} printable ASCII characters without spaces, once",
            param="Idempotency-Key",
        )
    requester = request.requester
    subject = request.target if "subject" in request.path else Subject("global", "", requester.tenant or "")
    actor = "" if requester.caller is None or "subject" in request.path else requester.caller.id
    scope = requester.identity.scope
    asked = (
        *(f"{name}={value}" for name, value in request.path.items() if name != "subject"),
        request.query.model_dump_json(),
        request.body.model_dump_json() if request.body is not None else "",
        request.header("if-match") or "",
        repr(scope),
    )
    return IdempotencyKey(
        subject=subject,
        key=_hash(subject.text, request.operation.id, actor, text),
        request=_hash(*asked),
    )


def _hash(*parts: str) -> bytes:
    """Hash some texts, of which none can pass for two."""
    hashed = blake2b(digest_size=_HASH_BYTES)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()
