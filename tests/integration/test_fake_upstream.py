"""The fake upstream sends what its shapes describe; otherwise the tests would prove nothing."""

import pytest

from integration.fake_upstream import FakeUpstream
from integration.raw_client import chat, eventually, sent, user
from integration.upstream_shapes import STREAMED, WHOLE, End

SENT = [(name, stream) for stream, shapes in ((True, STREAMED), (False, WHOLE)) for name in shapes]
HANGS = {"hang-at-headers", "silence"}


@pytest.mark.parametrize(("name", "stream"), [pair for pair in SENT if pair[0] not in HANGS])
def test_a_shape_arrives_as_it_is_described(upstream: FakeUpstream, name: str, stream: bool) -> None:
    shape = (STREAMED if stream else WHOLE)[name]
    answer = chat(upstream.port, f"shape:{name}", [user("Hi")], stream=stream)
    if shape.before:
        assert answer.status == 100
        return
    assert answer.status == shape.status
    assert answer.body == shape.body
    assert answer.whole == (shape.end is End.WELL)


@pytest.mark.parametrize("name", sorted(HANGS))
def test_a_silent_answer_ends_when_the_client_leaves(upstream: FakeUpstream, name: str) -> None:
    body = b'{"model": "shape:%b", "stream": true, "messages": []}' % name.encode()
    with sent(upstream.port, "/v1/chat/completions", body) as wire:
        if name != "hang-at-headers":
            assert wire.recv(1 << 16).startswith(b"HTTP/1.1 200")
        assert eventually(lambda: upstream.answering == 1)
    assert upstream.wait_idle()


def test_a_request_is_seen_to_its_last_byte(upstream: FakeUpstream) -> None:
    chat(upstream.port, "echo", [user("A text that nothing else says: zzyzx.")], {"X-Mark": "7"})
    (seen,) = upstream.having("zzyzx")
    assert seen.header("x-mark") == "7"
    assert seen.json["messages"] == [user("A text that nothing else says: zzyzx.")]
