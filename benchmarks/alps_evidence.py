"""Where the evidence of an AlpsBench item is said, and which rule takes it for another's words. Pure.

An item is well-evidenced if the words of its evidence occur in the user's messages: all of them, in order, in one
message; or piece by piece, where the evidence joins several passages by ellipses or line breaks. Case, white space and
punctuation are ignored.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.alps_chats import AlpsChat, AlpsItem
from toldonce.extraction.own_text.marked_text import Origin
from toldonce.extraction.own_text.own_words import mark
from toldonce.extraction.own_text.spans import blank_out
from toldonce.extraction.redaction import redact
from toldonce.extraction.sources import MAX_READ_CHARACTERS, readable_text
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import bare, is_unspaced

# What joins passages; brackets around it, as in '[...]', are no words.
_JOINT = LazyPattern(r"\.{3,}|…|\n")
# Letters and digits that a passage needs: of fewer, any message has them.
_MIN_PIECE = 3
# Characters of a run, and the share of its runs that one passage must have in common with another.
_RUN, _MIN_SHARED = 8, 0.5

_PARTS: Mapping[Origin, str] = {
    Origin.MEMORY: "a block of memory",
    Origin.WRAPPED: "code or a wrapped document",
    Origin.QUOTED: "a quoted line",
    Origin.RETRIEVED: "a prompt with retrieved text",
    Origin.MAIL: "mail",
    Origin.CHAT: "a chat of others",
    Origin.POST: "a post",
    Origin.MACHINE: "text of a machine",
    Origin.GAME: "role play or a supposition",
    Origin.UNMEANT: "what is not meant",
    Origin.GIVEN: "a text to work on",
    Origin.PASTED: "pasted text",
}
"""Parts of a message that are not read as the user's own words, by their origins."""


_END, _SECRET, _SEVERAL = "the end of a long message", "a secret", "several parts together"


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of an item's evidence, and the place of the user's message that holds them."""

    text: str
    place: int


@dataclass(frozen=True, slots=True)
class FoundEvidence:
    """Where the evidence of an item is said."""

    passages: tuple[Passage, ...]
    """In the order of the evidence; more than one where it joins passages."""
    is_said: bool = True
    """False: no message has these words, and a model that quotes them quotes what it made up."""

    @property
    def place(self) -> int:
        """The last message that holds some of it: then all of it was said."""
        return max(passage.place for passage in self.passages)

    def quoted(self, shown: Mapping[int, str]) -> str:
        """Return the words that a model quotes: those of the evidence that it is shown, if they are half of it.

        Of less no model would form the item: it is given with its whole evidence, and should be refused.

        Args:
            shown: Words of the messages by their places, as `bare` writes them.
        """
        passages = [passage for passage in self.passages if passage.place in shown]
        seen = [seen_part(passage.text, shown[passage.place]) for passage in passages]
        if not self.is_said or 2 * sum(map(len, map(bare, seen))) < sum(
            len(bare(passage.text)) for passage in passages
        ):
            seen = [passage.text for passage in passages]
        return " ... ".join(filter(None, seen))


def seen_part(passage: str, shown: str) -> str:
    """Return a passage if it is shown or has a secret, else its beginning or its end as far as that is shown.

    Args:
        passage: Words of a message.
        shown: What is shown of the message, as `bare` writes it.

    >>> seen_part("Rephrase for my blog: I ski", "rephrase for my blog"), seen_part("I ski", "rephrase")
    ('Rephrase for my blog:', '')
    """
    if redact(passage) != passage:
        return passage
    blank = "" if is_unspaced(passage) else " "
    words = list(passage) if not blank else passage.split()

    def beginning(count: int) -> str:
        return blank.join(words[:count])

    def end(count: int) -> str:
        return blank.join(words[len(words) - count :])

    longest = max(_longest(beginning, len(words), shown), _longest(end, len(words), shown), key=len)
    return longest if _is_long_enough(bare(longest)) else ""


def _longest(part: Callable[[int], str], count: int, shown: str) -> str:
    """Return the longest of the parts of 1 to `count` words that is shown; empty if none is."""
    return part(bisect_left(range(1, count + 1), True, key=lambda words: bare(part(words)) not in shown))


def rest_on_same_words(one: FoundEvidence, other: FoundEvidence) -> bool:
    """Return whether two memories rest on the same words: on half of the shorter passage at least."""
    return any(
        mine.place == theirs.place and _share(_runs(mine.text), _runs(theirs.text)) >= _MIN_SHARED
        for mine in one.passages
        for theirs in other.passages
    )


def _runs(text: str) -> frozenset[str]:
    """Return all runs of eight characters of a text, or all of a shorter one."""
    plain = bare(text)
    return frozenset(plain[place : place + _RUN] for place in range(max(1, len(plain) - _RUN + 1)))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def find_evidence(item: AlpsItem, said: Mapping[int, str]) -> FoundEvidence | None:
    """Find where an item's evidence was said; None if it is not well-evidenced.

    Args:
        item: A memory with its evidence.
        said: The user's messages by their places, as `bare` writes them.

    >>> item = AlpsItem(text="", label="", evidence="I ski ... in Oslo", utterances=frozenset())
    >>> found = find_evidence(item, {0: "i ski often", 2: "we live in oslo"})
    >>> [(passage.text, passage.place) for passage in found.passages]
    [('I ski', 0), ('in Oslo', 2)]
    """
    whole = _place(item.evidence, item, said)
    if whole is not None:
        return FoundEvidence((Passage(item.evidence, whole),))
    pieces = [piece.strip(" []()\"“”„«»'") for piece in _JOINT.split(item.evidence)]
    found: list[Passage] = []
    for piece in pieces:
        if not _is_long_enough(bare(piece)):
            continue
        place = _place(piece, item, said)
        if place is None:
            return None
        found.append(Passage(piece, place))
    return FoundEvidence(tuple(found)) if found else None


def bare_messages(chat: AlpsChat) -> dict[int, str]:
    """Return the user's messages by their places, as evidence is looked for in them."""
    return {place: bare(text) for place, text in chat.said.items()}


