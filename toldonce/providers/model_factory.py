"""Creates the embedder and the language model of the settings. Reads no files."""

from typing import Protocol
from urllib.parse import urlsplit

from pydantic import SecretStr

from toldonce.errors import BadSettingError
from toldonce.providers.calibration import Calibration
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.providers.openai_models import OpenAIChatModel, OpenAIEmbedder
from toldonce.providers.protocols import LanguageModel, OpenedEmbedder
from toldonce.settings import Settings
from toldonce.types import CalibrationCurve, EmbedderKind, EmbedderSpec


class OpenedModel(LanguageModel, Protocol):
    """A language model that holds connections until it is closed."""

    async def close(self) -> None:
        """Close all connections. Idempotent."""
        ...


def open_embedder(settings: Settings, *, curve: CalibrationCurve | None = None) -> OpenedEmbedder:
    """Create the embedder: the API at `embed_url` if set, or else the built-in one.

    Args:
        settings: Settings of the API, if any.
        curve: Calibration of the API's cosines; None: that of the settings.

    Raises:
        BadSettingError: `embed_url` is set without model or dimension.
        MissingModelFilesError: The files of the built-in one are missing.
    """
    if settings.embed_url is None:
        return MultilingualEmbedder()
    if settings.embed_model is None or settings.embed_dim is None:
        raise BadSettingError(
            "TOLDONCE_EMBED_URL", settings.embed_url, "also needs TOLDONCE_EMBED_MODEL and TOLDONCE_EMBED_DIM"
        )
    return OpenAIEmbedder(
        settings.embed_url,
        settings.embed_model,
        settings.embed_dim,
        key=_plain(settings.embed_key),
        calibration=Calibration(midpoint=settings.embed_midpoint, slope=settings.embed_slope)
        if curve is None
        else Calibration.of(curve),
    )


def settings_curve(settings: Settings) -> CalibrationCurve | None:
    """Return the calibration of the settings; None if it is to be fitted."""
    if not settings.model_fields_set & {"embed_midpoint", "embed_slope"}:
        return None
    return CalibrationCurve(midpoint=settings.embed_midpoint, slope=settings.embed_slope)


def spec_of(settings: Settings) -> EmbedderSpec:
    """Describe the embedder of the settings in the form stored in a database."""
    if settings.embed_url is None:
        return EmbedderSpec(kind=EmbedderKind.MULTILINGUAL)
    return EmbedderSpec(kind=EmbedderKind.API, where=settings.embed_url, model=settings.embed_model or "")


def open_model(settings: Settings) -> OpenedModel | None:
    """Create the model that forms memories; None if none is set.

    The upstream's key is used if the model is at the upstream's server; it is never sent to another one.

    Raises:
        BadSettingError: `form_model` is set without a URL.
    """
    if settings.form_model is None:
        return None
    url = settings.form_url or settings.upstream_url
    if url is None:
        raise BadSettingError(
            "TOLDONCE_FORM_MODEL", settings.form_model, "needs TOLDONCE_FORM_URL or TOLDONCE_UPSTREAM_URL"
        )
    key = settings.form_key
    if key is None and settings.upstream_url is not None and _server(url) == _server(settings.upstream_url):
        key = settings.upstream_key
    return OpenAIChatModel(url, settings.form_model, key=_plain(key), timeout_s=settings.form_timeout_s)


def _plain(key: SecretStr | None) -> str | None:
    return (key.get_secret_value().strip() or None) if key is not None else None


def _server(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
