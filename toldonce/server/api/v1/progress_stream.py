"""Long work as a stream of JSON lines: how far it is, and at last its result or its problem. Runs a task."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from toldonce.errors import ToldOnceError
from toldonce.server.api.v1.fields import Answer
from toldonce.server.api.v1.operation import ResourceRequest
from toldonce.server.api.v1.problems import Problem, body_of, problem_of

# Lines that wait for a client that does not read; further ones are left out, as each replaces those before it.
_MAX_WAITING_LINES = 100


class ProgressLine(Answer):
    """One line: the beginning of a phase, or how far it is, or the problem that ended the work."""

    phase: str | None = None
    unit: str | None = None
    total: int | None = None
    done: int | None = None
    problem: Problem | None = None


Work = Callable[[Callable[[ProgressLine], None]], Awaitable[ProgressLine]]
"""Does the work, calls its argument with lines on the way, and returns the last line."""


async def progress_stream(work: Work, request: ResourceRequest) -> AsyncGenerator[bytes, None]:
    """Begin some work; return its lines once the first one is there.

    Raises:
        ToldOnceError: The work failed before its first line. Later, the last line has its problem.
    """
    lines: asyncio.Queue[ProgressLine | None] = asyncio.Queue()

    def say(line: ProgressLine) -> None:
        if lines.qsize() < _MAX_WAITING_LINES:
            lines.put_nowait(line)

    async def run() -> ProgressLine:
        try:
            return await work(say)
        finally:
            lines.put_nowait(None)

    working = asyncio.create_task(run())
    try:
        first = await lines.get()
    except asyncio.CancelledError:
        working.cancel()
        raise
    if first is None:
        return _single(await working)
    return _lines(first, lines, working, request)


async def _single(line: ProgressLine) -> AsyncGenerator[bytes, None]:
    yield _line(line)


async def _lines(
    first: ProgressLine,
    lines: asyncio.Queue[ProgressLine | None],
    working: asyncio.Task[ProgressLine],
    request: ResourceRequest,
) -> AsyncGenerator[bytes, None]:
    """Yield the first line and those after it; work that nothing waits for any more is cancelled."""
    try:
        yield _line(first)
        while (line := await lines.get()) is not None:
            yield _line(line)
        try:
            yield _line(await working)
        except ToldOnceError as error:
            problem = problem_of(error, now=request.engine.clock.now())
            yield _line(ProgressLine(problem=body_of(problem, request.raw_path)))
    finally:
        working.cancel()


def _line(line: ProgressLine) -> bytes:
    return line.model_dump_json(exclude_none=True).encode() + b"\n"
