"""Settings of encryption at rest."""

from pathlib import Path

from pydantic import Field, SecretStr

from recollect.environment import EnvironmentSettings

KEY_SETTING, KEY_FILE_SETTING = "RECOLLECT_DATABASE_KEY", "RECOLLECT_DATABASE_KEY_FILE"


class EncryptionSettings(EnvironmentSettings):
    """Settings of encryption at rest."""

    database_key: SecretStr | None = Field(
        default=None,
        description="Key that encrypts the SQLite file: 64 hexadecimal digits, or a passphrase of at least 12 "
        "characters; unset: the file is not encrypted.",
    )
    database_key_file: Path | None = Field(default=None, description="File with that key, instead of the key itself.")
