"""`memory.characters` over HTTP. Asks one server."""

from typing import Any

from toldonce.engine.apps import CharacterService
from toldonce.engine.results import RenamedCharacter
from toldonce.remote.client import RestClient
from toldonce.remote.over_http import RemoteService, over_http


def _renamed(raw: dict[str, Any], client: RestClient) -> RenamedCharacter:
    return RenamedCharacter(subject=client.parsed(raw["subject"]), joined=int(raw["joined"]))


class RemoteCharacterService(RemoteService, CharacterService):
    """Characters of a user who talk with each other."""

    rename = over_http("renameCharacter", _renamed)
