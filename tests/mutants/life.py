"""Defects in what becomes of memories: their budget, their end, their review."""

from .defect import Defect

OF_LIFE: tuple[Defect, ...] = (
    Defect(
        name="budget: a reservation is made whatever is left",
        file="toldonce/store/sql/budgets.py",
        sound="    if refused is not None:\n        raise refused\n",
        planted="",
        noticed_by=(
            "tests/store/test_budget_ledger.py::test_a8_only_one_of_two_processes_gets_the_last_units",
            "tests/store/test_budget_ledger.py::test_a8_what_is_spent_and_booked_never_exceeds_the_cap_and_one_call",
        ),
    ),
    Defect(
        name="budget: a call is booked behind the model's answer",
        file="toldonce/formation/budgeted_model.py",
        sound="        await self._runtime.store.budgets.reserve(self._subject, booked, self._policy)\n"
        "        return booked\n",
        planted="        return booked\n",
        noticed_by=(
            "tests/formation/test_budgeted_model.py::test_a8_a_booking_stays_spent_when_the_process_dies_before_settling_it",
        ),
    ),
    Defect(
        name="budget: what waits uses up its tries",
        file="toldonce/worker/loop.py",
        sound="retry_at=max(until, now + _MIN_DELAY), now=now, counted=False",
        planted="retry_at=max(until, now + _MIN_DELAY), now=now",
        noticed_by=(
            "tests/formation/test_budgeted_model.py::test_a8_below_the_critical_level_work_waits_uncounted_and_goes_on_by_itself",
            "tests/formation/test_outage.py::test_s12_a_dead_model_parks_nothing_and_all_is_formed_on_its_return",
        ),
    ),
    Defect(
        name="breaker: half open lets everybody through",
        file="toldonce/providers/circuit_breaker.py",
        sound="(state is BreakerState.HALF_OPEN and not self._probing)",
        planted="state is BreakerState.HALF_OPEN",
        noticed_by=(
            "tests/providers/test_circuit_breaker.py::test_s12_half_open_lets_one_of_many_threads_through",
            "tests/providers/test_circuit_breaker.py::test_s12_who_comes_during_the_probe_is_told_to_come_back_soon",
        ),
    ),
    Defect(
        name="breaker: who failed comes before who was turned away",
        file="toldonce/providers/circuit_breaker.py",
        sound="_FAILED_DELAY_S = 2.0",
        planted="_FAILED_DELAY_S = 0.0",
        noticed_by=("tests/providers/test_circuit_breaker.py::test_who_failed_comes_behind_who_was_turned_away",),
    ),
    Defect(
        name="erase: what moved rows leave between others stays",
        file="toldonce/store/sqlite/secure_delete.py",
        sound="        _zero_gaps(db, pages)\n",
        planted="        del pages\n",
        noticed_by=("tests/store/test_secure_delete.py::test_i13_what_secure_delete_leaves_between_rows_is_zeroed",),
    ),
    Defect(
        name="erase: deleted rows keep their bytes",
        file="toldonce/store/sqlite/connection.py",
        sound='db.pragma("secure_delete", True)',
        planted='db.pragma("secure_delete", False)',
        noticed_by=(
            "tests/maintenance/test_erase_canaries.py::"
            "test_i13_no_byte_of_erased_conversations_and_subjects_is_left_in_any_file",
        ),
    ),
    Defect(
        name="erase: formations under way keep their leases",
        file="toldonce/store/sql/erase/delete.py",
        sound="            self._db.execute(SQL[cut], (self._key,))\n",
        planted="            del cut\n",
        noticed_by=(
            "tests/store/test_erase.py::test_i13_a_formation_under_way_loses_its_lease_and_that_costs_no_attempt",
        ),
    ),
    Defect(
        name="erase: what rests on an erased message is let in",
        file="toldonce/store/sql/memories/apply.py",
        sound="    refuse_erased(db, wanted.home, changes, decisions)\n",
        planted="    _ = refuse_erased\n",
        noticed_by=("tests/store/test_erase.py::test_i13_a_memory_that_rests_on_an_erased_message_is_not_stored",),
    ),
    Defect(
        name="erase: a resent history is written again",
        file="toldonce/store/sql/erase/tombstones.py",
        sound="            is_erased = at is not None and (place < newest or to_micros(message.said_at) < at)\n",
        planted="            is_erased = False\n",
        noticed_by=("tests/maintenance/test_erase_canaries.py::test_i13_a_resent_history_brings_no_byte_back",),
    ),
    Defect(
        name="erase: caches are not told what is gone",
        file="toldonce/store/sql/erase/delete.py",
        sound='            self._db.execute(SQL["note_gone"], (self._key, self._version, id_))\n',
        planted="",
        noticed_by=("tests/store/test_erase.py::test_i13_a_large_cache_of_another_process_drops_what_was_erased",),
    ),
    Defect(
        name="erase: a subject that begins anew counts from nothing",
        file="toldonce/store/sql/queries/subject.sql",
        sound="coalesce((SELECT version FROM erased_subject WHERE subject = ?1), 0)",
        planted="0",
        noticed_by=("tests/store/test_erase.py::test_i13_versions_continue_when_an_erased_subject_starts_again",),
    ),
    Defect(
        name="unlink: the rows of all subjects go",
        file="toldonce/store/sql/queries/erase.sql",
        sound="DELETE FROM memory WHERE subject = ?1 AND id = ?2",
        planted="DELETE FROM memory WHERE ?1 IS NOT NULL AND id = ?2",
        noticed_by=(
            "tests/maintenance/test_links.py::test_u6_unlinking_takes_the_row_from_one_subject_and_leaves_the_others",
        ),
    ),
    Defect(
        name="tend: one more is held than there is room for",
        file="toldonce/maintenance/retention.py",
        sound="    over = count - room.policy.max_memories\n",
        planted="    over = count - room.policy.max_memories - 1\n",
        noticed_by=("tests/maintenance/test_eviction.py::test_s6_a_session_holds_fifty_and_never_fails",),
    ),
    Defect(
        name="tend: a compaction's edit is believed unseen",
        file="toldonce/maintenance/compaction.py",
        sound="    if wrong:\n",
        planted="    if not text:\n",
        noticed_by=(
            "tests/maintenance/test_compaction.py::test_a3_what_cannot_be_followed_is_refused_with_the_reason",
        ),
    ),
    Defect(
        name="tend: a merged note takes no evidence over",
        file="toldonce/maintenance/near_duplicates.py",
        sound="importance=kept.importance, inherits=(closed.id,)",
        planted="importance=kept.importance",
        noticed_by=(
            "tests/maintenance/test_near_duplicates.py::test_c10_near_duplicates_are_kept_once_with_the_evidence_of_all",
        ),
    ),
    Defect(
        name="tend: what another changed meanwhile is overwritten",
        file="toldonce/maintenance/commit.py",
        sound="subject_version=version",
        planted="subject_version=None",
        noticed_by=(
            "tests/maintenance/test_sweep.py::test_changes_during_tending_are_planned_again_and_never_overwritten",
            "tests/maintenance/test_sweep.py::test_two_runs_of_tending_at_once_close_each_memory_once",
        ),
    ),
    Defect(
        name="form: what repeats the memories of a prompt is formed from",
        file="toldonce/extraction/echo.py",
        sound="        if not echoes:\n",
        planted="        if echoes or echoed:\n",
        noticed_by=("tests/engine/test_loop.py", "tests/extraction/test_echo.py"),
    ),
    Defect(
        name="form: a block without its tags is read as somebody's words",
        file="toldonce/extraction/own_text/own_words.py",
        sound="    rows = _rows(left.text)\n",
        planted="    rows: list[Span] = []\n",
        noticed_by=("tests/engine/test_loop.py", "tests/extraction/test_echo.py"),
    ),
    Defect(
        name="form: an order of an assistant is stored as one",
        file="toldonce/extraction/review_gate.py",
        sound='    if order and role != "user":\n',
        planted='    if order and role == "system":\n',
        noticed_by=("tests/extraction/test_review_gate.py", "tests/extraction/test_poisoning.py"),
    ),
    Defect(
        name="review: what is approved stands beside what it replaces",
        file="toldonce/curation/review.py",
        sound="closed_at=now) for closing in resolved.closes),\n",
        planted="closed_at=now) for closing in resolved.closes[1:]),\n",
        noticed_by=("tests/engine/test_reviews.py::test_an_approved_fact_closes_the_value_it_replaces",),
    ),
)
