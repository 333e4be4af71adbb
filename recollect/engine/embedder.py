"""Part of the API: which embedder a database has, and changing it while it serves. Writes through the store."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.engine.base import Wired
from recollect.errors import BadEmbedderError
from recollect.maintenance.reembed import ReembedProgress, reembed, reembed_backlog
from recollect.providers.calibration import Calibration
from recollect.providers.embedder_loader import STATIC_CURVE, EmbedderTrial, UnavailableEmbedder, try_embedder
from recollect.providers.factory import spec_of
from recollect.types import EmbedderRecord, EmbedderSpec, ReembedReport, SpaceCount


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderStatus:
    """What a database is embedded by."""

    record: EmbedderRecord
    """The embedder in use: the one chosen last, else that of the settings (`chosen_at` is None)."""
    problem: str
    """Why it cannot be asked; empty where it can."""
    spaces: tuple[SpaceCount, ...]
    """What lies where; spaces without vectors and readers left out."""
    waiting_subjects: int
    """Subjects that are not read by it yet, or lack vectors of it."""
    waiting_memories: int


def silent(progress: ReembedProgress) -> None:
    """Tell nothing of how far it is."""
    del progress


class EmbedderService(Wired):
    """Changes the embedder."""

    async def embedder(self) -> EmbedderStatus:
        """Return the embedder in use, how many vectors each space holds, and how many must be embedded again."""
        record = await self._in_use()
        opened = await self._embedders.named(record)
        waiting = [one async for one in reembed_backlog(self._tools, record.space, self._parts.embedder.space)]
        counts = await self._store.space_counts()
        return EmbedderStatus(
            record=record,
            problem=opened.why if isinstance(opened, UnavailableEmbedder) else "",
            spaces=tuple(one for one in counts if one.memories or one.subjects),
            waiting_subjects=len(waiting),
            waiting_memories=sum(one.memories for one in waiting),
        )

    async def ask_embedder(self, text: str) -> None:
        """Embed a text by the embedder in use, to see that it answers.

        Raises:
            ModelError: it does not.
        """
        await (await self._embedders.named(await self._in_use())).embed([text])

    async def try_embedder(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Open an embedder, see that it embeds, and fit what its cosines mean; changes nothing.

        Raises:
            BadEmbedderError: it cannot be used.
        """
        key = self.settings.embed_key.get_secret_value() if self.settings.embed_key else None
        trial = await try_embedder(spec, key=key)
        self._embedders.add(trial.embedder)  # closed with the others, whatever becomes of it
        return trial

    async def use_embedder(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Embed all memories of all subjects by another embedder, and use it from then on; nothing stops meanwhile.

        The choice is kept in the database. Until a subject is complete its old vectors serve it; then it is switched
        over in one commit. Whatever ends this, `reembed` goes on with it.

        Args:
            trial: From `try_embedder`.
            dry_run: Change nothing, and say how much there is to do.
            tell: Called with each portion.

        Raises:
            ModelError: the embedder failed on the way: what is switched over stays so, the rest is served as before.
        """
        self._embedders.add(trial.embedder)
        if not dry_run:
            await self._store.choose_embedder(trial.record, former=await self._in_use())
        return await reembed(self._tools, trial.embedder, dry_run=dry_run, tell=tell)

    async def reembed(
        self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Go on with a change of the embedder, and embed whatever has no vectors of the one in use.

        Raises:
            BadEmbedderError: the embedder in use cannot be opened.
            ModelError: it failed on the way.
        """
        record = await self._in_use()
        embedder = await self._embedders.named(record, patient=True)
        if isinstance(embedder, UnavailableEmbedder):
            raise BadEmbedderError(record.spec.where or record.space, embedder.why)
        if record.chosen_at is None and not dry_run:
            await self._store.choose_embedder(record, former=record)
        return await reembed(self._tools, embedder, dry_run=dry_run, tell=tell, missing=True)

    async def _in_use(self) -> EmbedderRecord:
        chosen = next((one for one in await self._store.embedders() if one.chosen_at is not None), None)
        if chosen is not None:
            return chosen
        own = self._parts.embedder
        curve = STATIC_CURVE
        if self.settings.embed_url is not None:
            curve = Calibration(midpoint=self.settings.embed_midpoint, slope=self.settings.embed_slope).curve
        return EmbedderRecord(space=own.space, dim=own.dim, spec=spec_of(self.settings), curve=curve)
