"""Settings of profiles, and of what is recalled for a prompt."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from toldonce.environment import EnvironmentSettings
from toldonce.settings.checks import listed
from toldonce.types import InjectionMode


class RecallSettings(EnvironmentSettings):
    """Settings of profiles, and what is recalled for a prompt."""

    profile: str = Field(default="default", description="Profile of requests that name none.")
    profiles: Path | None = Field(
        default=None, description="Folder of your own profiles, one `NAME.toml` each; unset: only the shipped ones."
    )
    profile_keys: SecretStr | None = Field(
        default=None,
        description="Profiles by client key, for requests that name none: `KEY=PROFILE`, separated by commas.",
    )
    injection: InjectionMode = Field(
        default="split",
        description="Position of recalled memory in the prompt: `split` (facts at the end of the system message, the "
        "rest at the end of the newest user message; later prompts replay both), or all of it by `system_append`, "
        "`system_message`, `context_message` or `user_prefix`. A profile may override it.",
    )
    recall_limit: int = Field(
        default=10, ge=0, le=200, description="Maximum number of memories added to a prompt, besides standing facts."
    )
    recall_tokens: int = Field(default=800, ge=0, description="Maximum tokens of memory added to a prompt.")
    recall_timeout_s: float = Field(
        default=1.0,
        gt=0,
        description="Timeout for recall, in seconds; after it the chat continues without memory. The embedder gets "
        "half of it; after that recall uses words and dates only.",
    )
    commit_timeout_s: float = Field(
        default=2.0,
        gt=0,
        description="Maximum time that the end of an answer waits for the turn to be stored, in seconds.",
    )
    strict_vectors: bool = Field(default=False, description="Require a `userId` in `POST /v1/vectors/query`.")
    show_memories: bool = Field(
        default=True,
        description="Add a `memories` array to answers (the header `x-toldonce-show: off` disables it for a request).",
    )

    @field_validator("profile_keys")
    @classmethod
    def _pairs_of_key_and_profile(cls, pairs: SecretStr | None) -> SecretStr | None:
        for pair in pairs.get_secret_value().split(",") if pairs else ():
            key, _, profile = pair.strip().rpartition("=")
            if pair.strip() and not (key and profile):
                raise ValueError("takes KEY=PROFILE, separated by commas")
        return pairs

    @property
    def profiles_of_keys(self) -> dict[str, str]:
        """Profiles by client key, from `TOLDONCE_PROFILE_KEYS`."""
        pairs = listed(self.profile_keys.get_secret_value()) if self.profile_keys else []
        return {key: profile for key, _, profile in (pair.rpartition("=") for pair in pairs) if key}
