"""All statements of the relational store, and which of them ask beyond one subject."""

import re
from importlib.resources import files

from recollect.store.sql import database

RELATIONAL = files("recollect.store.sql")
ROOMS = tuple(sorted(entry.name.removesuffix(".sql") for entry in (RELATIONAL / "queries").iterdir()))
# What the operator asks of all subjects at once, and what belongs to the file and to no subject.
OPERATORS = {
    "subjects",
    "count",
    "sums",
    "due",
    "next_subject",
    "next_due",
    "formations",
    "free_leases",
    "from_future",
    "back_from_future",
    "tend_due",
    "behind",
    "tended_in_future",
    "stay_in",
    "read_in_page",
    "space_counts",
    "space_names",
    "next_subjects",
    "to_copy",
    "written",
    "named",
    "nameless",
    "any_subject",
    "plain_subjects",
    "keyed_subjects",
    "count_keyed",
    "traces_of_all",
    "traces_of_tenant",
    "all_memories_counted",
    "all_decisions_counted",
    "all_prompts_counted",
    "all_spending_counted",
    "all_formations_counted",
    "unfinished",  # erasures that were interrupted, for the worker that continues them
}
CHECKS = {
    "broken_pages",
    "gaps",
    "active_without_hot",
    "hot_without_active",
    "vectors_without_hot",
    "turns_without_words",
    "log_without_subject",
}
NOBODYS = {
    "add_key",
    "outdated",
    "key_by_hash",
    "key_by_id",
    "keys",
    "has_any_key",
    "had_any_key",
    "has_valid_key",
    "revoke_key",
    "use_key",
    "add_audit",
    "audit",
    "term_key",
    "names_of",
    "schema",
    "space",
    "add_space",
    "spaces",
    "space_name",
    "embedders",
    "describe_space",
    "choose_space",
    "newest_choice",
    "chosen",
    "copied_up_to",
    "note_copied",
    "ledger_key",
    "keep_ledger_key",
    "claim_range",
    "mark",
    "set_mark",
}
# What an erasure asks of all subjects that hold something of one, and what it finishes for all.
ERASING = {"linked", "unclean", "cleaned", "retired", "showing", "showing_any", "shown_memories"}
NAMES_A_SUBJECT = re.compile(r"\b(subject|key|home|bound_to) = \?[13]|VALUES \(\?1|INTO \w+ \((subject|key),")
ALL = [(room, name, sql) for room in ROOMS for name, sql in database.load(room).items()]
# What PostgreSQL alone is asked.
POSTGRES_ONLY = ("recall",)
# What the index of one subject's vectors answers, worded for each: its condition must stand there word for word.
NEAR_ONLY = ("near",)
# What whoever builds those indexes asks of all subjects.
INDEX_ONLY = ("index",)
# What Citus is told by whoever distributes a database.
CITUS_ONLY = ("distribute",)
# What concerns two subjects, one of which may lie on another machine: who writes and whose log it is.
TWO_SUBJECTS = {"turns_waiting"}
# What is asked of every node: what erasing looks for in all subjects, and the operator's look at one subject's work.
EVERY_NODE = {
    ("erase", "every_key_of_user"),
    ("idempotency", "outdated"),
    ("erase", "formed_of"),
    ("erase", "episodes_of"),
    ("erase", "contexts_of"),
    ("erase", "formed_elsewhere"),
    ("erase", "read_by"),
    ("erase", "links_of_all"),
    ("erase", "cut_leases_on_log"),
    ("erase", "clear_errors_on_log"),
    ("erase", "every_formation_on_log"),
    ("formation", "formations_of"),
    ("insertion", "showing"),
    ("insertion", "showing_any"),
    ("insertion", "shown_memories"),
}
