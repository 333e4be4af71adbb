"""Opens the embedders recorded in a database, and tests new ones. Reads the environment for keys, and model files."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError, ModelError, ModelFault, SetupError, VectorSizeError
from toldonce.providers import multilingual_embedder, static_embedder
from toldonce.providers.calibration import Calibration, fit_calibration
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.providers.openai_models import GENERIC_CALIBRATION, EmbedOptions, OpenAIEmbedder, discover_dim
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.types import KEY_VARIABLE, CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec, Vectors

# Re-embedding may wait for a restarting server; a chat may not.
_PATIENT = EmbedOptions(timeout_s=180.0, tries=6)
# A test waits while a model is loaded, but not for a missing server.
_TEST = EmbedOptions(timeout_s=180.0)
# A statement, a paraphrase, an unrelated text and a blank one: a test that anything but an embedder fails.
_PROBES = ("Ana is allergic to peanuts.", "Peanuts make Ana ill.", "The train to Oslo leaves at nine.", "")
# Tolerance for unit length.
_UNIT_TOLERANCE = 1e-3


class UnavailableEmbedder:
    """Placeholder for an embedder that could not be opened: knows its space, and fails with the reason when used."""

    def __init__(self, record: EmbedderRecord, why: str) -> None:
        self.space, self.dim, self.why = record.space, record.dim, why
        self._calibration = Calibration.of(record.curve)

    async def embed(self, texts: object) -> Vectors:
        """Fail.

        Raises:
            ModelError: Always.
        """
        del texts
        raise ModelError(self.why, fault=ModelFault.SERVER)

    async def embed_queries(self, texts: object) -> Vectors:
        """Fail as `embed` does."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Convert cosines to relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


def load_embedder(record: EmbedderRecord, *, key: str | None = None, patient: bool = False) -> OpenedEmbedder:
    """Open an embedder recorded in a database; one that cannot be opened fails when it is used.

    Args:
        record: The database's record.
        key: Key of the settings, used if the record names the variable of the settings.
        patient: Keep retrying a busy server, for work that may wait.
    """
    try:
        opened = _opened(record.spec, record.dim, Calibration.of(record.curve), key=key, patient=patient)
    except SetupError as error:
        return UnavailableEmbedder(record, str(error))
    if opened.space != record.space:
        return UnavailableEmbedder(
            record,
            f"the files in {record.spec.where} changed: vectors of {record.space} are stored, they make "
            f"{opened.space}; put the old files back, or run `toldonce embedder use` again",
        )
    return opened


async def try_out(spec: EmbedderSpec, *, key: str | None = None) -> tuple[EmbedderSpec, OpenedEmbedder]:
    """Open a new embedder and test it.

    Returns:
        The spec, completed from the model's files, and the embedder (patient).

    Raises:
        BadEmbedderError: It does not answer, or its vectors make no sense.
    """
    spec = _completed(spec)
    own = _key(spec) or (key if spec.key_env == KEY_VARIABLE else None)
    try:
        dim = 0
        if spec.kind is EmbedderKind.API:
            dim = await discover_dim(spec.where, spec.model, key=own, options=_options(spec, _TEST))
        embedder = _opened(spec, dim, GENERIC_CALIBRATION, key=own, patient=True)
    except ModelError as error:
        raise BadEmbedderError(spec.where, str(error)) from None
    try:
        await _probe(spec, embedder)
    except BadEmbedderError:
        await embedder.close()
        raise
    return spec, embedder


async def _probe(spec: EmbedderSpec, embedder: OpenedEmbedder) -> None:
    where = spec.where or spec.kind.value
    try:
        rows = await embedder.embed(_PROBES)
        asked = await embedder.embed_queries(_PROBES[:1])
    except (ModelError, VectorSizeError) as error:
        raise BadEmbedderError(where, str(error)) from None
    _refuse_nonsense(where, embedder, rows, asked)


def _refuse_nonsense(where: str, embedder: OpenedEmbedder, rows: Vectors, asked: Vectors) -> None:
    if rows.shape != (len(_PROBES), embedder.dim) or asked.shape != (1, embedder.dim):
        raise BadEmbedderError(where, f"it returned vectors of shape {rows.shape} for {len(_PROBES)} texts")
    if not np.allclose(np.linalg.norm(rows[:-1], axis=1), 1, atol=_UNIT_TOLERANCE):  # NaN is near nothing
        raise BadEmbedderError(where, "it returned vectors that are zero or not finite")
    near, far = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
    if near <= far:
        raise BadEmbedderError(
            where,
            f"it puts {_PROBES[1]!r} no nearer to {_PROBES[0]!r} ({near:.2f}) than {_PROBES[2]!r} ({far:.2f}): this is "
            "no model that embeds sentences",
        )


