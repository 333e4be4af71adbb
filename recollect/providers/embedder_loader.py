"""Open the embedders that a database names. Reads the environment for their keys, and models' files."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from recollect.errors import BadEmbedderError, ModelError, ModelFault, SetupError, VectorSizeError
from recollect.providers.calibration import Calibration, fit_calibration
from recollect.providers.onnx_embedder import OnnxEmbedder
from recollect.providers.onnx_model import read_folder
from recollect.providers.openai_models import GENERIC_CALIBRATION, EmbedOptions, OpenAIEmbedder, discover_dim
from recollect.providers.protocols import OpenedEmbedder
from recollect.providers.static_embedder import CALIBRATION, StaticEmbedder
from recollect.types import KEY_VARIABLE, CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec, Vectors

# Embedding everything anew may wait for a server that restarts; a chat may not.
_PATIENT = EmbedOptions(timeout_s=180.0, tries=6)
# Who tries one out waits while a model is loaded, but not for a server that is not there.
_TRYING = EmbedOptions(timeout_s=180.0)
# Texts that any model places apart, and the first of them in other words: what is no embedder fails here.
_PROBES = ("Ana is allergic to peanuts.", "Peanuts make Ana ill.", "The train to Oslo leaves at nine.", "")
# Rows of unit length may be so far from it.
_UNIT = 1e-3


class UnavailableEmbedder:
    """Stands for an embedder that could not be opened: knows its space, and fails with the reason when it is asked."""

    def __init__(self, record: EmbedderRecord, why: str) -> None:
        """Take what is known of it."""
        self.space, self.dim, self.why = record.space, record.dim, why
        self._calibration = Calibration.of(record.curve)

    async def embed(self, texts: object) -> Vectors:
        """Fail.

        Raises:
            ModelError: always.
        """
        del texts
        raise ModelError(self.why, fault=ModelFault.SERVER)

    async def embed_queries(self, texts: object) -> Vectors:
        """Fail as `embed` does."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


def load_embedder(record: EmbedderRecord, *, key: str | None = None, patient: bool = False) -> OpenedEmbedder:
    """Open an embedder that a database names; one that cannot be opened says so whenever it is asked.

    Args:
        record: What the database knows of it.
        key: Of the settings: used where the record names the settings' variable.
        patient: For work that may wait: a busy server is asked again and again.
    """
    try:
        opened = _opened(record.spec, record.dim, Calibration.of(record.curve), key=key, patient=patient)
    except SetupError as error:
        return UnavailableEmbedder(record, str(error))
    if opened.space != record.space:
        return UnavailableEmbedder(
            record,
            f"the files in {record.spec.where} changed: vectors of {record.space} are stored, they make "
            f"{opened.space}; put the old files back, or run `recollect embedder use` again",
        )
    return opened


async def try_out(spec: EmbedderSpec, *, key: str | None = None) -> tuple[EmbedderSpec, OpenedEmbedder]:
    """Open an embedder that somebody wants to use, and see that it is one.

    Returns:
        The spec, completed by what its files say; and the embedder, patient.

    Raises:
        BadEmbedderError: it does not answer, or what it answers makes no sense.
    """
    spec = _completed(spec)
    own = _key(spec) or (key if spec.key_env == KEY_VARIABLE else None)
    try:
        dim = 0
        if spec.kind is EmbedderKind.API:
            dim = await discover_dim(spec.where, spec.model, key=own, options=_options(spec, _TRYING))
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
    where = spec.where or "static"
    try:
        rows = await embedder.embed(_PROBES)
        asked = await embedder.embed_queries(_PROBES[:1])
    except (ModelError, VectorSizeError) as error:
        raise BadEmbedderError(where, str(error)) from None
    _refuse_nonsense(where, embedder, rows, asked)


def _refuse_nonsense(where: str, embedder: OpenedEmbedder, rows: Vectors, asked: Vectors) -> None:
    if rows.shape != (len(_PROBES), embedder.dim) or asked.shape != (1, embedder.dim):
        raise BadEmbedderError(where, f"it gave vectors of the shape {rows.shape} for {len(_PROBES)} texts")
    if not np.allclose(np.linalg.norm(rows[:-1], axis=1), 1, atol=_UNIT):  # NaN is near nothing
        raise BadEmbedderError(where, "it gave vectors that are zero or not finite")
    near, far = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
    if near <= far:
        raise BadEmbedderError(
            where,
            f"it puts {_PROBES[1]!r} no nearer to {_PROBES[0]!r} ({near:.2f}) than {_PROBES[2]!r} ({far:.2f}): this is "
            "no model that embeds sentences",
        )


def _completed(spec: EmbedderSpec) -> EmbedderSpec:
    """Fill in what an ONNX model's files say of themselves, so that the record stands by itself."""
    if spec.kind is not EmbedderKind.ONNX:
        return spec
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
        case EmbedderKind.ONNX:
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
    """Read the key from where the spec says it stands.

    >>> _key(EmbedderSpec(kind=EmbedderKind.API, key_env="MY_KEY"), {"MY_KEY": " sk-1 "})
    'sk-1'
    """
    return environment.get(spec.key_env, "").strip() or None


STATIC_CURVE = CALIBRATION.curve
"""What the built-in embedder's cosines mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderTrial:
    """An embedder that was tried out and may be used."""

    record: EmbedderRecord
    embedder: OpenedEmbedder
    """Open, patient, and calibrated as the record says."""


async def try_embedder(spec: EmbedderSpec, *, key: str | None = None) -> EmbedderTrial:
    """Open an embedder, see that it embeds, fit what its cosines mean, and open it as a database would that chose it.

    Args:
        spec: Which one.
        key: Of the settings: used where the spec names the settings' variable.

    Raises:
        BadEmbedderError: it cannot be used; nothing is left open.
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
    if spec.kind is EmbedderKind.STATIC:
        return STATIC_CURVE
    try:
        return (await fit_calibration(embedder)).curve
    except ModelError as error:
        raise BadEmbedderError(spec.where, str(error)) from None
