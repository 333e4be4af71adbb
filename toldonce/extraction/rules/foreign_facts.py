"""Find the slots that a sentence in another language states about its writer. Pure.

'Ich wohne in Halle' gives `location: Halle`. The text of such a fact quotes the sentence; its key and value say what it
means. Data: one module for each language in `foreign/`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from toldonce.extraction.rules.foreign import ar, de, es, fr, it, ja, nl, pt, ru, zh
from toldonce.extraction.rules.foreign.language import ForeignLanguage, ForeignSlot, ValueKind, pattern_of
from toldonce.extraction.rules.foreign_values import FoldedText, folded_text, values_of
from toldonce.extraction.rules.patterns.fact_pattern import slot as slot_key
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.time_zones import named_zone

LANGUAGES: dict[str, ForeignLanguage] = {
    "de": de.GERMAN,
    "es": es.SPANISH,
    "fr": fr.FRENCH,
    "pt": pt.PORTUGUESE,
    "it": it.ITALIAN,
    "nl": nl.DUTCH,
    "ru": ru.RUSSIAN,
    "zh": zh.CHINESE,
    "ja": ja.JAPANESE,
    "ar": ar.ARABIC,
}
"""By code."""
# Keys whose facts are not about who the user is; importance as in the English rules.
_CATEGORIES = {
    "constraint": frozenset({"allergy", "diet", "avoid", "condition"}),
    "instruction": frozenset({"address_as", "answer_language", "answer_length", "answer_tone", "emoji"}),
}
_IMPORTANCE = {"name": 0.9, "allergy": 0.9, "diet": 0.85, "condition": 0.85, "age": 0.6, "marital_status": 0.6}
_FAMILY_IMPORTANCE = 0.75
_ZONE_IMPORTANCE = 0.7
FAMILY = frozenset(
    "partner mother father boss child son daughter brother sister dog cat horse rabbit hamster parrot".split()
)
"""Keys of relatives and pets, whom people name in passing."""


# 'My time zone'; the zone that follows is read as the database of zones names it, in every language alike.
_MY_TIME_ZONE = {
    code: pattern_of(rf"\b(?:{words})" if code not in ("zh", "ja") else words)
    for code, words in {
        "de": "(?:meine|unsere|meiner) zeitzone",
        "es": "(?:mi|nuestra) zona horaria|mi huso horario",
        "fr": "(?:mon|notre) fuseau(?: horaire)?",
        "pt": "(?:meu|nosso) fuso(?: horario)?",
        "it": "(?:mio|nostro) fuso(?: orario)?",
        "nl": "(?:mijn|onze) tijdzone",
        "ru": "(?:мой|моем|наш) часово(?:й|м) пояс[еа]?",
        "zh": "我(?:的|这里的|所在的)?(?:时区|時區)",
        "ja": "(?:私|僕|俺)の(?:タイムゾーン|時間帯)",
        "ar": "(?:منطقتي الزمنيه|توقيتي)",
    }.items()
}
# How many characters after these words the zone may come.
_MAX_ZONE_AWAY = 60
_SENTENCE_END = LazyPattern(r"[!?\n。！？؟,;]|\.(?!\w)")
# 'Trabajó' is said of another person; without its accent it would be 'trabajo', said of oneself.
_OF_ANOTHER = LazyPattern("[óòÓÒ](?!\\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFact:
    """A slot and its value, with the place of the words that state it."""

    key: str
    value: str
    category: str
    importance: float
    start: int
    end: int

    def at(self, start: int, end: int) -> "ForeignFact":
        """Return it with another place."""
        return replace(self, start=start, end=end)

    def moved(self, offset: int) -> "ForeignFact":
        """Return it with its place counted from the start of a longer text."""
        return self.at(self.start + offset, self.end + offset)


def foreign_facts(text: str, language: str) -> tuple[ForeignFact, ...]:
    """Find the slots of a text, whether it means them or not; each key and value once.

    Args:
        text: A statement, or an order.
        language: A code of `LANGUAGES`; others have no slots.

    >>> [(fact.key, fact.value) for fact in foreign_facts("Ich wohne jetzt in Halle und bin Veganer", "de")]
    [('location', 'Halle'), ('diet', 'vegan')]
    """
    return _facts_of(text, language) if language in LANGUAGES else ()


@remembered
def _facts_of(text: str, language: str) -> tuple[ForeignFact, ...]:
    known = LANGUAGES[language]
    folded = folded_text(text)
    unique: dict[tuple[str, str], ForeignFact] = {}
    for slot in known.slots:
        for fact in _of_slot(slot, folded, known):
            unique.setdefault((fact.key, "" if ":" not in fact.key else fact.value), fact)
    if zone := _zone_of(folded, _MY_TIME_ZONE[language]):
        unique[zone.key, ""] = zone
    return tuple(sorted(unique.values(), key=lambda fact: fact.start))


def _zone_of(text: FoldedText, mine: LazyPattern[str]) -> ForeignFact | None:
    """Return the time zone that a sentence names after 'my time zone'."""
    found = mine.search(text.folded)
    if found is None:
        return None
    rest = text.written_part(found.end(), min(len(text.folded), found.end() + _MAX_ZONE_AWAY))
    end = _SENTENCE_END.search(rest)
    place = named_zone(rest[: end.start()] if end else rest)
    if place is None:
        return None
    begins = text.places[found.end()]
    return ForeignFact(
        key="time_zone",
        value=rest[slice(*place)],
        category="identity",
        importance=_ZONE_IMPORTANCE,
        start=text.places[found.start()],
        end=begins + place[1],
    )


def _of_slot(slot: ForeignSlot, text: FoldedText, language: ForeignLanguage) -> Iterator[ForeignFact]:
    for match in slot.pattern.finditer(text.folded):
        start, end = match.span("v")
        if _OF_ANOTHER.search(text.written_part(match.start(), start)):
            continue
        name = slot.key.removesuffix(":")
        category = next((known for known, keys in _CATEGORIES.items() if name in keys), "identity")
        raw = folded_text(text.written_part(start, end))
        for value in values_of(raw, slot, language):
            yield ForeignFact(
                key=slot_key(name, value) if slot.key.endswith(":") else name,
                value=value,
                category=category,
                importance=_IMPORTANCE.get(name, _FAMILY_IMPORTANCE if name in FAMILY else 0.8),
                start=text.places[match.start()],
                end=text.places[match.end() if match.end() > end else start + _length(raw, slot, language)],
            )


def _length(raw: FoldedText, slot: ForeignSlot, language: ForeignLanguage) -> int:
    """Return how much of a capture is its value, in folded letters."""
    if slot.kind in (ValueKind.CLOSED, ValueKind.NUMBER):
        return len(raw.folded)
    end = language.value_end.search(raw.folded, 1)
    return len(raw.folded[: end.start()].rstrip()) if end else len(raw.folded)
