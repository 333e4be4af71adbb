"""Figures as tables of Markdown, as the documentation has them. Pure."""

from collections.abc import Mapping, Sequence

from benchmarks.rows import Row

_SPREAD = (", p50", ", p95")


def markdown(rows: Sequence[Row]) -> str:
    """Write a table: a column for each system where there are several, a column for the bar where there are bars."""
    return _side_by_side(rows) if any(row.of for row in rows) else _listed(rows)


def _listed(rows: Sequence[Row]) -> str:
    lines = ["| | value | unit | bar | note |", "|---|---|---|---|---|"]
    for row in rows:
        bar = "" if row.bar is None else f"{'' if row.meets_bar else '**missed**, '}< {row.bar:g}"
        lines.append(f"| {row.name} | {_short(row.value)} | {row.unit} | {bar} | {row.note} |")
    return "\n".join(lines) + "\n"


def _side_by_side(rows: Sequence[Row]) -> str:
    systems = list(dict.fromkeys(row.of for row in rows))
    lines = [f"| | {' | '.join(systems)} |", f"|---{'|---' * len(systems)}|"]
    figures: dict[tuple[str, str, str], dict[str, list[Row]]] = {}
    for row in rows:
        scene, _, figure = row.name.rpartition(": ")
        spread = next((end for end in _SPREAD if figure.endswith(end)), "")
        of = figures.setdefault((scene, figure.removesuffix(spread), row.unit), {})
        of.setdefault(row.of, []).append(row)
    before = ""
    for (scene, figure, unit), of in figures.items():
        if scene and scene != before:
            lines.append(f"| **{scene}** |{' |' * len(systems)}")
        before = scene
        several = " p50 / p95" if any(len(shares) > 1 for shares in of.values()) else ""
        cells = " | ".join(_cell(of, system) for system in systems)
        lines.append(f"| {figure}, {unit}{several} | {cells} |")
    return "\n".join(lines) + "\n"


def _cell(of: Mapping[str, Sequence[Row]], system: str) -> str:
    shares = of.get(system)
    if not shares:
        return "—"
    ratio = shares[0].ratio
    return " / ".join(_short(row.value) for row in shares) + ("" if ratio is None else f" ×{ratio:.2g}")


def _short(value: float) -> str:
    """Write three digits, or all of a larger whole number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