def _completed(spec: EmbedderSpec) -> EmbedderSpec:
    """Complete an ONNX model's spec from its files, so that the record is self-contained."""
    if spec.kind is not EmbedderKind.ONNX:
        return spec
    from toldonce.providers.onnx_model import read_folder

    folder = read_folder(spec.where)
    return replace(
        spec,
        where=str(folder.path),
        model=spec.model or folder.name,
        query_prefix=spec.query_prefix or folder.query_prefix,
        passage_prefix=spec.passage_prefix or folder.passage_prefix,
    )


def _opened(
    spec: EmbedderSpec, dim: int, calibration: Calibration, *, key: str | None = None, patient: bool
) -> OpenedEmbedder:
    match spec.kind:
        case EmbedderKind.STATIC:
            return StaticEmbedder()
        case EmbedderKind.MULTILINGUAL:
            return MultilingualEmbedder()
        case EmbedderKind.ONNX:
            from toldonce.providers.onnx_embedder import OnnxEmbedder

            return OnnxEmbedder(spec, calibration=calibration)
        case EmbedderKind.API:
            options = _options(spec, _PATIENT if patient else EmbedOptions())
            return OpenAIEmbedder(spec.where, spec.model, dim, key=_key(spec), options=options, calibration=calibration)


def _options(spec: EmbedderSpec, base: EmbedOptions) -> EmbedOptions:
    return replace(
        base,
        batch=spec.batch or base.batch,
        query_prefix=spec.query_prefix,
        passage_prefix=spec.passage_prefix,
    )


def _key(spec: EmbedderSpec, environment: Mapping[str, str] = os.environ) -> str | None:
    """Read the key from the variable named by the spec.

    >>> _key(EmbedderSpec(kind=EmbedderKind.API, key_env="MY_KEY"), {"MY_KEY": " sk-1 "})
    'sk-1'
    """
    return environment.get(spec.key_env, "").strip() or None


PACKAGED_CURVES = {
    EmbedderKind.STATIC: static_embedder.CALIBRATION.curve,
    EmbedderKind.MULTILINGUAL: multilingual_embedder.CALIBRATION.curve,
}
"""Calibrations of the packaged embedders, measured on conversations."""

STATIC_RECORD = EmbedderRecord(
    space=static_embedder.SPACE,
    dim=static_embedder.DIM,
    spec=EmbedderSpec(kind=EmbedderKind.STATIC),
    curve=PACKAGED_CURVES[EmbedderKind.STATIC],
)
"""The default embedder of earlier versions."""

DEFAULT_RECORD = EmbedderRecord(
    space=multilingual_embedder.SPACE,
    dim=multilingual_embedder.DIM,
    spec=EmbedderSpec(kind=EmbedderKind.MULTILINGUAL),
    curve=PACKAGED_CURVES[EmbedderKind.MULTILINGUAL],
)
"""The embedder of databases that chose none and settings that name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderTrial:
    """A tested embedder, ready for use."""

    record: EmbedderRecord
    embedder: OpenedEmbedder
    """Open, patient, and calibrated as in the record."""


async def try_embedder(spec: EmbedderSpec, *, key: str | None = None) -> EmbedderTrial:
    """Open and test an embedder, calibrate it, and open it again as a database that chose it would.

    Args:
        spec: The embedder.
        key: Key of the settings, used if the spec names the variable of the settings.

    Raises:
        BadEmbedderError: It cannot be used; nothing stays open.
    """
    spec, asked = await try_out(spec, key=key)
    try:
        record = EmbedderRecord(space=asked.space, dim=asked.dim, spec=spec, curve=await _curve(spec, asked))
    finally:
        await asked.close()
    opened = await asyncio.to_thread(load_embedder, record, key=key, patient=True)
    if isinstance(opened, UnavailableEmbedder):
        raise BadEmbedderError(spec.where or record.space, opened.why)
    return EmbedderTrial(record=record, embedder=opened)


async def _curve(spec: EmbedderSpec, embedder: OpenedEmbedder) -> CalibrationCurve:
    if spec.kind in PACKAGED_CURVES:
        return PACKAGED_CURVES[spec.kind]
    try:
        return (await fit_calibration(embedder)).curve
    except ModelError as error:
        raise BadEmbedderError(spec.where, str(error)) from None
