"""Scripted language models that know a story: one answers perfectly, one is sloppy, one refuses messages. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from toldonce.errors import ModelError
from toldonce.providers.protocols import ModelAnswer
from toldonce.text import squeeze

from .phrase import phrase
from .story import Lesson, Story, StoryTurn

_KNOWN = re.compile(r"\[(\d+)\] (?:note|fact \"[^=]*\" = \".*?\"): (\".*\")")
_SHOWN = re.compile(r"\[(\d+)\] (?:\w+ \d+ \w+ \d+, )?(\"(?:[^\"\\]|\\.)*+\"): (\".*\")")
_STATEMENT = re.compile(r"New statement (\d+), [^,]*, (?:note|fact \(.*?\)): (\"(?:[^\"\\]|\\.)*+\"); said as .*")
_BESIDE = re.compile(r"  beside memory (\d+), [^,]*, (?:note|fact \(.*?\)): (\"(?:[^\"\\]|\\.)*+\")")

# Invention of the sloppy model: no story contains it, so it is false wherever it is found.
INVENTED = "The user owns a sailing boat called Halcyon."
HEARD = "As the assistant put it:"
INVENTIONS = ("Halcyon", "assistant put it")


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message that the model is asked about."""

    number: int
    speaker: str
    text: str


class PerfectModel:
    """Answers exactly what the story says a good extractor would extract from the shown messages."""

    name = "perfect"

    def __init__(self, story: Story) -> None:
        self._turns = story.turns
        self._corrects = {
            lesson_text(lesson): lesson.updates for turn in story.turns for lesson in turn.learns if lesson.updates
        }

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer the extractor's question, or that of the judge."""
        data = self._judge(user) if "New statement 1," in user else self._extract(user)
        return ModelAnswer(data=data, usage=None, calls=1)

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _extract(self, user: str) -> object:
        head, _, listed = user.rpartition("\nMessages:\n")
        known = {int(m[1]): json.loads(m[2]) for line in head.splitlines() if (m := _KNOWN.fullmatch(line))}
        shown = [
            ShownMessage(int(m[1]), json.loads(m[2]), json.loads(m[3]))
            for line in listed.splitlines()
            if (m := _SHOWN.fullmatch(line))
        ]
        return {"memories": [item for message in shown for item in self.items(message, shown, known)]}

    def items(
        self, message: ShownMessage, shown: Sequence[ShownMessage], known: Mapping[int, str]
    ) -> list[dict[str, Any]]:
        """Return the story's items for one message, without those that a later message takes back."""
        later = [lesson for other in shown if other.number > message.number for lesson in self._lessons(other)]
        return [
            item
            for lesson in self._lessons(message)
            if not any(_takes_back(other, lesson) for other in later)
            for item in _items(lesson, message, known)
        ]

    def _lessons(self, message: ShownMessage) -> list[Lesson]:
        turn = self._turn(message.text)
        lessons = turn.learns if turn is not None else ()
        return [lesson for lesson in lessons if squeeze(lesson.quote) in squeeze(message.text)]

    def _turn(self, text: str) -> StoryTurn | None:
        """Find the turn a message comes from; pasted material may be missing from what is shown."""
        shown = squeeze(text)
        for turn in self._turns:
            if squeeze(turn.user) == shown:
                return turn
        quoting = [
            turn for turn in self._turns if any(lesson.quote and lesson.quote in shown for lesson in turn.learns)
        ]
        return quoting[0] if len(quoting) == 1 else None

    def _judge(self, user: str) -> object:
        """Ignore identical statements, replace those the story says are corrected, and add all others."""
        decisions: list[dict[str, Any]] = []
        text = ""
        for line in user.splitlines():
            if said := _STATEMENT.fullmatch(line):
                text = json.loads(said[2])
                decisions.append({"candidate": int(said[1]), "action": "add", "target": None})
            elif (beside := _BESIDE.fullmatch(line)) and decisions[-1]["action"] == "add":
                there = json.loads(beside[2])
                corrected = self._corrects.get(text, "")
                action = "ignore" if there == text else ""
                if corrected and phrase(corrected).is_in(there):
                    action = "replace"
                if action:
                    decisions[-1] |= {"action": action, "target": int(beside[1])}
        return {"decisions": decisions}


