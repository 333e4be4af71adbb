"""The strict judge: its prompt and the parser of its verdict. Pure. The prompt is `prompts/judge.txt`."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from toldonce.lazy_pattern import LazyPattern

Verdict = Literal["right", "wrong", "unjudged"]
NOT_SAID = "The conversation does not say."
"""Expected answer of an unanswerable question."""
_MAX_REASON_CHARACTERS = 200
_WORD = LazyPattern(r"\b(right|wrong)\b", re.IGNORECASE)
_NAMED = LazyPattern(r"verdict[\"'*\s:=]*+(right|wrong)\b", re.IGNORECASE)
# Models reason in such tags; a verdict inside them does not count.
_THOUGHT = LazyPattern(r"<think(?:ing)?>(?:[^<]++|<(?!/?think))*+</think(?:ing)?>", re.IGNORECASE)


@cache
def prompt(name: str) -> str:
    """Read a prompt of this package."""
    return (files(__package__) / "prompts" / f"{name}.txt").read_text("utf-8")


def filled(source: str, values: Mapping[str, str]) -> str:
    """Fill placeholders of a prompt, at most one per line; placeholders inside values are not filled.

    >>> filled("Asked: {question}\\nSaid: {answer}", {"question": "{answer}?", "answer": "no"})
    'Asked: {answer}?\\nSaid: no'
    """
    return "\n".join(_line(line, values) for line in source.splitlines())


def _line(line: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        if f"{{{name}}}" in line:
            return line.replace(f"{{{name}}}", value)
    return line


def judge_question(question: str, expected: str, answer: str) -> str:
    """Build the judge's prompt."""
    parts = {"question": question, "expected": expected, "answer": answer}
    return filled(prompt("judge"), {name: json.dumps(part, ensure_ascii=False) for name, part in parts.items()})


def read_verdict(text: str) -> tuple[Verdict, str]:
    """Parse a judge's verdict and reason; an unclear answer is `unjudged`, never right.

    >>> read_verdict('```json\\n{"verdict": "Right", "reason": "same day"}\\n```')
    ('right', 'same day')
    >>> read_verdict("**WRONG**. It names another town.")
    ('wrong', 'It names another town')
    >>> read_verdict("It is right in part and wrong in part.")[0], read_verdict("Hm.")[0]
    ('unjudged', 'unjudged')
    """
    said = _THOUGHT.sub("", text).strip()
    found = _from_json(said)
    if found is not None:
        return found
    words = {match[1].lower() for match in (_NAMED.finditer(said) if _NAMED.search(said) else _WORD.finditer(said))}
    reason = _WORD.sub("", said).strip(" *.:\n\"'`")[:_MAX_REASON_CHARACTERS]
    if words == {"right"} and not re.search(r"\b(?:not|isn't|n't)\s++(?:\w+\s++)?right\b", said, re.IGNORECASE):
        return "right", reason
    return ("wrong", reason) if words == {"wrong"} else ("unjudged", said[:_MAX_REASON_CHARACTERS])


def _from_json(said: str) -> tuple[Verdict, str] | None:
    """Parse the last JSON object with a verdict."""
    for found in reversed(list(re.finditer(r"\{[^{}]*\}", said))):
        try:
            value = json.loads(found[0])
        except ValueError:
            continue
        verdict = str(value.get("verdict", "")).strip().lower()
        reason = str(value.get("reason", ""))[:_MAX_REASON_CHARACTERS]
        if verdict in ("right", "correct"):
            return "right", reason
        if verdict in ("wrong", "incorrect"):
            return "wrong", reason
        if "verdict" in value:
            return "unjudged", said[:_MAX_REASON_CHARACTERS]
    return None
