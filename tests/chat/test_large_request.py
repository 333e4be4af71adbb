"""Large bodies are checked without building unused objects, and the number of messages is limited."""

import json
from json import JSONDecodeError

import pytest

from tables import check_each
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_chat_request import OpenAIChatRequest
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.json_scanner import MAX_DEPTH, JsonScanner, TooDeepError
from toldonce.chat.messages import query_of
from toldonce.errors import BadRequestError

HELLO = {"role": "user", "content": "hello"}


def written(**members: object) -> OpenAIChatRequest:
    return OPENAI_CHAT.read(json.dumps(members | {"messages": [HELLO]}).encode())


@check_each(
    "source",
    [
        '"a\\"b\\\\"',
        '"\\ud83d"',
        "-0.5e+7",
        "NaN",
        "-Infinity",
        "{}",
        "[ ]",
        '{ "a" : [1, {"b": [[], {}]} , null] , "c":{}}',
        json.dumps([[{"n": n, "in": [n, {}]} for n in range(500)]] * 2, indent=1),
        json.dumps(list(range(1000))),
        json.dumps({str(n): n for n in range(1000)}),
        json.dumps({str(n): [[n], n] for n in range(300)}),
    ],
)
def test_passing_over_a_value_ends_where_reading_it_ends(source: str) -> None:
    text = f"{source}, 1"
    assert JsonScanner(text).skip_value(0) == JsonScanner(text).read_value(0)[1] == len(source)


BROKEN = ["", "nul", "-", "[1,]", "[,1]", "[1 2]", '{"a"}', '{"a":1,}', '{"a":1 "b":2}', "{1:2}", '"a', '"a\n"']
BROKEN += ['"\\x"', '"\\u00g0"', "[1}", '{"a":1]', "[[1]", '[{"a":[1,{]}', "[1", "[[1],", "01", "9" * 4301]


@check_each("source", BROKEN)
def test_what_is_no_json_is_not_passed_over(source: str) -> None:
    with pytest.raises(JSONDecodeError):
        JsonScanner(source).skip_value(0)


def test_passing_over_stops_at_the_depth_at_which_reading_stops() -> None:
    assert JsonScanner("[" * MAX_DEPTH + "]" * MAX_DEPTH).skip_value(0) == 2 * MAX_DEPTH
    with pytest.raises(TooDeepError):
        JsonScanner('{"a":' * 100_000).skip_value(0)


def test_usage_is_asked_for_by_a_true_in_the_last_stream_options() -> None:
    assert written(stream_options={"include_usage": True}).include_usage
    others: list[object] = [
        None,
        [],
        {"include_usage": "true"},
        {"include_usage": [True]},
        {"x": {"include_usage": True}},
    ]
    for options in others:
        assert not written(stream_options=options).include_usage
    twice = (
        b'{"stream_options":{"include_usage":true},"stream_options":{},"messages":[%s]}' % json.dumps(HELLO).encode()
    )
    assert not OPENAI_CHAT.read(twice).include_usage


def test_a_request_has_so_many_messages_and_no_more() -> None:
    most = json.dumps({"messages": [HELLO] * MAX_MESSAGES}).encode()
    assert len(OPENAI_CHAT.read(most).messages) == MAX_MESSAGES
    more = json.dumps({"messages": [HELLO] * (MAX_MESSAGES + 1)}).encode()
    with pytest.raises(BadRequestError, match="more than 10,000 messages") as caught:
        OPENAI_CHAT.read(more)
    assert caught.value.param == "messages"
    assert len(OPENAI_CHAT.read(more, max_messages=20_000).messages) == MAX_MESSAGES + 1


def test_a_pasted_book_is_asked_about_at_its_ends() -> None:
    book = "What is this?" + " word" * 100_000 + " Tell me."
    query = query_of(OPENAI_CHAT.read(json.dumps({"messages": [{"role": "user", "content": book}]}).encode()))
    assert len(query) < 41_000
    assert (query[:13], query[-8:]) == ("What is this?", "Tell me.")
