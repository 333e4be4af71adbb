"""A migration that a later version might have, in place of which tests put one of their own."""

import pytest

from toldonce.store.postgres import migrate as postgres
from toldonce.store.sqlite import migrate as sqlite

INDEX = "CREATE INDEX IF NOT EXISTS pretended ON subject (version);"
ADDITIVE_INDEX = f"-- additive: an index\n{INDEX}"


def pretend_migration(patch: pytest.MonkeyPatch, sql: str = INDEX) -> None:
    """Let both databases have a further migration until the patch is undone."""
    for module in (sqlite, postgres):
        known = module.migrations()  # those that were pretended before are among them
        further = (*known, (known[-1][0] + 1, sql))
        patch.setattr(module, "migrations", lambda further=further: further)
