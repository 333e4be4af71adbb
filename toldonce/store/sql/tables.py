"""Every table, its key, how erasing treats it, and which columns hold content: declared here alone. Pure.

A table without a line here fails a test (`tests/store/test_tables.py`): a new table needs a rule for its rows.
Copies of a database (`transfer/copy_database.py`) carry the tables that are listed here.

Not content, and so never encrypted: ids, instants, numbers, hashes, and names of subjects, apps, tenants and
profiles. A statement that writes or compares one of these columns says so in its header, which a test checks
(`tests/store/test_sealed_statements.py`).
"""

from dataclasses import dataclass

_SUBJECT = ("subject", "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    name: str
    key: tuple[str, ...]
    """Its primary key, which begins with the subject except in global tables."""
    holds: str
    """What it holds of a subject, and erasing has to remove."""
    receipt_line: str = ""
    """Line of the erasure receipt that counts its rows; empty if they hold no personal data."""
    delete_statements: tuple[str, ...] = ()
    """Statements of `erase.sql` that delete all rows of a subject."""
    counted: bool = False
    """Whether the line counts its rows; other tables of the line repeat the same things."""
    kept: str = ""
    """Why rows stay when a whole subject is erased; empty if none do."""
    leased: tuple[str, ...] = ()
    """Columns that say which process works on a row; not copied."""
    postgres: tuple[str, ...] = ()
    """Columns of PostgreSQL alone, about this database's own indexes; not copied."""

    index: bool = False
    """Whether its rows only locate other rows: they are no sign that a subject exists."""

    @property
    def is_global(self) -> bool:
        """Whether its rows belong to the database and to no subject."""
        return self.key[0] not in _SUBJECT


TABLES = (
    Table(name="meta", key=("name",), holds="keys of imported ledgers, ranges of numbers", kept="facts about the file"),
    Table(
        name="api_key",
        key=("hash",),
        holds="the name of a key's user",
        receipt_line="memories",
        delete_statements=("every_key_of_user",),
    ),
    Table(
        name="user_alias",
        key=("source",),
        holds="the names of two users who are one person",
        receipt_line="memories",
        delete_statements=("every_alias",),
    ),
    Table(name="audit", key=("id",), holds="nothing of a subject", kept="who administered what: ids alone"),
    Table(
        name="subject",
        key=("key",),
        leased=("tend_token", "tend_until"),
        postgres=("near",),
        holds="the name",
        receipt_line="memories",
        delete_statements=("erase_subject",),
    ),
    Table(
        name="conversation",
        key=("subject", "id"),
        holds="the client's id, options",
        receipt_line="messages",
        delete_statements=("every_conversation",),
    ),
    Table(
        name="message",
        key=("subject", "conversation", "seq"),
        holds="what was said, by whom",
        receipt_line="messages",
        delete_statements=("every_message",),
        counted=True,
    ),
    Table(
        name="tool_call",
        key=("subject", "call", "conversation", "seq"),
        holds="hashes of the ids of calls",
        receipt_line="messages",
        delete_statements=("every_call",),
    ),
    Table(
        name="memory",
        key=("subject", "id"),
        holds="what is known and was",
        receipt_line="memories",
        delete_statements=("every_memory",),
        counted=True,
    ),
    Table(
        name="evidence",
        key=("subject", "memory", "place"),
        holds="quotes",
        receipt_line="evidence",
        delete_statements=("every_evidence",),
        counted=True,
    ),
    Table(
        name="memory_tag",
        key=("subject", "tag", "memory"),
        holds="tags",
        receipt_line="tags",
        delete_statements=("every_tag",),
        counted=True,
    ),
    Table(
        name="hot",
        key=("subject", "memory"),
        holds="keyed hashes of the words",
        receipt_line="terms",
        delete_statements=("every_hot",),
        counted=True,
    ),
    Table(
        name="vector",
        key=("subject", "space", "memory"),
        holds="embeddings",
        receipt_line="vectors",
        delete_statements=("every_vector",),
        counted=True,
    ),
    Table(name="space", key=("id",), holds="nothing of a subject", kept="names of embedding models"),
    Table(
        name="formation",
        key=("subject", "home", "conversation", "profile", "stage", "version"),
        leased=("lease_token", "lease_until"),
        holds="errors that may quote",
        receipt_line="formations",
        delete_statements=("every_formation", "every_formation_on_log"),
        counted=True,
    ),
    Table(
        name="decision",
        key=("subject", "at", "id"),
        holds="words of candidates",
        receipt_line="decisions",
        delete_statements=("every_decision",),
        counted=True,
    ),
    Table(
        name="recall",
        key=("subject", "at", "id"),
        holds="a hash of the question",
        receipt_line="recalls",
        delete_statements=("every_recall",),
        counted=True,
    ),
    Table(
        name="insertion",
        key=("subject", "chain", "thread"),
        holds="what was inserted into prompts",
        receipt_line="insertions",
        delete_statements=("every_insertion",),
        counted=True,
    ),
    Table(
        name="insertion_item",
        key=("subject", "memory", "owner", "chain", "thread"),
        holds="ids of the memories in them",
        receipt_line="insertions",
        delete_statements=("every_insertion_item",),
    ),
    Table(
        name="link", key=("subject", "memory"), holds="ids", receipt_line="memories", delete_statements=("every_link",)
    ),
    Table(
        name="gone",
        key=("subject", "version", "memory"),
        holds="ids",
        kept="caches drop by it what was erased: ids alone",
    ),
    Table(
        name="erased_message",
        key=("subject", "mark"),
        holds="masked hashes",
        kept="the ledger: a resent history stays erased by it",
    ),
    Table(
        name="erased_subject",
        key=("subject",),
        holds="the hash of the name",
        kept="the ledger: versions go on counting by it",
    ),
    Table(
        name="inner_subject",
        key=("subject", "name"),
        holds="names of subjects within it",
        receipt_line="memories",
        delete_statements=("every_inner_subject",),
        index=True,
    ),
    Table(
        name="app",
        key=("subject",),
        holds="that an app was announced",
        receipt_line="memories",
        delete_statements=("every_app",),
    ),
    Table(
        name="app_number",
        key=("subject",),
        holds="a number",
        receipt_line="memories",
        delete_statements=("every_app_number",),
    ),
    Table(
        name="subscription",
        key=("subject", "shared"),
        holds="names of shared subjects",
        receipt_line="memories",
        delete_statements=("every_subscription",),
    ),
    Table(
        name="character_name",
        key=("subject", "name"),
        holds="names of characters",
        receipt_line="memories",
        delete_statements=("every_character_name",),
    ),
    Table(
        name="energy", key=("subject",), holds="numbers", receipt_line="memories", delete_statements=("every_energy",)
    ),
    Table(
        name="reservation",
        key=("subject", "id"),
        holds="numbers",
        receipt_line="memories",
        delete_statements=("every_reservation",),
    ),
    Table(
        name="spending",
        key=("subject", "day", "purpose"),
        holds="numbers",
        receipt_line="memories",
        delete_statements=("every_spending",),
    ),
    Table(
        name="energy_poll",
        key=("subject", "poller"),
        holds="names of pollers",
        receipt_line="memories",
        delete_statements=("every_poll",),
    ),
    Table(
        name="idempotency",
        key=("subject", "key"),
        holds="answers, which may quote",
        receipt_line="memories",
        delete_statements=("every_answer",),
        index=True,
    ),
    Table(
        name="subject_key",
        key=("subject",),
        holds="the number of its data key",
        kept="numbers of keys: none is used again after it was destroyed",
        index=True,
    ),
    Table(
        name="erasure",
        key=("subject", "at", "id"),
        holds="numbers",
        kept="what a receipt counts, and whether it is pending",
    ),
)
"""In the order of the schema."""


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
