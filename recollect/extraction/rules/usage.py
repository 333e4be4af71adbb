"""Facts of how somebody has things: the seat they take. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.base import ExtractedFact, FactPattern, rule

_ASKS_FOR = (
    r"(?:<I>(?:'d| would| will|'ll)?(?: rather)?"
    r"(?: like| prefer| take| want| book| choose| sit in| have| go for| need){1,2})"
)


def _seat(match: re.Match[str]) -> Iterable[ExtractedFact]:
    seat = match["v"].lower()
    says = f"prefers the {seat} seat"
    yield ExtractedFact(category="preference", key="seat", value=f"{seat} seat", says=says, importance=0.65)


RULES: tuple[FactPattern, ...] = (
    rule(
        rf"{_ASKS_FOR}(?: the| an?| my)? (?P<v>window|aisle|middle|exit row)(?: seats?)?\b(?= seat|\s*+$|[,.]| "
        rf"(?:now|on|in|when|please|these)\b)",
        _seat,
    ),
    rule(r"(?P<v>window|aisle) seats?(?: please| pls| for me| from now on| always| all the way| now){1,2}\s*+$", _seat),
)
