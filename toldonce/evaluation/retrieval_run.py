"""Asks the engine and the baselines a conversation's questions. Reads the engine; calls no language model.

What memory injects where nothing is relevant is measured by small talk, and questions of another conversation.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from toldonce.datasets.dataset import DataSet, DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.engine import AsyncToldOnce
from toldonce.engine.context_builder import PromptContext
from toldonce.engine.query_builder import NO_SIMILARITY
from toldonce.errors import ModelError, ModelFault
from toldonce.evaluation.baselines import BLOCKS, DEPTH, SESSIONS, Baselines, BlockWriter
from toldonce.evaluation.ingest import Names
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.evaluation.results import TOLDONCE, FilledBlock, InjectionCost, RetrievalResult, RunResult
from toldonce.evaluation.retrieval_metrics import Shown, first_places, ranking_figures, session_figures, within_budget
from toldonce.prompt.render import block_ids
from toldonce.providers.protocols import Embedder, TokenCounter
from toldonce.text import terms
from toldonce.types import Memory, MemoryKind, Subject

AFTER = timedelta(minutes=1)
"""A question without a date is asked this long after the last turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSettings:
    """Parameters of the metrics."""

    k: int
    """Number of results that count."""
    budget: int
    """Token budget in which evidence must be found."""
    counter: TokenCounter
    zone: ZoneInfo
    """Time zone of the days in blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSize:
    """An engine whose prompts hold so many tokens of memory."""

    tokens: int
    engine: AsyncToldOnce


class RetrievalRun:
    """Asks the questions of one conversation."""

    def __init__(
        self,
        sizes: Mapping[str, PromptSize],
        conversation: DatasetConversation,
        names: Names,
        clock: ConversationClock,
        ruler: MetricSettings,
    ) -> None:
        """Create a run over engines that share the memory of the conversation.

        Args:
            sizes: By what its figures' names end in: "" for the profile's own, `@400` for 400 tokens.
            conversation: What was recorded.
            names: Its turns by message.
            clock: The engines' clock.
            ruler: Parameters of the metrics.
        """
        self._sizes = sizes
        self._engine = sizes[""].engine
        self._conversation = conversation
        self._names = names
        self._clock = clock
        self._ruler = ruler
        self._turns = {turn.id: turn for turn in conversation.turns}
        self._writer = BlockWriter(conversation.turns, ruler.counter, ruler.zone)
        # Every question recalls the same messages, and counting long ones takes milliseconds.
        self._tokens: dict[str, int] = {}

    async def ask(self, question: DatasetQuestion, user: Subject, result: RunResult) -> dict[str, FilledBlock]:
        """Ask one question, store its figures, and return the memory in its prompts by row and size.

        Raises:
            ModelError: the embedder did not answer.
        """
        self._clock.stand(question.asked_at or self._conversation.turns[-1].said_at + AFTER)
        began, used = time.perf_counter(), time.process_time()
        first = await self._engine.search(question.text, user=user, limit=self._ruler.k)
        whole_ms, cpu_ms = 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used)
        deep = await self._engine.search(question.text, user=user, limit=max(DEPTH, self._ruler.k))
        contexts = {
            at: await size.engine.context(question.text, user=user, use=False) for at, size in self._sizes.items()
        }
        for warning in (first.warning, deep.warning, *(context.warning for context in contexts.values())):
            refuse_without_similarity(warning)
        reading = result.reading
        reading.recall_ms.append(first.took_ms)
        reading.cpu_ms.append(cpu_ms)
        reading.embedding_ms.append(whole_ms - first.took_ms)
        result.related.add(contexts[""])
        reading.question_tokens.append(self._ruler.counter.count(question.text))
        ranking = [self._shown(item.memory) for item in first.items]
        lines = [self._line(item.memory) for item in deep.items]
        figures = self._figures(question, ranking, ([self._shown(item.memory) for item in deep.items], lines))
        blocks = {at: self._block(context, self._sizes[at].tokens) for at, context in contexts.items()}
        return self._note(TOLDONCE, question, figures, ranking, blocks, result)

    async def ask_baselines(
        self, question: DatasetQuestion, baselines: Baselines, embedder: Embedder, result: RunResult
    ) -> dict[str, FilledBlock]:
        """Ask the baselines the question, and return their prompts by row and size."""
        [vector] = await embedder.embed([question.text])
        found: dict[str, FilledBlock] = {}
        for name, order in baselines.rank(question.text, vector).items():
            turns = [self._conversation.turns[place] for place in order[: max(DEPTH, self._ruler.k)]]
            ranking = [frozenset({turn.id}) for turn in turns]
            figures = self._figures(question, ranking[: self._ruler.k], (ranking, [turn.line for turn in turns]))
            blocks = self._filled(order[: max(DEPTH, self._ruler.k)]) if name in BLOCKS else {}
            found |= self._note(name, question, figures, ranking[: self._ruler.k], blocks, result)
        blocks = self._filled(baselines.sessions(question.text), cut=True)
        return found | self._note(SESSIONS, question, {}, (), blocks, result)

    def _filled(self, order: Sequence[int], *, cut: bool = False) -> dict[str, FilledBlock]:
        return {at: self._writer.block(order, size.tokens, cut=cut) for at, size in self._sizes.items()}

    def _block(self, context: PromptContext, limit: int) -> FilledBlock:
        """Return what an engine adds to a prompt; the random ids of its blocks become zeros."""
        text = context.text
        for block_id in block_ids(text):
            text = text.replace(block_id, "0" * len(block_id))
        quoted = [item.memory for item in context.items if item.memory.kind is MemoryKind.TURN]
        return FilledBlock(
            text=text,
            tokens=self._ruler.counter.count(text),
            limit=limit,
            shown=frozenset(turn for item in context.items for turn in self._shown(item.memory)),
            quoted=frozenset(turn for memory in quoted for turn in self._shown(memory)),
        )

    def _figures(
        self, question: DatasetQuestion, ranking: Sequence[Shown], deep: tuple[Sequence[Shown], Sequence[str]]
    ) -> dict[str, float]:
        figures: dict[str, float] = {}
        if question.evidence:
            figures |= ranking_figures(ranking, question.evidence, self._ruler.k)
            tokens = [self._count(line) for line in deep[1]]
            figures["budget"] = within_budget(deep[0], tokens, question.evidence, self._ruler.budget)
        if question.sessions:
            sessions = [frozenset(self._turns[turn].session for turn in shown) for shown in ranking]
            figures |= session_figures(sessions, question.sessions, self._ruler.k)
        return figures

    def _count(self, line: str) -> int:
        if line not in self._tokens:
            self._tokens[line] = self._ruler.counter.count(line)
        return self._tokens[line]

    def _note(
        self,
        row: str,
        question: DatasetQuestion,
        figures: dict[str, float],
        ranking: Sequence[Shown],
        blocks: Mapping[str, FilledBlock],
        result: RunResult,
    ) -> dict[str, FilledBlock]:
        """Store the figures of a row, with those of its blocks; return the blocks by row and size."""
        for at, block in blocks.items():
            figures |= {f"{name}{at}": value for name, value in prompt_figures(question, block).items()}
        places = {
            turn: first_places(ranking, frozenset({turn}))[0]
            for turn in sorted(question.evidence)
            if any(turn in shown for shown in ranking)
        }
        record = RetrievalResult(conversation=self._conversation.id, question=question, figures=figures, places=places)
        result.rows.setdefault(row, []).append(record)
        return {f"{row}{at}": block for at, block in blocks.items()}

    def _shown(self, memory: Memory) -> Shown:
        """Return the turns that a memory contains; a summary of many turns contains none."""
        if memory.kind is MemoryKind.EPISODE:
            return frozenset()
        named = (self._names.get((source.conversation, source.seq)) for source in memory.evidence)
        return frozenset(name for name in named if name is not None)

    def _line(self, memory: Memory) -> str:
        """Return the text counted for a result: a quotation as in the baselines."""
        turn = self._turn(memory)
        return turn.line if turn is not None else memory.text

    def _turn(self, memory: Memory) -> DatasetTurn | None:
        if memory.kind is not MemoryKind.TURN:
            return None
        return next((self._turns[turn] for turn in self._shown(memory)), None)


def prompt_figures(question: DatasetQuestion, block: FilledBlock) -> dict[str, float]:
    """Compute how much of the evidence and of the answer is in a block; nothing if the data names neither."""
    figures: dict[str, float] = {}
    if wanted := question.evidence:
        figures["prompt"] = len(block.shown & wanted) / len(wanted)
        figures["prompt_own_text"] = len(block.quoted & wanted) / len(wanted)
    words = frozenset() if question.unanswerable else terms(question.answer).keys()
    if words:
        figures["prompt_answer_words"] = len(words & terms(block.text).keys()) / len(words)
    return figures | {"prompt_tokens": float(block.tokens)} if figures else {}


def refuse_without_similarity(warning: str) -> None:
    """Refuse a recall without the embedder: a chat continues without similarity, but figures would mean nothing.

    Raises:
        ModelError: The recall's warning says that similarity was left out.
    """
    if NO_SIMILARITY in warning:
        raise ModelError(warning, fault=ModelFault.SERVER)


@cache
def load_small_talk() -> tuple[str, ...]:
    """Read the short messages that need no memory, in several languages.

    >>> "thanks!" in load_small_talk()
    True
    """
    return tuple(files(__package__).joinpath("small_talk.txt").read_text("utf-8").splitlines())


def pair_questions(data: DataSet) -> tuple[tuple[DatasetQuestion, ...], ...]:
    """Return for each conversation the questions of the next one, and for the last one those of the first.

    Returns:
        One tuple per conversation; empty tuples if the data has a single conversation.
    """
    conversations = data.conversations
    if len(conversations) < 2:
        return ((),) * len(conversations)
    following = (*conversations[1:], conversations[0])
    return tuple(conversation.questions for conversation in following)


async def measure_injection(
    engine: AsyncToldOnce, user: Subject, unrelated: Sequence[DatasetQuestion], result: RunResult
) -> None:
    """Ask one conversation's memory for the context of small talk and of another conversation's questions.

    Raises:
        ModelError: The embedder did not answer.
    """
    groups: tuple[tuple[InjectionCost, Sequence[str]], ...] = (
        (result.unrelated, [question.text for question in unrelated]),
        (result.small_talk, load_small_talk()),
    )
    for cost, texts in groups:
        for text in texts:
            context = await engine.context(text, user=user, use=False)
            refuse_without_similarity(context.warning)
            cost.add(context)
