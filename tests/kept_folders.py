"""Folders of installed packages, kept from one test run to the next. Reads and writes the user's cache."""

import fcntl
import shutil
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

UNUSED_S = 30 * 24 * 3600
"""After so long without a test run that used them, packages of another version are removed."""


def kept_folder(kind: str, contents: Sequence[str], install: Callable[[Path], None]) -> Path:
    """Return a folder that all test runs share, installed at its first use; nothing may be written there afterwards.

    Args:
        kind: Name of what makes such folders, such as `npm`.
        contents: What decides what is in it: packages with versions, the platform.
        install: Makes a folder at a path where none is. What it raises or skips leaves nothing behind.
    """
    every = user_cache_path("toldonce-tests") / kind
    every.mkdir(parents=True, exist_ok=True)
    folder = every / sha256("\n".join(contents).encode()).hexdigest()[:16]
    with (every / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            half = every / "half"
            shutil.rmtree(half, ignore_errors=True)
            _remove_unused(every)
            install(half)
            half.rename(folder)
        folder.touch()
    return folder


def _remove_unused(every: Path) -> None:
    for folder in every.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < time.time() - UNUSED_S:
            shutil.rmtree(folder)
