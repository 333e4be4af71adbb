"""Settings from the environment (`TOLDONCE_…`); `docs/configuration.md` lists every one."""

from toldonce.settings.all_settings import (
    DATABASE_SETTING,
    PREFIX,
    Settings,
    SettingSource,
    ShownSetting,
    shown_settings,
    unknown_variables,
)
from toldonce.settings.database_url import POSTGRES, SQLITE, TAKES_URL, shown_url
from toldonce.settings.encryption import (
    KEY_COMMAND_SETTING,
    KEY_FILE_SETTING,
    KEY_SETTING,
    KEYRING_SETTING,
    MASTER_COMMAND_SETTING,
    MASTER_KEY_SETTING,
    OTHER_MASTER_SETTING,
)

__all__ = [
    "DATABASE_SETTING",
    "KEYRING_SETTING",
    "KEY_COMMAND_SETTING",
    "KEY_FILE_SETTING",
    "KEY_SETTING",
    "MASTER_COMMAND_SETTING",
    "MASTER_KEY_SETTING",
    "OTHER_MASTER_SETTING",
    "POSTGRES",
    "PREFIX",
    "SQLITE",
    "TAKES_URL",
    "SettingSource",
    "Settings",
    "ShownSetting",
    "shown_settings",
    "shown_url",
    "unknown_variables",
]
