"""Read a data set by its name, also from gzip files. Reads files."""

import gzip
import zlib
from datetime import tzinfo
from pathlib import Path

from toldonce.datasets import beam, jsonl, locomo, longmemeval
from toldonce.datasets.dataset import DataSet, DatasetConversation, digest
from toldonce.errors import BadRequestError

KINDS = ("locomo", "longmemeval", "beam")
JSONL = "jsonl"
_ONE_FILE = {"locomo": locomo.read, "longmemeval": longmemeval.read, "beam": beam.read_lines, JSONL: jsonl.read}
_GZIP_SUFFIX = ".gz"
_GZIP_MAGIC = b"\x1f\x8b"
MAX_UNPACKED_BYTES = 1 << 30
"""An archive that unpacks to more is refused: a small one could fill the memory."""
_CHUNK_BYTES = 1 << 20


def read_data(kind: str, path: Path, zone: tzinfo) -> DataSet:
    """Read a data set.

    Args:
        kind: One of `KINDS`, or `jsonl` for our own format.
        path: Its file, which may be a gzip archive; for BEAM also the folder of its numbered conversations.
        zone: Time zone of dates that name none.

    Raises:
        BadRequestError: a file is missing or cannot be read; the message names it, the field and the value.
    """
    if kind == "beam" and (path.is_dir() or not path.exists()):
        return _read_beam(path, zone)
    data = read_bytes(path)
    conversations = _ONE_FILE[kind](path.name, data, zone)
    twice = {
        conversation.id
        for place, conversation in enumerate(conversations)
        if conversation.id in {x.id for x in conversations[:place]}
    }
    if twice:
        raise BadRequestError(f"{path.name}: several conversations have the id {min(twice)!r}", param="data")
    return DataSet(kind=kind, conversations=conversations, sha256=digest({path.name: data}))


def _read_beam(folder: Path, zone: tzinfo) -> DataSet:
    if not folder.is_dir():
        raise BadRequestError(
            f"{folder}: no such file or folder; BEAM is a folder of numbered folders with chat.json, or a JSONL file",
            param="data",
        )
    conversations: list[DatasetConversation] = []
    parts: dict[str, bytes] = {}
    for own in sorted((entry for entry in folder.iterdir() if entry.is_dir()), key=_by_number):
        chat = next((path for name in beam.CHATS if (path := _plain_or_packed(own / name)).is_file()), None)
        if chat is None:
            continue
        questions = _plain_or_packed(own / beam.QUESTIONS)
        named = {_unpacked_name(path.relative_to(folder)): read_bytes(path) for path in (chat, questions)}
        parts |= named
        chat_part, questions_part = named.items()
        conversations.append(beam.read(own.name, chat_part, questions_part, zone))
    if not conversations:
        raise BadRequestError(f"{folder}: no folder in it holds {' or '.join(beam.CHATS)}", param="data")
    return DataSet(kind="beam", conversations=tuple(conversations), sha256=digest(parts))


def _by_number(folder: Path) -> tuple[int, str]:
    return (int(folder.name) if folder.name.isdecimal() else 0, folder.name)


def _plain_or_packed(path: Path) -> Path:
    """Return the path of the archive where only that exists."""
    packed = path.with_name(path.name + _GZIP_SUFFIX)
    return packed if packed.is_file() and not path.is_file() else path


def _unpacked_name(path: Path) -> str:
    return str(path).removesuffix(_GZIP_SUFFIX)


def read_bytes(path: Path, *, max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> bytes:
    """Read a file; a gzip archive is unpacked, whatever its name.

    Raises:
        BadRequestError: the file cannot be read, the archive is broken, or it unpacks to more than the limit.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        if not is_packed and path.suffix != _GZIP_SUFFIX:
            return path.read_bytes()
        return _unpack(path, max_unpacked_bytes)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        reason = str(error).rstrip(".")
        raise BadRequestError(f"{path}: broken gzip archive: {reason}; unpack or copy it again", param="data") from None
    except OSError as error:
        raise BadRequestError(f"{path}: {error.strerror or error}", param="data") from None


def _unpack(path: Path, max_bytes: int) -> bytes:
    data = bytearray()
    with gzip.open(path) as archive:
        while chunk := archive.read(_CHUNK_BYTES):
            data += chunk
            if len(data) > max_bytes:
                raise BadRequestError(
                    f"{path}: unpacks to more than {max_bytes:,} bytes; unpack it first if that is right", param="data"
                )
    return bytes(data)
