"""Forms what is due subject by subject, each in its turn. Uses the store.

Subjects form a ring. Each turn is a few formations, and a subject in work gets no second place meanwhile, so a backlog
of one subject delays others by its turn, not by its length. Every process goes round the ring by itself.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass

from toldonce.clock import Clock
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.store.store import Store
from toldonce.types import BusySubjects, FormationKey, Subject

logger = logging.getLogger(__name__)

# Formations of one turn: two conversations' quotations and memories. Shorter turns would ask the database more often.
SHARE = 4
# How long a subject rests after nothing of it could be formed; doubled with each failure, up to the longest.
REST_S = 1.0
MAX_REST_S = 60.0
# Subjects remembered because this process recorded something for them.
_MAX_TOLD = 10_000

Form = Callable[[Sequence[FormationKey]], Awaitable[int]]
"""Forms what is due of one subject; returns how many formations it took."""


@dataclass(slots=True)
class _Rest:
    """A subject of which nothing could be formed."""

    until: float
    """Time of the event loop."""
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A subject's turn in progress."""

    keys: Sequence[FormationKey]
    task: asyncio.Task[int]

    @property
    def subject(self) -> Subject:
        """The subject that is written to."""
        return self.keys[0].subject


class SubjectTurns:
    """Gives subjects with due formations their turns, several at a time."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Begin anywhere in the ring, as other processes do."""
        self._store = store
        self._clock = clock
        self._after = secrets.randbits(64) - 2**63
        self._running: list[_Turn] = []
        self._resting: dict[Subject, _Rest] = {}
        self._told: dict[Subject, None] = {}

    def tell(self, subject: Subject) -> None:
        """Say that something of a subject is due.

        While subjects cannot be listed, because a machine of the cluster is down, those that were told of go on.
        """
        self._told[subject] = None
        while len(self._told) > _MAX_TOLD:
            del self._told[next(iter(self._told))]

    async def form_all(self, form: Form, *, places: int, goes_on: Callable[[], bool]) -> int:
        """Form each formation that is due once; return their number. A subject that fails has no second turn.

        Args:
            form: Forms what is due of one subject.
            places: Number of subjects at a time.
            goes_on: Whether new turns begin.

        Raises:
            ToldOnceError: The first error, after the other subjects were formed.
        """
        ended: dict[Subject, ToldOnceError | None] = {}
        tried: set[FormationKey] = set()
        formed = 0
        async with self._own_turns() as own:
            while True:
                while goes_on() and (over := await self._begin(form, own, places, ended, tried)):
                    ended.update(dict.fromkeys(over))
                if not own:
                    break
                for turn in await self._ended(own):
                    count, error = _outcome(turn)
                    formed += count
                    tried.update(turn.keys)
                    if error or not count:
                        ended[turn.subject] = error
        for error in ended.values():
            if error is not None:
                raise error
        return formed

    async def serve(self, form: Form, *, places: int, goes_on: Callable[[], bool], woken: asyncio.Event) -> int:
        """Form until nothing is due, while other work may become due; return the number of formations.

        An error of one subject is logged, and the subject rests; the others go on.

        Args:
            form: Forms what is due of one subject.
            places: Number of subjects at a time.
            goes_on: Whether new turns begin.
            woken: Set when something has become due.

        Raises:
            ToldOnceError: The database cannot be asked what is due, and no turn is in progress.
        """
        formed = 0
        async with self._own_turns() as own:
            while True:
                woken.clear()
                if goes_on():
                    await self._begin(form, own, places, self._at_rest())
                if not own:
                    return formed
                for turn in await self._ended(own, woken if len(self._running) < places else None):
                    formed += self._note(turn)

    async def _begin(
        self,
        form: Form,
        own: list[_Turn],
        places: int,
        without: Iterable[Subject],
        tried: Set[FormationKey] = frozenset(),
    ) -> list[Subject]:
        """Begin turns in the places that are free; return subjects that got none, as all they have due was tried."""
        over = []
        count = places - len(self._running)
        for keys in await self._next(count, without, is_idle=not own) if count > 0 else ():
            if any(turn.subject == keys[0].subject for turn in self._running):
                continue  # begun by another caller while the database was asked
            new = [key for key in keys if key not in tried]
            if not new:
                over.append(keys[0].subject)
                continue
            turn = _Turn(keys=new, task=asyncio.create_task(_awaited(form(new))))
            own.append(turn)
            self._running.append(turn)
        return over

    async def _next(self, count: int, without: Iterable[Subject], *, is_idle: bool) -> list[list[FormationKey]]:
        """Return what the subjects in turn have due."""
        now = self._clock.now()
        busy = BusySubjects(
            subjects=frozenset(subject.key for subject in (*without, *(turn.subject for turn in self._running))),
            homes=frozenset(key.home.key for turn in self._running for key in turn.keys),
        )
        try:
            slices, self._after = await self._store.formations.next_slices(
                now, after=self._after, count=count, share=SHARE, busy=busy
            )
        except StoreUnavailableError:
            slices = await self._told_of(count, busy)
            if not slices and is_idle:
                raise
        return slices

    async def _told_of(self, count: int, busy: BusySubjects) -> list[list[FormationKey]]:
        """Return what subjects have due that this process was told of; of a cluster, one machine is asked for each."""
        slices: list[list[FormationKey]] = []
        for subject in [told for told in self._told if told.key not in busy.subjects][: 4 * count]:
            del self._told[subject]
            try:
                keys = await self._store.formations.due_of(subject, self._clock.now(), limit=SHARE)
            except StoreUnavailableError:
                self._told[subject] = None  # at the end: the others come first
                continue
            if keys:
                slices.append(keys)
                self._told[subject] = None
            if len(slices) == count:
                break
        return slices

    async def _ended(self, own: list[_Turn], woken: asyncio.Event | None = None) -> list[_Turn]:
        """Wait until a turn has ended, or the event is set or a second has passed; return the turns that ended."""
        tasks: set[asyncio.Task[object]] = {turn.task for turn in own}
        waking = None if woken is None else asyncio.create_task(woken.wait())
        try:
            timeout = None if waking is None else REST_S
            waited = tasks if waking is None else {*tasks, waking}
            await asyncio.wait(waited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if waking is not None:
                waking.cancel()
        ended = [turn for turn in own if turn.task.done()]
        for turn in ended:
            own.remove(turn)
            self._running.remove(turn)
            if len(turn.keys) < SHARE:
                self._told.pop(turn.subject, None)
        return ended

    def _note(self, turn: _Turn) -> int:
        """Let a subject rest if nothing of it could be formed; return the number of its formations."""
        count, error = _outcome(turn)
        rest = self._resting.pop(turn.subject, None)
        failures = 0
        if error is not None:
            failures = (rest.failures if rest else 0) + 1
            logger.warning("subject not formed", extra={"error": error.logged, "failures": failures})
        if error is not None or not count:
            wait = min(REST_S * 2.0 ** min(failures, 10), MAX_REST_S)
            self._resting[turn.subject] = _Rest(asyncio.get_running_loop().time() + wait, failures)
        return count

    def _at_rest(self) -> list[Subject]:
        """Return the subjects that rest; forget those whose rest was over long ago."""
        now = asyncio.get_running_loop().time()
        self._resting = {subject: rest for subject, rest in self._resting.items() if rest.until + MAX_REST_S > now}
        return [subject for subject, rest in self._resting.items() if rest.until > now]

    @asynccontextmanager
    async def _own_turns(self) -> AsyncIterator[list[_Turn]]:
        """Yield a list for turns in progress; those that have not ended after an error are cancelled."""
        own: list[_Turn] = []
        try:
            yield own
        finally:
            for turn in own:
                turn.task.cancel()
                self._running.remove(turn)
            await asyncio.gather(*(turn.task for turn in own), return_exceptions=True)


async def _awaited(work: Awaitable[int]) -> int:
    return await work


def _outcome(turn: _Turn) -> tuple[int, ToldOnceError | None]:
    """Return how many formations a turn took, and what ended it early."""
    try:
        return turn.task.result(), None
    except ToldOnceError as error:
        return 0, error
