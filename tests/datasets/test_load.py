"""Reading the data sets; every conversation here is made up."""

import gzip
import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from toldonce.datasets.dataset import DatasetConversation
from toldonce.datasets.load import read_bytes, read_data
from toldonce.errors import BadRequestError

OSLO = ZoneInfo("Europe/Oslo")


def written(folder: Path, name: str, value: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def only(kind: str, path: Path) -> DatasetConversation:
    [conversation] = read_data(kind, path, UTC).conversations
    return conversation


def refusal(kind: str, path: Path) -> str:
    with pytest.raises(BadRequestError) as refused:
        read_data(kind, path, UTC)
    return str(refused.value)


def sample(**more: Any) -> dict[str, Any]:
    return {
        "sample_id": "c-1",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I keep bees."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a hive"},
                {"speaker": "Ben", "dia_id": "D1:3", "text": ""},
            ],
            "session_2_date_time": "9:00 am on 9 May, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Rain again."}],
        },
        "qa": [{"question": "What does Ana keep?", "answer": "bees", "evidence": ["D1:1; D2:01"], "category": 4}],
        **more,
    }


def test_locomo_has_two_speakers_and_the_caption_of_a_picture(tmp_path: Path) -> None:
    found = only("locomo", written(tmp_path, "samples.json", [sample()]))

    assert [(turn.id, turn.role, turn.speaker) for turn in found.turns] == [
        ("D1:1", "user", "Ana"),
        ("D1:2", "assistant", "Ben"),
        ("D2:1", "assistant", "Ben"),
    ]
    assert found.turns[1].text == "Look!\n[photo: a photo of a hive]"
    assert found.turns[1].said_at == datetime(2023, 5, 8, 13, 57, tzinfo=UTC)


def test_locomo_evidence_is_read_in_any_notation_and_gaps_are_counted(tmp_path: Path) -> None:
    qa = [
        {"question": "What does Ana keep?", "answer": 3, "evidence": ["D1:1; D2:01", "D:9:9"], "category": 4},
        {"question": "Does Ana keep cats?", "adversarial_answer": "yes", "evidence": ["D1:1"], "category": 5},
    ]
    one, other = only("locomo", written(tmp_path, "samples.json", [sample(qa=qa)])).questions

    assert one.evidence == {"D1:1", "D2:1"}
    assert one.sessions == {"session_1", "session_2"}
    assert one.lost == 1
    assert (one.answer, one.category, one.unanswerable) == ("3", "4 single-hop", False)
    assert (other.answer, other.category, other.unanswerable) == ("", "5 adversarial", True)


def test_locomos_observations_keep_the_turns_they_rest_on(tmp_path: Path) -> None:
    observed = {"session_1_observation": {"Ana": [["Ana keeps  bees.", "D1:1"], ["Ana keeps bees.", ["D1:1"]]]}}
    found = only("locomo", written(tmp_path, "samples.json", [sample(observation=observed)]))

    assert [(observation.text, observation.turns) for observation in found.observations] == [
        ("Ana keeps bees.", ("D1:1",))
    ]


def test_a_bad_locomo_file_is_named_by_field_and_value(tmp_path: Path) -> None:
    bad = sample(qa=[{"question": "Who?", "evidence": [], "category": 7}])
    assert refusal("locomo", written(tmp_path, "a.json", [bad])) == (
        "a.json[0].qa[0].category: must be a number from 1 to 5; it is 7"
    )
    undated = sample()
    undated["conversation"]["session_2_date_time"] = "yesterday"
    assert "[0].conversation.session_2_date_time: must be a date" in refusal(
        "locomo", written(tmp_path, "b.json", [undated])
    )
    assert "c.json: not JSON: Expecting value in line 2, column 1" in refusal(
        "locomo", written(tmp_path, "c.json", "[\n")
    )


