"""`docs/requirements.md` has every row once, and names no file or test that is not there."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROWS = {"S": 14, "C": 12, "A": 12, "U": 15, "T": 10}
EVERY = [f"{letter}{number}" for letter, most in ROWS.items() for number in range(1, most + 1)]
_NAMED = re.compile(r"`([^`]+)`")
_STATE = re.compile(r"\*\*(stands|partly|open)\*\*: \S")


class Row(NamedTuple):
    id: str
    state: str
    where: list[str]
    shown_by: list[str]


def rows() -> list[Row]:
    found = []
    for line in (ROOT / "docs" / "requirements.md").read_text("utf-8").splitlines():
        if re.match(r"\| [A-Z]\d+ \|", line):
            name, state, where, shown_by = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Row(name, state, _NAMED.findall(where), _NAMED.findall(shown_by)))
    return found


def state_of(row: Row) -> str:
    match = _STATE.match(row.state)
    return match[1] if match else ""


def test_every_row_stands_there_once_and_in_order() -> None:
    assert [row.id for row in rows()] == EVERY


def test_every_row_says_its_state_and_why() -> None:
    assert [row.id for row in rows() if not state_of(row)] == []


def test_every_file_named_is_there() -> None:
    assert {path for row in rows() for path in row.where if not (ROOT / path).is_file()} == set()


def test_every_test_named_is_there() -> None:
    missing = []
    for row in rows():
        for named in row.shown_by:
            path, _, name = named.partition("::")
            file = ROOT / path
            if not file.is_file() or not re.search(
                rf"(?m)^(?:async )?def {re.escape(name)}\(", file.read_text("utf-8")
            ):
                missing.append(f"{row.id}: {named}")
    assert missing == []


def test_what_stands_or_partly_stands_names_its_place_and_a_test_and_what_is_open_names_none() -> None:
    wrong = [row.id for row in rows() if (bool(row.where), bool(row.shown_by)) != ((state_of(row) != "open"),) * 2]
    assert wrong == []
