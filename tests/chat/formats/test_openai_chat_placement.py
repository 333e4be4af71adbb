import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.splice import apply_insertions
from toldonce.types import InjectionMode as Mode

MODES: tuple[Mode, ...] = get_args(Mode)
STANDING = 'Facts: "Ana" \\ likes tea ☕\u2028'
RECALLED = "Said:\n- peanuts 😀"
BOTH = STANDING + "\n\n" + RECALLED

SYSTEM = {"role": "system", "content": "Be kind."}
USER = {"role": "user", "content": "Hi"}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def placed(
    *messages: dict[str, Any], mode: Mode = "split", standing: str = STANDING, recalled: str = RECALLED
) -> list[dict[str, Any]]:
    request = OPENAI_CHAT.read(json.dumps({"model": "m", "messages": messages, "n": 1}, indent=1).encode())
    insertions = OPENAI_CHAT.place(request, standing=standing, recalled=recalled, mode=mode)
    body = json.loads(apply_insertions(request, insertions))
    assert (body["model"], body["n"]) == ("m", 1)
    result: list[dict[str, Any]] = body["messages"]
    return result


def system(content: str) -> dict[str, str]:
    return {"role": "system", "content": content}


def user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def test_split_puts_facts_in_the_system_message_and_the_rest_by_the_question() -> None:
    answer = {"role": "assistant", "content": "Hello"}
    assert placed(SYSTEM, USER, answer, USER) == [
        system("Be kind.\n\n" + STANDING),
        USER,
        answer,
        user("Hi\n\n" + RECALLED),
    ]


def test_split_puts_a_system_message_first_where_there_is_none() -> None:
    assert placed(USER) == [system(STANDING), user("Hi\n\n" + RECALLED)]


def test_split_takes_the_first_system_message_and_the_last_user_message() -> None:
    developer = {"role": "developer", "content": "Be brief."}
    tool = {"role": "tool", "tool_call_id": "a", "content": "42"}
    assert placed(developer, USER, SYSTEM, USER, tool) == [
        {"role": "developer", "content": "Be brief.\n\n" + STANDING},
        USER,
        SYSTEM,
        user("Hi\n\n" + RECALLED),
        tool,
    ]


def test_parts_get_a_text_part_more() -> None:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    messages = placed({"role": "system", "content": [text("Be kind.")]}, {"role": "user", "content": [image]})
    assert [message["content"] for message in messages] == [
        [text("Be kind."), text("\n\n" + STANDING)],
        [image, text("\n\n" + RECALLED)],
    ]


def test_empty_contents_take_the_block_alone_or_with_its_gap() -> None:
    parts = placed({"role": "system", "content": []}, {"role": "user", "content": []})
    assert [message["content"] for message in parts] == [[text(STANDING)], [text(RECALLED)]]
    strings = placed({"role": "system", "content": ""}, {"role": "user", "content": ""})
    assert [message["content"] for message in strings] == [STANDING, RECALLED]


def test_a_user_message_that_takes_no_text_is_followed_by_a_system_message() -> None:
    wordless = {"role": "user", "content": None}
    assert placed(SYSTEM, USER, wordless) == [system("Be kind.\n\n" + STANDING), USER, wordless, system(RECALLED)]


def test_without_text_in_the_user_message_both_blocks_go_to_the_system() -> None:
    wordless = {"role": "user", "content": None}
    assert placed(SYSTEM, USER, wordless, mode="system_append") == [system("Be kind.\n\n" + BOTH), USER, wordless]
    assert placed(SYSTEM, USER, wordless, mode="user_prefix") == [system("Be kind.\n\n" + BOTH), USER, wordless]


def test_texts_at_several_messages_depend_on_their_message_alone() -> None:
    answer = {"role": "assistant", "content": "Hello"}
    bodies = []
    for messages, appended in (
        ([SYSTEM, USER], {1: "a"}),
        ([SYSTEM, USER, answer, USER], {1: "a", 3: "b"}),
        ([SYSTEM, USER, answer, USER, answer, USER], {1: "a", 3: "b", 5: ""}),
    ):
        request = OPENAI_CHAT.read(json.dumps({"messages": messages}).encode())
        insertions = OPENAI_CHAT.place_at_messages(request, standing=STANDING, appended=appended)
        bodies.append(apply_insertions(request, insertions).removesuffix(b"]}"))
    assert bodies[1].startswith(bodies[0])
    assert bodies[2].startswith(bodies[1])


def test_a_system_message_that_takes_no_text_is_passed_over() -> None:
    wordless = {"role": "system", "content": None}
    assert placed(wordless, USER) == [system(STANDING), wordless, user("Hi\n\n" + RECALLED)]
    assert placed(wordless, SYSTEM, USER)[1] == system("Be kind.\n\n" + STANDING)


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "system_message"])
def test_without_a_user_message_everything_goes_to_the_system_message(mode: Mode) -> None:
    assert placed(SYSTEM, mode=mode) == [system("Be kind.\n\n" + BOTH)]
    answer = {"role": "assistant", "content": "Hello"}
    assert placed(answer, mode=mode) == [system(BOTH), answer]


