import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.sse_transcripts import TRANSCRIPTS, Transcript
from soak import SOAK, fuzzed
from toldonce.chat.chat_request import read_request
from toldonce.chat.reply import Reply, ReplyAssembler
from toldonce.chat.splice import MemoriesSplicer, StreamPiece, apply_insertions, describe_memories, splice_whole
from toldonce.types import ConversationId, Evidence, Insertion, Memory, MemoryId, MemoryKind, RecalledMemory, Subject

MEMORIES = b'[{"id":"m1","text":"Ana said data: [DONE]"}]'
MEMBER = b'"memories":' + MEMORIES + b","
EXAMPLES = fuzzed(50 * (SOAK or 4))
each_transcript = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=[t.name for t in TRANSCRIPTS])


def pieces(chunks: Iterable[bytes], memories: bytes | None = MEMORIES) -> tuple[list[StreamPiece], Reply, bool]:
    splicer = MemoriesSplicer(memories)
    passed = [piece for chunk in chunks for piece in splicer.feed(chunk)] + splicer.close()
    return passed, splicer.assembler.reply(), splicer.assembler.done


def joined(passed: Sequence[StreamPiece], *, held: bool) -> bytes:
    return b"".join(piece.data for piece in passed if piece.held is held)


def expected(transcript: Transcript, *, memories: bool) -> tuple[bytes, bytes]:
    """The bytes that go on at once, and those that are held."""
    whole = transcript.body
    free, held = (
        (whole, b"") if transcript.held_from is None else (whole[: transcript.held_from], whole[transcript.held_from :])
    )
    if memories and transcript.splice_at is not None:
        free = free[: transcript.splice_at] + MEMBER + free[transcript.splice_at :]
    return free, held


def cut(stream: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = [0, *sorted(cuts), len(stream)]
    return [stream[a:b] for a, b in pairwise(places)]


@each_transcript
def test_a_transcript_gives_its_reply(transcript: Transcript) -> None:
    _, reply, done = pieces([transcript.body])
    assert (reply.text, reply.finish_reason, reply.error) == (
        transcript.text,
        transcript.finish_reason,
        transcript.error,
    )
    assert (reply.usage, reply.choices, done) == (transcript.usage, transcript.choices, transcript.done)
    assert reply.complete is (transcript.finish_reason is not None and transcript.error is None)
    calls = json.loads(reply.payload)["tool_calls"] if reply.payload else []
    assert [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls] == transcript.calls


@each_transcript
@pytest.mark.parametrize("memories", [True, False])
@pytest.mark.parametrize("step", [1, 2, 3, 7, 10_000_000])
def test_the_splice_and_the_hold_are_all_that_changes(transcript: Transcript, memories: bool, step: int) -> None:
    chunks = [transcript.body[at : at + step] for at in range(0, len(transcript.body), step)]
    passed, _, _ = pieces(chunks, MEMORIES if memories else None)
    free, held = expected(transcript, memories=memories)
    assert (joined(passed, held=False), joined(passed, held=True)) == (free, held)
    assert [piece.held for piece in passed] == sorted(piece.held for piece in passed)


@pytest.mark.soak
@EXAMPLES
@given(st.sampled_from(TRANSCRIPTS), st.data())
def test_however_a_stream_is_cut_the_same_bytes_and_the_same_reply_come_out(
    transcript: Transcript, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(transcript.body)), max_size=40))
    memories = data.draw(st.booleans())
    passed, reply, done = pieces(cut(transcript.body, cuts), MEMORIES if memories else None)
    assert (joined(passed, held=False), joined(passed, held=True)) == expected(transcript, memories=memories)
    assert (reply, done) == pieces([transcript.body])[1:]


@each_transcript
def test_without_memories_bytes_pass_at_once_unless_done_may_start(transcript: Transcript) -> None:
    splicer = MemoriesSplicer(None)
    behind = b""
    for at in range(len(transcript.body)):
        out = splicer.feed(transcript.body[at : at + 1])
        behind += transcript.body[at : at + 1]
        for piece in out:
            behind = behind[len(piece.data) :]
        head = behind.removeprefix(b"\xef\xbb\xbf").replace(b": ", b":")
        assert b"data:[DONE]".startswith(head) or b"\xef\xbb\xbf".startswith(head)


