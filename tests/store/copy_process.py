"""A process of its own that copies a database: `python copy_process.py SOURCE DESTINATION`."""

import sys

from toldonce.engine.databases import copy_database
from toldonce.store.sql.transfer import copy_database as step

BATCH_SIZE = 8
"""Subjects that it copies in one step."""


class SilentBar:
    """Says when a phase begins."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Say so."""
        sys.stdout.write(f"{phase}\n")
        sys.stdout.flush()

    def reach(self, done: int) -> None:
        """Say nothing."""


if __name__ == "__main__":
    step.BATCH_SIZE = BATCH_SIZE
    copy_database(sys.argv[1], sys.argv[2], progress=SilentBar())
