"""Read long messages within a CPU budget, in a process that can be ended. Starts and ends one child for all engines.

A bound on the cost decides where a message is read. Every pattern of the package runs in linear time, so that a short
text costs milliseconds whatever it holds: up to `MAX_INLINE_CHARACTERS` it is read here alone, where no process must be
started and no answer waited for. A longer text is first read in a child process, as the stages will read it: should it
hold the interpreter for too long, `re` lets nothing end it here. The child stops at the budget, and is killed if it
does not, or where the system has no timer for it (Windows); the message is then left out. Costly results are taken from
the child, so that the server's process does not work them out again. The child is started by the first long text,
serves all engines of the process, and ends with the last of them, or when its input ends.
"""

import asyncio
import contextlib
import logging
import os
import pickle
import subprocess
import threading
import weakref
from collections.abc import Callable, Hashable
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, TypeVar, cast

from toldonce.child_process import FOLDER, module_command
from toldonce.errors import ReadingOverrunError
from toldonce.extraction.process import DONE, FAILED, OVERRUN, READY, read_frame, write_frame
from toldonce.text_caches import clear_text_caches, register_text_cache

T = TypeVar("T")

logger = logging.getLogger(__name__)

MAX_INLINE_CHARACTERS = 4_000
# A busy machine gives a process little of its processor: it is killed only after so much longer than its CPU budget.
_PATIENCE, _MIN_PATIENCE_S = 5.0, 10.0
_START_S = 60.0
# CPU seconds in which the child empties its caches.
_CLEAR_S = 10.0
_COMMAND = module_command("toldonce.extraction.process")
# A child that dies is started again, for the same reading once.
_TRIES = 2
# Texts of which it is kept whether they were read in time: each stage of a formation asks.
_MAX_KEPT = 1_000


_GONE = object()
"""Marks the end of a process's answers."""


class _ChildDiedError(Exception):
    """The child process ended in the midst of a reading, or never began."""


class _Child:
    """The child process. One reading at a time; safe for several threads."""

    def __init__(self) -> None:
        # Reentrant: the garbage collector may finalize a reader in the midst of a call, in the same thread.
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        # A thread reads what the process answers: a pipe cannot be waited for with a limit on every system.
        self._answers: SimpleQueue[object] = SimpleQueue()
        self._users = 0
        self._must_clear = False
        self._unread = 0

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return self._process.pid if self._process else None

    def enter(self) -> None:
        """Count an engine that may read."""
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        """Count an engine that is closed; the last one ends the process."""
        with self._lock:
            self._users -= 1
            if self._users <= 0:
                self._end()

    def abandon(self) -> None:
        """Forget the process, in a fork of this one: it is the parent's, and so is a thread that holds the lock."""
        self._lock = threading.RLock()
        self._users = self._unread = 0
        self._must_clear = False
        if self._process is not None:
            self._process.returncode = 0  # not waited for: it runs on
            self._process = None

    def call(self, budget_s: float, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
        """Let the child do something; return how it ended, and its result.

        Raises:
            _ChildDiedError: it died, or could not be started.
        """
        try:
            with self._lock:
                return self._call(budget_s, function, arguments)
        finally:
            self._pass_on_clearing()

    def _call(self, budget_s: float, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
        try:
            process = self._process or self._start()
            write_frame(cast(BinaryIO, process.stdin), (budget_s, function, arguments))
            timeout_s = max(_PATIENCE * budget_s, _MIN_PATIENCE_S)
            while self._unread:
                self._answer(timeout_s)
                self._unread -= 1
            return cast(tuple[str, Any], self._answer(timeout_s))
        except Empty:
            self._end()
            return OVERRUN, None
        except (OSError, EOFError) as error:
            self._end()
            raise _ChildDiedError(type(error).__name__) from None

    def cache_clear(self) -> None:
        """Let the child empty its caches, at once or after what it is reading; its answer is not waited for."""
        self._must_clear = True
        self._pass_on_clearing()

    def _pass_on_clearing(self) -> None:
        while self._must_clear and self._lock.acquire(blocking=False):
            try:
                self._must_clear = False
                if self._process is not None:
                    write_frame(cast(BinaryIO, self._process.stdin), (_CLEAR_S, clear_text_caches, ()))
                    self._unread += 1
            except OSError:
                self._end()
            finally:
                self._lock.release()

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=FOLDER)
        self._answers = SimpleQueue()
        self._unread = 0
        answers = cast(BinaryIO, self._process.stdout), self._answers
        threading.Thread(target=_receive, args=answers, name="toldonce-reading", daemon=True).start()
        if self._answer(_START_S) != READY:
            raise EOFError
        return self._process

    def _answer(self, timeout_s: float) -> object:
        """Wait for what the process says next.

        Raises:
            Empty: it says nothing within the time.
            EOFError: it ended.
        """
        said = self._answers.get(timeout=timeout_s)
        if said is _GONE:
            raise EOFError
        return said

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(OSError):
            cast(BinaryIO, process.stdin).close()
        process.wait()  # then its answers end, and the thread that reads them closes their pipe


def _receive(answers: BinaryIO, found: "SimpleQueue[object]") -> None:
    """Hand over what the process says, and at last that it is gone."""
    with answers:
        try:
            while True:
                found.put(read_frame(answers))
        except (OSError, EOFError, pickle.UnpicklingError):
            found.put(_GONE)


_CHILD = register_text_cache(_Child())
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_CHILD.abandon)


