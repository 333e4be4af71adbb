"""What is known of who asks: sums over HTTP. Serves through the engine."""

from recollect.metrics import dedup_rate, replacement_rate, share
from recollect.server.api.asked import Api, Asked


async def _sums(asked: Asked) -> tuple[int, object]:
    sums = await asked.engine.subject_sums(user=asked.who)
    return 200, {
        "userId": asked.who.name,
        "memory_total_count": sums.memories,
        "memory_replacement_rate": replacement_rate(sums.decisions),
        "memory_dedup_rate": dedup_rate(sums.decisions),
        "retrieval_hit_rate": share(sums.hits, sums.recalled),
        "decisions": dict(sums.decisions),
    }


OPERATIONS = (Api(method="GET", path="/api/memory/stats", handler=_sums),)
