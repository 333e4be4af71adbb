"""Paths of the dashboard, and the files that pages load. Reads those from the package, once.

The constants are paths as the server reads them; a URL that is sent to a browser has the prefix of `url_prefix`, too.
"""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from urllib.parse import quote, urlencode

from toldonce.server.front_proxy import url_prefix

ROOT = "/dashboard"
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
PROVIDER = f"{LOGIN}/provider"
"""Leads to the OpenID provider."""
RETURN = f"{LOGIN}/return"
"""Where the provider sends people back to."""
STATIC = f"{ROOT}/static/"


def is_dashboard_path(path: str) -> bool:
    """Return whether a decoded path is the dashboard's.

    >>> is_dashboard_path("/dashboard"), is_dashboard_path("/dashboard/keys"), is_dashboard_path("/dashboards")
    (True, True, False)
    """
    return path == ROOT or path.startswith(ROOT + "/")


def is_open_page(path: str) -> bool:
    """Return whether everyone may open a page: the login, and what it looks like.

    >>> is_open_page("/dashboard/login"), is_open_page("/dashboard/static/style.css"), is_open_page("/dashboard/keys")
    (True, True, False)
    """
    return path in (LOGIN, PROVIDER, RETURN) or path.startswith(STATIC)


def page_path(*steps: str, **query: str) -> str:
    """Return the URL of a page for the sender of the request: its steps below the root, escaped, and its query.

    >>> page_path("subjects", "user:a/b", q="red tea")
    '/dashboard/subjects/user%3Aa%2Fb?q=red+tea'
    """
    path = "/".join([url_prefix() + ROOT, *(quote(step, safe="") for step in steps)])
    return f"{path}?{urlencode(query)}" if query else path


def is_own_page(target: str) -> bool:
    """Return whether a target to go on to, which anybody may have written, is a page of the dashboard.

    >>> is_own_page("/dashboard/keys?a=b"), is_own_page("//evil.example/dashboard"), is_own_page("/dashboard\\\\@evil")
    (True, False, False)
    """
    path = target.removeprefix(url_prefix()).partition("?")[0]
    return is_dashboard_path(path) and "\\" not in target and target.isprintable()


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
    return f"{url_prefix()}{STATIC}{name}?v={_all_files()[name].tag}"


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
