"""`tools/release.py` makes packages that a machine without a checkout installs, serves and upgrades with."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from integration.raw_client import eventually, request
from integration.server_process import PATIENT
from patience import PATIENCE_S
from toldonce.store.sqlite.migrate import APPLICATION_ID, migrations, newest_schema
from tools import release
from tools.release import Source

ROOT = Path(__file__).parents[2]
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
UV = Path(sys.executable).with_name("uv")
NEEDED = ("git", "ssh-keygen")
IDENTITY = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x"}
BUILDER = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
[ "$1" != image ] || echo sha256:1234
"""

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not UV.exists() or not all(map(shutil.which, NEEDED)),
    reason="a release is made of a commit, by git, uv and ssh-keygen",
)


def run(*command: object, cwd: Path = ROOT) -> str:
    given = {**os.environ, **IDENTITY}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, cwd=cwd, env=given)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def served(toldonce: Path, home: Path, environment: Mapping[str, str]) -> Iterator[int]:
    """Run `toldonce serve` on a free port, and see that it ends well."""
    log = home / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [toldonce, "serve", "--port", "0"], env=environment, cwd=home, stderr=output, stdout=output
        )
    try:
        assert eventually(lambda: b"listens on http" in log.read_bytes()), log.read_text("utf-8")
        [port] = re.findall(r"listens on http://[^/]*:(\d+)/v1", log.read_text("utf-8"))
        yield int(port)
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 0, log.read_text("utf-8")
    finally:
        server.kill()
        server.wait()


def test_a_clean_machine_installs_serves_and_upgrades(tmp_path: Path) -> None:
    """The packages of the lock, and the unpacked embedder, come from caches that this environment has filled."""
    commit = run("git", "stash", "create") or "HEAD"
    built = tmp_path / "built"
    release.build(release.export(commit, tmp_path / "source"), built)
    home, folder = tmp_path / "home", tmp_path / "environment"
    home.mkdir()
    run(UV, "venv", "--quiet", "--python", sys.executable, folder)
    install = (UV, "pip", "install", "--quiet", "--link-mode", "symlink", "--python", folder / "bin" / "python")
    run(*install, "--require-hashes", "-r", "requirements.lock")
    run(*install, "--no-deps", built / f"toldonce-{VERSION}-py3-none-any.whl")
    toldonce, database = folder / "bin" / "toldonce", home / "memory.sqlite3"
    clean = {"PATH": os.environ["PATH"], "HOME": str(home), "TOLDONCE_DATABASE_URL": f"sqlite:///{database}"}
    clean |= {f"TOLDONCE_{name}": value for name, value in PATIENT.items()}
    clean["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    version = subprocess.run([toldonce, "--version"], env=clean, cwd=home, capture_output=True, text=True, check=True)
    assert version.stdout == f"toldonce {VERSION}\n"

    first, statements = migrations()[0]
    with closing(apsw.Connection(str(database))) as db:
        db.execute(statements)
        db.pragma("application_id", APPLICATION_ID)
        db.pragma("user_version", first)
    with served(toldonce, home, clean) as port:
        assert request(port, "/livez", method="GET").status == 200
        assert request(port, "/readyz", method="GET").json["schema"] == newest_schema()
        for text in ("I play the cello.", "What do I play?"):
            body = {"model": "toldonce/offline", "messages": [{"role": "user", "content": text}]}
            answer = request(port, "/v1/chat/completions", json.dumps(body).encode())
            assert answer.status == 200
        assert "cello" in json.dumps(answer.json["memories"])
    assert f'"before": {first}, "after": {newest_schema()}' in (home / "log").read_text("utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository with the few files that the release script reads; releases are made from it."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "CHANGELOG.md", *(lock.path for lock in release.LOCKS)):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / release.VENDORED, folder / release.VENDORED)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", ".", cwd=folder)
    run("git", "commit", "--quiet", "--message=All", cwd=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "ROOT", folder)
        yield folder


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, and a container builder that notes what it is told."""
    folder = tmp_path_factory.mktemp("tools")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
    (folder / "docker").write_text(BUILDER, "utf-8")
    (folder / "docker").chmod(0o755)
    return folder


def build_quickly(source: Source, destination: Path) -> None:
    """Stand in for uv, whose packages the last test builds and installs."""
    destination.mkdir(exist_ok=True)
    for name in (f"toldonce-{VERSION}-py3-none-any.whl", f"toldonce-{VERSION}.tar.gz"):
        (destination / name).write_text(f"{name} of {source.commit}", "utf-8")


@pytest.fixture(scope="module")
def built(project: Path, tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of that project."""
    dist = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "build", build_quickly)
        patch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
        assert release.main(["--key", str(tools / "key"), "--dist", str(dist)]) == 0
    return dist / VERSION


