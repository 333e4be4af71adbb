"""The engine: the public library API, and the results of its methods."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toldonce.concurrency import gather_or_cancel, run_in_thread_if_large
    from toldonce.engine.agent_notes import facts_named
    from toldonce.engine.components import Components, open_components
    from toldonce.engine.context_builder import PromptContext
    from toldonce.engine.core import AsyncToldOnce
    from toldonce.engine.embedder import EmbedderStatus
    from toldonce.engine.id_prefix import find_id
    from toldonce.engine.prepared_turn import PreparedTurn, PromptUse
    from toldonce.engine.requests import run_once
    from toldonce.engine.results import (
        AppMemoryPage,
        HeldMemory,
        MemoryExplanation,
        MemoryHistory,
        PromptTrace,
        RenamedCharacter,
        TraceDetail,
    )
    from toldonce.engine.scope import app_of_all_users, owned_subject
    from toldonce.engine.transfer import TransferReport
    from toldonce.maintenance.reembed import ReembedProgress
    from toldonce.providers.circuit_breaker import BreakerStatus
    from toldonce.providers.embedder_loader import EmbedderTrial
    from toldonce.resolution.undo_plan import UndoPlan
    from toldonce.store.acting_tenant import acting_for
    from toldonce.store.store_reports import StoreStats
    from toldonce.worker.counters import WorkerCounters

__all__ = [
    "AppMemoryPage",
    "AsyncToldOnce",
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
    "PromptUse",
    "ReembedProgress",
    "RenamedCharacter",
    "StoreStats",
    "TraceDetail",
    "TransferReport",
    "UndoPlan",
    "WorkerCounters",
    "acting_for",
    "app_of_all_users",
    "facts_named",
    "find_id",
    "gather_or_cancel",
    "open_components",
    "owned_subject",
    "run_in_thread_if_large",
    "run_once",
]

# Loaded at first use: most of them belong to services that a process may not need.
_HOMES = {
    "AppMemoryPage": "toldonce.engine.results",
    "RenamedCharacter": "toldonce.engine.results",
    "AsyncToldOnce": "toldonce.engine.core",
    "BreakerStatus": "toldonce.providers.circuit_breaker",
    "Components": "toldonce.engine.components",
    "EmbedderStatus": "toldonce.engine.embedder",
    "EmbedderTrial": "toldonce.providers.embedder_loader",
    "HeldMemory": "toldonce.engine.results",
    "MemoryExplanation": "toldonce.engine.results",
    "MemoryHistory": "toldonce.engine.results",
    "PreparedTurn": "toldonce.engine.prepared_turn",
    "PromptUse": "toldonce.engine.prepared_turn",
    "PromptContext": "toldonce.engine.context_builder",
    "PromptTrace": "toldonce.engine.results",
    "ReembedProgress": "toldonce.maintenance.reembed",
    "StoreStats": "toldonce.store.store_reports",
    "TraceDetail": "toldonce.engine.results",
    "TransferReport": "toldonce.engine.transfer",
    "UndoPlan": "toldonce.resolution.undo_plan",
    "acting_for": "toldonce.store.acting_tenant",
    "WorkerCounters": "toldonce.worker.counters",
    "app_of_all_users": "toldonce.engine.scope",
    "facts_named": "toldonce.engine.agent_notes",
    "find_id": "toldonce.engine.id_prefix",
    "gather_or_cancel": "toldonce.concurrency",
    "open_components": "toldonce.engine.components",
    "owned_subject": "toldonce.engine.scope",
    "run_in_thread_if_large": "toldonce.concurrency",
    "run_once": "toldonce.engine.requests",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'toldonce.engine' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
