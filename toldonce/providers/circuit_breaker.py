"""Circuit breaker and timeout for a language model. Awaits the model.

While closed, calls pass. After several failures in a row the breaker opens and rejects calls, so that an outage does
not cost each formation a timeout. After a wait it is half open and lets one call through, the probe: success closes it,
failure opens it again for twice as long. A failure caused by the request itself counts as a sign of life.
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

from toldonce.clock import Clock
from toldonce.errors import BreakerOpenError, ModelDownError, ModelError, ModelFault
from toldonce.providers.protocols import LanguageModel, ModelAnswer

logger = logging.getLogger(__name__)

# Lower than the number of attempts after which a profile parks a formation: an outage must not park any.
MAX_FAILURES = 3
FIRST_WAIT_S = 5.0
MAX_WAIT_S = 600.0
# Delay for calls rejected while a probe is running.
_PROBE_RETRY_S = 5.0
# Retry failed calls slightly later than rejected ones, so that one bad request does not become every probe.
_FAILED_DELAY_S = 2.0


class BreakerState(StrEnum):
    """State of the breaker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class _Outcome(StrEnum):
    """Outcome of a call with respect to the server's health."""

    NONE = "none"
    """Cancelled: nothing is known."""
    ALIVE = "alive"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerStatus:
    """State of a breaker, for display."""

    state: BreakerState
    failures: int
    """Consecutive failures so far."""
    opened: int
    """How often it opened since the process started."""
    refused: int
    """Rejected calls since the process started."""
    retry_in_s: float
    """Seconds until calls are allowed again; 0 if they are."""


class CircuitBreaker:
    """Counts consecutive failures and rejects calls during an outage. Safe for several threads and tasks."""

    def __init__(
        self,
        clock: Clock,
        *,
        max_failures: int = MAX_FAILURES,
        first_wait_s: float = FIRST_WAIT_S,
        max_wait_s: float = MAX_WAIT_S,
    ) -> None:
        """Create a closed breaker.

        Args:
            clock: Its monotonic time measures waits.
            max_failures: Consecutive failures that open it.
            first_wait_s: First wait while open; each failed probe doubles it.
            max_wait_s: Maximum wait.
        """
        self._clock = clock
        self._max_failures = max_failures
        self._first_wait_s = first_wait_s
        self._max_wait_s = max_wait_s
        self._lock = threading.Lock()
        self._failures = 0
        self._wait_s = 0.0
        self._retry_at: float | None = None  # monotonic; None while closed
        self._probing = False
        self._era = 0
        self._opened = 0
        self._refused = 0

    def status(self) -> BreakerStatus:
        """Return the current state."""
        with self._lock:
            return BreakerStatus(
                state=self._state(),
                failures=self._failures,
                opened=self._opened,
                refused=self._refused,
                retry_in_s=self._left_s(),
            )

    def check(self) -> None:
        """Check whether a call is allowed now, without using the probe.

        Raises:
            BreakerOpenError: The breaker is open, or its probe is running.
        """
        with self._lock:
            self._refuse_unless_free()

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Guard a call: admit or reject it, and count its outcome.

        Raises:
            BreakerOpenError: The breaker is open, or its probe is running.
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
            if era != self._era:  # the call began before the last change of state
                return
            if probe:
                self._probing = False
            if outcome is _Outcome.ALIVE:
                self._close()
            elif outcome is _Outcome.FAILED:
                self._failures += 1
                if probe or self._failures >= self._max_failures:
                    self._open()

    def _close(self) -> None:
        if self._retry_at is not None:
            self._era += 1
            logger.info("breaker closed", extra={"opened": self._opened})
        self._failures, self._wait_s, self._retry_at = 0, 0.0, None

    def _open(self) -> None:
        self._era += 1
        self._opened += 1
        self._wait_s = min(self._wait_s * 2 or self._first_wait_s, self._max_wait_s)
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
        left_s = self._left_s() if state is BreakerState.OPEN else _PROBE_RETRY_S
        raise BreakerOpenError(self._clock.now() + timedelta(seconds=left_s))


class GuardedModel:
    """A language model guarded by a breaker and a timeout."""

    def __init__(self, model: LanguageModel, breaker: CircuitBreaker, clock: Clock, *, timeout_s: float) -> None:
        """Guard `model`; several models may share a breaker."""
        self._model = model
        self._clock = clock
        self._timeout_s = timeout_s
        self.breaker = breaker

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask the model, if the breaker allows it.

        Raises:
            BreakerOpenError: The model kept failing and was not asked.
            ModelDownError: The model failed, as it would for any request.
            ModelError: The model failed, or did not answer in time.
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
            until = self._clock.now() + timedelta(seconds=status.retry_in_s + _FAILED_DELAY_S)
            raise ModelDownError(str(error), fault=error.fault, until=until) from error

    async def _in_time(self, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._model.answer(system=system, user=user, schema=schema, schema_name=schema_name)
        except TimeoutError:
            raise ModelError(
                f"the model {self.name} gave no answer within {self._timeout_s:g} s", fault=ModelFault.UNKNOWN
            ) from None
