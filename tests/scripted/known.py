"""The misses of the built-in rules that are known. Reads `misses.toml`."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from .table import Row
from .verdict import Finding, Flaw

MISSES = Path(__file__).parent / "misses.toml"

Misses = Mapping[str, Mapping[Flaw, Sequence[str]]]
"""What is wrong with each conversation: by its name and the flaw, what it is about."""


def known_misses(text: str | None = None) -> Misses:
    """Read what the rules are known to get wrong."""
    read = tomllib.loads(MISSES.read_text("utf-8") if text is None else text)
    return {name: {Flaw(flaw): about for flaw, about in found.items()} for name, found in read.items()}


def misses_of(rows: Sequence[Row]) -> Misses:
    """Return what the rules got wrong."""
    return {row.case.name: _by_flaw(row.rules) for row in rows if row.rules}


def _by_flaw(found: Sequence[Finding]) -> Mapping[Flaw, Sequence[str]]:
    by_flaw = {flaw: sorted({finding.about for finding in found if finding.flaw is flaw}) for flaw in Flaw}
    return {flaw: about for flaw, about in by_flaw.items() if about}


def written(rows: Sequence[Row], text: str) -> str:
    """Write the file anew, its comment kept; false memories are left out, so that the tests go on naming them."""
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    blocks = [f"\n[{name}]\n{_lines(found)}" for name, found in misses_of(rows).items() if set(found) - {Flaw.FALSE}]
    return head + "".join(blocks)


def _lines(found: Mapping[Flaw, Sequence[str]]) -> str:
    listed = ((flaw, json.dumps(about, ensure_ascii=False)) for flaw, about in found.items() if flaw is not Flaw.FALSE)
    return "".join(f"{flaw} = {about}\n" for flaw, about in listed)
