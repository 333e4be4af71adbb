"""The part of the store's protocol that tells what was forgotten or erased: `Store`'s promises hold here. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from recollect.types import Subject


class LedgerReader(Protocol):
    """Reads the ledger of keyed hashes."""

    async def forgotten(self, subject: Subject, marks: Sequence[int]) -> Mapping[int, datetime]:
        """Return which marks (see `MarkWords`) the subject's ledger holds, and up to when each was said.

        Quick where nothing of the subject was forgotten or erased.
        """
        ...

    async def has_forgotten(self, subject: Subject) -> bool:
        """Return whether anything of the subject was forgotten or erased."""
        ...
