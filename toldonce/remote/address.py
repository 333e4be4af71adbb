"""Where a server is. Pure."""

from urllib.parse import urlsplit

from toldonce.errors import BadSettingError


def base_url(url: str) -> str:
    """Return a server's URL without a slash at its end, and without `/v1`.

    >>> base_url("http://127.0.0.1:8765/v1/")
    'http://127.0.0.1:8765'

    Raises:
        BadSettingError: It is no URL of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise BadSettingError("url", _without_password(url), "is no URL of a server; write http://127.0.0.1:8765")
    if parts.username or parts.password:
        raise BadSettingError("url", _without_password(url), "holds a password; pass the API key as key=")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")


def _without_password(url: str) -> str:
    head, at, rest = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{rest}" if at else url
