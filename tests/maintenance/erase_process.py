"""A process of its own that erases: `python erase_process.py URL all|ID [PORTION]`.

PORTION is the number of memories that one transaction erases. Prints whether the receipt says done.
"""

import asyncio
import sys

from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.store.sql.erase import repository


async def main(url: str, what: str) -> None:
    """Erase all of ana, or one of her conversations."""
    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        erase = engine.erasure.subject("ana") if what == "all" else engine.erasure.conversation(what, user="ana")
        receipt = await erase
    sys.stdout.write("done\n" if receipt.done else "pending\n")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        repository.MAX_MEMORIES = int(sys.argv[3])
    asyncio.run(main(sys.argv[1], sys.argv[2]))
