"""Settings of the models that embed, rerank and form memories, and of the API that answers chats."""

from pathlib import Path

from pydantic import Field, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.lazy_pattern import LazyPattern
from toldonce.settings.checks import HttpUrl, Key, ModelUrl, OptionalName, listed


class ModelSettings(EnvironmentSettings):
    """Settings of the models that embed, rerank and form memories."""

    embed_url: ModelUrl = Field(
        default=None,
        description="Base URL of an OpenAI-compatible embeddings API; unset: the built-in embedder.",
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
    form_url: ModelUrl = Field(
        default=None, description="Base URL of that model's API; unset: `TOLDONCE_UPSTREAM_URL`."
    )
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


_KEY_ROUTE = LazyPattern(r"(?:GET|POST|PUT|PATCH|DELETE) (?:/(?:\*|[A-Za-z0-9._~-]++))++")


class UpstreamSettings(EnvironmentSettings):
    """Settings of the API that answers chats, and its time limits."""

    upstream_url: ModelUrl = Field(
        default=None,
        description="Base URL of the upstream API, including `/v1`, which Ollama's may lack; unset: the built-in model "
        "`toldonce/offline`.",
    )
    upstream_key: Key = Field(
        default=None,
        description="API key sent upstream with authenticated requests to a model; unset: the client's own "
        "Authorization header is forwarded.",
    )
    upstream_key_routes: str = Field(
        default="",
        description="Additional routes under `/v1` that use `TOLDONCE_UPSTREAM_KEY`, separated by commas, such as "
        "`POST /files, GET /files/*`; `*` matches one path segment.",
    )
    connect_timeout_s: float = Field(
        default=10.0, gt=0, description="Timeout for connecting to the upstream, in seconds."
    )
    first_byte_timeout_s: float = Field(
        default=300.0, gt=0, description="Timeout for the first byte of an answer, in seconds."
    )
    idle_timeout_s: float = Field(default=120.0, gt=0, description="Timeout for silence within an answer, in seconds.")
    total_timeout_s: float = Field(default=3600.0, gt=0, description="Timeout for a complete answer, in seconds.")

    @field_validator("upstream_key_routes")
    @classmethod
    def _list_of_routes(cls, routes: str) -> str:
        for route in listed(routes):
            if not _KEY_ROUTE.fullmatch(route) or ".." in route:
                raise ValueError("takes METHOD /path separated by commas, for example POST /files, GET /files/*")
        return routes

    @property
    def key_routes(self) -> tuple[str, ...]:
        """Routes of `TOLDONCE_UPSTREAM_KEY_ROUTES`."""
        return tuple(listed(self.upstream_key_routes))
