"""Read SQL by name. Reads files of the package.

A file in `sql/` holds statements, each behind a line `-- name: what_it_is`.
"""

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def load(file: str) -> dict[str, str]:
    """Read all statements of `sql/<file>.sql`.

    >>> "add_subject" in load("subject")
    True
    """
    text = (files(__package__) / "sql" / f"{file}.sql").read_text("utf-8")
    parts = _NAME.split(text)[1:]
    return {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}
