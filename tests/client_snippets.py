"""The snippets of docs/use-with.md, by client: tests run them as the page has them. Reads the page."""

import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "use-with.md"
URL = "http://127.0.0.1:8765"
"""Of the server in the snippets; tests put that of their own in its place."""
_SECTION = re.compile(r"(?ms)^## (?P<client>[^\n]+)\n(?P<text>.*?)(?=^## |\Z)")
_BLOCK = re.compile(r"(?ms)^```(?P<language>\w*)\n(?P<code>.*?)^```$")


def sections() -> Mapping[str, str]:
    """Return the page's sections by client."""
    return {found["client"]: found["text"] for found in _SECTION.finditer(PAGE.read_text("utf-8"))}


def snippets(client: str, language: str, port: int | None = None) -> list[str]:
    """Return a client's snippets in a language, in the page's order, with the port of the test's server."""
    found = [block["code"] for block in _BLOCK.finditer(sections()[client]) if block["language"] == language]
    return [code.replace(URL, f"http://127.0.0.1:{port}") for code in found] if port else found


def commands(client: str) -> list[list[str]]:
    """Return the command lines of each of a client's console snippets."""
    return [re.findall(r"(?m)^\$ (.+)$", block) for block in snippets(client, "console")]
