"""`deploy/` names only what there is: settings, commands, paths, files. Its YAML is read; nothing is started."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from recollect.cli.main import app
from recollect.engine import AsyncRecollect, Components
from recollect.server.app import build_app
from recollect.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
YAML = sorted(DEPLOY.rglob("*.yaml"))
COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))
COMMANDS = {"serve", "worker", "db"}


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def manifests(kind: str) -> Iterator[dict[str, Any]]:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        yield from (manifest for manifest in documents(path) if manifest["kind"] == kind)


@pytest.mark.parametrize("path", [*YAML, *sorted(DEPLOY.glob("Dockerfile*"))], ids=lambda path: path.name)
def test_every_setting_named_in_a_file_exists(path: Path) -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"\bRECOLLECT_[A-Z_]+\b", path.read_text("utf-8"))) <= settings


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_compose_runs_two_servers_and_two_workers_that_need_what_is_there(path: Path) -> None:
    (compose,) = documents(path)
    services = compose["services"]
    for name, command in (("server", None), ("worker", ["worker"])):
        service = services[name]
        assert service.get("command") == command
        assert service["deploy"] == {"replicas": 2}
        assert service["environment"]["RECOLLECT_WORKER"] == "false"
        assert service["environment"]["RECOLLECT_DATABASE_URL"].partition("@")[2].partition(":")[0] in services
        assert (path.parent / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
    assert {
        volume.partition(":")[0] for manifest in services.values() for volume in manifest.get("volumes", [])
    } == set(compose["volumes"])


def test_citus_gets_nodes_then_spreads_its_tables_then_is_served() -> None:
    services = documents(DEPLOY / "compose.citus.yaml")[0]["services"]
    added = " ".join(services["cluster"]["command"])
    assert all(f"citus_add_node('{node}', 5432)" in added for node in ("node-1", "node-2"))
    assert services["distribute"]["command"] == ["db", "distribute"]
    done = {"condition": "service_completed_successfully"}
    assert services["distribute"]["depends_on"] == {"cluster": done}
    assert services["server"]["depends_on"] == services["worker"]["depends_on"] == {"distribute": done}
    assert [group.name for group in app.registered_groups] == ["keys", "db"]


async def test_kubernetes_asks_for_paths_that_are_served_and_gives_no_rights(
    engine: AsyncRecollect, parts: Components
) -> None:
    served = {getattr(route, "path", "") for route in build_app(engine).routes}
    deployments = {manifest["metadata"]["name"]: manifest["spec"]["template"] for manifest in manifests("Deployment")}
    assert set(deployments) == {"recollect-server", "recollect-worker"}
    for template in deployments.values():
        (container,) = template["spec"]["containers"]
        assert container["args"][0] in COMMANDS
        probes = [value for name, value in container.items() if name.endswith("Probe")]
        assert {probe["httpGet"]["path"] for probe in probes} <= served
        assert template["spec"]["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["envFrom"] == [{"secretRef": {"name": "recollect"}}]
    (server,) = deployments["recollect-server"]["spec"]["containers"]
    assert server["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert [manifest["metadata"]["name"] for manifest in manifests("Secret")] == ["recollect"]


def test_selectors_meet_the_labels_of_what_they_select() -> None:
    labels = [manifest["spec"]["template"]["metadata"]["labels"] for manifest in manifests("Deployment")]
    asked = [manifest["spec"]["selector"]["matchLabels"] for manifest in manifests("Deployment")]
    assert asked == labels
    (service,) = manifests("Service")
    assert service["spec"]["selector"] in labels
    (scaler,) = manifests("HorizontalPodAutoscaler")
    assert scaler["spec"]["scaleTargetRef"]["name"] in {
        manifest["metadata"]["name"] for manifest in manifests("Deployment")
    }


def test_the_image_holds_what_the_lock_says_and_is_run_by_nobody_special() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert re.search(r"(?m)^USER 10001:10001$", text)
    for copied in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", text):
        assert all((ROOT / name).exists() for name in copied.split())
    ours = {line for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if "==" in line}
    theirs = {line for line in (DEPLOY / "requirements.lock").read_text("utf-8").splitlines() if "==" in line}
    assert ours <= theirs
    assert {line.partition("==")[0] for line in theirs - ours} == {
        *("psycopg", "psycopg-binary"),
        *("cffi", "cryptography", "pycparser"),  # signatures of JWTs
    }