def beam(folder: Path, *, chat: str = "chat.json", id_: str = "4") -> Path:
    batches = [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I plan a pond. ->-> 1,1"},
                    {"role": "assistant", "id": 1, "content": "How deep?"},
                ]
            ],
        },
        {"batch_number": 2, "turns": [[{"role": "user", "id": 2, "time_anchor": "April-05-2024", "content": "1 m."}]]},
    ]
    questions = {
        "abstention": [{"question": "Which fish?", "ideal_response": "Nothing was said about fish.", "rubric": ["x"]}],
        "knowledge_update": [
            {"question": "How deep?", "answer": "1 m", "source_chat_ids": {"first": [0], "then": [[2], 99]}}
        ],
        "summarization": [{"question": "Sum it up.", "rubric": ["a pond", "1 m deep"], "source_chat_ids": [0, 2]}],
    }
    written(folder, f"{id_}/{chat}", batches)
    return written(folder, f"{id_}/probing_questions/probing_questions.json", questions).parents[2]


def test_beam_is_a_folder_of_conversations_dated_by_their_anchors(tmp_path: Path) -> None:
    found = only("beam", beam(tmp_path))

    assert [(turn.id, turn.session, turn.text) for turn in found.turns] == [
        ("0", "1", "I plan a pond."),
        ("1", "1", "How deep?"),
        ("2", "2", "1 m."),
    ]
    assert [turn.said_at.date().isoformat() for turn in found.turns] == ["2024-03-15", "2024-03-15", "2024-04-05"]


def test_beams_evidence_is_found_however_deep_it_lies(tmp_path: Path) -> None:
    abstention, update, summary = only("beam", beam(tmp_path)).questions

    assert (abstention.evidence, abstention.unanswerable) == (frozenset(), True)
    assert update.evidence == {"0", "2"}
    assert update.sessions == {"1", "2"}
    assert update.lost == 1
    assert summary.answer == "a pond; 1 m deep"


def test_beams_cut_chat_is_taken_where_both_are_there(tmp_path: Path) -> None:
    folder = beam(tmp_path)
    written(folder, "4/chat_trunecated.json", [{"turns": [[{"role": "user", "id": 0, "content": "Short."}]]}])

    assert [turn.text for turn in only("beam", folder).turns] == ["Short."]


def test_a_folder_without_chats_is_refused(tmp_path: Path) -> None:
    assert "no folder in it holds chat_trunecated.json or chat.json" in refusal("beam", tmp_path)
    assert "no such file or folder" in refusal("beam", tmp_path / "nowhere")


def beam_line(**more: Any) -> dict[str, Any]:
    messages = [
        {"id": 0, "batch": 1, "role": "user", "time_anchor": "March-15-2024", "content": "I plan a pond. ->-> 1,1"},
        {"id": 1, "batch": 1, "role": "assistant", "time_anchor": None, "content": "How deep?"},
        {"id": 2, "batch": 2, "role": "user", "time_anchor": "April-05-2024", "content": "1 m."},
    ]
    questions = [
        {"type": "abstention", "question": "Which fish?", "ideal_response": "Nothing was said about fish."},
        {"type": "knowledge_update", "question": "How deep?", "answer": "1 m", "source_chat_ids": {"then": [[2], 99]}},
        {"type": "abstention", "question": "Which plants?", "ideal_response": "Nothing was said about plants."},
    ]
    return {"conv": 3, "messages": messages, "questions": questions, **more}


def test_beam_in_one_file_equals_its_folder(tmp_path: Path) -> None:
    conversation = only("beam", written(tmp_path, "beam.jsonl", json.dumps(beam_line()) + "\n"))

    assert conversation.turns == only("beam", beam(tmp_path / "folders")).turns
    assert [question.id for question in conversation.questions] == [
        "3/abstention/1",
        "3/knowledge_update/1",
        "3/abstention/2",
    ]
    assert conversation.questions[0].unanswerable
    assert (conversation.questions[1].evidence, conversation.questions[1].lost) == (frozenset({"2"}), 1)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"messages": []}, "line 2.messages: no message has text"),
        ({"conv": None}, "line 2: the field 'conv' is missing"),
        ({"messages": [{"id": 0, "role": "user", "content": "Hi."}]}, "messages[0]: the field 'batch' is missing"),
        ({"questions": [{"question": "Which?"}]}, "questions[0]: the field 'type' is missing"),
    ],
)
def test_a_bad_line_of_beam_is_named(tmp_path: Path, more: dict[str, Any], complaint: str) -> None:
    lines = json.dumps(beam_line()) + "\n" + json.dumps(beam_line(**more))
    assert complaint in refusal("beam", written(tmp_path, "beam.jsonl", lines))
    assert refusal("beam", written(tmp_path, "empty.jsonl", "\n")) == "empty.jsonl: no conversations in it"


