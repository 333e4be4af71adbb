"""Forms of the dashboard by name, and which of them tests send from a browser.

A name is method, route and, if several buttons of a form do different things, the value of the button:
`POST /subjects/{subject}/memories/many forget`.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from toldonce.server.dashboard.pages import PAGES
from toldonce.server.dashboard.paths import LOGIN, LOGOUT, ROOT
from toldonce.server.request_target import PathTable, path_steps

_LOGIN, _LOGOUT = LOGIN.removeprefix(ROOT), LOGOUT.removeprefix(ROOT)
_ROUTES = PathTable(
    [
        *((page.method, ROOT + page.path, page.path) for page in PAGES),
        ("POST", LOGIN, _LOGIN),
        ("POST", LOGOUT, _LOGOUT),
    ]
)
POST_FORMS = frozenset(
    f"POST {path}" for path in (*(page.path for page in PAGES if page.method == "POST"), _LOGIN, _LOGOUT)
)
"""All that can be sent to the dashboard, without the values of buttons."""


def form_name(method: str, action: str, button: str = "") -> str:
    """Return the name of a form.

    >>> form_name("post", "/dashboard/keys/k_1/revoke"), form_name("post", "/dashboard/work/maintain", "now")
    ('POST /keys/{key}/revoke', 'POST /work/maintain now')
    """
    found = _ROUTES.find(path_steps(urlsplit(action).path.rstrip("/")))
    path = next(iter(found.by_method.values())) if found else action
    return f"{method.upper()} {path} {button}".rstrip()


def sends(*forms: str) -> pytest.MarkDecorator:
    """Mark a test that sends these forms, and no others, from a browser."""
    return pytest.mark.sends(*forms)


def driven_forms() -> set[str]:
    """Return the names of the forms that any test sends from a browser."""
    return {
        form
        for test in _tests()
        for mark in getattr(test, "pytestmark", ())
        if mark.name == "sends"
        for form in mark.args
    }


def _tests() -> Iterator[Callable[..., object]]:
    for path in sorted((Path(__file__).parent / "integration").glob("test_dashboard_*.py")):
        yield from (
            test for name, test in vars(import_module(f"integration.{path.stem}")).items() if name.startswith("test_")
        )
