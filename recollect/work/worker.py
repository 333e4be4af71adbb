"""The loop behind the answers: take a formation that is due, form, commit; park what keeps failing. Uses the store."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from recollect.errors import (
    LeaseLostError,
    RecollectError,
    StaleSubjectError,
    StoreUnavailableError,
    UnknownProfileError,
)
from recollect.tend.erase import Eraser
from recollect.types import FormationKey, Lease, Subject
from recollect.work.telling import counted, tell
from recollect.work.tools import Stage, Tools

logger = logging.getLogger(__name__)

# How long the work of a worker that was killed waits for another; one that lives renews its lease three times in it,
# however long a model takes.
LEASE_S = 6.0
RENEW_S = 2.0
# Another process's turns are found by looking; our own wake the worker at once.
POLL_S = 1.0
# Subjects worked on side by side: they mostly wait for a model, and one that hangs must not hold up the rest.
SIDE_BY_SIDE = 4
# Looked up at once; what one subject waits for beyond that comes with the next round.
_A_ROUND = 16
# Somebody else's commit to the same subject came between reading and committing; soon nobody's will.
STALE_TRIES = 8
_LONGEST_BACKOFF_S = 600.0
# How often the worker looks whether an erasure is pending.
CLEAN_EVERY_S = 10.0


@dataclass(slots=True)
class WorkerCounters:
    """What the worker did since it started."""

    formed: int = 0
    failed: int = 0
    parked: int = 0
    lost: int = 0
    """Leases that ran out before the commit."""


class Worker:
    """Takes formations until it is stopped. Any number of workers may share a database."""

    def __init__(self, tools: Tools, stages: Mapping[str, Stage]) -> None:
        """Take the tools and the stages by name."""
        self._tools = tools
        self._stages = stages
        self._wake = asyncio.Event()
        self._stopping = False
        self._rounds = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.counters = WorkerCounters()
        self._cleaned_at = -CLEAN_EVERY_S

    def wake(self) -> None:
        """Say that something has become due."""
        self._wake.set()

    async def run(self) -> None:
        """Work until `stop`. A failing round is logged and tried again later; nothing is lost by it."""
        failures = 0
        while not self._stopping:
            self._wake.clear()
            try:
                worked = await self.round()
                failures = 0
            except RecollectError as error:
                failures += 1
                worked = 0
                logger.warning("worker round failed", extra={"error": str(error), "failures": failures})
            except Exception:
                failures += 1
                worked = 0
                logger.exception("worker round failed", extra={"failures": failures})
            if not worked and not self._stopping:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), min(POLL_S * 2**failures, 60.0))

    def stop(self) -> None:
        """Finish what is under way and end `run`."""
        self._stopping = True
        self._wake.set()

    async def drain(self) -> int:
        """Form everything that is due now, and wait for what `run` has under way; return how many were formed."""
        before = self.counters.formed
        while True:
            await self._idle.wait()
            if not await self.round(heed_stop=False) and self._idle.is_set():
                return self.counters.formed - before

    async def round(self, *, heed_stop: bool = True) -> int:
        """Work once on each formation due now, several subjects side by side; return how many there were."""
        self._rounds += 1
        self._idle.clear()
        try:
            return await self._round(heed_stop=heed_stop)
        finally:
            self._rounds -= 1
            if not self._rounds:
                self._idle.set()

    async def _round(self, *, heed_stop: bool) -> int:
        await self._finish_erasing()
        due = await self._tools.store.due(self._tools.clock.now(), limit=_A_ROUND)
        # Rules keep the processor busy where a model lets us wait: then one after the other is as fast, and smoother.
        room = asyncio.Semaphore(SIDE_BY_SIDE if self._tools.model else 1)

        async def one_by_one(keys: list[FormationKey]) -> int:
            async with room:
                return sum([not (heed_stop and self._stopping) and await self._take(key) for key in keys])

        # What is decided for a subject rests on what the formation before it committed: they follow one another.
        subjects: dict[Subject, list[FormationKey]] = {}
        for key in due:
            subjects.setdefault(key.subject, []).append(key)
        return sum(await asyncio.gather(*(one_by_one(keys) for keys in subjects.values())))

    async def _finish_erasing(self) -> None:
        """Try again what another process's reader kept an erasure from finishing."""
        now = self._tools.clock.monotonic()
        if now - self._cleaned_at >= CLEAN_EVERY_S:
            self._cleaned_at = now
            await Eraser(store=self._tools.store).finish()

    async def _take(self, key: FormationKey) -> bool:
        lease = await self._tools.store.lease(key, now=self._tools.clock.now(), lease_s=LEASE_S)
        if lease is None:
            return False
        most = self._most_attempts(key.profile)
        if lease.attempts > most:
            await self._park(lease, f"its worker ended {most} times in the middle of it")
            return True
        try:
            await self._form(lease)
        except LeaseLostError:
            self.counters.lost += 1
            logger.warning("lease lost", extra={"conversation": key.conversation, "stage": key.stage})
        except StoreUnavailableError:
            raise  # the lease runs out by itself; the loop backs off
        except RecollectError as error:
            await self._fail(lease, most, str(error))
        except Exception as error:
            logger.exception("formation failed", extra={"conversation": key.conversation, "stage": key.stage})
            await self._fail(lease, most, f"{type(error).__name__} in stage {key.stage} (see the log)")
        return True

    def _most_attempts(self, profile: str) -> int:
        """Say after how many tries a formation is parked; at once where its profile is not there any more."""
        try:
            return self._tools.profiles.get(profile).form.max_attempts
        except UnknownProfileError:
            return 1

    async def _form(self, lease: Lease) -> None:
        """Form and commit; meanwhile the lease is renewed, however long a model takes."""
        renewing = asyncio.create_task(self._renew(lease))
        try:
            with counted(lease, self._tools):
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
                await self._tools.store.renew_lease(lease, now=self._tools.clock.now(), lease_s=LEASE_S)

    async def _form_once_read(self, lease: Lease) -> None:
        stage = self._stages[lease.key.stage]
        for attempt in range(1, STALE_TRIES + 1):
            result = await stage(lease, self._tools)
            try:
                await self._tools.store.commit_formation(lease, result, now=self._tools.clock.now())
            except StaleSubjectError:
                if attempt == STALE_TRIES:
                    raise
                continue
            self.counters.formed += 1
            tell(lease, result, self._tools)
            logger.debug(
                "formed",
                extra={
                    "conversation": lease.key.conversation,
                    "stage": lease.key.stage,
                    "changes": len(result.changes),
                    "formed_seq": result.formed_seq,
                },
            )
            return

    async def _fail(self, lease: Lease, most: int, error: str) -> None:
        if lease.attempts >= most:
            await self._park(lease, error)
            return
        self.counters.failed += 1
        wait_s = min(2.0**lease.attempts, _LONGEST_BACKOFF_S)
        now = self._tools.clock.now()
        logger.warning(
            "formation will be tried again",
            extra={"conversation": lease.key.conversation, "stage": lease.key.stage, "error": error, "wait_s": wait_s},
        )
        await self._tools.store.release_formation(lease, error=error, retry_at=now + timedelta(seconds=wait_s), now=now)

    async def _park(self, lease: Lease, error: str) -> None:
        self.counters.parked += 1
        logger.error(
            "formation parked", extra={"conversation": lease.key.conversation, "stage": lease.key.stage, "error": error}
        )
        await self._tools.store.release_formation(lease, error=error, retry_at=None, now=self._tools.clock.now())
