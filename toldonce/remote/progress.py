"""Answers that say how far some work is, line by line. Pure."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from toldonce.errors import BadServerError, ServerUnreachableError
from toldonce.remote.client import Call
from toldonce.remote.problems import error_of

_PROGRESS = frozenset({"phase", "unit", "total", "done"})


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
