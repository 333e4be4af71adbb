"""ToldOnce: long-term memory for any LLM chat.

`ToldOnce` is the blocking library, `AsyncToldOnce` the one for asyncio; `toldonce serve` starts the same engine
as an OpenAI-compatible proxy.
"""

# Not typing's: a hook loads this package at each prompt, and `typing` would be a fifth of its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.settings import Settings
    from toldonce.sync import ToldOnce
    from toldonce.types import Memory, MemoryKind, NewNote, Recall, RecalledMemory, Subject

    __version__: str

__all__ = [
    "AsyncToldOnce",
    "Memory",
    "MemoryKind",
    "NewNote",
    "Recall",
    "RecalledMemory",
    "Settings",
    "Subject",
    "ToldOnce",
]

# Loaded at first use, so that `toldonce --help` and small imports do not wait for the models' libraries.
_HOMES = {
    "AsyncToldOnce": "toldonce.engine",
    "Memory": "toldonce.types",
    "MemoryKind": "toldonce.types",
    "NewNote": "toldonce.types",
    "Recall": "toldonce.types",
    "RecalledMemory": "toldonce.types",
    "ToldOnce": "toldonce.sync",
    "Settings": "toldonce.settings",
    "Subject": "toldonce.types",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home; `__version__` is what the installed package says of itself."""
    if name == "__version__":
        from importlib.metadata import version

        return version("toldonce")
    if name not in _HOMES:
        raise AttributeError(f"module 'toldonce' has no attribute {name!r}")
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
