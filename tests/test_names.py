"""Names are nouns of the field, and prose is plain English.

Print what breaks a rule in a file or folder (all of the repository if none is named):

    .venv/bin/python tests/test_names.py toldonce/text tests/text

Rules: `gerund` (modules), `standard` (modules called like one of the standard library), `class` (public name used
twice), `constant` (old prefixes), `one` (loop variable), `length` (test names: at most 70 characters after `test_`),
`prose` (banned words in comments, docstrings, messages, SQL
files and pages).
"""

import sys
from pathlib import Path

import pytest

from naming import FILE_RULES, banned_in, messages, offenders, prose_of_sql

RULES = (*FILE_RULES, "class")


@pytest.mark.parametrize("rule", RULES)
def test_names_and_prose_follow_the_rules(rule: str) -> None:
    assert offenders(rule) == [], "print all of a folder with: .venv/bin/python tests/test_names.py FOLDER"


@pytest.mark.parametrize(
    ("prose", "banned"),
    [
        ("Nobody's vectors are made anew.", ["Nobody's", "anew"]),
        ("The words behind it; no cache of ours stands here.", ["behind", "of ours", "stands"]),
        ("At most MOST_ROWS rows.", ["MOST_ROWS"]),
        ("Behind a reverse proxy a stand-in answers; 'nobody knows' and `stand` are quoted.", []),
    ],
)
def test_banned_words_are_found_but_not_quotations(prose: str, banned: list[str]) -> None:
    assert [word[0] for word in banned_in(prose)] == banned


def test_messages_and_sql_comments_are_read_but_not_word_lists(tmp_path: Path) -> None:
    code = tmp_path / "module.py"
    code.write_text(
        "WORDS = ('nobody', 'anew')\n"
        "def check(level: int) -> None:\n"
        "    raise ValueError(f'energy stands at {level}')\n",
        "utf-8",
    )
    sql = tmp_path / "queries.sql"
    sql.write_text("-- name: behind\nSELECT 1  -- whoever asks\n", "utf-8")

    found = [word[0] for _, text in (*messages(code), *prose_of_sql(sql)) for word in banned_in(text)]

    assert found == ["stands", "whoever"]


def main(folders: list[str]) -> None:
    for folder in folders or [""]:
        for rule in RULES:
            for offender in offenders(rule, folder.removeprefix("./").rstrip("/")):
                sys.stdout.write(f"{rule:9} {offender}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
