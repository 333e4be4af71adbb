"""What `/metrics` and `/api/memory/stats` report, without naming any user."""

import logging
import os
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from forked_processes import run_python
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.metrics import Metrics, ProxyCounters
from toldonce.server.app import build_app
from toldonce.server.observability import exposition
from toldonce.types import MemoryKind, RequestScope, StoreTotals, Subject
from toldonce.worker.counters import WorkerCounters

ANA = {"x-toldonce-user": "ana"}


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ANA) as client:
        yield client


async def chat(api: httpx.AsyncClient, text: str) -> str:
    body = {"model": "toldonce/offline", "messages": [user(text)]}
    answer = await api.post("/v1/chat/completions", json=body)
    return str(answer.json()["choices"][0]["message"]["content"])


async def measured(api: httpx.AsyncClient) -> dict[str, float]:
    text = (await api.get("/metrics")).text
    assert "ana" not in text
    assert "peanuts" not in text
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.labels
    }


async def test_s13_extraction_saving_and_retrieval_are_counted_under_their_names(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    before = await measured(api)
    assert {before[f"memory_{name}"] for name in ("extraction_count", "saved_count", "retrieved_count")} == {0}
    await chat(api, PEANUTS_AND_OSLO)
    await engine.form()
    await chat(api, "What should I avoid at a restaurant?")
    await engine.form()
    after = await measured(api)
    assert after["memory_extraction_count"] == after["memory_extraction_success"] == 2
    assert after["memory_extraction_errors"] == 0
    listed = await engine.list(user="ana")
    assert after["memory_total_count"] == len(listed)
    assert after["memory_saved_count"] == sum(memory.kind is not MemoryKind.TURN for memory in listed) > 0
    assert after["memory_retrieved_count"] > 0
    assert after["recall_seconds_count"] == 2
    assert after["proxy_chats_total"] == 2


async def test_s13_a_failed_extraction_is_counted_as_one(parts: Components) -> None:
    from toldonce.errors import ModelError
    from toldonce.testing import ScriptedModel

    engine = AsyncToldOnce(replace(parts, model=ScriptedModel([ModelError("no answer")])))
    await engine.record([user(PEANUTS_AND_OSLO)], user="ana")
    await engine.form()
    assert (engine.metrics.extraction_count, engine.metrics.extraction_errors) == (1, 1)
    assert engine.metrics.extraction_success == 0


async def test_u12_rates_are_told_per_user_and_as_sums(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await chat(api, PEANUTS_AND_OSLO)
    await engine.form()
    await chat(api, "I'm allergic to peanuts.")
    await engine.form()
    answer = await chat(api, "What should I avoid at a restaurant?")
    assert "peanuts" in answer
    await engine.turns.close()
    mine = (await api.get("/api/memory/stats")).json()
    assert mine["memory_total_count"] == len(await engine.list(user="ana"))
    assert 0 < mine["memory_dedup_rate"] < 1
    assert 0 < mine["retrieval_hit_rate"] <= 1
    assert mine["decisions"]["add"] > 0
    sums = await measured(api)
    assert sums["retrieval_hit_rate"] == pytest.approx(mine["retrieval_hit_rate"])
    other = (await api.get("/api/memory/stats", headers={"x-toldonce-user": "ben"})).json()
    assert (other["memory_total_count"], other["decisions"], other["retrieval_hit_rate"]) == (0, {}, 0)


async def test_a10_apps_are_counted(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    calendar = RequestScope(profile="app", app="calendar")
    await engine.record([user(PEANUTS_AND_OSLO)], user="ana", conversation="c", scope=calendar)
    await engine.conversations.end("c", user="ana", scope=calendar)
    await engine.form()
    headers = {"x-toldonce-profile": "app", "x-toldonce-app": "calendar"}
    await api.post("/v1/chat/completions", json={"model": "m", "messages": [user("Peanuts?")]}, headers=headers)
    counted = await measured(api)
    assert counted["app_memory_created_total"] == len(
        await engine.list(user=await engine.conversations.subject(user="ana", scope=calendar))
    )
    assert counted["app_memory_utilization"] == 1
    assert counted["app_context_injection_rate"] == 1
    assert counted["app_memory_energy_total"] > 0
    assert counted["app_memory_compactions_total"] == 0
    for number in range(10):
        talk = [user(f"In the year {1900 + number} my grandfather built house number {number} in Bergen.")]
        await engine.conversations.end(f"d{number}", messages=talk, user="ana", scope=calendar)
        await engine.form()
    assert len(await engine.apps.memories("calendar", user="ana")) == 10
    assert (await measured(api))["app_memory_compactions_total"] == 1


async def test_u11_one_line_a_run_tells_the_decisions_by_id(
    engine: AsyncToldOnce, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="toldonce"):
        await engine.record([user(PEANUTS_AND_OSLO)], user="zebulon")
        await engine.form()
    [line] = [record for record in caplog.records if record.message == "memory_decision"]
    told = vars(line)
    assert told["user_id"] == Subject("user", "zebulon").key
    assert "zebulon" not in repr([vars(record) for record in caplog.records])
    assert told["input_message_length"] == len(PEANUTS_AND_OSLO)
    assert told["extracted_count"] == len(told["decisions"]) > 1
    assert {decision["fact"] for decision in told["decisions"]} >= {
        known.id for known in await engine.list(user="zebulon", kinds=(MemoryKind.FACT,))
    }
    assert "peanuts" not in repr([vars(record) for record in caplog.records])


async def test_u11_words_are_logged_only_where_the_setting_allows(
    parts: Components, caplog: pytest.LogCaptureFixture
) -> None:
    settings = parts.settings.model_copy(update={"log_memory_text": True})
    engine = AsyncToldOnce(replace(parts, settings=settings))
    with caplog.at_level(logging.INFO, logger="toldonce"):
        await engine.record([user(PEANUTS_AND_OSLO)], user="ana")
        await engine.form()
    [line] = [record for record in caplog.records if record.message == "memory_decision"]
    assert vars(line)["user_id"] == "user:ana"
    assert any("peanuts" in decision["fact"] for decision in vars(line)["decisions"])
    assert all(decision["reason"] for decision in vars(line)["decisions"])


def test_the_text_of_all_metrics_is_the_one_that_dashboards_read() -> None:
    """`exposition.txt` was written by an earlier version."""
    metrics = Metrics(retrieved=4, app_energy=1.5)
    for seconds in (0.0005, 0.001, 0.003, 0.7, 31.0):
        metrics.recall_seconds.observe(seconds)
    for seconds in (0.02, 2.5):
        metrics.formation_seconds.observe(seconds)
    for tokens in (0, 10, 11, 400, 5000):
        metrics.injected_tokens.observe(tokens)
    metrics.decisions.update({"add": 2, "replace": 1})
    metrics.scrubbed["card"] = 1
    metrics.skipped["thanks"] = 3
    metrics.refused["body"] = 2
    metrics.cut["user"] = 1
    metrics.without_memory["/v1/messages"] = 6
    metrics.observe_answer("chat", 200, 0.3)
    metrics.observe_answer("api", 999, 40.0)
    totals = StoreTotals(memories=1, apps=2, apps_with_memories=3, formations_due=4, formations_parked=5)
    written = exposition(metrics, ProxyCounters(chats=3), asdict(WorkerCounters(formed=7)), totals).decode()
    expected = (Path(__file__).parent / "exposition.txt").read_text("utf-8")
    assert written == expected.replace("VERSION", version("toldonce")).replace("PYTHON", python_version())


async def test_answers_are_timed_by_kind_and_status(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await chat(api, PEANUTS_AND_OSLO)
    for path in ("/api/memory/stats", "/livez", "/nowhere"):
        await api.get(path)
    counted = {labels: histogram.count for labels, histogram in engine.metrics.answers.items()}
    assert counted == {("chat", "200"): 1, ("api", "200"): 1, ("monitoring", "200"): 1, ("other", "404"): 1}


def test_each_engine_counts_for_itself() -> None:
    first, second = Metrics(), Metrics()
    first.recall_seconds.observe(0.1)
    totals = StoreTotals(memories=0, apps=0, apps_with_memories=0, formations_due=0, formations_parked=0)
    assert "recall_seconds_count 0.0" in exposition(second, ProxyCounters(), {}, totals).decode()


TWO_ENGINES = """
import sys
# The fork server has loaded them without the folder.
for name in [name for name in sys.modules if name.startswith(("prometheus_client", "toldonce.server.observability"))]:
    del sys.modules[name]
from prometheus_client import Counter, generate_latest
from toldonce.metrics import Metrics, ProxyCounters
from toldonce.server.observability import exposition
from toldonce.types import StoreTotals

if host_counts:
    Counter("host_requests", "Requests of the host application.").inc()
first, second = Metrics(), Metrics()
first.recall_seconds.observe(0.1)
totals = StoreTotals(memories=0, apps=0, apps_with_memories=0, formations_due=0, formations_parked=0)
for metrics in (first, second):
    [count] = [line for line in exposition(metrics, ProxyCounters(), {}, totals).decode().splitlines()
               if line.startswith("recall_seconds_count")]
    print(count)
if host_counts:
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    print(generate_latest(registry).decode())
"""


@pytest.mark.parametrize("folder_exists", [True, False])
def test_a_hosts_multiprocess_folder_is_left_alone(tmp_path: Path, folder_exists: bool) -> None:
    folder = tmp_path / "metrics"
    if folder_exists:
        folder.mkdir()
    script = tmp_path / "host.py"
    script.write_text(f"host_counts = {folder_exists}{TWO_ENGINES}", "utf-8")
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    run = run_python(str(script), env=environment, timeout=PATIENCE_S)
    assert run.returncode == 0, run.stderr
    first, second, *host = run.stdout.splitlines()
    assert (first, second) == ("recall_seconds_count 1.0", "recall_seconds_count 0.0")
    assert folder.exists() == folder_exists
    assert ("host_requests_total 1.0" in host) == folder_exists
    assert "recall" not in "".join(host)
