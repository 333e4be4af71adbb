import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import SOAK, fuzzed
from toldonce.chat.sse import SseEvent, SseReader


def read(stream: bytes, *, step: int | None = None) -> tuple[list[SseEvent], SseEvent | None]:
    reader = SseReader()
    step = step or max(1, len(stream))
    events = [event for at in range(0, len(stream), step) for event in reader.feed(stream[at : at + step])]
    return events, reader.close()


def data(stream: bytes) -> list[bytes]:
    return [event.data for event in read(stream)[0]]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_each_of_the_three_line_ends_ends_a_line(end: bytes) -> None:
    assert data(b"data: a\n\ndata: b\n\n".replace(b"\n", end)) == [b"a", b"b"]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c"])
def test_no_other_separator_ends_a_line(separator: str) -> None:
    stream = f"data: a{separator}data: b\n\n".encode()
    assert data(stream) == [stream[6:-2]]


def test_lines_of_data_are_joined_and_one_blank_behind_the_colon_is_dropped() -> None:
    assert data(b"data:a\ndata:  b\ndata\ndata:\n\n") == [b"a\n b\n\n"]


def test_comments_other_fields_and_empty_blocks_are_no_events() -> None:
    assert data(b": hi\n\nevent: x\nid: 1\n\n\n\ndatax: 1\n\n data: 1\n\ndata: a\n\n") == [b"a"]


def test_a_byte_order_mark_at_the_start_belongs_to_no_field() -> None:
    events, _ = read(b"\xef\xbb\xbfdata: a\n\ndata: b\n\n", step=1)
    assert [(event.data, event.start, event.data_start) for event in events] == [(b"a", 3, 9), (b"b", 12, 18)]


def test_an_event_knows_where_its_bytes_stand() -> None:
    stream = b": c\n\nid: 1\r\ndata: {}\r\n\r\ndata:x\n\n"
    first, second = read(stream)[0]
    assert stream[first.start : first.end] == b"id: 1\r\ndata: {}\r\n\r"
    assert stream[first.data_start :].startswith(b"{}")
    assert stream[second.start : second.end] == b"data:x\n\n"
    assert stream[second.data_start :].startswith(b"x")


def test_a_line_feed_that_comes_after_its_carriage_return_begins_no_line() -> None:
    reader = SseReader()
    assert reader.feed(b"data: a\r") == []
    assert reader.feed(b"\ndata: b\r") == []
    assert [event.data for event in reader.feed(b"\n\r")] == [b"a\nb"]
    assert reader.feed(b"\n") == []
    assert [(event.data, event.start) for event in reader.feed(b"data: c\n\n")] == [(b"c", 20)]


def test_an_event_cut_off_before_its_empty_line_comes_at_the_end() -> None:
    assert [half.data for half in [read(b"data: a\n\ndata: b")[1]] if half] == [b"b"]
    assert [half.data for half in [read(b"data: a\n\ndata: b\n")[1]] if half] == [b"b"]
    assert read(b"data: a\n\n")[1] is None
    assert read(b": a")[1] is None
    assert read(b"")[1] is None


def test_what_is_undecided_starts_at_the_first_line_of_data() -> None:
    reader = SseReader()
    seen = []
    for piece in (b": comment\n", b"id: 1\n", b"da", b"ta: a\n", b"data: b", b"\n\n", b"x"):
        reader.feed(piece)
        seen.append(reader.undecided)
    assert seen == [10, 16, 16, 16, 16, 33, 33]


@fuzzed(300)
@given(
    st.lists(
        st.sampled_from(
            [b"data", b":", b" ", b"\r", b"\n", b"\r\n", b"\n\n", b"a", b"id", b"\xef\xbb\xbf", b"\xe2\x80\xa8"]
        )
    ).map(b"".join),
    st.integers(1, 5),
)
def test_chunks_change_neither_events_nor_offsets(stream: bytes, step: int) -> None:
    assert read(stream, step=step) == read(stream)


def test_ten_megabytes_of_one_event_in_small_pieces() -> None:
    stream = b"data: " + b"x" * 10_000_000 + b"\n\n"
    events, _ = read(stream, step=100 if SOAK else 1_000)
    assert [(len(event.data), event.end) for event in events] == [(10_000_000, len(stream))]


def test_a_great_many_tiny_events_in_one_piece() -> None:
    count = 200_000 if SOAK else 20_000
    events, _ = read(b"data:x\n\n" * count)
    assert len(events) == count
    assert events[-1].end == 8 * count


def test_the_data_alone_is_the_same_as_that_of_the_events() -> None:
    stream = (
        b'data: a\n\ndata: {"b":1}\n\n: hi\n\ndata: c\r\n\r\ndata: d\ndata: e\n\nid: 1\ndata: f\n\ndata: \n\ndata: g'
    )
    for step in (1, 5, 9, 18, 1000):
        reader = SseReader()
        seen = [data for at in range(0, len(stream), step) for data in reader.feed_data(stream[at : at + step])]
        half = reader.close()
        assert seen == [b"a", b'{"b":1}', b"c", b"d\ne", b"f", b""]
        assert half is not None
        assert (half.data, half.start, half.end) == (b"g", len(stream) - 7, len(stream))


@fuzzed(300)
@given(
    st.lists(
        st.sampled_from(
            [b"data: a\n\n", b"data: b", b"\n", b"\n\n", b"\r", b"data", b": ", b"id: 1\n", b"\xef\xbb\xbf"]
        )
    ),
)
def test_the_data_alone_is_the_same_however_it_is_cut(pieces: list[bytes]) -> None:
    reader = SseReader()
    seen = [data for piece in pieces for data in reader.feed_data(piece)]
    assert seen == data(b"".join(pieces))
