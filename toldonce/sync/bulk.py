"""`memory.bulk` without asyncio. Made by tools/make_sync.py from engine/bulk.py."""

from __future__ import annotations

from collections.abc import Sequence

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Memory, NewNote, Subject


class BlockingBulkService:
    """Work on many texts or conversations at once."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Store many sentences as notes in one commit: all of them or none.

        They are embedded together. Each is compared with what is known and with the notes before it; notes that differ
        only in case and punctuation are stored once.

        Args:
            notes: Up to 1,000 notes; a bare text has importance 0.7 and no type.
            user: User whose memory they are added to.
            profile: Profile whose retention and capacity policies apply; None is the settings' profile.

        Returns:
            A memory for each note, in their order; the same memory for notes that say the same.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many notes, or one is invalid: the message says which. Nothing was stored.
        """
        return self._engine.bulk_add(notes, user=user, profile=profile)

    def form(self) -> int:
        """Form everything that is due now, many users side by side; return the number of formations.

        For imports and replays, while no chat waits for the worker: users are worked on concurrently, and their texts
        are embedded together. The memories are the same as with `AsyncToldOnce.form`.
        """
        return self._engine.run(self._engine.core.bulk.form())
