"""Asks the engine and the baselines a conversation's questions. Reads the engine; calls no language model.

The baselines are BM25, vectors, and both merged with equal weight. They search all turns of a conversation, each with
its speaker as prefix, with the stems and the embedder of the engine. They form nothing, leave nothing out and ignore
time. What memory injects where nothing is relevant is measured by small talk, and questions of another conversation.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from toldonce.datasets.dataset import DataSet, DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.engine import AsyncToldOnce
from toldonce.engine.context_builder import PromptContext
from toldonce.engine.query_builder import NO_SIMILARITY
from toldonce.errors import ModelError, ModelFault
from toldonce.evaluation.ingest import Names
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.evaluation.results import TOLDONCE, InjectionCost, RetrievalResult, RunResult
from toldonce.evaluation.retrieval_metrics import Shown, first_places, ranking_figures, session_figures, within_budget
from toldonce.providers.protocols import Embedder, TokenCounter
from toldonce.text import terms
from toldonce.types import Memory, MemoryKind, Subject, Vectors

BM25, VECTORS, FUSED = "BM25", "vectors", "BM25 + vectors"
NAMES = (BM25, VECTORS, FUSED)
# The usual constants of BM25 (Robertson and Zaragoza, 2009) and of rank fusion (Cormack et al., 2009).
_K1, _B = 1.2, 0.75
_RANK_OFFSET = 60


class Baselines:
    """Ranks the turns of a conversation."""

    def __init__(self, turns: Sequence[DatasetTurn], vectors: Vectors) -> None:
        """Index the terms of turns; `vectors` are theirs, one row per turn, as `index` computes them."""
        self._turns = turns
        self._vectors = vectors
        counts = [terms(turn.line) for turn in turns]
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, turn_counts in enumerate(counts):
            for term, count in turn_counts.items():
                self._postings[term].append((position, count))
        length = np.array([turn_counts.total() for turn_counts in counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * length / max(length.mean(), 1.0))

    def rank(self, query: str, vector: npt.NDArray[np.float32]) -> Mapping[str, list[int]]:
        """Rank the turns with a positive score by each method, best first, ties in order; returns positions."""
        by_words = _sort_best_first(self._score_bm25(query))
        by_vectors = _sort_best_first(np.asarray(self._vectors @ vector, dtype=np.float64))
        fused = np.zeros(len(self._turns))
        for ranking in (by_words, by_vectors):
            for rank, document in enumerate(ranking, start=1):
                fused[document] += 1 / (_RANK_OFFSET + rank)
        return {BM25: by_words, VECTORS: by_vectors, FUSED: _sort_best_first(fused)}

    def _score_bm25(self, query: str) -> npt.NDArray[np.float64]:
        scores = np.zeros(len(self._turns))
        for term, times in Counter(terms(query)).items():
            postings = self._postings.get(term, ())
            rarity = np.log(1 + (len(self._turns) - len(postings) + 0.5) / (len(postings) + 0.5))
            for position, count in postings:
                scores[position] += times * rarity * count * (_K1 + 1) / (count + self._norm[position])
        return scores


async def index(turns: Sequence[DatasetTurn], embedder: Embedder) -> Baselines:
    """Embed turns and index them.

    Raises:
        ModelError: The embedder did not answer.
    """
    return Baselines(turns, await embedder.embed([turn.line for turn in turns]))


def _sort_best_first(scores: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions with a positive score, best first."""
    order = np.argsort(-scores, kind="stable")
    return [int(position) for position in order if scores[position] > 0]


# Results considered for the token budget: 1,000 tokens hold a hundred memories of ten tokens.
DEPTH = 100
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


class RetrievalRun:
    """Asks the questions of one conversation."""

    def __init__(
        self,
        engine: AsyncToldOnce,
        conversation: DatasetConversation,
        names: Names,
        clock: ConversationClock,
        ruler: MetricSettings,
    ) -> None:
        """Create a run over an engine that has recorded the conversation."""
        self._engine = engine
        self._conversation = conversation
        self._names = names
        self._clock = clock
        self._ruler = ruler
        self._turns = {turn.id: turn for turn in conversation.turns}
        # Every question recalls the same messages, and counting long ones takes milliseconds.
        self._tokens: dict[str, int] = {}

    async def ask(self, question: DatasetQuestion, user: Subject, result: RunResult) -> str:
        """Ask one question, store its figures, and return the memory block of its prompt.

        Raises:
            ModelError: the embedder did not answer.
        """
        self._clock.stand(question.asked_at or self._conversation.turns[-1].said_at + AFTER)
        began, used = time.perf_counter(), time.process_time()
        first = await self._engine.search(question.text, user=user, limit=self._ruler.k)
        whole_ms, cpu_ms = 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used)
        deep = await self._engine.search(question.text, user=user, limit=max(DEPTH, self._ruler.k))
        context = await self._engine.context(question.text, user=user, use=False)
        for warning in (first.warning, deep.warning, context.warning):
            refuse_without_similarity(warning)
        reading = result.reading
        reading.recall_ms.append(first.took_ms)
        reading.cpu_ms.append(cpu_ms)
        reading.embedding_ms.append(whole_ms - first.took_ms)
        result.related.add(context)
        reading.question_tokens.append(self._ruler.counter.count(question.text))
        ranking = [self._shown(item.memory) for item in first.items]
        lines = [self._line(item.memory) for item in deep.items]
        figures = self._figures(question, ranking, ([self._shown(item.memory) for item in deep.items], lines))
        figures |= self._prompt_figures(question, context)
        self._note(TOLDONCE, question, figures, ranking, result)
        return context.text

    async def ask_baselines(
        self, question: DatasetQuestion, baselines: Baselines, embedder: Embedder, result: RunResult
    ) -> None:
        """Ask the baselines the question."""
        [vector] = await embedder.embed([question.text])
        for name, order in baselines.rank(question.text, vector).items():
            turns = [self._conversation.turns[place] for place in order[: max(DEPTH, self._ruler.k)]]
            ranking = [frozenset({turn.id}) for turn in turns]
            figures = self._figures(question, ranking[: self._ruler.k], (ranking, [turn.line for turn in turns]))
            self._note(name, question, figures, ranking[: self._ruler.k], result)

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

    def _prompt_figures(self, question: DatasetQuestion, context: PromptContext) -> dict[str, float]:
        """Compute how much of the evidence and of the answer is in the question's prompt."""
        figures: dict[str, float] = {}
        if question.evidence:
            quoted = [item.memory for item in context.items if item.memory.kind is MemoryKind.TURN]
            for name, memories in (("prompt", [item.memory for item in context.items]), ("prompt_own_text", quoted)):
                shown = frozenset(turn for memory in memories for turn in self._shown(memory))
                figures[name] = len(shown & question.evidence) / len(question.evidence)
        wanted = frozenset() if question.unanswerable else terms(question.answer).keys()
        if wanted:
            figures["prompt_answer_words"] = len(wanted & terms(context.text).keys()) / len(wanted)
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
        result: RunResult,
    ) -> None:
        places = {
            turn: first_places(ranking, frozenset({turn}))[0]
            for turn in sorted(question.evidence)
            if any(turn in shown for shown in ranking)
        }
        record = RetrievalResult(conversation=self._conversation.id, question=question, figures=figures, places=places)
        result.rows.setdefault(row, []).append(record)

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
