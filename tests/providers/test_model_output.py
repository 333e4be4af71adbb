import json

import pytest

from tables import check_each
from toldonce.errors import ModelError
from toldonce.providers.model_output import MAX_CHARACTERS, parse_model_output

TEA = {"memories": [{"text": "likes tea"}]}
TEA_JSON = json.dumps(TEA)

# What models were seen to write, or can be expected to, and what is to be read in it.
BROKEN: dict[str, tuple[str, object]] = {
    "bare": (TEA_JSON, TEA),
    "bare with blank lines around": (f"\n\n {TEA_JSON} \n", TEA),
    "with a byte order mark": (f"\ufeff{TEA_JSON}", TEA),
    "an empty object": ("{}", {}),
    "an empty list": ("[]", []),
    "a bare word": ("null", None),
    "not a number": ('{"a": NaN, "b": Infinity}', {"a": None, "b": None}),
    "in a fence with a language": (f"```json\n{TEA_JSON}\n```", TEA),
    "in a fence without a language": (f"```\n{TEA_JSON}\n```", TEA),
    "in a fence on one line": (f"```json {TEA_JSON}```", TEA),
    "in a fence amid prose": (f"Here you are:\n```json\n{TEA_JSON}\n```\nAnything else?", TEA),
    "in a fence that never ends": (f"```json\n{TEA_JSON}\n", TEA),
    "in the second of two fences": ('```\nno json\n```\n```json\n{"a": [1]}\n```', {"a": [1]}),
    "with a fence inside a string": (
        'Done: {"text": "wrote ```py\\nx = 1\\n``` today"}',
        {"text": "wrote ```py\nx = 1\n``` today"},
    ),
    "with prose before": (f"Sure! {TEA_JSON}", TEA),
    "with prose after": (f"{TEA_JSON}\nI hope this helps.", TEA),
    "behind prose with a placeholder": (f"I fill {{text}} for each: {TEA_JSON}", TEA),
    "behind prose with an elided example": (f'Of the form {{"memories": ...}}: {TEA_JSON}', TEA),
    "behind a reference in brackets": (f"As message [1] says: {TEA_JSON}", TEA),
    "behind an empty object in prose": (f"Without memories it would be {{}}, but: {TEA_JSON}", TEA),
    "behind unbalanced brackets": (f"Well [sic {{ :-[ here: {TEA_JSON}", TEA),
    "a flat list behind prose": ('The ids: ["a", "b"].', ["a", "b"]),
    "two objects": (f'{TEA_JSON}\n{{"memories": []}}', TEA),
    "behind reasoning": (f"<think>Maybe {{}}? Or [1]?</think>\n{TEA_JSON}", TEA),
    "behind reasoning with a draft": (f'<think>First {{"memories": [{{"text": "x"}}]}}</think>{TEA_JSON}', TEA),
    "behind reasoning that the template opened": (f'a draft {{"memories": 1}} </think>\n{TEA_JSON}', TEA),
    "behind two blocks of reasoning": (f"<think>a</think><thinking>b</thinking>{TEA_JSON}", TEA),
    "with a tag of reasoning in a string": ('{"text": "writes </think> by hand"}', {"text": "writes </think> by hand"}),
    "a trailing comma in a list": ('{"a": [1, 2,]}', {"a": [1, 2]}),
    "a trailing comma in an object": ('{"a": 1,}', {"a": 1}),
    "a doubled comma": ('{"a": [1,, 2]}', {"a": [1, 2]}),
    "a missing comma between objects": ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}]),
    "a missing comma between lines": ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}),
    "line comments": ('{\n  // who\n  "a": 1, # why\n  "b": 2 // end\n}', {"a": 1, "b": 2}),
    "block comments": ('{"a": /* one */ 1}', {"a": 1}),
    "a link in a string is no comment": ('{"a": "http://x.test/#b",}', {"a": "http://x.test/#b"}),
    "single quotes": ("{'a': 'it''s Ana's', 'b': []}", {"a": "it''s Ana's", "b": []}),
    "curly quotes": ("{“a”: “tea”}", {"a": "tea"}),
    "bare keys": ("{text: 'tea', is_new: true}", {"text": "tea", "is_new": True}),
    "Python's words": ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
    "a line break in a string": ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    "a tab in a string": ('{"a": "one\ttwo"}', {"a": "one\ttwo"}),
    "an unknown escape": (r'{"a": "it\'s 5\% \d"}', {"a": "it's 5% d"}),
    "escapes beside a broken comma": (r'{"a": "\u00e9\n\ud83c\udf75\"",}', {"a": 'é\n🍵"'}),
    "a lone surrogate": (r'{"a": "x\ud83c",}', {"a": "x\ud83c"}),
    "unescaped quotes in a string": ('{"a": "said "no" to tea", "b": 1}', {"a": 'said "no" to tea', "b": 1}),
    "unescaped quotes at the end": ('{"a": "said "no""}', {"a": 'said "no"'}),
    "numbers of all forms": (
        "[{a: -1, b: +2.5, c: .5, d: 1e3, e: 1.}]",
        [{"a": -1, "b": 2.5, "c": 0.5, "d": 1000.0, "e": 1.0}],
    ),
    "a list cut off in an item": ('{"memories": [{"text": "tea"}, {"text": "cof', {"memories": [{"text": "tea"}]}),
    "a list cut off behind an item": ('{"memories": [{"text": "tea"},', {"memories": [{"text": "tea"}]}),
    "a list cut off behind a key": ('[{"a": 1}, {"a": 2, "b"', [{"a": 1}]),
    "a list with nonsense behind an item": ('{"m": [{"a": 1}, {"b": oops}, {"c": 3}]}', {"m": [{"a": 1}]}),
    "a list with prose behind an item": ('{"m": [{"a": 1}, and so on, as above]}', {"m": [{"a": 1}]}),
    "a list cut off in an escape": ('["a", "b\\', ["a"]),
    "a list cut off in a number": ("[10, 20, 3", [10, 20]),
    "a list cut off in a word": ("[true, fal", [True]),
    "an object cut off in a value": ('{"a": 1, "b": "tw', {"a": 1}),
    "an object cut off behind a colon": ('{"a": 1, "b":', {"a": 1}),
    "nested lists cut off": ('{"r": {"m": [[1, 2], [3', {"r": {"m": [[1, 2]]}}),
    "cut off in a fence": ('```json\n{"m": [{"a": 1}, {"a"', {"m": [{"a": 1}]}),
}


