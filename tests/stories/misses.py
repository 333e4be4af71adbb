"""Known false statements, and the shares reached so far. Reads `misses.toml`."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from .runs import SuiteRun
from .verdict import Outcome

MISSES = Path(__file__).parent / "misses.toml"
# Shares are noted so far below what was reached, so that a harmless change of ranking fails no test.
SHARE_SLACK = 0.01

KnownFalse = Mapping[str, Mapping[str, Sequence[str]]]
"""The phrases found in prompts, by run, story and question."""


def known_false(run: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Read the known false statements of a run: phrases by story and question."""
    found = _read().get(run, {})
    assert isinstance(found, dict)
    return found


def least_share(run: str) -> float:
    """Read the share of expected statements that a run has reached."""
    shares = _read().get("share", {})
    assert isinstance(shares, dict)
    return float(shares[run])


def false_of(run: SuiteRun) -> dict[str, dict[str, list[str]]]:
    """Return the false statements of a run: phrases by story and question."""
    found: dict[str, dict[str, list[str]]] = {}
    for verdict in run.verdicts:
        for finding in verdict.findings:
            if finding.outcome is Outcome.FALSE_IN_PROMPT:
                phrases = found.setdefault(verdict.told.story.name, {}).setdefault(finding.place, [])
                phrases.append(finding.phrase)
    return {story: {place: sorted(phrases) for place, phrases in places.items()} for story, places in found.items()}


def written(runs: Sequence[SuiteRun], text: str) -> str:
    """Rewrite the file, keeping its comment."""
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    shares = "".join(f"{run.name} = {max(run.share - SHARE_SLACK, 0):.2f}\n" for run in runs)
    blocks = [
        f"\n[{run.name}.{story}]\n"
        + "".join(f"{_quoted(place)} = {_quoted(found)}\n" for place, found in places.items())
        for run in runs
        for story, places in false_of(run).items()
    ]
    return f"{head}\n[share]\n{shares}" + "".join(blocks)


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read() -> Mapping[str, object]:
    return tomllib.loads(MISSES.read_text("utf-8"))
