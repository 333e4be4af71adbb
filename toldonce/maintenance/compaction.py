"""Compaction: a model chooses one memory to delete, or to merge with the new one. Calls the given model.

The answer is verified: the target must be a memory that was shown, and the words of an edit must come from the two
texts that it merges.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from toldonce.extraction.redaction import redact
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.protocols import LanguageModel
from toldonce.reading.sentences import HARD_FACTOR
from toldonce.text import STOP_WORDS, clean, squeeze, stem, terms, words
from toldonce.text.markers import all_markers
from toldonce.text.statement_language import language_of
from toldonce.types import Memory, MemoryId, MemoryKind

SCHEMA_NAME = "compaction"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["delete", "edit"]},
        "targetMemoryId": {"type": "integer"},
        "newContent": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["action", "targetMemoryId", "newContent", "reason"],
    "additionalProperties": False,
}
# Characters of an edit if the profile sets no limit: two plain sentences.
USUAL_LENGTH = 200
# Larger numbers are not shown: models get a digit of fifteen wrong, and each digit costs tokens.
MAX_SHOWN_NUMBER = 99_999
# Share of an edit's content words that may be the model's own ("enjoys" for "likes"). A name, number or denial may not.
MAX_OWN_WORDS = 0.2
_MAX_SHOWN_CHARACTERS = 400
_MAX_REASON_CHARACTERS = 160
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without cannot no-one".split())
_NAME = LazyPattern(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionQuestion:
    """A question to the model: which memory makes room for a new one."""

    memories: Sequence[Memory]
    """Memories to choose from, oldest first."""
    new: Memory
    max_characters: int = 0
    """Approximate maximum length of an edit's text; 0: `USUAL_LENGTH`."""

    @property
    def longest(self) -> int:
        """Maximum length of an edit's text that the model is told."""
        return self.max_characters or USUAL_LENGTH

    def shown(self) -> dict[int, Memory]:
        """Number the memories: by their own numbers if all of these are short, else by position."""
        numbers = [memory.number for memory in self.memories]
        short = all(0 < number <= MAX_SHOWN_NUMBER for number in numbers)
        if not short or len(set(numbers)) < len(numbers):
            numbers = list(range(1, len(self.memories) + 1))
        return dict(zip(numbers, self.memories, strict=True))

    def named(self, number: int) -> Memory | None:
        """Return the memory that is shown under a number, or whose own number is too long to be shown."""
        long = next((memory for memory in self.memories if memory.number == number > MAX_SHOWN_NUMBER), None)
        return self.shown().get(number, long)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionChoice:
    """The model's verified decision."""

    target: MemoryId
    text: str | None
    """Merged text of the target and the new memory; None: the target is deleted."""
    reason: str


class InvalidVerdictError(Exception):
    """The model's answer is unusable; never leaves `toldonce.maintenance`. The message does not quote the model."""


def _number(value: object) -> object:
    return value.strip(" []#()") if isinstance(value, str) else value


def _text(value: object) -> object:
    return "" if value is None else squeeze(clean(value)) if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_text)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    action: Annotated[Literal["delete", "edit"], BeforeValidator(lambda value: str(value).strip().lower())]
    target: Annotated[int, BeforeValidator(_number)] = Field(alias="targetMemoryId")
    content: _Text = Field(default="", alias="newContent")
    reason: _Text = ""


async def ask_what_to_compact(question: CompactionQuestion, model: LanguageModel) -> CompactionChoice:
    """Ask the model, once, and verify its answer.

    Raises:
        ModelError: the model failed or ran out of time.
        InvalidVerdictError: its answer cannot be followed.
    """
    answer = await model.answer(
        system=_prompt("compact.system.txt"), user=_asked(question), schema=SCHEMA, schema_name=SCHEMA_NAME
    )
    try:
        return verdict(answer.data, question)
    except InvalidVerdictError as error:
        raise InvalidVerdictError(f"the model's choice is invalid: {error}") from None


