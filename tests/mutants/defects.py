"""The table of defects: what is sound, what is planted instead, and which tests must notice. Pure."""

from .defect import Defect
from .life import OF_LIFE
from .speed import OF_SPEED

DEFECTS: tuple[Defect, ...] = (
    Defect(
        name="sse: other separators end a line",
        file="toldonce/chat/sse.py",
        sound=r'_END_OF_LINE = LazyPattern(rb"\r\n?|\n")',
        planted=r'_END_OF_LINE = LazyPattern(rb"\r\n?|\n|\x0b|\x0c|\xe2\x80\xa8|\xe2\x80\xa9|\xc2\x85")',
        noticed_by=("tests/chat/test_sse.py::test_no_other_separator_ends_a_line",),
    ),
    Defect(
        name="sse: events are serialised anew",
        file="toldonce/chat/formats/openai_chat_stream.py",
        sound="                self._waiting[place:place] = self._member\n",
        planted="""\
                place = event.data_start - self._waiting_start
                said = json.loads(b"{" + self._member[:-1] + b"}") | json.loads(event.data)
                self._waiting[place : place + len(event.data)] = json.dumps(said).encode()
""",
        noticed_by=(
            "tests/chat/formats/test_openai_chat_stream.py::test_the_splice_and_the_hold_are_all_that_changes",
        ),
    ),
    Defect(
        name="splice: bytes behind [DONE] are not held",
        file="toldonce/chat/formats/openai_chat_stream.py",
        sound="            return [StreamPiece(data=chunk, held=True)]",
        planted="            return [StreamPiece(data=chunk, held=False)]",
        noticed_by=(
            "tests/chat/formats/test_openai_chat_stream.py::test_done_is_held_from_the_first_byte_of_its_line_and_so_is_all_behind_it",
        ),
    ),
    Defect(
        name="identity: any algorithm signs a JWT",
        file="toldonce/chat/signed_header.py",
        sound='            algorithms=["HS256"],',
        planted='            algorithms=["HS256", "HS384", "HS512"],',
        noticed_by=("tests/chat/test_identity.py::test_a_forged_token_is_refused_by_name",),
    ),
    Defect(
        name="text: lone surrogates are not cleaned",
        file="toldonce/text/normalize.py",
        sound=r'_UNSTORABLE = LazyPattern("[\x00\ud800-\udfff]")',
        planted=r'_UNSTORABLE = LazyPattern("[\x00]")',
        noticed_by=(
            "tests/chat/formats/test_openai_chat_request.py::test_a_lone_surrogate_escape_survives_in_bytes_and_storable_text",
        ),
    ),
    Defect(
        name="proxy: [DONE] goes out before the commit",
        file="toldonce/server/chat_responder.py",
        sound="""\
                    if piece.held and not self._recording_started:
                        data = await self._record_in_stream(stream.reply(), data)
""",
        planted="""\
                    if piece.held and not self._recording_started:
                        self._services.recorder.start_recording(self._take_turn(stream.reply()))
""",
        noticed_by=(
            "tests/integration/test_end_of_answer.py::test_the_end_of_an_answer_waits_until_the_turn_is_durable",
        ),
    ),
    Defect(
        name="proxy: a broken stream ends well",
        file="toldonce/server/chat_responder.py",
        sound="""\
            await self._record_before_done(stream.reply())
            self._log_broken(error)
            return  # without the closing chunk: the client must see that the answer broke off
""",
        planted="""\
            await self._record_before_done(stream.reply())
            self._log_broken(error)
            await send_body(self._send, b"", more=False)
            return
""",
        noticed_by=("tests/integration/test_passing_bytes.py",),
    ),
    Defect(
        name="store: no fencing, any worker commits",
        file="toldonce/store/sql/queries/formation.sql",
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
        file="toldonce/store/sqlite/connection.py",
        sound='    db.pragma("synchronous", "FULL")',
        planted='    db.pragma("synchronous", "NORMAL")',
        noticed_by=("tests/store/test_powerloss.py::test_nothing_acknowledged_is_lost_when_the_power_goes",),
    ),
    Defect(
        name="store: acknowledged before it is committed",
        file="toldonce/store/sqlite/writer.py",
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
        noticed_by=("tests/store/test_processes.py::test_acknowledged_writes_survive_a_kill_around_a_commit",),
    ),
    Defect(
        name="store: a turn and its work come apart",
        file="toldonce/store/sql/log/record.py",
        sound="    make_due(db, turn.subject, turn.formations, tail)\n",
        planted="    if not new:\n        make_due(db, turn.subject, turn.formations, tail)\n",
        noticed_by=("tests/store/test_formations.py::test_a_turn_and_its_work_are_one",),
    ),
    Defect(
        name="subject: a query of the log without its subject",
        file="toldonce/store/sql/queries/log.sql",
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
        file="toldonce/store/sql/queries/memory.sql",
        sound="""\
-- name: facts text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id FROM memory WHERE subject = ?1 AND kind = 1 AND state = 0)
""",
        planted="""\
-- name: facts text: elsewhere
SELECT *
  FROM remembered
 WHERE ?1 IS ?1
   AND id IN (SELECT id FROM memory WHERE ?1 IS ?1 AND kind = 1 AND state = 0)
""",
        noticed_by=("tests/integration/test_noninterference.py::test_anas_world_is_the_same_with_and_without_ben",),
    ),
    Defect(
        name="thread: the anchor is ignored",
        file="toldonce/store/sql/turn_placement.py",
        sound="        return self._anchored(turn, found) if found else self._tree.asked_again(turn, now)",
        planted="        return self._tree.asked_again(turn, now)",
        noticed_by=("tests/store/test_record.py::test_a_client_that_sends_the_last_four_messages_is_followed",),
    ),
    Defect(
        name="thread: any opening of the last ten minutes is a retry",
        file="toldonce/store/sql/log/message_tree.py",
        sound="            if answer is None or self._newest_child(conversation, answer) is None:",
        planted="            if answer is None or conversation:",
        noticed_by=(
            "tests/store/test_record.py::test_the_same_first_message_after_the_chat_went_on_is_another_conversation",
        ),
    ),
    Defect(
        name="resolve: a slot's value gives way to an older one",
        file="toldonce/resolution/batch_state.py",
        sound="    return evidence.said_at > said_at\n",
        planted="    return True\n",
        noticed_by=("tests/resolution/test_decide.py::test_an_older_value_that_arrives_late_is_stored_as_ended",),
    ),
    Defect(
        name="resolve: what differs in a sign is merged",
        file="toldonce/resolution/relation.py",
        sound="    if not has_same_words(new, old):\n",
        planted="    if not new:\n",
        noticed_by=("tests/resolution/test_decide.py::test_what_differs_in_a_sign_stands_beside_it_however_similar",),
    ),
    Defect(
        name="render: recalled text can close its block",
        file="toldonce/prompt/escape.py",
        sound="_FORGED_TAG.sub(_disarmed, line))\n",
        planted="line)\n",
        noticed_by=("tests/prompt/test_render.py", "tests/prompt/test_templates.py"),
    ),
    Defect(
        name="form: injected memory is extracted again",
        file="toldonce/extraction/own_text/own_words.py",
        sound="[(plain, Origin.MEMORY, blocks.spans), (plain, Origin.WRAPPED, wrapped.spans)]\n",
        planted="[(plain, Origin.WRAPPED, wrapped.spans)]\n",
        noticed_by=("tests/extraction/test_own_words.py", "tests/formation/test_index_turns.py"),
    ),
    Defect(
        name="form: the assistant's words become the user's facts",
        file="toldonce/extraction/evidence.py",
        sound="    if message.role not in sources:",
        planted="    if not sources:",
        noticed_by=("tests/extraction/test_evidence.py::test_a_role_that_is_no_source_gives_no_evidence",),
    ),
    Defect(
        name="proxy: identity headers go upstream",
        file="toldonce/server/asgi.py",
        sound=" or is_private_header(low)",
        planted="",
        noticed_by=("tests/integration/test_passing_bytes.py::test_names_and_sessions_do_not_reach_upstream",),
    ),
    Defect(
        name="proxy: upstream errors are recorded",
        file="toldonce/server/chat_responder.py",
        sound=" and not reply.error",
        planted="",
        noticed_by=(
            "tests/integration/test_passing_bytes.py"
            "::test_with_memory_on_every_shape_differs_only_by_the_splice[error-in-band-True]",
        ),
    ),
    *OF_LIFE,
    *OF_SPEED,
)
