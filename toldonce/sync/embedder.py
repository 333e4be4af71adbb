"""`memory.embedder` without asyncio. Made by tools/make_sync.py from engine/embedder.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import silent
from toldonce.types import EmbedderSpec, ReembedReport

if TYPE_CHECKING:
    from toldonce.engine import EmbedderStatus, EmbedderTrial, ReembedProgress


class BlockingEmbedderService:
    """The embedder in use, and its replacement."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def status(self) -> EmbedderStatus:
        """Return the embedder in use, the number of vectors in each space, and how many must be re-embedded."""
        return self._engine.run(self._engine.core.embedder.status())

    def check(self, text: str) -> None:
        """Embed a text with the embedder in use, to see that it answers.

        Raises:
            ModelError: it does not answer.
        """
        self._engine.run(self._engine.core.embedder.check(text))

    def try_out(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Open an embedder, embed sample texts with it, and fit its calibration curve; change nothing.

        Raises:
            BadEmbedderError: it cannot be used.
        """
        return self._engine.run(self._engine.core.embedder.try_out(spec))

    def use(
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
        return self._engine.run(self._engine.core.embedder.use(trial, dry_run=dry_run, tell=tell))

    def reembed(self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent) -> ReembedReport:
        """Resume an embedder change, and embed memories that lack vectors.

        Args:
            dry_run: Change nothing, and return how much there is to do.
            tell: Called with each batch.

        Raises:
            BadEmbedderError: the embedder in use cannot be opened.
            ModelError: it failed.
        """
        return self._engine.run(self._engine.core.embedder.reembed(dry_run=dry_run, tell=tell))