@check_each(("text", "expected"), BROKEN.values())
def test_an_answer_is_read_however_it_is_wrapped_or_broken(text: str, expected: object) -> None:
    assert parse_model_output(text).value == expected


@check_each("case", [name for name in BROKEN if "cut off" in name or "behind an item" in name])
def test_an_answer_of_which_something_is_missing_says_so(case: str) -> None:
    assert parse_model_output(BROKEN[case][0]).broke_off


@check_each("case", [name for name in BROKEN if "cut off" not in name and "behind an item" not in name])
def test_an_answer_that_is_whole_does_not_say_that_it_broke_off(case: str) -> None:
    assert not parse_model_output(BROKEN[case][0]).broke_off


REFUSED: dict[str, tuple[str, str]] = {
    "empty": ("", "is empty"),
    "blank": (" \n\t", "is empty"),
    "reasoning alone": ("<think>Let me see", "ended within it"),
    "reasoning with a draft alone": ('<think>{"memories": []}', "ended within it"),
    "reasoning and nothing else": ("<think>done</think> ", "is empty after"),
    "a refusal": ("I'm sorry, but I can't help with that.", "refused"),
    "a refusal with a curly apostrophe": ("I’m unable to do this.", "refused"),
    "prose": ("There is nothing worth remembering here.", "holds no JSON in its 40"),
    "an unknown word as a value": ('{"a": maybe}', "broken JSON"),
    "cut off before the first item": ('{"memories": [{"text": "li', "cut off before its first item"),
    "cut off with members but no item": ('{"memories": [{"text": "x", "type": "y", "q": {"z": 1}, "w', "cut off"),
    "cut off at the first bracket": ("{", "cut off"),
    "a first item broken in the middle": ('[{"a": 1, "b": oops}, {"c": 3}]', "broken JSON"),
    "nested too deep": ("[" * 100_000, "deeper than 64"),
    "nested too deep and closed": ("[" * 500 + "]" * 500, "deeper than 64"),
    "nested too deep amid prose": ("so: " + '{"a":' * 100 + "1" + "}" * 100, "deeper than 64"),
    "too long": ("x" * (MAX_CHARACTERS + 1), "more than 8000000"),
}


