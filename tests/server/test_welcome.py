"""What the server prints when it starts."""

import json
import shlex

import pytest

from toldonce.server.welcome import choose_model, welcome
from toldonce.settings import Settings


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("::1", "http://[::1]:8765/v1"),
        ("127.0.0.1", "http://127.0.0.1:8765/v1"),
        ("0.0.0.0", "http://127.0.0.1:8765/v1"),
    ],
)
def test_the_address_shown_can_be_used_as_it_is(host: str, base: str) -> None:
    assert f"listens on {base}\n" in welcome(Settings(host=host), 8765)


def tried(settings: Settings, *, model: str | None = None) -> str:
    """Return the model of the command to try."""
    said = welcome(settings, 8765, model=model)
    [line] = [line for line in said.splitlines() if line.lstrip().startswith("-d '")]
    [body] = shlex.split(line)[1:]
    return str(json.loads(body)["model"])


def test_the_command_to_try_names_a_model_that_answers_here() -> None:
    upstream = Settings(upstream_url="http://127.0.0.1:11434/v1")
    assert tried(Settings()) == "toldonce/offline"
    assert tried(upstream, model="qwen3:8b") == "qwen3:8b"
    assert tried(upstream) == "MODEL"
    assert tried(upstream.model_copy(update={"form_model": "llama3.2"})) == "llama3.2"
    elsewhere = {"form_model": "llama3.2", "form_url": "http://127.0.0.1:9/v1"}
    assert tried(upstream.model_copy(update=elsewhere)) == "MODEL"


@pytest.mark.parametrize(
    ("listed", "preferred", "chosen"),
    [
        ('{"data": [{"id": "gpt-x"}, {"id": "gpt-y"}]}', None, "gpt-x"),
        ('{"data": [{"id": "gpt-x"}, {"id": "gpt-y"}]}', "gpt-y", "gpt-y"),
        ('{"data": [{"id": "nomic-embed-text"}, {"id": "org/chat:1"}]}', None, "org/chat:1"),
        ('{"data": [{"id": "nomic-embed-text"}]}', None, "nomic-embed-text"),
        ('{"data": [{"id": "x\'; rm -rf ."}, 3, {"id": 4}]}', None, None),
        ('{"data": 3}', None, None),
        ("[]", None, None),
        ("<html>", "gpt-y", None),
        ("[" * 100_000, None, None),
    ],
)
def test_a_model_is_chosen_from_the_upstreams_list(listed: str, preferred: str | None, chosen: str | None) -> None:
    assert choose_model(listed.encode(), preferred=preferred) == chosen
