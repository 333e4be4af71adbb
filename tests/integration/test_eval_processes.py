"""`toldonce eval` as a process: with a model and a judge behind a real port, and stopped by a real Ctrl-C."""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from integration.shell import Shell
from patience import PATIENCE_S
from toldonce.providers.static_embedder import StaticEmbedder

GARDEN = Path(__file__).parents[1] / "evaluation" / "garden.jsonl"
Answer = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]


def said(words: str, **more: Any) -> tuple[int, dict[str, Any]]:
    return 200, {"choices": [{"message": {"role": "assistant", "content": words}, "finish_reason": "stop"}], **more}


@contextmanager
def served(answer: Answer) -> Iterator[tuple[str, list[tuple[str | None, dict[str, Any]]]]]:
    """Serve chat completions, or embeddings; yield the base URL, and what was asked with which key."""
    asked: list[tuple[str | None, dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.headers.get("Authorization"), body))
            status, reply = answer(body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def scripted(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer what the context holds; judge by whether the expected words are in the answer."""
    [message] = body["messages"]
    text = message["content"]
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    if body["model"] == "judge":
        lines = dict(line.split(": ", 1) for line in text.splitlines() if line.startswith(("Expected: ", "Given: ")))
        expected, given = json.loads(lines["Expected"]), json.loads(lines["Given"])
        if expected == "four":
            return said("Hard to say.")
        right = expected in given or (expected.startswith("The conversation") and "not know" in given)
        return said(json.dumps({"verdict": "RIGHT" if right else "WRONG", "reason": "by the script"}))
    if "temperature" in body:
        return 400, {"error": {"message": "no temperature here", "param": "temperature"}}
    context, _, question = text.partition("\nThe question: ")
    if "colour are the first hives" in question and "painted blue" in context:
        return said("They are blue.", usage=usage)
    if "gift" in question or "Who gave" in question:
        return said("It was her brother Ivan, a yellow one.")
    return said("I do not know.", usage=usage)


def test_answers_are_judged_strictly_beside_a_full_context_row(shell: Shell) -> None:
    with served(scripted) as (url, asked):
        shell.environment |= {"TOLDONCE_UPSTREAM_URL": url, "TOLDONCE_UPSTREAM_KEY": "sk-mine"}
        code, out, err = shell.run("eval", str(GARDEN), "--model", "talker", "--judge", "judge", "--json", "-")
    assert code == 0, err
    report = json.loads(out)
    for row in ("toldonce", "full context"):
        counted = report["answers"][row]["all"]
        assert {name: counted[name] for name in ("questions", "right", "wrong", "unjudged", "failed")} == {
            "questions": 4,
            "right": 3,
            "wrong": 0,
            "unjudged": 1,
            "failed": 0,
        }
        assert (counted["right_share"], counted["tokens_counted_here"], counted["cut_contexts"]) == (0.75, 1, 0)
    assert (report["settings"]["model"], report["settings"]["judge"]) == ("talker", "judge")
    assert {key for key, _ in asked} == {"Bearer sk-mine"}
    assert "sk-mine" not in out
    whole = [body["messages"][0]["content"] for _, body in asked if body["model"] == "talker"]
    assert any("[Sunday, 03 May 2026] Ana: Three hives, all of them painted blue." in text for text in whole)
    answers = {question["id"]: question["answers"]["toldonce"] for question in report["questions"]}
    assert (answers["colour"]["verdict"], answers["colour"]["answer"]) == ("right", "They are blue.")
    assert (answers["count"]["verdict"], answers["count"]["reason"]) == ("unjudged", "Hard to say.")


def test_a_repeated_run_asks_only_what_was_not_answered(shell: Shell, tmp_path: Path) -> None:
    models = ("--model", "talker", "--judge", "judge", "--context-tokens", "0", "--model-requests", "1")
    arguments = ("eval", str(GARDEN), *models, "--baselines", "--answers", str(tmp_path / "kept"), "--json", "-")
    with served(scripted) as (url, asked):
        code, out, err = shell.run(*arguments, "--model-url", url, "--prompt-tokens", "160")
        assert code == 0, err
        first, order = json.loads(out), [body["model"] for _, body in asked]
        asked.clear()
        code, again, _ = shell.run(*arguments, "--model-url", url, "--prompt-tokens", "160,800")
        new = [body["messages"][0]["content"] for _, body in asked if body["model"] == "talker"]
    second = json.loads(again)

    assert order == sorted(order, reverse=True), "judging begins when all is answered"
    assert list(first["answers"]) == ["toldonce@160", "BM25@160", "vectors@160", "sessions@160"]
    for row, told in first["answers"].items():
        assert second["answers"][row] == told
    # Each question of the larger prompts, once without the temperature that the server refuses.
    assert 4 <= len(new) <= 4 * 4 + 1
    lines = [json.loads(line) for line in (tmp_path / "kept" / "BM25@160.jsonl").read_text("utf-8").splitlines()]
    [colour] = [line for line in lines if line["id"] == "colour"]
    assert (colour["answer"], colour["verdict"], colour["model"], colour["judge"]) == (
        "They are blue.",
        "right",
        "talker",
        "judge",
    )


def test_a_conversation_without_room_is_cut_at_its_start_and_reported(shell: Shell) -> None:
    elsewhere = {"TOLDONCE_UPSTREAM_URL": "http://127.0.0.1:1/v1", "TOLDONCE_UPSTREAM_KEY": "sk-for-another-server"}
    shell.environment |= elsewhere
    with served(scripted) as (url, asked):
        code, out, err = shell.run(
            *("eval", str(GARDEN), "--model", "talker", "--model-url", url, "--context-tokens", "60", "--json", "-")
        )
    assert code == 0, err
    assert json.loads(out)["answers"]["full context"]["all"]["cut_contexts"] == 4
    shown = [body["messages"][0]["content"] for _, body in asked if "messages are cut off" in str(body)]
    assert len(shown) == 4
    assert all("A yellow hive will stand out" in text and "moved from Rome" not in text for text in shown)
    assert {key for key, _ in asked} == {None}, "a key goes to its own server alone"


def test_no_full_context_row_is_asked_for_where_it_has_no_room(shell: Shell) -> None:
    with served(lambda body: (500, {})) as (url, _):
        code, out, _ = shell.run(
            *("eval", str(GARDEN), "--questions", "1", "--model", "m", "--model-url", url, "--context-tokens", "0"),
            *("--json", "-"),
        )
    report = json.loads(out)
    assert code == 0
    assert list(report["answers"]) == ["toldonce"]
    assert report["answers"]["toldonce"]["all"]["failed"] == 1
    assert report["answers"]["toldonce"]["all"]["right_share"] == 0


def embedded(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Embed as the built-in embedder does."""
    rows = StaticEmbedder().embed_now(body["input"])
    return 200, {"data": [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]}


def test_an_embedder_at_a_url_is_tried_out_measured_and_its_length_found(shell: Shell) -> None:
    shell.environment["TOLDONCE_EMBED_KEY"] = "sk-mine"
    arguments = ("eval", str(GARDEN), "--json", "-", "--query-prefix", "query: ")
    with served(embedded) as (url, asked):
        code, out, err = shell.run(*arguments, "--embedder", f"{url}/embeddings", "--embedder-model", "words")
    assert code == 0, err
    settings = json.loads(out)["settings"]
    assert (settings["embedder"], settings["embedder_dim"]) == ("words-256", 256)
    assert settings["embedder_curve"]["midpoint"] == pytest.approx(0.32, abs=0.05)
    assert {(key, body["model"]) for key, body in asked} == {("Bearer sk-mine", "words")}
    questions = [text for _, body in asked for text in body["input"] if text.startswith("query: ")]
    assert "query: What colour are the first hives?" in questions
    assert "sk-mine" not in out


def _begun(work: Path, number: int) -> bool:
    """Tell whether an evaluation is at that conversation, or behind it."""
    # Beside the numbered ones lies the database that settings are looked at with.
    begun = (path.stem for path in work.glob("toldonce-eval-*/*.sqlite3"))
    return any(stem.isdecimal() and int(stem) >= number for stem in begun)


def test_ctrl_c_leaves_a_part_that_says_so_and_no_file_behind(shell: Shell, tmp_path: Path) -> None:
    work = tmp_path / "tmp"
    work.mkdir()
    shell.environment["TMPDIR"] = str(work)
    told = json.loads(GARDEN.read_text("utf-8"))
    many = tmp_path / "many.jsonl"
    many.write_text("\n".join(json.dumps({**told, "id": f"c{number}"}) for number in range(500)), "utf-8")
    process = shell.start("eval", str(many), "--json", "-")
    until = time.monotonic() + PATIENCE_S
    while not _begun(work, 3) and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130, err
    report = json.loads(out)
    assert report["partial"] is True
    assert 3 <= report["data"]["conversations_done"] < 500
    assert report["retrieval"]["toldonce"]["all"]["R@10"]["questions"] >= 9
    assert err.decode() == "interrupted: the results are partial\n"
    assert list(work.glob("toldonce-eval-*")) == []
