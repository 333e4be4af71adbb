"""The stages of formation by name."""

from collections.abc import Mapping

from recollect.formation.extract import extract
from recollect.formation.index_turns import index_turns
from recollect.formation.runtime import Stage
from recollect.formation.summarize import summarize

STAGES: Mapping[str, Stage] = {"index": index_turns, "extract": extract, "episodes": summarize}
