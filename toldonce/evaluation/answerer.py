"""Answers questions from recalled memory and from the full conversation, and has them judged. Calls models."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from toldonce.datasets.dataset import DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.errors import ModelError
from toldonce.evaluation.chat_model import ChatModel
from toldonce.evaluation.judge import NOT_SAID, filled, judge_question, prompt, read_verdict
from toldonce.evaluation.results import TOLDONCE, AnswerResult, RunResult
from toldonce.providers.protocols import TokenCounter

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
