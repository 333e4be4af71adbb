"""The four runs of the suite: by rules, and with three scripted models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.multilingual_embedder import MultilingualEmbedder

from .chat import IN_MEMORY, tell
from .models import INVENTIONS, PerfectModel, RefusingModel, SloppyModel
from .story import Story
from .verdict import Outcome, Verdict, verdict

RUNS: Mapping[str, Callable[[Story], OpenedModel] | None] = {
    "rules": None,
    "perfect": PerfectModel,
    "sloppy": SloppyModel,
    "refusing": RefusingModel,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """All stories with one extractor."""

    name: str
    verdicts: Sequence[Verdict]

    def count(self, outcome: Outcome) -> int:
        """Count findings of one outcome."""
        return sum(verdict.count(outcome) for verdict in self.verdicts)

    @property
    def share(self) -> float:
        """Return the share of expected statements that are there."""
        right = self.count(Outcome.RIGHT)
        return right / ((right + self.count(Outcome.MISSING)) or 1)


async def run_suite(
    name: str, chosen: Sequence[Story], embedder: MultilingualEmbedder, *, urls: Sequence[str] = ()
) -> SuiteRun:
    """Run stories with one extractor; `urls` names an empty database for each (default: SQLite in memory)."""
    make = RUNS[name]
    verdicts: list[Verdict] = []
    for place, story in enumerate(chosen):
        told = await tell(story, embedder, model=make(story) if make else None, url=urls[place] if urls else IN_MEMORY)
        verdicts.append(verdict(told, inventions=INVENTIONS if name == "sloppy" else ()))
    return SuiteRun(name=name, verdicts=verdicts)
