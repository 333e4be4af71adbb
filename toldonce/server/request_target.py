"""Request targets: what is served at a path, and what is refused before another server reads it otherwise. Pure.

A path that one server takes literally and the next one decodes, cleans or splits leads past the rules of the first:
`/v1/..;/admin`, `/v1//host/x`, `/v1/%252e%252e/admin`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Scope

# Visible ASCII without `#` and the backslash; a percent sign only before two hexadecimal digits.
_TARGET = LazyPattern(rb"/(?:[!\"$&-\[\]-~]|%[0-9A-Fa-f]{2})*+|\*")
_UNSAFE = LazyPattern(r"[\x00-\x1f\x7f\\?#]")
# Servers in a row may each decode once.
_MAX_UNQUOTING = 3


def is_plain_target(path: bytes) -> bool:
    r"""Return whether a request's target, without its query, is a path: not another server's URL, nothing odd in it.

    >>> is_plain_target(b"/v1/models"), is_plain_target(b"http://host/v1"), is_plain_target(b"/a\\b")
    (True, False, False)
    """
    return _TARGET.fullmatch(path) is not None


def is_unambiguous(path: bytes) -> bool:
    """Return whether a path names the same steps however often a server decodes it, and however it cleans them.

    An encoded slash within a step is left alone: some models' names have one.

    >>> is_unambiguous(b"/models/org%2Fmodel"), is_unambiguous(b"/models/")
    (True, True)
    >>> is_unambiguous(b"/..;/admin"), is_unambiguous(b"//host/x"), is_unambiguous(b"/%252e%252e/x")
    (False, False, False)
    """
    for _ in range(_MAX_UNQUOTING + 1):
        if not _is_clean(path):
            return False
        decoded = unquote_to_bytes(path)
        if decoded == path:
            return True
        path = decoded
    return False


def _is_clean(path: bytes) -> bool:
    try:
        text = normalize("NFKC", path.decode("utf-8"))
    except UnicodeDecodeError:
        return False
    *steps, last = (step.partition(";")[0] for step in text.removeprefix("/").split("/"))
    return not _UNSAFE.search(text) and "" not in steps and not {".", ".."}.intersection((*steps, last))


Served = TypeVar("Served")


@dataclass(frozen=True, slots=True)
class FoundPath(Generic[Served]):
    """What is served at a path, and the path's parameters, decoded."""

    by_method: Mapping[str, Served]
    parameters: Mapping[str, str]


class PathTable(Generic[Served]):
    """Finds what is served at a path. Where several templates match, the one added first wins."""

    def __init__(self, served: Iterable[tuple[str, str, Served]]) -> None:
        """Build the table of methods, path templates and what serves them; no two have the same method and path."""
        self._by_path: dict[tuple[str, ...], dict[str, Served]] = {}
        for method, path, target in served:
            steps = tuple(path.strip("/").split("/"))
            self._by_path.setdefault(steps, {})[method] = target

    def find(self, steps: list[str]) -> FoundPath[Served] | None:
        """Return what is served at the steps of a path; None if nothing is."""
        for known, by_method in self._by_path.items():
            if len(known) == len(steps) and all(
                own == step or (own[:1] == "{" and step) for own, step in zip(known, steps, strict=True)
            ):
                named = {own[1:-1]: step for own, step in zip(known, steps, strict=True) if own[:1] == "{"}
                return FoundPath(by_method, named)
        return None


def sent_path(scope: Scope) -> str:
    """Return a request's path as it was sent, percent signs included."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.split(b"?")[0].decode("latin-1")


def path_steps(path: str) -> list[str]:
    """Split a path as it was sent into its steps, decoded.

    >>> path_steps("/v1/subjects/user:a%2Fb")
    ['v1', 'subjects', 'user:a/b']

    Raises:
        BadRequestError: It cannot be decoded, or holds a NUL character.
    """
    return [decoded_step(step) for step in path.split("/")[1:]]


def decoded_step(step: str) -> str:
    """Decode a step of a path; see `path_steps` for its errors."""
    try:
        text = unquote_to_bytes(step.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise BadRequestError("the path cannot be decoded as UTF-8") from None
    if "\0" in text:
        raise BadRequestError("the path holds a NUL character")
    return text
