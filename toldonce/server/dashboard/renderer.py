"""Writes pages as HTML. Reads the templates from the package, at the first page."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from toldonce.server.dashboard.demonstration import is_demonstration
from toldonce.server.dashboard.filters import FILTERS
from toldonce.server.dashboard.messages import MESSAGES
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.static_files import static_url

if TYPE_CHECKING:
    from jinja2 import Environment

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing is loaded from another host, and nothing runs that is written into a page."""


def render(template: str, values: Mapping[str, Any]) -> str:
    """Write a page.

    Args:
        template: Name of its file, without `.html`.
        values: What the template names. Text in them is escaped.
    """
    return _environment().get_template(f"{template}.html").render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # not loaded by servers that show no page

    environment = Environment(
        loader=PackageLoader("toldonce.server.dashboard"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    environment.globals.update(
        is_demonstration=is_demonstration, messages=MESSAGES, page_path=page_path, static_url=static_url
    )
    return environment