def test_only_the_first_event_waits_to_be_whole_and_comments_before_it_do_not() -> None:
    splicer = MemoriesSplicer(MEMORIES)
    first = b'data: {"choices":[{"delta":{"content":"a"}}]}'
    steps = [
        (b": wait\n", b": wait\n"),
        (b"\nid: 1\n", b"\nid: 1\n"),
        (first, b""),
        (b"\n", b""),
        (b"\n", first[:7] + MEMBER + first[7:] + b"\n\n"),
        (b"dat", b""),
        (b'a: {"ch', b'data: {"ch'),
        (b'oices"', b'oices"'),
    ]
    for sent, passed in steps:
        assert b"".join(piece.data for piece in splicer.feed(sent)) == passed


def test_events_without_choices_go_on_as_soon_as_they_are_whole() -> None:
    splicer = MemoriesSplicer(MEMORIES)
    event = b'data: {"choices":[]}\n\n'
    assert splicer.feed(event) == [StreamPiece(data=event, held=False)]
    assert splicer.feed(event) == [StreamPiece(data=event, held=False)]


def test_done_is_held_from_the_first_byte_of_its_line_and_so_is_all_behind_it() -> None:
    splicer = MemoriesSplicer(None)
    assert splicer.feed(b"id: 1\ndata: [") == [StreamPiece(data=b"id: 1\n", held=False)]
    assert splicer.feed(b"DONE") == []
    assert splicer.feed(b"]") == [StreamPiece(data=b"data: [DONE]", held=True)]
    assert splicer.feed(b"\n\n: bye") == [StreamPiece(data=b"\n\n: bye", held=True)]
    assert splicer.close() == []


@pytest.mark.parametrize("line", [b"data:[DONE]", b"data:\t [DONE]", b"data: [DONE] ", b"data:        [DONE]"])
def test_every_way_to_write_done_that_a_client_may_accept_is_held(line: bytes) -> None:
    for step in (1, 100):
        stream = b": x\n" + line + b"\n\n"
        passed, _, done = pieces(stream[at : at + step] for at in range(0, len(stream), step))
        assert joined(passed, held=True) == line + b"\n\n"
        assert done


@pytest.mark.parametrize(
    "line", [b"xdata: [DONE]", b": data: [DONE]", b"data: x[DONE]", b" data: [DONE]", b"data: [DONE"]
)
def test_what_only_looks_like_done_is_not_held(line: bytes) -> None:
    for step in (1, 100):
        stream = line + b"\n\n"
        passed, _, done = pieces(stream[at : at + step] for at in range(0, len(stream), step))
        assert joined(passed, held=True) == b""
        assert not done


def test_an_event_whose_object_opens_behind_a_line_feed_is_left_alone() -> None:
    stream = b'data:\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    passed, reply, _ = pieces([stream])
    assert joined(passed, held=False) == stream
    assert reply.text == "a"


def test_nothing_is_spliced_behind_done() -> None:
    stream = b'data: [DONE]\n\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    assert joined(pieces([stream])[0], held=True) == stream


def test_the_given_assembler_is_the_one_that_is_fed() -> None:
    assembler = ReplyAssembler()
    MemoriesSplicer(None, assembler).feed(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
    assert assembler.reply().text == "a"


def test_ten_megabytes_in_the_first_event_in_small_pieces() -> None:
    stream = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % (b"[DONE]" * 1_700_000)
    passed, reply, _ = pieces(stream[at : at + 100] for at in range(0, len(stream), 100))
    assert joined(passed, held=False) == stream[:7] + MEMBER + stream[7:]
    assert reply.text.endswith("[… cut: the first 4,000,000 of 10,200,000 characters]")


# ---- whole answers

ANSWER = b'{"id":"c1","choices":[{"message":{"content":"Hi"}}]}'


@pytest.mark.parametrize("before", [b"", b" \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_memories_go_behind_the_opening_brace_of_a_whole_answer(before: bytes) -> None:
    assert splice_whole(before + ANSWER, MEMORIES) == before + b"{" + MEMBER + ANSWER[1:]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"<html>",
        b'{"choices":[]}',
        b'{"choices":{}}',
        b'{"error":{}}',
        b"[" + ANSWER + b"]",
        ANSWER[:-1],
        ANSWER[:-1] + b',"memories":[]}',
    ],
)
def test_anything_but_an_answer_stays_as_it_is(body: bytes) -> None:
    assert splice_whole(body, MEMORIES) == body


# ---- what is said of memories


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
    request = read_request(BODY)
    message = request.messages[0]
    insertions = [Insertion(offset=message.content_end, text=" B"), Insertion(offset=message.content_start, text="A ")]
    assert apply_insertions(request, insertions) == BODY.replace("é😀 hi".encode(), "A é😀 hi B".encode())


def test_no_insertion_gives_the_very_body() -> None:
    assert apply_insertions(read_request(BODY), []) == BODY
