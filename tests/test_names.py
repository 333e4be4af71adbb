"""Names are nouns of the field, and prose is plain English.

Print what breaks a rule in a file or folder (all of the repository if none is named):

    .venv/bin/python tests/test_names.py recollect/text tests/text

`tests/not_yet/*.txt` lists what is still to be cleaned, one `RULE PATH` a line: a file or folder of the repository.
Clean a package, then delete its lines, or its file; in the end the folder is empty. The command also prints the lines
that are no longer needed.

Rules: `gerund` (modules), `standard` (modules called like one of the standard library), `class` (public name used
twice), `constant` (old prefixes), `one` (loop variable), `length` (test names: at most 70 characters after `test_`),
`prose` (banned words in comments, docstrings and pages).
"""

import sys

import pytest

from naming import FILE_RULES, ROOT, banned_in, offenders

RULES = (*FILE_RULES, "class")
NOT_YET = tuple(
    tuple(line.split())
    for path in sorted((ROOT / "tests" / "not_yet").glob("*.txt"))
    for line in path.read_text("utf-8").splitlines()
    if line.strip()
)


def is_still_to_be_cleaned(rule: str, offender: str) -> bool:
    return any(rule == other and offender.startswith((f"{place}/", f"{place}:")) for other, place in NOT_YET)


@pytest.mark.parametrize("rule", RULES)
def test_names_and_prose_follow_the_rules(rule: str) -> None:
    wrong = [line for line in offenders(rule) if not is_still_to_be_cleaned(rule, line)]
    assert wrong == [], "print all of a folder with: .venv/bin/python tests/test_names.py FOLDER"


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


def main(folders: list[str]) -> None:
    for folder in folders or [""]:
        for rule in RULES:
            for offender in offenders(rule, folder.removeprefix("./").rstrip("/")):
                sys.stdout.write(f"{rule:9} {offender}\n")
    for rule, place in NOT_YET:
        if not offenders(rule, place):
            sys.stdout.write(f"not needed any more in tests/not_yet: {rule} {place}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
