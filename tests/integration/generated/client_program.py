"""A program with a client that openapi-python-client generated: add, list, search, correct and erase with a key.

Takes a server's URL and a key; prints what it saw. Needs the generated package `generated_client` on its path.
"""

import json
import sys

from generated_client import AuthenticatedClient
from generated_client.api.memories import (
    add_memories,
    correct_memory,
    erase_memory,
    get_memory,
    list_memories,
    search_memories,
)
from generated_client.api.operation import export_subject, get_connection
from generated_client.models import CorrectionRequest, MemoryKind, NewMemories, NewMemory, SearchRequest

SUBJECT = "user:ana"


def main() -> None:
    url, key = sys.argv[1:]
    with AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True) as client:
        connection = get_connection.sync(client=client)
        new = NewMemories(memories=[NewMemory(text="Ana plays the cello.", importance=0.8)])
        added = add_memories.sync(SUBJECT, client=client, body=new, idempotency_key="python-1")
        memory = added.memories[0].id
        listed = list_memories.sync(SUBJECT, client=client, kind=[MemoryKind.NOTE], limit=10)
        found = search_memories.sync(SUBJECT, client=client, body=SearchRequest(query="music", limit=1))
        etag = get_memory.sync_detailed(SUBJECT, memory, client=client).headers["etag"]
        holds = CorrectionRequest(text="Ana plays the tuba.")
        corrected = correct_memory.sync(SUBJECT, memory, client=client, body=holds, if_match=etag)
        exported = export_subject.sync_detailed(SUBJECT, client=client)
        erased = erase_memory.sync(SUBJECT, corrected.id, client=client, keep_messages=True)
        missing = get_memory.sync(SUBJECT, memory, client=client)
        foreign = list_memories.sync_detailed("user:ben", client=client)
    seen = {
        "subject": connection.subject,
        "listed": [known.text for known in listed.memories],
        "found": [item.memory.text for item in found.items],
        "corrected": corrected.text,
        "exported": len(exported.content.splitlines()) > 1,
        "done": erased.done,
        "missing": missing.type_,
        "foreign": int(foreign.status_code),
    }
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
