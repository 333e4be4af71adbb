"""Build what a release consists of, and sign it. Starts git, uv, ssh-keygen and a container builder; writes `dist/`.

    make release ARGS='--key ~/.ssh/id_ed25519'    # a key of yours, or its public half if an agent has it
    make release ARGS=--unsigned                   # to try it

It is made of a commit, not of the files in the folder. Wheel and source distribution are built twice, in two folders,
and must have equal bytes. `dist/VERSION` also gets a bill of materials (CycloneDX) for each lock file, and `SHA256SUMS`
over all of it. Nothing is published: the last lines say what remains for you to do.
"""

import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SUMS = "SHA256SUMS"
# What the signature is for, so that it cannot be taken for one of another kind of document.
NAMESPACE = "toldonce"
BUILD_LOCK = "deploy/build-requirements.lock"
BUILDERS = ("docker", "podman")
VENDORED = "toldonce/server/dashboard/static/vendor"
# The scripts in that folder by the beginnings of their names, with the names that npm has for them.
NPM_NAMES = {"htmx": "htmx.org", "uplot": "uplot"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A lock file, and the extras that it was made with (see `make lock`)."""

    path: str
    suffix: str
    """What the name of its bill of materials has after the version."""
    extras: tuple[str, ...]


LOCKS = (
    Lock(path="requirements.lock", suffix="", extras=("mcp",)),
    Lock(path="deploy/requirements.lock", suffix="-image", extras=("jwt", "mcp", "oidc", "postgres", "encrypted")),
)


class ReleaseError(Exception):
    """No release was made; the message says why, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The files of a commit."""

    folder: Path
    commit: str
    epoch: int
    """Time of the commit, in seconds since 1970."""

    @property
    def project(self) -> dict[str, Any]:
        """The table `project` of pyproject.toml."""
        return dict(tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))["project"])

    @property
    def version(self) -> str:
        """The version to release."""
        return str(self.project["version"])


# Building


def export(commit: str, folder: Path) -> Source:
    """Write the files of a commit into a folder.

    Raises:
        ReleaseError: There is no such commit, or no repository.
    """
    found = _run("git", "log", "-1", "--format=%H %ct", commit, "--", cwd=ROOT).decode().split()
    archive = _run("git", "archive", "--format=tar", found[0], cwd=ROOT)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return Source(folder=folder, commit=found[0], epoch=int(found[1]))


def build(source: Source, destination: Path) -> None:
    """Build the source distribution, and the wheel from it. The tools that build are those of the lock.

    Raises:
        ReleaseError: It cannot be built.
    """
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        raise ReleaseError("uv is not installed: run `make release`, which brings it along")
    pinned = ("--build-constraints", str(source.folder / BUILD_LOCK), "--require-hashes")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(source.epoch)}
    _run(
        *(uv, "build", "--quiet", "--python", sys.executable, *pinned),
        *("--out-dir", str(destination), str(source.folder)),
        environment=environment,
    )
    (destination / ".gitignore").unlink(missing_ok=True)  # uv's, of the folder


def build_twice(source: Source, destination: Path) -> None:
    """Build into the folder, and once more from other files in another one.

    Raises:
        ReleaseError: The two differ, or cannot be built.
    """
    build(source, destination)
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder)
        build(export(source.commit, again / "source"), again / "built")
        first, second = checksums(destination), checksums(again / "built")
    if first != second:
        different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
        raise ReleaseError(f"two builds of {source.commit} differ in {', '.join(different)}")


def build_image(source: Source, destination: Path) -> str | None:
    """Build the container image where a builder runs, and note its id; return the builder's name.

    Raises:
        ReleaseError: A builder runs, and the image cannot be built.
    """
    for builder in BUILDERS:
        if shutil.which(builder) is None:
            print(f"no image by {builder}: it is not installed")
            continue
        asked = subprocess.run([builder, "info"], capture_output=True, text=True, check=False)
        if asked.returncode:
            print(f"no image by {builder}: {(asked.stderr or asked.stdout).strip().rpartition(chr(10))[2]}")
            continue
        name = f"toldonce:{source.version}"
        label = f"org.opencontainers.image.revision={source.commit}"
        _run(builder, "build", "-f", "deploy/Dockerfile", "-t", name, "--label", label, ".", cwd=source.folder)
        identity = _run(builder, "image", "inspect", "--format", "{{.Id}}", name).decode().strip()
        (destination / f"toldonce-{source.version}-image.txt").write_text(f"{name} {identity}\n", "utf-8")
        return builder
    return None


def _run(*command: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> bytes:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ReleaseError(f"`{' '.join(command)}` failed with {done.returncode}: {said}")
    return done.stdout


# The bill of materials


def bill_of_materials(source: Source, lock: Lock) -> dict[str, Any]:
    """Return what a lock file says, as CycloneDX 1.6. It is the same each time for a commit.

    Raises:
        ReleaseError: The lock file lacks a package that pyproject.toml asks for.
    """
    locked = list(_locked(source.folder / lock.path))
    direct = [
        reference for name in _asked(source.project, lock.extras) for reference in _references(locked, name, lock)
    ]
    vendored = list(_vendored(source.folder / VENDORED))
    main = f"pkg:pypi/{source.project['name']}@{source.version}"
    lock_digest = hashlib.sha256((source.folder / lock.path).read_bytes()).hexdigest()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{main} {source.commit} {lock.path}").urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(source.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": main,
                "name": source.project["name"],
                "version": source.version,
                "licenses": [{"expression": source.project["license"]}],
                "purl": main,
            },
            "properties": [
                {"name": "toldonce:commit", "value": source.commit},
                {"name": "toldonce:lock", "value": lock.path},
                {"name": "toldonce:lock:sha256", "value": lock_digest},
            ],
        },
        "components": [*locked, *vendored],
        "dependencies": [{"ref": main, "dependsOn": [*direct, *(each["bom-ref"] for each in vendored)]}],
    }


def _locked(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        if "==" not in line or line.startswith((" ", "#")):
            continue
        requirement, _, marker = line.rstrip(" \\").partition(" ; ")
        name, _, version = requirement.partition("==")
        component = _component(name.partition("[")[0], version, f"pkg:pypi/{_normal(name)}@{version}")
        if marker:
            component["properties"] = [{"name": "python:marker", "value": marker}]
        yield component


def _vendored(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.min.js")):
        name, _, version = path.name.removesuffix(".min.js").partition("-")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        npm_name = NPM_NAMES[name]
        yield _component(npm_name, version, f"pkg:npm/{npm_name}@{version}") | {
            "hashes": [{"alg": "SHA-256", "content": digest}]
        }


def _component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _asked(project: Mapping[str, Any], extras: Sequence[str]) -> list[str]:
    """Return the names of the packages that the project asks for itself, with these extras."""
    asked = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
    return sorted({_normal(requirement) for requirement in asked})


def _references(locked: Sequence[Mapping[str, Any]], name: str, lock: Lock) -> list[str]:
    """Return what the lock has of a package: several versions where they are for different systems."""
    found = [str(each["bom-ref"]) for each in locked if _normal(each["name"]) == name]
    if not found:
        raise ReleaseError(f"{lock.path} has no {name}, which pyproject.toml asks for: run `make lock` and commit")
    return found


def _normal(requirement: str) -> str:
    """Return the name of a requirement as package indexes normalize it.

    >>> _normal("Typing_Extensions[more]>=4")
    'typing-extensions'
    """
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


# Checksums and signature


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def sign(sums: Path, key: Path) -> None:
    """Write the signature beside the checksums, and check it.

    Raises:
        ReleaseError: The key cannot sign.
    """
    # The terminal is left to ssh-keygen, which may ask for a passphrase.
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(sums)]
    if subprocess.run(command, check=False).returncode:
        raise ReleaseError(f"{key} did not sign: see what ssh-keygen said above")
    signature = Path(f"{sums}.sig")
    checked = subprocess.run(
        ["ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(signature)],
        input=sums.read_bytes(),
        capture_output=True,
        check=False,
    )
    if checked.returncode:
        raise ReleaseError(f"{signature} is no valid signature: {checked.stderr.decode('utf-8', 'replace').strip()}")


def _require_key(key: Path | None, *, unsigned: bool) -> None:
    if unsigned:
        return
    if key is None:
        raise ReleaseError("no key to sign with: name an SSH key of yours with --key FILE, or go on with --unsigned")
    if not key.is_file():
        raise ReleaseError(f"--key {key}: there is no such file; `ssh-keygen -t ed25519 -f {key}` makes one")
    if shutil.which("ssh-keygen") is None:
        raise ReleaseError("ssh-keygen is not installed: install OpenSSH's client, or go on with --unsigned")


# The command


def release(commit: str, dist: Path, *, key: Path | None, unsigned: bool) -> None:
    """Build everything into `dist/VERSION`, whose former content is removed, and print what remains to do.

    Raises:
        ReleaseError: It cannot be built or signed.
    """
    _require_key(key, unsigned=unsigned)
    with tempfile.TemporaryDirectory() as temporary:
        source = export(commit, Path(temporary) / "source")
        folder = dist / source.version
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        build_twice(source, folder)
        for lock in LOCKS:
            text = json.dumps(bill_of_materials(source, lock), indent=2) + "\n"
            (folder / f"toldonce-{source.version}{lock.suffix}.cdx.json").write_text(text, "utf-8")
        builder = build_image(source, folder)
        lines = [f"{digest}  {name}\n" for name, digest in checksums(folder).items()]
        (folder / SUMS).write_text("".join(lines), "utf-8")
        if key is not None and not unsigned:
            sign(folder / SUMS, key)
        _report(source, folder, builder, is_signed=not unsigned)


def _report(source: Source, folder: Path, builder: str | None, *, is_signed: bool) -> None:
    version = source.version
    print(f"{folder}, of {source.commit}; two builds of the packages gave equal bytes:")
    print(*(f"  {path.name}" for path in sorted(folder.iterdir())), sep="\n")
    if _run("git", "status", "--porcelain", cwd=ROOT):
        print("Changes that are not committed are not in it.")
    if not is_signed:
        print("The checksums are not signed: do not publish this.")
        return
    if f"## [{version}]" not in (source.folder / "CHANGELOG.md").read_text("utf-8"):
        print(f"CHANGELOG.md has no section [{version}]: write it, commit, and run this once more.")
        return
    print(f"To publish it:\n  git tag --sign v{version} {source.commit} && git push origin v{version}")
    print(f"  uv publish {folder}/*.whl {folder}/*.tar.gz")
    if builder:
        print(f"  {builder} tag toldonce:{version} REGISTRY/toldonce:{version}")
        print(f"  {builder} push REGISTRY/toldonce:{version}")
    print(f"  and put all files of {folder} on the page of the release")


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="release", description="Build a release of a commit, and sign it.")
    parser.add_argument("--key", type=Path, metavar="FILE", help="SSH key that signs the checksums")
    parser.add_argument("--unsigned", action="store_true", help="do not sign; not for publishing")
    parser.add_argument("--commit", default="HEAD", metavar="COMMIT", help="what to build (default: HEAD)")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist")
    options = parser.parse_args(arguments)
    try:
        release(options.commit, options.dist, key=options.key, unsigned=options.unsigned)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
