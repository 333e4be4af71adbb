"""What a server that others can reach needs before it listens. Reads and writes keys through the engine."""

from collections.abc import Callable

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadSettingError
from toldonce.server.origin_guard import is_loopback


async def require_access(engine: AsyncToldOnce, say: Callable[[str], None]) -> None:
    """Refuse to listen where others can connect and no credential exists; make the first key at the first start.

    Args:
        engine: The memory, with its keys.
        say: Takes the first key, which is shown this once.

    Raises:
        BadSettingError: All keys were revoked or have expired, and there is no other credential.
    """
    settings = engine.settings
    if settings.auth == "off" or settings.jwt_secret or settings.jwt_issuer:
        return
    if is_loopback(settings.host) and settings.auth != "required":
        return
    if await engine.keys.is_any_valid():
        return
    secret = await engine.keys.create_first()
    if secret is None:
        if await engine.keys.is_any_valid():
            return  # another server that started at the same time has made it
        raise BadSettingError(
            "TOLDONCE_HOST",
            settings.host,
            "requests need a credential here, and every API key was revoked or has expired: make one with "
            "`toldonce keys create`, set TOLDONCE_JWT_ISSUER or TOLDONCE_JWT_SECRET, listen on 127.0.0.1, or set "
            "TOLDONCE_AUTH=off if everyone who can connect may read and write all memory",
        )
    say(
        f"This server's first API key, for administrators, shown only this once:\n  {secret}\n"
        "Make one for each user or client with `toldonce keys create`, and revoke this one when you need it no more.\n"
    )
