"""Answers questions from recalled memory and from the full conversation, and has them judged. Calls models."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from zoneinfo import ZoneInfo

from toldonce.datasets.dataset import DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.errors import ModelError
from toldonce.evaluation.results import TOLDONCE, AnswerResult, RunResult
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.json_client import ApiRefusedError, JsonClient
from toldonce.providers.openai_wire import read_completion, read_usage
from toldonce.providers.protocols import TokenCounter
from toldonce.text import clean

_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """Answer of a model."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    counted_here: bool
    """Whether tokens were counted here, because the server sent none."""


class ChatModel:
    """A model at `POST {url}/chat/completions`."""

    def __init__(self, url: str, model: str, counter: TokenCounter, *, key: str | None, timeout_s: float) -> None:
        """Create a client; it connects on the first question.

        Args:
            url: Base URL, including `/v1`.
            model: Name of the model.
            counter: Counts tokens if the server sends none.
            key: Sent as bearer token; None sends none.
            timeout_s: Timeout for an answer.
        """
        self._api = JsonClient(url, key=key, timeout_s=timeout_s, max_bytes=_MAX_BYTES)
        self._counter = counter
        self._temperature = True
        self.name = model

    async def ask(self, text: str) -> ModelReply:
        """Ask once.

        Raises:
            ModelError: No answer, a refusal, or an empty answer.
        """
        body: dict[str, Any] = {
            "model": self.name,
            "stream": False,
            "messages": [{"role": "user", "content": clean(text)}],
        }
        temperature = {"temperature": 0} if self._temperature else {}
        try:
            answer = await self._api.post("/chat/completions", body | temperature)
        except ApiRefusedError as refused:
            if not temperature or refused.param != "temperature":
                raise
            self._temperature = False  # some models only accept their own
            answer = await self._api.post("/chat/completions", body)
        words, usage = read_completion(answer.body), read_usage(answer.body)
        return ModelReply(
            text=words.strip(),
            prompt_tokens=usage.prompt_tokens if usage else self._counter.count(text),
            completion_tokens=usage.completion_tokens if usage else self._counter.count(words),
            counted_here=usage is None,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()


FULL = "full context"
# Concurrent questions: enough to keep a hosted model busy, few enough for a local one.
_MAX_CONCURRENT_QUESTIONS = 4
_NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The answering and the judging model."""

    answers: ChatModel
    judge: ChatModel
    counter: TokenCounter
    zone: ZoneInfo
    context_tokens: int
    """Token limit of a full conversation in a prompt; 0: no full-context row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation as text, cut to fit."""

    text: str
    cut: int
    """Number of turns cut off at its beginning."""


class Answerer:
    """Answers a conversation's questions and has the answers judged."""

    def __init__(self, models: Models) -> None:
        """Create an answerer with its models."""
        self._models = models
        self._room = asyncio.Semaphore(_MAX_CONCURRENT_QUESTIONS)

    async def answer_all(
        self, conversation: DatasetConversation, prompts: Sequence[str], result: RunResult, *, moved: Callable[[], None]
    ) -> None:
        """Answer each question from recalled memory, and from the full context.

        A failed model gives `failed`; a failed or unclear judge gives `unjudged`.
        """
        models = self._models
        rows = [TOLDONCE, FULL] if models.context_tokens else [TOLDONCE]
        full = transcript(conversation.turns, models) if models.context_tokens else Transcript(text="", cut=0)

        async def answer_one(question: DatasetQuestion, recalled: str) -> list[AnswerResult]:
            async with self._room:
                contexts = (Transcript(text=recalled, cut=0), full)
                found = [await self._answer(conversation, question, context) for context in contexts[: len(rows)]]
            moved()
            return found

        asked = zip(conversation.questions, prompts, strict=True)
        for answers in await asyncio.gather(*(answer_one(question, recalled) for question, recalled in asked)):
            for row, answered in zip(rows, answers, strict=True):
                result.answers.setdefault(row, []).append(answered)

    async def close(self) -> None:
        """Close the models."""
        await self._models.answers.close()
        await self._models.judge.close()

    async def _answer(
        self, conversation: DatasetConversation, question: DatasetQuestion, context: Transcript
    ) -> AnswerResult:
        today = question.asked_at or conversation.turns[-1].said_at
        text = filled(
            prompt("answer"),
            {
                "today": _day(today, self._models.zone),
                "context": context.text or _NOTHING,
                "question": question.text,
            },
        )
        try:
            reply = await self._models.answers.ask(text)
        except ModelError as error:
            return AnswerResult(
                conversation=conversation.id,
                question=question,
                answer="",
                verdict="failed",
                reason=str(error),
                prompt_tokens=0,
                completion_tokens=0,
                cut_turns=context.cut,
            )
        verdict, reason = await self._judge(question, reply.text)
        return AnswerResult(
            conversation=conversation.id,
            question=question,
            answer=reply.text,
            verdict=verdict,
            reason=reason,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            counted_here=reply.counted_here,
            cut_turns=context.cut,
        )

    async def _judge(self, question: DatasetQuestion, answer: str) -> tuple[str, str]:
        expected = NOT_SAID if question.unanswerable else question.answer
        if not expected:
            return "unjudged", "the data does not say what is expected"
        try:
            reply = await self._models.judge.ask(judge_question(question.text, expected, answer))
        except ModelError as error:
            return "unjudged", str(error)
        return read_verdict(reply.text)


def transcript(turns: Sequence[DatasetTurn], models: Models) -> Transcript:
    """Format a conversation, one line per turn with date and speaker; cut the beginning if it is too long."""
    lines = [f"[{_day(turn.said_at, models.zone)}] {turn.speaker or turn.role}: {turn.text}" for turn in turns]
    left, kept = models.context_tokens, 0
    for line in reversed(lines):
        left -= models.counter.count(line) + 1
        if left < 0:
            break
        kept += 1
    cut = len(lines) - kept
    head = [f"(the first {cut} messages are cut off: there was no room for them)"] if cut else []
    return Transcript(text="\n".join([*head, *lines[cut:]]), cut=cut)


def _day(instant: datetime, zone: ZoneInfo) -> str:
    return instant.astimezone(zone).strftime("%A, %d %B %Y")


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