def test_builds_that_differ_are_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(source: Source, destination: Path) -> None:
        build_quickly(source, destination)
        (destination / f"toldonce-{VERSION}.tar.gz").write_text(str(destination), "utf-8")

    monkeypatch.setattr(release, "build", build)
    assert release.main(["--dist", str(tmp_path), "--unsigned"]) == 1
    assert capsys.readouterr().err.endswith(f"differ in toldonce-{VERSION}.tar.gz\n")


def test_the_signed_checksums_are_those_of_the_files(built: Path, tools: Path) -> None:
    sums = (built / "SHA256SUMS").read_text("utf-8")
    assert {line.split()[1] for line in sums.splitlines()} == {path.name for path in built.iterdir()} - {
        "SHA256SUMS",
        "SHA256SUMS.sig",
    }
    run("sh", "-c", f"cd {built} && sha256sum --check --strict SHA256SUMS")
    public = (tools / "key.pub").read_text("utf-8")
    (tools / "signers").write_text(f"releases {public}", "utf-8")
    verify = f"ssh-keygen -Y verify -f {tools}/signers -I releases -n toldonce -s {built}/SHA256SUMS.sig"
    assert "Good" in run("sh", "-c", f"{verify} < {built}/SHA256SUMS")


@pytest.mark.parametrize(("suffix", "lock"), [("", "requirements.lock"), ("-image", "deploy/requirements.lock")])
def test_the_bill_of_materials_names_what_is_locked_and_vendored(built: Path, suffix: str, lock: str) -> None:
    bill = json.loads((built / f"toldonce-{VERSION}{suffix}.cdx.json").read_text("utf-8"))
    locked = set(re.findall(r"(?m)^([a-z0-9.-]+==[^ ;]+)", (ROOT / lock).read_text("utf-8")))
    named = {each["bom-ref"] for each in bill["components"]}
    assert {f"pkg:pypi/{each.replace('==', '@')}" for each in locked} <= named
    assert len(named) == len(bill["components"]) == len(locked) + 2
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    [asked] = bill["dependencies"]
    assert asked["ref"] == bill["metadata"]["component"]["bom-ref"] == f"pkg:pypi/toldonce@{VERSION}"
    assert set(asked["dependsOn"]) < named
    assert any(each.startswith("pkg:pypi/aiohttp@") for each in asked["dependsOn"])


def test_the_image_is_built_where_a_builder_runs(built: Path, tools: Path) -> None:
    calls = (tools / "calls").read_text("utf-8").splitlines()
    assert calls[1].startswith(f"build -f deploy/Dockerfile -t toldonce:{VERSION} ")
    assert (built / f"toldonce-{VERSION}-image.txt").read_text("utf-8") == f"toldonce:{VERSION} sha256:1234\n"


def test_without_a_key_nothing_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--dist", str(tmp_path)]) == 1
    assert release.main(["--dist", str(tmp_path), "--key", str(tmp_path / "key")]) == 1
    said = capsys.readouterr().err
    assert "--key FILE, or go on with --unsigned" in said
    assert "there is no such file" in said
    assert list(tmp_path.iterdir()) == []