@check_each(("text", "reason"), REFUSED.values())
def test_an_answer_without_a_value_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        parse_model_output(text)


def has_memories(value: object) -> bool:
    return isinstance(value, dict) and "memories" in value


def test_of_several_values_the_first_acceptable_one_is_taken() -> None:
    assert parse_model_output(f'{{"plan": [1]}} {TEA_JSON} {{"memories": 0}}', has_memories).value == TEA


def test_an_acceptable_value_is_found_behind_one_that_went_wrong() -> None:
    assert parse_model_output(f'{{"a": 1, oops}} sorry, again: {TEA_JSON}', has_memories).value == TEA


def test_a_cut_off_answer_is_not_replaced_by_a_part_of_it() -> None:
    with pytest.raises(ModelError, match="cut off"):
        parse_model_output('{"memories": [{"memories": {"x": 1}, "y": "z', has_memories)


def test_a_value_of_another_form_is_refused() -> None:
    with pytest.raises(ModelError, match="another form"):
        parse_model_output('{"answer": "none"}', has_memories)
    with pytest.raises(ModelError, match="another form"):
        parse_model_output('So: {"answer": "none"}', has_memories)


def test_ten_thousand_items_are_read_with_one_broken_comma_at_the_end() -> None:
    items = [{"text": f"thing {i}", "seq": i} for i in range(10_000)]
    assert parse_model_output(json.dumps(items)[:-1] + ",]").value == items


def test_an_error_never_quotes_the_answer() -> None:
    with pytest.raises(ModelError) as caught:
        parse_model_output("Ana is allergic to peanuts {oops")
    assert "peanuts" not in str(caught.value)


def test_what_was_not_taken_of_an_answer_is_said() -> None:
    assert parse_model_output(TEA_JSON, has_memories).remarks == ()
    assert parse_model_output(TEA_JSON[:-2], has_memories).remarks == (
        "the answer broke off; what was whole of it was taken",
    )
    two = parse_model_output(f'{TEA_JSON} or rather {{"memories": []}}', has_memories)
    assert two.value == TEA
    assert two.remarks == ("the answer holds more than one such value; the first was taken",)
    assert parse_model_output(f"{TEA_JSON}\n```json\n{TEA_JSON}\n```", has_memories).remarks == ()


def test_what_comes_near_is_taken_where_nothing_is_right() -> None:
    def is_near(value: object) -> bool:
        return isinstance(value, list) or (isinstance(value, dict) and "text" in value)

    one, two = '{"text": "tea"}', '{"text": "jazz"}'
    assert parse_model_output("[]", has_memories, is_near).value == []
    assert parse_model_output(f"Here: {one}", has_memories, is_near).value == {"text": "tea"}
    assert parse_model_output(f"{one}\n{two}", has_memories, is_near).value == [{"text": "tea"}, {"text": "jazz"}]
    assert parse_model_output(f"[{one}] or {TEA_JSON}", has_memories, is_near).value == TEA
    with pytest.raises(ModelError, match="another form"):
        parse_model_output('{"a": 1}', has_memories, is_near)


def test_json_within_a_json_string_is_read() -> None:
    assert parse_model_output(json.dumps(TEA_JSON), has_memories).value == TEA
