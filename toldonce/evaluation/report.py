"""JSON report of a run: results, cost, and everything needed to repeat it. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import SecretStr

from toldonce.datasets.dataset import DatasetQuestion
from toldonce.evaluation.ingest import IngestCost
from toldonce.evaluation.results import AnswerResult, InjectionCost, RetrievalResult, RunResult
from toldonce.evaluation.retrieval_metrics import Mean, means, percentiles
from toldonce.evaluation.retrieval_run import load_small_talk
from toldonce.evaluation.run import EvaluationPlan
from toldonce.settings import Settings

ALL, ANSWERABLE = "all", "answerable"
VERDICTS = ("right", "wrong", "unjudged", "failed")
COUNTED = (
    "A result counts for a message if it is that message, or a note or fact based on it; a summary counts for none.",
    "Own text: only quotations of the message count, no note based on it.",
    "Answer's words: distinct stems of the expected answer, without stop words, that the memory in the prompt has.",
)
"""What the figures count, in sentences."""
FORMAT = 1
"""Incremented when a field changes its meaning; adding fields does not count."""
# Settings of the machine, which do not affect results.
_OF_THE_MACHINE = frozenset(
    "database_url host port origins profiles profile_keys worker maintain_every_s log_level log_memory_text".split()
)
_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrigin:
    """Origin of a result."""

    version: str
    command: tuple[str, ...]
    machine: Mapping[str, object]
    data_name: str
    """Name of the file or folder."""
    data_bytes: int
    """Its size; of a folder, that of all files in it."""
    models: Mapping[str, str]
    """Answering and judging models; empty without."""


def document(plan: EvaluationPlan, result: RunResult, origin: RunOrigin) -> dict[str, Any]:
    """Build the JSON report of a run; shares are numbers from 0 to 1."""
    return {
        "format": FORMAT,
        "toldonce": origin.version,
        "command": list(origin.command),
        "partial": not result.whole,
        "data": _data(plan, result, origin),
        "settings": _settings(plan, result, origin),
        "machine": dict(origin.machine),
        "seconds": round(result.seconds, 1),
        "retrieval": {
            row: {group: _means(found) for group, found in grouped_means(records, plan.seed).items()}
            for row, records in result.rows.items()
        },
        "counted": list(COUNTED),
        "reading": _reading(result),
        "injection": _injection(result),
        "writing": writing_figures(result.writing),
        "answers": {row: answer_groups(answers) for row, answers in result.answers.items()},
        "questions": _questions(result),
    }


def grouped_means(records: Sequence[RetrievalResult], seed: int) -> dict[str, dict[str, Mean]]:
    """Average the figures of each group of questions that has any."""
    grouped = groups([record for record in records if record.figures], _of_record)
    return {name: means([record.figures for record in members], seed=seed) for name, members in grouped.items()}


def groups(items: Sequence[Any], question: Callable[[Any], DatasetQuestion]) -> dict[str, list[Any]]:
    """Group results by question: each category, the answerable ones (if not all are), and all."""
    found: dict[str, list[Any]] = {}
    for name in sorted({question(item).category for item in items}):
        found[name] = [item for item in items if question(item).category == name]
    if any(question(item).unanswerable for item in items):
        found[ANSWERABLE] = [item for item in items if not question(item).unanswerable]
    found[ALL] = list(items)
    return {name: members for name, members in found.items() if members}


def answer_groups(answers: Sequence[AnswerResult]) -> dict[str, dict[str, Any]]:
    """Count verdicts and tokens per answer, by group."""
    return {name: _answers(members) for name, members in groups(answers, _of_answer).items()}


def writing_figures(writing: IngestCost) -> dict[str, Any]:
    """Summarize the cost of recording, in total and per turn."""
    turns, formed = max(writing.turns, 1), max(writing.weighed, 1)
    return {
        "messages": writing.messages,
        "turns": writing.turns,
        "unlogged": writing.unlogged,
        "undone": writing.undone,
        "model_calls": writing.calls,
        "model_calls_per_turn": round(writing.calls / turns, _DIGITS),
        "prompt_tokens_per_turn": round(writing.prompt_tokens / turns, 1),
        "completion_tokens_per_turn": round(writing.completion_tokens / turns, 1),
        "answers_without_usage": writing.uncounted,
        "own_seconds_per_turn": {
            "wall": round(writing.wall_s / turns, 5),
            "cpu": round(writing.cpu_s / turns, 5),
        },
        "model_seconds_per_turn": round(writing.model_s / turns, 5),
        "memories": dict(sorted(writing.memories.items())),
        "notes_and_facts": writing.weighed,
        "duplicates": writing.duplicates,
        "duplicate_share": round(writing.duplicates / formed, _DIGITS),
        "near_duplicates": writing.near,
        "near_duplicate_share": round(writing.near / formed, _DIGITS),
        "junk": dict(sorted(writing.junk.items())),
        "junk_share": round(writing.junk.total() / formed, _DIGITS),
    }


def _data(plan: EvaluationPlan, result: RunResult, origin: RunOrigin) -> dict[str, Any]:
    asked = [question for conversation in plan.data.conversations for question in conversation.questions]
    return {
        "kind": plan.data.kind,
        "name": origin.data_name,
        "bytes": origin.data_bytes,
        "sha256": plan.data.sha256,
        "conversations": len(plan.data.conversations),
        "conversations_done": result.conversations,
        "messages": plan.data.turns,
        "questions": len(asked),
        "questions_without_evidence": sum(not question.evidence and not question.sessions for question in asked),
        "evidence_not_in_the_data": sum(question.lost for question in asked),
    }


def _settings(plan: EvaluationPlan, result: RunResult, origin: RunOrigin) -> dict[str, Any]:
    return {
        "formed": plan.formed,
        "profile": plan.settings.profile,
        "k": plan.k,
        "budget_tokens": plan.budget,
        "prompt_tokens": list(plan.prompt_tokens),
        "seed": plan.seed,
        "embedder": result.embedder,
        "embedder_dim": result.dim,
        "embedder_curve": _rounded(asdict(result.curve)) if result.curve else None,
        "forms": plan.settings.form_model or "rules",
        **origin.models,
        "changed": changed(plan.settings),
    }


def changed(settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from the defaults, without keys and machine settings."""
    default = type(settings).model_construct().model_dump()
    found = {}
    for name, value in settings.model_dump().items():
        if name in _OF_THE_MACHINE or isinstance(value, SecretStr) or value == default[name]:
            continue
        found[name] = value if isinstance(value, int | float | str | bool) else str(value)
    return found