class SloppyModel(PerfectModel):
    """Knows the story too, but adds typical mistakes: inventions, duplicates, wrong targets, wrong dates."""

    name = "sloppy"

    def items(
        self, message: ShownMessage, shown: Sequence[ShownMessage], known: Mapping[int, str]
    ) -> list[dict[str, Any]]:
        """Return the right items with mistakes, and unsupported ones."""
        items = super().items(message, shown, known)
        for place, item in enumerate(items):
            _spoil(item, crc32(message.text.encode()) + place)
        items += [dict(item) for item in items[:1]]
        if message.speaker != "assistant":
            items.append(_item(text=INVENTED, message=message.number, quote="I own a sailing boat called Halcyon"))
        for other in shown:
            if other.number == message.number + 1 and other.speaker == "assistant":
                heard = _item(text=f"{HEARD} {other.text[:80]}", message=other.number, quote=other.text[:80])
                items += [heard, heard | {"message": message.number}]
        return items


class RefusingModel(PerfectModel):
    """Refuses every question that shows one of certain messages, in one of several ways."""

    name = "refusing"

    def _extract(self, user: str) -> object:
        for line in user.rpartition("\nMessages:\n")[2].splitlines():
            if (m := _SHOWN.fullmatch(line)) and (refusal := refusal_of(json.loads(m[3]))) is not None:
                if isinstance(refusal, Exception):
                    raise refusal
                return refusal
        return super()._extract(user)


def refusal_of(text: str) -> object | None:
    """Return the refusing model's answer to a message; None if it answers well."""
    number = crc32(squeeze(text).encode())
    refusals = (
        "I'm sorry, but I can't help with that.",
        {"error": {"code": "content_filter"}},
        {"memories": "none that I may tell"},
        ModelError("the model refused"),
    )
    return refusals[number // 4 % 4] if number % 4 == 0 else None


def lesson_text(lesson: Lesson) -> str:
    """Return the sentence that the model writes for a lesson."""
    if lesson.text:
        return lesson.text
    if lesson.key:
        return f"The user's {lesson.key.partition(':')[0].replace('_', ' ')} is {lesson.value}."
    return f"The user says that this is no longer so: {lesson.updates}."


def _takes_back(later: Lesson, lesson: Lesson) -> bool:
    text = lesson_text(lesson)
    return any(words and phrase(words).is_in(text) for words in (later.updates, later.forget))


def _items(lesson: Lesson, message: ShownMessage, known: Mapping[int, str]) -> list[dict[str, Any]]:
    quote = lesson.quote or message.text
    if lesson.forget:
        return [
            _item(text=f"The user wants this forgotten: {text}", message=message.number, quote=quote)
            | {"updates": number, "ended": True}
            for number, text in known.items()
            if phrase(lesson.forget).is_in(text)
        ]
    targets = [number for number, text in known.items() if lesson.updates and phrase(lesson.updates).is_in(text)]
    item = _item(text=lesson_text(lesson), message=message.number, quote=quote) | {
        "kind": "fact" if lesson.key else "note",
        "category": lesson.category if lesson.key else "",
        "key": lesson.key,
        "value": lesson.value,
        "type": lesson.type,
        "importance": lesson.importance,
        "repeats": next((number for number, text in known.items() if text == lesson_text(lesson)), None),
        "updates": targets[0] if targets else None,
        "ended": lesson.ended,
        "valid_from": lesson.since.isoformat() if lesson.since else None,
    }
    further = [
        _item(text=f"This is no longer so: {known[number]}", message=message.number, quote=quote)
        | {"updates": number, "ended": True}
        for number in targets[1:]
    ]
    return [item, *further]


def _item(*, text: str, message: int, quote: str) -> dict[str, Any]:
    return {
        "kind": "note",
        "text": text,
        "category": "",
        "key": "",
        "value": "",
        "type": "fact",
        "importance": 0.7,
        "confidence": 1.0,
        "message": message,
        "quote": quote,
        "repeats": None,
        "updates": None,
        "ended": False,
        "valid_from": None,
    }


def _spoil(item: dict[str, Any], number: int) -> None:
    """Make mistakes: an invalid or early date, or a wrong or unknown target; a wrong repetition, or none named."""
    match number // 4 % 3:
        case 0 if item["repeats"] is None:
            item["repeats"] = 1
        case 1:
            del item["repeats"]
    match number % 4:
        case 0:
            item["valid_from"] = "2031-02-30"
        case 1:
            item["valid_from"] = "1999-01-01"
        case 2 if item["updates"] is None:
            item["updates"] = 1
        case _ if item["updates"] is None:
            item["updates"] = 99
