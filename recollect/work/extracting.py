"""Stage `extract`: provisional."""

from recollect.types import FormationResult, Lease
from recollect.work.tools import Tools


def extractor_version(model: object) -> str:
    return "rules-1"


async def extract(lease: Lease, tools: Tools) -> FormationResult:
    return FormationResult(formed_seq=lease.last_seq)
