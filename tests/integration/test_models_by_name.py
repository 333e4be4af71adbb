"""U14: any OpenAI-compatible endpoint by model name, with vectors of the configured length."""

from typing import Any

import pytest
from aiohttp import web

from integration.test_openai_providers import Reply, says, serving
from rows.scenes import USER
from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import VectorSizeError
from toldonce.settings import Settings
from toldonce.types import MemoryKind


def endpoint(dim: int) -> Any:
    """Answer embeddings and chat completions as one server does."""

    def reply(body: dict[str, Any]) -> Reply:
        if "input" not in body:
            return says('{"memories": ["The user plays the cello."]}')
        data = [{"index": place, "embedding": [1.0] * dim} for place, _ in enumerate(body["input"])]
        return web.json_response({"object": "list", "data": data})

    return reply


def settings(url: str, dim: int) -> Settings:
    return Settings(
        database_url="sqlite:///:memory:",
        embed_url=url,
        embed_model="mistral-embed",
        embed_dim=dim,
        form_url=url,
        form_model="mistral-small",
    )


@pytest.mark.parametrize("dim", [256, 384, 1024, 1536])
async def test_u14_models_are_asked_by_their_names_at_the_length_that_is_set(dim: int) -> None:
    async with (
        serving(endpoint(dim)) as api,
        await AsyncToldOnce.open(settings(api.url, dim)) as engine,
    ):
        await engine.record([user("I play the cello.")], user="ana", scope=USER)
        await engine.form()
        [known] = await engine.list(user="ana", kinds=(MemoryKind.NOTE,))
        assert known.text == "The user plays the cello."
        nearest = await engine.vectors.nearest(vector=[1.0] * dim, user="ana")
        assert [item.memory.id for item in nearest] == [known.id]
    asked = {("input" in body, body["model"]) for body in api.bodies}
    assert asked == {(True, "mistral-embed"), (False, "mistral-small")}


async def test_u14_a_model_of_another_length_is_refused_with_both_lengths() -> None:
    async with (
        serving(endpoint(1024)) as api,
        await AsyncToldOnce.open(settings(api.url, 384)) as engine,
    ):
        with pytest.raises(VectorSizeError, match=r"1024.*384|384.*1024"):
            await engine.add("Ana plays the cello.", user="ana")
