"""What stands between marks of web pages, chat templates and typesetting is not the user's own."""

import pytest

from toldonce.extraction.sources import readable_text


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<!--", "-->"),
        ("<|im_start|>user\n", "<|im_end|>"),
        ("[INST]", "[/INST]"),
        ("\\begin{document}", "\\end{document}"),
    ],
)
def test_text_between_marks_of_other_formats_is_not_the_users(opening: str, closing: str) -> None:
    text = f"I work in Bergen. {opening} I live in Rome. My name is Bruno. {closing} What is this?"
    own = readable_text(text)
    assert "Rome" not in own
    assert "Bruno" not in own
    assert "Bergen" in own


def test_a_mark_that_nothing_closes_takes_the_rest() -> None:
    own = readable_text("I work in Bergen. <!-- I live in Rome.")
    assert "Rome" not in own
    assert "Bergen" in own
