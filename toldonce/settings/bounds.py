"""Settings that bound what clients and upstream may take of a server. Reads the environment."""

from pydantic import Field

from toldonce.environment import EnvironmentSettings

_MiB = 1024 * 1024


class BoundSettings(EnvironmentSettings):
    """Limits of sizes, connections and times."""

    max_body_bytes: int = Field(
        default=64 * _MiB,
        ge=1024,
        description="Maximum size of a request body, in bytes; larger requests get 413.",
    )
    max_import_bytes: int = Field(
        default=1024 * _MiB, ge=1024, description="Maximum size of a file that is imported over HTTP, in bytes."
    )
    max_held_bytes: int = Field(
        default=256 * _MiB,
        ge=1024,
        description="Maximum size of the bodies of all requests under way, in bytes; further requests with more than "
        "256 KiB get 503.",
    )
    max_read_bytes: int = Field(
        default=16 * _MiB,
        ge=1024,
        description="Maximum size of a chat request that memory reads, in bytes; larger ones are passed on without "
        "memory.",
    )
    max_answer_bytes: int = Field(
        default=4 * _MiB,
        ge=1024,
        description="Maximum size of an answer that is not streamed and that memory reads, in bytes; larger ones are "
        "passed on, and their turn is recorded with a mark in place of the answer.",
    )
    max_message_characters: int = Field(
        default=4_000_000,
        ge=1000,
        description="Maximum length of a recorded message, in characters; longer ones are cut, with a mark at the end.",
    )
    max_json_depth: int = Field(
        default=200, ge=16, le=200, description="Maximum nesting of JSON in a request body; deeper requests get 400."
    )
    max_json_values: int = Field(
        default=200_000,
        ge=1000,
        description="Maximum number of values in JSON that a request's body holds; with more, a chat is passed on "
        "without memory, and other requests get 400.",
    )
    max_header_bytes: int = Field(
        default=64 * 1024,
        ge=8192,
        le=_MiB,
        description="Maximum size of a request's line and headers, in bytes; larger ones get 431.",
    )
    max_headers: int = Field(
        default=128, ge=16, le=10_000, description="Maximum number of headers of a request; more get 431."
    )
    max_connections: int = Field(
        default=2000,
        ge=8,
        le=100_000,
        description="Maximum number of open connections; fewer where the process may open fewer than about twice as "
        "many files. For a further connection the longest idle one is closed; if none is idle, it gets 503.",
    )
    max_connections_per_address: int = Field(
        default=1000, ge=1, description="Maximum number of open connections of one client address."
    )
    max_requests_per_address: int = Field(
        default=500, ge=1, description="Maximum number of requests of one client address at a time; more get 429."
    )
    max_user_requests_per_minute: int = Field(
        default=0,
        ge=0,
        description="Maximum number of requests a minute of one user whom the credential, a header or the path names, "
        "in each server process; more get 429. 0: no limit.",
    )
    header_timeout_s: float = Field(
        default=20.0, gt=0, description="Timeout for a request's line and headers, in seconds."
    )
    body_timeout_s: float = Field(
        default=30.0,
        gt=0,
        description="Timeout for a request's body, in seconds; each KiB of it that comes adds a second.",
    )
    keep_alive_s: float = Field(
        default=75.0, gt=0, description="How long a connection may be idle between two requests, in seconds."
    )
