"""Record answered turns while their answers are still on the way to the client. Writes through the engine."""

import asyncio
import logging
from dataclasses import dataclass

from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, PreparedTurn
from toldonce.guard import guarded
from toldonce.metrics import ProxyCounters
from toldonce.types import Identity

logger = logging.getLogger(__name__)

NOT_RECORDED, NOT_RECORDED_IN_TIME = "not recorded", "not recorded in time"
"""What a client is told about a record that failed, and about one that is still under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredTurn:
    """A request with the reply it got."""

    request: ChatRequest
    identity: Identity
    prepared: PreparedTurn | None
    """What was recalled for it; None if recall failed."""
    reply: Reply


class TurnRecorder:
    """Records turns in tasks of their own, which outlive a client that hangs up."""

    def __init__(self, engine: AsyncToldOnce, counters: ProxyCounters) -> None:
        self._engine = engine
        self._counters = counters
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def pending(self) -> tuple[asyncio.Task[None], ...]:
        """Records that are under way."""
        return tuple(self._tasks)

    async def record_before_done(self, turn: AnsweredTurn) -> str:
        """Record a turn, waiting no longer than `commit_timeout_s`.

        Returns:
            What the client must be told; empty if the turn is durable.
        """
        record = self.start_recording(turn)
        done, _ = await asyncio.wait({record}, timeout=self._engine.settings.commit_timeout_s)
        if record in done and record.exception() is None:
            return ""
        self._counters.not_recorded += 1
        trouble = NOT_RECORDED if record in done else NOT_RECORDED_IN_TIME
        logger.error("the turn was %s", trouble)
        return trouble

    def start_recording(self, turn: AnsweredTurn) -> asyncio.Task[None]:
        """Start recording; the task goes on whatever the client does."""
        task = asyncio.create_task(self._record(turn))
        self._tasks.add(task)
        task.add_done_callback(self._discard)
        return task

    def report_unreadable(self) -> str:
        """Note that an answer came compressed although plain text was requested; return what the client is told."""
        self._counters.not_recorded += 1
        logger.error("the turn was not recorded: upstream compresses what was asked for plain")
        return NOT_RECORDED

    async def _record(self, turn: AnsweredTurn) -> None:
        with guarded(logger, "recording failed") as guard:
            await self._engine.turns.finish(turn.request, turn.identity, turn.reply, turn.prepared)
        if guard.failure is not None:
            self._counters.memory_failed += 1
            self._counters.failed_in_a_row += 1
            raise guard.failure
        self._counters.recorded += 1
        self._counters.failed_in_a_row = 0

    def _discard(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved: `_record` logged it, and the waiting client may be gone
