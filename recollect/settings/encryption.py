"""Settings of encryption at rest."""

from pathlib import Path

from pydantic import Field, SecretStr

from recollect.environment import EnvironmentSettings

KEY_SETTING, KEY_FILE_SETTING = "RECOLLECT_DATABASE_KEY", "RECOLLECT_DATABASE_KEY_FILE"
KEY_COMMAND_SETTING = "RECOLLECT_DATABASE_KEY_COMMAND"


class EncryptionSettings(EnvironmentSettings):
    """Settings of encryption at rest."""

    database_key: SecretStr | None = Field(
        default=None,
        description="Key that encrypts the SQLite file: 64 hexadecimal digits, or a passphrase of at least 12 "
        "characters; unset: the file is not encrypted.",
    )
    database_key_file: Path | None = Field(default=None, description="File with that key, instead of the key itself.")
    database_key_command: SecretStr | None = Field(
        default=None,
        description="Command that prints that key, such as one of your key store; it is run without a shell at each "
        "start.",
    )

    @property
    def database_key_setting(self) -> str | None:
        """Variable that names the key; None if no key is set."""
        named = {
            KEY_SETTING: self.database_key,
            KEY_FILE_SETTING: self.database_key_file,
            KEY_COMMAND_SETTING: self.database_key_command,
        }
        return next((name for name, value in named.items() if value is not None), None)
