"""`python -m benchmarks`: run them, show a table, write JSON. Writes a file; starts what the benchmarks start."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import (
    agent_tools,
    authentication,
    backlog,
    bounds,
    dashboard,
    fairness,
    footprint,
    hook,
    long_chats,
    proxy,
    recall,
    stall,
    throughput,
    tiered,
    upkeep,
)
from benchmarks.others import measurement
from benchmarks.report import Benchmark, measure

BENCHMARKS: Mapping[str, Benchmark] = {
    "recall": recall.run,
    "tiered": tiered.run,
    "throughput": throughput.run,
    "proxy": proxy.run,
    "chats": long_chats.run,
    "backlog": backlog.run,
    "stall": stall.run,
    "upkeep": upkeep.run,
    "fairness": fairness.run,
    "footprint": footprint.run,
    "hook": hook.run,
    "authentication": authentication.run,
    "mcp": agent_tools.run,
    "dashboard": dashboard.run,
}
# Run only when named: `bounds` sends gigabytes, and `others` needs environments of other systems, which should not be
# installed unasked.
BY_NAME: Mapping[str, Benchmark] = {"bounds": bounds.run, "others": measurement.run}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that were asked for."""
    known = {**BENCHMARKS, **BY_NAME}
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure ToldOnce on this machine.")
    parser.add_argument(
        "--quick", action="store_true", help="small counts, under a minute in all; to see that they run"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=tuple(known),
        metavar="NAME",
        help=f"{', '.join(BENCHMARKS)}; and, never unless named: {', '.join(BY_NAME)}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    measure({name: known[name] for name in asked.only or BENCHMARKS}, quick=asked.quick, file=asked.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
