"""Worker loop: lease a due formation, form, commit; park what keeps failing. Uses the store.

What must wait (the model is down, the budget is spent) is deferred without counting the attempt, so it is never parked.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from operator import attrgetter

from toldonce.concurrency import retry_once, retry_while_stale
from toldonce.errors import (
    BreakerOpenError,
    BudgetSpentError,
    LeaseLostError,
    ModelDownError,
    ModelError,
    ModelFault,
    StoreFullError,
    StoreUnavailableError,
    ToldOnceError,
    UnknownProfileError,
)
from toldonce.formation.batch import ignored
from toldonce.formation.budgeted_model import BudgetedModel, charge_rule_work, on_budget
from toldonce.formation.runtime import KnownMemories, Runtime, Stage
from toldonce.formation.telemetry import measure_extraction, place_of, record_outcome
from toldonce.maintenance.capacity import booked_compactor
from toldonce.maintenance.eviction import with_evictions
from toldonce.memo import remembering
from toldonce.types import FormationKey, FormationResult, Lease, Subject
from toldonce.worker.counters import WorkerCounters, WorkerElsewhere
from toldonce.worker.stage_leases import StageLeases
from toldonce.worker.stop_limit import StopLimit, StoppedError
from toldonce.worker.subject_turns import SubjectTurns
from toldonce.worker.upkeep import Chores, Upkeep

logger = logging.getLogger(__name__)

# How long the work of a killed worker waits for another. A live worker renews its lease three times within it,
# however long a model takes.
LEASE_S = 6.0
RENEW_S = 2.0
# Turns of other processes are found by polling; those of this process wake the worker at once.
POLL_S = 1.0
# Subjects worked on concurrently: they mostly wait for a model, and one that hangs must not hold up the rest.
MAX_CONCURRENT_SUBJECTS = 4
# Attempts while concurrent commits to the same subject make the read stale.
MAX_STALE_ATTEMPTS = 8
_MAX_BACKOFF_S = 600.0
# Wait after a server reports that it is down, if no circuit breaker says for how long (an embedder's).
_DOWN_S = 10.0
# How long a formation may continue after a prompt stop, its commit apart: rules mostly end within it, models do not.
FORM_STOP_WAIT_S = 0.3
# What is deferred waits at least this long, so that the worker does not try it again and again.
_MIN_DELAY = timedelta(seconds=1)


class Worker:
    """Forms what is due until it is stopped. Any number of workers may share a database."""

    def __init__(
        self,
        runtime: Runtime,
        stages: Mapping[str, Stage],
        *,
        chores: Chores | None = None,
        lost: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Create a worker.

        Args:
            runtime: Store, models and clock.
            stages: The stages of formation by name.
            chores: Maintenance to do while nothing is due.
            lost: Called when a lease was lost, as it is where what was read has been erased.
        """
        self._runtime = runtime
        self._stages = stages
        self._lost = lost
        self._upkeep = Upkeep(runtime.store, runtime.clock, chores)
        self._turns = SubjectTurns(runtime.store, runtime.clock)
        self._wake = asyncio.Event()
        self._stopping = False
        self._rounds = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.counters = WorkerCounters()
        self.elsewhere: WorkerElsewhere | None = None
        self._drains = 0
        self._stop_limit = StopLimit(FORM_STOP_WAIT_S)
        self._leases = StageLeases(runtime.store, runtime.clock, lease_s=LEASE_S)

    def wake(self, subject: Subject | None = None) -> None:
        """Wake the worker because something has become due, of `subject` if that is known."""
        if self.elsewhere is not None:
            self.elsewhere.wake(subject)
        elif subject is not None:
            self._turns.tell(subject)
        self._wake.set()

    async def has_work(self) -> bool:
        """Return whether something is due."""
        return bool(await self._runtime.store.formations.due(self._runtime.clock.now(), limit=1))

    async def run(self) -> None:
        """Work until `stop`. A failing round is logged and tried again later; nothing is lost."""
        upkeep = asyncio.create_task(self._upkeep.regularly())
        try:
            await self._run()
        finally:
            upkeep.cancel()
            await asyncio.wait([upkeep])

    async def _run(self) -> None:
        failures = 0
        while not self._stopping:
            self._wake.clear()
            more = False
            worked = 0
            try:
                worked = await self._serve()
                if not worked:
                    more = await self._upkeep.portion(lambda: self._stopping or self._wake.is_set())
                failures = 0
            except ToldOnceError as error:
                failures += 1
                logger.warning("worker round failed", extra={"error": error.logged, "failures": failures})
            except Exception:
                failures += 1
                logger.exception("worker round failed", extra={"failures": failures})
            if not worked and not more and not self._stopping:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), min(POLL_S * 2**failures, 60.0))

    def stop(self, *, promptly: bool = False) -> None:
        """Finish the current work and end `run`.

        Args:
            promptly: Give formations back after `FORM_STOP_WAIT_S`, for the next worker, as if they were never tried.
        """
        self._stopping = True
        if promptly:
            self._stop_limit.begin()
        self._upkeep.stop()
        self._wake.set()

    async def drain(self) -> int:
        """Form everything that is due now, and wait for the work of `run`; return the number of formations."""
        before = self.counters.formed
        self._drains += 1
        try:
            while True:
                await self._idle.wait()
                if not await self.round(heed_stop=False) and self._idle.is_set():
                    return self.counters.formed - before
        finally:
            self._drains -= 1

    async def form_now(self, key: FormationKey) -> None:
        """Do one formation at once while it is due; what fails stays due, as in a round."""
        try:
            while not self._stopping and await self._take(key):
                pass
        except ToldOnceError as error:
            logger.warning("formation failed", extra={"error": error.logged, **place_of(key)})

    async def round(self, *, heed_stop: bool = True) -> int:
        """Work on what is due, several subjects concurrently; return the number of formations.

        Raises:
            ToldOnceError: The first error, after the other subjects were formed.
        """
        async with self._busy():
            return await self._round(heed_stop=heed_stop)

    @asynccontextmanager
    async def _busy(self) -> AsyncIterator[None]:
        self._rounds += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._rounds -= 1
            if not self._rounds:
                self._idle.set()

    async def _round(self, *, heed_stop: bool) -> int:
        await self._upkeep.finish_erasing()
        return await self._turns.form_all(
            partial(self.form_in_order, heed_stop=heed_stop),
            places=self.concurrency,
            goes_on=lambda: not (heed_stop and self._stopping),
        )

    async def _serve(self) -> int:
        """Form until nothing is due, also what becomes due meanwhile; return the number of formations."""
        async with self._busy():
            await self._upkeep.finish_erasing()
            return await self._turns.serve(
                self._form_alone, places=self.concurrency, goes_on=lambda: not self._stopping, woken=self._wake
            )

    async def _form_alone(self, keys: Sequence[FormationKey]) -> int:
        """Form what is due of one subject; an unexpected error concerns no other subject."""
        try:
            return await self.form_in_order(keys, heed_stop=True)
        except ToldOnceError:
            raise
        except Exception:
            logger.exception("subject not formed")
            return 0

    async def form_in_order(self, keys: Sequence[FormationKey], *, heed_stop: bool) -> int:
        """Form what is due of one subject, as decisions for it rest on what its formation before committed."""
        conversations = (list(each) for _, each in groupby(keys, key=attrgetter("home", "conversation")))
        return sum([await self._take_stages(each, heed_stop=heed_stop) for each in conversations])

    @property
    def concurrency(self) -> int:
        """Subjects worked on at a time. Rules keep the processor busy, so for them one is as fast and smoother."""
        return MAX_CONCURRENT_SUBJECTS if self._runtime.model else 1

    def runtime_for(self, runtime: Runtime) -> Runtime:
        """Return the runtime with which a subject is worked on."""
        return runtime

    async def _take_stages(self, keys: Sequence[FormationKey], *, heed_stop: bool) -> int:
        """Work on the stages of one conversation, which read the same messages."""
        taken = 0
        with remembering():
            async with self._leases.in_order(keys):
                for key in keys:
                    taken += not (heed_stop and self._stopping) and await self._take(key)
        return taken

    async def _take(self, key: FormationKey) -> bool:
        lease = await self._leases.take(key)
        if lease is None:
            return False
        max_attempts = self._max_attempts(key.profile)
        if lease.attempts > max_attempts:
            await self._park(lease, f"its worker ended {max_attempts} times in the middle of it")
            return True
        try:
            await self._form(lease)
        except StoppedError:
            now = self._runtime.clock.now()
            await self._runtime.store.formations.release(lease, error=None, retry_at=now, now=now, counted=False)
        except LeaseLostError:
            self.counters.lost += 1
            logger.warning("lease lost", extra=place_of(key))
            if self._lost is not None:
                await self._lost()
        except (BreakerOpenError, BudgetSpentError) as wait:
            await self._defer(lease, str(wait), wait.until)
        except ToldOnceError as error:
            await self._answer_for(lease, max_attempts, error)
        except Exception as error:
            logger.exception("formation failed", extra=place_of(key))
            await self._fail(lease, max_attempts, f"{type(error).__name__} in stage {key.stage} (see the log)")
        return True

    def _max_attempts(self, profile: str) -> int:
        """Return after how many attempts a formation is parked: one if its profile does not exist any more."""
        try:
            return self._runtime.profiles.get(profile).form.max_attempts
        except UnknownProfileError:
            return 1

    def _skips(self, key: FormationKey) -> bool:
        """Return whether a failed formation is skipped: an extraction whose profile says so."""
        return key.stage == "extract" and self._runtime.profiles.get(key.profile).form.on_error == "skip"

    async def _form(self, lease: Lease) -> None:
        """Form and commit, renewing the lease meanwhile."""
        renewing = asyncio.create_task(self._renew(lease))
        try:
            with measure_extraction(lease, self._runtime):
                await self._form_once_read(lease)
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _renew(self, lease: Lease) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with suppress(
                StoreUnavailableError
            ):  # a busy file is asked again; a lease that ran out is told by the commit
                await self._runtime.store.formations.renew(lease, now=self._runtime.clock.now(), lease_s=LEASE_S)

    async def _form_once_read(self, lease: Lease) -> None:
        profile = self._runtime.profiles.get(lease.key.profile)
        budgeted = on_budget(self._runtime, lease, profile)
        compactor = await booked_compactor(lease, budgeted, profile)
        try:
            await self._form_on_budget(lease, budgeted, compactor)
        finally:
            if compactor is not None:
                await compactor.release()

    async def _form_on_budget(self, lease: Lease, budgeted: Runtime, compactor: BudgetedModel | None) -> None:
        stage, paid = self._stages[lease.key.stage], False
        profile = self._runtime.profiles.get(lease.key.profile)

        async def attempt() -> FormationResult:
            nonlocal paid
            # The subject may have been re-embedded since the attempt before.
            runtime = self.runtime_for(await budgeted.for_subject(lease.key.subject))
            async with self._stop_limit.heeded(heed=not self._drains):
                formed = await retry_once(lambda: stage(lease, replace(runtime, known=KnownMemories(runtime.store))))
            paid = paid or await charge_rule_work(runtime, lease, profile, formed)
            return await self._commit(lease, formed, replace(runtime, model=self._runtime.model), compactor)

        result = await retry_while_stale(attempt, max_attempts=MAX_STALE_ATTEMPTS)
        self.counters.formed += 1
        record_outcome(lease, result, self._runtime)
        about = {**place_of(lease.key), "changes": len(result.changes), "formed_seq": result.formed_seq}
        logger.debug("formed", extra=about)

    async def _commit(
        self, lease: Lease, formed: FormationResult, runtime: Runtime, compactor: BudgetedModel | None
    ) -> FormationResult:
        """Commit with the evictions it needs; return both. After two database errors no model is asked."""
        async with self._stop_limit.heeded(heed=not self._drains):
            result = await with_evictions(formed, lease, runtime, compactor=compactor)
        try:
            await retry_once(lambda: self._leases.commit(lease, result))
        except (StoreUnavailableError, StoreFullError):
            if result.decisions == formed.decisions:
                raise
            result = await with_evictions(formed, lease, runtime, ask=False)
            await self._leases.commit(lease, result)
        return result

    async def _answer_for(self, lease: Lease, max_attempts: int, error: ToldOnceError) -> None:
        """Skip, defer, retry or park a formation that failed."""
        failed = isinstance(error, ModelError | StoreUnavailableError | StoreFullError)
        if failed and self._skips(lease.key):
            await self._skip(lease, error.logged)
        elif isinstance(error, StoreUnavailableError):
            raise error  # the lease runs out by itself; the loop backs off
        elif isinstance(error, ModelDownError):
            await self._defer(lease, error.logged, error.until)
        elif isinstance(error, ModelError) and error.fault is ModelFault.SERVER:
            await self._defer(lease, error.logged, self._runtime.clock.now() + timedelta(seconds=_DOWN_S))
        else:
            await self._fail(lease, max_attempts, error.logged)

    async def _defer(self, lease: Lease, why: str, until: datetime) -> None:
        """Defer a formation without counting the attempt, as nothing of it failed."""
        self.counters.deferred += 1
        logger.info("formation deferred", extra={**place_of(lease.key), "why": why})
        now = self._runtime.clock.now()
        await self._runtime.store.formations.release(
            lease, error=why, retry_at=max(until, now + _MIN_DELAY), now=now, counted=False
        )

    async def _skip(self, lease: Lease, why: str) -> None:
        """Skip what was to be formed, with a decision that says why.

        If not even that can be written, the error is raised: the formation is due again when its lease has run out.
        """
        key, clock = lease.key, self._runtime.clock
        decision = ignored(key, f"not formed: {why}", clock)
        result = FormationResult(formed_seq=lease.last_seq, decisions=(decision,))
        await self._runtime.store.formations.commit(lease, result, now=clock.now())
        record_outcome(lease, result, self._runtime)
        self.counters.skipped += 1
        logger.warning("formation skipped", extra={**place_of(key), "error": why})

    async def _fail(self, lease: Lease, max_attempts: int, error: str) -> None:
        if lease.attempts >= max_attempts:
            await self._park(lease, error)
            return
        self.counters.failed += 1
        wait_s = min(2.0**lease.attempts, _MAX_BACKOFF_S)
        now = self._runtime.clock.now()
        logger.warning(
            "formation will be tried again",
            extra={**place_of(lease.key), "error": error, "wait_s": wait_s},
        )
        await self._runtime.store.formations.release(
            lease, error=error, retry_at=now + timedelta(seconds=wait_s), now=now
        )

    async def _park(self, lease: Lease, error: str) -> None:
        self.counters.parked += 1
        logger.error("formation parked", extra={**place_of(lease.key), "error": error})
        await self._runtime.store.formations.release(lease, error=error, retry_at=None, now=self._runtime.clock.now())