def _call(budget_s: float, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
    # A function of no object: a thread that is done with it may hold it a little longer than the reader lives.
    for left in reversed(range(_TRIES)):
        try:
            how, result = _CHILD.call(budget_s, function, arguments)
        except _ChildDiedError as error:
            logger.warning("reading process ended", extra={"error": str(error), "tries_left": left})
            continue
        if how == FAILED:
            raise RuntimeError(str(result))
        if how == DONE:
            return cast(T, result)
        break
    raise ReadingOverrunError(budget_s)


class RuleReader:
    """Reads for one engine."""

    def __init__(self, *, budget_s: float) -> None:
        """Give each reading so many seconds of CPU time."""
        self.budget_s = budget_s
        self._leave: weakref.finalize[[], RuleReader] | None = None
        self._passed: dict[Hashable, bool] = {}

    @property
    def pid(self) -> int | None:
        """The id of the child process; None while there is none."""
        return _CHILD.pid

    async def check(self, name: Hashable, characters: int, function: Callable[..., T], *arguments: object) -> T | None:
        """Try what reads `characters` of text, where it can be ended; nothing is done for a short text.

        Args:
            name: Names the text: it is tried once.
            characters: Its length.
            function: Of a module, and pure.
            arguments: What can be pickled.

        Returns:
            The result; None for a short text, and for one that was tried before.

        Raises:
            ReadingOverrunError: it takes more CPU time than it may.
            RuntimeError: the function raised an error.
        """
        if characters <= MAX_INLINE_CHARACTERS or self._passed.get(name):
            return None
        if name in self._passed:
            raise ReadingOverrunError(self.budget_s)
        try:
            result = await self.read(function, *arguments)
        except ReadingOverrunError:
            self._keep(name, passed=False)
            raise
        self._keep(name, passed=True)
        return result

    async def read(self, function: Callable[..., T], *arguments: object, texts: int = 1) -> T:
        """Return the result of a function that the child calls.

        Args:
            function: Of a module, and pure.
            arguments: What can be pickled.
            texts: How many texts it reads; each has the budget.

        Raises:
            ReadingOverrunError: it takes more CPU time than it may.
            RuntimeError: the function raised an error.
        """
        self._enter()
        return await asyncio.to_thread(_call, self.budget_s * texts, function, arguments)

    def _keep(self, name: Hashable, *, passed: bool) -> None:
        self._passed[name] = passed
        while len(self._passed) > _MAX_KEPT:
            self._passed.pop(next(iter(self._passed)))

    def _enter(self) -> None:
        """Use the child from now on, until this is closed or forgotten."""
        if self._leave is None:
            _CHILD.enter()
            self._leave = weakref.finalize(self, _CHILD.leave)

    def close(self) -> None:
        """End the child, if no other engine may need it."""
        if self._leave is not None:
            self._leave()
            self._leave = None
