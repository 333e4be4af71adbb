"""A circuit breaker before the model, and the longest wait for its answer. Awaits the model it is given.

Closed, calls pass. After some failures in a row it opens: nobody asks, so that an outage costs nobody half a minute a
formation. After a wait it is half open and lets one call through, the probe: its success closes, its failure opens it
again for twice as long. A failure that is the request's own fault is a sign of life.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from recollect.clock import Clock
from recollect.errors import BreakerOpenError, ModelDownError, ModelError, ModelFault
from recollect.providers.protocols import LanguageModel, ModelAnswer

logger = logging.getLogger(__name__)

# Fewer than the attempts after which a profile parks a formation: an outage is noticed before it can park one.
MAX_FAILURES = 3
FIRST_WAIT_S = 5.0
MAX_WAIT_S = 600.0
# Who comes while a probe is under way asks again after so long.
_PROBING_S = 5.0
# Who failed comes a little behind who was turned away: a request that the model cannot bear must not be every probe.
_BEHIND_S = 2.0


class BreakerState(StrEnum):
    """Whether the model may be asked."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class _Outcome(StrEnum):
    """How a call ended, as far as the server's health goes."""

    NONE = "none"
    """It was cancelled: nothing is known."""
    ALIVE = "alive"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerStatus:
    """The breaker as people see it."""

    state: BreakerState
    failures: int
    """In a row, up to now."""
    opened: int
    """How often it opened since the start."""
    refused: int
    """Calls that were turned away since the start."""
    retry_in_s: float
    """Until the model may be asked again; 0 while it may."""


class CircuitBreaker:
    """Counts failures in a row, and says whether the model may be asked. Safe for several threads and tasks."""

    def __init__(
        self,
        clock: Clock,
        *,
        most_failures: int = MAX_FAILURES,
        first_wait_s: float = FIRST_WAIT_S,
        longest_wait_s: float = MAX_WAIT_S,
    ) -> None:
        """Start closed.

        Args:
            clock: Waits are measured by its monotonic time.
            most_failures: Failures in a row that open it.
            first_wait_s: How long it stays open at first; each failed probe doubles that.
            longest_wait_s: The longest it stays open.
        """
        self._clock = clock
        self._most_failures = most_failures
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._lock = threading.Lock()
        self._failures = 0
        self._wait_s = 0.0
        self._retry_at: float | None = None  # monotonic; None while closed
        self._probing = False
        self._era = 0
        self._opened = 0
        self._refused = 0

    def status(self) -> BreakerStatus:
        """Say how it stands."""
        with self._lock:
            return BreakerStatus(
                state=self._state(),
                failures=self._failures,
                opened=self._opened,
                refused=self._refused,
                retry_in_s=self._left_s(),
            )

    def check(self) -> None:
        """Pass if a call may be made now; takes no probe.

        Raises:
            BreakerOpenError: it is open, or its probe is under way.
        """
        with self._lock:
            self._refuse_unless_free()

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Hold this around a call: it is let through or refused, and its outcome is counted.

        Raises:
            BreakerOpenError: it is open, or its probe is under way.
        """
        era, probe = self._enter()
        outcome = _Outcome.NONE
        try:
            yield
            outcome = _Outcome.ALIVE
        except ModelError as error:
            outcome = _Outcome.ALIVE if error.fault is ModelFault.REQUEST else _Outcome.FAILED
            raise
        finally:
            self._leave(era, probe=probe, outcome=outcome)

    def _enter(self) -> tuple[int, bool]:
        with self._lock:
            self._refuse_unless_free()
            probe = self._retry_at is not None
            self._probing = probe
            return self._era, probe

    def _leave(self, era: int, *, probe: bool, outcome: _Outcome) -> None:
        with self._lock:
            if era != self._era:  # asked before it opened or closed: says nothing of now
                return
            if probe:
                self._probing = False
            if outcome is _Outcome.ALIVE:
                self._close()
            elif outcome is _Outcome.FAILED:
                self._failures += 1
                if probe or self._failures >= self._most_failures:
                    self._open()

    def _close(self) -> None:
        if self._retry_at is not None:
            self._era += 1
            logger.info("breaker closed", extra={"opened": self._opened})
        self._failures, self._wait_s, self._retry_at = 0, 0.0, None

    def _open(self) -> None:
        self._era += 1
        self._opened += 1
        self._wait_s = min(self._wait_s * 2 or self._first_wait_s, self._longest_wait_s)
        self._retry_at = self._clock.monotonic() + self._wait_s
        logger.warning("breaker open", extra={"failures": self._failures, "wait_s": self._wait_s})

    def _state(self) -> BreakerState:
        if self._retry_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._clock.monotonic() < self._retry_at else BreakerState.HALF_OPEN

    def _left_s(self) -> float:
        return 0.0 if self._retry_at is None else max(0.0, self._retry_at - self._clock.monotonic())

    def _refuse_unless_free(self) -> None:
        state = self._state()
        if state is BreakerState.CLOSED or (state is BreakerState.HALF_OPEN and not self._probing):
            return
        self._refused += 1
        left_s = self._left_s() if state is BreakerState.OPEN else _PROBING_S
        raise BreakerOpenError(self._clock.now() + timedelta(seconds=left_s))


class GuardedModel:
    """A language model behind a breaker, cut off after the longest wait."""

    def __init__(self, model: LanguageModel, breaker: CircuitBreaker, clock: Clock, *, timeout_s: float) -> None:
        """Stand before `model`; several may share one breaker."""
        self._model = model
        self._clock = clock
        self._timeout_s = timeout_s
        self.breaker = breaker

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask the model, if it may be asked.

        Raises:
            BreakerOpenError: the model kept failing; it was not asked.
            ModelDownError: it failed, and so would any other request.
            ModelError: it failed, or gave no answer in time.
        """
        try:
            with self.breaker.passing():
                return await self._in_time(system, user, schema, schema_name)
        except ModelError as error:
            status = self.breaker.status()
            if error.fault is ModelFault.REQUEST or (
                error.fault is ModelFault.UNKNOWN and status.state is BreakerState.CLOSED
            ):
                raise
            until = self._clock.now() + timedelta(seconds=status.retry_in_s + _BEHIND_S)
            raise ModelDownError(str(error), fault=error.fault, until=until) from error

    async def _in_time(self, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._model.answer(system=system, user=user, schema=schema, schema_name=schema_name)
        except TimeoutError:
            raise ModelError(
                f"the model {self.name} gave no answer within {self._timeout_s:g} s", fault=ModelFault.UNKNOWN
            ) from None
