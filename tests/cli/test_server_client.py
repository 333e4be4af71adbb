"""Reading the events of an answer."""

import json

import pytest

from toldonce.cli.chat.command import recalled_lines
from toldonce.cli.chat.server_client import AnswerPiece, read_piece
from toldonce.errors import ModelError


@pytest.mark.parametrize(
    "data",
    [
        b"[DONE]",
        b"",
        b"7",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"delta": {}}]}',
        b'{"choices": [{"delta": {"content": null}}]}',
        b'{"choices": "none", "memories": "none"}',
        b"[" * 100_000,
    ],
)
def test_an_event_without_words_reads_as_nothing(data: bytes) -> None:
    assert read_piece(data) == AnswerPiece()


def test_memories_come_beside_the_first_words() -> None:
    memory = {"text": "Ana keeps bees.", "score": 0.5}
    data = json.dumps({"memories": [memory, "x"], "choices": [{"delta": {"content": "Hi"}}]}).encode()

    assert read_piece(data) == AnswerPiece(text="Hi", memories=(memory,))


@pytest.mark.parametrize("error", [{"message": "out of coffee", "type": "server_error"}, "out of coffee"])
def test_an_error_in_the_stream_is_an_error(error: object) -> None:
    with pytest.raises(ModelError, match=r"^out of coffee$"):
        read_piece(json.dumps({"error": error}).encode())


def test_what_was_recalled_is_shown_whatever_a_server_sends() -> None:
    assert list(recalled_lines([{}, {"score": "high", "text": "a\nb", "kind": "fact"}])) == ["  · ", "  · a b (fact)"]
