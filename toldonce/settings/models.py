"""Settings of the models that embed, rerank and form memories."""

from pathlib import Path

from pydantic import Field

from toldonce.environment import EnvironmentSettings
from toldonce.settings.checks import HttpUrl, Key, OptionalName


class ModelSettings(EnvironmentSettings):
    """Settings of the models that embed, rerank and form memories."""

    embed_url: HttpUrl = Field(
        default=None,
        description="Base URL of an OpenAI-compatible embeddings API; unset: the built-in static embedder.",
    )
    embed_model: OptionalName = Field(default=None, description="Embedding model at `TOLDONCE_EMBED_URL`.")
    embed_dim: int | None = Field(default=None, ge=1, le=16000, description="Dimension of that model's vectors.")
    embed_midpoint: float = Field(
        default=0.45,
        gt=-1,
        lt=1,
        description="Cosine of that model that means a relevance of 0.5; unset: fitted on first start.",
    )
    embed_slope: float = Field(
        default=12.0, gt=0, description="Slope of the relevance curve at the midpoint; unset: fitted on first start."
    )
    embed_key: Key = Field(default=None, description="API key for `TOLDONCE_EMBED_URL`.")
    rerank_url: HttpUrl = Field(
        default=None,
        description="Base URL of an API with `/rerank` (Jina, Cohere, vLLM, llama.cpp …); unset: no reranking.",
    )
    rerank_model: OptionalName = Field(default=None, description="Reranking model at `TOLDONCE_RERANK_URL`.")
    rerank_key: Key = Field(default=None, description="API key for `TOLDONCE_RERANK_URL`.")
    rerank_path: Path | None = Field(
        default=None, description="Folder of an ONNX cross-encoder (needs the extra `onnx`); unset: no reranking."
    )
    rerank_top: int = Field(default=50, ge=2, le=200, description="Number of best candidates to rerank.")
    rerank_timeout_s: float = Field(
        default=0.5, gt=0, description="Timeout for the reranker, in seconds, below `TOLDONCE_RECALL_TIMEOUT_S`."
    )
    form_model: OptionalName = Field(
        default=None, description="Language model that forms memories; unset: built-in rules, without model tokens."
    )
    form_url: HttpUrl = Field(default=None, description="Base URL of that model's API; unset: `TOLDONCE_UPSTREAM_URL`.")
    form_key: Key = Field(
        default=None, description="Key for that API; unset: `TOLDONCE_UPSTREAM_KEY`, if it is on the same server."
    )
    tokens_per_day: int = Field(
        default=1_000_000,
        ge=0,
        description="Maximum tokens of that model per user (or other subject) and day (UTC), where the profile sets no "
        "limit; 0: no limit.",
    )
    form_timeout_s: float = Field(
        default=30.0, gt=0, description="Timeout for a model call of a formation, in seconds."
    )
    form_budget_s: float = Field(
        default=5.0, gt=0, description="Maximum CPU time for reading a long message, in seconds."
    )
