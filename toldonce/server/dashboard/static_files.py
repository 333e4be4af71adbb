"""The files that pages load: styles and scripts. Reads them from the package, once."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from toldonce.server.dashboard.paths import STATIC

_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FOLDERS = ("", "vendor/")


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is served."""

    content: bytes
    kind: str
    tag: str
    """Part of its hash: it changes with the content."""


def static_file(name: str) -> StaticFile | None:
    """Return the file with this name, such as `style.css` or `vendor/htmx.js`; None if there is none."""
    return _all_files().get(name)


def static_url(name: str) -> str:
    """Return a file's URL, which changes with its content, so that browsers may keep it.

    Raises:
        KeyError: There is no such file.
    """
    return f"{STATIC}{name}?v={_all_files()[name].tag}"


@cache
def _all_files() -> dict[str, StaticFile]:
    found = {}
    for folder in _FOLDERS:
        for path in (files("toldonce.server.dashboard") / "static" / folder).iterdir():
            kind = _TYPES.get("." + path.name.rpartition(".")[2])
            if kind is not None and path.is_file():
                content = path.read_bytes()
                found[folder + path.name] = StaticFile(content, kind, sha256(content).hexdigest()[:16])
    return found
