"""Results as the table in `docs/scripted.md` and on the command line. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .cases import KINDS, Case
from .verdict import Finding, Flaw

PAGE = Path(__file__).parents[2] / "docs" / "scripted.md"
_BEGIN, _END = "<!-- table -->\n", "<!-- end of table -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One conversation and its findings."""

    case: Case
    rules: Sequence[Finding]
    model: Sequence[Finding]


def table(rows: Sequence[Row]) -> str:
    """Write the tables: by kind, and conversation by conversation."""
    lines = ["| kind | conversations | right by rules | right with the scripted model |", "|---|---:|---:|---:|"]
    for kind in KINDS:
        of_kind = [row for row in rows if kind in row.case.kinds]
        lines.append(f"| {kind} | {len(of_kind)} | {_right(of_kind, 'rules')} | {_right(of_kind, 'model')} |")
    lines.append(f"| **all** | **{len(rows)}** | **{_right(rows, 'rules')}** | **{_right(rows, 'model')}** |")
    lines += ["", "| conversation | kinds | by rules | with the scripted model |", "|---|---|---|---|"]
    for row in rows:
        kinds = ", ".join(row.case.kinds)
        lines.append(f"| `{row.case.name}` | {kinds} | {_said(row.rules)} | {_said(row.model)} |")
    return "\n".join(lines)


def with_table(page: str, tables: str) -> str:
    """Put the tables between their marks in the page."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{tables}\n\n{_END}{after}"


def flaws(found: Sequence[Finding]) -> Mapping[Flaw, int]:
    """Count findings by their flaw."""
    return {flaw: count for flaw in Flaw if (count := sum(finding.flaw is flaw for finding in found))}


def _right(rows: Sequence[Row], how: str) -> int:
    return sum(not (row.rules if how == "rules" else row.model) for row in rows)


def _said(found: Sequence[Finding]) -> str:
    return ", ".join(f"{count} {flaw}" for flaw, count in flaws(found).items()) or "right"
