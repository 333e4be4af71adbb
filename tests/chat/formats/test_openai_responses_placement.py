import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.formats.test_openai_responses import BE_KIND, CALL, ENVIRONMENT, IMAGE, RESULT, THOUGHT, said, told, user
from soak import fuzzed
from toldonce.chat.formats.base import ChatRequest, Insertion
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.splice import apply_insertions
from toldonce.types import InjectionMode as Mode

MODES: tuple[Mode, ...] = get_args(Mode)
TEA = 'Likes "tea" ☕'
STANDING, RECALLED = "Facts:\u2028- Ana", TEA
BOTH = f"{STANDING}\n\n{RECALLED}"


def memory(value: str) -> dict[str, Any]:
    return {"type": "message", "role": "developer", "content": [told(value)]}


def read(source: Any) -> ChatRequest:
    return OPENAI_RESPONSES.read(json.dumps({"model": "m", "input": source, "store": False}, indent=1).encode())


def placed(source: Any, *, mode: Mode = "split", standing: str = STANDING, recalled: str = RECALLED) -> Any:
    request = read(source)
    insertions = OPENAI_RESPONSES.place(request, standing=standing, recalled=recalled, mode=mode)
    return json.loads(apply_insertions(request, insertions))["input"]


def at_messages(source: Any, appended: dict[int, str], *, standing: str = "", in_user_message: bool = False) -> Any:
    request = read(source)
    insertions = OPENAI_RESPONSES.place_at_messages(
        request, standing=standing, appended=appended, in_user_message=in_user_message
    )
    return json.loads(apply_insertions(request, insertions))["input"]


PLACES: dict[Mode, list[dict[str, Any]]] = {
    "split": [BE_KIND, memory(STANDING), user("Hi"), said("Hello."), user("So?"), memory(RECALLED), CALL, RESULT],
    "system_append": [BE_KIND, memory(BOTH), user("Hi"), said("Hello."), user("So?"), CALL, RESULT],
    "system_message": [BE_KIND, memory(BOTH), user("Hi"), said("Hello."), user("So?"), CALL, RESULT],
    "context_message": [BE_KIND, user("Hi"), said("Hello."), user("So?"), memory(BOTH), CALL, RESULT],
    "user_prefix": [BE_KIND, user("Hi"), said("Hello."), user(f"So?\n\n{BOTH}"), CALL, RESULT],
}


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_has_its_places_among_items(mode: Mode) -> None:
    asked = [BE_KIND, user("Hi"), said("Hello."), user("So?"), CALL, RESULT]
    assert placed(asked, mode=mode) == PLACES[mode]


@pytest.mark.parametrize(
    ("mode", "result"),
    [
        ("split", [memory(STANDING), user('Say "hi"'), memory(RECALLED)]),
        ("system_append", [memory(BOTH), user('Say "hi"')]),
        ("system_message", [memory(BOTH), user('Say "hi"')]),
        ("context_message", [user('Say "hi"'), memory(BOTH)]),
        ("user_prefix", f'Say "hi"\n\n{BOTH}'),
    ],
)
def test_a_string_becomes_a_list_where_items_are_added(mode: Mode, result: Any) -> None:
    assert placed('Say "hi"', mode=mode) == result


@pytest.mark.parametrize("mode", MODES)
def test_without_a_message_of_the_user_all_goes_behind_the_applications(mode: Mode) -> None:
    assert placed([BE_KIND, RESULT], mode=mode) == [BE_KIND, memory(BOTH), RESULT]
    assert placed([BE_KIND, user(ENVIRONMENT)], mode=mode) == [BE_KIND, user(ENVIRONMENT), memory(BOTH)]


def test_an_empty_block_leaves_no_trace() -> None:
    for mode in MODES:
        assert placed([user("Hi")], mode=mode, standing="", recalled="") == [user("Hi")]
        assert placed("Hi", mode=mode, standing="", recalled="") == "Hi"
    assert placed("Hi", standing="") == [user("Hi"), memory(RECALLED)]
    assert placed("Hi", recalled="") == [memory(STANDING), user("Hi")]


def test_a_refused_place_leaves_the_users_message() -> None:
    for before, after in (
        ("Hi", f"Hi\n\n{BOTH}"),
        ([user("Hi")], [user(f"Hi\n\n{BOTH}")]),
        ([user("")], [user(BOTH)]),
        ([user([IMAGE])], [user([IMAGE, told(BOTH)])]),
        ([user([])], [user([told(BOTH)])]),
        ([user(None)], [user(None), memory(BOTH)]),
    ):
        assert at_messages(before, {0: RECALLED}, standing=STANDING, in_user_message=True) == after
    assert at_messages("Hi", {}, standing=STANDING, in_user_message=True) == [memory(STANDING), user("Hi")]


