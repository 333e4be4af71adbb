"""`docs/eval.md` names every figure and field of a report, and its example is a file that can be evaluated."""

import io
import json
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from toldonce.cli.main import run
from toldonce.settings import PREFIX

PAGE = (Path(__file__).parents[2] / "docs" / "eval.md").read_text("utf-8")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The page's example, evaluated as somebody would who has just installed ToldOnce."""
    folder = tmp_path_factory.mktemp("eval")
    [example] = re.findall(r"(?ms)^```jsonl\n(.*?)^```$", PAGE)
    (folder / "mine.jsonl").write_text(example, "utf-8")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            patch.delenv(name)
        patch.chdir(folder)
        assert run(["eval", "mine.jsonl", "--baselines", "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


def test_the_example_is_told_and_asked(report: dict[str, Any]) -> None:
    assert (report["data"]["messages"], report["data"]["questions"]) == (3, 2)
    assert report["retrieval"]["toldonce"]["several turns"]["R@10"]["mean"] == 1


def test_each_figure_is_explained(report: dict[str, Any]) -> None:
    table = PAGE.partition("## Figures")[2].partition("\n## ")[0]
    explained = {name.partition("@")[0] for name in re.findall(r"`([\w@-]+)`", table)}

    assert {name.partition("@")[0] for name in report["retrieval"]["toldonce"]["all"]} - explained == set()


def test_each_field_of_the_report_is_named(report: dict[str, Any]) -> None:
    told = set(re.findall(r"`(\w+)`", PAGE.partition("## The JSON")[2]))
    assert set(report) - told == set()


def test_the_prompts_it_names_are_there() -> None:
    for name in ("answer.txt", "judge.txt"):
        assert f"`{name}`" in PAGE or f"/{name}`" in PAGE
        assert (Path(__file__).parents[2] / "toldonce" / "evaluation" / "prompts" / name).is_file()
