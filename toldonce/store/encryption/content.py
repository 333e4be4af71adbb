"""Which columns hold content: the one place where that is declared. Pure.

Not content, and so never encrypted: ids, instants, numbers, hashes, and names of subjects, apps, tenants and
profiles. A statement that writes or compares one of these columns says so in its header, which a test checks
(`tests/store/test_sealed_statements.py`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The columns of a table that hold content."""

    seals: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    """Those that the database compares: equal values of a subject stay equal."""


CONTENT = {
    "conversation": Content(seals=("end_reason",), matches=("external_id", "options")),
    "message": Content(seals=("name", "text", "payload")),
    "memory": Content(seals=("text", "value", "speaker", "detail"), matches=("category", "key")),
    "memory_tag": Content(matches=("tag",)),
    "evidence": Content(seals=("speaker",), matches=("quote",)),
    "hot": Content(seals=("terms",)),
    "vector": Content(seals=("data",)),
    "formation": Content(seals=("error",)),
    "decision": Content(seals=("reason", "text")),
    "recall": Content(seals=("omitted",)),
    "insertion": Content(seals=("standing", "recalled")),
    "idempotency": Content(seals=("headers", "body")),
}
"""By table."""
