"""Paths with parameters, such as `/v1/subjects/{subject}`, found by the path as it was sent. Pure.

A step is decoded after the path is split, so that a parameter may hold a slash.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import unquote_to_bytes

from toldonce.errors import BadRequestError
from toldonce.server.asgi import Scope

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
