"""The engine: the public library API, and the results of its methods."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toldonce.concurrency import gather_or_cancel as gather_or_cancel
    from toldonce.concurrency import run_in_thread_if_large as run_in_thread_if_large
    from toldonce.engine.components import Components as Components
    from toldonce.engine.components import open_components as open_components
    from toldonce.engine.context_builder import PromptContext as PromptContext
    from toldonce.engine.core import AsyncToldOnce as AsyncToldOnce
    from toldonce.engine.embedder import EmbedderStatus as EmbedderStatus
    from toldonce.engine.id_prefix import find_id as find_id
    from toldonce.engine.prepared_turn import PreparedTurn as PreparedTurn
    from toldonce.engine.requests import run_once as run_once
    from toldonce.engine.results import AppMemoryPage as AppMemoryPage
    from toldonce.engine.results import HeldMemory as HeldMemory
    from toldonce.engine.results import MemoryExplanation as MemoryExplanation
    from toldonce.engine.results import MemoryHistory as MemoryHistory
    from toldonce.engine.results import PromptTrace as PromptTrace
    from toldonce.engine.results import RenamedCharacter as RenamedCharacter
    from toldonce.engine.results import TraceDetail as TraceDetail
    from toldonce.engine.scope import app_of_all_users as app_of_all_users
    from toldonce.engine.scope import owned_subject as owned_subject
    from toldonce.engine.transfer import TransferReport as TransferReport
    from toldonce.maintenance.reembed import ReembedProgress as ReembedProgress
    from toldonce.providers.circuit_breaker import BreakerStatus as BreakerStatus
    from toldonce.providers.embedder_loader import EmbedderTrial as EmbedderTrial
    from toldonce.resolution.undo_plan import UndoPlan as UndoPlan
    from toldonce.store.acting_tenant import acting_for as acting_for
    from toldonce.store.store_reports import StoreStats as StoreStats
    from toldonce.worker.counters import WorkerCounters as WorkerCounters


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
    "find_id": "toldonce.engine.id_prefix",
    "gather_or_cancel": "toldonce.concurrency",
    "open_components": "toldonce.engine.components",
    "owned_subject": "toldonce.engine.scope",
    "run_in_thread_if_large": "toldonce.concurrency",
    "run_once": "toldonce.engine.requests",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'toldonce.engine' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
