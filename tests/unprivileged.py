"""Files and folders that a process may not write, for tests that run as root too."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """Give up the right to write everything, which root has; the folder belongs to who is left."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder read-only for all users."""
    folder.chmod(0o555)
    yield


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may pass through (pytest's own are closed to others)."""
    with tempfile.TemporaryDirectory(prefix="toldonce-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o700)
