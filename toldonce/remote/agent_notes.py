"""`memory.agent_notes` over HTTP: agents reach a server by its own route. Asks no server."""

from datetime import datetime

from toldonce.engine.agent_notes import AgentNoteService
from toldonce.remote.unavailable import unavailable
from toldonce.types import Memory, Subject


class RemoteAgentNoteService(AgentNoteService):
    """Notes of agents; a connection has none."""

    def __init__(self) -> None:
        """Ask nothing."""

    async def remember(
        self, text: str, *, user: str | Subject | None = None, via: str = "", said_at: datetime | None = None
    ) -> Memory:
        """Refuse: an agent calls the server's route /mcp."""
        raise unavailable("agent_notes.remember")
