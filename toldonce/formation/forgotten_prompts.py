"""Forget what earlier prompts show of memories that were closed before the request to forget. Reads the store."""

from collections.abc import Sequence

from toldonce.concurrency import run_in_thread_if_large
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, stale_stretches
from toldonce.types import CloseMemory, Memory, Subject

# Memories in stored prompts that are looked through; the newest of them.
MAX_SHOWN = 10_000


async def forget_shown(outdated: Sequence[Outdated], subject: Subject, runtime: Runtime) -> list[CloseMemory]:
    """Find closed memories in prompts that say what is to be forgotten, so that no later prompt repeats them.

    Args:
        outdated: What no longer holds; only what was forgotten counts.
        subject: Owner of the memories.
        runtime: Store and clock.
    """
    forgotten = [old for old in outdated if old.is_forgotten]
    if not forgotten:
        return []
    shown = await runtime.store.memories.shown_closed(subject, limit=MAX_SHOWN)
    size = sum(len(memory.text) for memory in shown) * len(forgotten)
    matching = await run_in_thread_if_large(
        size, lambda: [memory for memory in shown if _has_forgotten_words(memory, forgotten)], above=LARGE_BATCH // 4
    )
    now = runtime.clock.now()
    return [
        CloseMemory(
            id=memory.id,
            valid_to=memory.valid_to or max(memory.valid_from, now),
            closed_at=memory.closed_at or now,
            forgotten=True,
        )
        for memory in matching
    ]


def _has_forgotten_words(memory: Memory, forgotten: Sequence[Outdated]) -> bool:
    """Return whether a memory has words that are to be forgotten."""
    if any(old.is_everything or old.id == memory.id for old in forgotten):
        return True
    return any(stale_stretches(memory.text, said, forgotten) for said in memory.evidence)
