"""All statements of the relational store, and which of them ask beyond one subject."""

import re
from importlib.resources import files

from toldonce.store.sql import database
from toldonce.store.sql.tables import TABLES

RELATIONAL = files("toldonce.store.sql")
ROOMS = tuple(sorted(entry.name.removesuffix(".sql") for entry in (RELATIONAL / "queries").iterdir()))
# What the operator asks of all subjects at once, and what belongs to the file and to no subject.
OPERATORS = {
    "subjects",
    "count",
    "sums",
    "due",
    "next_subject",
    "apps",
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
    "all_said_counted",
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
    "keep_ledger_keys",
    "aliases",
    "join_alias",
    "open_alias",
    "drop_alias",
    "reopen_alias",
    "kept_conversations",
    "keep_conversations",
    "forget_kept",
    "sources_of",
    "every_alias",
    "erasure_stamp",
    "stamp_erasure",
    "versions_of",
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
    ("erase", "every_alias"),
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
# Partial indexes in which a subject has few rows, whatever else it has, or those alone that the statement changes.
SMALL_INDEXES = {
    "formation_leased": "work under way",
    "formation_leased_on_log": "work under way",
    "formation_failed": "errors that are overwritten",
    "formation_failed_on_log": "errors that are overwritten",
    "insertion_masked": "only whether there is one",
    "insertion_quoting": "texts that are emptied",
    "insertion_unlinked": "those of a week, as maintenance deletes older ones",
    "erasure_pending": "those since the files were cleaned last",
    "erasure_unclean": "those since the files were cleaned last",
    "api_key_bound": "the keys of one user",
}
# Statements of transactions that reach rows by the subject alone, and what bounds them all the same.
BY_SUBJECT_ALONE = {
    "alias/closed_for": "undoing a merge: what the copies replaced",
    "embedding/stay_in": "an operator chooses an embedder: each subject that has none",
    "energy/drop_reservations": "calls under way, or of a process that died",
    "energy/unsettled": "calls under way, or of a process that died",
    "erase/all_gone": "erasure of a subject: what its portions left",
    "erase/all_marks": "erasure of a subject: each message leaves a mark",
    "erase/all_places": "erasure of a subject",
    "erase/all_recalls": "erasure: no index says which memories an injection showed",
    "erase/recalls_naming": "erasure: no index says which memories an injection showed",
    "erase/erasure": "as many as are asked for",
    "erase/formed_elsewhere": "erasure of a subject: what others formed of it",
    "erase/links_of_all": "erasure of a subject",
    "erase/nothing_erased": "only whether there is one",
    "erase/read_by": "erasure: what others form of the log",
    "export/memory_ids": "erasure of a subject within another",
    "idempotency/forget_answers": "erasure: the answers of a day",
    "inner/inner_of": "as many as are asked for",
    "insertion/last_loss": "the newest",
    "insertion/thread_state": "only whether there is one",
    "memory/some_terms": "as many as are asked for",
    "numbers/name_app": "one migration",
    "numbers/numbered": "one migration",
    "sharing/character_names": "a user's renamed characters: a handful",
    "sharing/rename_characters": "a user's renamed characters: a handful",
    "subject/user_sums": "at most 10,000 rows of a kind",
    "tend/profiles_of": "steps from one name to the next",
}
# The last transaction of a subject's erasure takes what its portions left.
WHOLE_ERASURE = {f"erase/{name}" for table in TABLES for name in table.delete_statements}
# Statements that read all of a subject, as they are meant to: in threads that read, never in a transaction.
READING_ALL = {
    "alias/conversation_ids",
    "alias/resting_formations",
    "app/apps",
    "episode/chain",
    "tend/begun",
    "embedding/lacking",
    "export/one",
    "export/named",
    "formation/formations",
    "formation/formations_of",
    "log/recalls",
    "memory/facts",
    "memory/facts_beyond",
    "memory/ranked",
    "memory/snapshot_size",
    "statistics/all_formations_counted",
    "statistics/all_memories_counted",
    "statistics/all_said_counted",
    "statistics/formations_counted",
    "statistics/health_counted",
    "statistics/memories_counted",
    "statistics/said_counted",
    "subject/decisions_by_action",
    "subject/subject_sums",
    "subject/sums",
    "tagged/oldest_with_traits",
    "tagged/ranked_tagged",
    "tagged/ranked_with_traits",
    "undo/at",
    "undo/changed_since",
    "undo/decision",
    "undo/decisions_from",
    "undo/from_same_messages",
    "undo/from_source",
    "undo/last_recall",
}
WRITES = re.compile(r"^\s*(INSERT|UPDATE|DELETE)", re.MULTILINE)
