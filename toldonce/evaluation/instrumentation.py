"""Instruments of an evaluation: machine facts, a metered model, a clock. Reads the machine and its timer."""

import os
import platform
import re
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.protocols import ModelAnswer

_CPU = LazyPattern(r"^model name\s*+:\s*+(.+)$", re.MULTILINE)


def machine() -> dict[str, object]:
    """Describe the machine and its load, without host or user names."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    try:
        found = _CPU.search(Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.processor()


class MeteredModel:
    """Forwards calls to a model and counts calls, tokens and seconds."""

    def __init__(self, model: OpenedModel) -> None:
        self.model = model
        self.seconds = 0.0
        """Time spent waiting for the model."""
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.uncounted = 0
        """Answers without token counts from the server."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask the model, and add up the time and the tokens."""
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


class ConversationClock:
    """Clock set to the conversation's time, so that 'last week' resolves correctly; durations are real."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the instant it was set to."""
        return self._now

    def monotonic(self) -> float:
        """Return monotonic seconds of the machine."""
        return time.perf_counter()

    def reach(self, instant: datetime) -> None:
        """Advance to `instant`; ignore an earlier one."""
        self._now = max(self._now, instant)

    def stand(self, instant: datetime) -> None:
        """Set the clock to `instant`, which may be earlier: a question may be dated before the last turn."""
        self._now = instant
