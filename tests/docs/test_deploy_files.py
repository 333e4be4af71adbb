"""`deploy/` names only what there is: settings, commands, paths, files. Its YAML is read; nothing is started."""

import asyncio
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import psycopg
import pytest
import yaml
from pydantic import SecretStr

from postgres_server import NEEDS_POSTGRES, programs, shared_server
from tables import check_each
from toldonce.cli.main import app
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.settings import PREFIX, Settings
from toldonce.settings.all_settings import secret_settings
from toldonce.testing import FakeClock, WordEmbedder

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


@check_each("path", [*YAML, *sorted(DEPLOY.glob("Dockerfile*"))])
def test_every_setting_named_in_a_file_exists(path: Path) -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    settings |= {f"{PREFIX}{name.upper()}_FILE" for name in secret_settings()}
    assert set(re.findall(r"\bTOLDONCE_[A-Z_]+\b", path.read_text("utf-8"))) <= settings


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_compose_runs_two_servers_and_two_workers_that_need_what_is_there(path: Path) -> None:
    (compose,) = documents(path)
    services = compose["services"]
    for name, command, port in (("server", None, ""), ("worker", ["worker"], "TOLDONCE_METRICS_PORT")):
        service = services[name]
        assert service.get("command") == command
        assert service["deploy"] == {"replicas": 2}
        assert service["environment"]["TOLDONCE_WORKER"] == "false"
        asked = urlsplit(re.findall(r"'(http://[^']+)'", service["healthcheck"]["test"][-1])[0])
        assert (asked.port, asked.path) == (int(service["environment"][port]) if port else 8765, "/readyz")
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert (path.parent / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
    assert {
        volume.partition(":")[0]
        for manifest in services.values()
        for volume in manifest.get("volumes", [])
        if not volume.startswith("./")
    } == set(compose["volumes"])


@pytest.mark.parametrize(
    ("file", "url", "nodes"),
    [
        ("compose.yaml", "database_url", ["postgres"]),
        ("compose.citus.yaml", "citus_database_url", ["coordinator", "node-1", "node-2"]),
    ],
)
def test_compose_takes_secrets_from_the_files_that_the_script_makes(
    tmp_path: Path, file: str, url: str, nodes: list[str]
) -> None:
    (compose,) = documents(DEPLOY / file)
    (tmp_path / "make_secrets.sh").write_bytes((DEPLOY / "make_secrets.sh").read_bytes())
    run = ["sh", str(tmp_path / "make_secrets.sh")]
    subprocess.run(run, check=True, capture_output=True)
    made = {path.name: path.read_text("utf-8").strip() for path in (tmp_path / "secrets").iterdir()}
    subprocess.run(run, check=True, capture_output=True)
    assert made == {path.name: path.read_text("utf-8").strip() for path in (tmp_path / "secrets").iterdir()}
    assert {name: secret["file"] for name, secret in compose["secrets"].items()} == {
        name: f"./secrets/{name}" for name in made if name == url or not name.endswith("database_url")
    }
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    for service in compose["services"].values():
        given = {f"/run/secrets/{name}" for name in service["secrets"]}
        named = {value for key, value in service["environment"].items() if key.endswith("_FILE")}
        assert {value for value in named if value.startswith("/")} <= given
        assert not [key for key in service["environment"] if key.endswith(("_PASSWORD", "_SECRET", "_KEY"))]
    settings = Settings(database_url=made[url], jwt_secret=SecretStr(made["jwt_secret"]))
    assert urlsplit(settings.database_url).hostname in compose["services"]
    assert compose["networks"]["database"] == {"internal": True}
    for node in nodes:
        service = compose["services"][node]
        assert service["networks"] == ["database"]
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        mounted = [volume.partition(":")[0] for volume in service["volumes"] if volume.startswith("./")]
        assert "./postgres/role.sh" in mounted
        assert all((DEPLOY / path).is_file() for path in mounted)


def test_a_citus_node_writes_the_passwords_of_its_roles_for_itself_alone(tmp_path: Path) -> None:
    secrets, programs_folder, passwords = tmp_path / "secrets", tmp_path / "bin", tmp_path / "pgpass"
    for folder in (secrets, programs_folder):
        folder.mkdir()
    for name in ("postgres", "toldonce"):
        (secrets / f"{name}_password").write_text(f"{name}-swordfish\n", "utf-8")
    for program in ("docker-entrypoint.sh", "chown"):
        (programs_folder / program).write_text('#!/bin/sh\necho "$0 $@"\n', "utf-8")
        (programs_folder / program).chmod(0o755)
    script = (DEPLOY / "citus" / "start.sh").read_text("utf-8").replace("/run/secrets", str(secrets))
    environment = {"PATH": f"{programs_folder}:{os.environ['PATH']}", "PGPASSFILE": str(passwords)}
    ran = subprocess.run(["sh", "-c", script, "start.sh", "postgres"], env=environment, capture_output=True, check=True)
    assert passwords.read_text("utf-8") == "*:*:*:postgres:postgres-swordfish\n*:*:*:toldonce:toldonce-swordfish\n"
    assert passwords.stat().st_mode & 0o777 == 0o600
    assert ran.stdout.decode().splitlines()[-1].endswith("docker-entrypoint.sh postgres")
    assert b"swordfish" not in ran.stdout + ran.stderr


@NEEDS_POSTGRES
async def test_the_script_of_compose_makes_a_user_who_is_enough(tmp_path: Path, clock: FakeClock) -> None:
    admin = urlsplit(shared_server().new_database("composed"))
    password = "p'a\\ss"
    (tmp_path / "password").write_text(f"{password}\n", "utf-8")
    environment = {
        **{"PATH": f"{programs()}:{os.environ['PATH']}", "PGHOST": str(admin.hostname), "PGPORT": str(admin.port)},
        **{"PGPASSWORD": unquote(admin.password or ""), "POSTGRES_USER": str(admin.username)},
        **{"POSTGRES_DB": "composed", "ROLE_NAME": "composed", "ROLE_PASSWORD_FILE": str(tmp_path / "password")},
    }
    script = await asyncio.create_subprocess_exec("sh", str(DEPLOY / "postgres" / "role.sh"), env=environment)
    assert await script.wait() == 0
    url = f"postgresql://composed:{quote(password)}@{admin.hostname}:{admin.port}/composed"
    async with await AsyncToldOnce.open(url, embedder=WordEmbedder(), clock=clock) as engine:
        assert await engine.add("Ana plays the cello.", user="ana")
        assert (await engine.search("cello", user="ana")).items
    with psycopg.connect(url) as db:
        rights = "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        assert db.execute(rights).fetchone() == (False, False, False)


def test_citus_gets_nodes_then_spreads_its_tables_then_is_served() -> None:
    services = documents(DEPLOY / "compose.citus.yaml")[0]["services"]
    added = " ".join(services["cluster"]["command"])
    assert all(f"citus_add_node('{node}', 5432)" in added for node in ("node-1", "node-2"))
    assert services["distribute"]["command"] == ["db", "distribute"]
    done = {"condition": "service_completed_successfully"}
    assert services["distribute"]["depends_on"] == {"cluster": done}
    assert services["server"]["depends_on"] == services["worker"]["depends_on"] == {"distribute": done}
    assert [group.name for group in app.registered_groups] == ["hook", "keys", "db"]


def test_the_database_is_migrated_before_servers_and_workers_start() -> None:
    services = documents(DEPLOY / "compose.yaml")[0]["services"]
    assert services["migrate"]["command"] == ["db", "migrate"]
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    done = {"condition": "service_completed_successfully"}
    assert services["server"]["depends_on"] == services["worker"]["depends_on"] == {"migrate": done}
    (job,) = manifests("Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["args"] == services["migrate"]["command"]
    (deployment, _) = manifests("Deployment")
    (server,) = deployment["spec"]["template"]["spec"]["containers"]
    for same in ("image", "securityContext", "volumeMounts"):
        assert container[same] == server[same]
    assert container["env"] == [each for each in server["env"] if each["name"] == "TOLDONCE_DATABASE_URL_FILE"]
    for same in ("securityContext", "volumes", "automountServiceAccountToken"):
        assert job["spec"]["template"]["spec"][same] == deployment["spec"]["template"]["spec"][same]


async def test_kubernetes_asks_for_paths_that_are_served_and_gives_no_rights(
    engine: AsyncToldOnce, parts: Components
) -> None:
    served = {getattr(route, "path", "") for route in build_app(engine).routes}
    deployments = {manifest["metadata"]["name"]: manifest["spec"]["template"] for manifest in manifests("Deployment")}
    assert set(deployments) == {"toldonce-server", "toldonce-worker"}
    for template in deployments.values():
        (container,) = template["spec"]["containers"]
        assert container["args"][0] in COMMANDS
        probes = [value for name, value in container.items() if name.endswith("Probe")]
        assert len(probes) == 3
        assert {probe["httpGet"]["path"] for probe in probes} <= served
        ports = {port["name"]: str(port["containerPort"]) for port in container["ports"]}
        assert {probe["httpGet"]["port"] for probe in probes} <= ports.keys()
        [metrics] = [each["value"] for each in container["env"] if each["name"] == "TOLDONCE_METRICS_PORT"]
        assert ports["metrics"] == metrics == template["metadata"]["annotations"]["prometheus.io/port"]
        assert container["image"] == f"toldonce:{version('toldonce')}"
        assert template["spec"]["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert template["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (secret,) = manifests("Secret")
        (mount,) = container["volumeMounts"]
        paths = {f"{mount['mountPath']}/{name}" for name in secret["stringData"]}
        assert {each["value"] for each in container["env"] if each["name"].endswith("_FILE")} == paths
        assert template["spec"]["volumes"][0]["secret"]["secretName"] == secret["metadata"]["name"]
    (server,) = deployments["toldonce-server"]["spec"]["containers"]
    assert server["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert [manifest["metadata"]["name"] for manifest in manifests("Secret")] == ["toldonce"]


def test_selectors_meet_the_labels_of_what_they_select() -> None:
    labels = [manifest["spec"]["template"]["metadata"]["labels"] for manifest in manifests("Deployment")]
    asked = [manifest["spec"]["selector"]["matchLabels"] for manifest in manifests("Deployment")]
    assert asked == labels
    (service,) = manifests("Service")
    assert service["spec"]["selector"] in labels
    budgets = [manifest["spec"]["selector"]["matchLabels"] for manifest in manifests("PodDisruptionBudget")]
    assert budgets == asked
    (scaler,) = manifests("HorizontalPodAutoscaler")
    assert scaler["spec"]["scaleTargetRef"]["name"] in {
        manifest["metadata"]["name"] for manifest in manifests("Deployment")
    }


def test_policies_choose_what_runs_and_let_ingress_and_prometheus_in() -> None:
    labels = [manifest["spec"]["template"]["metadata"]["labels"] for manifest in manifests("Deployment")]
    chosen: dict[str, list[dict[str, Any]]] = {"Ingress": [], "Egress": []}
    for policy in manifests("NetworkPolicy"):
        asked = policy["spec"]["podSelector"]["matchLabels"]
        matching = [label for label in labels if asked.items() <= label.items()]
        assert matching
        for kind in policy["spec"]["policyTypes"]:
            chosen[kind] += matching
    assert all(label in chosen["Ingress"] and label in chosen["Egress"] for label in labels)
    ways_in = [rule for policy in manifests("NetworkPolicy") for rule in policy["spec"].get("ingress", [])]
    assert [[port["port"] for port in rule["ports"]] for rule in ways_in] == [["http"], ["metrics"], ["metrics"]]
    assert all(rule["from"] for rule in ways_in)


def test_what_builds_the_image_is_pinned_with_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    locked = (DEPLOY / "build-requirements.lock").read_text("utf-8")
    lines = [line for line in locked.splitlines() if "==" in line]
    pinned = {line.partition(" ")[0] for line in lines}
    assert set(project["build-system"]["requires"]) <= pinned
    assert locked.count("--hash=sha256:") >= len(pinned)
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    for command in re.findall(r"pip install [^\\\n]*", text):
        assert "--require-hashes" in command or "--no-index" in command


def test_each_image_of_others_can_be_named_by_its_digest() -> None:
    """Where a tag stands it is the default of a variable, which Compose passes on with the same default."""
    defaults: dict[str, str] = {}
    for path in sorted(DEPLOY.glob("Dockerfile*[!e]")):
        arguments = dict(re.findall(r"(?m)^ARG (\w+)=(\S+)$", path.read_text("utf-8")))
        assert set(re.findall(r"(?m)^FROM (\S+)", path.read_text("utf-8"))) == {f"${{{name}}}" for name in arguments}
        defaults |= arguments
    named = "".join(path.read_text("utf-8") for path in COMPOSE)
    passed = dict(re.findall(r"\$\{(\w+_IMAGE):-(\S+)\}", named))
    assert defaults.items() <= passed.items()
    images = {service.get("image", "") for path in COMPOSE for service in documents(path)[0]["services"].values()}
    assert all(image.startswith(("toldonce", "${")) for image in images)


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
        *("authlib", "joserfc", "httpx", "httpcore", "certifi"),  # logins at an OpenID provider
    }
