"""Events of agents as requests, and requests' answers as the agents read them."""

import json
from pathlib import Path

import pytest

from toldonce.hook.event import MAX_CHARACTERS, read_request, read_status, write_answer

PROMPT = {
    "session_id": "s1",
    "prompt_id": "p1",
    "cwd": "/nowhere/shop",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "We use pnpm.",
}


def read(**changes: object) -> dict[str, str] | None:
    return read_request(json.dumps(PROMPT | changes).encode())


def test_a_prompt_names_its_session_turn_and_project() -> None:
    request = read()

    assert request is not None
    assert request.pop("app").startswith("shop-")
    assert request == {"event": "prompt", "conversation": "s1", "turn": "p1", "text": "We use pnpm."}


def test_codex_names_turns_by_another_field() -> None:
    request = read(turn_id="t1")

    assert request is not None
    assert request["turn"] == "t1"


def test_the_end_of_a_turn_brings_the_answer() -> None:
    request = read(hook_event_name="Stop", last_assistant_message="Noted.", prompt=None)

    assert request is not None
    assert (request["event"], request["text"]) == ("answer", "Noted.")


@pytest.mark.parametrize(
    ("source", "event"), [("startup", "warm"), ("resume", "warm"), ("clear", "warm"), ("compact", "resume")]
)
def test_a_start_warms_or_resumes(source: str, event: str) -> None:
    request = read(hook_event_name="SessionStart", source=source)

    assert request is not None
    assert request["event"] == event


@pytest.mark.parametrize(
    "changes",
    [
        {"hook_event_name": "PreToolUse"},
        {"hook_event_name": "SubagentStop"},
        {"hook_event_name": 7},
        {"agent_id": "a1"},
        {"prompt": " "},
        {"prompt": 5},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "Stop", "last_assistant_message": None},
    ],
)
def test_other_events_ask_nothing(changes: dict[str, object]) -> None:
    assert read(**changes) is None


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"hook_event_name": "Stop"}'])
def test_what_is_no_event_is_an_error(raw: bytes) -> None:
    for read_raw in (read_request, read_status):
        with pytest.raises(ValueError):  # noqa: PT011  # JSON's own errors are of this kind
            read_raw(raw)


def test_a_status_line_is_one_line_that_no_memory_can_colour() -> None:
    request = read_status(b'{"session_id": "s1", "cwd": "/shop", "model": {"id": "claude-opus-5"}, "cost": null}')

    assert request == {"event": "shown", "conversation": "s1"}
    assert write_answer(request, "ToldOnce: \x1b[31mred\nand\u202e more") == b"ToldOnce:  [31mred and  more\n"
    assert write_answer(request, "") == b""


def test_broken_text_becomes_valid() -> None:
    request = read_request(json.dumps(PROMPT).encode().replace(b"pnpm.", b"\xff\xfe and \\ud800."))

    assert request is not None
    assert request["text"].encode() == "We use �� and ?.".encode()


def test_a_long_prompt_is_cut() -> None:
    request = read(prompt="x" * 10_000_000)

    assert request is not None
    assert len(request["text"]) == MAX_CHARACTERS


def test_a_relative_folder_is_no_project(tmp_path: Path) -> None:
    del tmp_path
    request = read(cwd="shop")

    assert request is not None
    assert "app" not in request


def test_an_answer_is_what_agents_read() -> None:
    printed = json.loads(write_answer({"event": "prompt"}, "<b>é</b>"))

    assert printed == {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "<b>é</b>"}}
    assert json.loads(write_answer({"event": "resume"}, "x"))["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert write_answer({"event": "prompt"}, "") == b""
    assert write_answer({"event": "answer"}, "x") == b""