def _means(found: Mapping[str, Mean]) -> dict[str, Any]:
    return {
        name: {
            "mean": round(figure.value, _DIGITS),
            "low": round(figure.low, _DIGITS),
            "high": round(figure.high, _DIGITS),
            "questions": figure.count,
        }
        for name, figure in found.items()
    }


def _reading(result: RunResult) -> dict[str, Any]:
    reading = result.reading
    return {
        "questions": len(reading.recall_ms),
        "recall_ms": _rounded(percentiles(reading.recall_ms)),
        "cpu_ms": _rounded(percentiles(reading.cpu_ms)),
        "embedding_ms": _rounded(percentiles(reading.embedding_ms)),
        "injected_tokens": _tokens(result.related.tokens),
        "question_tokens": _tokens(reading.question_tokens),
    }


def _injection(result: RunResult) -> dict[str, Any]:
    """Summarize what memory adds to prompts: of the data's questions, of unrelated ones, and of small talk."""
    return {
        "related": _injected(result.related),
        "unrelated": _injected(result.unrelated) if result.unrelated.tokens else None,
        "small_talk": _injected(result.small_talk) | {"messages": len(load_small_talk())},
    }


def _injected(cost: InjectionCost) -> dict[str, Any]:
    prompts = len(cost.tokens)
    return {
        "prompts": prompts,
        "tokens": _tokens(cost.tokens),
        "recalled_tokens": _tokens(cost.recalled_tokens),
        "recalled_share": round(sum(tokens > 0 for tokens in cost.recalled_tokens) / max(prompts, 1), _DIGITS),
    }


def _tokens(counts: Sequence[int]) -> dict[str, float]:
    mean = {"mean": sum(counts) / len(counts)} if counts else {}
    return _rounded(mean | percentiles(counts))


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def _answers(answers: Sequence[AnswerResult]) -> dict[str, Any]:
    count = {verdict: sum(answer.verdict == verdict for answer in answers) for verdict in VERDICTS}
    asked = [answer for answer in answers if answer.verdict != "failed"]
    return {
        "questions": len(answers),
        **count,
        "right_share": round(count["right"] / len(answers), _DIGITS),
        "prompt_tokens": _tokens([answer.prompt_tokens for answer in asked]),
        "completion_tokens": _tokens([answer.completion_tokens for answer in asked]),
        "tokens_counted_here": sum(answer.counted_here for answer in asked),
        "cut_contexts": sum(answer.cut_turns > 0 for answer in answers),
    }


def _questions(result: RunResult) -> list[dict[str, Any]]:
    """List all questions by id with results and answers; contains no text of the data set."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row, records in result.rows.items():
        for record in records:
            listed = found.setdefault((record.conversation, record.question.id), _question(record))
            listed["rows"][row] = {
                "places": dict(record.places),
                "figures": {name: round(value, _DIGITS) for name, value in record.figures.items()},
            }
    for row, answers in result.answers.items():
        for answered in answers:
            told = asdict(answered)
            kept = ("answer", "verdict", "reason", "prompt_tokens", "completion_tokens", "cut_turns")
            found[answered.conversation, answered.question.id].setdefault("answers", {})[row] = {
                name: told[name] for name in kept
            }
    return list(found.values())


def _question(record: RetrievalResult) -> dict[str, Any]:
    question = record.question
    return {
        "conversation": record.conversation,
        "id": question.id,
        "category": question.category,
        "unanswerable": question.unanswerable,
        "evidence": sorted(question.evidence),
        "rows": {},
    }


def _of_record(record: RetrievalResult) -> DatasetQuestion:
    return record.question


def _of_answer(answer: AnswerResult) -> DatasetQuestion:
    return answer.question


def categories(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List the groups of a report in the order in which they are shown: all first, then answerable, then categories."""
    names: Iterable[str] = found
    return sorted(names, key=lambda name: (name != ALL, name != ANSWERABLE, name))
