"""The engine: wires the steps together; the public library API behind every face."""

from recollect.concurrency import apart
from recollect.engine.components import Held, History, Parts, Why, open_parts
from recollect.engine.context_builder import Context
from recollect.engine.core import AsyncRecollect
from recollect.engine.embedder import EmbedderState
from recollect.engine.turn import Prepared
from recollect.formation.together import together
from recollect.maintenance.reembed import Progress
from recollect.providers.trying import Trial
from recollect.resolution.undo_plan import UndoPlan

__all__ = [
    "AsyncRecollect",
    "Context",
    "EmbedderState",
    "Held",
    "History",
    "Parts",
    "Prepared",
    "Progress",
    "Trial",
    "UndoPlan",
    "Why",
    "apart",
    "open_parts",
    "together",
]
