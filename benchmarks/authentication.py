"""What authentication costs a request, with few and with many API keys. Writes a database in a temporary folder."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import parts_in, settings_for
from benchmarks.progress import steps
from benchmarks.rows import Row, spread
from recollect.engine import AsyncRecollect
from recollect.server.app import identity_policy
from recollect.server.auth.authenticator import Authenticator
from recollect.types import Access, NewApiKey

# The promise (issue 16) for each request.
BAR_US = 50.0
# Keys of so many clients take turns.
CLIENTS = 100
# Keys that are made at once: the database writes them in few transactions.
_BATCH = 500
_HEADERS = ((b"host", b"localhost"), (b"content-type", b"application/json"), (b"accept", b"*/*"))


def run(quick: bool) -> list[Row]:
    """Measure with 10 keys, and with 100,000."""
    requests, counts = (1_000, (10, 200)) if quick else (20_000, (10, 100_000))
    rows: list[Row] = []
    for count in counts:
        for _ in steps(f"authentication: {count:,} keys", range(1)):
            rows += asyncio.run(_with_keys(count, requests))
    return rows


async def _with_keys(count: int, requests: int) -> list[Row]:
    with TemporaryDirectory(prefix="recollect-bench-") as folder:
        async with parts_in(settings_for(Path(folder))) as parts:
            engine = AsyncRecollect(parts)
            secrets = await _made(engine, count)
            chosen = cycle(secrets[:: max(1, count // CLIENTS)])
            authenticator = Authenticator.of(engine, identity_policy(engine.settings))

            async def known() -> None:
                await authenticator.authenticate((*_HEADERS, (b"authorization", b"Bearer " + next(chosen))))

            for _ in range(2 * CLIENTS):  # each key is looked up, and its use is noted
                await known()
            samples = await _timed(known, requests)
            rows = spread(f"{count:,} keys, request with a key", samples, "µs", bar=BAR_US)
            looked_up = iter(secrets[: requests // 10] * -(-requests // 10 // count))
            samples = await _timed(lambda: _look_up(engine, looked_up), requests // 10)
            return rows + spread(f"{count:,} keys, look-up in the database", samples, "µs")


async def _look_up(engine: AsyncRecollect, secrets: Iterator[bytes]) -> None:
    if await engine.keys.find(next(secrets).decode()) is None:
        raise AssertionError("a key that was made is not found")


async def _made(engine: AsyncRecollect, count: int) -> list[bytes]:
    secrets: list[bytes] = []
    for start in range(0, count, _BATCH):
        new = [
            NewApiKey(name=f"client {number}", access=Access.WRITE, tenant="acme", user=f"user {number}")
            for number in range(start, min(start + _BATCH, count))
        ]
        made = await asyncio.gather(*(engine.keys.create(key) for key in new))
        secrets += [secret.encode() for _, secret in made]
    return secrets


async def _timed(call: Callable[[], Awaitable[None]], times: int) -> list[float]:
    """Return how long each call takes, in µs."""
    samples = []
    gc.collect()
    for _ in range(times):
        start = time.perf_counter_ns()
        await call()
        samples.append((time.perf_counter_ns() - start) / 1000)
    return samples
