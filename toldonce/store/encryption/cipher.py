"""The ciphers of the package `cryptography`, which the extra `encrypted` brings. Imports it.

Raises:
    BadSettingError: at the import: the package is not installed.
"""

from toldonce.errors import BadSettingError
from toldonce.settings import MASTER_KEY_SETTING

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
except ImportError as error:
    raise BadSettingError(
        MASTER_KEY_SETTING, "…", f"needs the extra `encrypted` ({error}): `make extras` installs it"
    ) from error

__all__ = ["AESGCM", "AESSIV", "SHA256", "HKDFExpand", "InvalidTag"]
