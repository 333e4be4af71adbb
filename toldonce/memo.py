"""Results of pure functions, kept while one piece of work lasts and dropped with it: no text outlives it here."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

# Results kept at a time; then all are dropped, and the next ones are kept.
MAX_KEPT = 4_000

_kept: ContextVar[dict[object, Any] | None] = ContextVar("kept results", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Keep the results of `remembered` functions until the end of this context, threads that it starts included.

    Within another such context nothing changes: the outer one keeps them.
    """
    if _kept.get() is not None:
        yield
        return
    kept: dict[object, Any] = {}
    token = _kept.set(kept)
    try:
        yield
    finally:
        _kept.reset(token)
        kept.clear()


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Compute a pure function once for the same arguments within `remembering`; elsewhere, at each call.

    Its result is shared by its callers, so it must be one that none of them can change.

    >>> calls = []
    >>> length = remembered(lambda text: calls.append(text) or len(text))
    >>> with remembering():
    ...     length("Oslo"), length("Oslo")
    (4, 4)
    >>> length("Oslo"), len(calls)
    (4, 2)
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        kept = _kept.get()
        if kept is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items())
        try:
            result: T = kept[key]
        except KeyError:
            result = function(*args, **kwargs)
            _keep(kept, key, result)
        return result

    return call


def remembered_each(function: Callable[[Sequence[K]], Sequence[T]]) -> Callable[[Sequence[K]], list[T]]:
    """Do as `remembered` for a function that gives a result for each of several things: only new ones are asked for.

    >>> lengths = remembered_each(lambda texts: calls.append(texts) or [len(text) for text in texts])
    >>> calls = []
    >>> with remembering():
    ...     lengths(["Oslo", "Bergen"]), lengths(["Bergen", "Ulm"])
    ([4, 6], [6, 3])
    >>> calls
    [['Oslo', 'Bergen'], ['Ulm']]
    """

    @wraps(function)
    def call(things: Sequence[K]) -> list[T]:
        kept = _kept.get()
        found: dict[K, T] = {}
        if kept is not None:
            found = {thing: kept[function, thing] for thing in things if (function, thing) in kept}
        new = [thing for thing in dict.fromkeys(things) if thing not in found]
        for thing, result in zip(new, function(new) if new else (), strict=True):
            found[thing] = result
            if kept is not None:
                _keep(kept, (function, thing), result)
        return [found[thing] for thing in things]

    return call


def _keep(kept: dict[object, Any], key: object, result: object) -> None:
    if len(kept) >= MAX_KEPT:
        kept.clear()
    kept[key] = result