def test_texts_at_several_messages_depend_on_their_message_alone() -> None:
    items, texts = [BE_KIND, user("Hi"), said("Hello."), user("So?"), THOUGHT, CALL, RESULT], {1: "a", 3: TEA, 4: ""}
    bodies = []
    for end, appended in ((2, {1: "a"}), (4, texts), (7, texts)):
        request = OPENAI_RESPONSES.read(json.dumps({"input": items[:end]}).encode())
        insertions = OPENAI_RESPONSES.place_at_messages(request, standing=STANDING, appended=appended)
        bodies.append(apply_insertions(request, insertions).removesuffix(b"]}"))
    assert bodies[1].startswith(bodies[0])
    assert bodies[2].startswith(bodies[1])


def test_a_prompt_is_compared_as_the_provider_reads_it() -> None:
    compared = OPENAI_RESPONSES.compared
    alike = [
        '"Hi"',
        json.dumps(user("Hi")),
        ", " + json.dumps({**user([{**told("Hi"), "prompt_cache_breakpoint": {"mode": "explicit"}}]), "id": "msg_1"}),
        json.dumps([{"type": "message", "content": "Hi", "role": "user", "status": "completed"}]),
    ]
    assert len({compared(source) for source in alike}) == 1
    wholes = (json.dumps(at_messages(source, {0: TEA})) for source in ("Hi", [user("Hi")], [user([told("Hi")])]))
    assert len({compared(whole) for whole in wholes}) == 1
    answer = said("Hello.", id="msg_1", phase="final_answer")
    assert compared(json.dumps(answer)) == compared('{"role":"assistant","content":"Hello."}')
    for before, after in (
        (CALL, {**CALL, "arguments": '{"path":"."}'}),
        (user([IMAGE]), user([{**IMAGE, "detail": "low"}])),
        (user("Hi"), {"role": "developer", "content": "Hi"}),
        ({"type": "item_reference", "id": "msg_1"}, {"type": "item_reference", "id": "msg_2"}),
        (user([told("a"), told("b")]), user([told("a\nb")])),
    ):
        assert compared(json.dumps(before)) != compared(json.dumps(after))


TEXT = st.sampled_from(["", "Hi", 'a "quote"\\', "☕\u2028", ENVIRONMENT])
PART = st.builds(told, TEXT) | st.just(IMAGE) | st.none() | st.integers()
CONTENT: st.SearchStrategy[Any] = st.none() | TEXT | st.lists(PART, max_size=2) | st.just({})
ITEM = (
    st.fixed_dictionaries({"role": st.sampled_from(["developer", "system", "user", "assistant"]), "content": CONTENT})
    | st.sampled_from([THOUGHT, CALL, RESULT, {"type": "item_reference", "id": "msg_1"}])
    | st.fixed_dictionaries({"type": st.none() | st.just([]) | st.just({}) | TEXT}, optional={"output": CONTENT})
)
BLOCK = st.sampled_from(["", STANDING, '"]}', "\\", "\ud83d"])


def without(text: str, insertions: list[Insertion]) -> str:
    """Take the insertions out again; each must be where it was to go."""
    moved = 0
    for insertion in insertions:
        assert text[insertion.offset :].startswith(insertion.text)
        text = text[: insertion.offset] + text[insertion.offset + len(insertion.text) :]
        moved += len(insertion.text)
    return text


@fuzzed(300)
@given(
    TEXT | st.lists(ITEM, min_size=1, max_size=5), BLOCK, BLOCK, st.sampled_from(MODES), st.sampled_from([None, 0, 2])
)
def test_any_body_stays_json_and_differs_by_the_insertions_alone(
    source: Any, standing: str, recalled: str, mode: Mode, indent: int | None
) -> None:
    body = json.dumps({"zzz": [{}], "input": source, "tools": []}, indent=indent, ensure_ascii=indent == 0).encode()
    request = OPENAI_RESPONSES.read(body)
    assert request.text.encode() == body
    insertions = OPENAI_RESPONSES.place(request, standing=standing, recalled=recalled, mode=mode)
    changed = apply_insertions(request, insertions)
    offsets = [insertion.offset for insertion in insertions]
    assert offsets == sorted(set(offsets))
    assert without(changed.decode(), insertions) == request.text

    found = OPENAI_RESPONSES.read(changed)
    words = "\0".join(message.text for message in found.messages)
    for block in (standing, recalled):
        assert block.replace("\ud83d", "\ufffd") in words
    assert len(found.messages) - len(request.messages) <= bool(standing) + bool(recalled)
    OPENAI_RESPONSES.compared(changed.decode()[found.messages[0].start : found.messages[-1].end])
    for message in found.messages:
        OPENAI_RESPONSES.identity(message.payload)
