"""What language models and their servers were seen to answer, or may, instead of what they were asked for.

Each answer is made from a good one of the shape that is asked for, and says how it has to end.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SAID = "I moved to Oslo in May, and I am allergic to peanuts."

Ends = Literal["kept", "refused", "rules", "waits", "nothing"]
"""Memories are stored; a decision says why not; the rules read the turn in the model's place, with a decision that
says why; the formation waits for a server that is down; there was nothing to keep."""
PROFILES = ("default", "session", "character", "user", "tiered", "app")


@dataclass(frozen=True)
class Reply:
    """What the server does."""

    content: str | None = None
    """The model's words, in a completion as it should be."""
    body: bytes | None = None
    """The whole body, where it is no such completion."""
    message: Mapping[str, Any] = field(default_factory=dict)
    """Members of the completion's message that differ."""
    completion: Mapping[str, Any] = field(default_factory=dict)
    """Members of the completion that differ."""
    finish: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    then: Literal["", "hang", "reset"] = ""

    def bytes(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.content, **self.message}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        usage = {"prompt_tokens": 9, "completion_tokens": 4}
        return json.dumps(
            {"object": "chat.completion", "choices": [choice], "usage": usage, **self.completion}
        ).encode()


@dataclass(frozen=True)
class Good:
    """A good answer in one profile's shape."""

    profile: str
    item: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        return self.item if self.profile == "app" else {"memories": [self.item]}

    @property
    def json(self) -> str:
        return json.dumps(self.data)

    def with_(self, **changes: Any) -> str:
        """Write it with members of its item changed: `text` and `number` by their names in the shape."""
        named = {
            self.words if key == "text" else self.number if key == "number" else key: changes[key] for key in changes
        }
        named = {key: [value] if key == "messages" else value for key, value in named.items()}
        return Good(self.profile, self.item | named).json

    @property
    def words(self) -> str:
        return {"session": "content", "character": "content", "tiered": "value"}.get(self.profile, "text")

    @property
    def number(self) -> str:
        return "messages" if self.profile == "app" else "message"


def good(profile: str) -> Good:
    """Write the answer that a good model gives on `SAID`."""
    where: dict[str, Any] = {"message": 1, "quote": "I moved to Oslo in May", "updates": None}
    text, weight = "The user moved to Oslo in May.", {"importance": 0.8}
    match profile:
        case "default":
            note = {"kind": "note", "text": text, "category": "", "key": "", "value": "", "type": "event"}
            return Good(profile, note | weight | {"confidence": 0.9, "ended": False, "valid_from": None} | where)
        case "session":
            return Good(profile, {"type": "fact", "content": text} | weight | where)
        case "character":
            return Good(profile, {"type": "NOTE", "content": text, "summary": "Moved to Oslo."} | weight | where)
        case "user":
            return Good(profile, {"text": text} | where)
        case "tiered":
            fact = {"category": "identity", "key": "location", "value": "Oslo", "confidence": 0.9}
            return Good(profile, fact | weight | where)
        case _:
            return Good(profile, {"text": text, "messages": [1], "importance": 8, "tags": ["oslo"]})


@dataclass(frozen=True)
class Malformed:
    """One bad answer."""

    make: Callable[[Good], Reply]
    ends: Ends
    but: Mapping[str, Ends] = field(default_factory=dict)
    """Profiles whose shape makes another end of it."""
    why: str = ""
    """What the reason says, where there has to be one."""


def says(write: Callable[[Good], str], ends: Ends, why: str = "", **but: Ends) -> Malformed:
    """Let the model say something in a completion as it should be."""
    return Malformed(lambda answer: Reply(content=write(answer)), ends, but, why)


def does(reply: Reply, why: str, ends: Ends = "rules") -> Malformed:
    """Let the server do something, whatever the shape."""
    return Malformed(lambda _: reply, ends, {}, why)


def _cut(answer: Good, share: float) -> str:
    return answer.json[: int(len(answer.json) * share)]


def _two(answer: Good) -> str:
    other = {**answer.data, "memories": []} if answer.profile != "app" else {**answer.data, "text": "Or this."}
    return f"{answer.json}\n{json.dumps(other)}"


def _first_whole(answer: Good) -> str:
    """Break off within the second item, or behind the first members of a paragraph."""
    if answer.profile == "app":
        return answer.json[: answer.json.index('"tags"')]
    return json.dumps({"memories": [answer.item, answer.item]})[:-20]


