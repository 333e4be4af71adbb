"""The engine: the public library API, and the results of its methods."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.concurrency import gather_or_cancel, run_in_thread_if_large
    from recollect.engine.components import Components, open_components
    from recollect.engine.context_builder import PromptContext
    from recollect.engine.core import AsyncRecollect
    from recollect.engine.embedder import EmbedderStatus
    from recollect.engine.id_prefix import find_id
    from recollect.engine.prepared_turn import PreparedTurn
    from recollect.engine.requests import run_once
    from recollect.engine.results import (
        AppMemoryPage,
        HeldMemory,
        MemoryExplanation,
        MemoryHistory,
        PromptTrace,
        RenamedCharacter,
        TraceDetail,
    )
    from recollect.engine.scope import app_of_all_users, owned_subject
    from recollect.engine.transfer import TransferReport
    from recollect.maintenance.reembed import ReembedProgress
    from recollect.providers.circuit_breaker import BreakerStatus
    from recollect.providers.embedder_loader import EmbedderTrial
    from recollect.resolution.undo_plan import UndoPlan
    from recollect.store.acting_tenant import acting_for
    from recollect.store.store_reports import StoreStats
    from recollect.worker.counters import WorkerCounters

__all__ = [
    "AppMemoryPage",
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
    "RenamedCharacter",
    "StoreStats",
    "TraceDetail",
    "TransferReport",
    "UndoPlan",
    "WorkerCounters",
    "acting_for",
    "app_of_all_users",
    "find_id",
    "gather_or_cancel",
    "open_components",
    "owned_subject",
    "run_in_thread_if_large",
    "run_once",
]

# Loaded at first use: most of them belong to services that a process may not need.
_HOMES = {
    "AppMemoryPage": "recollect.engine.results",
    "RenamedCharacter": "recollect.engine.results",
    "AsyncRecollect": "recollect.engine.core",
    "BreakerStatus": "recollect.providers.circuit_breaker",
    "Components": "recollect.engine.components",
    "EmbedderStatus": "recollect.engine.embedder",
    "EmbedderTrial": "recollect.providers.embedder_loader",
    "HeldMemory": "recollect.engine.results",
    "MemoryExplanation": "recollect.engine.results",
    "MemoryHistory": "recollect.engine.results",
    "PreparedTurn": "recollect.engine.prepared_turn",
    "PromptContext": "recollect.engine.context_builder",
    "PromptTrace": "recollect.engine.results",
    "ReembedProgress": "recollect.maintenance.reembed",
    "StoreStats": "recollect.store.store_reports",
    "TraceDetail": "recollect.engine.results",
    "TransferReport": "recollect.engine.transfer",
    "UndoPlan": "recollect.resolution.undo_plan",
    "acting_for": "recollect.store.acting_tenant",
    "WorkerCounters": "recollect.worker.counters",
    "app_of_all_users": "recollect.engine.scope",
    "find_id": "recollect.engine.id_prefix",
    "gather_or_cancel": "recollect.concurrency",
    "open_components": "recollect.engine.components",
    "owned_subject": "recollect.engine.scope",
    "run_in_thread_if_large": "recollect.concurrency",
    "run_once": "recollect.engine.requests",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
