"""Facts of what somebody uses and how they have things: seat, indentation, what they write code with. Pure."""

import re
from collections.abc import Iterable

from recollect.form.rules.fact import Fact, Rule, rule

_NUMBERS = {"two": "2", "four": "4", "eight": "8", "three": "3"}
_ASKS_FOR = (
    r"(?:<I>(?:'d| would| will|'ll)?(?: rather)?(?: like| prefer| take| want| book| choose| sit in| "
    r"have| go for| need){1,2})"
)


def _seat(match: re.Match[str]) -> Iterable[Fact]:
    seat = match["v"].lower()
    says = f"prefers the {seat} seat"
    yield Fact(category="preference", key="seat", value=f"{seat} seat", says=says, importance=0.65)


def _indents(match: re.Match[str]) -> Iterable[Fact]:
    if match["tabs"]:
        value = "tabs"
    else:
        number = match["n"].lower()
        value = f"{_NUMBERS.get(number, number)} spaces"
    yield Fact(
        category="preference", key="indentation", value=value, says=f"indents code with {value}", importance=0.65
    )


_WIDTH = (
    r"(?:(?P<tabs>tabs)|(?P<n>[2348]|two|three|four|eight) ?-?spaces?)(?! (?:before|after|between|left|"
    r"open|on|in (?:the|my) (?:browser|car))\b)"
)

RULES: tuple[Rule, ...] = (
    rule(
        rf"{_ASKS_FOR}(?: the| an?| my)? (?P<v>window|aisle|middle|exit row)(?: seats?)?\b(?= seat|\s*+$|[,.]| "
        rf"(?:now|on|in|when|please|these)\b)",
        _seat,
    ),
    rule(r"(?P<v>window|aisle) seats?(?: please| pls| for me| from now on| always| all the way| now){1,2}\s*+$", _seat),
    rule(
        rf"(?:(?:<I>|we|please|always|pls)(?: (?:now|all|always|only|please|never)){{0,2}} "
        rf"){{0,2}}(?:.{{1,100}}? and )?(?:use|indent(?: \w+)? with|switched to|prefer|went with) {_WIDTH}",
        _indents,
    ),
    rule(
        rf"{_WIDTH}(?:,? (?:please|pls|now|from now on|not tabs|not spaces|for indentation)|(?=,))",
        _indents,
    ),
)
