"""Methods of the library without asyncio: each runs its twin of `AsyncToldOnce` in the thread of its event loop."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from toldonce.engine.background import BackgroundEngine

P = ParamSpec("P")
T = TypeVar("T")


class BlockingService:
    """Methods of `ToldOnce`, or of one of its namespaces."""

    _namespace = ""

    def __init_subclass__(cls, *, namespace: str = "") -> None:
        """Forward the methods of a class to a namespace; without one, to the engine itself."""
        cls._namespace = namespace

    def __init__(self, engine: BackgroundEngine) -> None:
        self._engine = engine

    def _twin(self, method: str) -> Any:
        """Return the method of the engine, or of the connection to a server."""
        core = self._engine.core
        return getattr(getattr(core, self._namespace) if self._namespace else core, method)


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]], at_once: Callable[..., T] | None = None
) -> Callable[Concatenate[BlockingService, P], T]:
    """Return the blocking twin of a method, with its parameters and its docstring.

    Args:
        method: Of the engine, or of a service of the engine.
        at_once: Answers in the calling thread where it can: a method of `BackgroundEngine` with the same parameters.
    """

    @wraps(method)
    def forwarded(self: BlockingService, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if at_once is not None:
            return at_once(self._engine, *args, **kwargs)
        call: Coroutine[Any, Any, T] = self._twin(method.__name__)(*args, **kwargs)
        return self._engine.run(call)

    return forwarded
