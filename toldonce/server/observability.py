"""Routes for monitoring: `GET /livez`, `/readyz`, `/healthz` and `/metrics`. Serves through the engine."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from platform import python_version
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from toldonce.engine import AsyncToldOnce
from toldonce.metrics import Histogram, Metrics, ProxyCounters, dedup_rate, replacement_rate, share
from toldonce.server.auth.guard import HELLO, is_operator
from toldonce.server.database_wait import in_time
from toldonce.server.origin_guard import OriginGuard, is_loopback
from toldonce.server.status import FORBIDDEN, OK, SERVICE_UNAVAILABLE, error_body, retry_headers
from toldonce.types import StoreTotals

T = TypeVar("T")
MONITORING_PATHS = ("/livez", "/readyz", "/healthz", "/metrics")
_UNRECORDED = "the last turns were not recorded ({}): the server's log says why"
_RETRY = {name.decode(): value.decode() for name, value in retry_headers(SERVICE_UNAVAILABLE)}


def monitoring_routes(engine: AsyncToldOnce, proxy: ProxyCounters) -> list[Route]:
    """Build the routes."""
    return [
        *(Route(path, _livez, methods=["GET"]) for path in ("/livez", HELLO)),
        Route("/readyz", _readyz(engine), methods=["GET"]),
        Route("/healthz", _healthz(engine, proxy), methods=["GET"]),
        Route("/metrics", _metrics(engine, proxy), methods=["GET"]),
    ]


def build_monitoring(engine: AsyncToldOnce, proxy: ProxyCounters) -> ASGIApp:
    """Build an application of these routes alone, which asks for no credential; web pages are refused."""
    app = Starlette(routes=monitoring_routes(engine, proxy))
    settings = engine.settings
    return OriginGuard(app, loopback=is_loopback(settings.host), origins=frozenset(), hosts=settings.allowed_hosts)


async def _livez(request: Request) -> Response:
    """Report that this process answers; the database is not asked, because a restart would not repair it."""
    del request
    return _json({"status": "ok"}, OK)


def _readyz(engine: AsyncToldOnce) -> Callable[[Request], Awaitable[Response]]:
    async def readyz(request: Request) -> Response:
        """Report whether requests may be sent here: the database answers, has our schema, and takes writes."""
        del request
        schema, reason = await in_time(engine.admin.schema_version)
        if reason is None:
            _, reason = await in_time(engine.admin.require_writable)
        if reason is not None:
            return _json({"status": "unavailable", "reason": reason}, SERVICE_UNAVAILABLE)
        return _json({"status": "ready", "schema": schema}, OK)

    return readyz


def _healthz(engine: AsyncToldOnce, proxy: ProxyCounters) -> Callable[[Request], Awaitable[Response]]:
    async def healthz(request: Request) -> Response:
        """Report whether the database answers, and to the operator the counters since the start.

        If some machines of a cluster are down, the status is `degraded`: the subjects of the others are served. So it
        is where chats go on without being recorded, such as on a full disk.
        """
        body: dict[str, object] = {"status": "ok", "version": version("toldonce")}
        _, reason = await in_time(engine.admin.ping)
        if reason is not None:
            body |= {"status": "unavailable", "reason": reason}
        else:
            _, partly = await in_time(engine.admin.ping_all)
            _, unwritable = await in_time(engine.admin.require_writable)
            if partly is not None:
                body |= {"status": "degraded", "reason": "a part of the database does not answer; the rest is served"}
            elif unwritable is not None:
                body |= {"status": "degraded", "reason": unwritable}
            elif proxy.failed_in_a_row:
                body |= {"status": "degraded", "reason": _UNRECORDED.format(proxy.failed_in_a_row)}
        if is_operator(request.scope):
            worker = asdict(engine.admin.worker_counters) | {"breaker": asdict(engine.admin.breaker)}
            body |= {"proxy": asdict(proxy), "worker": worker}
        return _json(body, OK if reason is None else SERVICE_UNAVAILABLE)

    return healthz


def _json(body: dict[str, object], status: int) -> Response:
    return Response(json.dumps(body), status, media_type="application/json")


def _metrics(engine: AsyncToldOnce, proxy: ProxyCounters) -> Callable[[Request], Awaitable[Response]]:
    async def metrics(request: Request) -> Response:
        """Write the metrics of this process, for the operator: they count over all tenants."""
        if not is_operator(request.scope):
            message = "the metrics of the whole server need an administrator's key for everything"
            return Response(error_body(FORBIDDEN, message), FORBIDDEN, media_type="application/json")
        sums, reason = await in_time(engine.admin.totals)
        if sums is None:
            return Response(f"# {reason}\n", SERVICE_UNAVAILABLE, headers={"content-type": CONTENT_TYPE, **_RETRY})
        written = exposition(engine.metrics, proxy, asdict(engine.admin.worker_counters), sums)
        return Response(written, headers={"content-type": CONTENT_TYPE})

    return metrics


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(metrics: Metrics, proxy: ProxyCounters, worker: Mapping[str, int], sums: StoreTotals) -> bytes:
    """Write all metrics as text; `worker` has the counts of this process's worker by name."""
    registry = CollectorRegistry(auto_describe=False)
    families = [*_of_engine(metrics), *_of_store(sums), *_of_proxy(proxy), *_of_limits(metrics)]
    registry.register(_Counted([_build(), *families, *_of_worker(worker), _of_answers(metrics)]))
    return generate_latest(registry)