def packed(path: Path) -> Path:
    archive = path.with_name(f"{path.name}.gz")
    archive.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return archive


def test_packed_files_of_all_formats_give_what_the_unpacked_ones_give(tmp_path: Path) -> None:
    files = {
        "locomo": written(tmp_path, "samples.json", [sample()]),
        "longmemeval": written(tmp_path, "lme.json", [entry()]),
        "jsonl": written(tmp_path, "own.jsonl", line()),
        "beam": written(tmp_path, "beam.jsonl", json.dumps(beam_line())),
    }
    for kind, path in files.items():
        unpacked = read_data(kind, path, UTC)
        assert read_data(kind, packed(path), UTC) == unpacked

    folder = beam(tmp_path / "folders")
    unpacked = read_data("beam", folder, UTC)
    for path in list(folder.rglob("*.json")):
        packed(path)
    assert read_data("beam", folder, UTC) == unpacked


def test_a_broken_archive_is_named_with_the_reason(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps([sample()] * 9).encode())
    flipped = bytearray(whole)
    flipped[-6] ^= 1
    broken = {
        "cut.json.gz": (whole[:-20], "Compressed file ended before the end-of-stream marker was reached"),
        "flipped.json.gz": (bytes(flipped), "CRC check failed"),
        "garbled.json.gz": (whole[:12] + b"\xff" * 40, "Error -3 while decompressing data"),
        "plain.json.gz": (b"[]", "Not a gzipped file"),
    }
    for name, (data, reason) in broken.items():
        path = tmp_path / name
        path.write_bytes(data)
        complaint = refusal("locomo", path)
        assert complaint.startswith(f"{path}: broken gzip archive: {reason}")
        assert complaint.endswith("; unpack or copy it again")


def test_an_archive_that_unpacks_to_too_much_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b" " * 50_000_000))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(BadRequestError, match=r"bomb\.json\.gz: unpacks to more than 3,000,000 bytes; unpack it first"):
        read_bytes(path, max_unpacked_bytes=3_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    assert len(read_bytes(path, max_unpacked_bytes=50_000_000)) == 50_000_000


def entry(**more: Any) -> dict[str, Any]:
    return {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What do I keep?",
        "answer": "bees",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["late", "early"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 09:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "It rains."}],
            [{"role": "user", "content": "I keep bees.", "has_answer": True}, {"role": "assistant", "content": "Oh!"}],
        ],
        "answer_session_ids": ["early"],
        **more,
    }


def test_a_haystack_is_told_in_order_of_time(tmp_path: Path) -> None:
    found = only("longmemeval", written(tmp_path, "lme.json", [entry()]))
    [question] = found.questions

    assert [turn.id for turn in found.turns] == ["early#1", "early#2", "late#1"]
    assert (set(question.evidence), set(question.sessions)) == ({"early#1"}, {"early"})
    assert question.asked_at == datetime(2023, 6, 1, 10, 1, tzinfo=UTC)


def test_marks_in_a_session_of_another_question_are_no_evidence(tmp_path: Path) -> None:
    beside = entry(haystack_session_ids=["early", "early"], answer_session_ids=["late"])
    twice = entry(haystack_session_ids=["early", "early"])
    unnamed = entry()
    del unnamed["answer_session_ids"]
    found = [only("longmemeval", written(tmp_path, "lme.json", [item])) for item in (beside, twice, unnamed)]

    assert [set(conversation.questions[0].evidence) for conversation in found] == [set(), {"early~2#1"}, {"early#1"}]


