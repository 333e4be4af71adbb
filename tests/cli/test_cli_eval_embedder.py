"""`toldonce eval --embedder`: what `toldonce embedder use` takes is measured as it would be used."""

from pathlib import Path
from typing import Any

import pytest

from cli.conftest import CommandLine
from tiny_onnx import write_folder

pytestmark = pytest.mark.usefixtures("little_small_talk")
GARDEN = Path(__file__).parents[1] / "evaluation" / "garden.jsonl"
NOWHERE = "http://127.0.0.1:1/v1"


def test_a_model_in_a_folder_is_measured_as_it_would_be_used(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    folder = write_folder(tmp_path / "tiny")
    # What the settings say of an embedder does not hold beside one that is named.
    monkeypatch.setenv("TOLDONCE_EMBED_URL", NOWHERE)
    monkeypatch.setenv("TOLDONCE_EMBED_MODEL", "another")
    monkeypatch.setenv("TOLDONCE_EMBED_DIM", "8")
    measured = cli("eval", GARDEN, "--embedder", folder, "--baselines", "--json", "-")
    for name in ("URL", "MODEL", "DIM"):
        monkeypatch.delenv(f"TOLDONCE_EMBED_{name}")
    cli("add", "Ana keeps bees.")
    assert cli("embedder", "use", folder, "--yes").code == 0
    used = cli("embedder", "--json").json

    assert measured.code == 0, measured.err
    settings: dict[str, Any] = measured.json["settings"]
    assert (settings["embedder"], settings["embedder_dim"]) == (used["space"], used["dim"])
    curve = settings["embedder_curve"]
    assert (curve["midpoint"], curve["slope"]) == (
        pytest.approx(used["midpoint"], abs=1e-3),
        pytest.approx(used["slope"], abs=1e-3),
    )
    assert measured.json["retrieval"]["toldonce"]["all"]["R@10"]["questions"] == 3
    # The rows beside it are of the same embedder.
    builtin = cli("eval", GARDEN, "--baselines", "--json", "-").json["retrieval"]["vectors"]
    assert measured.json["retrieval"]["vectors"] != builtin


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--embedder", "{}/nowhere"), 3, "no such folder"),
        (("--embedder", NOWHERE), 2, "--embedder-model"),
        (("--embedder", NOWHERE, "--embedder-model", "m"), 3, "cannot be reached"),
        (("--embedder", "http://key@127.0.0.1:1/v1", "--embedder-model", "m"), 3, "TOLDONCE_EMBED_URL"),
        (("--embedder-model", "m"), 2, "--embedder-model requires --embedder"),
        (("--query-prefix", "query: "), 2, "--query-prefix requires --embedder"),
        (("--passage-prefix", "text: "), 2, "--passage-prefix requires --embedder"),
    ],
)
def test_what_is_no_embedder_is_refused_as_it_would_be_on_using_it(
    cli: CommandLine, tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    result = cli("eval", GARDEN, *(argument.format(tmp_path) for argument in arguments))

    assert (result.code, result.out) == (code, ""), result.err
    assert said in " ".join(result.err.replace("│", " ").split())


def test_the_model_at_a_url_is_that_of_the_settings_where_none_is_named(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_EMBED_MODEL", "small")
    result = cli("eval", GARDEN, "--embedder", NOWHERE)

    assert (result.code, result.out) == (3, "")
    assert "cannot be reached" in result.err
