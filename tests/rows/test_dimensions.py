"""U14: every profile remembers and recalls, whatever the length of its vectors."""

import pytest

from recollect.engine import AsyncRecollect, Parts
from recollect.errors import BadRequestError, VectorSizeError
from recollect.types import MemoryKind, Scene
from rows.scenes import DIMS, SCENES, TIERED, question, story


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.profile)
async def test_u14_every_profile_remembers_and_recalls_at_each_dimension(
    engine: AsyncRecollect, parts: Parts, dim: int, scene: Scene
) -> None:
    await engine.record(story(scene), user="ana", conversation="c", scene=scene)
    await engine.end_conversation("c", user="ana", scene=scene)
    await engine.form()
    asked, word = question(scene)
    found = await engine.context(asked, user="ana", conversation="c", scene=scene)
    assert word in found.text
    assert [item.memory.id for item in found.items] != []
    whose = await engine.memory_of(user="ana", conversation="c", scene=scene)
    if scene is not TIERED:  # facts have no vector
        [vector] = (await parts.embedder.embed([found.items[-1].memory.text])).tolist()
        nearest = await engine.nearest(vector=vector, user=whose, limit=1)
        kinds = {item.memory.kind for item in found.items}
        assert (nearest[0].similarity > 0.99) if MemoryKind.NOTE in kinds else not nearest or nearest[0].similarity
    other = next(length for length in DIMS if length != dim)
    with pytest.raises((BadRequestError, VectorSizeError), match=str(dim)):
        await engine.nearest(vector=[1.0] * other, user=whose)
