"""Whose words they are, and how much of them is read."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tables import check_each
from toldonce.extraction.sources import MAX_READ_CHARACTERS, readable_text, speaker_label, speaker_of
from toldonce.types import ConversationId, LoggedMessage

SAID = datetime(2026, 1, 1, tzinfo=UTC)


def logged(text: str) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=SAID,
        recorded_at=SAID,
        complete=True,
        hash=17,
    )


@check_each("name", ["user", "USER", "The User", "ＵＳＥＲ", "us\u200ber", "the-user", "úser", "system", "Tool"])
def test_a_name_that_reads_as_a_role_is_no_name(name: str) -> None:
    said = replace(logged("Hello."), role="assistant", name=name)
    assert (speaker_of(said), speaker_label(said)) == ("assistant", "The assistant")


@pytest.mark.parametrize("name", ["Ana", "Theuserson", "Usha", "Theodor"])
def test_any_other_name_speaks(name: str) -> None:
    said = replace(logged("Hello."), name=name)
    assert (speaker_of(said), speaker_label(said)) == (name, name)


def test_a_long_text_is_read_at_its_head() -> None:
    assert readable_text("word " * 200_000) == ("word " * MAX_READ_CHARACTERS)[:MAX_READ_CHARACTERS]


def test_own_words_behind_a_pasted_page_are_read() -> None:
    page = "```\n" + "x = 1\n" * 5_000 + "```\n"
    assert readable_text(f"{page}I live in Oslo.") == "I live in Oslo."


@check_each("shift", range(0, 45, 4))
def test_no_half_of_a_secret_is_read_at_the_edge_of_what_is_looked_at(shift: int) -> None:
    key = "ghp_" + "aB3dE6gH9j" * 4
    page = "```\n" + "x\n" * ((3 * MAX_READ_CHARACTERS - 5_000) // 2) + "```\n"
    padding = "w " * ((3 * MAX_READ_CHARACTERS - len(page)) // 2 - 22)
    assert "ghp_" not in readable_text(f"{page}{padding}{' ' * shift}{key} and more " + "z " * 50)
