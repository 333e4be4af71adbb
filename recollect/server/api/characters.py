"""What a character remembers, over HTTP, in the names of its interface. Serves through the engine."""

from recollect.server.api.operation import ApiRequest, Operation
from recollect.types import Memory, MemoryKind, RequestScope

# Most memories of one listing.
_MAX_PAGE_SIZE = 1000


async def _list(asked: ApiRequest) -> tuple[int, object]:
    # Whoever it talks with, a character's memories are one subject.
    scene = RequestScope(profile="character", characters=(asked.path["character"], "anybody"))
    memory = await asked.engine.memory_of(user=asked.who, scene=scene)
    limit, tag = asked.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE), asked.query.get("tag", "")
    found = await asked.engine.list(user=memory, tag=tag, limit=limit)
    return 200, {"subject": memory.text, "memories": [_described(one) for one in found if _is_record(one)]}


def _is_record(memory: Memory) -> bool:
    return memory.kind is not MemoryKind.TURN


def _described(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "content": memory.text,
        "summary": memory.detail.summary,
        "memoryType": memory.type or "NOTE",
        "importance": min(10, max(1, round(memory.importance * 10))),
        "sourceUri": memory.detail.source_uri,
        "sourceContext": memory.detail.source_context,
        "conversationId": memory.evidence[0].conversation if memory.evidence else None,
        "tags": list(memory.detail.tags),
        "createdAt": memory.known_from.isoformat(),
        "lastAccessedAt": memory.last_used_at.isoformat() if memory.last_used_at else None,
    }


OPERATIONS = (Operation(method="GET", path="/api/characters/{character}/memories", handler=_list),)
