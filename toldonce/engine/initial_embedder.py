"""The embedder that a database is opened with: the one it chose, else that of the settings. Reads and writes the store.

An API that the settings name is chosen at its first start, with what its cosines are found to mean: thresholds hold for
it as they do for the built-in embedder, and settings that name another model later are refused.
"""

import asyncio
import logging

from toldonce.errors import BadEmbedderError, ModelError, OtherEmbedderError, VectorSizeError
from toldonce.providers.calibration import Calibration, fit_calibration
from toldonce.providers.embedder_loader import UnavailableEmbedder
from toldonce.providers.embedder_router import EmbedderOpener
from toldonce.providers.model_factory import open_embedder, settings_curve, spec_of
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.settings import Settings
from toldonce.store.store import Store
from toldonce.types import CalibrationCurve, EmbedderRecord

logger = logging.getLogger(__name__)

# Maximum wait for the API at the first start; if it is late, the next start asks it again.
FIT_TIMEOUT_S = 10.0


async def initial_embedder(store: Store, settings: Settings, opening: EmbedderOpener) -> OpenedEmbedder:
    """Open the embedder that the database chose last; if it chose none, that of the settings.

    Raises:
        OtherEmbedderError: the settings name one of another space than the memories' vectors are of.
    """
    chosen = next((record for record in await store.embeddings.embedders() if record.chosen_at is not None), None)
    if chosen is None:
        return await _first(store, settings)
    if settings.embed_url is not None:
        own = open_embedder(settings, curve=settings_curve(settings) or chosen.curve)
        if own.space == chosen.space:  # the same model, perhaps at another address
            return own
        await own.close()
        raise _other(settings, own, chosen.space)
    opened = await asyncio.to_thread(opening, chosen)
    if isinstance(opened, UnavailableEmbedder):
        logger.warning("embedder cannot be used", extra={"space": chosen.space, "why": opened.why})
    return opened


async def require_same_space(store: Store, embedder: OpenedEmbedder) -> None:
    """Check that a database may be read by a caller's own embedder.

    Raises:
        BadEmbedderError: its memories are embedded by another one.
    """
    chosen = next((record.space for record in await store.embeddings.embedders() if record.chosen_at is not None), None)
    held = [chosen] if chosen else await _held_spaces(store, embedder.space)
    if held and embedder.space not in held:
        raise BadEmbedderError(
            f"{type(embedder).__name__} ({embedder.space})",
            f"the memories of this database are embedded by {held[0]}; pass an embedder of that space, or none",
        )


async def _held_spaces(store: Store, own: str) -> list[str]:
    """Return the spaces that have memories, if some may be in another space than `own`."""
    if not set(await store.embeddings.space_names()) - {own}:
        return []
    # Counting reads all vectors: only where it may matter.
    return [count.space for count in await store.embeddings.space_counts() if count.memories]


async def _first(store: Store, settings: Settings) -> OpenedEmbedder:
    """Open the settings' embedder for a database that has not chosen one."""
    own = await asyncio.to_thread(open_embedder, settings)
    held = await _held_spaces(store, own.space)
    if held and own.space not in held:
        await own.close()
        raise _other(settings, own, held[0])
    if settings.embed_url is None:
        return own
    curve = settings_curve(settings) or await _curve_of(own)
    if curve is None:
        return own
    record = EmbedderRecord(space=own.space, dim=own.dim, spec=spec_of(settings), curve=curve)
    await store.embeddings.choose(record, former=record)
    await own.close()
    return open_embedder(settings, curve=curve)


async def _curve_of(embedder: OpenedEmbedder) -> CalibrationCurve | None:
    """Fit the calibration curve of an embedder; None if it does not answer, or its cosines distinguish nothing.

    What is wrong with it is said by the first request for vectors.
    """
    try:
        async with asyncio.timeout(FIT_TIMEOUT_S):
            found: Calibration = await fit_calibration(embedder)
    except (TimeoutError, ModelError, BadEmbedderError, VectorSizeError) as error:
        why = str(error) or f"no answer within {FIT_TIMEOUT_S:g} s"
        logger.warning("embedder is not calibrated yet", extra={"space": embedder.space, "why": why})
        return None
    return found.curve


def _other(settings: Settings, own: OpenedEmbedder, space: str) -> OtherEmbedderError:
    named = settings.embed_url or "unset"
    return OtherEmbedderError("TOLDONCE_EMBED_URL", f"{named} ({own.space})", chosen=space)
