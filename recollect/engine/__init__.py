"""The engine: the public library API, and the results of its methods."""

from recollect.concurrency import gather_or_cancel, run_in_thread_if_large
from recollect.engine.components import Components, open_components
from recollect.engine.context_builder import PromptContext
from recollect.engine.core import AsyncRecollect
from recollect.engine.embedder import EmbedderStatus
from recollect.engine.prepared_turn import PreparedTurn
from recollect.engine.results import HeldMemory, MemoryExplanation, MemoryHistory, PromptTrace
from recollect.engine.transfer import TransferReport
from recollect.maintenance.reembed import ReembedProgress
from recollect.providers.circuit_breaker import BreakerStatus
from recollect.providers.embedder_loader import EmbedderTrial
from recollect.resolution.undo_plan import UndoPlan
from recollect.store.store_reports import StoreStats
from recollect.worker.loop import WorkerCounters

__all__ = [
    "AsyncRecollect",
    "BreakerStatus",
    "Components",
    "EmbedderStatus",
    "EmbedderTrial",
    "HeldMemory",
    "MemoryExplanation",
    "MemoryHistory",
    "PreparedTurn",
    "PromptContext",
    "PromptTrace",
    "ReembedProgress",
    "StoreStats",
    "TransferReport",
    "UndoPlan",
    "WorkerCounters",
    "gather_or_cancel",
    "open_components",
    "run_in_thread_if_large",
]
