"""Plant each defect in a copy of the tree, run the tests that must notice, and print what came of it. Runs processes.

`python -m tests.mutants` plants all of them, `python -m tests.mutants fencing sse` those whose names contain a word.
The tree itself is never touched. The exit status is 1 if a defect went unnoticed or could not be planted.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .defect import Defect
from .defects import DEFECTS

ROOT = Path(__file__).parent.parent.parent
_COPIED = ("toldonce", "tests", "benchmarks", "docs", "pyproject.toml", "README.md", "Makefile")
# The slowest named test kills a server several times; a defect that makes it hang is noticed by this.
_PATIENCE_S = 300
# pytest's exit statuses: some test failed; all passed.
_RED, _GREEN = 1, 0


class Outcome(StrEnum):
    """What came of a defect."""

    NOTICED = "noticed"
    UNNOTICED = "NOT NOTICED"
    STALE = "NOT FOUND IN THE CODE"
    BROKEN = "TESTS COULD NOT RUN"
    RED_WITHOUT = "TESTS RED WITHOUT IT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A defect and what came of it."""

    defect: Defect
    outcome: Outcome
    by: str
    """The first test that failed, or what went wrong."""


def main(words: Sequence[str]) -> int:
    """Plant the chosen defects one by one."""
    chosen = [defect for defect in DEFECTS if not words or any(word in defect.name for word in words)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "tree"
        _copy(copy)
        wrong = _require_copy_first(copy)
        if wrong:
            print(wrong)  # noqa: T201  # a program for people
            return 2
        red = _red_without(copy, chosen)
        verdicts = []
        for number, defect in enumerate(chosen, start=1):
            verdicts.append(_try(copy, defect, red))
            print(f"{number:2}/{len(chosen)} {verdicts[-1].outcome:22} {defect.name}: {verdicts[-1].by}", flush=True)  # noqa: T201
    noticed = sum(verdict.outcome is Outcome.NOTICED for verdict in verdicts)
    print(f"{noticed} of {len(verdicts)} planted defects were noticed")  # noqa: T201
    return 0 if verdicts and noticed == len(verdicts) else 1


def _copy(copy: Path) -> None:
    copy.mkdir(parents=True)
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        elif source.exists():
            shutil.copy2(source, copy / name)


def _environment(copy: Path) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("TOLDONCE_")}
    # Without bytecode files: two versions of a file in one second and of one length would share theirs.
    return env | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "TEST_PATIENCE_S": "60"}


def _require_copy_first(copy: Path) -> str:
    """Say what is wrong if the copy is not what tests would import."""
    found = subprocess.run(
        [sys.executable, "-c", "import toldonce; print(toldonce.__file__)"],
        cwd=copy,
        env=_environment(copy),
        capture_output=True,
        text=True,
    )
    inside = found.stdout.strip().startswith(str(copy))
    return "" if inside else f"the copy is not what is imported, but {found.stdout}{found.stderr}"


def _run(copy: Path, tests: Iterable[str]) -> tuple[int, str]:
    """Run tests; return pytest's status and the first line that says why."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-rfE", *sorted(set(tests))]
    try:
        done = subprocess.run(
            command, cwd=copy, env=_environment(copy), capture_output=True, text=True, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        return _RED, f"no end within {_PATIENCE_S} s"
    why = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return done.returncode, why[1] if why else (done.stdout + done.stderr).strip()[-200:]


def _red_without(copy: Path, chosen: Sequence[Defect]) -> dict[str, str]:
    """Return the tests that fail with nothing planted: they would notice anything."""
    tests = {test for defect in chosen for test in defect.noticed_by}
    status, _ = _run(copy, tests)
    if status == _GREEN:
        return {}
    results = {test: _run(copy, [test]) for test in sorted(tests)}
    return {test: why for test, (status, why) in results.items() if status != _GREEN}


def _try(copy: Path, defect: Defect, red: dict[str, str]) -> Verdict:
    for test in defect.noticed_by:
        if test in red:
            return Verdict(defect=defect, outcome=Outcome.RED_WITHOUT, by=f"{test}: {red[test]}")
    file = copy / defect.file
    source = file.read_text("utf-8") if file.exists() else ""
    if source.count(defect.sound) != 1:
        why = f"{defect.file} has {defect.sound!r} {source.count(defect.sound)} times"
        return Verdict(defect=defect, outcome=Outcome.STALE, by=why)
    file.write_text(source.replace(defect.sound, defect.planted), "utf-8")
    try:
        status, why = _run(copy, defect.noticed_by)
    finally:
        file.write_text(source, "utf-8")
    if status == _GREEN:
        return Verdict(defect=defect, outcome=Outcome.UNNOTICED, by=", ".join(defect.noticed_by))
    return Verdict(defect=defect, outcome=Outcome.NOTICED if status == _RED else Outcome.BROKEN, by=why)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
