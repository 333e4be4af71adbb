"""Counters of one process since its start: sums over all users. Pure."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import accumulate
from typing import Any

# Upper bounds of the histograms' buckets, in the unit that their names end in.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# Statuses that are told apart; an upstream might send any number.
_STATUSES = range(100, 600)
TOKENS = (10, 25, 50, 100, 200, 400, 800, 1600, 3200)


class Histogram:
    """Counts of observed values by size.

    `prometheus_client`'s histogram would keep its counts in files that all engines of a process share, with those of a
    host application, where `PROMETHEUS_MULTIPROC_DIR` is set.
    """

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        """Sum of the observed values."""

    def observe(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """Number of observed values."""
        return sum(self._counts)

    @property
    def parts(self) -> dict[str, float]:
        """The counts by place, and the sum as `total`."""
        return {**{str(place): count for place, count in enumerate(self._counts)}, "total": self.total}

    def add(self, part: str, increment: float) -> None:
        """Add to one of `parts`."""
        if part == "total":
            self.total += increment
        else:
            self._counts[int(part)] += int(increment)

    def quantile(self, share: float) -> float | None:
        """Return the least bound that holds this share of the values; None without values, or beyond all bounds.

        >>> histogram = Histogram((0.5, 10.0))
        >>> for value in (0.1, 0.2, 3):
        ...     histogram.observe(value)
        >>> histogram.quantile(0.5), histogram.quantile(0.95)
        (0.5, 10.0)
        """
        needed = share * self.count
        found = accumulate(self._counts[:-1])
        bounds = (bound for bound, count in zip(self._bounds, found, strict=True) if count >= needed)
        return next(bounds, None) if self.count else None

    def buckets(self) -> list[tuple[str, int]]:
        """Return each upper bound, as Prometheus writes it, with the number of values up to it; the last is `+Inf`.

        >>> histogram = Histogram((0.5, 10.0))
        >>> for value in (0.5, 3, 40):
        ...     histogram.observe(value)
        >>> histogram.buckets(), histogram.total
        ([('0.5', 1), ('10', 2), ('+Inf', 3)], 43.5)
        """
        names = [*(f"{bound:g}" for bound in self._bounds), "+Inf"]
        return list(zip(names, accumulate(self._counts), strict=True))


@dataclass(slots=True)
class ProxyCounters:
    """Counts of the chat proxy since its start."""

    chats: int = 0
    recalled: int = 0
    recorded: int = 0
    not_recorded: int = 0
    failed_in_a_row: int = 0
    """Turns whose recording failed since the last one that was recorded."""
    memory_failed: int = 0
    background_tasks: int = 0
    refused_then_sent_plain: int = 0
    broken: int = 0
    client_left: int = 0
    prompt_tokens: int = 0
    """Tokens of the prompts that memory took part in, as upstream reported them."""
    cached_tokens: int = 0
    """Those among `prompt_tokens` that upstream had cached."""


@dataclass(slots=True)
class Metrics:
    """Counts since the start of the process."""

    refused: Counter[str] = field(default_factory=Counter)
    """Connections and requests that a server refused or ended because of a limit, by reason."""
    cut: Counter[str] = field(default_factory=Counter)
    """Messages of which only a part was recorded, by who said them."""
    without_memory: Counter[str] = field(default_factory=Counter)
    """Chats relayed without memory, by route: those of formats that have none yet."""

    extraction_count: int = 0
    """Extractions begun."""
    extraction_success: int = 0
    extraction_errors: int = 0
    saved: int = 0
    """Notes, facts and episodes stored."""
    retrieved: int = 0
    """Memories put into prompts or returned by a search."""
    decisions: Counter[str] = field(default_factory=Counter)
    """By action."""
    scrubbed: Counter[str] = field(default_factory=Counter)
    """Secrets removed before formation, by shape; never their values."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Messages not shown to a model, by reason: empty, greeting, thanks, assent, code."""
    judged: int = 0
    """Memories in prompts whose answer is known."""
    hits: int = 0
    """Memories among `judged` that the answer used."""
    app_created: int = 0
    """Memories of apps that were created."""
    app_compactions: int = 0
    """Memories of apps that displaced another one, or were merged with it."""
    app_turns: int = 0
    """Turns of apps' conversations."""
    app_turns_injected: int = 0
    """Turns among `app_turns` whose prompt held memory."""
    app_energy: float = 0.0
    """Units of energy spent on memories of apps."""
    previous_prompt_bytes: int = 0
    """Bytes of conversations' previous prompts, up to their newest user messages."""
    kept_prompt_bytes: int = 0
    """Those among `previous_prompt_bytes` that the next prompts began with."""
    reranked: int = 0
    """Recalls whose order a reranker decided."""
    rerank_failures: int = 0
    """Recalls that kept their own order because the reranker failed, or was skipped after a failure."""
    recall_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    """Recall beside the query's embedding."""
    formation_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    """Formations, models included."""
    injected_tokens: Histogram = field(default_factory=lambda: Histogram(TOKENS))
    """Tokens of memory in a prompt."""
    answers: dict[tuple[str, str], Histogram] = field(default_factory=dict)
    """By kind of route and status: seconds from a request's head to the beginning of its answer."""

    def observe_answer(self, kind: str, status: int, seconds: float) -> None:
        """Count an answer that begins."""
        key = (kind, str(status) if status in _STATUSES else "other")
        if key not in self.answers:
            self.answers[key] = Histogram(SECONDS)
        self.answers[key].observe(seconds)


def counts_by_name(counters: Any) -> dict[str, float]:
    """Return the counts of a dataclass of counters by name, without those of answers.

    >>> found = counts_by_name(Metrics(saved=2, decisions=Counter(add=3)))
    >>> found["saved"], found["decisions.add"], found["recall_seconds.total"]
    (2, 3, 0.0)
    """
    found: dict[str, float] = {}
    for name in (each.name for each in fields(counters)):
        value = getattr(counters, name)
        if isinstance(value, int | float):
            found[name] = value
        elif isinstance(value, Counter | Histogram):
            parts = value if isinstance(value, Counter) else value.parts
            found |= {f"{name}.{part}": count for part, count in parts.items()}
    return found


def add_counts(counters: Any, increments: Mapping[str, float]) -> None:
    """Add to counts by the names that `counts_by_name` returns."""
    for name, increment in increments.items():
        field_name, _, part = name.partition(".")
        value = getattr(counters, field_name)
        if isinstance(value, Histogram):
            value.add(part, increment)
        elif isinstance(value, Counter):
            value[part] += int(increment)
        else:
            setattr(counters, field_name, value + increment)


def replacement_rate(decisions: Mapping[str, int]) -> float:
    """Return the share of replacements among stored memories; 0 if there are none.

    >>> replacement_rate({"add": 3, "replace": 1, "ignore": 9})
    0.25
    """
    replaced = decisions.get("replace", 0)
    return share(replaced, replaced + decisions.get("add", 0))


def dedup_rate(decisions: Mapping[str, int]) -> float:
    """Return the share of already known candidates among those known and those stored.

    >>> dedup_rate({"add": 2, "replace": 1, "merge": 1})
    0.25
    """
    known = decisions.get("merge", 0) + decisions.get("ignore", 0)
    return share(known, known + decisions.get("replace", 0) + decisions.get("add", 0))


def share(part: float, whole: float) -> float:
    """Return `part / whole`; 0 if the whole is 0."""
    return part / whole if whole else 0.0
