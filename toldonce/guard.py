"""The boundary between memory and what must not fail with it: catches whatever is raised, and logs it."""

from collections.abc import Callable, Mapping
from logging import Logger
from types import TracebackType
from typing import Self

from toldonce.errors import StaleSubjectError, SubjectKeyError


class guarded:  # noqa: N801  (a block with it reads as a sentence)
    """A block whose exceptions are caught and logged: `with guarded(logger, "recall failed") as guard:`."""

    def __init__(
        self,
        logger: Logger,
        message: str,
        *,
        extra: Mapping[str, object] | None = None,
        passes: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin a guarded block.

        Args:
            logger: Gets the message with the traceback. A changed subject and a missing key are logged without it: a
                traceback would name the user, or say nothing.
            message: What failed.
            extra: Further fields of the log line.
            passes: Whether an exception goes through all the same, and is not logged.
        """
        self._logger, self._message, self._extra, self._passes = logger, message, extra, passes
        self.failure: Exception | None = None
        """What was raised in the block; None: nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or self._passes():
            return False
        self.failure = error
        if isinstance(error, StaleSubjectError):
            self._logger.warning(self._message, extra={**(self._extra or {}), "error": error.logged})
        elif isinstance(error, SubjectKeyError):
            self._logger.error(self._message, extra={**(self._extra or {}), "error": error.logged})
        else:
            self._logger.error(self._message, exc_info=error, extra=self._extra)
        return True
