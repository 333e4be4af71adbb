"""The examples of docs/frameworks.md, by framework: tests run them as the page has them. Reads the page."""

import contextlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "frameworks.md"
_SECTION = re.compile(r"(?ms)^## (?P<framework>[^\n]+)\n(?P<text>.*?)(?=^## |\Z)")
_EXAMPLE = re.compile(r"(?ms)^```python\n(.*?)^```$")
_PRINTED = re.compile(r"(?m)print\(.*\)  # (.*)$")


def examples() -> Mapping[str, list[str]]:
    """Return the page's Python examples by framework."""
    found = _SECTION.finditer(PAGE.read_text("utf-8"))
    return {section["framework"]: _EXAMPLE.findall(section["text"]) for section in found}


def check_examples(framework: str, folder: Path) -> None:
    """Run the examples of a framework's section in a folder: each prints what its comments say."""
    for code in examples()[framework]:
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, PAGE.name, "exec"), {"__name__": "__main__"})
        assert printed.getvalue().splitlines() == _PRINTED.findall(code), code