def verdict(data: object, question: CompactionQuestion) -> CompactionChoice:
    """Read and verify an answer.

    Raises:
        InvalidVerdictError: it cannot be followed.
    """
    try:
        answer = _Answer.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise InvalidVerdictError(f"{where}: {first['msg']}") from None
    target = question.named(answer.target)
    if target is None:
        raise InvalidVerdictError(f"memory {answer.target} was not shown")
    reason = redact(answer.reason)[:_MAX_REASON_CHARACTERS]
    if answer.action == "delete":
        return CompactionChoice(target=target.id, text=None, reason=reason)
    if target.kind is not MemoryKind.NOTE or question.new.kind is not MemoryKind.NOTE:
        raise InvalidVerdictError("a fact cannot be edited")
    text = redact(answer.content)
    wrong = _unfounded(text, target.text, question)
    if wrong:
        raise InvalidVerdictError(wrong)
    return CompactionChoice(target=target.id, text=text, reason=reason)


def _unfounded(text: str, target: str, question: CompactionQuestion) -> str | None:
    """Return what is wrong with an edit's text; None if nothing is."""
    if not text:
        return "the edit is empty"
    if len(text) > HARD_FACTOR * question.longest:
        return f"the edit has {len(text)} characters, {question.longest} were asked for"
    edited, theirs, ours = (frozenset(terms(source)) for source in (text, target, question.new.text))
    if any(alone and not edited & alone for alone in (theirs - ours, ours - theirs)):
        return "the edit says nothing of one of the two"
    own_words = edited - theirs - ours
    if len(own_words) > MAX_OWN_WORDS * len(edited):
        return f"{len(own_words)} of the edit's {len(edited)} words are in neither text"
    both = f"{target} {question.new.text}"
    denied, denies = _foreign_denials(both), _foreign_denials(text)
    if _telling(text) - frozenset(map(stem, words(both))) or denies - denied:
        return "the edit adds a name, a number or a denial"
    if (_denials(both) and not _denials(text)) or (denied and not denies):
        return "the edit drops a denial"
    return None


def _telling(text: str) -> frozenset[str]:
    """Collect the words, as stems, whose presence changes the meaning: names, numbers, denials.

    >>> sorted(_telling("She isn't in Oslo before 9, says Kira."))
    ['9', "isn't", 'kira', 'oslo']
    """
    names = {word for match in _NAME.finditer(text) for word in words(match.group()) if word not in STOP_WORDS}
    numbers = {word for word in words(text) if any(map(str.isdigit, word))}
    return frozenset(map(stem, names | numbers | _denials(text)))


def _denials(text: str) -> set[str]:
    return {word for word in words(text) if word in _NEGATIONS or word.endswith("n't")}


def _foreign_denials(text: str) -> Counter[str]:
    """Count what denies in a text of another language than English."""
    markers = all_markers().get(language_of(text))
    return markers.count_denials(text) if markers else Counter()


@lru_cache(maxsize=4)
def _prompt(name: str) -> str:
    return (files("toldonce.maintenance") / "prompts" / name).read_text("utf-8").strip()


def _asked(question: CompactionQuestion) -> str:
    numbered = [f"[{number}] {_marked(memory)}" for number, memory in question.shown().items()]
    parts = {"{longest}": str(question.longest), "{held}": "\n".join(numbered), "{new}": _marked(question.new)}
    # A line has one placeholder and is filled once, so text of a memory that looks like a placeholder is not replaced.
    return "\n".join(_filled(line, parts) for line in _prompt("compact.user.txt").splitlines())


def _filled(line: str, parts: Mapping[str, str]) -> str:
    for name, value in parts.items():
        if name in line:
            return line.replace(name, value)
    return line


def _marked(memory: Memory) -> str:
    kind = "fact, " if memory.kind is MemoryKind.FACT else ""
    quoted = json.dumps(redact(memory.text)[:_MAX_SHOWN_CHARACTERS], ensure_ascii=False)
    return f"({kind}{memory.known_from:%Y-%m-%d}, importance {memory.importance:.1f}) {quoted}"
