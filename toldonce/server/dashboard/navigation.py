"""Which pages the frame around a page links to: those that its reader may open. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toldonce.server.dashboard.page import PageRequest
from toldonce.server.dashboard.paths import page_path
from toldonce.server.path_table import path_steps


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """A link to a page."""

    name: str
    url: str
    is_current: bool


_FIRST = ("subjects", "{subject}")
_OF_ALL = (
    ("Overview", ()),
    ("Memories", ("subjects",)),
    ("Live", ("live",)),
    ("Apps", ("apps",)),
    ("Work", ("work",)),
    ("Statistics", ("statistics",)),
)
_OF_ADMINISTRATORS = (("Keys", ("keys",)), ("Audit log", ("audit",)))
_OF_OPERATORS = (("Settings", ("settings",)),)
_OF_A_SUBJECT = (
    ("Memories", ()),
    ("Reviews", ("reviews",)),
    ("Conversations", ("conversations",)),
    ("Live", ("live",)),
    ("Health", ("health",)),
    ("Statistics", ("statistics",)),
)


def navigation(request: PageRequest) -> dict[str, Any]:
    """Return the links around a page: to the server's pages, and to those of the page's subject."""
    subject = request.parameters.get("subject")
    whole = []
    if request.is_administrator:
        wanted = (*_OF_ALL, *_OF_ADMINISTRATORS, *(_OF_OPERATORS if request.is_operator else ()))
        whole = [_link(request, name, steps, is_whole=subject is None) for name, steps in wanted]
    own = []
    if subject is not None:
        own = [_link(request, name, ("subjects", subject, *steps), is_whole=False) for name, steps in _OF_A_SUBJECT]
    return {"links": whole, "subject": subject, "of_subject": own, "may_write": request.may_write}


def _link(request: PageRequest, name: str, steps: Sequence[str], *, is_whole: bool) -> NavigationLink:
    here = path_steps(request.path.rstrip("/"))[1:]
    # A subject's memories are its first page: their address begins those of all its pages.
    is_first = len(steps) in (0, len(_FIRST)) and steps[:1] in ((), _FIRST[:1])
    is_below = here[: len(steps)] == list(steps) and (not is_first or here[len(steps) :][:1] == ["memories"])
    is_current = here == list(steps) or is_below or (steps == _FIRST[:1] and not is_whole)
    return NavigationLink(name, page_path(*steps), is_current)
