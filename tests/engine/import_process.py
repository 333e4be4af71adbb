"""A process of its own that imports, two subjects a transaction: `python import_process.py URL FILE`."""

import asyncio
import sys
from pathlib import Path

from populated import opened
from toldonce.engine import transfer


class SilentBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


async def main(url: str, file: Path) -> None:
    """Import the file."""
    async with opened(url) as engine:
        with file.open("rb") as source:
            await engine.transfer.import_from(source, progress=SilentBar())


if __name__ == "__main__":
    transfer.MAX_SUBJECTS = 2
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
