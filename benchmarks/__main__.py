"""`python -m benchmarks`: run them, show a table, write JSON. Writes a file; starts what the benchmarks start."""

import argparse
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

from benchmarks import footprint, proxy, recall, stall, throughput, tiered
from benchmarks.machine import machine, versions
from benchmarks.made_up import SEED
from benchmarks.rows import Row
from recollect.settings import PREFIX

BENCHMARKS: Mapping[str, Callable[[bool], list[Row]]] = {
    "recall": recall.run,
    "tiered": tiered.run,
    "throughput": throughput.run,
    "proxy": proxy.run,
    "stall": stall.run,
    "footprint": footprint.run,
}
RESULTS = Path("bench-results")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Recollect on this machine.")
    parser.add_argument(
        "--quick", action="store_true", help="small counts, under a minute in all; to see that they run"
    )
    parser.add_argument("--only", nargs="+", choices=tuple(BENCHMARKS), metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    _forget_settings()
    signal.signal(signal.SIGTERM, _leave)
    console = Console(width=None if sys.stdout.isatty() else 160)
    started = datetime.now(UTC)
    results: dict[str, list[Row]] = {}
    report = {
        "at": started.isoformat(timespec="seconds"),
        "quick": asked.quick,
        "seed": SEED,
        "machine": machine(),
        "versions": versions(),
    }
    file = asked.json or RESULTS / f"{started:%Y%m%dT%H%M%SZ}{'-quick' if asked.quick else ''}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for name in asked.only or BENCHMARKS:
        begin = time.perf_counter()
        results[name] = BENCHMARKS[name](asked.quick)
        console.print(table(f"{name} ({time.perf_counter() - begin:.0f} s)", results[name]))
        rows = {one: [asdict(row) for row in rows] for one, rows in results.items()}
        file.write_text(json.dumps(report | {"results": rows}, indent=1) + "\n", "utf-8")
    console.print(f"{file} (fsync here: {report['machine']['fsync_ms']} ms)")
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
