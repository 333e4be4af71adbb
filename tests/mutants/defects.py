"""The table of defects: what is sound, what is planted instead, and which tests must notice. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One defect."""

    name: str
    file: str
    sound: str
    """The text as it stands, once in the file; where it no longer does, this table is to be mended."""
    planted: str
    noticed_by: tuple[str, ...]
    """Tests (pytest's node ids) of which one at least turns red."""


DEFECTS: tuple[Defect, ...] = (
    Defect(
        name="sse: other separators end a line",
        file="recollect/chat/stream.py",
        sound=r'_END_OF_LINE = re.compile(rb"\r\n?|\n")',
        planted=r'_END_OF_LINE = re.compile(rb"\r\n?|\n|\x0b|\x0c|\xe2\x80\xa8|\xe2\x80\xa9|\xc2\x85")',
        noticed_by=("tests/chat/test_stream.py::test_no_other_separator_ends_a_line",),
    ),
    Defect(
        name="sse: events are serialised anew",
        file="recollect/chat/splice.py",
        sound="                self._waiting[place:place] = self._member\n",
        planted="""\
                place = event.data_start - self._waiting_start
                said = json.loads(b"{" + self._member[:-1] + b"}") | json.loads(event.data)
                self._waiting[place : place + len(event.data)] = json.dumps(said).encode()
""",
        noticed_by=("tests/chat/test_splice.py::test_the_splice_and_the_hold_are_all_that_changes",),
    ),
    Defect(
        name="splice: bytes behind [DONE] are not held",
        file="recollect/chat/splice.py",
        sound="            return [Piece(data=chunk, held=True)]",
        planted="            return [Piece(data=chunk, held=False)]",
        noticed_by=(
            "tests/chat/test_splice.py::test_done_is_held_from_the_first_byte_of_its_line_and_so_is_all_behind_it",
        ),
    ),
    Defect(
        name="identity: any algorithm signs a JWT",
        file="recollect/chat/identity.py",
        sound='            algorithms=["HS256"],',
        planted='            algorithms=["HS256", "HS384", "HS512"],',
        noticed_by=("tests/chat/test_identity.py::test_a_forged_token_is_refused_by_name",),
    ),
    Defect(
        name="text: lone surrogates are not cleaned",
        file="recollect/text.py",
        sound=r'_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")',
        planted=r'_UNSTORABLE = re.compile("[\x00]")',
        noticed_by=(
            "tests/chat/test_request.py::test_a_lone_surrogate_escape_survives_in_the_bytes_and_is_storable_in_the_text",
        ),
    ),
    Defect(
        name="proxy: [DONE] goes out before the commit",
        file="recollect/server/proxy.py",
        sound="""\
                    if piece.held and not exchange.settled:
                        await self._settle_aloud(exchange, assembler.reply())
""",
        planted="""\
                    if piece.held and not exchange.settled:
                        self._later(exchange, assembler.reply())
""",
        noticed_by=(
            "tests/integration/test_end_of_answer.py::test_the_end_of_an_answer_waits_until_the_turn_is_durable",
        ),
    ),
    Defect(
        name="proxy: a broken stream ends well",
        file="recollect/server/proxy.py",
        sound="""\
            self._broke(error)
            return  # without the closing chunk: what was broken ends as broken
""",
        planted="""\
            self._broke(error)
            await send_body(exchange.send, b"", more=False)
            return
""",
        noticed_by=("tests/integration/test_passing_bytes.py",),
    ),
    Defect(
        name="store: no fencing, any worker commits",
        file="recollect/store/sqlite/sql/formation.sql",
        sound="""\
   AND lease_token = ?7 AND lease_until > ?8
""",
        planted="""\
   AND ?7 IS ?7 AND ?8 IS ?8
""",
        noticed_by=(
            "tests/store/test_formations.py::test_a_worker_whose_lease_ran_out_cannot_commit",
            "tests/store/test_formations.py::test_a_worker_whose_lease_was_taken_over_cannot_commit",
        ),
    ),
    Defect(
        name="store: acknowledged before it is synced",
        file="recollect/store/sqlite/connection.py",
        sound='    db.pragma("synchronous", "FULL")',
        planted='    db.pragma("synchronous", "NORMAL")',
        noticed_by=("tests/store/test_powerloss.py::test_nothing_acknowledged_is_lost_when_the_power_goes",),
    ),
    Defect(
        name="store: acknowledged before it is committed",
        file="recollect/store/sqlite/writer.py",
        sound="""\
            self._failpoint.reach("before-commit")
            self._db.execute("COMMIT")
""",
        planted="""\
            deliver(batch, self._where)
            threading.Event().wait(0.2)
            self._failpoint.reach("before-commit")
            self._db.execute("COMMIT")
""",
        noticed_by=("tests/store/test_processes.py::test_what_was_acknowledged_survives_a_kill_around_a_commit",),
    ),
    Defect(
        name="store: a turn and its work come apart",
        file="recollect/store/sqlite/log.py",
        sound="    _make_due(db, turn, tail.conversation)\n",
        planted="    if not new:\n        _make_due(db, turn, tail.conversation)\n",
        noticed_by=("tests/store/test_formations.py::test_a_turn_and_its_work_are_one",),
    ),
    Defect(
        name="subject: a query of the log without its subject",
        file="recollect/store/sqlite/sql/log.sql",
        sound="""\
 WHERE subject = ?1 AND conversation = ?2 AND seq > ?3
""",
        planted="""\
 WHERE ?1 IS ?1 AND conversation = ?2 AND seq > ?3
""",
        noticed_by=("tests/store/test_record.py::test_nothing_of_another_subjects_log_comes_back",),
    ),
    Defect(
        name="subject: a query of memories without its subject",
        file="recollect/store/sqlite/sql/memory.sql",
        sound="""\
-- name: facts
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id FROM memory WHERE subject = ?1 AND kind = 1 AND state = 0)
""",
        planted="""\
-- name: facts
SELECT *
  FROM remembered
 WHERE ?1 IS ?1
   AND id IN (SELECT id FROM memory WHERE ?1 IS ?1 AND kind = 1 AND state = 0)
""",
        noticed_by=("tests/integration/test_noninterference.py::test_anas_world_is_the_same_with_and_without_ben",),
    ),
    Defect(
        name="thread: the anchor is ignored",
        file="recollect/store/sqlite/tree.py",
        sound="        return self._by_anchor(turn.messages) or self._asked_again(turn, now)",
        planted="        return self._asked_again(turn, now)",
        noticed_by=("tests/store/test_record.py::test_a_client_that_sends_the_last_four_messages_is_followed",),
    ),
    Defect(
        name="thread: any opening of the last ten minutes is a retry",
        file="recollect/store/sqlite/tree.py",
        sound="            if answer is None or self._newest_child(conversation, answer) is None:",
        planted="            if answer is None or conversation:",
        noticed_by=(
            "tests/store/test_record.py::test_the_same_first_message_after_the_chat_went_on_is_another_conversation",
        ),
    ),
    Defect(
        name="resolve: a slot's value gives way to an older one",
        file="recollect/resolve/batch.py",
        sound="    return evidence.said_at > said_at\n",
        planted="    return True\n",
        noticed_by=("tests/resolve/test_decide.py::test_an_older_value_that_arrives_late_is_stored_as_ended",),
    ),
    Defect(
        name="resolve: what differs in a sign is merged",
        file="recollect/resolve/decide.py",
        sound="    differs = never_merge(candidate.text, known.text)\n    if differs is None:",
        planted="    differs = never_merge(candidate.text, known.text)\n    if True:",
        noticed_by=("tests/resolve/test_decide.py::test_what_differs_in_a_sign_stands_beside_it_however_similar",),
    ),
    Defect(
        name="render: recalled text can close its block",
        file="recollect/context/quote.py",
        sound='_INSTEAD = {"<": "‹", ">": "›",',
        planted="_INSTEAD = {",
        noticed_by=("tests/context/test_render.py", "tests/context/test_templates.py"),
    ),
    Defect(
        name="form: injected memory is extracted again",
        file="recollect/form/strip.py",
        sound="    text = _without_ours(text)\n",
        planted="",
        noticed_by=("tests/form/test_strip.py", "tests/work/test_indexing.py"),
    ),
    Defect(
        name="form: the assistant's words become the user's facts",
        file="recollect/form/evidence.py",
        sound="    if message.role not in sources:",
        planted="    if not sources:",
        noticed_by=("tests/form/test_evidence.py::test_a_role_that_is_no_source_gives_no_evidence",),
    ),
    Defect(
        name="proxy: identity headers go upstream",
        file="recollect/server/wire.py",
        sound=" or is_private_header(low)",
        planted="",
        noticed_by=("tests/integration/test_passing_bytes.py::test_names_and_sessions_stay_between_the_client_and_us",),
    ),
    Defect(
        name="proxy: upstream errors are recorded",
        file="recollect/server/proxy.py",
        sound=" and (reply.complete or said_something) and not reply.error",
        planted=" and (reply.complete or said_something)",
        noticed_by=(
            "tests/integration/test_passing_bytes.py::test_with_memory_on_every_shape_differs_by_the_splice_alone_and_its_"
            "turn_is_kept_for_what_it_is[error-in-band-True]",
        ),
    ),
    Defect(
        name="budget: a reservation is made whatever is left",
        file="recollect/store/sqlite/energy.py",
        sound="    if refused is not None:\n        raise refused\n",
        planted="",
        noticed_by=(
            "tests/store/test_energy_ledger.py::test_a8_of_two_processes_that_want_the_last_of_it_one_gets_it",
            "tests/store/test_energy_ledger.py::test_a8_what_is_spent_and_booked_never_exceeds_the_cap_and_one_call",
        ),
    ),
    Defect(
        name="budget: a call is booked behind the model's answer",
        file="recollect/work/energy.py",
        sound="        await self._tools.store.reserve(self._subject, booked, self._policy)\n        before,",
        planted="        before,",
        noticed_by=(
            "tests/work/test_energy.py::test_a8_what_was_booked_stays_spent_when_the_process_dies_before_it_is_settled",
        ),
    ),
    Defect(
        name="budget: what waits uses up its tries",
        file="recollect/work/worker.py",
        sound="now=now, counted=False)",
        planted="now=now)",
        noticed_by=(
            "tests/work/test_energy.py::test_a8_below_the_critical_level_work_waits_uncounted_and_goes_on_by_itself",
            "tests/work/test_outage.py::test_s12_a_dead_model_parks_nothing_and_everything_is_formed_when_it_is_back",
        ),
    ),
    Defect(
        name="breaker: half open lets everybody through",
        file="recollect/work/breaker.py",
        sound="(state is BreakerState.HALF_OPEN and not self._probing)",
        planted="state is BreakerState.HALF_OPEN",
        noticed_by=(
            "tests/work/test_breaker.py::test_s12_half_open_lets_one_of_many_threads_through",
            "tests/work/test_breaker.py::test_s12_who_comes_during_the_probe_is_told_to_come_back_soon",
        ),
    ),
    Defect(
        name="breaker: who failed comes before who was turned away",
        file="recollect/work/breaker.py",
        sound="_BEHIND_S = 2.0",
        planted="_BEHIND_S = 0.0",
        noticed_by=("tests/work/test_breaker.py::test_who_failed_comes_behind_who_was_turned_away",),
    ),
    Defect(
        name="erase: what moved rows leave between others stays",
        file="recollect/store/sqlite/residue.py",
        sound="        _zero_gaps(db, pages)\n",
        planted="        del pages\n",
        noticed_by=("tests/store/test_residue.py::test_i13_what_secure_delete_leaves_between_rows_is_zeroed",),
    ),
    Defect(
        name="erase: deleted rows keep their bytes",
        file="recollect/store/sqlite/connection.py",
        sound='db.pragma("secure_delete", True)',
        planted='db.pragma("secure_delete", False)',
        noticed_by=(
            "tests/tend/test_erase_canaries.py::"
            "test_i13_no_byte_of_erased_conversations_and_subjects_is_left_in_any_file",
        ),
    ),
    Defect(
        name="erase: formations under way keep their leases",
        file="recollect/store/sqlite/removing.py",
        sound="            self._db.execute(SQL[cut], (self._key,))\n",
        planted="            del cut\n",
        noticed_by=(
            "tests/store/test_erasing.py::test_i13_a_formation_under_way_loses_its_lease_and_that_costs_no_attempt",
        ),
    ),
    Defect(
        name="erase: what rests on an erased message is let in",
        file="recollect/store/sqlite/changes.py",
        sound="    refuse_erased(db, home, changes, decisions)\n",
        planted="    _ = refuse_erased\n",
        noticed_by=("tests/store/test_erasing.py::test_i13_nothing_that_rests_on_an_erased_message_is_let_in",),
    ),
    Defect(
        name="erase: a resent history is written again",
        file="recollect/store/sqlite/ledger.py",
        sound="            gone = known and (place < newest or to_micros(one.said_at) < at)\n",
        planted="            gone = False\n",
        noticed_by=("tests/tend/test_erase_canaries.py::test_i13_a_resent_history_brings_no_byte_back",),
    ),
    Defect(
        name="erase: caches are not told what is gone",
        file="recollect/store/sqlite/removing.py",
        sound='            self._db.execute(SQL["note_gone"], (self._key, self._version, id_))\n',
        planted="",
        noticed_by=("tests/store/test_erasing.py::test_i13_a_large_cache_of_another_process_drops_what_was_erased",),
    ),
    Defect(
        name="erase: a subject that begins anew counts from nothing",
        file="recollect/store/sqlite/sql/subject.sql",
        sound="coalesce((SELECT version FROM erased_subject WHERE subject = ?1), 0)",
        planted="0",
        noticed_by=("tests/store/test_erasing.py::test_i13_versions_go_on_where_a_subject_begins_anew",),
    ),
    Defect(
        name="unlink: the rows of all subjects go",
        file="recollect/store/sqlite/sql/erase.sql",
        sound="DELETE FROM memory WHERE subject = ?1 AND id = ?2",
        planted="DELETE FROM memory WHERE ?1 IS NOT NULL AND id = ?2",
        noticed_by=(
            "tests/tend/test_links.py::test_u6_unlinking_takes_the_row_from_one_subject_and_leaves_the_others",
        ),
    ),
    Defect(
        name="tend: one more is held than there is room for",
        file="recollect/tend/room.py",
        sound="    over = len(held) - room.policy.most\n",
        planted="    over = len(held) - room.policy.most - 1\n",
        noticed_by=("tests/tend/test_making_room.py::test_s6_a_session_holds_fifty_and_never_fails",),
    ),
    Defect(
        name="tend: a compaction's edit is believed unseen",
        file="recollect/tend/compact.py",
        sound="    if wrong:\n",
        planted="    if not text:\n",
        noticed_by=("tests/tend/test_compact.py::test_a3_what_cannot_be_followed_is_refused_with_the_reason",),
    ),
    Defect(
        name="tend: a merged note takes no evidence over",
        file="recollect/tend/tending.py",
        sound="importance=importance, inherits=(found.gone.id,)",
        planted="importance=importance",
        noticed_by=("tests/tend/test_merge.py::test_c10_near_duplicates_are_kept_once_with_the_evidence_of_all",),
    ),
    Defect(
        name="tend: what another changed meanwhile is overwritten",
        file="recollect/tend/tending.py",
        sound="subject_version=hot.version",
        planted="subject_version=None",
        noticed_by=(
            "tests/tend/test_tending.py::test_what_changes_meanwhile_is_planned_anew_and_never_overwritten",
            "tests/tend/test_tending.py::test_two_that_tend_at_once_close_each_memory_once",
        ),
    ),
    Defect(
        name="form: what repeats the memories of a prompt is formed from",
        file="recollect/form/echo.py",
        sound="        kept = [piece for piece in pieces if not echoed(piece)]\n",
        planted="        kept = [piece for piece in pieces if not echoed(piece) or piece]\n",
        noticed_by=("tests/engine/test_loop.py", "tests/form/test_echo.py"),
    ),
    Defect(
        name="form: a block without its tags is read as somebody's words",
        file="recollect/form/strip.py",
        sound="    text = _without_rows(_without_begin_end(text))\n",
        planted="    text = _without_begin_end(text)\n",
        noticed_by=("tests/engine/test_loop.py", "tests/form/test_echo.py"),
    ),
    Defect(
        name="form: an order of an assistant is stored as one",
        file="recollect/form/hold.py",
        sound='    if order and role != "user":\n',
        planted='    if order and role == "system":\n',
        noticed_by=("tests/form/test_hold.py", "tests/form/test_poisoning.py"),
    ),
    Defect(
        name="review: what is approved stands beside what it replaces",
        file="recollect/work/reviewing.py",
        sound="closed_at=now) for one in resolved.closes),\n",
        planted="closed_at=now) for one in resolved.closes[1:]),\n",
        noticed_by=("tests/engine/test_reviewing.py::test_an_approved_fact_closes_the_value_it_replaces",),
    ),
)
