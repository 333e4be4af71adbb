"""The stages of formation by name, made ready when the first one runs."""

import asyncio
from dataclasses import dataclass, field

from recollect.formation.extract import extract
from recollect.formation.index_turns import index_turns
from recollect.formation.runtime import Runtime, Stage
from recollect.formation.summarize import summarize
from recollect.lazy_pattern import compile_patterns
from recollect.types import FormationResult, Lease


@dataclass(slots=True)
class PreparedStage:
    """A stage whose first run compiles the patterns of the rules in a thread, not while they hold the event loop."""

    stage: Stage
    _is_prepared: bool = field(default=False, init=False)

    async def __call__(self, lease: Lease, runtime: Runtime) -> FormationResult:
        """Run the stage."""
        if not self._is_prepared:
            await asyncio.to_thread(compile_patterns)
            self._is_prepared = True
        return await self.stage(lease, runtime)


STAGES = {
    "index": PreparedStage(index_turns),
    "extract": PreparedStage(extract),
    "episodes": PreparedStage(summarize),
}
