"""Base class of the settings: where their values come from. Reads the environment.

All settings are single values, so that reading them takes a few lines; pydantic-settings would take longer to load than
a search takes.
"""

import os
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class EnvironmentSettings(BaseModel):
    """Settings from arguments and environment variables."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    variable_prefix: ClassVar[str]
    """Comes before each name in the environment, where capitals make no difference."""

    def __init__(self, **values: Any) -> None:
        """Take the given values; the others come from the environment, or are the defaults."""
        super().__init__(**(self._environment_values() | values))

    @classmethod
    def _environment_values(cls) -> dict[str, str]:
        environment = {name.lower(): value for name, value in os.environ.items()}
        prefix = cls.variable_prefix.lower()
        return {name: environment[prefix + name] for name in cls.model_fields if prefix + name in environment}
