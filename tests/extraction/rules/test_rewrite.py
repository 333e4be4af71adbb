"""First-person clauses are put into the third person without guessing."""

import pytest

from recollect.extraction.rules.rewrite import Speaker, stand_alone

USER = Speaker("The user", False)
ANA = Speaker("Ana", True, "Ben")


@pytest.mark.parametrize(
    ("clause", "user", "named"),
    [
        ("I wash my car", "The user washes their car.", "Ana washes their car."),
        ("I've never been there", "The user has never been there.", "Ana has never been there."),
        ("I'd love to go", "The user would love to go.", "Ana would love to go."),
        ("I'd been there before", "The user had been there before.", "Ana had been there before."),
        ("I don't eat meat", "The user doesn't eat meat.", "Ana doesn't eat meat."),
        ("My sister lent me her car", "The user's sister lent the user her car.", "Ana's sister lent Ana her car."),
        ("so I study law", "The user studies law.", "Ana studies law."),
        (
            "I can swim and I teach kids",
            "The user can swim and the user teaches kids.",
            "Ana can swim and Ana teaches kids.",
        ),
        (
            "I read a lot about World War I",
            "The user read a lot about World War I.",
            "Ana read a lot about World War I.",
        ),
        ("We went out", 'The user said: "We went out."', 'Ana said: "We went out."'),
        ("I love that you came", 'The user said: "I love that you came."', "Ana loves that Ben came."),
        ("I know you are tired", 'The user said: "I know you are tired."', 'Ana said: "I know you are tired."'),
    ],
)
def test_verbs_agree_and_pronouns_follow(clause: str, user: str, named: str) -> None:
    assert stand_alone(clause, USER) == user
    assert stand_alone(clause, ANA) == named
