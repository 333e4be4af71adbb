"""The result of the suite as the table in `docs/scripted.md` and on the command line. Pure."""

from collections.abc import Sequence
from pathlib import Path

from .runs import SuiteRun
from .verdict import Outcome, Verdict

PAGE = Path(__file__).parents[2] / "docs" / "scripted.md"
_BEGIN, _END = "<!-- stories -->\n", "<!-- end of stories -->"
_COLUMNS = (Outcome.RIGHT, Outcome.MISSING, Outcome.FALSE_IN_STORE, Outcome.FALSE_IN_PROMPT)
# What is no mistake.
_FINE = (Outcome.RIGHT, Outcome.OLDER)


def table(runs: Sequence[SuiteRun]) -> str:
    """Write the tables by run and by story."""
    lines = [
        "| run | right | missing | share | false in the store | false statements in prompts "
        "| follow-ups whose prompt holds something false | older statements beside newer ones |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for run in runs:
        right, missing, store, prompt = (run.count(outcome) for outcome in _COLUMNS)
        false = sum(verdict.false_follow_ups for verdict in run.verdicts)
        asked = sum(verdict.follow_ups for verdict in run.verdicts)
        lines.append(
            f"| {run.name} | {right} | {missing} | {run.share:.0%} | {store} | {prompt} | {false} of {asked} "
            f"| {run.count(Outcome.OLDER)} |"
        )
    names = " | ".join(run.name for run in runs)
    lines += ["", f"| story | topic | {names} |", "|---|---|" + "---|" * len(runs)]
    for told in zip(*(run.verdicts for run in runs), strict=True):
        story = told[0].told.story
        cells = " | ".join(map(_cell, told))
        lines.append(f"| `{story.name}` | {story.topic} | {cells} |")
    return "\n".join(lines)


def with_table(page: str, tables: str) -> str:
    """Put the tables between their marks in the page."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{tables}\n\n{_END}{after}"


def details(run: SuiteRun) -> str:
    """Write the mistakes of each story, with its prompts and memories."""
    lines: list[str] = []
    for verdict in run.verdicts:
        lines.append(f"\n=== {verdict.told.story.name} · {run.name}: {_cell(verdict)}")
        lines += [f"  {finding}" for finding in verdict.findings if finding.outcome not in _FINE]
        for asked in verdict.told.asked:
            lines.append(f"    {asked.session}: {asked.turn.user}")
            lines += [f"        {line}" for line in asked.lines]
        lines.append("    store:")
        lines += [f"        {memory.kind}: {memory.text} {memory.key}={memory.value}" for memory in verdict.told.active]
    return "\n".join(lines)


def _cell(verdict: Verdict) -> str:
    counts = ((outcome, verdict.count(outcome)) for outcome in _COLUMNS[1:])
    return ", ".join(f"{count} {outcome}" for outcome, count in counts if count) or "right"
