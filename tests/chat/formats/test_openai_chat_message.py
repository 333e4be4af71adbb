from toldonce.chat.formats.openai_chat_message import is_text_only, other_parts, text_of


def test_text_parts_of_every_api_are_text() -> None:
    content = [{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}, {"text": "c"}, "d"]
    assert text_of(content) == "a\nb\nc\nd"
    assert other_parts(content) == []


def test_what_no_api_describes_has_no_text_and_is_not_lost() -> None:
    for content in (7, {"text": "a"}, [7], [{"type": "text"}], [{"type": ["text"], "text": "a"}], [None]):
        assert text_of(content) == ""
        assert other_parts(content) == (content if isinstance(content, list) else [content])


def test_a_message_of_role_name_and_text_is_text_only() -> None:
    assert is_text_only({"role": "user", "content": "hi", "tool_calls": None, "name": "Ana"})
    assert is_text_only({"role": "assistant", "content": None})
    assert not is_text_only({"role": "assistant", "content": None, "refusal": "No."})
