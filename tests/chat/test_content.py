"""The blocks of a text that are not its author's words."""

import pytest

from toldonce.chat.content import without_memory, without_reasoning


@pytest.mark.parametrize("name", ["think", "thinking", "reasoning", "THINK"])
def test_each_kind_of_reasoning_block_is_cut_out(name: str) -> None:
    assert without_reasoning(f"<{name}>Hm\n</{name}>Yes") == "Yes"


def test_several_blocks_and_the_words_between_them() -> None:
    assert without_reasoning("<think>a</think>One<think>b</think> two") == "One two"


@pytest.mark.parametrize("kind", ['type="reasoning"', "type='reasoning'", 'done="true" type="reasoning" duration="3"'])
def test_open_webuis_details_of_reasoning_are_cut_out(kind: str) -> None:
    assert without_reasoning(f"<details {kind}>\n<summary>Thought</summary>\n> Hm\n</details>\nYes") == "\nYes"


@pytest.mark.parametrize("text", ["<details>x</details>", '<details type="code">reasoning</details>', "<thin>x</thin>"])
def test_other_blocks_stay(text: str) -> None:
    assert without_reasoning(text) == text


@pytest.mark.parametrize("text", ["<think>never closed", "closed only</think>", "<think>a</thinking>b"])
def test_a_block_that_is_not_closed_stays(text: str) -> None:
    assert without_reasoning(text) == text


def test_memory_is_cut_out_whatever_its_boundary() -> None:
    block = "<toldonce-memory 9f2c>\n- likes tea\n</toldonce-memory 9f2c>"
    assert without_memory(block + "\n\nWhat now?") == "\n\nWhat now?"
    assert without_memory("What is <toldonce-memory>?") == "What is <toldonce-memory>?"


@pytest.mark.parametrize("part", ["<think>", "<details ", "</", "<think </details>", '<details type="reasoning">'])
def test_a_megabyte_of_opened_tags_is_read_once(part: str) -> None:
    text = part * (1_000_000 // len(part))
    assert without_reasoning(text).startswith(part[:2])
