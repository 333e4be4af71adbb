"""Settings from the environment (`TOLDONCE_…`); `docs/configuration.md` lists every one."""

from toldonce.settings.all_settings import DATABASE_SETTING as DATABASE_SETTING
from toldonce.settings.all_settings import PREFIX as PREFIX
from toldonce.settings.all_settings import Settings as Settings
from toldonce.settings.all_settings import SettingSource as SettingSource
from toldonce.settings.all_settings import ShownSetting as ShownSetting
from toldonce.settings.all_settings import shown_settings as shown_settings
from toldonce.settings.all_settings import unknown_variables as unknown_variables
from toldonce.settings.database_url import POSTGRES as POSTGRES
from toldonce.settings.database_url import SQLITE as SQLITE
from toldonce.settings.database_url import TAKES_URL as TAKES_URL
from toldonce.settings.database_url import shown_url as shown_url
from toldonce.settings.encryption import KEY_COMMAND_SETTING as KEY_COMMAND_SETTING
from toldonce.settings.encryption import KEY_FILE_SETTING as KEY_FILE_SETTING
from toldonce.settings.encryption import KEY_SETTING as KEY_SETTING
from toldonce.settings.encryption import KEYRING_SETTING as KEYRING_SETTING
from toldonce.settings.encryption import MASTER_COMMAND_SETTING as MASTER_COMMAND_SETTING
from toldonce.settings.encryption import MASTER_KEY_SETTING as MASTER_KEY_SETTING
from toldonce.settings.encryption import OTHER_MASTER_SETTING as OTHER_MASTER_SETTING
