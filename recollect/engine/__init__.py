"""The engine: wires the steps together; the public library API behind every face."""

from recollect.engine.core import AsyncRecollect
from recollect.engine.parts import Held, History, Parts, Why, open_parts
from recollect.engine.prompting import Context
from recollect.engine.turn import Prepared
from recollect.resolve.undo import UndoPlan
from recollect.work.apart import apart

__all__ = [
    "AsyncRecollect",
    "Context",
    "Held",
    "History",
    "Parts",
    "Prepared",
    "UndoPlan",
    "Why",
    "apart",
    "open_parts",
]
