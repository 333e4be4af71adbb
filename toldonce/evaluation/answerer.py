"""Answers questions from blocks of memory and from the full conversation, and has them judged. Calls models."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any, Literal
from zoneinfo import ZoneInfo

from toldonce.datasets.dataset import DatasetConversation, DatasetTurn
from toldonce.errors import ModelError
from toldonce.evaluation.answer_files import KeptReplies, ModelReply, expected
from toldonce.evaluation.results import AnswerResult, AskedBlock, RunResult
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.json_client import ApiRefusedError, JsonClient
from toldonce.providers.openai_wire import read_completion, read_usage
from toldonce.providers.protocols import TokenCounter
from toldonce.text import clean
from toldonce.types import ProgressReporter

_MAX_BYTES = 16 * 1024 * 1024


class ChatModel:
    """A model at `POST {url}/chat/completions`."""

    def __init__(
        self,
        url: str,
        model: str,
        counter: TokenCounter,
        *,
        key: str | None,
        timeout_s: float,
        kept: KeptReplies | None = None,
    ) -> None:
        """Create a client; it connects on the first question.

        Args:
            url: Base URL, including `/v1`.
            model: Name of the model.
            counter: Counts tokens if the server sends none.
            key: Sent as bearer token; None sends none.
            timeout_s: Timeout for an answer.
            kept: Replies that are not asked for again; new ones are added.
        """
        self._api = JsonClient(url, key=key, timeout_s=timeout_s, max_bytes=_MAX_BYTES)
        self._counter = counter
        self._temperature = True
        self._kept = kept
        self.name = model

    async def ask(self, text: str) -> ModelReply:
        """Ask once, or return the reply that was kept.

        Raises:
            ModelError: No answer, a refusal, or an empty answer.
        """
        known = self._kept.get(self.name, text) if self._kept else None
        if known is not None:
            return known
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
        reply = ModelReply(
            text=words.strip(),
            prompt_tokens=usage.prompt_tokens if usage else self._counter.count(text),
            completion_tokens=usage.completion_tokens if usage else self._counter.count(words),
            counted_here=usage is None,
        )
        if self._kept:
            self._kept.add(self.name, text, reply)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()


FULL = "full context"
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
    requests: int
    """Maximum number of concurrent requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation as text, cut to fit."""

    text: str
    cut: int
    """Number of turns cut off at its beginning."""


class Answerer:
    """Answers the questions of a run, and then has the answers judged."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def full_contexts(self, conversation: DatasetConversation) -> list[AskedBlock]:
        """Return a conversation's questions with the whole conversation; none without room for it."""
        limit = self._models.context_tokens
        whole = transcript(conversation.turns, self._models) if limit else Transcript(text="", cut=0)
        return [
            AskedBlock(
                conversation=conversation.id,
                question=question,
                row=FULL,
                limit=limit,
                text=whole.text,
                today=question.asked_at or conversation.turns[-1].said_at,
                cut_turns=whole.cut,
            )
            for question in conversation.questions
            if limit
        ]

    async def answer_all(self, result: RunResult, bar: ProgressReporter) -> None:
        """Answer the blocks of a run, each from its text alone, and judge when all are answered.

        A person who answers by hand sees no expected answer before the last one is given. A failed model gives
        `failed`, a failed or unclear judge `unjudged`. After an interruption, the result has the answers so far.
        """
        blocks = result.blocks
        found: dict[int, AnswerResult] = {}

        async def answer(place: int) -> None:
            found[place] = await self._answer(blocks[place])

        async def judge(place: int) -> None:
            verdict, reason = await self._judge(found[place])
            found[place] = replace(found[place], verdict=verdict, reason=reason)

        try:
            await self._each("answering", range(len(blocks)), answer, bar)
            answered = [place for place in sorted(found) if found[place].verdict != "failed"]
            await self._each("judging", answered, judge, bar)
        finally:
            for place in sorted(found):
                result.answers.setdefault(blocks[place].row, []).append(found[place])

    async def _each(
        self, phase: str, places: Sequence[int], work: Callable[[int], Awaitable[None]], bar: ProgressReporter
    ) -> None:
        room, done = asyncio.Semaphore(self._models.requests), count(1)
        bar.begin(phase, "answers", len(places))

        async def one(place: int) -> None:
            async with room:
                await work(place)
            bar.reach(next(done))

        await asyncio.gather(*map(one, places))

    async def close(self) -> None:
        """Close the models."""
        await self._models.answers.close()
        await self._models.judge.close()

    async def _answer(self, block: AskedBlock) -> AnswerResult:
        values = {
            "today": _day(block.today, self._models.zone),
            "context": block.text or _NOTHING,
            "question": block.question.text,
        }
        asked = AnswerResult(
            conversation=block.conversation,
            question=block.question,
            answer="",
            verdict="unjudged",
            reason="not judged",
            prompt_tokens=0,
            completion_tokens=0,
            cut_turns=block.cut_turns,
        )
        try:
            reply = await self._models.answers.ask(filled(prompt("answer"), values))
        except ModelError as error:
            return replace(asked, verdict="failed", reason=str(error))
        return replace(
            asked,
            answer=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            counted_here=reply.counted_here,
        )

    async def _judge(self, answered: AnswerResult) -> tuple[str, str]:
        wanted = expected(answered.question)
        if not wanted:
            return "unjudged", "the data does not say what is expected"
        try:
            reply = await self._models.judge.ask(judge_question(answered.question.text, wanted, answered.answer))
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
