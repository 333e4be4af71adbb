"""Limits of keys and users: requests a minute, and at the same time. Holds counts of this process."""

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from toldonce.types import ApiKey

_MINUTE_S = 60.0
# A second is a sensible time to try again when others of the same key are still being answered.
_BUSY_S = 1.0
_MAX_BUCKETS = 10_000


@dataclass(slots=True)
class _Bucket:
    """Requests that may still be made, refilled steadily (a token bucket)."""

    left: float
    at: float


class RateLimiter:
    """Counts requests a minute by name: of keys, of users."""

    def __init__(self, *, timer: Callable[[], float] = monotonic) -> None:
        """Count from zero; `timer` counts seconds."""
        self._timer = timer
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def draw(self, name: str, per_minute: int) -> float:
        """Count a request; return 0 if it may be served, or the seconds after which to try again."""
        now = self._timer()
        bucket = self._buckets.setdefault(name, _Bucket(float(per_minute), now))
        self._buckets.move_to_end(name)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
        bucket.left = min(per_minute, bucket.left + (now - bucket.at) * per_minute / _MINUTE_S)
        bucket.at = now
        if bucket.left < 1:
            return (1 - bucket.left) * _MINUTE_S / per_minute
        bucket.left -= 1
        return 0.0


class KeyLimiter:
    """Counts the requests of each key."""

    def __init__(self, *, timer: Callable[[], float] = monotonic) -> None:
        """Count from zero; `timer` counts seconds."""
        self._rates = RateLimiter(timer=timer)
        self._running: Counter[str] = Counter()

    def begin(self, key: ApiKey) -> float:
        """Count a request; return 0 if it may be served, or the seconds after which to try again.

        A request that may be served is to be ended by `end`.
        """
        limits = key.limits
        if limits.concurrent_requests is not None and self._running[key.id] >= limits.concurrent_requests:
            return _BUSY_S
        per_minute = limits.requests_per_minute
        wait_s = 0.0 if per_minute is None else self._rates.draw(key.id, per_minute)
        if not wait_s:
            self._running[key.id] += 1
        return wait_s

    def end(self, key: ApiKey) -> None:
        """Note that a request was served."""
        self._running[key.id] -= 1
        if self._running[key.id] <= 0:
            del self._running[key.id]
