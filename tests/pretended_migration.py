"""A migration that a later version might have, in place of which tests put one of their own."""

import pytest

from toldonce.store.postgres import migrate as postgres
from toldonce.store.sqlite import migrate as sqlite


def pretend_migration(patch: pytest.MonkeyPatch, sql: str = "CREATE INDEX pretended ON subject (version);") -> None:
    """Let both databases have a further migration until the patch is undone."""
    for module in (sqlite, postgres):
        known = module.migrations()
        further = (*known, (known[-1][0] + 1, sql))
        patch.setattr(module, "migrations", lambda further=further: further)
