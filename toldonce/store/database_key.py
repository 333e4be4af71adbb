"""Keys of encrypted files and keyrings, from settings, a file, a command or a person. Reads files, runs commands."""

import hashlib
import shlex
import subprocess
from pathlib import Path
from typing import Self

from toldonce.child_process import FOLDER
from toldonce.errors import BadSettingError
from toldonce.lazy_pattern import LazyPattern
from toldonce.settings import (
    KEY_COMMAND_SETTING,
    KEY_FILE_SETTING,
    KEY_SETTING,
    MASTER_COMMAND_SETTING,
    MASTER_KEY_SETTING,
    Settings,
)

# A shorter passphrase is guessed in days, however slow each try is made.
MIN_PASSPHRASE = 12
# Of PBKDF2-HMAC-SHA256: the OWASP Password Storage Cheat Sheet of 2023.
KDF_ROUNDS = 600_000
# A key store may be on another continent, or wait for a person's finger.
COMMAND_S = 60.0
_HEX = LazyPattern(r"[0-9A-Fa-f]{64}")
_CONTROL = LazyPattern(r"[\x00-\x1f\x7f]")


class DatabaseKey:
    """A key as it was given: 64 hexadecimal digits are the 256 bits themselves, anything else is a passphrase."""

    def __init__(self, text: str, *, given_by: str = KEY_SETTING) -> None:
        """Take the text of a key; `given_by` is the setting or file that errors name.

        Raises:
            BadSettingError: it is too short to be safe, or has a control character.
        """
        if _CONTROL.search(text):
            raise BadSettingError(given_by, "…", "contains a line break or another control character; remove it")
        if len(text.strip()) < MIN_PASSPHRASE:
            why = f"takes 64 hexadecimal digits (`openssl rand -hex 32`) or at least {MIN_PASSPHRASE} characters"
            raise BadSettingError(given_by, "…", why)
        self._text = text
        self._derived: dict[bytes, bytes] = {}

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read the only line of a file.

        Raises:
            BadSettingError: it cannot be read, or holds no key.
        """
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise BadSettingError(KEY_FILE_SETTING, str(path), f"the key cannot be read: {why}") from None
        return cls(_line(text), given_by=str(path))

    @classmethod
    def from_command(cls, command: str, *, setting: str = KEY_COMMAND_SETTING) -> Self:
        """Run a command, without a shell, and take the only line that it prints; `setting` named it.

        It does not run in the user's folder: a command such as `python -m keyring` executes modules of the folder where
        it runs.

        Raises:
            BadSettingError: it fails, takes more than a minute, or prints no key.
        """
        try:
            arguments = shlex.split(command)
            if not arguments:
                raise BadSettingError(setting, "", "is empty; unset it, or set it to a command")
            done = subprocess.run(arguments, stdout=subprocess.PIPE, timeout=COMMAND_S, check=True, cwd=FOLDER)
            text = done.stdout.decode()
        except subprocess.CalledProcessError as error:
            why = f"ended with code {error.returncode}"
        except subprocess.TimeoutExpired:
            why = f"did not end within {COMMAND_S:g} s"
        except UnicodeDecodeError:
            why = "printed what is not UTF-8"
        except (OSError, ValueError) as error:
            why = f"cannot be run ({error})"
        else:
            return cls(_line(text), given_by=setting)
        raise BadSettingError(setting, "…", why)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return the key that the settings name; None if they name none.

        Raises:
            BadSettingError: it cannot be read, or is no key.
        """
        if settings.database_key is not None:
            return cls(settings.database_key.get_secret_value())
        if settings.database_key_command is not None:
            return cls.from_command(settings.database_key_command.get_secret_value())
        return None if settings.database_key_file is None else cls.from_file(settings.database_key_file)

    @classmethod
    def master_of(cls, settings: Settings) -> Self | None:
        """Return the master key of subjects' keys that the settings name; None if they name none.

        Raises:
            BadSettingError: it cannot be read, or is no key.
        """
        if settings.master_key is not None:
            return cls(settings.master_key.get_secret_value(), given_by=MASTER_KEY_SETTING)
        if settings.master_key_command is not None:
            command = settings.master_key_command.get_secret_value()
            return cls.from_command(command, setting=MASTER_COMMAND_SETTING)
        return None

    def bits(self, salt: bytes) -> bytes:
        """Return the 32 bytes that encrypt a file or keyring with this salt; a passphrase takes 0.4 s at first."""
        if _HEX.fullmatch(self._text):
            return bytes.fromhex(self._text)
        if salt not in self._derived:
            self._derived[salt] = hashlib.pbkdf2_hmac("sha256", self._text.encode(), salt, KDF_ROUNDS)
        return self._derived[salt]


def _line(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")
