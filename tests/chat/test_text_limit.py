"""Long texts are cut alike, whether they come at once or in parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.chat.formats.openai_chat_reply import ReplyAssembler, reply_from_json
from toldonce.chat.reply import LimitedText, cut_text
from toldonce.chat.sse import MAX_EVENT_BYTES, SseReader


@given(parts=st.lists(st.text(max_size=5)), limit=st.integers(1, 20))
def test_parts_are_cut_as_the_whole_is(parts: list[str], limit: int) -> None:
    text = LimitedText(limit)
    for part in parts:
        text.add(part)
    assert text.text() == cut_text("".join(parts), limit)
    assert text.is_cut == (len("".join(parts)) > limit)


def test_a_text_of_many_small_parts_is_kept() -> None:
    text = LimitedText(1_000_000)
    for number in range(20_000):
        text.add(f"{number} ")
    assert text.text() == "".join(f"{number} " for number in range(20_000))


@pytest.mark.parametrize("size", [10, 11])
def test_a_reply_is_cut_streamed_or_not(size: int) -> None:
    words = "x" * size
    assembler = ReplyAssembler(10)
    for letter in words:
        assembler.feed(b'{"choices": [{"delta": {"content": "%s"}}]}' % letter.encode())
    streamed = assembler.reply()
    whole = reply_from_json(b'{"choices": [{"message": {"content": "%s"}}]}' % words.encode(), 10)
    assert whole is not None
    assert (streamed.text, streamed.cut) == (whole.text, whole.cut) == (cut_text(words, 10), size > 10)


def test_arguments_of_a_call_are_cut() -> None:
    assembler = ReplyAssembler(10)
    for _ in range(100):
        assembler.feed(b'{"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "12345"}}]}}]}')
    reply = assembler.reply()
    assert reply.cut
    assert len(reply.payload or "") < 300


@pytest.mark.parametrize("many", ["index", "calls"])
def test_what_an_upstream_numbers_fills_no_memory(many: str) -> None:
    assembler = ReplyAssembler()
    for number in range(5000):
        call = b'{"index": %d, "id": "%d", "function": {"name": "f%d"}}' % (
            number if many == "index" else 0,
            number,
            number,
        )
        assembler.feed(b'{"choices": [{"delta": {"tool_calls": [%s]}}]}' % call)
    reply = assembler.reply()
    assert len(reply.call_ids) <= 1000


@pytest.mark.parametrize("size", [1000, 5_000_000])
def test_an_event_that_is_too_large_is_dropped(size: int) -> None:
    reader = SseReader()
    stream = b"data: a\n\ndata: " + b"x" * (MAX_EVENT_BYTES + 1) + b"\ndata: y\n\ndata: b\n\n"
    read = [event.data for start in range(0, len(stream), size) for event in reader.feed(stream[start : start + size])]
    assert (read, reader.has_dropped) == ([b"a", b"b"], True)
