"""A model that notes what asking it costs. Awaits the model it watches."""

import time
from collections.abc import Mapping
from typing import Any

from recollect.providers.factory import OpenedModel
from recollect.providers.protocols import ModelAnswer


class MeteredModel:
    """Passes questions on, and counts them."""

    def __init__(self, model: OpenedModel) -> None:
        """Watch `model`."""
        self.model = model
        self.seconds = 0.0
        """Time spent waiting for it."""
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.uncounted = 0
        """Answers for which the server told no tokens."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask, and note how long it took and what it cost."""
        began = time.perf_counter()
        self.calls += 1
        try:
            answer = await self.model.answer(system=system, user=user, schema=schema, schema_name=schema_name)
        finally:
            self.seconds += time.perf_counter() - began
        self.calls += answer.calls - 1
        if answer.usage is None:
            self.uncounted += 1
        else:
            self.prompt_tokens += answer.usage.prompt_tokens
            self.completion_tokens += answer.usage.completion_tokens
        return answer

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()
