"""Files of an evaluation's answers: what was asked and answered, and the replies that a repeated run uses again."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from toldonce.datasets.dataset import DatasetQuestion
from toldonce.evaluation.results import AnswerResult, AskedBlock, RunResult

NOT_SAID = "The conversation does not say."
"""Expected answer of an unanswerable question."""
_REPLIES = "replies.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """Answer of a model."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    counted_here: bool
    """Whether tokens were counted here, because the server sent none."""


class KeptReplies:
    """Replies of models, kept in a file of a folder as they come: none is lost if a run is broken off."""

    def __init__(self, folder: Path) -> None:
        """Read the replies in a folder, which must exist."""
        self._file = folder / _REPLIES
        self._kept: dict[str, ModelReply] = {}
        text = self._file.read_text("utf-8") if self._file.exists() else ""
        for line in text.splitlines():
            try:
                kept = json.loads(line)
            except ValueError:
                continue  # half a line of a run that was killed: its question is asked again
            asked = kept.pop("asked")
            self._kept[asked] = ModelReply(**kept)
        # A reply after half a line begins a new one.
        self._before = "\n" if text and not text.endswith("\n") else ""

    def get(self, model: str, prompt: str) -> ModelReply | None:
        """Return the reply of a model to a prompt; None if it was never asked."""
        return self._kept.get(_asked(model, prompt))

    def add(self, model: str, prompt: str, reply: ModelReply) -> None:
        """Keep a reply.

        Raises:
            OSError: The file cannot be written.
        """
        asked = _asked(model, prompt)
        self._kept[asked] = reply
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{self._before}{json.dumps({'asked': asked} | asdict(reply), ensure_ascii=False)}\n")
        self._before = ""


def _asked(model: str, prompt: str) -> str:
    return sha256(f"{model}\n{prompt}".encode()).hexdigest()


def expected(question: DatasetQuestion) -> str:
    """Return the answer that a judge expects; empty if the data has none."""
    return NOT_SAID if question.unanswerable else question.answer


def write_answers(folder: Path, result: RunResult, models: Mapping[str, str]) -> list[Path]:
    """Write a file for each row: a line of JSON for each question, with its block, and its answer and verdict if any.

    Args:
        folder: Must exist; files of the same rows are replaced.
        result: A run that kept its blocks.
        models: Names of the answering and judging models; empty without.

    Returns:
        The files, in the order of the rows.
    """
    answers = {
        (row, answer.conversation, answer.question.id): answer
        for row, members in result.answers.items()
        for answer in members
    }
    lines: dict[str, list[str]] = {}
    for block in result.blocks:
        answer = answers.get((block.row, block.conversation, block.question.id))
        told = _line(block) | ({**_answer_of(answer), **models} if answer else {})
        lines.setdefault(block.row, []).append(json.dumps(told, ensure_ascii=False) + "\n")
    paths = []
    for row, written in lines.items():
        path = folder / f"{row.replace(' ', '-')}.jsonl"
        path.write_text("".join(written), "utf-8")
        paths.append(path)
    return paths


def _line(block: AskedBlock) -> dict[str, Any]:
    question = block.question
    return {
        "conversation": block.conversation,
        "id": question.id,
        "category": question.category,
        "row": block.row,
        "limit": block.limit,
        "question": question.text,
        "block": block.text,
        "expected": expected(question),
    }


def _answer_of(answer: AnswerResult) -> dict[str, Any]:
    return {"answer": answer.answer, "verdict": answer.verdict, "reason": answer.reason}
