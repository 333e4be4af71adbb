"""Encrypted subjects: what was encrypted is not decrypted for who stores it again under another name.

Whoever has a copy of the database has all encrypted values and the mark by which they are known, and may use the server
as well.
"""

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from populated import opened
from stores import SEALED, keyring_of, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_end
from toldonce.store.sql.transfer.endpoint import EndpointMode
from toldonce.types import Access, NewApiKey

SECRET = "PIN 4711"


@pytest.fixture(params=SEALED)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(str(request.param), tmp_path)


@pytest.fixture
def keyring(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> KeyringPlace:
    found = keyring_of(request.node.callspec.params["url"], tmp_path)
    assert found is not None
    return found


@pytest.fixture
async def engine(url: str, keyring: KeyringPlace) -> AsyncIterator[AsyncToldOnce]:
    async with opened(url, keyring=keyring) as engine:
        yield engine


@pytest.fixture
async def stolen(engine: AsyncToldOnce, url: str) -> str:
    """The encrypted value of another user's memory, from a copy of the database."""
    await engine.add(SECRET, user="victim")
    end = open_end(url, EndpointMode.READ)
    try:
        [(value,)] = end.db.execute("SELECT text FROM memory").fetchall()
    finally:
        end.close()
    assert SECRET not in value
    return str(value)


async def test_a_key_named_so_is_refused(engine: AsyncToldOnce, stolen: str) -> None:
    """The names of keys are not encrypted."""
    with pytest.raises(BadRequestError, match="encrypted values"):
        await engine.keys.create(NewApiKey(name=stolen, access=Access.READ, tenant="other"))
    assert await engine.keys.list() == []


async def test_a_memory_of_those_words_is_kept_as_those_words(engine: AsyncToldOnce, stolen: str) -> None:
    await engine.add(stolen, user="thief")

    [kept] = await engine.list(user="thief")
    assert kept.text == stolen


@pytest.mark.parametrize("column", ["type", "profile", "version"])
async def test_an_import_that_brings_it_in_a_plain_column_is_refused(
    engine: AsyncToldOnce, stolen: str, column: str
) -> None:
    await engine.add("I live in Oslo.", user="thief")
    file = io.BytesIO()
    await engine.transfer.export_to(file, user="thief")
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    [planted] = [line["memory"] for line in lines if "memory" in line]
    planted[column] = stolen
    text = "".join(f"{json.dumps(line)}\n" for line in lines).replace("user:thief", "user:other")

    with pytest.raises(BadRequestError):
        await engine.transfer.import_from(io.BytesIO(text.encode()), trusted=True)
    assert await engine.list(user="other") == []
