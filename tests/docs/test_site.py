"""The site that `make site` builds: its navigation leads to every page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = ROOT / "mkdocs.yml"


def pages(navigation: Any) -> Iterator[str]:
    """Yield the pages of a part of the navigation, in order."""
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, list):
        for part in navigation:
            yield from pages(part)
    else:
        yield from pages(list(navigation.values()))


def test_the_navigation_has_every_page_once() -> None:
    shown = list(pages(yaml.safe_load(SITE.read_text("utf-8"))["nav"]))
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    of_the_root = {"index.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
    assert sorted(shown) == sorted(written | of_the_root), "put each page of docs/ into `nav` of mkdocs.yml"
