"""What the rules leave open is asked of a model, all of a batch in one call. Asks the model it is given.

Open is a note that the rules would add although memories near it are similar in meaning: neither of them merged it,
contradicted it or was named as what it corrects. Open, too, is whether a memory is repeated or corrected that the
extractor names, where its word is in doubt (`extractor_word.py`). Where only a part of a memory changed, the judge
rewrites it with what still holds: its words must be those of the memory and of the statement.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from toldonce.errors import BreakerOpenError, BudgetSpentError, ModelError
from toldonce.profiles.policies import ResolvePolicy
from toldonce.providers.protocols import LanguageModel
from toldonce.resolution.relation import digits
from toldonce.resolution.values import JudgeVerdict, Neighbour, Neighbours, ResolvedCandidate
from toldonce.text import squeeze, terms
from toldonce.types import Action, Memory, MemoryId, MemoryKind

SCHEMA_NAME = "judge"
# Memories shown beside one statement: the nearest; more tell a model little and cost tokens.
MAX_NEIGHBOURS = 3
# Statements in one call; what is beyond them is decided by the rules.
MAX_STATEMENTS = 24
# Longest text shown of a statement or memory, in characters: what is not shown would be lost when it is rewritten.
_SHOWN = 2_000
# Longest text of a memory that is rewritten, and the share of its terms that may be in neither source.
_MAX_WRITTEN, _MAX_OWN_TERMS = 2_000, 0.25

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "decisions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "candidate": {"type": "integer"},
                    "action": {"type": "string", "enum": ["add", "ignore", "replace", "amend", "merge"]},
                    "target": {"type": ["integer", "null"]},
                    "text": {"type": ["string", "null"]},
                },
                "required": ["candidate", "action", "target", "text"],
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
    action: Literal["add", "ignore", "replace", "amend", "merge"]
    target: int | None = None
    text: str | None = None


def open_questions(
    resolved: Sequence[ResolvedCandidate], neighbours: Neighbours, policy: ResolvePolicy
) -> list[JudgeQuestion]:
    """Find the candidates that a model should compare with what is near them; none where the profile wants none."""
    if not policy.judge:
        return []
    closed = {closing.memory.id for decided in resolved for closing in decided.closes}
    questions: list[JudgeQuestion] = []
    for place, (decided, near) in enumerate(zip(resolved, neighbours.near, strict=False)):
        named = decided.doubted or _repeated(decided, near, neighbours.facts)
        if not _is_open(decided) and named is None:
            continue
        similar = [
            other
            for other in near
            if other.similarity >= policy.similar
            and other.memory.kind is MemoryKind.NOTE
            and other.memory.id not in closed
            and other.memory != decided.doubted
        ]
        # What the extractor names is asked about even if others are nearer, or nothing is near.
        beside = [named] if named and named.id not in closed else []
        beside += [other.memory for other in similar if other.memory not in beside]
        if beside:
            nearest = max((other.similarity for other in similar), default=0.0)
            shown = tuple(beside[:MAX_NEIGHBOURS])
            questions.append(JudgeQuestion(place=place, decided=decided, beside=shown, similarity=nearest))
    return questions[:MAX_STATEMENTS]


def _repeated(decided: ResolvedCandidate, near: Sequence[Neighbour], facts: Sequence[Memory]) -> Memory | None:
    """Find the memory that the extractor says a statement repeats, which was added all the same."""
    repeated = decided.candidate.comparison.repeats
    if repeated is None or not decided.adds or decided.candidate.replaces:
        return None
    shown = (*(neighbour.memory for neighbour in near), *facts)
    return next((memory for memory in shown if memory.id == repeated), None)


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
        candidate, said = question.decided.candidate, question.decided.evidence[0]
        what = _described(candidate.kind, candidate.key, candidate.value, candidate.text, clean)
        lines.append(f"New statement {number}, {said.said_at:%d %B %Y}, {what}; said as {_quoted(clean(said.quote))}")
        for memory in question.beside:
            since = max((source.said_at for source in memory.evidence), default=memory.known_from)
            what = _described(memory.kind, memory.key, memory.value, memory.text, clean)
            lines.append(f"  beside memory {numbers[memory.id]}, {since:%d %B %Y}, {what}")
    before, _, after = _prompt("judge.user.txt").partition("{statements}")
    return before + "\n".join(lines) + after


def _described(kind: MemoryKind, key: str, value: str, text: str, clean: Callable[[str], str]) -> str:
    slot = f" ({_quoted(key)} = {_quoted(clean(value))})" if kind is MemoryKind.FACT else ""
    return f"{kind.value}{slot}: {_quoted(clean(text))}"


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
    if answer.action == "add":
        return JudgeVerdict(action=Action.ADD)
    target = next((memory for memory in question.beside if numbers[memory.id] == answer.target), None)
    if target is None:
        return JudgeVerdict(problem=f"the model names memory {answer.target}, which was not shown beside it")
    if answer.action != "amend":
        return JudgeVerdict(action=Action(answer.action), target=target.id)
    text = squeeze(answer.text or "")
    said = question.decided
    if not _is_made_of(text, (target.text, said.candidate.text, *(source.quote for source in said.evidence))):
        return JudgeVerdict(problem="the model would rewrite it in words that neither has")
    return JudgeVerdict(action=Action.REPLACE, target=target.id, text=text)


def _is_made_of(text: str, sources: Sequence[str]) -> bool:
    """Return whether a rewritten memory says nothing else than its sources, as far as its words and numbers tell."""
    written, known = set(terms(text)), {term for source in sources for term in terms(source)}
    is_counted = digits(text) <= digits(" ".join(sources))
    own = len(written - known)
    return bool(written) and len(text) <= _MAX_WRITTEN and is_counted and own <= _MAX_OWN_TERMS * len(written)


@lru_cache(maxsize=4)
def _prompt(name: str) -> str:
    return (files("toldonce.resolution") / "prompts" / name).read_text("utf-8").strip()
