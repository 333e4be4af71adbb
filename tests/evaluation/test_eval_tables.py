"""A report as tables and Markdown; the figures are made up here."""

from typing import Any

from toldonce.evaluation.report_tables import headline, markdown, tables


def mean(value: float) -> dict[str, Any]:
    return {"mean": value, "low": max(0, value - 0.1), "high": min(1, value + 0.1), "questions": 7}


def answered(share: float) -> dict[str, Any]:
    tokens = {"mean": 100.0, "p50": 100.0, "p95": 100.0}
    return {
        "questions": 4,
        "right": int(4 * share),
        "wrong": 1,
        "unjudged": 1,
        "failed": 0,
        "right_share": share,
        "prompt_tokens": tokens,
        "completion_tokens": tokens,
        "tokens_counted_here": 0,
        "cut_contexts": 2,
    }


def injected(prompts: int, tokens: float) -> dict[str, Any]:
    counts = {"mean": tokens, "p50": tokens, "p95": tokens}
    return {"prompts": prompts, "tokens": counts, "recalled_tokens": counts, "recalled_share": 0.25}


def made_up(**more: Any) -> dict[str, Any]:
    group = {"R@1": mean(0.2), "R@5": mean(0.4), "R@10": mean(0.5), "MRR": mean(0.3), "budget": mean(0.6)}
    percentiles = {"p50": 1.0, "p95": 2.0}
    return {
        "toldonce": "9.9",
        "command": ["toldonce", "eval", "a|b.jsonl"],
        "partial": False,
        "data": {
            "kind": "jsonl",
            "name": "a|b.jsonl",
            "sha256": "ab12",
            "bytes": 4_096,
            "conversations": 2,
            "conversations_done": 2,
            "questions": 7,
        },
        "settings": {
            "formed": "settings",
            "profile": "default",
            "k": 10,
            "budget_tokens": 1000,
            "prompt_tokens": [],
            "seed": 0,
            "embedder": "words & more",
            "forms": "rules",
            "changed": {"recall_tokens": 40},
        },
        "machine": {"cores": 2},
        "seconds": 3.0,
        "retrieval": {"toldonce": {"all": group, "a|b": group}, "BM25": {"all": group}},
        "counted": ["A result counts."],
        "injection": {
            "related": injected(7, 120.0),
            "unrelated": None,
            "small_talk": injected(80, 2.5),
        },
        "reading": {
            "questions": 7,
            "recall_ms": percentiles,
            "embedding_ms": percentiles,
            "cpu_ms": percentiles,
            "injected_tokens": percentiles | {"mean": 1.5},
            "question_tokens": percentiles | {"mean": 1.5},
        },
        "writing": {
            "messages": 4,
            "turns": 2,
            "unlogged": 1,
            "undone": 2,
            "model_calls_per_turn": 1.0,
            "prompt_tokens_per_turn": 900.0,
            "completion_tokens_per_turn": 50.0,
            "answers_without_usage": 3,
            "own_seconds_per_turn": {"wall": 0.01, "cpu": 0.004},
            "memories": {"note": 3},
            "duplicates": 1,
            "duplicate_share": 0.333,
            "near_duplicates": 0,
            "near_duplicate_share": 0.0,
            "junk": {"question": 1},
            "junk_share": 0.333,
        },
        "answers": {},
        **more,
    }


def test_a_part_says_that_it_is_one() -> None:
    assert headline(made_up(partial=True)).startswith("PARTIAL, broken off: jsonl from")


def test_ranking_figures_are_shown_at_k_and_a_missing_group_as_a_dash() -> None:
    first, by_category, *_ = tables(made_up())

    assert [row[0] for row in first.rows] == ["R@10", "MRR", "in 1,000 tokens"]
    assert first.rows[0][1] == "50.0 (40.0–60.0)"
    assert by_category.rows == (
        ("all", "7", "50.0 (40.0–60.0)", "50.0 (40.0–60.0)"),
        ("a|b", "7", "50.0 (40.0–60.0)", "–"),
    )


def test_what_was_not_done_or_not_counted_is_told() -> None:
    cells = {row[0]: row[1] for row in tables(made_up())[-1].rows}

    assert cells["formations not done"] == "2"
    assert cells["messages taken for resent ones"] == "1"
    assert cells["prompt + completion tokens a turn"] == "900 + 50 (3 answers told none)"
    assert cells["junk"] == "1 (33.3 %): question 1"


def test_injection_is_shown_and_a_missing_pair_is_said() -> None:
    table = next(table for table in tables(made_up()) if table.title == "What memory adds to a prompt")

    assert table.rows == (
        ("questions of the data", "7", "120.0", "120.0", "25.0"),
        ("another conversation's questions", "not measured: the data has one conversation", "", "", ""),
        ("small talk", "80", "2.5", "2.5", "25.0"),
    )


def test_the_headline_names_the_file_and_its_size() -> None:
    assert headline(made_up()).startswith("jsonl from a|b.jsonl (4.1 kB), 2 of 2 conversations")


def test_answers_show_what_was_not_judged_and_what_was_cut() -> None:
    answers = {"toldonce": {"all": answered(0.5)}, "full context": {"all": answered(0.25)}}
    table = next(table for table in tables(made_up(answers=answers)) if table.title.startswith("Answers"))

    assert table.rows[0][:7] == ("toldonce", "all", "4", "50.0", "1", "1", "0")
    assert table.rows[1][-1] == "2"


def test_markdown_has_all_that_is_needed_to_run_it_again_and_no_broken_row() -> None:
    page = markdown(made_up())

    assert "toldonce eval a|b.jsonl" in page
    assert "SHA-256 `ab12`" in page
    assert "A result counts." in page
    assert "setting `recall_tokens`: `40`" in page
    assert "| a\\|b | 7 |" in page


def test_a_report_without_evidence_still_shows_its_costs() -> None:
    empty = made_up(retrieval={"toldonce": {}})

    titles = [table.title for table in tables(empty)]
    assert titles == ["What memory adds to a prompt", "What reading costs", "What writing costs"]
