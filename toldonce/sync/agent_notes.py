"""`memory.agent_notes` without asyncio. Made by tools/make_sync.py from engine/agent_notes.py."""

from __future__ import annotations

from datetime import datetime

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Memory, Subject


class BlockingAgentNoteService:
    """Keeps what agents say on a user's behalf: without secrets, and with orders that may be planted held back."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def remember(
        self, text: str, *, user: str | Subject | None = None, via: str = "", said_at: datetime | None = None
    ) -> Memory:
        """Store a sentence that an agent asks to keep; durable on return. A known note is strengthened and returned.

        Secrets are struck out. What reads like a planted order is held for review: see `reviews`.

        Args:
            text: What to remember, up to 10,000 characters.
            user: User whose memory it is added to.
            via: How it came, for the decision log, such as `MCP (claude-code)`.
            said_at: When it was said (aware), and so true from; None is now.

        Raises:
            BadRequestError: the text is empty or too long, or `said_at` is in the future or has no time zone.
        """
        return self._engine.run(self._engine.core.agent_notes.remember(text, user=user, via=via, said_at=said_at))
