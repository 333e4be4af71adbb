"""The stages of formation by name."""

from collections.abc import Mapping

from toldonce.formation.extract import extract
from toldonce.formation.index_turns import index_turns
from toldonce.formation.runtime import Stage
from toldonce.formation.summarize import summarize

STAGES: Mapping[str, Stage] = {"index": index_turns, "extract": extract, "episodes": summarize}
