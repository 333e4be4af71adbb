"""The time zone of a user who says where they are: a fact of their memory. Reads the store."""

from datetime import tzinfo

from toldonce.store.store import Store
from toldonce.time_zones import read_zone
from toldonce.types import Subject

_CATEGORY, _KEY = "identity", "time_zone"


async def user_zone(store: Store, subject: Subject, otherwise: tzinfo) -> tzinfo:
    """Return the time zone that a subject's fact names; `otherwise` without a fact that names a known one."""
    fact = await store.memories.in_slot(subject, _CATEGORY, _KEY)
    return (read_zone(fact.value) if fact is not None else None) or otherwise
