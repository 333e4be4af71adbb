"""Quote no more what the user put right: a model that forms the right memory tells nothing of the first wording.

Reads no store.
"""

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.evidence import evidence_of
from recollect.extraction.rules.extractor import corrections
from recollect.extraction.sources import ExtractionInput
from recollect.formation.batch import ExtractionBatch
from recollect.formation.portions import LARGE_BATCH, characters
from recollect.formation.runtime import Runtime
from recollect.formation.stale import Outdated, denied_value


async def misspoken(batch: ExtractionBatch, tools: Runtime) -> list[Outdated]:
    """Find what was put right in the messages of a batch; without a model the rules' candidates tell most of it."""
    if "user" not in batch.sources:
        return []
    alone = tools.model is None
    source = ExtractionInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=batch.lease.key.subject,
        sources=frozenset({"user"}),
        time_zone=tools.zone,
    )
    found = await run_in_thread_if_large(
        characters(batch.messages), lambda: corrections(source, amounts_alone=alone), above=LARGE_BATCH
    )
    return [denied_value(fix.old, fix.meant or fix.new, evidence_of(message)) for message, fix in found]
