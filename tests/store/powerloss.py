"""A disk that forgets what was not synced: an SQLite VFS that remembers how to undo each write.

At a chosen write it takes an image of the files as they could be found after the power came back: every unsynced write
is gone, or all behind some point, the first of them torn in half.
"""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

NAME = "toldonce-powerloss"


@dataclass
class Write:
    """An unsynced write or truncation, with what undoes it."""

    path: str
    offset: int
    new: bytes
    old: bytes
    size: int


@dataclass
class Disk:
    """All files under the VFS, their unsynced writes, and the moment at which the power goes."""

    folder: Path
    cut_at: int
    """Number of the write at which it goes."""
    chance: random.Random
    on_cut: Callable[[], None]
    unsynced: list[Write] = field(default_factory=list)
    writes: int = 0
    image: dict[str, bytes] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def note(self, write: Write) -> None:
        """Remember a write that was just done; take the image if this is the one."""
        with self.lock:
            self.unsynced.append(write)
            self.writes += 1
            if self.writes == self.cut_at:
                self.on_cut()
                self.image = self._lose()

    def sync(self, path: str) -> None:
        """The writes to a file are safe."""
        with self.lock:
            self.unsynced = [write for write in self.unsynced if write.path != path]

    def _lose(self) -> dict[str, bytes]:
        kept = self.chance.choice([0, self.chance.randint(0, len(self.unsynced))])
        files = {
            str(path): bytearray(path.read_bytes()) for path in self.folder.iterdir() if not path.name.endswith("-shm")
        }
        lost = self.unsynced[kept:]
        for write in reversed(lost):
            content = files[write.path]
            content[write.offset : write.offset + len(write.old)] = write.old
            del content[write.size :]
        if lost and self.chance.random() < 0.5:
            torn = lost[0]
            half = torn.new[: len(torn.new) // 2]
            content = files[torn.path]
            content.extend(bytes(max(0, torn.offset - len(content))))
            content[torn.offset : torn.offset + len(half)] = half
        return {Path(path).name: bytes(content) for path, content in files.items()}


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        size = super().xFileSize()
        old = super().xRead(min(len(data), size - offset), offset) if offset < size else b""
        super().xWrite(data, offset)
        self._disk.note(Write(self._path, offset, bytes(data), old, size))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        size = super().xFileSize()
        old = super().xRead(size - newsize, newsize) if newsize < size else b""
        super().xTruncate(newsize)
        self._disk.note(Write(self._path, newsize, b"", old, size))

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        super().xSync(flags)
        self._disk.sync(self._path)


class PowerLoss(apsw.VFS):
    """The VFS; registered under `NAME` for as long as it lives."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__(NAME, "")

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        return _File(self._disk, name, flags)
