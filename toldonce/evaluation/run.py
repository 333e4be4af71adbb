"""An evaluation run: records each conversation in a temporary database, then asks its questions. Does I/O.

Databases are in a temporary folder that is removed afterwards. All figures except times are reproducible.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from toldonce.datasets.dataset import DataSet, DatasetConversation, DatasetQuestion
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import Components, open_components
from toldonce.engine.context_builder import token_limit
from toldonce.errors import BadRequestError
from toldonce.evaluation.answerer import Answerer
from toldonce.evaluation.baselines import index
from toldonce.evaluation.extraction_modes import Formed, RecordedModel, ShapedProfiles
from toldonce.evaluation.ingest import Ingest, Names, exchanges
from toldonce.evaluation.instrumentation import ConversationClock, MeteredModel
from toldonce.evaluation.results import AskedBlock, RunResult
from toldonce.evaluation.retrieval_run import (
    AFTER,
    MetricSettings,
    PromptSize,
    RetrievalRun,
    measure_injection,
    pair_questions,
)
from toldonce.providers.embedder_loader import try_embedder
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.types import EmbedderSpec, ProgressReporter, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """What to evaluate, and how."""

    data: DataSet
    settings: Settings
    embedder: EmbedderSpec | None = None
    """Embedder to use instead of that of the settings; it is tested and calibrated as if a database had chosen it."""
    formed: Formed = "settings"
    baselines: bool = False
    prompt_tokens: tuple[int, ...] = ()
    """Token limits of further prompts to measure, beside the profile's own; each at least 1."""
    keeps_blocks: bool = False
    """Whether the text of prompts is kept, for models or files: of further prompts if there are any, else the own."""
    k: int = 10
    budget: int = 1000
    seed: int = 0


def narrowed(data: DataSet, *, conversations: int | None, questions: int | None, seed: int) -> DataSet:
    """Keep the first conversations only, and some random questions of each; None: all."""
    taken = data.conversations[:conversations]
    if questions is not None:
        taken = tuple(_fewer(conversation, questions, seed) for conversation in taken)
    return replace(data, conversations=taken)


def prompt_sizes(parts: Components, plan: EvaluationPlan) -> dict[str, PromptSize]:
    """Build an engine for each size of a prompt, by what the names of its figures end in.

    The first, under "", has the limits of the settings and the profile. Each other has its own limit of tokens, and as
    many items as they hold.
    """
    settings = parts.settings
    own = token_limit(parts.profiles.get(settings.profile).recall.tokens, settings)
    sizes = {"": PromptSize(tokens=own, engine=AsyncToldOnce(parts))}
    for tokens in plan.prompt_tokens:
        limits: dict[str, int | None] = {"tokens": tokens, "limit": None}
        sized = replace(
            parts,
            settings=settings.model_copy(update={"recall_tokens": tokens, "recall_limit": None}),
            profiles=ShapedProfiles(settings.profiles, settings.profile, plan.formed, limits),
        )
        sizes[f"@{tokens}"] = PromptSize(tokens=tokens, engine=AsyncToldOnce(sized))
    return sizes


def _fewer(conversation: DatasetConversation, most: int, seed: int) -> DatasetConversation:
    count = len(conversation.questions)
    if count <= most:
        return conversation
    places = sorted(Random(f"{seed} {conversation.id}").sample(range(count), most))
    return replace(conversation, questions=tuple(conversation.questions[place] for place in places))


