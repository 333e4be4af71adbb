"""The library over HTTP: the same classes and methods, served by `/v1` of a ToldOnce server. Connects to it alone.

`RemoteToldOnce` and its namespaces are subclasses of the engine's, so that a program takes either; a test compares
them method by method.
"""

from toldonce.remote.client import RemoteOptions
from toldonce.remote.core import RemoteToldOnce

__all__ = ["RemoteToldOnce", "connect"]


async def connect(url: str, key: str | None, *, timeout_s: float, retries: int) -> RemoteToldOnce:
    """Connect to a server: see `AsyncToldOnce.connect`, which asks for it."""
    return await RemoteToldOnce.reach(url, RemoteOptions(key=key, timeout_s=timeout_s, retries=retries))
