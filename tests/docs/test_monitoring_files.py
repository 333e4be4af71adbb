"""`deploy/monitoring` asks only for metrics and labels that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "deploy" / "monitoring"
# `up` and the labels of a target are Prometheus' own.
_OWN = {"up", "instance", "job"}
_FUNCTIONS = set("sum max avg count rate increase histogram_quantile by".split())
_STRINGS = re.compile(r'"[^"]*"|\[[^]]*]')
_WORD = re.compile(r"[a-z_]{2,}")


def metrics() -> set[str]:
    """Return the names of all samples, and of their labels."""
    text = (ROOT / "tests" / "server" / "exposition.txt").read_text("utf-8")
    samples = [each for family in text_string_to_metric_families(text) for each in family.samples]
    return {each.name for each in samples} | {label for each in samples for label in each.labels}


def alerts() -> list[dict[str, Any]]:
    [group] = yaml.safe_load((MONITORING / "alerts.yaml").read_text("utf-8"))["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def panels() -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = json.loads((MONITORING / "dashboard.json").read_text("utf-8"))["panels"]
    return shown


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in alerts())
    yield from (target["expr"] for panel in panels() for target in panel["targets"])


def test_expressions_name_metrics_and_labels_that_there_are() -> None:
    words = {expression: set(_WORD.findall(_STRINGS.sub("", expression))) for expression in expressions()}
    known = metrics() | _OWN
    assert {
        expression: found - _FUNCTIONS - known for expression, found in words.items() if found - _FUNCTIONS - known
    } == {}
    assert [expression for expression, found in words.items() if not found & known] == []


def test_each_alert_says_what_happened_and_what_to_do() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(set(names)) == len(names)
    for rule in alerts():
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_panels_have_places_and_ids_of_their_own() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels()]
    assert len(set(places)) == len({panel["id"] for panel in panels()}) == len(panels())
