"""Read a data set by its name. Reads files."""

from datetime import tzinfo
from pathlib import Path

from recollect.datasets import beam, jsonl, locomo, longmemeval
from recollect.datasets.dataset import DataSet, DatasetConversation, digest
from recollect.errors import BadRequestError

KINDS = ("locomo", "longmemeval", "beam")
JSONL = "jsonl"
_ONE_FILE = {"locomo": locomo.read, "longmemeval": longmemeval.read, JSONL: jsonl.read}


def read_data(kind: str, path: Path, zone: tzinfo) -> DataSet:
    """Read a data set.

    Args:
        kind: One of `KINDS`, or `jsonl` for our own format.
        path: Its file; for BEAM the folder of its numbered conversations.
        zone: Time zone of dates that name none.

    Raises:
        BadRequestError: a file is missing or cannot be read; the message names it, the field and the value.
    """
    if kind == "beam":
        return _read_beam(path, zone)
    data = _bytes(path)
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
        raise BadRequestError(f"{folder}: not a folder; BEAM is one of numbered folders with chat.json", param="data")
    found: list[DatasetConversation] = []
    parts: dict[str, bytes] = {}
    for own in sorted((entry for entry in folder.iterdir() if entry.is_dir()), key=_by_number):
        chat = next((own / name for name in beam.CHATS if (own / name).is_file()), None)
        if chat is None:
            continue
        questions = own / beam.QUESTIONS
        named = {str(path.relative_to(folder)): _bytes(path) for path in (chat, questions)}
        parts |= named
        said, asked = named.items()
        found.append(beam.read(own.name, said, asked, zone))
    if not found:
        raise BadRequestError(f"{folder}: no folder in it holds {' or '.join(beam.CHATS)}", param="data")
    return DataSet(kind="beam", conversations=tuple(found), sha256=digest(parts))


def _by_number(folder: Path) -> tuple[int, str]:
    return (int(folder.name) if folder.name.isdecimal() else 0, folder.name)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadRequestError(f"{path}: {error.strerror or error}", param="data") from None
