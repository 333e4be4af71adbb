import numpy as np
import pytest

from toldonce.errors import BadSettingError
from toldonce.providers.model_factory import open_embedder, open_model
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.providers.openai_models import OpenAIChatModel, OpenAIEmbedder
from toldonce.settings import Settings


def key_of(model: object) -> str | None:
    """What would be sent as Authorization."""
    assert isinstance(model, OpenAIChatModel | OpenAIEmbedder)
    return model._api._headers.get("Authorization")


async def test_without_settings_the_built_in_embedder_and_no_model_are_chosen() -> None:
    embedder = open_embedder(Settings())
    assert isinstance(embedder, MultilingualEmbedder)
    assert open_model(Settings()) is None
    await embedder.close()


async def test_an_embeddings_url_chooses_that_api_with_its_own_key_alone() -> None:
    settings = Settings.load(
        embed_url="http://e.test/v1", embed_model="small", embed_dim=384, embed_key="sk-e", upstream_key="sk-u"
    )
    embedder = open_embedder(settings)
    assert (embedder.space, embedder.dim, key_of(embedder)) == ("small-384", 384, "Bearer sk-e")
    await embedder.close()
    await embedder.close()


async def test_an_embedder_of_ones_own_carries_its_own_calibration() -> None:
    settings = Settings.load(
        embed_url="http://e.test/v1", embed_model="small", embed_dim=384, embed_midpoint=0.7, embed_slope=20
    )
    embedder = open_embedder(settings)
    assert embedder.relevance(np.array([0.7, 0.9], dtype=np.float32)).round(2).tolist() == pytest.approx([0.5, 0.98])
    await embedder.close()


def test_an_embeddings_url_without_a_model_is_refused() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_EMBED_MODEL"):
        open_embedder(Settings(embed_url="http://e.test/v1"))


async def test_the_model_is_at_upstream_with_its_key_unless_said_otherwise() -> None:
    settings = Settings.load(form_model="m", upstream_url="http://u.test/v1", upstream_key=" sk-u ")
    model = open_model(settings)
    assert model is not None
    assert (model.name, key_of(model)) == ("m", "Bearer sk-u")
    await model.close()


@pytest.mark.parametrize(
    ("form_url", "form_key", "sent"),
    [
        ("http://u.test/other/v1", None, "Bearer sk-u"),
        ("http://u.test:8080/v1", None, None),
        ("https://u.test/v1", None, None),
        ("http://elsewhere.test/v1", None, None),
        ("http://elsewhere.test/v1", "sk-f", "Bearer sk-f"),
        ("http://u.test/v1", "", None),
    ],
)
def test_the_upstream_s_key_never_goes_to_another_server(form_url: str, form_key: str | None, sent: str | None) -> None:
    settings = Settings.load(
        form_model="m", form_url=form_url, form_key=form_key, upstream_url="http://u.test/v1", upstream_key="sk-u"
    )
    assert key_of(open_model(settings)) == sent


def test_a_model_that_cannot_be_reached_is_refused() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_FORM_URL"):
        open_model(Settings(form_model="m"))
