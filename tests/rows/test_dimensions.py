"""U14: every profile remembers and recalls, whatever the length of its vectors."""

import pytest

from rows.scenes import DEFAULT, DIMS, SCENES, TIERED, question, story
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, VectorSizeError
from toldonce.types import MemoryKind, RequestScope


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("scope", SCENES, ids=lambda scope: scope.profile)
async def test_u14_every_profile_remembers_and_recalls_at_each_dimension(
    engine: AsyncToldOnce, parts: Components, dim: int, scope: RequestScope
) -> None:
    await engine.record(story(scope), user="ana", conversation="c", scope=scope)
    await engine.conversations.end("c", user="ana", scope=scope)
    await engine.form()
    asked, word = question(scope)
    found = await engine.context(asked, user="ana", conversation="c", scope=scope)
    assert word in found.text
    whose = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    notes = [item.memory for item in found.items if item.memory.kind is MemoryKind.NOTE]
    for note in notes[:1]:
        [vector] = (await parts.embedder.embed([note.text])).tolist()
        assert len(vector) == dim
        [nearest] = await engine.vectors.nearest(vector=vector, user=whose, limit=1)
        assert nearest.similarity > 0.9
    assert notes or scope in (TIERED, DEFAULT), "facts have no vector"
    other = next(length for length in DIMS if length != dim)
    with pytest.raises((BadRequestError, VectorSizeError), match=str(dim)):
        await engine.vectors.nearest(vector=[1.0] * other, user=whose)
