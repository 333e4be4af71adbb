"""Recollect: long-term memory for any LLM chat.

`Recollect` is the blocking library, `AsyncRecollect` the one for asyncio; `recollect serve` starts the same engine
as an OpenAI-compatible proxy.
"""

# Not typing's: a hook loads this package at each prompt, and `typing` would be a fifth of its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.engine import AsyncRecollect
    from recollect.settings import Settings
    from recollect.sync import Recollect
    from recollect.types import Memory, MemoryKind, NewNote, Recall, RecalledMemory, Subject

__all__ = [
    "AsyncRecollect",
    "Memory",
    "MemoryKind",
    "NewNote",
    "Recall",
    "RecalledMemory",
    "Recollect",
    "Settings",
    "Subject",
]

# Loaded at first use, so that `recollect --help` and small imports do not wait for the models' libraries.
_HOMES = {
    "AsyncRecollect": "recollect.engine",
    "Memory": "recollect.types",
    "MemoryKind": "recollect.types",
    "NewNote": "recollect.types",
    "Recall": "recollect.types",
    "RecalledMemory": "recollect.types",
    "Recollect": "recollect.sync",
    "Settings": "recollect.settings",
    "Subject": "recollect.types",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    import gc
    from importlib import import_module

    # Loading makes many objects and hardly any garbage: looking for it would take a seventh of the time.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return getattr(import_module(_HOMES[name]), name)
    finally:
        if is_collecting:
            gc.enable()
