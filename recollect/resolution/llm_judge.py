"""What the rules leave open is asked of a model, all of a batch in one call. Asks the model it is given.

Open is a note that the rules would add although memories near it are similar in meaning: neither of them merged it,
contradicted it or was named as what it corrects. Open, too, is whether a memory is corrected that the extractor names
and that is unlike the statement. The rules have the last word (`decide.py`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from recollect.errors import BreakerOpenError, BudgetSpentError, ModelError
from recollect.profiles.policies import ResolvePolicy
from recollect.providers.protocols import LanguageModel
from recollect.resolution.values import JudgeVerdict, Neighbours, ResolvedCandidate
from recollect.types import Action, Memory, MemoryId, MemoryKind

SCHEMA_NAME = "judge"
# Memories shown beside one statement: the nearest; more tell a model little and cost tokens.
MAX_NEIGHBOURS = 3
# Statements in one call; what is beyond them is decided by the rules.
MAX_STATEMENTS = 24
# Longest text shown of a statement or memory, in characters.
_SHOWN = 400

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "decisions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "candidate": {"type": "integer"},
                    "action": {"type": "string", "enum": ["add", "ignore", "replace", "merge"]},
                    "target": {"type": ["integer", "null"]},
                },
                "required": ["candidate", "action", "target"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["decisions"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """A candidate on which the rules have no firm word."""

    place: int
    """Its place in the batch."""
    decided: ResolvedCandidate
    """What the rules would do."""
    beside: tuple[Memory, ...]
    """The memories it may repeat or correct: the ones that the extractor names, then the nearest first."""
    similarity: float = 0.0
    """Calibrated similarity of the nearest one."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    candidate: int
    action: Literal["add", "ignore", "replace", "merge"]
    target: int | None = None


def open_questions(
    resolved: Sequence[ResolvedCandidate], neighbours: Neighbours, policy: ResolvePolicy
) -> list[JudgeQuestion]:
    """Find the candidates that a model should compare with what is near them; none where the profile wants none."""
    if not policy.judge:
        return []
    closed = {closing.memory.id for decided in resolved for closing in decided.closes}
    questions: list[JudgeQuestion] = []
    for place, (decided, near) in enumerate(zip(resolved, neighbours.near, strict=False)):
        if not _is_open(decided) and decided.doubted is None:
            continue
        similar = [
            other
            for other in near
            if other.similarity >= policy.similar
            and other.memory.kind is MemoryKind.NOTE
            and other.memory.id not in closed
            and other.memory != decided.doubted
        ]
        # The one that the extractor names is asked about even if others are nearer.
        repeated = decided.candidate.comparison.repeats
        beside = [decided.doubted] if decided.doubted else []
        beside += sorted((other.memory for other in similar), key=lambda memory: memory.id != repeated)
        if beside:
            nearest = max((other.similarity for other in similar), default=0.0)
            shown = tuple(beside[:MAX_NEIGHBOURS])
            questions.append(JudgeQuestion(place=place, decided=decided, beside=shown, similarity=nearest))
    return questions[:MAX_STATEMENTS]


def _is_open(decided: ResolvedCandidate) -> bool:
    """Whether the rules add a note merely because they found nothing to say against it."""
    plainly_added = decided.action is Action.ADD and decided.target is None and decided.valid_to is None
    return plainly_added and decided.candidate.kind is MemoryKind.NOTE and not decided.candidate.ends


async def judge(
    questions: Sequence[JudgeQuestion], model: LanguageModel, *, clean: Callable[[str], str]
) -> dict[int, JudgeVerdict]:
    """Ask once for all questions; return a verdict for each, by the candidate's place.

    A verdict whose action is None says why there is none; the rules' decision is kept then. A model that fails, or
    may not be asked now, only leaves questions unanswered: no error is raised.

    Args:
        questions: What is open.
        model: Whom to ask.
        clean: Takes secrets out of a text before it is shown.
    """
    shown = _shown(questions)
    numbers = {memory.id: number for number, memory in enumerate(shown, start=1)}
    try:
        answer = await model.answer(
            system=_prompt("judge.system.txt"),
            user=_asked(questions, numbers, clean),
            schema=SCHEMA,
            schema_name=SCHEMA_NAME,
        )
    except (ModelError, BreakerOpenError, BudgetSpentError) as error:
        return {question.place: JudgeVerdict(problem=f"no model answered: {error}") for question in questions}
    return _read(answer.data, questions, numbers)


def _shown(questions: Sequence[JudgeQuestion]) -> list[Memory]:
    return list({memory.id: memory for question in questions for memory in question.beside}.values())


def _asked(questions: Sequence[JudgeQuestion], numbers: Mapping[MemoryId, int], clean: Callable[[str], str]) -> str:
    lines: list[str] = []
    for number, question in enumerate(questions, start=1):
        said = question.decided.evidence[0].said_at
        lines.append(f"New statement {number}, {said:%d %B %Y}: {_quoted(clean(question.decided.candidate.text))}")
        for memory in question.beside:
            since = max((source.said_at for source in memory.evidence), default=memory.known_from)
            lines.append(f"  beside memory {numbers[memory.id]}, {since:%d %B %Y}: {_quoted(clean(memory.text))}")
    before, _, after = _prompt("judge.user.txt").partition("{statements}")
    return before + "\n".join(lines) + after


def _quoted(text: str) -> str:
    """Write text as one JSON string: no line feed or quote in it can end the quotation."""
    return json.dumps(text[:_SHOWN], ensure_ascii=False)


def _read(data: object, questions: Sequence[JudgeQuestion], numbers: Mapping[MemoryId, int]) -> dict[int, JudgeVerdict]:
    items = data.get("decisions") if isinstance(data, dict) else None
    if not isinstance(items, list):
        return {asked.place: JudgeVerdict(problem="the model's answer holds no decisions") for asked in questions}
    verdicts = {asked.place: JudgeVerdict(problem="the model's answer leaves it out") for asked in questions}
    for raw in items[: 4 * MAX_STATEMENTS]:
        try:
            answer = _Answer.model_validate(raw)
        except ValidationError:
            continue
        if not 1 <= answer.candidate <= len(questions):
            continue
        question = questions[answer.candidate - 1]
        if verdicts[question.place].problem:
            verdicts[question.place] = _verdict(answer, question, numbers)
    return verdicts


def _verdict(answer: _Answer, question: JudgeQuestion, numbers: Mapping[MemoryId, int]) -> JudgeVerdict:
    action = Action(answer.action)
    if action is Action.ADD:
        return JudgeVerdict(action=action)
    target = next((memory.id for memory in question.beside if numbers[memory.id] == answer.target), None)
    if target is None:
        return JudgeVerdict(problem=f"the model names memory {answer.target}, which was not shown beside it")
    return JudgeVerdict(action=action, target=target)


@lru_cache(maxsize=4)
def _prompt(name: str) -> str:
    return (files("recollect.resolution") / "prompts" / name).read_text("utf-8").strip()