def hidden_by(text: str, quote: str) -> str:
    """Name what of a message is not read as the user's own words and holds a quote; empty where it is read.

    >>> hidden_by("Translate into Spanish: I am cold.", "I am cold")
    'a text to work on'
    """
    words = bare(quote)
    if words in bare(readable_text(text)):
        return ""
    seen = text[:MAX_READ_CHARACTERS]
    if words not in bare(seen):
        return _END
    if words not in bare(redact(seen)):
        return _SECRET
    spans = mark(seen).spans
    of_origin = {origin: [(span.start, span.end) for span in spans if span.origin is origin] for origin in _PARTS}
    return next(
        (name for origin, name in _PARTS.items() if words not in bare(blank_out(seen, of_origin[origin]))), _SEVERAL
    )


def hidden_parts(found: FoundEvidence, said: Mapping[int, str]) -> str:
    """Name what of the messages holds evidence and is not read as the user's own words; empty where all is read.

    Args:
        found: Where the evidence is.
        said: The user's messages by their places, as they were written.
    """
    names = {hidden_by(said[passage.place], passage.text) for passage in found.passages}
    return " and ".join(sorted(names - {""}))


def are_others_words(parts: str) -> bool:
    """Return whether what `hidden_parts` named counts as others' words: texts to work on, mail, code and the like.

    >>> are_others_words("mail and pasted text"), are_others_words("a secret"), are_others_words("")
    (True, False, False)
    """
    return bool(parts) and {*parts.split(" and ")} <= {*_PARTS.values(), _SEVERAL}


def _place(words: str, item: AlpsItem, said: Mapping[int, str]) -> int | None:
    """Return the first message that holds words, one that the data set names if there is one; None if none does."""
    plain = bare(words)
    if not _is_long_enough(plain):
        return None
    holders = [place for place, text in said.items() if plain in text]
    return min(holders, key=lambda place: (place not in item.utterances, place), default=None)


def _is_long_enough(plain: str) -> bool:
    return sum(map(str.isalnum, plain)) >= _MIN_PIECE
