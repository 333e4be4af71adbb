"""Paths of memory files: `/memories/…`, as models write them. Pure."""

import unicodedata

from toldonce.errors import ToldOnceError

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
