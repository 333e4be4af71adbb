"""Quote no more what the user put right: a model that forms the right memory tells nothing of the first wording.

Reads no store.
"""

from recollect.form.evidence import evidence_of
from recollect.form.rules.extract import corrections
from recollect.form.sources import FormInput
from recollect.work.apart import apart
from recollect.work.batch import Batch
from recollect.work.portions import LARGE_BATCH, characters
from recollect.work.stale import Outdated, denied_value
from recollect.work.tools import Tools


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
