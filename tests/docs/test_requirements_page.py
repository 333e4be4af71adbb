"""`docs/requirements.md` has every row once, names nothing that is not there, and shows each row by its tests."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
ROWS = {"S": 14, "C": 12, "A": 12, "U": 15, "T": 10}
EVERY = [f"{letter}{number}" for letter, most in ROWS.items() for number in range(1, most + 1)]
OPEN_ON_PURPOSE: dict[str, tuple[str, str]] = {}
"""What of a row is left for later, and why; all other rows are done, on every store."""
_NAMED = re.compile(r"`([^`]+)`")
_STATE = re.compile(r"\*\*(done|partly|open)\*\*: \S")
_TEST = re.compile(r"(?m)^(?:async )?def (test_\w+)\(")
_IDS = re.compile(r"test_((?:[scaut]\d+_(?:and_)?)+)")


class Row(NamedTuple):
    id: str
    state: str
    where: list[str]
    shown_by: list[str]


def rows() -> list[Row]:
    found = []
    for line in PAGE.splitlines():
        if re.match(r"\| [A-Z]\d+ \|", line):
            name, state, where, shown_by = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Row(name, state, _NAMED.findall(where), _NAMED.findall(shown_by)))
    return found


def state_of(row: Row) -> str:
    match = _STATE.match(row.state)
    return match[1] if match else ""


@cache
def named_in(path: str) -> frozenset[str]:
    file = ROOT / path
    return frozenset(_TEST.findall(file.read_text("utf-8"))) if file.is_file() else frozenset()


def borne_by(test: str) -> set[str]:
    """Return the rows whose ids a test's name begins with."""
    match = _IDS.match(test)
    return {name.upper() for name in match[1].split("_") if name and name != "and"} if match else set()


def test_every_row_is_there_once_and_in_order() -> None:
    assert [row.id for row in rows()] == EVERY


def test_every_row_says_its_state_and_why() -> None:
    assert [row.id for row in rows() if not state_of(row)] == []


def test_what_is_not_done_is_left_open_on_purpose() -> None:
    assert {row.id for row in rows() if state_of(row) != "done"} == set(OPEN_ON_PURPOSE)
    for row in rows():
        what, why = OPEN_ON_PURPOSE.get(row.id, ("", ""))
        assert all(word in row.state for word in what.split(" and ")), row.id
        assert bool(what) == bool(why)


def test_every_file_named_is_there() -> None:
    assert {path for row in rows() for path in row.where if not (ROOT / path).is_file()} == set()


def test_every_test_named_is_there() -> None:
    named = [(row.id, *shown.partition("::")[::2]) for row in rows() for shown in row.shown_by]
    assert [(row, path, test) for row, path, test in named if test not in named_in(path)] == []


def test_every_row_is_shown_by_a_test_that_bears_its_id() -> None:
    bare = [row.id for row in rows() if not any(row.id in borne_by(shown.partition("::")[2]) for shown in row.shown_by)]
    assert bare == []


def test_no_test_bears_the_id_of_a_row_that_is_not_there() -> None:
    files = (str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    borne = {name for path in files for test in named_in(path) for name in borne_by(test)}
    assert borne <= set(EVERY)
    assert borne == set(EVERY)


def test_every_row_names_its_place() -> None:
    assert [row.id for row in rows() if not row.where] == []
