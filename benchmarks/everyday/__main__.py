"""`python -m benchmarks.everyday`: how much of what people say in passing is remembered without a model."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.everyday.measurement import run
from benchmarks.everyday.messages import LANGUAGES
from benchmarks.quiet import errors_only
from benchmarks.report import measure


@errors_only()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the languages that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.everyday", description=__doc__)
    parser.add_argument(
        "--language",
        nargs="+",
        choices=tuple(LANGUAGES),
        default=tuple(LANGUAGES),
        metavar="CODE",
        help=f"{', '.join(LANGUAGES)} (default: all)",
    )
    parser.add_argument("--show", action="store_true", help="print the open half's messages with what is remembered")
    parser.add_argument("--held-out", action="store_true", help="with --show: print the held-out half, too")
    parser.add_argument("--quick", action="store_true", help="a few messages of each language, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    everyday = partial(run, languages=asked.language, show=asked.show, held_out=asked.held_out)
    measure({"everyday": everyday}, quick=asked.quick, file=asked.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