def _many(answer: Good) -> str:
    return json.dumps({"memories": [answer.item] * 10_000})


def _single(answer: Good) -> str:
    return json.dumps([answer.item] if answer.profile == "app" else answer.item)


def _python(answer: Good) -> str:
    return repr(answer.data)


def _call(arguments: str) -> Mapping[str, Any]:
    function = {"name": "memories", "arguments": arguments}
    return {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


def _deep(levels: int) -> str:
    return '{"memories": ' + "[" * levels + "]" * levels + "}"


def _schema(_: Good) -> str:
    items = {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}}
    return json.dumps({"type": "object", "properties": {"memories": items}, "required": ["memories"]})


_BROKE_OFF = "broke off"
_NO_JSON = "holds no JSON"
_OTHER_FORM = "another form"
_BROKEN = "broken JSON, or was cut off"

CASES: dict[str, Malformed] = {
    # the value is there, wrapped or misspelled
    "prose around it": says(lambda a: f"Sure! Here it is:\n\n{a.json}\n\nAnything else?", "kept"),
    "a code fence": says(lambda a: f"```json\n{a.json}\n```", "kept"),
    "a fence that never ends": says(lambda a: f"```json\n{a.json}", "kept"),
    "a plan in a first fence": says(lambda a: f'```json\n{{"plan": [1]}}\n```\n```json\n{a.json}\n```', "kept"),
    "braces in the prose": says(lambda a: f"I use {{braces}} and [1]: {a.json} {{so}} there", "kept"),
    "two objects": says(_two, "kept", "more than one"),
    "reasoning before it": says(lambda a: f'<think>Perhaps {{"memories": []}}? No.</think>\n{a.json}', "kept"),
    "JSON in a JSON string": says(lambda a: json.dumps(a.json), "kept"),
    "a byte order mark": says(lambda a: f"\ufeff{a.json}", "kept"),
    "trailing commas": says(lambda a: a.json.replace("}]}", ",},],}").replace('"]}', '",],}'), "kept"),
    "Python instead of JSON": says(_python, "kept"),
    "comments in it": says(lambda a: a.json.replace("{", "{ // a memory\n /* one */ ", 1), "kept"),
    "curly quotes": says(lambda a: re.sub(r'"([^"]*)"', "“\\1”", a.json), "kept"),
    "raw line feeds in a string": says(lambda a: a.with_(text="x@moved to Oslo.").replace("x@", "The user\n"), "kept"),
    "quotes that are not escaped": says(lambda a: a.with_(text="The @user@ moved to Oslo.").replace("@", '"'), "kept"),
    "duplicate keys": says(lambda a: '{"memories": [], "text": "", ' + a.json[1:], "kept"),
    "one object where a list was asked for, or a list of one": says(_single, "kept"),
    "a bare list": says(lambda a: json.dumps([a.item]), "kept"),
    "one object a line": says(lambda a: f"{json.dumps(a.item)}\n{json.dumps(a.item | {'note': 'again'})}", "kept"),
    "U+2028 and other odd blanks": says(lambda a: a.with_(text="The user\u2028moved\u00a0to Oslo."), "kept"),
    "half a surrogate pair": says(lambda a: a.with_(text="The user moved to Oslo \ud83d."), "kept"),
    "NUL in a string": says(lambda a: a.with_(text="The user moved\x00 to Oslo."), "kept"),
    "numbers as words": says(lambda a: a.with_(number="1", importance="0.8"), "kept"),
    "weights that are no number": says(lambda a: a.json.replace("0.8", "NaN").replace(": 8", ": NaN"), "kept"),
    "huge weights": says(lambda a: a.with_(importance=10**400), "kept"),
    "unknown members": says(lambda a: a.with_(id="019", subject="user:ben", target_id=7), "kept"),
    "content in parts": Malformed(
        lambda a: Reply(
            message={"content": [{"type": "text", "text": a.json[:9]}, {"type": "text", "text": a.json[9:]}]}
        ),
        "kept",
    ),
    "a call of a tool": Malformed(lambda a: Reply(message=_call(a.json), finish="tool_calls"), "kept"),
    "no usage": Malformed(lambda a: Reply(content=a.json, completion={"usage": None}), "kept"),
    "finish_reason length": Malformed(
        lambda a: Reply(content=_first_whole(a), finish="length"), "rules", why=_BROKE_OFF
    ),
    "ten thousand items": says(_many, "kept", "items beyond the first 20", app="rules"),
    # the value is there, and its items cannot be used
    "wrong types": says(lambda a: a.with_(text=5, number={"a": 1}), "rules"),
    "a list for a text": says(lambda a: a.with_(text=["moved"]), "rules"),
    "a huge string": says(lambda a: a.with_(text="x" * 1_000_000), "refused"),
    "unknown numbers": says(lambda a: a.with_(number=99, updates=99), "refused", "was not shown", app="kept"),
    "ids for numbers": says(lambda a: a.with_(number="01900000-0000-7000-8000-000000000001"), "rules", app="kept"),
    "an invented quote": says(
        lambda a: a.with_(quote="I was born on Mars", text="Born on Mars."), "refused", "not in the"
    ),
    "empty items": says(lambda a: json.dumps({"memories": [{}, None, 7, "", []]}), "rules", user="refused"),
    "words for a list": says(lambda a: json.dumps({**a.data, "memories": "none"}), "rules", app="kept"),
    "a list of strings": says(lambda a: '["He moved to Oslo in May."]', "rules", user="kept"),
    # nothing to keep, said outright
    "an empty list": says(lambda a: "[]", "nothing", app="rules"),
    "an empty list in a fence": says(lambda a: "Nothing.\n```json\n[]\n```", "nothing", app="rules"),
    # no value to be had
    "nothing at all": says(lambda a: "", "rules", "empty"),
    "white space": says(lambda a: " \n\t ", "rules", "empty"),
    "cut off in its first item": says(lambda a: _cut(a, 0.2), "rules", _BROKEN),
    "cut off in its first key": says(lambda a: a.json[:7], "rules", _BROKEN),
    "a refusal": says(lambda a: "I'm sorry, but I can't help with personal data.", "rules", "refused"),
    "a refusal in its own member": does(Reply(message={"refusal": "No."}), "refused"),
    "keys in another language": says(lambda a: '{"erinnerungen": [{"inhalt": "Oslo"}]}', "rules", _OTHER_FORM),
    "nested a thousand deep": says(lambda a: _deep(1_000), "rules", "nested deeper"),
    "nested a hundred thousand deep": says(lambda a: _deep(100_000), "rules", "nested deeper"),
    "an echo of the schema": says(_schema, "rules", _OTHER_FORM),
    "an echo of the question": says(lambda a: f'Messages:\n[1] Thursday, "user": "{SAID}"', "rules"),
    "prose": says(lambda a: "The user moved to Oslo in May.", "rules", _NO_JSON),
    "another language": says(lambda a: "ユーザーは五月にオスロへ引っ越しました。", "rules", _NO_JSON),
    "null": says(lambda a: "null", "rules", _OTHER_FORM),
    "a number": says(lambda a: "42", "rules", _OTHER_FORM),
    "reasoning without an end": says(lambda a: f"<think>Let me see: {a.json}", "rules", "reasoning"),
    "a broken call of a tool": does(Reply(message=_call("{oops"), finish="tool_calls"), _BROKEN),
    "null for content": does(Reply(content=None), "empty"),
    "a content filter": does(Reply(content='{"memories": []}', finish="content_filter"), "content filter"),
    "no choices": does(Reply(completion={"choices": []}), "not a chat completion"),
    "choices of another kind": does(Reply(completion={"choices": {"0": "x"}}), "not a chat completion"),
    "a page with status 200": does(Reply(body=b"<html><body>Bad gateway</body></html>"), "no JSON"),
    "half a completion": does(Reply(body=b'{"choices": [{"message": {"content": "{'), "no JSON"),
    "bytes that are no text": does(Reply(body=b"\xff\xfe\x00\x9f" * 50), "no JSON"),
    "an error with status 200": does(Reply(body=b'{"error": {"message": "overloaded"}}'), "not a chat completion"),
    "busy": does(Reply(body=b"{}", status=429, headers={"Retry-After": "0"}), "429", "waits"),
    "failing": does(Reply(body=b"oops", status=500, headers={"Retry-After": "0"}), "500"),
    "a wrong key": does(Reply(body=b"{}", status=401), "401", "waits"),
    "a redirection": does(Reply(body=b"", status=302, headers={"Location": "http://127.0.0.1:9/"}), "302"),
    "no answer in time": does(Reply(then="hang"), "no answer within"),
    "a connection that breaks in the middle": does(Reply(body=b'{"choices"', then="reset"), "broke off"),
}
