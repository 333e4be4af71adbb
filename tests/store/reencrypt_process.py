"""A process of its own that changes a file's key: `python reencrypt_process.py URL OLD NEW`; `-` is no key."""

import sys

from toldonce.store.database_key import DatabaseKey
from toldonce.store.factory import reencrypt_store


class SayingBar:
    """Says when a phase begins."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Say so."""
        sys.stdout.write(f"{phase}\n")
        sys.stdout.flush()

    def reach(self, done: int) -> None:
        """Say nothing."""


def key_of(text: str) -> DatabaseKey | None:
    """Read an argument. A key on a command line is for tests alone."""
    return None if text == "-" else DatabaseKey(text)


if __name__ == "__main__":
    reencrypt_store(sys.argv[1], key=key_of(sys.argv[2]), new=key_of(sys.argv[3]), bar=SayingBar())
