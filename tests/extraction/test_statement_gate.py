"""The learned gate: what it says of plain cases in several languages, and which files it refuses."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from toldonce.errors import SetupError
from toldonce.extraction.decision_trees import DecisionTrees
from toldonce.extraction.gate_features import COLUMNS, FEATURES_VERSION, MAX_TEXTS, GateInput
from toldonce.extraction.statement_gate import GATE_FILE, StatementGate, load_gate, shipped_gate

LASTING = (
    "I'm a nurse and I live in Leeds with my two daughters.",
    "Ich bin Lehrer und wohne mit meiner Frau in Graz.",
    "Tengo 34 años y trabajo como enfermera en Sevilla.",
    "Je suis étudiante en droit et j'habite à Lyon.",
    "Я работаю врачом и живу в Казани.",
    "我是一名护士，住在北京。",
)
PASSING = (
    "Write a poem about autumn",
    "How do I sort a list in Python?",
    "Schreib ein Gedicht über den Herbst",
    "¿Cuál es la capital de Francia?",
    "Traduis ce texte en anglais",
    "谢谢",
)


def likely(text: str) -> float:
    return float(shipped_gate().probabilities(GateInput(texts=[text]))[0])


def a_gate() -> StatementGate:
    weights = np.zeros(COLUMNS, np.float32)
    weights[[3, 70]] = 2.0, -0.5
    return StatementGate(weights, -1.5, DecisionTrees.constant(0.25), "made up")


@pytest.mark.parametrize("text", LASTING)
def test_plain_statements_about_oneself_are_likely(text: str) -> None:
    assert likely(text) > max(map(likely, PASSING))


def test_no_texts_have_no_probability() -> None:
    assert shipped_gate().probabilities(GateInput(texts=[])).shape == (0,)


def test_texts_beyond_the_limit_are_not_judged() -> None:
    many = GateInput(texts=["I ski."] * (MAX_TEXTS + 5))
    assert shipped_gate().probabilities(many).shape == (MAX_TEXTS,)


def test_a_gate_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "gate.npz"
    a_gate().save(path)
    read = load_gate(path)
    assert np.allclose(read.weights, a_gate().weights, atol=0.01)
    assert (read.bias, read.trees.bias, read.trained_on) == (-1.5, 0.25, "made up")


def test_the_shipped_file_is_small_and_names_its_data_and_licence() -> None:
    assert len((files("toldonce.extraction") / GATE_FILE).read_bytes()) < 1_000_000
    assert "AlpsBench" in shipped_gate().trained_on
    assert "ODC-BY" in shipped_gate().trained_on


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gate.npz"
    with pytest.raises(SetupError, match=r"gate\.npz cannot be read"):
        load_gate(path)
    a_gate().save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"no archive", whole[: len(whole) // 2], whole[:-200]):
        path.write_bytes(damaged)
        with pytest.raises(SetupError, match=r"gate\.npz cannot be read"):
            load_gate(path)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"version": np.int64(FEATURES_VERSION + 1)}, "was trained for features"),
        ({"weights": np.zeros(7, np.int8)}, r"weights of shape \(7,\)"),
        ({"scale": np.float64("nan")}, "not a number"),
        ({"bias": None}, "bias"),
    ],
)
def test_a_file_for_another_gate_is_refused(changes: dict[str, object], why: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.npz"
    a_gate().save(path)
    with np.load(path) as stored:
        parts = {name: stored[name] for name in stored.files} | changes
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})
    with pytest.raises(SetupError, match=why):
        load_gate(path)
