"""The labelled messages of this project, and the files of labels of real ones."""

from pathlib import Path

import pytest

from tools.corpus import main, read_corpus
from tools.label_messages import LABELS, NONE

CORPORA = Path(__file__).parents[2] / "corpora"
LANGUAGES = "ar de en es fr it ja nl pt ru zh".split()
MIN_WRITERS, MIN_OF_A_LABEL = 20, 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_of_a_language_have_many_writers_and_every_label(language: str) -> None:
    messages = list(read_corpus(CORPORA / "messages" / f"{language}.txt"))
    assert len({message.writer for message in messages}) >= MIN_WRITERS
    said = [sentence.labels for message in messages for sentence in message.sentences]
    for label in LABELS:
        assert sum(label in labels for labels in said) >= MIN_OF_A_LABEL, label


def test_label_files_hold_offsets_and_no_words() -> None:
    for path in (CORPORA / "labels").glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            _chat, place, *spans = line.split()
            assert place.isdigit()
            for span in spans:
                offsets, _, labels = span.partition(":")
                start, end = map(int, offsets.split("-"))
                assert start < end
                assert labels == NONE or not set(labels) - set(LABELS)


def test_a_line_that_is_none_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line, reason in (
        ("just words", "neither"),
        ("KZ | I live in Rome", "labels are of"),
        ("K | I live in Rome ⇒ town=Rome", "no slot=value"),
        ("K | I live in Rome ⇒ location=Oslo", "not in the words"),
    ):
        file = tmp_path / "en.txt"
        file.write_text(f"@ w01 home\n{line}\n", encoding="utf-8")
        assert main([str(file)]) == 1
        assert f"{file}:2" in (told := capsys.readouterr().out)
        assert reason in told
