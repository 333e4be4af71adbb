"""The engine: wires the steps together; the public library API behind every face."""

from recollect.engine.core import AsyncRecollect
from recollect.engine.embedding import EmbedderState
from recollect.engine.parts import Held, History, Parts, Why, open_parts
from recollect.engine.prompting import Context
from recollect.engine.turn import Prepared
from recollect.providers.trying import Trial
from recollect.resolve.undo import UndoPlan
from recollect.tend.reembed import Progress
from recollect.work.apart import apart
from recollect.work.together import together

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
