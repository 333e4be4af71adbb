"""Loading ahead, in a thread, what turns and the worker use: on the event loop it would hold up all requests."""

from collections.abc import Callable
from importlib import import_module

from recollect.lazy_pattern import compile_chat_patterns, compile_patterns
from recollect.text.markers import all_markers, english_stems

_TURN_MODULES = (
    "recollect.engine.memory_tools",
    "recollect.engine.stages",
    "recollect.engine.turn",
    "recollect.formation.unindexed",
    "recollect.maintenance.eraser",
    "recollect.maintenance.reindex_terms",
    "recollect.maintenance.sweep",
)


def load_turns() -> None:
    """Load the modules that record, form and maintain; their objects are made at their first use."""
    for name in _TURN_MODULES:
        import_module(name)


def load_chats() -> None:
    """Load what else a chat uses, after `load_turns`, and compile its patterns.

    It takes a quarter of a second of CPU time.
    """
    import_module("rapidfuzz.distance")
    compile_chat_patterns()


def load_formations(stop: Callable[[], bool]) -> None:
    """Read the words and compile the patterns that the formation of memories uses besides; `stop` is asked before each.

    It takes more than half a second of CPU time.
    """
    all_markers()
    english_stems()
    compile_patterns(stop)
