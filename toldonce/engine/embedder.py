"""`memory.embedder` and `memory.vectors`: a database's embedder, and search by similarity. Writes through the store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toldonce.engine.components import Components
from toldonce.engine.memories import require_limit
from toldonce.engine.results import silent
from toldonce.engine.steps import Steps
from toldonce.errors import BadEmbedderError, BadRequestError
from toldonce.extraction.redaction import redact
from toldonce.formation.neighbours import nearest
from toldonce.formation.runtime import Runtime
from toldonce.maintenance.reembed import ReembedProgress, reembed, reembed_backlog
from toldonce.providers.calibration import Calibration
from toldonce.providers.embedder_loader import DEFAULT_RECORD, EmbedderTrial, UnavailableEmbedder, try_embedder
from toldonce.providers.model_factory import spec_of
from toldonce.text import clean
from toldonce.types import (
    NO_VECTORS,
    EmbedderRecord,
    EmbedderSpec,
    MemoryKind,
    RecalledMemory,
    ReembedReport,
    SpaceCount,
    Subject,
    Vectors,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderStatus:
    """The embedder of a database, and what it has embedded."""

    record: EmbedderRecord
    """The embedder in use: the one chosen last, else that of the settings (`chosen_at` is None)."""
    problem: str
    """Why it cannot be called; empty if it can."""
    spaces: tuple[SpaceCount, ...]
    """Vectors in each space; spaces without vectors and readers are left out."""
    waiting_subjects: int
    """Subjects that are not read by it yet, or lack vectors of it."""
    waiting_memories: int
    """Memories of these subjects that must be embedded."""


class EmbedderService:
    """The embedder in use, and its replacement."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._settings = components.settings
        self._store = components.store
        self._runtime = steps.runtime
        self._embedders = steps.embedders

    async def status(self) -> EmbedderStatus:
        """Return the embedder in use, the number of vectors in each space, and how many must be re-embedded."""
        record = await self._in_use()
        opened = await self._embedders.named(record)
        backlog = [
            subject async for subject in reembed_backlog(self._runtime, record.space, self._components.embedder.space)
        ]
        counts = await self._store.embeddings.space_counts()
        return EmbedderStatus(
            record=record,
            problem=opened.why if isinstance(opened, UnavailableEmbedder) else "",
            spaces=tuple(count for count in counts if count.memories or count.subjects),
            waiting_subjects=len(backlog),
            waiting_memories=sum(subject.memories for subject in backlog),
        )

    async def check(self, text: str) -> None:
        """Embed a text with the embedder in use, to see that it answers.

        Raises:
            ModelError: it does not answer.
        """
        await (await self._embedders.named(await self._in_use())).embed([text])

    async def try_out(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Open an embedder, embed sample texts with it, and fit its calibration curve; change nothing.

        Raises:
            BadEmbedderError: it cannot be used.
        """
        key = self._settings.embed_key.get_secret_value() if self._settings.embed_key else None
        trial = await try_embedder(spec, key=key)
        self._embedders.add(trial.embedder)  # closed with the others, even if it is never used
        return trial

    async def use(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Re-embed all memories of all subjects with another embedder, and use it from then on, without downtime.

        The choice is stored in the database. Each subject is served by its old vectors until it is complete; then it
        is switched in one commit. If this is interrupted, `reembed` resumes it.

        Args:
            trial: Result of `try_out`.
            dry_run: Change nothing, and return how much there is to do.
            tell: Called with each batch.

        Raises:
            BadEmbedderError: the library was opened with an embedder object, which the database cannot record.
            ModelError: the embedder failed: subjects switched so far stay so, the others are served as before.
        """
        if self._components.is_own_embedder and not dry_run:
            own = self._components.embedder.space
            raise BadEmbedderError(own, "it was given as embedder=; open the library without it to change the embedder")
        self._embedders.add(trial.embedder)
        if not dry_run:
            await self._store.embeddings.choose(trial.record, former=await self._in_use())
        return await reembed(self._runtime, trial.embedder, dry_run=dry_run, tell=tell)

    async def reembed(
        self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Resume an embedder change, and embed memories that lack vectors.

        Args:
            dry_run: Change nothing, and return how much there is to do.
            tell: Called with each batch.

        Raises:
            BadEmbedderError: the embedder in use cannot be opened.
            ModelError: it failed.
        """
        record = await self._in_use()
        embedder = await self._embedders.named(record, patient=True)
        if isinstance(embedder, UnavailableEmbedder):
            raise BadEmbedderError(record.spec.where or record.space, embedder.why)
        if record.chosen_at is None and not dry_run and not self._components.is_own_embedder:
            await self._store.embeddings.choose(record, former=record)
        return await reembed(self._runtime, embedder, dry_run=dry_run, tell=tell, missing=True)

    async def _in_use(self) -> EmbedderRecord:
        chosen = await self._store.embeddings.chosen()
        if chosen is not None:
            return chosen
        own = self._components.embedder
        curve = DEFAULT_RECORD.curve
        if self._settings.embed_url is not None:
            curve = Calibration(midpoint=self._settings.embed_midpoint, slope=self._settings.embed_slope).curve
        return EmbedderRecord(space=own.space, dim=own.dim, spec=spec_of(self._settings), curve=curve)


_SEARCHED = [MemoryKind.NOTE.number, MemoryKind.EPISODE.number]


class VectorService:
    """Nearest neighbours among memories' vectors."""

    def __init__(self, components: Components, runtime: Runtime) -> None:
        self._components = components
        self._runtime = runtime

    async def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> list[RecalledMemory]:
        """Find the notes and episodes nearest to a text or a vector, most similar first.

        Args:
            query: Text to embed; give either this or a vector.
            vector: Vector of the embedder's space, of any length but zero.
            user: User whose memories to search.
            limit: Maximum number of memories to return, 1 to 200.

        Raises:
            BadRequestError: the limit is out of range, both or neither of query and vector are given, or the vector
                has another dimension than the embedder's or is all zeros.
        """
        require_limit(limit)
        if (query is None) is (vector is None):
            raise BadRequestError("give either a query or a vector", param="query")
        subject = self._components.subject(user)
        runtime = await self._runtime.for_subject(subject)
        vectors = await _vectors(runtime, query if vector is None else vector)
        snapshot = await runtime.store.snapshots.snapshot(subject, runtime.embedder.space, vectors=NO_VECTORS)
        [neighbours] = await nearest(snapshot, vectors, runtime, limit=limit, kinds=_SEARCHED)
        return [
            RecalledMemory(
                memory=neighbour.memory,
                score=neighbour.similarity,
                similarity=neighbour.similarity,
                word_share=0.0,
                reasons=(f"near in meaning ({neighbour.similarity:.2f})",),
            )
            for neighbour in neighbours
        ]


async def _vectors(runtime: Runtime, wanted: str | Sequence[float] | None) -> Vectors:
    if wanted is None or isinstance(wanted, str):
        return await runtime.embedder.embed_queries([redact(clean(wanted or ""))])
    if len(wanted) != runtime.embedder.dim:
        raise BadRequestError(
            f"the vector has {len(wanted)} numbers, those of {runtime.embedder.space} have {runtime.embedder.dim}",
            param="vector",
        )
    row = np.asarray(wanted, dtype=np.float64)
    length = float(np.linalg.norm(row))
    if not 0 < length < float("inf"):
        raise BadRequestError("the vector has no direction: its length is zero or too large", param="vector")
    return (row / length).astype(np.float32)[None, :]
