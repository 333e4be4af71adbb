"""Loading ahead, in a thread, what turns and the worker use: on the event loop it would hold up all requests."""

from collections.abc import Callable
from importlib import import_module

from toldonce.lazy_pattern import compile_chat_patterns, compile_patterns
from toldonce.providers.protocols import Embedder, ImmediateTextEmbedder
from toldonce.text.markers import all_markers, english_stems

_TURN_MODULES = (
    "toldonce.engine.memory_tools",
    "toldonce.engine.stages",
    "toldonce.engine.turn",
    "toldonce.formation.unindexed",
    "toldonce.maintenance.eraser",
    "toldonce.maintenance.reindex_terms",
    "toldonce.maintenance.sweep",
)


def load_turns() -> None:
    """Load the modules that record, form and maintain; their objects are made at their first use."""
    for name in _TURN_MODULES:
        import_module(name)


def load_chats(embedder: Embedder) -> None:
    """Load what else a chat uses, after `load_turns`, compile its patterns, and load the model of a packaged embedder.

    It takes half a second of CPU time.
    """
    if isinstance(embedder, ImmediateTextEmbedder):
        embedder.embed_now(["loaded"])
    import_module("rapidfuzz.distance")
    compile_chat_patterns()


def load_formations(stop: Callable[[], bool]) -> None:
    """Read the words and compile the patterns that the formation of memories uses besides; `stop` is asked before each.

    It takes more than half a second of CPU time.
    """
    all_markers()
    english_stems()
    compile_patterns(stop)
