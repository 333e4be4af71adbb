"""Defects in what makes ToldOnce fast: arrays that grow, writes that pass others, portions, the relay. Pure."""

from .defect import Defect

OF_SPEED: tuple[Defect, ...] = (
    Defect(
        name="growth: a reader sees rows past its length",
        file="toldonce/store/sql/recall/growing_arrays.py",
        sound="        return self._array[: self._used]\n",
        planted="        return self._array\n",
        noticed_by=("tests/store/test_snapshot_growth.py::test_an_add_copies_no_array_and_shows_in_no_older_snapshot",),
    ),
    Defect(
        name="growth: a block that was replaced stays in use",
        file="toldonce/store/sql/recall/growing_arrays.py",
        sound="        if not is_last_kept:\n            self._last = None\n",
        planted="",
        noticed_by=(
            "tests/store/test_snapshot_growth.py::test_cached_snapshots_equal_fresh_reads_whatever_two_stores_do",
        ),
    ),
    Defect(
        name="growth: a memory with an older id is put at the end",
        file="toldonce/store/sql/recall/growing_arrays.py",
        sound=" and (not len(old) or old.ids[-1] < fresh.ids[0])",
        planted="",
        noticed_by=(
            "tests/store/test_snapshot_growth.py::test_cached_snapshots_equal_fresh_reads_whatever_two_stores_do",
        ),
    ),
    Defect(
        name="growth: arrays of another version are brought forward",
        file="toldonce/store/sql/recall/growing_arrays.py",
        sound="            if old.version != version or not self._is_sound:\n",
        planted="            if not self._is_sound:\n",
        noticed_by=(
            "tests/store/test_snapshot_growth.py::test_the_second_of_two_that_bring_arrays_forward_is_refused",
        ),
    ),
    Defect(
        name="growth: each thread reads a large subject for itself",
        file="toldonce/store/sql/recall/snapshot.py",
        sound="        if now is not known and (kept := bring_forward(now)) is not None:",
        planted="        if now is known and (kept := bring_forward(now)) is not None:",
        noticed_by=("tests/store/test_read_locks.py::test_two_threads_that_want_one_subject_read_it_once",),
    ),
    Defect(
        name="search: cached arrays are used at any version",
        file="toldonce/store/sql/recall/snapshot.py",
        sound="read_state(db, subject, space, row).version == kept.version else None\n",
        planted="read_state(db, subject, space, row) else None\n",
        noticed_by=("tests/engine/test_background.py::test_what_another_process_adds_and_erases_is_seen",),
    ),
    Defect(
        name="search: callers read a file that took the place of another",
        file="toldonce/store/sqlite/executor.py",
        sound="        db.set_busy_timeout(0)\n        guard.check()\n",
        planted="        db.set_busy_timeout(0)\n",
        noticed_by=("tests/engine/test_background.py::test_a_replaced_file_is_not_read",),
    ),
    Defect(
        name="search: a caller keeps an old list of subscriptions",
        file="toldonce/engine/retrieval.py",
        sound="        if found is None or not self._lists.is_current_now(subjects[0], found[0][1]):\n",
        planted="        if found is None:\n",
        noticed_by=("tests/engine/test_background.py::test_a_new_subscription_is_read_at_once",),
    ),
    Defect(
        name="search: texts of queries outlive an erasure",
        file="toldonce/engine/steps.py",
        sound="        self.retriever.forget_texts()\n",
        planted="",
        noticed_by=("tests/engine/test_background.py::test_a_query_is_read_once_until_something_is_erased",),
    ),
    Defect(
        name="cache: memories of another version are shown",
        file="toldonce/store/sql/recall/snapshot_cache.py",
        sound="        if kept is None or kept.snapshot.version != snapshot.version:\n            return {}\n",
        planted="        if kept is None:\n            return {}\n",
        noticed_by=("tests/store/test_snapshot_cache.py::test_memories_are_kept_for_the_version_they_were_read_at",),
    ),
    Defect(
        name="cache: memories that changed outlive a new version",
        file="toldonce/store/sql/recall/snapshot_cache.py",
        sound="    gone = [memories.pop(MemoryId(id_text(id_)), None) for id_ in changed]\n",
        planted="    gone = [memories.get(MemoryId(id_text(id_))) for id_ in changed]\n",
        noticed_by=("tests/store/test_snapshot_cache.py::test_what_did_not_change_outlives_a_new_version",),
    ),
    Defect(
        name="writer: a newer urgent write passes an older one",
        file="toldonce/store/sqlite/writer.py",
        sound="[self._urgent.popleft() for _ in",
        planted="[self._urgent.pop() for _ in",
        noticed_by=("tests/store/test_writer.py::test_urgent_work_happens_in_the_order_in_which_it_came",),
    ),
    Defect(
        name="pool: a newer urgent write passes an older one",
        file="toldonce/store/sql/reader_pool.py",
        sound="                return self._urgent.popleft()\n",
        planted="                return self._urgent.pop()\n",
        noticed_by=(
            "tests/store/test_reader_pool.py::test_one_connection_does_urgent_work_in_the_order_in_which_it_came",
        ),
    ),
    Defect(
        name="writer: urgent writes without end keep others waiting",
        file="toldonce/store/sqlite/writer.py",
        sound="if self._urgent and (self._passes < MAX_PASSES or not self._waiting):",
        planted="if self._urgent:",
        noticed_by=("tests/store/test_writer.py::test_urgent_work_without_end_lets_other_work_happen",),
    ),
    Defect(
        name="writer: work that need not wait for the disk keeps others from it",
        file="toldonce/store/sqlite/writer.py",
        sound="        self._sync(any(job.synced for job in batch))\n",
        planted="        self._sync(all(job.synced for job in batch))\n",
        noticed_by=("tests/store/test_writer.py::test_a_commit_waits_for_the_disk_if_any_of_its_work_does",),
    ),
    Defect(
        name="erase: a half erasure is stamped as done",
        file="toldonce/store/sql/queries/erase.sql",
        sound="""UPDATE erasure SET cleaned_at = ?1 WHERE cleaned_at IS NULL AND substr(counts, 1, 8) <> '{"order"'""",
        planted="UPDATE erasure SET cleaned_at = ?1 WHERE cleaned_at IS NULL",
        noticed_by=(
            "tests/maintenance/test_erase_resume.py::test_i13_an_interrupted_erasure_stays_pending_until_finished",
        ),
    ),
    Defect(
        name="erase: a portion is committed without its order",
        file="toldonce/store/sql/erase/repository.py",
        sound="    note_begun(db, replace(begun, record=record))\n",
        planted="    del record\n    _ = note_begun\n",
        noticed_by=(
            "tests/maintenance/test_erase_resume.py::test_i13_a_kill_between_portions_is_made_good_without_a_new_order",
        ),
    ),
    Defect(
        name="tend: a spell of work does not look whether to stop",
        file="toldonce/maintenance/pace.py",
        sound="        self.check()\n        time.sleep(",
        planted="        time.sleep(",
        noticed_by=(
            "tests/maintenance/test_large_subject.py::test_stopped_tending_resumes_and_ends_as_if_it_had_not_stopped",
        ),
    ),
    Defect(
        name="relay: bytes that come with the cut are dropped",
        file="toldonce/server/http_upstream.py",
        sound="            if rest := content._read_nowait(-1):\n                yield rest\n",
        planted="",
        noticed_by=("tests/server/test_time_limits.py::test_bytes_that_came_with_the_cut_are_passed_on_before_it",),
    ),
    Defect(
        name="relay: a silent upstream is waited for without end",
        file="toldonce/server/http_upstream.py",
        sound="        self._limit = limit = min(self._loop.time() + self._silence_s, self._end)\n",
        planted="        self._limit = limit = self._end\n",
        noticed_by=("tests/server/test_time_limits.py",),
    ),
)
