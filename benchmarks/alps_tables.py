"""Tables of what AlpsBench's data holds, of what the engine kept of recorded extractions, and why not more. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.alps_chats import ENGLISH, AlpsChat
from benchmarks.alps_evidence import bare_messages, find_evidence
from benchmarks.alps_heads import heads_for
from benchmarks.alps_outcomes import KEPT, ItemOutcome, Outcome, count_outcomes, reasons
from benchmarks.alps_scores import frequent_languages
from benchmarks.alps_skips import count_skipped, skipped_messages
from benchmarks.rows import Row
from toldonce.reading.heads import Heads

# Promises: of well-evidenced items lost, of gold utterances that no model is shown, in percent.
MAX_LOST, MAX_SKIPPED = 3.0, 2.0
# Reasons with a row of their own: the most frequent ones.
_MAX_REASONS = 30
Outcomes = Mapping[str, Sequence[Sequence[ItemOutcome]]]
"""For each model what became of its items, chat by chat."""
_ALL = "all models"
# Whether a verified memory rests on the same words as an item: then its loss is a loss by the data set's own measure.
_VERIFIED, _UNVERIFIED = "as verified memories", "as no verified memory"
_LOST = f"{Outcome.LOST}, {_ALL}"


def data_rows(chats: Sequence[AlpsChat], models: Sequence[str]) -> list[Row]:
    """Count what the file holds."""
    empty = sum(not chat.gold for chat in chats)
    items = {model: [item for chat in chats for item in chat.recorded.get(model, ())] for model in models}
    counts = {
        "chats": len(chats),
        "chats in English": sum(chat.language == ENGLISH for chat in chats),
        "languages": len({chat.language for chat in chats}),
        "messages of users": sum(len(chat.said) for chat in chats),
        "verified memories": sum(len(chat.gold) for chat in chats),
        "utterances that are evidence": sum(len(chat.gold_utterances) for chat in chats),
    }
    rows = [Row(name=name, value=count, unit="", count=len(chats)) for name, count in counts.items()]
    note = "" if empty else "none: false memories are those beside the evidence of the other chats"
    rows.append(Row(name="chats without verified memories", value=empty, unit="", count=len(chats), note=note))
    found = _well_evidenced(chats, models)
    for model, listed in items.items():
        note = f"{_percent(found[model], len(listed)):.1f} % of them well-evidenced"
        rows.append(Row(name=f"items of {model}", value=len(listed), unit="", count=len(chats), note=note))
    return rows


def skip_rows(chats: Sequence[AlpsChat], heads: Sequence[Heads] = ()) -> list[Row]:
    """Say which share of the gold utterances no model is shown, and why.

    Args:
        chats: The chats.
        heads: By fold; none: the heads of the package.
    """
    skips = [skipped_messages(chat, heads_for(chat, heads)) for chat in chats]
    gold = sum(len(chat.gold_utterances) for chat in chats)
    undoubted = [chat.undoubted_utterances for chat in chats]
    hidden = sum(len(places & skipped.keys()) for places, skipped in zip(undoubted, skips, strict=True))
    user_messages = sum(len(chat.said) for chat in chats)
    counted = count_skipped(chats, skips)
    rows = [
        ("gold utterances not shown", counted.total(), gold, MAX_SKIPPED),
        ("the same without memories that the data set doubts", hidden, sum(map(len, undoubted)), None),
        ("all of the user's messages not shown", sum(map(len, skips)), user_messages, None),
        *((f"gold: {reason}", count, gold, None) for reason, count in counted.most_common()),
    ]
    return [
        Row(name=name, value=_percent(count, of), unit="%", count=of, bar=bar, note=f"{count:,} of {of:,}")
        for name, count, of, bar in rows
    ]


def kept_rows(chats: Sequence[AlpsChat], outcomes: Outcomes) -> list[Row]:
    """Say what became of each model's well-evidenced items, in shares; and of the items that are not."""
    rows = [row for system, items in _by_system(outcomes).items() for row in _fates(items, system)]
    for language in frequent_languages(chats):
        chosen = {
            model: [items for chat, items in zip(chats, listed, strict=True) if chat.language == language]
            for model, listed in outcomes.items()
        }
        for system, items in _by_system(chosen).items():
            counted = count_outcomes(items)
            rows.append(_share(f"lost, by language: {language}", counted[Outcome.LOST], counted.total(), system))
    return rows


