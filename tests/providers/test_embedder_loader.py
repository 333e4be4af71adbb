"""An embedder that was tried out, as it will be used."""

from pathlib import Path

import numpy as np
import pytest

from tiny_onnx import embedding_model, word_table, write_folder
from toldonce.errors import BadEmbedderError
from toldonce.providers.calibration import Calibration
from toldonce.providers.embedder_loader import PACKAGED_CURVES, try_embedder
from toldonce.types import EmbedderKind, EmbedderSpec

COSINES = np.linspace(-0.2, 1, 13, dtype=np.float32)


async def test_what_was_tried_out_is_open_with_the_curve_that_was_fitted(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    folder = write_folder(tmp_path / "tiny")
    trial = await try_embedder(EmbedderSpec(kind=EmbedderKind.ONNX, where=str(folder)))
    fitted = Calibration.of(trial.record.curve).relevance(COSINES)

    assert trial.embedder.space == trial.record.space
    assert trial.embedder.relevance(COSINES).tolist() == fitted.tolist()
    assert trial.record.curve.midpoint != Calibration(midpoint=0.45, slope=12).midpoint
    await trial.embedder.close()


@pytest.mark.parametrize("kind", PACKAGED_CURVES)
async def test_a_packaged_embedder_keeps_the_curve_it_was_shipped_with(kind: EmbedderKind) -> None:
    trial = await try_embedder(EmbedderSpec(kind=kind))

    assert trial.record.curve == PACKAGED_CURVES[kind]
    assert trial.embedder.relevance(COSINES).tolist() == Calibration.of(trial.record.curve).relevance(COSINES).tolist()


async def test_what_tells_nothing_apart_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    same = np.ones_like(word_table())
    folder = write_folder(tmp_path / "blind", embedding_model(same))
    with pytest.raises(BadEmbedderError, match="blind cannot be used"):
        await try_embedder(EmbedderSpec(kind=EmbedderKind.ONNX, where=str(folder)))
