"""Form what is due with a progress bar, and count what came of it. Writes through the engine."""

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from toldonce.engine import AsyncToldOnce
from toldonce.types import KIND_ORDER, ProgressReporter, Subject

# Interval of progress updates.
_UPDATE_S = 0.2
# Rows read per call.
_PAGE = 1000


class FormedBacklog(NamedTuple):
    """Result of forming what was due."""

    formations: int
    waiting: int
    """Formations still due after a model failed; they will be retried."""
    parked: int


async def form_backlog(engine: AsyncToldOnce, bar: ProgressReporter) -> FormedBacklog:
    """Form everything that is due."""
    counters = engine.admin.worker_counters
    before = counters.formed
    bar.begin("forming", "formations", (await engine.admin.stats()).formations_due)
    forming = asyncio.create_task(engine.bulk.form())
    try:
        while not forming.done():
            await asyncio.wait({forming}, timeout=_UPDATE_S)
            bar.reach(counters.formed - before)
    finally:
        forming.cancel()
        with suppress(asyncio.CancelledError):
            await forming
    undone = [
        formation
        for formation in await engine.admin.formations(limit=_PAGE)
        if formation.parked or formation.due_at is not None
    ]
    parked = sum(formation.parked for formation in undone)
    return FormedBacklog(counters.formed - before, len(undone) - parked, parked)


async def count_new(engine: AsyncToldOnce, subject: Subject, *, since: datetime) -> Counter[str]:
    """Count a subject's memories since an instant by kind; the newest come first in its list."""
    counts: Counter[str] = Counter()
    after: str | None = None
    while True:
        page = await engine.list(user=subject, kinds=KIND_ORDER, after=after, limit=_PAGE)
        new = [memory for memory in page if memory.known_from >= since]
        counts.update(memory.kind.value for memory in new)
        if len(new) < _PAGE:
            return counts
        after = page[-1].id
