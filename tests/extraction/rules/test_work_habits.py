"""How the user works as a rule: code style, availability, workflows, standing orders; and what is meant but once."""

import pytest

from extraction.rules.test_everyday_life import facts
from tables import check_each

STATED = (
    ("I use tabs, 4 wide", "indentation", "tabs, 4 wide"),
    ("I use 2 spaces for yaml and 4 for python", "indentation", "2 spaces for yaml and 4 for python"),
    ("keep lines under 100", "line_length", "100"),
    ("I keep my lines under 88 characters", "line_length", "88"),
    ("we wrap lines at 80 columns", "line_length", "80"),
    ("I use snake_case for functions", "naming_convention", "snake_case for functions"),
    ("we name variables in camelCase", "naming_convention", "camelCase"),
    ("I'm free on weekday mornings", "availability:mornings", "free on weekday mornings"),
    ("I'm not available on Fridays", "availability:fridays", "not available on Fridays"),
    ("don't schedule anything before 10", "availability:earliest", "don't schedule anything before 10"),
    ("never book me before 9am", "availability:earliest", "never book me before 9am"),
    ("I deploy on Fridays after the tests pass", "workflow:deploy", "deploy on Fridays after the tests pass"),
    ("we review PRs in pairs", "workflow:review", "review PRs in pairs"),
    ("we squash before merging", "workflow:squash", "squash before merging"),
    ("we release every two weeks", "workflow:release", "release every two weeks"),
    ("we deploy from main", "workflow:deploy", "deploy from main"),
)
# Third parties, suppositions, questions, one day, the task at hand, and work that goes wrong.
# Sentences that may fill a slot, of those that should not: trained heads judge them.
MAX_MISTAKEN = 0.03
NOT_STANDING = (
    "my colleague uses tabs, 4 wide",
    "he keeps lines under 100",
    "she is free on weekday mornings",
    "they deploy on Fridays after the tests pass",
    "my brother works from 9 to 5",
    "my sister's office hours are 9 to 5",
    "if I worked from 9 to 5 I'd be happier",
    "imagine I deploy on Fridays",
    "should I deploy on Fridays?",
    "do you review PRs in pairs?",
    "what if we merged only when CI is green?",
    "how many lines should I keep under 100?",
    "I'm free this Friday",
    "I'm free on Friday",
    "I'm busy tomorrow",
    "I'm not available next week",
    "I'm busy right now",
    "don't schedule anything before 10 tomorrow",
    "Plan my Saturday. Don't schedule anything before 10.",
    "Write a parser for ini files. Keep lines under 100.",
    "Write a haiku and keep lines under 10 syllables",
    "write a poem, keep lines under 40 characters",
    "please keep lines under 80 in this file",
    "use double quotes in this snippet",
    "Refactor the code below and use early returns",
    "keep it under 100 words",
    "keep lines under 100 words",
    "I run the tests and get an error",
    "when I deploy to staging I get a 500",
    "I use a loop to read the file",
    "I have a meeting at 3",
    "I have an error every time",
    "I have a bug on Fridays",
    "I have to go",
    "I work on this before lunch",
    "I can't make it",
    "I can't do math",
    "I'm out of ideas",
    "I'm off to bed",
    "I'm away",
    "no problem",
    "no idea",
    "nothing works",
    "no meetings are shown in the output",
    "The function is called every Monday",
    "mornings are beautiful",
    "Mondays are bad",
    "Sundays work for them",
    "every commit is a snapshot",
    "every pull request triggers CI on GitHub",
    "lines over 100 are highlighted",
    "I deployed on Friday after the tests passed",
    "we reviewed the PR in pairs",
    "I want semicolons replaced with commas in this text",
    "the style guide says 80 columns",
    "Does PEP 8 want snake_case for functions?",
    "rename the variable in camelCase here",
    "I want you to plan my week",
    "my calendar is broken",
    "my process is killed by the OS every night",
    "our build is broken",
    "our release is late",
    "my routine throws an exception",
    "I read the book before I watched the film",
    "I can't meet before 10 on 3 March",
    '"I deploy on Fridays", said Bob',
    "My boss says I work from 9 to 5",
    "I would be free on weekday mornings if I quit",
    "I used to work from 9 to 5",
)


@check_each(("text", "key", "value"), STATED)
def test_t5_a_plain_statement_fills_its_slot(text: str, key: str, value: str) -> None:
    assert facts(text).get(key) == value


def test_what_is_no_rule_of_the_users_work_fills_hardly_a_slot() -> None:
    mistaken = [text for text in NOT_STANDING if facts(text)]
    assert len(mistaken) <= MAX_MISTAKEN * len(NOT_STANDING), mistaken


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("From now on keep lines under 100. Can you show me an example?", "line_length"),
        ("Plan my day, please. Never book me before 9.", "availability:earliest"),
    ],
)
def test_an_order_beside_a_task_holds_where_it_says_that_it_lasts(text: str, key: str) -> None:
    assert key in facts(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I'm free on Fridays", "I'm not available on Fridays"),
        ("don't schedule anything before 10", "never book me before 9"),
        ("keep lines under 100", "wrap lines at 88"),
        ("I deploy on Fridays", "we never deploy on Fridays"),
    ],
)
def test_t4_a_later_statement_fills_the_slot_of_the_earlier(before: str, after: str) -> None:
    assert facts(before).keys() == facts(after).keys()
    assert facts(before) != facts(after)
