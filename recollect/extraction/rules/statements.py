"""What the rules find, brought into the shape a profile asks for. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from recollect.extraction.rules import RULES_VERSION, RulesReading, read_by_rules
from recollect.extraction.salience import record_type
from recollect.extraction.schemas.typed import type_named
from recollect.extraction.sources import ExtractionInput
from recollect.profiles.policies import FormPolicy
from recollect.text import bare
from recollect.types import Candidate, MemoryKind

_TASTES = frozenset({"preference", "instruction"})
_LIKES = re.compile(
    r"\b(?:i|we)\s++(?:really\s++|also\s++|just\s++|absolutely\s++|always\s++)*(?:prefer|love|like|enjoy|hate|dislike|can't\s++stand|adore)"
    r"|\bmy\s++favou?rite\b",
    re.IGNORECASE,
)
# Records of these types tell what somebody made of something, not what is so.
_INSIGHTS = frozenset({"DISCOVERY", "INSIGHT", "ERROR_LESSON", "DECISION"})


def statements_version(form: FormPolicy) -> str:
    """Name the rules with the shape they are brought into."""
    return RULES_VERSION if form.extractor == "memories" else f"{RULES_VERSION}.{form.extractor}"


def extract_statements(source: ExtractionInput, form: FormPolicy) -> list[Candidate]:
    """Extract what people state about themselves: see `read_statements`."""
    return list(read_statements(source, form).candidates)


def read_statements(source: ExtractionInput, form: FormPolicy) -> RulesReading:
    """Read what people state about themselves, in the shape of a policy."""
    read = read_by_rules(source)
    return replace(read, candidates=_shaped(read.candidates, form))


def _shaped(found: Sequence[Candidate], form: FormPolicy) -> Sequence[Candidate]:
    if form.extractor == "facts":
        return [one for one in found if one.kind is MemoryKind.FACT or one.forgets]
    if form.extractor == "memories":
        return _without_repeats(found)
    told = _sentences(found)
    return [replace(one, type=_type(one, form.types)) for one in told] if form.extractor == "typed" else told


# Facts of these slots are statements in their own words: beside a note they would say the same twice, and outlive it.
_IN_OWN_WORDS = ("workflow:", "routine:", "commitment:")


def _without_repeats(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out facts in the user's own words where a note of the same words says the same."""
    notes = [(one.seq, one.quote) for one in found if one.kind is MemoryKind.NOTE]
    return [
        one
        for one in found
        if not (
            one.key.startswith(_IN_OWN_WORDS) and any(one.seq == seq and one.quote in quote for seq, quote in notes)
        )
    ]


def _sentences(found: Sequence[Candidate]) -> list[Candidate]:
    """Write facts as sentences; one that a sentence of the same words states already is left out.

    Of two facts read out of the very same words about the same thing the more important one is told.
    """
    found = [one for one in found if not any(_tells_more(other, one) for other in found)]
    notes = {(one.seq, one.quote) for one in found if one.kind is MemoryKind.NOTE}
    kept: list[Candidate] = []
    for one in found:
        if one.kind is MemoryKind.NOTE:
            kept.append(one)
        elif not any(seq == one.seq and one.quote in quote for seq, quote in notes):
            kept.append(replace(one, kind=MemoryKind.NOTE, category="", key="", value=""))
    return kept


def _tells_more(one: Candidate, other: Candidate) -> bool:
    """Whether a fact says with more weight what another says of the same words."""
    both = one.kind is other.kind is MemoryKind.FACT and (one.seq, one.quote) == (other.seq, other.quote)
    return both and one.importance > other.importance and bool(one.value) and bare(one.value) in bare(other.value)


def _type(candidate: Candidate, types: tuple[str, ...]) -> str:
    """Name a statement's class: a taste, what somebody made of something, or what is so."""
    taste = candidate.type in _TASTES or bool(_LIKES.search(candidate.quote))
    if taste:
        return type_named("preference", types)
    record = record_type(candidate.quote)
    named = {one.casefold() for one in types}
    if record.casefold() in named:
        return type_named(record, types)
    return type_named("insight" if record in _INSIGHTS else "fact", types)
