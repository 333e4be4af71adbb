"""How the library is opened on a server instead of a database. Loads what connects to it."""

from importlib import import_module
from typing import Self

# By name: a connection is a kind of engine, so the engine's modules cannot be built upon it.
_CONNECTIONS = "toldonce.remote"


class Connectable:
    """A library that can be opened on a server."""

    @classmethod
    async def connect(cls, url: str, key: str | None = None, *, timeout_s: float = 30.0, retries: int = 4) -> Self:
        """Connect to the memory of a ToldOnce server: the same methods, over HTTP.

        Args:
            url: Of the server, such as `http://127.0.0.1:8765`.
            key: API key; None where the server needs none.
            timeout_s: How long the server may be silent, and how long a request is tried again.
            retries: How often a request is sent again that got no answer; a write has one effect all the same.

        Raises:
            BadSettingError: the URL cannot be used.
            NoCredentialError: the server needs a valid API key.
            ServerUnreachableError: it does not answer.
            BadServerError: it is no ToldOnce server of this version.
        """
        connected: Self = await import_module(_CONNECTIONS).connect(url, key, timeout_s=timeout_s, retries=retries)
        return connected
