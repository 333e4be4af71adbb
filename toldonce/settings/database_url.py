"""URLs of databases: which ones are taken, the default, and how they are shown. Pure."""

import re
from pathlib import Path

import platformdirs

from toldonce import former_name
from toldonce.lazy_pattern import LazyPattern

SQLITE, POSTGRES = "sqlite:///", ("postgresql://", "postgres://")
TAKES_URL = (
    "takes the path of a file, sqlite:///path/to/file (sqlite:////path with four slashes from the root on), or "
    "postgresql://user:password@host:port/database"
)
"""Error text: valid database URLs."""
# A URL has its password after the user name, or in its parameters.
_PASSWORD = LazyPattern(r"(?<=://)([^:/?#@]*):.*", re.DOTALL)
# One letter is a drive of Windows.
_SCHEME = LazyPattern(r"\A[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_PASSWORD_PARAMETER = LazyPattern(r"\b((?:ssl)?password=)[^&]*", re.IGNORECASE)


def shown_url(url: str) -> str:
    """Return a database URL without its password, for display.

    >>> shown_url("postgresql://ana:p@ss/word@db.example:5433/memory?sslmode=require")
    'postgresql://ana@db.example:5433/memory?sslmode=require'
    >>> shown_url("postgresql:///memory?user=ana&password=secret"), shown_url("sqlite:///my:file@home")
    ('postgresql:///memory?user=ana&password=…', 'sqlite:///my:file@home')
    """
    head, at, tail = url.rpartition("@")
    return url if url.startswith(SQLITE) else _PASSWORD_PARAMETER.sub(r"\1…", _PASSWORD.sub(r"\1", head) + at + tail)


def database_url(database: str) -> str:
    """Return the URL of a database given by URL or by the path of an SQLite file.

    >>> database_url("memory.db"), database_url("/data/memory.db"), database_url("postgresql:///memory")
    ('sqlite:///memory.db', 'sqlite:////data/memory.db', 'postgresql:///memory')

    Raises:
        ValueError: it is neither.
    """
    if database.startswith((SQLITE, *POSTGRES)):
        return database
    if not database or _SCHEME.match(database):
        raise ValueError(TAKES_URL)
    return SQLITE + Path(database).expanduser().as_posix()


def default_database_url() -> str:
    """Return the SQLite file in the user's data folder, as a URL; one of the former name where that alone is there."""
    path, former = (
        Path(platformdirs.user_data_dir(name)) / f"{name}.sqlite3" for name in ("toldonce", former_name.NAME)
    )
    return SQLITE + str(former if former.exists() and not path.exists() else path)