def _build() -> Metric:
    family = GaugeMetricFamily("toldonce_build_info", "What runs; the value is 1.", labels=["version", "python"])
    family.add_metric([version("toldonce"), python_version()], 1)
    return family


class _Counted(Collector):
    """Collector of ready metrics."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = tuple(families)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield from self._families


def _of_engine(metrics: Metrics) -> Iterator[Metric]:
    yield _plain("memory_extraction_count", "Extractions begun.", metrics.extraction_count)
    yield _plain("memory_extraction_success", "Extractions that were committed.", metrics.extraction_success)
    yield _plain("memory_extraction_errors", "Extractions that failed and are tried again.", metrics.extraction_errors)
    yield _plain("memory_saved_count", "Notes, facts and episodes stored.", metrics.saved)
    yield _plain("memory_retrieved_count", "Memories put into prompts.", metrics.retrieved)
    yield _labelled("memory_decisions", "Decisions by action.", "action", metrics.decisions)
    yield _labelled("memory_secrets_scrubbed", "Secrets struck out, by shape.", "shape", metrics.scrubbed)
    yield _labelled("memory_messages_skipped", "Messages kept from the model, by reason.", "reason", metrics.skipped)
    yield _rate("memory_replacement_rate", "Replacements among what was stored.", replacement_rate(metrics.decisions))
    yield _rate("memory_dedup_rate", "Candidates that were known already.", dedup_rate(metrics.decisions))
    yield _rate(
        "retrieval_hit_rate", "Memories in prompts that their answers made use of.", share(metrics.hits, metrics.judged)
    )
    yield CounterMetricFamily("app_memory_created", "Memories of apps made.", metrics.app_created)
    yield CounterMetricFamily("app_memory_compactions", "Compactions of apps' memories.", metrics.app_compactions)
    yield CounterMetricFamily("app_memory_energy", "Units of energy spent on apps' memories.", metrics.app_energy)
    yield _rate(
        "app_context_injection_rate",
        "Turns of apps that carried memory.",
        share(metrics.app_turns_injected, metrics.app_turns),
    )
    yield CounterMetricFamily(
        "prompt_previous_bytes",
        "Bytes of conversations' previous prompts, up to their newest user messages.",
        metrics.previous_prompt_bytes,
    )
    yield CounterMetricFamily(
        "prompt_kept_bytes", "Those of them that the next prompts began with.", metrics.kept_prompt_bytes
    )
    yield CounterMetricFamily("recall_reranked", "Recalls whose order a reranker settled.", metrics.reranked)
    yield CounterMetricFamily(
        "recall_rerank_failures", "Recalls that kept their own order as it failed.", metrics.rerank_failures
    )
    yield _histogram("recall_seconds", "Recall beside the query's embedding.", metrics.recall_seconds)
    yield _histogram("formation_seconds", "Formations, models included.", metrics.formation_seconds)
    yield _histogram("memory_injected_tokens", "Tokens of memory in a prompt.", metrics.injected_tokens)


def _of_limits(metrics: Metrics) -> Iterator[Metric]:
    yield _labelled("server_refused", "Connections and requests over a limit.", "reason", metrics.refused)
    yield _labelled("memory_messages_cut", "Messages recorded in part, by role.", "role", metrics.cut)
    yield _labelled("proxy_without_memory", "Chats in formats that have no memory.", "route", metrics.without_memory)


def _of_store(sums: StoreTotals) -> Iterator[Metric]:
    yield GaugeMetricFamily("memory_total_count", "Active notes, facts, episodes and kept quotations.", sums.memories)
    used = share(sums.apps_with_memories, sums.apps)
    yield _rate("app_memory_utilization", "Apps with memories among all apps.", used)
    yield GaugeMetricFamily("formations_due", "Formations whose time has come.", sums.formations_due)
    yield GaugeMetricFamily("formations_parked", "Formations that need a look.", sums.formations_parked)


def _of_proxy(proxy: ProxyCounters) -> Iterator[Metric]:
    counts = asdict(proxy)
    failed = counts.pop("failed_in_a_row")
    yield GaugeMetricFamily("proxy_failed_in_a_row", "Turns not recorded since the last one that was.", failed)
    for name, count in counts.items():
        counted = "Tokens upstream reported" if name.endswith("_tokens") else "Requests"
        yield CounterMetricFamily(f"proxy_{name}", f"{counted}: {name.replace('_', ' ')}.", count)


def _of_worker(worker: Mapping[str, int]) -> Iterator[Metric]:
    for name, count in worker.items():
        counted = "Formations of this server's worker" if name != "restarts" else "Ends of its process by itself"
        yield CounterMetricFamily(f"worker_{name}", f"{counted}: {name}.", count)


def _of_answers(metrics: Metrics) -> Metric:
    family = HistogramMetricFamily(
        "http_answer_seconds", "From a request's head to the beginning of its answer.", labels=["kind", "status"]
    )
    for labels, histogram in sorted(metrics.answers.items()):
        family.add_metric(labels, buckets=histogram.buckets(), sum_value=histogram.total)
    return family


def _plain(name: str, help_: str, value: float) -> Metric:
    """Write a count under its exact name; a counter's would end in `_total`."""
    family = Metric(name, help_, "unknown")
    family.add_sample(name, {}, value)
    return family


def _labelled(name: str, help_: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, help_, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family


def _rate(name: str, help_: str, value: float) -> Metric:
    return GaugeMetricFamily(name, f"{help_} 0 to 1.", value)


def _histogram(name: str, help_: str, histogram: Histogram) -> Metric:
    return HistogramMetricFamily(name, help_, buckets=histogram.buckets(), sum_value=histogram.total)
