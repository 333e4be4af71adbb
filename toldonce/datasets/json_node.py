"""Validation of hand-written JSON: errors name the file, the field and the value. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NoReturn

from toldonce.errors import BadRequestError

# Data sets date sessions only; a turn takes about a minute.
TURN = timedelta(minutes=1)
# Maximum length of a value in an error.
_MAX_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its path: 'samples.json: [3].qa[0].question'."""

    where: str
    value: Any

    def refuse(self, why: str) -> NoReturn:
        """Raise an error on the value.

        Raises:
            BadRequestError: always.
        """
        shown = json.dumps(self.value, ensure_ascii=False, default=repr)
        shown = shown if len(shown) <= _MAX_SHOWN_CHARACTERS else f"{shown[:_MAX_SHOWN_CHARACTERS]}…"
        raise BadRequestError(f"{self.where}: {why}; it is {shown}", param="data")

    def get(self, name: str) -> "Node | None":
        """Return a field; None if it is missing or null."""
        if not isinstance(self.value, dict):
            self.refuse("must be an object")
        found = self.value.get(name)
        return None if found is None else Node(f"{self.where}.{name}", found)

    def at(self, name: str) -> "Node":
        """Return a required field."""
        found = self.get(name)
        if found is None:
            raise BadRequestError(f"{self.where}: the field {name!r} is missing", param="data")
        return found

    def only(self, *names: str) -> None:
        """Refuse other fields, so that misspelt names are not ignored."""
        if not isinstance(self.value, dict):
            self.refuse("must be an object")
        for name in self.value:
            if name not in names:
                raise BadRequestError(
                    f"{self.where}: no field is called {name!r}; there are: {', '.join(names)}", param="data"
                )

    def items(self) -> list["Node"]:
        """Return the members of a list."""
        if not isinstance(self.value, list):
            self.refuse("must be a list")
        return [Node(f"{self.where}[{place}]", item) for place, item in enumerate(self.value)]

    def fields(self) -> Iterator[tuple[str, "Node"]]:
        """Yield the fields of an object."""
        if not isinstance(self.value, dict):
            self.refuse("must be an object")
        for name, value in self.value.items():
            yield str(name), Node(f"{self.where}.{name}", value)

    def text(self) -> str:
        """Return non-blank text."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse("must be text that is not blank")
        return str(self.value).strip()

    def name(self) -> str:
        """Return an id, which may be text or an integer, as text."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def instant(self, zone: tzinfo = UTC) -> datetime:
        """Return an ISO 8601 date or time in UTC; without an offset it is in `zone`."""
        if isinstance(self.value, str):
            try:
                found = datetime.fromisoformat(self.value.strip())
                return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
            except (ValueError, OverflowError):
                pass
        self.refuse("must be a date in ISO 8601, such as 2026-05-03T08:00")


def parse(where: str, data: bytes) -> Node:
    """Parse JSON.

    Raises:
        BadRequestError: `data` is not JSON; the message names line and column.
    """
    try:
        return Node(where, decode(data))
    except ValueError as error:
        raise BadRequestError(f"{where}: {error}", param="data") from None


def decode(data: bytes) -> Any:
    """Decode JSON in UTF-8.

    Raises:
        ValueError: `data` is not JSON; the message says why in a few words.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        why = f"not UTF-8 at byte {error.start + 1}"
    except json.JSONDecodeError as error:
        why = f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
    except RecursionError:
        why = "JSON nested too deep"
    except ValueError:
        why = "a number with more digits than can be read"
    raise ValueError(why)


def plain(value: object) -> str:
    """Format an answer, which may be text, a number or a list.

    >>> plain(2022), plain(["tea", "milk"]), plain(None)
    ('2022', 'tea; milk', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(plain(item) for item in value)
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
