"""Settings of background work, caches and logs."""

from typing import Literal

from pydantic import Field

from toldonce.environment import EnvironmentSettings
from toldonce.settings.checks import Key


class OperationSettings(EnvironmentSettings):
    """Settings of background work, caches and logs."""

    key: Key = Field(default=None, description="API key that `toldonce chat` sends to a server that needs one.")
    worker: bool = Field(
        default=True, description="Form memories in the server process; off: run `toldonce worker` separately."
    )
    maintain_every_s: float = Field(
        default=86_400.0,
        ge=0,
        description="Interval of maintenance (expiry, near-duplicates, capacity), in seconds; 0: never.",
    )
    cache_bytes: int = Field(
        default=256 * 1024 * 1024, ge=0, description="Maximum size of the cache of subjects, in bytes."
    )
    log_memory_text: bool = Field(
        default=False, description="Log user names and memory text of decisions instead of ids."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Minimum log level.")
