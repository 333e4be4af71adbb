"""A process of its own that merges users, a few rows in a transaction: `python merge_process.py URL SOURCE TARGET`."""

import asyncio
import sys

from populated import parts_of
from toldonce.engine import AsyncToldOnce, user_merge
from toldonce.store.sql.transfer import merge_portions
from toldonce.testing import FakeClock


async def main(url: str, source: str, target: str) -> None:
    """Merge them."""
    merge_portions.MAX_ROWS, user_merge.SETTLE_S = 3, 0.0
    clock = FakeClock()
    clock.advance(days=3)
    async with AsyncToldOnce(await parts_of(url, clock=clock)) as engine:
        await engine.admin.merge_user(source, target)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
