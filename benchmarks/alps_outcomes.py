"""What became of each recorded item of AlpsBench when a model gave it to the engine, and why. Pure.

An item is kept if it is a memory in the end, or if another memory is that says the same. Some refusals are right: a
secret, what must be reviewed, what another person said. They are counted apart from what is lost.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.alps_chats import AlpsChat, AlpsItem
from benchmarks.alps_engine import EngineRun, FormedChat, RecordedModel
from benchmarks.alps_evidence import (
    FoundEvidence,
    Passage,
    are_others_words,
    bare_messages,
    find_evidence,
    hidden_parts,
    rest_on_same_words,
)
from benchmarks.alps_skips import skipped_messages
from toldonce.extraction.evidence import ONLY_CARRIED
from toldonce.extraction.redaction import redact
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import clean, squeeze
from toldonce.text.source_marks import PASTED_MARK, names_pasted_source
from toldonce.types import Action, Decision


class Outcome(StrEnum):
    """What became of an item."""

    STORED = "stored"
    NAMED = "stored with its source named"
    """It rests on a text that the user gave to work on."""
    KNOWN = "said by another memory"
    HELD = "held for review"
    APART = "refused on purpose"
    LOST = "lost"


KEPT = frozenset({Outcome.STORED, Outcome.NAMED, Outcome.KNOWN})
NOT_SHOWN = "not shown to the model"
_WEIGHED = frozenset({Action.ADD, Action.MERGE, Action.REPLACE, Action.IGNORE, Action.HOLD})
_NOT_IN_MESSAGE = "has a quote that is not in the message"
_OTHERS_SPEECH = "rests on words that the message quotes from another person"
# Ends the reason of a candidate that repeats another one of the same formation, which has no id yet.
_SAID_TWICE = "(said more than once here)"
_WAITS_ALREADY = "waits for review already"
# A message is not to be read as the user's own words where it has a secret, or words of others.
_APART = frozenset({_OTHERS_SPEECH, f"{_NOT_IN_MESSAGE}: a secret"})
_NUMBER = LazyPattern(r"\d+(?:\.\d+)?")
_ITEM = LazyPattern(r"^item \d+: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """What became of one item."""

    item: AlpsItem
    found: FoundEvidence | None
    """Where its evidence is said; None: it is not well-evidenced."""
    outcome: Outcome
    reason: str
    """The engine's reason, without numbers; for what it did not find or show, with what of the message holds it."""
    hidden: bool = False
    """It is lost because all its evidence, or some, is in what counts as others' words."""
    in_gold: bool = False
    """A verified memory that the data set does not doubt rests on the same words."""
    beside_gold: bool = False
    """Such a memory rests on a message that holds some of its evidence, whatever words of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedChat:
    """A chat formed with a model's recorded items."""

    formed: FormedChat
    outcomes: Sequence[ItemOutcome]


async def replay(chat: AlpsChat, model: str, run: EngineRun, stand_in: RecordedModel) -> ReplayedChat:
    """Form a chat with the items that a model extracted, and say what became of each.

    An item whose message no model would be shown, were each turn formed by itself, is lost. One whose evidence is in no
    message is placed at the message that the data set names, or else at the last one shown: it should be refused.
    """
    said, skips = bare_messages(chat), skipped_messages(chat)
    items = [(item, find_evidence(item, said)) for item in chat.recorded.get(model, ())]
    gold = [found for item in chat.gold if not item.is_doubted and (found := find_evidence(item, said))]
    given = [(item, found or _unfounded(item, said.keys() - skips.keys())) for item, found in items]
    stand_in.learn([(item, found) for item, found in given if not skips.get(found.place)])
    formed = await run.form(chat)
    lines = _lines(formed.decisions)
    dropped = [_ITEM.sub("", line.reason) for line in formed.decisions if _ITEM.match(line.reason)]
    outcomes = []
    for (item, found), (_, placed) in zip(items, given, strict=True):
        outcome, reason = Outcome.LOST, ""
        parts = hidden_parts(placed, chat.said)
        if skips.get(placed.place):
            reason = ": ".join(filter(None, (NOT_SHOWN, skips[placed.place], parts)))
        elif decisions := lines[_as_stored(item.text)]:
            outcome, reason = read_decision(decisions.pop(0))
        else:
            reason = dropped[0] if dropped else "no decision on it"
        if reason in (_NOT_IN_MESSAGE, ONLY_CARRIED):
            reason = ": ".join(filter(None, (reason, parts)))
            outcome = Outcome.APART if reason in _APART else outcome
        hidden = outcome is Outcome.LOST and are_others_words(reason.rpartition(": ")[2])
        in_gold = found is not None and any(rest_on_same_words(found, verified) for verified in gold)
        places = {passage.place for passage in found.passages} if found else set()
        outcomes.append(
            ItemOutcome(
                item=item,
                found=found,
                outcome=outcome,
                reason=_NUMBER.sub("N", reason),
                hidden=hidden,
                in_gold=in_gold,
                beside_gold=bool(places & chat.undoubted_utterances),
            )
        )
    return ReplayedChat(formed=formed, outcomes=outcomes)


def read_decision(line: Decision) -> tuple[Outcome, str]:
    """Return what a decision on a candidate means for it, and its reason."""
    if line.action is Action.HOLD or line.reason.startswith(_WAITS_ALREADY):
        return Outcome.HELD, line.reason.removeprefix(f"{_WAITS_ALREADY}: ")
    if line.action in (Action.ADD, Action.REPLACE):
        return Outcome.NAMED if names_pasted_source(line.text) else Outcome.STORED, line.reason
    if line.action is Action.MERGE or line.target_id or line.reason.endswith(_SAID_TWICE):
        return Outcome.KNOWN, line.reason
    return Outcome.APART if line.reason in _APART else Outcome.LOST, line.reason


def count_outcomes(outcomes: Sequence[ItemOutcome]) -> Counter[Outcome]:
    """Count what became of well-evidenced items."""
    return Counter(each.outcome for each in outcomes if each.found)


def reasons(outcomes: Sequence[ItemOutcome]) -> Mapping[Outcome, Counter[str]]:
    """Count the reasons why well-evidenced items were not kept, by what became of them."""
    counted: defaultdict[Outcome, Counter[str]] = defaultdict(Counter)
    for each in outcomes:
        if each.found and each.outcome not in KEPT:
            counted[each.outcome][each.reason] += 1
    return counted


def _unfounded(item: AlpsItem, shown: Set[int]) -> FoundEvidence:
    place = max(item.utterances, default=max(shown, default=0))
    return FoundEvidence((Passage(item.evidence, place),), is_said=False)


def _lines(decisions: Sequence[Decision]) -> defaultdict[str, list[Decision]]:
    """Return the decisions on candidates by their texts, oldest first."""
    lines: defaultdict[str, list[Decision]] = defaultdict(list)
    for line in decisions:
        if line.text and line.action in _WEIGHED:
            lines[line.text.removeprefix(PASTED_MARK)].append(line)
    return lines


def _as_stored(text: str) -> str:
    return redact(squeeze(clean(text)))
