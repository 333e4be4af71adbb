"""`memory.bulk` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.bulk import MAX_NOTES, BulkService
from toldonce.errors import BadRequestError
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call
from toldonce.remote.over_http import RemoteService
from toldonce.types import Memory, NewNote, Subject


class RemoteBulkService(RemoteService, BulkService):
    """Work on many texts or conversations at once."""

    async def add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Store many sentences as notes in one commit: see `BulkService.add`."""
        if isinstance(notes, str) or not isinstance(notes, Sequence):  # a string's characters would be notes
            raise BadRequestError(f"the notes are {type(notes).__name__}: pass a list of strings or NewNote")
        if len(notes) > MAX_NOTES:
            raise BadRequestError(f"there are {len(notes):,} notes, one call takes {MAX_NOTES:,}: send them in parts")
        if not notes:
            return []
        new = [note if isinstance(note, NewNote) else NewNote(note) for note in notes]
        body = {
            "memories": [{"text": note.text, "importance": note.importance, "type": note.type} for note in new],
            "profile": profile,
        }
        call = Call(method="POST", path=self._client.path(user, "memories"), body=body, writes=True)
        return values.memories((await self._client.ask(call))["memories"], self._client)

    async def form(self) -> int:
        """Form everything that is due on the server; this needs an operator's key. See `BulkService.form`."""
        call = Call(method="POST", path="/v1/formations/run", body={"bulk": True}, timeout_s=LONG_TIMEOUT_S)
        return int((await self._client.ask(call))["formations"])
