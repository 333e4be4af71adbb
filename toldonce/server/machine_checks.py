"""What only `toldonce doctor` finds on its machine: the address to listen at, and turns that hooks could not deliver.

Reads the names and times of their files.
"""

import os
from datetime import UTC, datetime

import aiohttp

from toldonce.errors import PortInUseError, SetupError
from toldonce.hook.spool import MAX_AGE_S, REFUSED, undelivered_turns
from toldonce.plural import plural
from toldonce.server.findings import Finding, fail, ok, warn
from toldonce.server.http_server import bind
from toldonce.server.origin_guard import is_loopback
from toldonce.settings import Settings

_WHAT = "hooks"
# What is younger may be on its way.
_MIN_AGE_S = 60


def spool_finding(now: datetime | None = None) -> Finding | None:
    """Report the turns of agents that wait to be delivered, or were refused; None if there are none."""
    at = (now or datetime.now(UTC)).timestamp()
    times = {path: time for path in undelivered_turns() if (time := _modified(path)) is not None}
    refused = [path for path in times if path.endswith(REFUSED)]
    waiting = [time for path, time in times.items() if path not in refused and time <= at - _MIN_AGE_S]
    if not waiting and not refused:
        return None
    parts = []
    if waiting:
        since = datetime.fromtimestamp(min(waiting), UTC)
        parts.append(f"{plural(len(waiting), 'turn')} could not be delivered, the oldest at {since:%Y-%m-%d %H:%M} UTC")
    if refused:
        parts.append(f"{plural(len(refused), 'turn')} of hooks that memory refused")
    return warn(
        _WHAT,
        f"{'; '.join(parts)} ({os.path.dirname(next(iter(times)))})",
        f"start the server or free the database: the next hook delivers them; after {MAX_AGE_S // 86400} days they are "
        "dropped",
    )


def _modified(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None  # it was delivered meanwhile


async def address_finding(settings: Settings) -> Finding:
    """Report whether a server can listen at its address, or listens there already."""
    what, host, port = "address", settings.host, settings.port
    if port == 0:
        return ok(what, f"{host}, any free port")
    open_to = "" if is_loopback(host) else " (reachable from other machines)"
    try:
        bind(host, port).close()
    except PortInUseError as error:
        near = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        if await answers(f"http://{f'[{near}]' if ':' in near else near}:{port}"):
            return ok(what, f"a ToldOnce server answers on {host}:{port}{open_to}")
        return fail(what, str(error))
    except SetupError as error:
        return fail(what, str(error))
    return ok(what, f"{host}:{port} is free{open_to}")


# Timeout for probing a server on this machine.
_PROBE_S = 1.0


async def answers(base_url: str) -> bool:
    """Return whether a ToldOnce server answers at a URL."""
    timeout = aiohttp.ClientTimeout(total=_PROBE_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as http,
            http.get(f"{base_url.rstrip('/')}/healthz") as answer,
        ):
            body = await answer.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError, OSError):
        return False
    return isinstance(body, dict) and "status" in body and "version" in body