def test_c5_system_append_keeps_both_blocks_together() -> None:
    assert placed(SYSTEM, USER, mode="system_append") == [system("Be kind.\n\n" + BOTH), USER]
    assert placed(USER, mode="system_append") == [system(BOTH), USER]


def test_c5_context_message_adds_a_message_before_the_last_user_message() -> None:
    assert placed(SYSTEM, USER, USER, mode="context_message") == [SYSTEM, USER, system(BOTH), USER]
    assert placed(USER, mode="context_message") == [system(BOTH), USER]
    wordless = {"role": "user", "content": None}
    assert placed(wordless, mode="context_message") == [system(BOTH), wordless]


def test_s9_a_separate_system_message_follows_the_system_prompt() -> None:
    answer = {"role": "assistant", "content": "Hello"}
    whole = placed(SYSTEM, USER, answer, USER, mode="system_message")
    assert whole == [SYSTEM, system(BOTH), USER, answer, USER]
    assert placed(USER, SYSTEM, mode="system_message") == [system(BOTH), USER, SYSTEM]
    assert placed(SYSTEM, SYSTEM, mode="system_message") == [SYSTEM, SYSTEM, system(BOTH)]


def test_c5_user_prefix_keeps_both_blocks_at_the_head_of_the_last_user_message() -> None:
    assert placed(SYSTEM, USER, mode="user_prefix") == [SYSTEM, user(BOTH + "\n\nHi")]


@pytest.mark.parametrize("mode", MODES)
def test_one_empty_block_leaves_no_trace(mode: Mode) -> None:
    whole = json.dumps(placed(SYSTEM, USER, mode=mode, recalled="")) + json.dumps(
        placed(SYSTEM, USER, mode=mode, standing="")
    )
    assert "\\n\\n\\n" not in whole
    assert whole.count(json.dumps(STANDING)[1:-1]) == whole.count(json.dumps(RECALLED)[1:-1]) == 1


@pytest.mark.parametrize("mode", MODES)
def test_two_empty_blocks_change_nothing(mode: Mode) -> None:
    request = OPENAI_CHAT.read(json.dumps({"messages": [SYSTEM, USER]}).encode())
    assert OPENAI_CHAT.place(request, standing="", recalled="", mode=mode) == []


def test_the_standing_block_stands_in_the_same_bytes_whatever_is_recalled() -> None:
    request = OPENAI_CHAT.read(json.dumps({"messages": [SYSTEM, USER]}).encode())
    one = OPENAI_CHAT.place(request, standing=STANDING, recalled="a", mode="split")
    other = OPENAI_CHAT.place(request, standing=STANDING, recalled="something else", mode="split")
    assert one[0] == other[0]


CONTENT = (
    st.none()
    | st.text(max_size=6)
    | st.lists(st.builds(text, st.text(max_size=4)) | st.just({"type": "image_url"}) | st.none(), max_size=2)
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "developer", "user", "assistant"]), "content": CONTENT}),
    min_size=1,
    max_size=5,
)
BLOCK = st.sampled_from(["", STANDING, '"]}', "\\", "\ud83d"])


@fuzzed(500)
@given(MESSAGES, BLOCK, BLOCK, st.sampled_from(MODES), st.sampled_from([None, 0, 2]), st.booleans())
def test_any_body_stays_json_and_differs_by_the_insertions_alone(
    messages: list[dict[str, Any]], standing: str, recalled: str, mode: Mode, indent: int | None, ascii_only: bool
) -> None:
    body = json.dumps({"messages": messages}, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    request = OPENAI_CHAT.read(body)
    insertions = OPENAI_CHAT.place(request, standing=standing, recalled=recalled, mode=mode)
    changed = apply_insertions(request, insertions)
    offsets = [insertion.offset for insertion in insertions]
    assert offsets == sorted(set(offsets))
    assert all(insertion.text.isascii() for insertion in insertions)

    rest, moved = changed.decode(), 0
    for insertion in insertions:
        at = insertion.offset
        assert rest[at : at + len(insertion.text)] == insertion.text
        rest = rest[:at] + rest[at + len(insertion.text) :]
        moved += len(insertion.text)
    assert rest == request.text

    found = OPENAI_CHAT.read(changed)
    words = "\0".join(message.text for message in found.messages)
    for block in (standing, recalled):
        assert block.replace("\ud83d", "\ufffd") in words
    assert len(found.messages) - len(request.messages) <= bool(standing) + bool(recalled)
