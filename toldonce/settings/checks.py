"""Checks that several settings share, as types. Pure."""

from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, SecretStr

from toldonce.lazy_pattern import LazyPattern

_OLLAMA_PORT = 11434
_CONTROL = LazyPattern(r"[\x00-\x1f\x7f-\x9f]")


def listed(items: str) -> list[str]:
    """Return the items of a list that is separated by commas.

    >>> listed("a, b,,")
    ['a', 'b']
    """
    return [item.strip() for item in items.split(",") if item.strip()]


# First steps of the server's own paths: below one of them, it could not tell which step is whose.
_OWN_STEPS = frozenset(
    "api apps chat completions conversations dashboard docs embeddings mcp messages models responses u v1".split()
)
_SUB_PATH = LazyPattern(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}")


def sub_path(path: str) -> str:
    """Return the path below which another server passes requests on, without a slash at its end; empty: its root.

    >>> sub_path("/memory/"), sub_path("/")
    ('/memory', '')

    Raises:
        ValueError: It is no such path, or it begins as one of this server's does.
    """
    plain = path.rstrip("/")
    if plain and not _SUB_PATH.fullmatch(plain):
        raise ValueError(f"has the path {path[:100]!r}; use letters, digits, `-`, `_` and `~`, for example /memory")
    if plain.split("/")[1:2] and plain.split("/")[1] in _OWN_STEPS:
        raise ValueError(f"has the path {path[:100]!r}, which begins as this server's own; use another one: /memory")
    return plain


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL.

    >>> origin_of("https://example.org:444/memory")
    'https://example.org:444'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


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


def _of_ollama(url: str | None) -> str | None:
    """Append `/v1` to a URL of Ollama that has no path: clients of its own API write it so.

    >>> _of_ollama("http://127.0.0.1:11434"), _of_ollama("http://127.0.0.1:11434/v1"), _of_ollama("http://127.0.0.1:80")
    ('http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1', 'http://127.0.0.1:80')
    """
    parts = urlsplit(url or "")
    is_ollamas = parts.port == _OLLAMA_PORT or parts.hostname == "ollama.com"
    return f"{url}/v1" if is_ollamas and not parts.path else url


def _has_usable_port(parts: SplitResult) -> bool:
    """Return whether a URL has no port or a valid one."""
    try:
        return parts.port != 0
    except ValueError:
        return False


Key = Annotated[SecretStr | None, AfterValidator(_can_be_sent)]
"""A key or secret that can be sent in a header; None: unset."""
HttpUrl = Annotated[str | None, AfterValidator(_http_url)]
"""A URL without the last slash; None: unset."""
ModelUrl = Annotated[HttpUrl, AfterValidator(_of_ollama)]
"""Base URL of an API that asks models, with its `/v1`; None: unset."""
OptionalName = Annotated[str | None, AfterValidator(lambda name: name or None)]
"""A name; an empty one counts as unset."""
