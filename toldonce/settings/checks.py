"""Checks that several settings share, as types. Pure."""

from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, SecretStr

from toldonce.lazy_pattern import LazyPattern

_CONTROL = LazyPattern(r"[\x00-\x1f\x7f-\x9f]")


def listed(items: str) -> list[str]:
    """Return the items of a list that is separated by commas.

    >>> listed("a, b,,")
    ['a', 'b']
    """
    return [item.strip() for item in items.split(",") if item.strip()]


def _can_be_sent(key: SecretStr | None) -> SecretStr | None:
    value = key.get_secret_value() if key else ""
    if _CONTROL.search(value):
        raise ValueError("contains a line break or another control character; remove it")
    if value and not value.strip():
        raise ValueError("contains only spaces; set it to a key, or unset it")
    return key


def _http_url(url: str | None) -> str | None:
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not _has_usable_port(parts):
        raise ValueError("not an http(s) URL; use for example http://127.0.0.1:11434/v1")
    if parts.username or parts.password:
        raise ValueError("a key belongs in the setting for the key, not in the URL")
    if "?" in url or "#" in url:
        raise ValueError(
            "a base URL cannot contain ? or #; remove the part from there on, and let clients send queries"
        )
    return url.rstrip("/")


def _has_usable_port(parts: SplitResult) -> bool:
    """Return whether a URL has no port or a valid one."""
    try:
        return parts.port != 0
    except ValueError:
        return False


Key = Annotated[SecretStr | None, AfterValidator(_can_be_sent)]
"""A key or secret that can be sent in a header; None: unset."""
HttpUrl = Annotated[str | None, AfterValidator(_http_url)]
"""Base URL of an API, without the last slash; None: unset."""
OptionalName = Annotated[str | None, AfterValidator(lambda name: name or None)]
"""A name; an empty one counts as unset."""
