"""`memory.characters` over HTTP. Asks one server."""

from toldonce.engine.characters import CharacterService
from toldonce.engine.remote.client import Call, RestClient
from toldonce.engine.results import RenamedCharacter
from toldonce.types import Subject


class RemoteCharacterService(CharacterService):
    """Characters of a user who talk with each other."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def rename(
        self, character: str, to: str, *, join: bool = False, user: str | Subject | None = None
    ) -> RenamedCharacter:
        """Give a character a new name: see `CharacterService.rename`."""
        path = self._client.path(user, "characters", character, "rename")
        raw = await self._client.ask(Call(method="POST", path=path, body={"to": to, "join": join}, writes=True))
        return RenamedCharacter(subject=self._client.parsed(raw["subject"]), joined=int(raw["joined"]))
