"""Base class of the settings: where their values come from. Reads the environment."""

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource


class EnvironmentSettings(BaseSettings):
    """Settings from arguments and environment variables."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave out the files that pydantic-settings supports: looking for them takes half of the time."""
        return init_settings, env_settings
