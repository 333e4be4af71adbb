"""Read SQL by name. Reads files of the package.

A file in `sql/` holds statements, each behind a line `-- name: what_it_is`.
"""

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


class Statement(str):
    """A statement with the name by which a database may have its own wording of it: a text, for all who run it."""

    __slots__ = ("name", "room")
    room: str
    """The file it stands in."""
    name: str

    def __new__(cls, room: str, name: str, sql: str) -> "Statement":
        """Make one."""
        made = super().__new__(cls, sql)
        made.room, made.name = room, name
        return made


def parse(room: str, text: str) -> dict[str, Statement]:
    """Read the statements of a file."""
    parts = _NAME.split(text)[1:]
    return {name: Statement(room, name, sql.strip()) for name, sql in zip(parts[::2], parts[1::2], strict=True)}


@cache
def load(file: str) -> dict[str, Statement]:
    """Read all statements of `sql/<file>.sql`.

    >>> "add_subject" in load("subject")
    True
    """
    return parse(file, (files(__package__) / "queries" / f"{file}.sql").read_text("utf-8"))
