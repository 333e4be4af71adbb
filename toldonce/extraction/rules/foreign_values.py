"""Cut a value out of a statement in another language, as it was written, or find that it is none. Pure.

'in halle und suche einen Arzt' becomes 'halle'; 'in einer kleinen Wohnung' names no place.
"""

from dataclasses import dataclass

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ForeignSlot, ValueKind
from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold

# Words of a value, by its kind; scripts without blanks are bounded by characters instead.
MAX_WORDS = {
    ValueKind.PLACE: 5,
    ValueKind.NAME: 3,
    ValueKind.CALLED: 3,
    ValueKind.WORK: 6,
    ValueKind.THINGS: 4,
    ValueKind.CLOSED: 4,
    ValueKind.NUMBER: 1,
}
MAX_CHARACTERS_UNSPACED = 14
# A name or place in small letters has no more words: longer ones are no names.
MAX_SMALL_WORDS = 3
# Things that one statement lists.
MAX_THINGS = 6
# Words of a thing that is not the first of its list.
MAX_FURTHER_WORDS = 2
_COMMAS = LazyPattern(r"[,;/&،，]")
_ENUMERATION = LazyPattern("、")
_EDGES = " \t\n.,;:!?\"'…-–—()[]«»。、，！？؟،؛🙂"
_NO_LETTER = LazyPattern(r"[\W\d_]+")
_LETTER = LazyPattern(r"[^\W\d_]")
_UNSPACED = LazyPattern("[\u3040-\u30ff\u4e00-\u9fff]")
# Ages of a writer.
_AGES = range(5, 116)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in small letters without accents, which knows where each letter was written."""

    written: str
    folded: str
    places: tuple[int, ...]
    """For each folded letter its place in the written text, and the end."""

    def written_part(self, start: int, end: int) -> str:
        """Return what was written between two places of the folded text."""
        return self.written[self.places[start] : self.places[end]]


def folded_text(written: str) -> FoldedText:
    """Fold a text letter by letter.

    >>> folded = folded_text("Já moro em Évora")
    >>> folded.folded, folded.written_part(11, 16)
    ('ja moro em evora', 'Évora')
    """
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(written):
        for letter in fold(character.lower().replace("’", "'")):
            letters.append(letter)
            places.append(place)
    return FoldedText(written, "".join(letters), (*places, len(written)))


def values_of(raw: FoldedText, slot: ForeignSlot, language: ForeignLanguage) -> list[str]:
    """Return the values of a capture as they were written; none if it holds no proper one.

    Args:
        raw: What the group of the value matched.
        slot: Says which kind of value it is.
        language: Says where values end.
    """
    if slot.kind is ValueKind.CLOSED:
        return [value for begins, value in slot.values.items() if raw.folded.startswith(begins)][:1]
    if slot.kind is ValueKind.NUMBER:
        return [raw.folded] if raw.folded.isdecimal() and int(raw.folded) in _AGES else []
    end = language.value_end.search(raw.folded, 1)
    value = folded_text(raw.written_part(0, end.start() if end else len(raw.folded)).strip(_EDGES))
    if slot.kind is not ValueKind.THINGS:
        kept = value.written if _is_value(value, slot.kind, language) else ""
        return [kept] if kept else []
    things = [folded_text(part) for part in _things(value, language)[:MAX_THINGS]]
    return [thing.written for thing in things if _is_value(thing, slot.kind, language)]


def _things(value: FoldedText, language: ForeignLanguage) -> list[str]:
    """Split a list at its commas and conjunctions: 'Nüsse, Milch und Soja'.

    What follows a comma belongs to the list only if a conjunction closes it or if it is a run of single words; else the
    sentence goes on: 'kein Fleisch, hast du ein Rezept'.
    """
    if _ENUMERATION.search(value.written):
        return [part for piece in _ENUMERATION.split(value.written) for part in _joined(piece, language)]
    pieces = [_joined(piece, language) for piece in _COMMAS.split(value.written)]
    closing = next((place for place, parts in enumerate(pieces) if place and len(parts) > 1), 0)
    further = [parts for parts in pieces[1 : closing + 1] if closing] or pieces[1:]
    is_run = bool(closing) or len(further) > 1
    longest = MAX_FURTHER_WORDS if closing else 1
    if is_run and all(len(part.split()) <= longest for parts in further for part in parts):
        return [*pieces[0], *(part for parts in further for part in parts)]
    return pieces[0][:1] + [part for part in pieces[0][1:] if len(part.split()) <= MAX_FURTHER_WORDS]


def _joined(piece: str, language: ForeignLanguage) -> list[str]:
    """Split a piece at its conjunctions, and leave articles out."""
    folded, at, parts = folded_text(piece.strip(_EDGES)), 0, []
    for joint in language.between.finditer(folded.folded):
        parts.append(folded.written_part(at, joint.start()))
        at = joint.end()
    parts.append(folded.written_part(at, len(folded.folded)))
    return [_without_article(part.strip(_EDGES), language) for part in parts]


def _without_article(thing: str, language: ForeignLanguage) -> str:
    folded = folded_text(thing)
    article = language.articles.match(folded.folded)
    return folded.written_part(article.end(), len(folded.folded)).strip(_EDGES) if article else thing


def _is_value(value: FoldedText, kind: ValueKind, language: ForeignLanguage) -> bool:
    words = value.folded.split()
    if not words or _NO_LETTER.fullmatch(value.folded) or len(words) > MAX_WORDS[kind]:
        return False
    is_unspaced = bool(_UNSPACED.search(value.written))
    if len(value.folded) < (1 if is_unspaced else 2):
        return False
    if is_unspaced and len(value.written) > MAX_CHARACTERS_UNSPACED:
        return False
    if value.folded in language.no_value or _is_no_value(value, words, kind, language):
        return False
    if kind is ValueKind.NAME and not _is_capital(value.written):
        return False
    is_name = kind in (ValueKind.PLACE, ValueKind.CALLED)
    return not (is_name and not _is_capital(value.written) and len(words) > MAX_SMALL_WORDS)


def _is_no_value(value: FoldedText, words: list[str], kind: ValueKind, language: ForeignLanguage) -> bool:
    """Return whether the first words make it none; the article of a place is written large: 'La Paz'."""
    begins = words[0] in language.no_value or " ".join(words[:2]) in language.no_value
    written = value.written.split()
    return begins and not (
        kind is ValueKind.PLACE and len(written) > 1 and written[0].istitle() and written[1].istitle()
    )


def _is_capital(written: str) -> bool:
    """Return whether a value begins like a name; in scripts without capitals every one does."""
    letter = _LETTER.search(written)
    if letter is None:
        return False
    return written[:1].isupper() or letter.group().lower() == letter.group().upper()
