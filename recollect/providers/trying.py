"""Try out an embedder before anything is embedded by it: that it is one, and what its cosines mean. Asks it."""

import asyncio
from dataclasses import dataclass

from recollect.errors import BadEmbedderError, ModelError
from recollect.providers.embedder_loader import STATIC_CURVE, UnavailableEmbedder, load_embedder, try_out
from recollect.providers.fitting import fit_calibration
from recollect.providers.protocols import OpenedEmbedder
from recollect.types import CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec


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
