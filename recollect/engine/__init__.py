"""The engine: wires the steps together; the public library API behind every face."""

from recollect.concurrency import gather_or_cancel, run_in_thread_if_large
from recollect.engine.components import Components, HeldMemory, MemoryExplanation, MemoryHistory, open_components
from recollect.engine.context_builder import PromptContext
from recollect.engine.core import AsyncRecollect
from recollect.engine.embedder import EmbedderStatus
from recollect.engine.turn import PreparedTurn
from recollect.maintenance.reembed import ReembedProgress
from recollect.providers.embedder_loader import EmbedderTrial
from recollect.resolution.undo_plan import UndoPlan

__all__ = [
    "AsyncRecollect",
    "Components",
    "EmbedderStatus",
    "EmbedderTrial",
    "HeldMemory",
    "MemoryExplanation",
    "MemoryHistory",
    "PreparedTurn",
    "PromptContext",
    "ReembedProgress",
    "UndoPlan",
    "gather_or_cancel",
    "open_components",
    "run_in_thread_if_large",
]
