"""Replies of models outlast a run that was killed."""

from pathlib import Path

from toldonce.evaluation.answer_files import KeptReplies, ModelReply

BLUE = ModelReply(text="Blue.", prompt_tokens=7, completion_tokens=2, counted_here=False)


def test_a_reply_is_known_for_the_same_model_and_prompt_alone(tmp_path: Path) -> None:
    KeptReplies(tmp_path).add("talker", "Which colour?", BLUE)
    kept = KeptReplies(tmp_path)

    assert kept.get("talker", "Which colour?") == BLUE
    assert kept.get("judge", "Which colour?") is None
    assert kept.get("talker", "Which colour") is None


def test_half_a_line_is_passed_over_and_does_not_spoil_the_next(tmp_path: Path) -> None:
    KeptReplies(tmp_path).add("talker", "Which colour?", BLUE)
    with (tmp_path / "replies.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"asked": "0a')
    KeptReplies(tmp_path).add("talker", "How many?", BLUE)
    kept = KeptReplies(tmp_path)

    assert kept.get("talker", "Which colour?") == kept.get("talker", "How many?") == BLUE
