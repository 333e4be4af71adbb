"""Known misses of the built-in rules. Reads `misses.toml`."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from .table import Row
from .verdict import Finding, Flaw

MISSES = Path(__file__).parent / "misses.toml"

Misses = Mapping[str, Mapping[Flaw, Sequence[str]]]
"""Misses by conversation and flaw: the entries they are about."""


def known_misses(text: str | None = None) -> Misses:
    """Read the known misses of the rules."""
    read = tomllib.loads(MISSES.read_text("utf-8") if text is None else text)
    return {name: {Flaw(flaw): about for flaw, about in found.items()} for name, found in read.items()}


def misses_of(rows: Sequence[Row]) -> Misses:
    """Return the misses of the rules."""
    return {row.case.name: _by_flaw(row.rules) for row in rows if row.rules}


def _by_flaw(found: Sequence[Finding]) -> Mapping[Flaw, Sequence[str]]:
    by_flaw = {flaw: sorted({finding.about for finding in found if finding.flaw is flaw}) for flaw in Flaw}
    return {flaw: about for flaw, about in by_flaw.items() if about}


def written(rows: Sequence[Row], text: str) -> str:
    """Rewrite the file, keeping its comment; false memories are left out, so that tests keep reporting them."""
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    blocks = [f"\n[{name}]\n{_lines(found)}" for name, found in misses_of(rows).items() if set(found) - {Flaw.FALSE}]
    return head + "".join(blocks)


def _lines(found: Mapping[Flaw, Sequence[str]]) -> str:
    listed = ((flaw, json.dumps(about, ensure_ascii=False)) for flaw, about in found.items() if flaw is not Flaw.FALSE)
    return "".join(f"{flaw} = {about}\n" for flaw, about in listed)
