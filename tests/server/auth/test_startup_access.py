"""A server that others can reach has a credential before it listens, or does not start."""

from dataclasses import replace

import pytest

from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.keys import KeyService
from toldonce.errors import BadSettingError
from toldonce.server.http_server import require_access


@pytest.fixture
def open_to_others(parts: Components) -> AsyncToldOnce:
    return AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"host": "0.0.0.0"})))


async def test_of_two_servers_that_start_at_once_one_makes_the_key(
    open_to_others: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_any_valid, asked, said = KeyService.is_any_valid, [], list[str]()

    async def before_either_made_it(self: KeyService) -> bool:
        asked.append(self)
        return len(asked) > 2 and await is_any_valid(self)

    monkeypatch.setattr(KeyService, "is_any_valid", before_either_made_it)
    for _ in range(2):
        await require_access(open_to_others, said.append)
    assert len(said) == 1
    assert len(await open_to_others.keys.list()) == 1


async def test_a_server_whose_keys_were_all_revoked_does_not_start(open_to_others: AsyncToldOnce) -> None:
    said = list[str]()
    await require_access(open_to_others, said.append)
    [made] = await open_to_others.keys.list()
    await open_to_others.keys.revoke(made.id)
    with pytest.raises(BadSettingError, match="every API key was revoked"):
        await require_access(open_to_others, said.append)
    assert len(said) == 1
