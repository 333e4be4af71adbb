"""`toldonce eval` through the front door, on a small conversation of our own."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import CommandLine, Result
from toldonce.cli.replay import ProgressBar

pytestmark = pytest.mark.usefixtures("little_small_talk")
GARDEN = Path(__file__).parents[1] / "evaluation" / "garden.jsonl"
WAYS = ["toldonce", "BM25", "vectors", "BM25 + vectors", "sessions"]
# What differs from run to run: times, how busy the machine is, and the tokens of a block's random boundary.
TIMES = ("seconds", "reading", "injection", "machine", "command")


def report(result: Result) -> dict[str, Any]:
    assert result.code == 0, result.err
    found: dict[str, Any] = result.json
    return found


_PLAIN: list[Result] = []


@pytest.fixture
def plain(cli: CommandLine) -> Result:
    """The garden as it is: evaluated once for all tests that only read the report."""
    if not _PLAIN:
        _PLAIN.append(cli("eval", GARDEN, "--json", "-"))
    return _PLAIN[0]


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in found.items() if name not in TIMES}
    kept["writing"] = {name: value for name, value in found["writing"].items() if "seconds" not in name}
    return kept


def test_a_file_of_ours_is_told_asked_and_measured(cli: CommandLine, database: Path) -> None:
    found = report(cli("eval", GARDEN, "--baselines", "--json", "-"))

    assert found["data"]["kind"] == "jsonl"
    assert (found["data"]["messages"], found["data"]["questions"], found["partial"]) == (5, 4, False)
    assert list(found["retrieval"]) == WAYS
    assert found["retrieval"]["toldonce"]["all"]["R@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "questions": 3}
    assert found["data"]["questions_without_evidence"] == 1
    assert set(found["retrieval"]["BM25"]) == {"all", "detail", "several turns"}
    assert not database.exists(), "an evaluation touches no memory of yours"


def test_a_packed_file_gives_the_same_figures_as_the_plain_one(cli: CommandLine, plain: Result, tmp_path: Path) -> None:
    packed = tmp_path / "garden.jsonl.gz"
    packed.write_bytes(gzip.compress(GARDEN.read_bytes()))
    unpacked = report(cli("eval", packed, "--json", "-"))
    assert unpacked["retrieval"] == report(plain)["retrieval"]
    assert unpacked["data"]["sha256"] == report(plain)["data"]["sha256"]

    packed.write_bytes(packed.read_bytes()[:-9])
    refused = cli("eval", packed)
    assert refused.code == 1
    assert "garden.jsonl.gz: broken gzip archive: Compressed file ended before" in refused.err


def test_it_says_what_reading_and_writing_cost(plain: Result) -> None:
    found = report(plain)
    reading, writing = found["reading"], found["writing"]

    assert reading["questions"] == 4
    assert 0 < reading["recall_ms"]["p50"] <= reading["recall_ms"]["p95"]
    assert reading["injected_tokens"]["mean"] > reading["question_tokens"]["mean"] > 5
    assert (writing["messages"], writing["turns"], writing["model_calls"]) == (5, 3, 0)
    assert (writing["unlogged"], writing["undone"]) == (0, 0)
    assert writing["memories"]["turn"] == 4, "small talk of the assistant is not quoted"
    assert writing["memories"]["fact"] >= 1
    assert writing["own_seconds_per_turn"]["wall"] > 0


def test_two_runs_come_to_the_same_but_for_times(cli: CommandLine) -> None:
    arguments = ("eval", GARDEN, "--json", "-", "--questions", "3", "--seed", "4")
    one, other = report(cli(*arguments)), report(cli(*arguments))

    assert without_times(one) == without_times(other)
    assert len(one["questions"]) == 3


def test_questions_are_listed_with_evidence_ranks_and_without_text(plain: Result) -> None:
    count = next(question for question in report(plain)["questions"] if question["id"] == "count")

    assert count["evidence"] == ["j1", "m3"]
    assert set(count["rows"]["toldonce"]["places"]) == {"j1", "m3"}
    assert "hive" not in plain.out


def test_a_note_counts_for_its_message_but_not_as_its_own_text(cli: CommandLine) -> None:
    figures = {
        formed: report(cli("eval", GARDEN, "--form", formed, "--json", "-"))["retrieval"]["toldonce"]["all"]
        for formed in ("turns", "observations")
    }

    assert figures["turns"]["prompt"]["mean"] == figures["turns"]["prompt_own_text"]["mean"] == 1
    assert figures["observations"]["prompt"]["mean"] == 1
    assert figures["observations"]["prompt_own_text"]["mean"] < 1
    answer_words = figures["turns"]["prompt_answer_words"]
    assert answer_words["questions"] == 3, "the unanswerable question has no answer"
    assert answer_words["mean"] == pytest.approx(2 / 3, abs=1e-3), "no message says 'four'"


def test_prompts_of_ours_and_of_baselines_are_compared_at_several_sizes(cli: CommandLine, tmp_path: Path) -> None:
    arguments = ("eval", GARDEN, "--baselines", "--form", "turns", "--prompt-tokens", "800,160")
    shown = cli(*arguments, "--json", tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text("utf-8"))
    own_size = report(cli(*arguments[:-2], "--json", "-"))["retrieval"]

    assert found["settings"]["prompt_tokens"] == [160, 800]
    for row in ("toldonce", "BM25", "vectors", "sessions"):
        figures = found["retrieval"][row]["all"]
        assert figures["prompt_tokens@160"]["mean"] <= 160
        assert figures["prompt_own_text@160"]["mean"] <= figures["prompt_own_text@800"]["mean"] == 1
        # The profile's own size is 800 tokens.
        for name in ("prompt", "prompt_own_text", "prompt_answer_words", "prompt_tokens"):
            assert figures[f"{name}@800"] == figures[name] == own_size[row]["all"][name]
    assert "prompt" not in found["retrieval"]["BM25 + vectors"]["all"]
    lines = [line.split("\t") for line in shown.out.splitlines()]
    table = lines[lines.index(["Prompts of several sizes: tokens of memory in the prompt"]) + 1 :]
    assert table[0] == ["tokens", "", "questions", "toldonce", "BM25", "vectors", "sessions"]
    assert [row[:3] for row in table[1:3]] == [["160", "all", "3"], ["160", "detail", "2"]]


def test_the_limit_of_items_grows_with_the_tokens(cli: CommandLine, tmp_path: Path) -> None:
    told = json.loads(GARDEN.read_text("utf-8"))
    turns = [{"id": f"n{number}", "role": "user", "text": f"Hive {number} is blue."} for number in range(40)]
    many = tmp_path / "many.jsonl"
    question = {"question": "Which hives are blue?", "answer": "all", "evidence": [turn["id"] for turn in turns]}
    many.write_text(json.dumps({**told, "sessions": [{"turns": turns}], "questions": [question], "observations": []}))
    found = report(cli("eval", many, "--form", "turns", "--prompt-tokens", "400,800,1600", "--json", "-"))

    figures = found["retrieval"]["toldonce"]["all"]
    assert [figures[f"prompt@{tokens}"]["mean"] for tokens in (400, 800, 1600)] == [10 / 40, 20 / 40, 40 / 40]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_questions_and_their_blocks_are_written_by_row_and_size(cli: CommandLine, tmp_path: Path) -> None:
    arguments = ("eval", GARDEN, "--baselines", "--prompt-tokens", "160,800", "--answers")
    for folder in ("one", "other"):
        assert cli(*arguments, tmp_path / folder).code == 0
    files = sorted(path.name for path in (tmp_path / "one").iterdir())

    rows = ("BM25", "sessions", "toldonce", "vectors")
    assert files == [f"{row}@{size}.jsonl" for row in rows for size in (160, 800)]
    for name in files:
        assert lines_of(tmp_path / "one" / name) == lines_of(tmp_path / "other" / name), "a block has no random part"
    colour = next(line for line in lines_of(tmp_path / "one" / "toldonce@800.jsonl") if line["id"] == "colour")
    assert (colour["row"], colour["limit"], colour["expected"]) == ("toldonce@800", 800, "blue")
    assert "painted blue" in colour["block"]
    assert "answer" not in colour, "no model was named"
    [unanswerable] = [line for line in lines_of(tmp_path / "one" / "BM25@160.jsonl") if line["category"] == "not said"]
    assert unanswerable["expected"] == "The conversation does not say."


def test_a_folder_of_answers_that_cannot_be_written_is_refused_before_the_work(
    cli: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    for folder in (tmp_path / "file", tmp_path / "nowhere" / "answers"):
        result = cli("eval", GARDEN, "--answers", folder)
        assert (result.code, result.out) == (2, "")
        assert "the folder cannot be written" in " ".join(result.err.replace("│", " ").split())


def test_injection_is_measured_for_unrelated_questions_and_small_talk(cli: CommandLine, tmp_path: Path) -> None:
    told = json.loads(GARDEN.read_text("utf-8"))
    other = {**told, "id": "sea", "questions": [{"question": "Which ship did Boris sail?", "answer": "the Nadia"}]}
    two = tmp_path / "two.jsonl"
    two.write_text("\n".join(json.dumps(line) for line in (told, other)), "utf-8")
    found = report(cli("eval", two, "--json", "-"))["injection"]

    assert (found["related"]["prompts"], found["unrelated"]["prompts"]) == (5, 5)
    assert found["small_talk"]["prompts"] == 2 * found["small_talk"]["messages"]
    assert found["related"]["tokens"]["mean"] > found["related"]["recalled_tokens"]["mean"] > 0
    assert 0 <= found["small_talk"]["recalled_share"] <= 1


def test_a_single_conversation_has_no_unrelated_questions(cli: CommandLine, plain: Result) -> None:
    assert report(plain)["injection"]["unrelated"] is None
    assert "not measured: the data has one conversation" in cli("eval", GARDEN).out


def test_the_report_names_the_file_its_size_and_what_is_counted(plain: Result) -> None:
    found = report(plain)

    assert (found["data"]["name"], found["data"]["bytes"]) == ("garden.jsonl", GARDEN.stat().st_size)
    assert any("note or fact based on it" in sentence for sentence in found["counted"])


def test_nothing_but_quotations_is_formed_if_told_so(cli: CommandLine) -> None:
    found = report(cli("eval", GARDEN, "--form", "turns", "--json", "-"))

    assert found["writing"]["memories"] == {"turn": 4}
    assert found["settings"]["formed"] == "turns"


def test_recorded_observations_become_memories_with_their_turns_as_sources(cli: CommandLine) -> None:
    found = report(cli("eval", GARDEN, "--form", "observations", "--json", "-"))

    assert found["writing"]["memories"] == {"note": 2, "turn": 4}
    assert found["writing"]["model_calls_per_turn"] == 1
    assert found["writing"]["prompt_tokens_per_turn"] > 300


def test_observations_that_are_not_there_are_missed_at_once(cli: CommandLine, tmp_path: Path) -> None:
    told = json.loads(GARDEN.read_text("utf-8"))
    del told["observations"]
    bare = tmp_path / "bare.jsonl"
    bare.write_text(json.dumps(told), "utf-8")
    result = cli("eval", bare, "--form", "observations")

    assert (result.code, result.out) == (1, "")
    assert "--form observations: the data records none" in result.err


def test_the_table_names_its_rows_and_figures_in_a_pipe_too(cli: CommandLine) -> None:
    result = cli("eval", GARDEN, "--baselines", "--k", "5", "--budget", "200")

    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith(
        "jsonl from garden.jsonl (1.4 kB), 1 of 1 conversations, 4 of 4 questions; embedder use-m"
    )
    assert lines[1].startswith("A result counts for a message if it is that message, or a note or fact based on it")
    assert "\t".join(["", *WAYS]) in lines
    firsts = [line.split("\t")[0] for line in lines]
    assert {"R@5", "all@5", "NDCG@5", "MRR", "in 200 tokens", "in the prompt", "sessions@5"} <= set(firsts)
    assert {"all", "detail", "several turns", "memories", "junk", "tokens of a question"} <= set(firsts)


def test_everything_is_written_where_it_is_told(cli: CommandLine, tmp_path: Path) -> None:
    data, page = tmp_path / "a.json", tmp_path / "a.md"
    result = cli("eval", GARDEN, "--baselines", "--json", data, "--markdown", page)

    assert result.code == 0
    assert [line for line in result.err.splitlines() if line.startswith("written: ")] == [
        f"written: {path}" for path in (data, page)
    ]
    found = json.loads(data.read_text("utf-8"))
    told = page.read_text("utf-8")
    assert found["data"]["sha256"] in told
    assert "| R@10 | 100.0 (100.0–100.0) |" in told


def test_what_could_not_be_written_is_refused_before_the_work(cli: CommandLine, tmp_path: Path) -> None:
    result = cli("eval", GARDEN, "--json", tmp_path / "nowhere" / "a.json")

    assert result.code == 2
    assert "cannot be written" in result.err


def test_only_so_many_conversations_and_questions_are_taken(cli: CommandLine, tmp_path: Path) -> None:
    told = json.loads(GARDEN.read_text("utf-8"))
    twice = tmp_path / "two.jsonl"
    twice.write_text("\n".join(json.dumps({**told, "id": name}) for name in ("one", "two")), "utf-8")
    found = report(cli("eval", twice, "--limit", "1", "--questions", "2", "--json", "-"))

    assert (found["data"]["conversations"], found["data"]["questions"]) == (1, 2)
    assert {question["conversation"] for question in found["questions"]} == {"one"}
    whole = report(cli("eval", twice, "--json", "-"))
    assert (whole["data"]["conversations_done"], len(whole["questions"])) == (2, 8)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("locomo",), "--data"),
        ((str(GARDEN), "--data", "."), "--data is only for locomo, longmemeval, beam"),
        ((str(GARDEN), "--form", "magic"), "settings, turns, observations"),
        ((str(GARDEN), "--model-url", "http://127.0.0.1:1/v1"), "--model-url requires --model"),
        ((str(GARDEN), "--model", "x"), "TOLDONCE_UPSTREAM_URL"),
        ((str(GARDEN), "--k", "0"), "--k"),
        ((str(GARDEN), "--prompt-tokens", "400,0"), "whole numbers from 1"),
        ((str(GARDEN), "--prompt-tokens", "many"), "whole numbers from 1"),
    ],
)
def test_what_is_typed_wrongly_is_said_to_be(cli: CommandLine, arguments: tuple[str, ...], complaint: str) -> None:
    result = cli("eval", *arguments)

    assert (result.code, result.out) == (2, "")
    assert complaint in " ".join(result.err.replace("│", " ").split())


def test_a_file_that_cannot_be_read_is_named_with_the_line(cli: CommandLine, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(GARDEN.read_text("utf-8").splitlines()[0] + '\n{"sessions": 3}\n', "utf-8")
    result = cli("eval", bad)

    assert (result.code, result.out) == (1, "")
    assert result.err == "toldonce: bad.jsonl: line 2.sessions: must be a list; it is 3\n"


def test_settings_of_ones_own_hold_and_are_told_but_no_key_is(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_RECALL_TOKENS", "40")
    monkeypatch.setenv("TOLDONCE_UPSTREAM_KEY", "sk-not-for-the-report")
    monkeypatch.setenv("TOLDONCE_EMBED_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("TOLDONCE_EMBED_MODEL", "another")
    monkeypatch.setenv("TOLDONCE_EMBED_DIM", "8")
    result = cli("eval", GARDEN, "--embedder", "static", "--profile", "tiered", "--json", "-")
    found = report(result)

    assert found["settings"]["embedder"].startswith("wordllama")
    assert found["settings"]["profile"] == "tiered"
    assert found["settings"]["changed"]["recall_tokens"] == 40
    assert found["reading"]["injected_tokens"]["p95"] <= 40
    assert "sk-not" not in result.out


def test_an_embedder_of_the_settings_that_cannot_be_reached_ends_it(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_EMBED_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("TOLDONCE_EMBED_MODEL", "another")
    monkeypatch.setenv("TOLDONCE_EMBED_DIM", "8")
    result = cli("eval", GARDEN)

    assert result.code == 1
    assert "http://127.0.0.1:1 cannot be reached" in result.err


def test_broken_off_it_reports_the_part_that_is_there_as_a_part(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.loads(GARDEN.read_text("utf-8"))
    twice = tmp_path / "two.jsonl"
    twice.write_text("\n".join(json.dumps({**told, "id": name}) for name in ("one", "two")), "utf-8")

    def stop_at_twelve(_: ProgressBar, done: int) -> None:
        if done == 12:  # five messages and four questions of the first, three messages of the second
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressBar, "reach", stop_at_twelve)
    result = cli("eval", twice, "--json", "-")

    assert result.code == 130
    assert "interrupted" in result.err
    assert result.json["partial"] is True
    assert (result.json["data"]["conversations_done"], len(result.json["questions"])) == (1, 4)


@pytest.mark.parametrize("name", ["session", "app", "character"])
def test_a_profile_whose_memory_is_no_users_is_refused(cli: CommandLine, name: str) -> None:
    result = cli("eval", GARDEN, "--profile", name)

    assert (result.code, result.out) == (1, "")
    assert f"profile {name} keeps a memory of each {name}" in result.err


def test_what_a_profile_forms_at_the_end_of_a_session_is_there(cli: CommandLine) -> None:
    found = report(cli("eval", GARDEN, "--profile", "user", "--json", "-"))

    assert found["writing"]["memories"]["note"] >= 1
    assert found["writing"]["undone"] == 0
