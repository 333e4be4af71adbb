"""No pattern of the package takes the square of a text's length: each is fed with texts that are made to cost."""

import re
from collections import deque
from pathlib import Path
from time import perf_counter, thread_time

import pytest

import toldonce
from cpu_limit import CpuLimitError, cpu_limit
from hostile_text import UNITS, heads_and_units, long_run
from package_patterns import WITHOUT_PATTERNS, PackagePattern, may_call, module_names, package_patterns
from soak import SOAK, sampled, whole_only

# Characters: of the texts that tell what costs a pattern most, and of those whose times are compared. The shorter of
# these is longer than any bound of a repetition (4,000): below it a bounded pattern takes the square.
PROBE, SHORT = 600, 5_000
LONG = 100_000 if SOAK else 20_000
# CPU seconds for one text. A linear pattern takes a few hundredths of them.
MAX_S = {PROBE: 1.0, SHORT: 1.0, LONG: LONG / 20_000}
# The longer text may take so many times what its share would be: four times the length costs a square 16 times.
MAX_GROWTH = 2.0
# Shorter times are not compared: some machines count CPU time in steps of 4 ms.
MIN_COMPARED_S = 0.01
# A square that takes less than this at the second length takes less than those at the third.
MIN_SQUARE_S = MIN_COMPARED_S * (SHORT / LONG) ** 2
# A growth counts if it is seen each of so many times.
_ATTEMPTS = 4
# So many of the costliest runs are measured twice more, so that a pause of the machine hides none of the costliest.
_AGAIN = 12 if SOAK else 2
# So many of the costliest runs are fed at the second length; the costliest of these at the third, beside blanks.
_COSTLIEST = 3
# So many runs made of a pattern's own words are tried, spread over it: the longest pattern has two thousand.
_OWN_RUNS = 60 if SOAK else 6
_END = "\x00"

# Calls within functions that only module-level code calls (each result is found), or that hold escaped literals.
KNOWN_HIDDEN = {
    "toldonce.dates.patterns",
    "toldonce.dates.clause",
    "toldonce.extraction.secret_kinds.named",
    "toldonce.providers.lenient_json",
}
# Compiles what the other modules declare.
KNOWN_HIDDEN |= {"toldonce.lazy_pattern"}

# Escaped names of a frame's own tags.
KNOWN_HIDDEN |= {"toldonce.prompt.render"}
# Patterns of carriers.toml; the constants of the modules that ask for them are found.
KNOWN_HIDDEN |= {"toldonce.extraction.own_text.carriers"}
# Alternatives without any unbounded repetition, from tables of our own.
KNOWN_HIDDEN |= {"toldonce.text.topics", "toldonce.reading.forget_words"}
KNOWN_HIDDEN |= {"toldonce.extraction.salience", "toldonce.extraction.presumptions"}


class GrowthError(AssertionError):
    """The time of a pattern grows faster than its text."""


def run_all(pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> None:
    """Match at the head, whole, and wherever it can: `finditer` begins with what `search` does."""
    data = text.encode() if isinstance(pattern.pattern, bytes) else text
    for way in (pattern.match, pattern.fullmatch):
        way(data)  # type: ignore[arg-type]
    deque(pattern.finditer(data), 0)  # type: ignore[arg-type]


def cost(pattern: re.Pattern[str] | re.Pattern[bytes], run: tuple[str, str], length: int) -> float:
    """Return the seconds that a text takes, which is a head and a unit repeated: those of CPU, but for short texts.

    Some machines count CPU time in steps of 4 ms, which tells nothing of short texts.
    """
    head, unit = run
    text = long_run(unit, length, head=head, tail=_END)
    clock = perf_counter if length == PROBE else thread_time
    began, seen = clock(), perf_counter()
    with cpu_limit(MAX_S[length]):
        run_all(pattern, text)
    taken = clock() - began
    return max(taken, min(perf_counter() - seen, MIN_SQUARE_S)) if length == SHORT else taken


def costliest(costs: dict[tuple[str, str], float], count: int) -> list[tuple[str, str]]:
    return sorted(costs, key=lambda run: costs[run], reverse=True)[:count]


def feed(found: PackagePattern) -> None:
    """Feed a pattern with all runs at the least length, and with the costliest of them at the greater ones."""
    source, flags = found.pattern.pattern, found.pattern.flags
    own = heads_and_units(source, flags)
    runs = list(dict.fromkeys([*(("", unit) for unit in sampled(UNITS, 20)), *own[:: len(own) // _OWN_RUNS + 1]]))
    costs = {run: cost(found.pattern, run, PROBE) for run in runs}
    for run in costliest(costs, _AGAIN) * 2:
        costs[run] = min(costs[run], cost(found.pattern, run, PROBE))
    costs = {run: cost(found.pattern, run, SHORT) for run in [*costliest(costs, _COSTLIEST), ("", " ")]}
    for run in dict.fromkeys([*costliest(costs, 1), ("", " ")]):
        check_growth(found.pattern, run, costs[run])


def check_growth(pattern: re.Pattern[str] | re.Pattern[bytes], run: tuple[str, str], short: float) -> None:
    """Compare the time of a long text with that of a short one, which is measured again if it is too short.

    Raises:
        GrowthError: The long one takes more than its length explains.
    """
    long = float("inf")
    if short < MIN_SQUARE_S:
        return
    for _ in range(_ATTEMPTS):
        long = min(long, cost(pattern, run, LONG))
        if long < max(MIN_COMPARED_S, MAX_GROWTH * short * LONG / SHORT):
            return
        short = min(short, cost(pattern, run, SHORT))
    raise GrowthError(f"{LONG} characters took {long:.3f} s, {SHORT} took {short:.4f} s: {run}")


def part_of(module: str) -> str:
    """Return the package of the first level, or the module, that a module belongs to."""
    return ".".join(module.split(".")[:2])


PARTS = sorted({part_of(name) for name in module_names()})


@pytest.mark.soak
@pytest.mark.parametrize("part", PARTS)
def test_each_pattern_takes_linear_time(part: str) -> None:
    patterns, _ = package_patterns()
    for pattern in [found for name, own in patterns.items() if part_of(name) == part for found in own]:
        try:
            feed(pattern)
        except (CpuLimitError, GrowthError) as error:
            error.add_note(pattern.place)
            raise


def test_no_pattern_is_hidden_from_these_tests() -> None:
    patterns, hidden = package_patterns()
    modules = {call.place.rpartition(":")[0] for call in hidden}

    assert modules <= KNOWN_HIDDEN, hidden
    root = Path(toldonce.__file__).parents[1]
    for name in WITHOUT_PATTERNS:
        assert not may_call((root / f"{name.replace('.', '/')}.py").read_text("utf-8"))
    assert {module for module, own in patterns.items() if own} <= set(module_names())
    assert sum(len(own) for own in patterns.values()) > 400


@pytest.mark.parametrize(
    "source",
    [
        *(r"\s+$", r"(?:a |b)*c", r"(\w+\s*)+!"),
        pytest.param(r"\s*,", marks=whole_only),
        pytest.param(r"I live in\s+(?:\w+\s+)?\s*Oslo", marks=whole_only),
    ],
)
def test_a_quadratic_pattern_is_seen(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_linear_patterns._ATTEMPTS", 1)
    monkeypatch.setitem(MAX_S, LONG, 0.2)
    with pytest.raises((CpuLimitError, GrowthError)):
        feed(PackagePattern("here", re.compile(source)))