class EvaluationRun:
    """Runs a plan; `result` is available at any time, also after an interruption."""

    def __init__(self, plan: EvaluationPlan, bar: ProgressReporter, answerer: Answerer | None = None) -> None:
        self._plan = plan
        self._bar = bar
        self._answerer = answerer
        self._clock = ConversationClock(plan.data.conversations[0].turns[0].said_at)
        self._done = 0
        self.result = RunResult()

    async def all(self) -> RunResult:
        """Run the plan.

        Raises:
            BadRequestError: observations are wanted and the data has none.
            SetupError: a setting, file or package is not as it should be, or the plan's embedder cannot be used.
            ModelError: the embedder did not answer.
        """
        plan, began = self._plan, time.monotonic()
        if plan.formed == "observations" and not any(
            conversation.observations for conversation in plan.data.conversations
        ):
            raise BadRequestError("--form observations: the data records none", param="form")
        unrelated = pair_questions(plan.data)
        self._bar.begin("evaluating", "turns and questions", plan.data.turns + plan.data.questions)
        try:
            with tempfile.TemporaryDirectory(prefix="toldonce-eval-") as folder:
                async with self._parts(Path(folder)) as parts:
                    self.result.embedder, self.result.dim = parts.embedder.space, parts.embedder.dim
                    for number, conversation in enumerate(plan.data.conversations):
                        file = Path(folder) / f"{number}.sqlite3"
                        await self._evaluate(conversation, unrelated[number], parts, file)
                        self.result.conversations += 1
            if self._answerer is not None:
                await self._answerer.answer_all(self.result, self._bar)
            self.result.whole = True
        finally:
            self.result.seconds = time.monotonic() - began
        return self.result

    @asynccontextmanager
    async def _parts(self, folder: Path) -> AsyncIterator[Components]:
        """Open the embedder, the model and the profiles, which all conversations share."""
        plan = self._plan
        # A conversation of months is formed within minutes: no limit per day applies.
        changed = {"database_url": f"sqlite:///{folder / 'none.sqlite3'}", "tokens_per_day": 0}
        settings = plan.settings.model_copy(update=changed)
        parts = await open_components(settings, self._clock)
        profile = parts.profiles.get(settings.profile)
        async with AsyncExitStack() as opened:
            opened.push_async_callback(parts.store.close)
            opened.push_async_callback(parts.embedder.close)
            if parts.model is not None:
                opened.push_async_callback(parts.model.close)
            if profile.subject.kind != "user":
                raise BadRequestError(
                    f"profile {profile.name} keeps a memory of each {profile.subject.kind}; what is asked here is the "
                    "memory of a user: take default, user or tiered",
                    param="profile",
                )
            embedder = parts.embedder
            if plan.embedder is not None:
                key = settings.embed_key.get_secret_value() if settings.embed_key else None
                trial = await try_embedder(plan.embedder, key=key)
                embedder, self.result.curve = trial.embedder, trial.record.curve
                opened.push_async_callback(embedder.close)
            model = RecordedModel(parts.counter) if plan.formed == "observations" else parts.model
            yield replace(
                parts,
                embedder=embedder,
                model=MeteredModel(model) if model is not None else None,
                profiles=ShapedProfiles(settings.profiles, settings.profile, plan.formed),
            )

    async def _evaluate(
        self,
        conversation: DatasetConversation,
        unrelated: Sequence[DatasetQuestion],
        shared: Components,
        file: Path,
    ) -> None:
        url = f"sqlite:///{file}"
        store = await open_store(url, clock=self._clock, cache_bytes=shared.settings.cache_bytes)
        try:
            parts = replace(shared, store=store, settings=shared.settings.model_copy(update={"database_url": url}))
            engine = AsyncToldOnce(parts)
            user = Subject("user", conversation.id)
            names = await self._tell(engine, conversation, user, parts)
            await self._ask(conversation, names, parts)
            self._clock.stand(conversation.turns[-1].said_at + AFTER)
            await measure_injection(engine, user, unrelated, self.result)
        finally:
            await store.close()
            for left in file.parent.glob(f"{file.name}*"):
                left.unlink()

    async def _tell(
        self, engine: AsyncToldOnce, conversation: DatasetConversation, user: Subject, parts: Components
    ) -> Names:
        self._clock.stand(conversation.turns[0].said_at)
        model = parts.model if isinstance(parts.model, MeteredModel) else None
        if model is not None and isinstance(model.model, RecordedModel):
            model.model.learn(conversation)
        telling = Ingest(engine, self._clock, model, self.result.writing)
        last = {turn.session: turn for turn in conversation.turns}
        for said in exchanges(conversation.turns):
            await telling.exchange(user, said)
            if said[-1] is last[said[-1].session]:
                await telling.end_session(user, said[-1])
            self._move(len(said))
        await telling.finish(user)
        return telling.names

    async def _ask(self, conversation: DatasetConversation, names: Names, parts: Components) -> None:
        plan = self._plan
        ruler = MetricSettings(
            k=plan.k, budget=plan.budget, counter=parts.counter, zone=ZoneInfo(parts.settings.time_zone)
        )
        asker = RetrievalRun(prompt_sizes(parts, plan), conversation, names, self._clock, ruler)
        user = Subject("user", conversation.id)
        baselines = await index(conversation.turns, parts.embedder) if plan.baselines else None
        for question in conversation.questions:
            blocks = await asker.ask(question, user, self.result)
            if baselines is not None:
                blocks |= await asker.ask_baselines(question, baselines, parts.embedder, self.result)
            self.result.blocks += [
                AskedBlock(
                    conversation=conversation.id,
                    question=question,
                    row=row,
                    limit=block.limit,
                    text=block.text,
                    today=question.asked_at or conversation.turns[-1].said_at,
                )
                for row, block in blocks.items()
                if plan.keeps_blocks and ("@" in row or not plan.prompt_tokens)
            ]
            self._move(1)
        if self._answerer is not None:
            self.result.blocks += self._answerer.full_contexts(conversation)

    def _move(self, units: int) -> None:
        self._done += units
        self._bar.reach(self._done)
