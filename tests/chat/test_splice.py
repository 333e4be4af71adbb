import json
from datetime import UTC, datetime

from toldonce.chat.formats.base import Insertion
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.splice import apply_insertions, describe_memories
from toldonce.types import ConversationId, Evidence, Memory, MemoryId, MemoryKind, RecalledMemory, Subject


def recalled(text: str, *, evidence: tuple[Evidence, ...] = ()) -> RecalledMemory:
    memory = Memory(
        id=MemoryId("0199-1"),
        subject=Subject("user", "ana"),
        kind=MemoryKind.NOTE,
        text=text,
        valid_from=datetime(2025, 5, 1, tzinfo=UTC),
        known_from=datetime(2025, 6, 2, tzinfo=UTC),
        evidence=evidence,
    )
    return RecalledMemory(memory=memory, score=0.123456, similarity=0, word_share=0, reasons=('shares "tea"',))


def test_memories_are_described_in_one_line_of_ascii() -> None:
    described = describe_memories([recalled("Ana\nlikes tea – \u2028☕")])
    assert described.isascii()
    assert b"\n" not in described
    assert json.loads(described) == [
        {
            "id": "0199-1",
            "text": "Ana\nlikes tea – \u2028☕",
            "kind": "note",
            "score": 0.1235,
            "said_at": "2025-05-01T00:00:00+00:00",
            "reasons": ['shares "tea"'],
        }
    ]
    assert describe_memories([]) == b"[]"


def test_a_memory_was_said_when_its_source_was() -> None:
    source = Evidence(
        conversation=ConversationId("c"),
        seq=1,
        hash=1,
        role="user",
        speaker="Ana",
        quote="",
        said_at=datetime(2025, 6, 1, 9, 30, tzinfo=UTC),
    )
    described = json.loads(describe_memories([recalled("Ana likes tea.", evidence=(source,))]))
    assert described[0]["said_at"] == "2025-06-01T09:30:00+00:00"


# ---- insertions

BODY = '{"messages":[{"role":"user","content":"é😀 hi"}]}'.encode()


def test_insertions_go_in_by_offset_in_characters_whatever_their_order() -> None:
    request = OPENAI_CHAT.read(BODY)
    message = request.messages[0]
    insertions = [Insertion(offset=message.content_end, text=" B"), Insertion(offset=message.content_start, text="A ")]
    assert apply_insertions(request, insertions) == BODY.replace("é😀 hi".encode(), "A é😀 hi B".encode())


def test_no_insertion_gives_the_very_body() -> None:
    assert apply_insertions(OPENAI_CHAT.read(BODY), []) == BODY
