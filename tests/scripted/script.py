"""The model of a scripted conversation: it answers the extractor's questions with what the case says. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from toldonce.extraction.own_text.quotes import OTHERS_CLOSE, OTHERS_OPEN

from .cases import Case, Item

_KNOWN = re.compile(r"^\[(\d+)\] (?:note|fact \"[^=]*\" = \".*?\"): (\".*\")$")
_SHOWN = re.compile(r"^\[(\d+)\] (?:\w+ \d+ \w+ \d+, )?\"(?:[^\"\\]|\\.)*\": (\".*\")$")
_STATEMENT = re.compile(r"New statement (\d+), [^,]*, (?:note|fact \(.*?\)): (\"(?:[^\"\\]|\\.)*+\"); said as .*")
_BESIDE = re.compile(r"  beside memory (\d+), [^,]*, (?:note|fact \(.*?\)): (\"(?:[^\"\\]|\\.)*+\")")


def script(case: Case) -> "Script":
    """Build the model for a case."""
    return Script(case)


class Script:
    """Answers like a good model, for the shown messages only."""

    def __init__(self, case: Case) -> None:
        """Store the answers by the words of their turns."""
        self._items: dict[str, list[Item]] = {}
        for session in case.session:
            for item in session.model:
                self._items.setdefault(session.turns[item.turn - 1].text.strip(), []).append(item)
        self._ended = {item.words: item.ends for of_turn in self._items.values() for item in of_turn if item.ends}

    def __call__(self, system: str, user: str) -> object:
        """Answer one question: the extractor's, or that of the judge."""
        return self._judged(user) if "New statement 1," in user else self._extracted(user)

    def _extracted(self, user: str) -> object:
        head, _, messages = user.rpartition("\nMessages:\n")
        known = {json.loads(m[2]): int(m[1]) for line in head.splitlines() if (m := _KNOWN.match(line))}
        shown = {int(m[1]): _own(json.loads(m[2])) for line in messages.splitlines() if (m := _SHOWN.match(line))}
        return {
            "memories": [
                _answered(item, number, known)
                for number, text in shown.items()
                for item in self._items.get(text.strip(), ())
            ]
        }

    def _judged(self, user: str) -> object:
        """Recognise identical statements, and those that end a memory; all others are new."""
        decisions: list[dict[str, Any]] = []
        text = ""
        for line in user.splitlines():
            if said := _STATEMENT.fullmatch(line):
                text = json.loads(said[2])
                decisions.append({"candidate": int(said[1]), "action": "add", "target": None})
            elif beside := _BESIDE.fullmatch(line):
                there = json.loads(beside[2])
                action = "ignore" if there == text else "replace" if there == self._ended.get(text) else ""
                if action:
                    decisions[-1] |= {"action": action, "target": int(beside[1])}
        return {"decisions": decisions}


def _own(shown: str) -> str:
    """Return a message as it was written, without the marks around what others said in it."""
    return shown.replace(OTHERS_OPEN, "").replace(OTHERS_CLOSE, "")


def _answered(item: Item, number: int, known: Mapping[str, int]) -> dict[str, Any]:
    return {
        "kind": "fact" if item.key else "note",
        "text": item.words,
        "category": item.category,
        "key": item.key,
        "value": item.value,
        "type": item.type,
        "importance": item.importance,
        "confidence": 1.0,
        "message": number,
        "quote": item.quote,
        "repeats": known.get(item.words),
        "updates": known.get(item.ends),
        "ended": bool(item.ends and not item.text and not item.key),
        "valid_from": None,
    }
