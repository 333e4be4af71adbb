"""Quote no more what the user put right: a model that forms the right memory tells nothing of the first wording.

Reads no store.
"""

from recollect.concurrency import apart
from recollect.extraction.evidence import evidence_of
from recollect.extraction.rules.extractor import corrections
from recollect.extraction.sources import FormInput
from recollect.formation.batch import Batch
from recollect.formation.portions import LARGE_BATCH, characters
from recollect.formation.runtime import Tools
from recollect.formation.stale import Outdated, denied_value


async def misspoken(batch: Batch, tools: Tools) -> list[Outdated]:
    """Find what was put right in the messages of a batch; without a model the rules' candidates tell most of it."""
    if "user" not in batch.sources:
        return []
    alone = tools.model is None
    source = FormInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=batch.lease.key.subject,
        sources=frozenset({"user"}),
        time_zone=tools.zone,
    )
    found = await apart(characters(batch.messages), lambda: corrections(source, amounts_alone=alone), above=LARGE_BATCH)
    return [denied_value(fix.old, fix.meant or fix.new, evidence_of(message)) for message, fix in found]
