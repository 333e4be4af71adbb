import json
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.sse_transcripts import TRANSCRIPTS, Transcript
from soak import SOAK, fuzzed
from tables import check_each
from toldonce.chat.formats.base import StreamPiece
from toldonce.chat.formats.openai_chat_stream import MemoriesSplicer, splice_whole
from toldonce.chat.reply import Reply

MEMORIES = b'[{"id":"m1","text":"Ana said data: [DONE]"}]'
MEMBER = b'"memories":' + MEMORIES + b","
EVENT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
EXAMPLES = fuzzed(50 * (SOAK or 4))
each_transcript = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=[t.name for t in TRANSCRIPTS])


def pieces(chunks: Iterable[bytes], memories: bytes | None = MEMORIES) -> tuple[list[StreamPiece], Reply]:
    splicer = MemoriesSplicer(memories)
    passed = [piece for chunk in chunks for piece in splicer.feed(chunk)] + splicer.close()
    return passed, splicer.reply()


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
    _, reply = pieces([transcript.body])
    assert (reply.text, reply.error, reply.usage) == (transcript.text, transcript.error, transcript.usage)
    assert reply.complete is (transcript.finished and transcript.error is None)
    calls = json.loads(reply.payload)["tool_calls"] if reply.payload else []
    assert [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls] == transcript.calls


@each_transcript
@pytest.mark.parametrize("memories", [True, False])
@pytest.mark.parametrize("step", [1, 2, 3, 7, 10_000_000])
def test_the_splice_and_the_hold_are_all_that_changes(transcript: Transcript, memories: bool, step: int) -> None:
    chunks = [transcript.body[at : at + step] for at in range(0, len(transcript.body), step)]
    passed, _ = pieces(chunks, MEMORIES if memories else None)
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
    passed, reply = pieces(cut(transcript.body, cuts), MEMORIES if memories else None)
    assert (joined(passed, held=False), joined(passed, held=True)) == expected(transcript, memories=memories)
    assert reply == pieces([transcript.body])[1]


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
        stream = b": x\n" + line + b"\n\n" + EVENT
        passed, reply = pieces((stream[at : at + step] for at in range(0, len(stream), step)), None)
        assert joined(passed, held=True) == line + b"\n\n" + EVENT
        assert reply.text == ""


@pytest.mark.parametrize(
    "line", [b"xdata: [DONE]", b": data: [DONE]", b"data: x[DONE]", b" data: [DONE]", b"data: [DONE"]
)
def test_what_only_looks_like_done_is_not_held(line: bytes) -> None:
    for step in (1, 100):
        stream = line + b"\n\n" + EVENT
        passed, reply = pieces((stream[at : at + step] for at in range(0, len(stream), step)), None)
        assert joined(passed, held=True) == b""
        assert reply.text == "a"


def test_an_event_whose_object_opens_behind_a_line_feed_is_left_alone() -> None:
    stream = b'data:\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    passed, reply = pieces([stream])
    assert joined(passed, held=False) == stream
    assert reply.text == "a"


def test_nothing_is_spliced_behind_done() -> None:
    stream = b'data: [DONE]\n\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    assert joined(pieces([stream])[0], held=True) == stream


def test_ten_megabytes_in_the_first_event_in_small_pieces() -> None:
    step, unit = (100, b"[DONE]") if SOAK else (1_000, b"[DONE]".ljust(60, b"x"))
    stream = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % (unit * (10_200_000 // len(unit)))
    passed, reply = pieces(stream[at : at + step] for at in range(0, len(stream), step))
    assert joined(passed, held=False) == stream[:7] + MEMBER + stream[7:]
    assert reply.text.endswith("[… cut: the first 4,000,000 of 10,200,000 characters]")


# ---- whole answers

ANSWER = b'{"id":"c1","choices":[{"message":{"content":"Hi"}}]}'


@pytest.mark.parametrize("before", [b"", b" \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_memories_go_behind_the_opening_brace_of_a_whole_answer(before: bytes) -> None:
    assert splice_whole(before + ANSWER, MEMORIES) == before + b"{" + MEMBER + ANSWER[1:]


@check_each(
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
