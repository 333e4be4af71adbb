"""Settings of the API that answers chats."""

from pydantic import Field, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.lazy_pattern import LazyPattern
from toldonce.settings.checks import HttpUrl, Key, listed

_KEY_ROUTE = LazyPattern(r"(?:GET|POST|PUT|PATCH|DELETE) (?:/(?:\*|[A-Za-z0-9._~-]++))++")


class UpstreamSettings(EnvironmentSettings):
    """Settings of the API that answers chats, and its time limits."""

    upstream_url: HttpUrl = Field(
        default=None,
        description="Base URL of the upstream API, including `/v1`; unset: the built-in model `toldonce/offline`.",
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