def _by_system(outcomes: Outcomes) -> dict[str, list[ItemOutcome]]:
    """Return the items of each model, and those of all."""
    items = {model: [item for chat in listed for item in chat] for model, listed in outcomes.items()}
    return {**items, _ALL: [item for listed in items.values() for item in listed]}


def _fates(items: Sequence[ItemOutcome], system: str) -> list[Row]:
    counted = count_outcomes(items)
    others = [item for item in items if not item.found]
    verified = [item for item in items if item.found and item.in_gold]
    unverified = [item for item in items if item.found and not item.in_gold]
    return [
        _share("items: well-evidenced", counted.total(), len(items), system),
        *(_share(f"well-evidenced: {outcome}", counted[outcome], counted.total(), system) for outcome in Outcome),
        *(
            _share(f"well-evidenced, {name}: {what}", sum(map(is_so, chosen)), len(chosen), system)
            for name, chosen in ((_VERIFIED, verified), (_UNVERIFIED, unverified))
            for what, is_so in (("kept", _is_kept), ("lost", _is_lost))
        ),
        _share("not well-evidenced: kept", sum(item.outcome in KEPT for item in others), len(others), system),
    ]


def _is_kept(item: ItemOutcome) -> bool:
    return item.outcome in KEPT


def _is_lost(item: ItemOutcome) -> bool:
    return item.outcome is Outcome.LOST


def _share(name: str, part: int, whole: int, system: str) -> Row:
    return Row(name=name, value=_percent(part, whole), unit="%", count=whole, of=system)


def lost_rows(outcomes: Outcomes) -> list[Row]:
    """List why well-evidenced items of all models were not kept."""
    items = [item for listed in outcomes.values() for chat in listed for item in chat]
    total, counted = count_outcomes(items).total(), count_outcomes(items)
    hidden = sum(item.hidden for item in items if item.found)
    beside = sum(item.hidden and item.beside_gold for item in items if item.found)
    lost = [item for item in items if item.found and _is_lost(item)]
    verified = sum(item.in_gold for item in lost)
    parts = {
        _LOST: counted[Outcome.LOST],
        f"{Outcome.LOST}: in texts to work on, mail, code and other words of others, {_ALL}": hidden,
        f"{Outcome.LOST}: the same, in messages with a verified memory, {_ALL}": beside,
        f"{Outcome.LOST}: the same, in messages without one, {_ALL}": hidden - beside,
        f"{Outcome.LOST}: elsewhere, {_ALL}": counted[Outcome.LOST] - hidden,
        f"{Outcome.LOST}, {_VERIFIED}, {_ALL}": verified,
        f"{Outcome.LOST}, {_UNVERIFIED}, {_ALL}": len(lost) - verified,
        f"{Outcome.APART}, {_ALL}": counted[Outcome.APART],
        f"{Outcome.HELD}, {_ALL}": counted[Outcome.HELD],
    }
    rows = [
        Row(
            name=name,
            value=_percent(part, total),
            unit="%",
            count=total,
            bar=MAX_LOST if name == _LOST else None,
            note=f"{part:,} of {total:,}",
        )
        for name, part in parts.items()
    ]
    for outcome, why in reasons(items).items():
        rows += [
            Row(name=f"{outcome}: {reason}", value=_percent(count, total), unit="%", count=total, note=f"{count:,}")
            for reason, count in why.most_common(_MAX_REASONS)
        ]
    return rows


def _well_evidenced(chats: Iterable[AlpsChat], models: Sequence[str]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for chat in chats:
        said = bare_messages(chat)
        for model in models:
            counted[model] += sum(find_evidence(item, said) is not None for item in chat.recorded.get(model, ()))
    return counted


def _percent(part: int, whole: int) -> float:
    return 100 * part / max(whole, 1)
