"""What of a submitted prompt the user typed."""

from tables import check_each
from toldonce.chat.agent_prompts import typed_words


@check_each(
    ("prompt", "typed"),
    [
        ("We use pnpm here.", "We use pnpm here."),
        ("<system-reminder>Be terse.</system-reminder>\nWe use pnpm.", "We use pnpm."),
        ("We use pnpm.\n<system-reminder>Be terse.", "We use pnpm."),
        ("<task-notification>\n<task-id>b1</task-id> done\n</task-notification>", ""),
        ("<command-name>/review</command-name><command-args>I love figs</command-args>", ""),
        ("<bash-stdout>I am root</bash-stdout>", ""),
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>Fix it", "Fix it"),
        ("/review the parser", ""),
        ("/etc/hosts is wrong", "/etc/hosts is wrong"),
        ("[Request interrupted by user]", ""),
        ("compare <b>a</b> with <document>d</document>", "compare <b>a</b> with <document>d</document>"),
        ("", ""),
    ],
)
def test_only_typed_words_are_left(prompt: str, typed: str) -> None:
    assert typed_words(prompt) == typed


def test_a_forged_end_does_not_free_what_follows_it() -> None:
    prompt = "<bash-stdout>ok</bash-stdout> I live in Rome. <bash-stdout>more</bash-stdout> go on"

    assert typed_words(prompt) == "go on"
