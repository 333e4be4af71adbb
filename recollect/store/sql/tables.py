"""Every table, its key, and how erasing treats it: the one place where that is declared. Pure.

A table without a line here fails a test (`tests/store/test_tables.py`): whoever adds one says what becomes of its rows.
Copies of a database (`copying.py`) carry what stands here.
"""

from dataclasses import dataclass

_SUBJECT = ("subject", "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    name: str
    key: tuple[str, ...]
    """Its primary key; first the subject, in all but those that are nobody's."""
    holds: str
    """What of a subject it holds: what erasing has to see to."""
    receipt_line: str = ""
    """The line of the receipt on which its rows are counted; empty where nothing of anybody's is in them."""
    delete_statements: tuple[str, ...] = ()
    """Statements of `erase.sql` that take a whole subject's rows away."""
    counted: bool = False
    """Whether its rows are what the line counts: others tell of the same things."""
    kept: str = ""
    """Why rows stay when a whole subject is erased; empty where none do."""
    leased: tuple[str, ...] = ()
    """Columns that tell which process works on a row: a copy has none of them."""
    postgres: tuple[str, ...] = ()
    """Columns that PostgreSQL alone has, and that tell of this database's own indexes: a copy has none of them."""

    index: bool = False
    """Whether its rows only say where others are: they are made with those, and are no sign that a subject is known."""

    @property
    def is_global(self) -> bool:
        """Whether its rows belong to the database and to no subject."""
        return self.key[0] not in _SUBJECT


TABLES = (
    Table(name="meta", key=("name",), holds="keys of imported ledgers, ranges of numbers", kept="facts about the file"),
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
        name="erasure",
        key=("subject", "at", "id"),
        holds="numbers",
        kept="what a receipt counts, and whether it is pending",
    ),
)
"""In the order of the schema."""
