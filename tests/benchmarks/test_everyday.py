"""Everyday messages: the data are whole, and what is counted as found or false is."""

from pathlib import Path

import pytest

from benchmarks.everyday.measurement import figures, listing, remember
from benchmarks.everyday.messages import LANGUAGES, EverydayMessage, read_messages

STATED = EverydayMessage(
    text="I live in Rome. Which oven should I buy?", states="I live in Rome", topic="home", held_out=False
)
MISSED = EverydayMessage(text="which oven, hm", states="which oven", topic="home", held_out=True)
ASKED = EverydayMessage(text="What is the capital of Peru?", states="", topic="question", held_out=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_sixty_statements_and_thirty_others(language: str) -> None:
    messages = read_messages(language)
    stating = [message for message in messages if message.states]
    assert (len(stating), len(messages)) == (60, 90)
    assert all(message.states in message.text for message in stating)
    assert [message.held_out for message in messages] == [False, True] * 45
    assert len({message.text for message in messages}) == 90


def test_a_quote_counts_by_the_stated_letters_that_it_contains() -> None:
    assert STATED.covered("I live in Rome.") == 1.0
    assert STATED.covered("in Rome. Which oven") == pytest.approx(6 / 11)
    assert STATED.covered("Which oven should I buy?") == 0.0
    assert STATED.covered("words of another message") == 0.0
    assert ASKED.covered("What is") == 0.0


async def test_found_and_false_are_shares_of_their_messages() -> None:
    outcomes = await remember([STATED, MISSED, ASKED])
    rows = {row.name: row for row in figures("English", outcomes)}
    assert (rows["found"].value, rows["found"].count) == (50.0, 2)
    assert (rows["found, open half"].value, rows["found, held out"].value) == (100.0, 0.0)
    assert (rows["false"].value, rows["false"].count) == (0.0, 1)
    assert rows["a fact among it"].value == 50.0


async def test_the_list_for_reading_leaves_out_the_held_out_half() -> None:
    outcomes = await remember([STATED, MISSED])
    assert listing(outcomes, held_out=False).splitlines()[0] == "  [home] I live in Rome. Which oven should I buy?"
    assert "which oven, hm" not in listing(outcomes, held_out=False)
    assert "✗ [home] which oven, hm" in listing(outcomes, held_out=True)


def test_a_file_is_read_in_its_order(tmp_path: Path) -> None:
    rows = ", ".join(
        f'{{ text = "{text}", states = "", topic = "question", held_out = true }}' for text in ("first", "second")
    )
    (tmp_path / "xx.toml").write_text(f"messages = [{rows}]", "utf-8")
    assert [message.text for message in read_messages("xx", tmp_path)] == ["first", "second"]
