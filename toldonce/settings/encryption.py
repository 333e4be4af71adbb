"""Settings of encryption at rest."""

from pathlib import Path

from pydantic import Field, SecretStr

from toldonce.environment import EnvironmentSettings
from toldonce.errors import BadSettingError

KEY_SETTING, KEY_FILE_SETTING = "TOLDONCE_DATABASE_KEY", "TOLDONCE_DATABASE_KEY_FILE"
KEY_COMMAND_SETTING = "TOLDONCE_DATABASE_KEY_COMMAND"
KEYRING_SETTING, MASTER_KEY_SETTING = "TOLDONCE_SUBJECT_KEYS", "TOLDONCE_MASTER_KEY"
MASTER_COMMAND_SETTING, OTHER_MASTER_SETTING = "TOLDONCE_MASTER_KEY_COMMAND", "TOLDONCE_OTHER_MASTER_KEY"


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

    subject_keys: SecretStr | None = Field(
        default=None,
        description="URL of the keyring, which holds a data key for each subject: `sqlite:///…` or `postgresql://…`, "
        "another one than the database; unset: `<database>.keys` beside a SQLite file.",
    )
    master_key: SecretStr | None = Field(
        default=None,
        description="Key that encrypts the data keys: 64 hexadecimal digits, or a passphrase of at least 12 "
        "characters; unset: subjects are not encrypted.",
    )
    master_key_command: SecretStr | None = Field(
        default=None,
        description="Command that prints the master key, such as one of your key store; it is run without a shell at "
        "each start.",
    )
    other_master_key: SecretStr | None = Field(
        default=None,
        description="Second master key that is accepted for reading while the master key is changed.",
    )

    @property
    def encrypts_subjects(self) -> bool:
        """Whether a master key is set."""
        return self.master_key is not None or self.master_key_command is not None

    @property
    def database_key_setting(self) -> str | None:
        """Variable that names the key; None if no key is set."""
        named = {
            KEY_SETTING: self.database_key,
            KEY_FILE_SETTING: self.database_key_file,
            KEY_COMMAND_SETTING: self.database_key_command,
        }
        return next((name for name, value in named.items() if value is not None), None)

    def check_keys(self) -> None:
        """Check that the settings of keys go together.

        Raises:
            BadSettingError: A key is given in two ways.
        """
        keys = (self.database_key, self.database_key_file, self.database_key_command)
        if sum(key is not None for key in keys) > 1:
            names = f"{KEY_SETTING}, {KEY_FILE_SETTING} and {KEY_COMMAND_SETTING}"
            raise BadSettingError(KEY_SETTING, "…", f"only one of {names} can be set")
        if self.master_key and self.master_key_command:
            why = f"only one of {MASTER_KEY_SETTING} and {MASTER_COMMAND_SETTING} can be set"
            raise BadSettingError(MASTER_KEY_SETTING, "…", why)
