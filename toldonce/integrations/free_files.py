"""Files that a model writes for itself, kept word for word with all earlier versions. Reads and writes the log.

A file is a conversation of its user: each version is asked for by its number, and is the answer. No memories are formed
from it.
"""

import unicodedata

from toldonce.chat.formats.openai_chat import request_of
from toldonce.chat.messages import log_messages
from toldonce.engine import AsyncToldOnce
from toldonce.errors import ToldOnceError, UnknownConversationError
from toldonce.types import LoggedMessage, Message, Subject, Turn

MAX_CHARACTERS = 100_000
MAX_FILES = 1_000
_PREFIX = "memory-file:"
_PAGE = 1000
# Names of the versions without text: an answer in the log has some.
_DELETED, _EMPTY = "deleted", "empty"


class FreeFiles:
    """The files of one user."""

    def __init__(self, engine: AsyncToldOnce, user: str | Subject | None) -> None:
        self._engine = engine
        self._user = engine.subject(user)

    async def paths(self) -> list[str]:
        """List the paths of all files."""
        found: list[str] = []
        before, before_id = None, None
        while True:
            page = await self._engine.conversations.list(
                user=self._user, limit=_PAGE, before=before, before_id=before_id
            )
            names = [known.external_id or "" for known in page]
            found += [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
            if len(page) < _PAGE:
                break
            before, before_id = page[-1].updated_at, page[-1].id
        return sorted([path for path in found if await self.read(path) is not None])

    async def read(self, path: str) -> str | None:
        """Return a file's text; None if there is none."""
        newest = next(iter(reversed(await self._versions(path))), None)
        return None if newest is None or newest.name == _DELETED else _text(newest)

    async def versions(self, path: str) -> list[str]:
        """Return all texts that a file had, oldest first; empty ones where it was deleted."""
        return [_text(version) for version in await self._versions(path)]

    async def write(self, path: str, text: str) -> None:
        """Write a file whole; durable when this returns.

        Raises:
            MemoryFileError: It is too long, there are too many, or its text cannot be kept as it is.
        """
        if len(text) > MAX_CHARACTERS:
            raise MemoryFileError(
                f"{path} would have {len(text)} characters; a memory file has at most {MAX_CHARACTERS}"
            )
        if await self.read(path) is None and len(await self.paths()) >= MAX_FILES:
            raise MemoryFileError(f"There are {MAX_FILES} memory files already; delete some first")
        await self._record(path, text or "(empty)", None if text else _EMPTY)

    async def delete(self, path: str) -> None:
        """Delete a file; its versions stay in the log until they are erased."""
        await self._record(path, "(deleted)", _DELETED)

    async def below(self, folder: str) -> list[str]:
        """List the files in a folder, at any depth."""
        return [path for path in await self.paths() if is_below(path, folder)]

    async def _record(self, path: str, text: str, name: str | None) -> None:
        now = self._engine.clock.now()
        number = len(await self._versions(path)) + 1
        asked = {"role": "user", "content": f"Memory file {path}, version {number}"}
        answer = {"role": "assistant", "content": text, **({"name": name} if name else {})}
        question, version = log_messages(request_of([asked, answer]), said_at=now)
        if version.text != text:
            raise MemoryFileError(f"{path} has control characters, which cannot be kept")
        await self._engine.turns.record(_turn(self._user, path, question, version))

    async def _versions(self, path: str) -> list[LoggedMessage]:
        try:
            known = await self._engine.conversations.get(_PREFIX + path, user=self._user)
        except UnknownConversationError:
            return []
        messages: list[LoggedMessage] = []
        while True:
            after = messages[-1].seq if messages else 0
            page = await self._engine.conversations.messages(known.id, user=self._user, after_seq=after, limit=_PAGE)
            messages += page
            if len(page) < _PAGE:
                return [message for message in messages if message.role == "assistant" and not message.erased]


def _turn(user: Subject, path: str, question: Message, version: Message) -> Turn:
    return Turn(
        subject=user,
        external_id=_PREFIX + path,
        append=True,
        messages=(question,),
        reply=version,
        said_at=version.said_at,
    )


def _text(version: LoggedMessage) -> str:
    return "" if version.name in (_DELETED, _EMPTY) else version.text


ROOT = "/memories"
# UTF-8 bytes of a path: it is part of a conversation's id.
_MAX_BYTES = 400
_MAX_DEPTH = 10


class MemoryFileError(ToldOnceError):
    """A command on memory files cannot be carried out; the message is for the model."""


def memory_path(path: object) -> str:
    """Check a path and return it in its only spelling.

    >>> memory_path("/memories//people/ana.md/"), memory_path("/memories")
    ('/memories/people/ana.md', '/memories')

    Raises:
        MemoryFileError: It is not below /memories, or tries to leave it.
    """
    if not isinstance(path, str):
        raise MemoryFileError("The path must be a string")
    path = unicodedata.normalize("NFC", path)
    steps = path.split("/")
    if steps[:2] != ["", ROOT[1:]]:
        raise MemoryFileError(f"Path must start with {ROOT}, got: {path[:200]}")
    names = [name for name in steps[2:] if name]
    if any(name.strip(". ") == "" or "\\" in name or "%2" in name.lower() for name in names):
        raise MemoryFileError(f"Path {path[:200]} would escape {ROOT} directory")
    if any(not character.isprintable() for character in path):
        raise MemoryFileError("The path has characters that no file name may have")
    whole = "/".join([ROOT, *names])
    if len(whole.encode("utf-8", "replace")) > _MAX_BYTES or len(names) > _MAX_DEPTH:
        raise MemoryFileError(f"The path is longer than {_MAX_BYTES} bytes, or deeper than {_MAX_DEPTH} folders")
    return whole


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is in a folder, at any depth.

    >>> is_below("/memories/a/b.md", "/memories/a"), is_below("/memories/ab.md", "/memories/a")
    (True, False)
    """
    return path.startswith(f"{folder}/")
