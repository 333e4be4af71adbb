"""`memory.characters` without asyncio. Made by tools/make_sync.py from engine/characters.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Subject

if TYPE_CHECKING:
    from toldonce.engine import RenamedCharacter


class BlockingCharacterService:
    """Characters of a user who talk with each other."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def rename(
        self, character: str, to: str, *, join: bool = False, user: str | Subject | None = None
    ) -> RenamedCharacter:
        """Give a character a new name: requests that use it read and write the memories that the character has.

        The memories stay in their subject, with their history. The old name leads to them as well.

        Args:
            character: Name of the character; case does not matter.
            to: The new name.
            join: If a character of the new name has memories, let the renamed one have its active ones, too. Its held
                and closed ones stay in their own subject.
            user: User whose character it is.

        Raises:
            BadRequestError: the character has no memories, or the new name is empty.
            BadSubjectError: the new name cannot be part of a subject.
            ConflictError: a character of the new name has memories, and `join` is False.
        """
        return self._engine.run(self._engine.core.characters.rename(character, to, join=join, user=user))
