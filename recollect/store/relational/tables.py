"""Every table, and how erasing treats it: the one place where that is declared. Pure.

A table without a line here fails a test (`tests/store/test_tables.py`): whoever adds one says what becomes of its rows.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    name: str
    holds: str
    """What of a subject it holds: what erasing has to see to."""
    place: str = ""
    """The line of the receipt on which its rows are counted; empty where nothing of anybody's is in them."""
    every: tuple[str, ...] = ()
    """Statements of `erase.sql` that take a whole subject's rows away."""
    counted: bool = False
    """Whether its rows are what the line counts: others tell of the same things."""
    kept: str = ""
    """Why rows stay when a whole subject is erased; empty where none do."""


TABLES = (
    Table(name="meta", holds="nothing of a subject", kept="facts about the file"),
    Table(name="subject", holds="the name", place="memories", every=("erase_subject",)),
    Table(name="conversation", holds="the client's id, options", place="messages", every=("every_conversation",)),
    Table(name="message", holds="what was said, by whom", place="messages", every=("every_message",), counted=True),
    Table(name="tool_call", holds="hashes of the ids of calls", place="messages", every=("every_call",)),
    Table(name="memory", holds="what is known and was", place="memories", every=("every_memory",), counted=True),
    Table(name="evidence", holds="quotes", place="evidence", every=("every_evidence",), counted=True),
    Table(name="memory_tag", holds="tags", place="tags", every=("every_tag",), counted=True),
    Table(name="hot", holds="keyed hashes of the words", place="terms", every=("every_hot",), counted=True),
    Table(name="vector", holds="embeddings", place="vectors", every=("every_vector",), counted=True),
    Table(name="space", holds="nothing of a subject", kept="names of embedding models"),
    Table(
        name="formation",
        holds="errors that may quote",
        place="formations",
        every=("every_formation", "every_formation_on_log"),
        counted=True,
    ),
    Table(name="decision", holds="words of candidates", place="decisions", every=("every_decision",), counted=True),
    Table(name="recall", holds="a hash of the question", place="recalls", every=("every_recall",), counted=True),
    Table(name="link", holds="ids", place="memories", every=("every_link",)),
    Table(name="gone", holds="ids", kept="caches drop by it what was erased: ids alone"),
    Table(name="erased_message", holds="masked hashes", kept="the ledger: a resent history stays erased by it"),
    Table(name="erased_subject", holds="the hash of the name", kept="the ledger: versions go on counting by it"),
    Table(name="app", holds="that an app was announced", place="memories", every=("every_app",)),
    Table(name="subscription", holds="names of shared subjects", place="memories", every=("every_subscription",)),
    Table(name="energy", holds="numbers", place="memories", every=("every_energy",)),
    Table(name="reservation", holds="numbers", place="memories", every=("every_reservation",)),
    Table(name="spending", holds="numbers", place="memories", every=("every_spending",)),
    Table(name="energy_poll", holds="names of pollers", place="memories", every=("every_poll",)),
    Table(name="erasure", holds="numbers", kept="what a receipt counts, and whether it is pending"),
)
"""In the order of the schema."""
