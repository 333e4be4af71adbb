"""Run benchmarks one by one, show their tables, write JSON and Markdown. Starts what the benchmarks start."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.table import Table

from benchmarks.machine import machine, versions
from benchmarks.made_up import SEED
from benchmarks.markdown import markdown
from benchmarks.rows import Row
from toldonce.settings import PREFIX

Benchmark = Callable[[bool], list[Row]]
"""Measures, quickly if so asked."""
RESULTS = Path("bench-results")


def measure(chosen: Mapping[str, Benchmark], *, quick: bool, file: Path | None) -> Path:
    """Run benchmarks by name; return the file that has the figures (default: bench-results/TIME.json).

    A file beside it, of the same name and the suffix `.md`, has the tables for the documentation.
    """
    _forget_settings()
    signal.signal(signal.SIGTERM, _leave)
    console = Console(width=None if sys.stdout.isatty() else 160)
    started = datetime.now(UTC)
    results: dict[str, list[Row]] = {}
    here = machine()
    report = {
        "at": started.isoformat(timespec="seconds"),
        "quick": quick,
        "seed": SEED,
        "machine": here,
        "versions": versions(),
    }
    file = file or RESULTS / f"{started:%Y%m%dT%H%M%SZ}{'-quick' if quick else ''}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for name, benchmark in chosen.items():
        begin = time.perf_counter()
        results[name] = benchmark(quick)
        title = f"{name} ({time.perf_counter() - begin:.0f} s)"
        beside = any(row.of for row in results[name])
        console.print(side_by_side(title, results[name]) if beside else table(title, results[name]))
        rows = {name: [asdict(row) for row in rows] for name, rows in results.items()}
        file.write_text(json.dumps(report | {"results": rows}, indent=1) + "\n", "utf-8")
        tables = [f"## {name}\n\n{markdown(rows)}" for name, rows in results.items()]
        file.with_suffix(".md").write_text("\n".join(tables), "utf-8")
    console.print(f"{file}, tables in {file.with_suffix('.md').name} (fsync here: {here['fsync_ms']} ms)")
    return file


def table(title: str, rows: Sequence[Row]) -> Table:
    """Draw rows; a promise that is kept is marked, one that is not stands out."""
    drawn = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("", "value", "unit", "bar", "n", "note"):
        drawn.add_column(heading, justify="right" if heading in ("value", "n", "bar") else "left")
    for row in rows:
        bar = "" if row.bar is None else f"{'✓' if row.meets_bar else '✗'} <{row.bar:g}"
        style = "" if row.meets_bar else "bold red"
        drawn.add_row(row.name, number(row.value), row.unit, bar, f"{row.count:,}", row.note, style=style)
    return drawn


def side_by_side(title: str, rows: Sequence[Row]) -> Table:
    """Build a table with a column per system and a row per figure; values show their ratio to ToldOnce's."""
    systems = list(dict.fromkeys(row.of for row in rows))
    drawn = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("", "unit", *systems):
        drawn.add_column(heading, justify="left" if heading in ("", "unit") else "right")
    figures: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        figures.setdefault((row.name, row.unit), {})[row.of] = row
    for (name, unit), of in figures.items():
        drawn.add_row(name, unit, *(_cell(of.get(system)) for system in systems))
    return drawn


def _cell(row: Row | None) -> str:
    if row is None:
        return "—"
    return number(row.value) + ("" if row.ratio is None else f" ×{number(row.ratio)}")


def number(value: float) -> str:
    """Write a number with as many digits as it deserves.

    >>> number(12345.6), number(12.345), number(0.12345)
    ('12,346', '12.3', '0.123')
    """
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def _forget_settings() -> None:
    """Measure the defaults, whatever the caller's shell sets."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]


def _leave(number: int, frame: FrameType | None) -> None:
    """End by an exception, so that processes and folders are taken down with it."""
    raise SystemExit(128 + number)
