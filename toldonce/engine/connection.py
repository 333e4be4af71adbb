"""How the library is opened on a server instead of a database. Connects to it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toldonce.engine.core import AsyncToldOnce


class Connectable:
    """A library that can be opened on a server."""

    @classmethod
    async def connect(
        cls, url: str, key: str | None = None, *, timeout_s: float = 30.0, retries: int = 4
    ) -> "AsyncToldOnce":
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
        from toldonce.engine.remote import RemoteToldOnce
        from toldonce.engine.remote.client import RemoteOptions

        return await RemoteToldOnce.reach(url, RemoteOptions(key=key, timeout_s=timeout_s, retries=retries))
