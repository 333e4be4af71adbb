"""`python -m benchmarks.others`: make the environments that are missing, then measure. Installs packages from PyPI."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.others.measurement import run
from benchmarks.others.systems import (
    BARE,
    DEFAULT_FOLDER,
    ON_POSTGRES,
    OTHERS,
    EnvironmentMissingError,
    Environments,
)
from benchmarks.progress import steps
from benchmarks.report import measure


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure ToldOnce beside the systems that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.others", description=__doc__)
    usual = (BARE, *OTHERS)
    names = {system.adapter: system for system in (*usual, ON_POSTGRES)}
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=tuple(names),
        default=tuple(system.adapter for system in usual),
        metavar="NAME",
        help=f"beside ToldOnce on SQLite: {', '.join(names)} (default: all but the last)",
    )
    parser.add_argument("--environments", type=Path, default=DEFAULT_FOLDER, metavar="DIR", help="default: %(default)s")
    parser.add_argument("--python", default=sys.executable, metavar="FILE", help="the interpreter to make them with")
    parser.add_argument("--prepare", action="store_true", help="make the environments, and measure nothing")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="small counts, to see that it runs")
    sizes.add_argument("--large", action="store_true", help="100,000 memories in each scene instead of 10,000")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where databases are made; /dev/shm leaves out the disk"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    environments = Environments(folder=asked.environments.absolute())
    systems = [names[name] for name in asked.systems]
    try:
        for system in steps("others: making environments", systems):
            environments.prepare(system, asked.python)
    except EnvironmentMissingError as error:
        print(error, file=sys.stderr)
        return 1
    for system in systems:
        print(f"{system.name}: {system.version() or 'in the environment of the benchmark'}")
    if not asked.prepare:
        others = partial(run, environments=environments, systems=systems, large=asked.large, folder=asked.folder)
        measure({"others": others}, quick=asked.quick, file=asked.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
