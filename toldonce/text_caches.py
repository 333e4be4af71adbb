"""Registry of the caches that hold users' words as long as the process lives: an erasure empties all of them.

Each is bounded. What a thread is computing while the caches are emptied may be cached afterwards.
"""

from typing import Protocol, TypeVar


class ClearableCache(Protocol):
    """A cache that can be emptied from any thread, such as what `functools.lru_cache` returns."""

    def cache_clear(self) -> None:
        """Drop all entries."""
        ...


C = TypeVar("C", bound=ClearableCache)
_caches: list[ClearableCache] = []


def register_text_cache(cache: C) -> C:
    """Register and return a cache; for modules, also as a decorator above `lru_cache`."""
    _caches.append(cache)
    return cache


def clear_text_caches() -> None:
    """Empty all registered caches."""
    for cache in tuple(_caches):
        cache.cache_clear()
