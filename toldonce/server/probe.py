"""Whether a ToldOnce server answers. Connects by HTTP."""

import aiohttp

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
