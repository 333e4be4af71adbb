"""Locks of open files between processes; the system frees them with the process, however it ends. Windows has none."""

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # as the constant says

HAS_LOCKS = fcntl is not None
"""Whether the system has such locks."""


def lock_alone(file: int) -> None:
    """Lock an open file for this process, without waiting.

    Raises:
        BlockingIOError: Another process has locked it.
        OSError: The file system has no locks.
    """
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_shared(file: int) -> None:
    """Lock an open file beside others that do so, as soon as no process has it alone.

    Raises:
        OSError: The file system has no locks.
    """
    fcntl.flock(file, fcntl.LOCK_SH)
