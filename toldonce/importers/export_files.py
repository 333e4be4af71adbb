"""The files of an export: a zip, an unpacked folder or one file. Reads them, bounded, and writes none.

A zip is hostile: its members are read as a stream, and one that unpacks to far more than chats do is refused.
"""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from toldonce.datasets.recordings import BadRecordError
from toldonce.errors import BadRequestError

# Bytes that a member may have for each packed one: chats have 3 to 20, repeated bytes a thousand.
MAX_RATIO = 120
# Members that are smaller unpacked may have any ratio.
MIN_LIMITED_BYTES = 16 << 20
MAX_MEMBER_BYTES = 8 << 30
# The directory of a zip is read into memory as a whole; each of its entries takes at least 46 bytes.
MAX_DIRECTORY_BYTES = 8 << 20
MAX_FILES = 100_000
_END_OF_DIRECTORY = b"PK\x05\x06"
_END_BYTES, _MAX_COMMENT_BYTES = 22, 65_535
_SQLITE_HEAD = b"SQLite format 3\0"
_ZIP_HEAD = b"PK\x03\x04"


@dataclass(slots=True)
class ReadBytes:
    """How much of an export was read."""

    done: int = 0


@dataclass(frozen=True, slots=True)
class ExportFiles:
    """An export that is open."""

    path: Path
    names: tuple[str, ...]
    """Names of its files, with `/`, in order."""
    total_bytes: int
    archive: zipfile.ZipFile | None = None
    is_sqlite: bool = False
    read: ReadBytes = field(default_factory=ReadBytes)

    def named(self, pattern: str) -> list[str]:
        """Return the files whose last parts match a pattern, such as `conversations*.json`, in order."""
        return [name for name in self.names if PurePosixPath(name).match(pattern)]

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Open a file of the export for reading.

        Raises:
            BadRecordError: it cannot be opened; reading raises it, too, if it is damaged or larger than it may be.
        """
        try:
            file, limit = self._open(name)
        except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise BadRecordError(f"{name} cannot be unpacked: {_reason(error)}") from None
        with file:
            yield cast(BinaryIO, _BoundedFile(name, file, limit, self.read))

    def _open(self, name: str) -> tuple[BinaryIO, int]:
        if self.archive is None:
            path = self.path / name if self.path.is_dir() else self.path
            return path.open("rb"), MAX_MEMBER_BYTES
        member = self.archive.getinfo(name)
        limit = max(MIN_LIMITED_BYTES, MAX_RATIO * member.compress_size)
        return cast(BinaryIO, self.archive.open(member)), min(limit, MAX_MEMBER_BYTES)


@dataclass(slots=True)
class _BoundedFile:
    name: str
    file: BinaryIO
    limit: int
    total: ReadBytes
    count: int = 0

    def read(self, size: int) -> bytes:
        try:
            data = self.file.read(size)
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise BadRecordError(f"{self.name} is damaged: {_reason(error)}") from None
        self.count += len(data)
        self.total.done += len(data)
        if self.count > self.limit:
            raise BadRecordError(f"{self.name} unpacks to more than {self.limit:,} bytes: it is no export of chats")
        return data


@contextmanager
def open_export(path: Path) -> Iterator[ExportFiles]:
    """Open an export.

    Raises:
        BadRequestError: there is no such file, it cannot be read, or it is a damaged or oversized zip.
    """
    try:
        if path.is_dir():
            found = _folder_files(path)
            sizes = sum((path / name).stat().st_size for name in found)
            yield ExportFiles(path, found, sizes)
            return
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_HEAD))
            size = path.stat().st_size
            if not head.startswith((_ZIP_HEAD, _END_OF_DIRECTORY)):
                yield ExportFiles(path, (path.name,), size, is_sqlite=head == _SQLITE_HEAD)
                return
            _check_directory(path, file, size)
            with zipfile.ZipFile(file) as archive:
                members = [each for each in archive.infolist() if not each.is_dir()]
                names = tuple(sorted({each.filename for each in members}))
                yield ExportFiles(path, names, sum(each.file_size for each in members), archive)
    except zipfile.BadZipFile as error:
        raise BadRequestError(f"{path} is a damaged zip: {error}; download it again") from None
    except OSError as error:
        raise BadRequestError(f"{path}: {error.strerror or error}") from None


def _folder_files(folder: Path) -> tuple[str, ...]:
    """Return the ordinary files of an unpacked export; links may lead anywhere, and are left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        if stat.S_ISREG(path.lstat().st_mode):
            found.append(path.relative_to(folder).as_posix())
        if len(found) > MAX_FILES:
            raise BadRequestError(f"{folder} has more than {MAX_FILES:,} files: name the folder of the export")
    return tuple(found)


def _check_directory(path: Path, file: BinaryIO, size: int) -> None:
    """Refuse a zip that is cut off, or whose directory would fill the memory."""
    file.seek(max(0, size - _END_BYTES - _MAX_COMMENT_BYTES))
    tail = file.read()
    at = tail.rfind(_END_OF_DIRECTORY)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise BadRequestError(f"{path} is a zip without its end: the download broke off; download it again")
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    if length > MAX_DIRECTORY_BYTES:
        raise BadRequestError(f"{path} lists more files than an export of chats has ({length:,} bytes of names)")
    file.seek(0)


def _reason(error: Exception) -> str:
    return str(error.strerror if isinstance(error, OSError) and error.strerror else error)