def test_questions_that_share_a_haystack_are_asked_of_one_conversation(tmp_path: Path) -> None:
    other = entry(question_id="q2_abs", question="What is my cat called?")
    found = only("longmemeval", written(tmp_path, "lme.json", [entry(), other]))

    assert [(question.id, question.unanswerable) for question in found.questions] == [("q1", False), ("q2_abs", True)]


def test_a_haystack_whose_lists_differ_in_length_is_refused(tmp_path: Path) -> None:
    bad = entry(haystack_dates=["2023/05/20 (Sat) 02:21"])
    assert "lme.json[0]: 2 haystack_sessions, 1 haystack_dates" in refusal(
        "longmemeval", written(tmp_path, "lme.json", [bad])
    )
    undated = entry(question_date="June 1st")
    assert "[0].question_date: must be a date such as" in refusal("longmemeval", written(tmp_path, "x.json", [undated]))


def line(**more: Any) -> str:
    turns = [{"role": "user", "text": "I keep bees."}, {"id": "t2", "role": "assistant", "text": "Oh!"}]
    return json.dumps({"id": "bees", "sessions": [{"id": "s1", "turns": turns}], **more}) + "\n"


def test_our_own_format_names_turns_by_their_place_where_they_have_no_id(tmp_path: Path) -> None:
    question = {"question": "What do I keep?", "evidence": ["s1#1", "t2"], "answer": ["bees"]}
    found = read_data("jsonl", written(tmp_path, "own.jsonl", line(questions=[question])), OSLO).conversations[0]

    assert [turn.id for turn in found.turns] == ["s1#1", "t2"]
    assert found.turns[0].said_at.astimezone(OSLO).isoformat() == "2024-01-01T09:00:00+01:00"
    assert (found.questions[0].id, found.questions[0].answer) == ("bees/1", "bees")
    assert found.questions[0].category == "questions"
    assert found.questions[0].sessions == {"s1"}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"questions": [{"question": "?", "evidence": ["t9"]}]}, ".questions[0].evidence[0]: names no turn of the"),
        ({"questions": [{"question": "?", "sessions": ["s9"]}]}, ".questions[0].sessions[0]: names no session of the"),
        ({"questions": [{"question": " "}]}, '.questions[0].question: must be text that is not blank; it is " "'),
        ({"questions": [{"question": "?", "unanswerable": 1}]}, ".questions[0].unanswerable: must be true or false"),
        ({"qestions": []}, ": no field is called 'qestions'; there are: id, sessions, questions, observations"),
        ({"sessions": []}, ".sessions: no session has a turn; it is []"),
        ({"sessions": [{"turns": [{"role": "bot", "text": "Hi"}]}]}, '.role: must be user or assistant; it is "bot"'),
        ({"sessions": [{"date": "soon", "turns": []}]}, ".sessions[0].date: must be a date in ISO 8601"),
        ({"sessions": [{"turns": [{"role": "user"}]}]}, ".sessions[0].turns[0]: the field 'text' is missing"),
        ({"observations": [{"text": "x", "evidence": []}]}, ".evidence: must name the turns it rests on"),
    ],
)
def test_a_bad_line_of_ours_is_named_by_field_and_value(tmp_path: Path, more: dict[str, Any], complaint: str) -> None:
    said = refusal("jsonl", written(tmp_path, "own.jsonl", line() + line(**more)))

    assert said.startswith("own.jsonl: line 2")
    assert complaint in said


def test_two_turns_of_one_id_and_two_conversations_of_one_id_are_refused(tmp_path: Path) -> None:
    turn = {"id": "t", "role": "user", "text": "Hi there."}
    twice = json.dumps({"sessions": [{"turns": [turn, turn]}]})
    assert "two turns have the id 't'" in refusal("jsonl", written(tmp_path, "own.jsonl", twice))
    assert "several conversations have the id 'bees'" in refusal(
        "jsonl", written(tmp_path, "two.jsonl", line() + line())
    )


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    assert "nowhere.jsonl: No such file" in refusal("jsonl", tmp_path / "nowhere.jsonl")
    assert refusal("jsonl", written(tmp_path, "empty.jsonl", "\n")) == "empty.jsonl: no conversations in it"
