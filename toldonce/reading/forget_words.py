"""What a sentence asks to forget, by the words of a table: `forget_words.toml`. Pure.

A sentence with a verb of asking is read by the language of which it has the most words. What is left of it in the
speaker's words, without those of asking, is the topic. Whether it asks at all, the trained heads decide; how it is
worded is among what they see.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from tomllib import loads

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text import squeeze

# Characters of a request: a longer sentence says something else.
MAX_REQUEST_CHARACTERS = 300
# Words of the clauses before the one that asks: 'My old address, the one in Ghent, delete it'.
_MAX_NAMED = 12
# Words of a further topic: 'my job, my age and my flat'.
_MAX_LISTED = 5
# Characters beside the word that asks in which a negation turns it round: "don't forget", "don't want you to keep".
_NEAR, _NEAR_KEPT = 12, 30
# Between a negation and the word that asks: nothing, or a word as in 'no te olvides'.
_GAP = r" ?(?:[\w']{1,20} )?"
# Words before one that takes back a message: 'haha no sorry, wrong chat'.
_MAX_AROUND = 4
_CLAUSE_ENDS = LazyPattern(r"[,;:]\s|\s[-–—]{1,2}\s|[，、；：,؛،]")
_WORD = LazyPattern(r"\w+")
# A letter with which a word ends where none is parted by blanks: 'さかな', '名字', '나이'. The others are particles.
_GLUED = LazyPattern(
    "(?<=[ぁ-ゖ])[ぁ-ゖ](?<![をはもがにの])|(?<=[一-鿿])[一-鿿](?<![的了吧吗嗎呢啦哈哦啊掉都全给給])|(?<=[가-힣])[가-힣](?<![을를은는도요])"
)
_MARKS = " .,:;!?。，：！？、；，؛؟¿¡\"'-–—()…"
_UNSPACED = "\u2e80"
# What a phrase begins with, up to a blank or what may be missing: 'delet' of 'delet(e|ed)', '(pretend|act'.
_BEGINNING = LazyPattern(r"\([^)]*\)|[^ \[(*]+")
_MAX_BEGINNING = 8
_NONE = frozenset[str]()
_NOTATION = {"(": "(?:", "[": "(?:", "]": ")?", "|": "|", ")": ")", "*": r"\w{0,9}+", " ": "(?:,? )?"}
_KINDS = "asks keeps weak not told memory all mine the who ends said instead text idle supposes fiction".split()
# Words that may ask to forget.
_ASKING = ("asks", "keeps", "weak")
# What is left out at the edge of a topic.
_AT_EDGES = ("told", "memory", "asks", "not", "around")
REQUEST_MARKS = 10
"""Length of `Wording.marks`."""
Row = Mapping[str, str | bool]
Stretch = tuple[int, int]


class Scope(StrEnum):
    """What a request to forget covers."""

    TOPIC = "topic"
    """Memories about a named topic."""
    BEFORE = "before"
    """The previous message."""
    EVERYTHING = "everything"
    """Everything known about the user."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to forget."""

    scope: Scope
    topic: str = ""
    """The topic in the user's words; empty for the other scopes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a sentence is worded that may ask to forget."""

    request: ForgetRequest
    """What it asks to forget, if it asks."""
    marks: tuple[float, ...]
    """What the heads see of it: `REQUEST_MARKS` numbers from 0 to 1."""
    is_excluded: bool
    """Whatever the heads say, nothing may be lost for it: "don't forget", 'she said, forget the cake', 'forget it',
    'forget the tram, I'll take a bike', 'remove my name from this letter'."""


@remembered
def wording(sentence: str) -> Wording | None:
    """Read what a sentence asks to forget; None if no word in it asks.

    >>> wording("Please forget what I told you about Tom.").request
    ForgetRequest(scope=<Scope.TOPIC: 'topic'>, topic='Tom')
    >>> wording("My name is Tom.") is None
    True
    """
    text = squeeze(sentence)
    if len(text) > MAX_REQUEST_CHARACTERS:
        return None
    plain = plain_text(text)
    asking = languages_with(plain, *_ASKING)
    if not asking:
        return None
    # A word may ask in one language and be common in another: the German 'bin'.
    known = {name: language for name, language in word_lists().items() if name in asking or language.is_spaced}
    read = [_Sentence(text, plain, language) for language in known.values()]
    best = max(read, key=lambda each: (each.explained, bool(each.asked)))
    if not best.asked:
        return None
    return Wording(request=best.request(), marks=best.marks(), is_excluded=best.is_excluded())


def takes_back(sentence: str) -> bool:
    """Return whether a sentence takes back everything its speaker said just before it.

    >>> [takes_back(text) for text in ("haha jk", "sorry, wrong chat!", "Ignore the error", "That's my son")]
    [True, True, False, False]
    """
    plain = plain_text(sentence)
    found = _in_any_language("joke").search(plain)
    if not found or len(plain[: found.start()].split()) > _MAX_AROUND:
        return False
    behind = plain[found.end() :]
    return behind[:1] in ",.!;…)" or len(behind.split()) < 2  # nothing is in every text


def names_joke(sentence: str) -> bool:
    """Return whether a sentence calls what was said a joke, or sent by mistake.

    >>> names_joke("haha only kidding about that of course"), names_joke("I just LOVE forms /s")
    (True, False)
    """
    return bool(_in_any_language("joke").search(plain_text(sentence)))


def retracts(sentence: str) -> bool:
    """Return whether a sentence says that an earlier statement no longer holds.

    >>> retracts("No, that's no longer true."), retracts("That's true.")
    (True, False)
    """
    return bool(_in_any_language("untrue").search(plain_text(sentence)))


def plain_text(text: str) -> str:
    """Return a text as its words are looked for: in small letters, each at its place."""
    folded = text.replace("’", "'").lower()
    return folded if len(folded) == len(text) else text.replace("’", "'")


def _phrases(row: Row, *kinds: str) -> list[str]:
    return [" ".join(phrase.split()) for kind in kinds for phrase in str(row[kind]).split(",") if phrase.strip()]


def _expression(row: Row, *kinds: str, further: str = "") -> str:
    """Turn phrases of the table into one expression, in which the longest comes first."""
    is_spaced, found = not row.get("unspaced"), []
    for phrase in sorted(filter(None, (*_phrases(row, *kinds), further)), key=len, reverse=True):
        expression = "".join(_NOTATION.get(character, re.escape(character)) for character in phrase)
        found.append(rf"{expression}(?!\w)" if is_spaced and phrase[-1] != "'" else expression)
    return rf"(?<!\w)(?:{'|'.join(found)})" if is_spaced else "|".join(found)


class WordLists:
    """Words of a language, each kind as one expression: `words["asks"]`."""

    def __init__(self, row: Row) -> None:
        self.words = {kind: re.compile(_expression(row, kind)) for kind in _KINDS}
        not_kept = f"({'|'.join(_phrases(row, 'not'))}) ({'|'.join(_phrases(row, 'keeps'))})"
        around = _expression(row, *_AT_EDGES, further="" if row.get("unspaced") else not_kept)
        self.edge = re.compile(f"{_expression(row, 'all')}|{around}")
        self.words["negated"] = re.compile(_expression(row, "negated" if "negated" in row else "asks"))
        self.gap = re.compile("" if row.get("unspaced") else _GAP)
        self.is_spaced = not row.get("unspaced")
        self.puts_verb_last, self.negates_behind = bool(row.get("verb_last")), bool(row.get("not_behind"))


@cache
def _rows() -> dict[str, Row]:
    """Read the table."""
    return loads((files(__package__) / "forget_words.toml").read_text(encoding="utf-8"))


@cache
def word_lists() -> dict[str, WordLists]:
    """Return the words of each language."""
    return {name: WordLists(row) for name, row in _rows().items()}


@cache
def _in_any_language(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(_expression(row, kind) for row in _rows().values()))


@cache
def _beginnings(kinds: tuple[str, ...]) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the first words of phrases of some kinds, and what those begin with that have endings, with languages."""
    whole: dict[str, frozenset[str]] = {}
    stems: dict[str, frozenset[str]] = {}
    for language, row in _rows().items():
        for phrase in _phrases(row, *kinds):
            begins = _BEGINNING.match(phrase)
            beginning = begins[0] if begins else ""
            is_whole = not row.get("unspaced") and phrase[len(beginning) :][:1] in ("", " ")
            for first in beginning.strip("()").split("|"):
                word = _WORD.match(first)
                known, key = (whole, word[0]) if is_whole and word else (stems, first[:_MAX_BEGINNING])
                known[key] = known.get(key, _NONE) | {language}
    return whole, stems


def languages_with(plain: str, *kinds: str) -> set[str]:
    """Return the languages of which a word of some kinds may be in a text: none for most texts."""
    (whole, stems), found = _beginnings(kinds), set[str]()
    for word in _WORD.finditer(plain):
        start, end = word.span()
        found |= whole.get(word[0], _NONE)
        # Where words are written without blanks, one may begin at any character.
        for at in range(start, end if plain[start] >= _UNSPACED else start + 1):
            for size in range(1, _MAX_BEGINNING + 1):
                found |= stems.get(plain[at : at + size], _NONE)
    return found


class _Sentence:
    """A sentence, read with the words of one language."""

    def __init__(self, text: str, plain: str, language: WordLists) -> None:
        self._text, self._plain, self._language = text, plain, language
        ends = [found.span() for found in _CLAUSE_ENDS.finditer(plain)]
        starts = [0, *(last for _, last in ends)]
        self._whole = (0, len(plain))
        self._clauses = list(zip(starts, [*(first for first, _ in ends), len(plain)], strict=True))
        self.asked = {
            place: found for place, clause in enumerate(self._clauses) if (found := self._word_of_asking(clause))
        }
        """By the places of the clauses that may ask, the word by which each asks."""

    def _find(self, kind: str, stretch: Stretch) -> re.Match[str] | None:
        return self._language.words[kind].search(self._plain, *stretch)

    def _begins(self, kind: str, at: int) -> bool:
        return bool(self._language.words[kind].match(self._plain, at))

    def _beside(self, found: re.Match[str], clause: Stretch, size: int) -> Stretch:
        return max(clause[0], found.start() - size), min(clause[1], found.end() + size)

    def _word_of_asking(self, clause: Stretch) -> re.Match[str] | None:
        found = self._find("asks", clause)
        if not found and self._find("not", clause):
            kept = self._language.words["keeps"].finditer(self._plain, *clause)
            found = next((each for each in kept if self._find("not", self._beside(each, clause, _NEAR_KEPT))), None)
        if not found and (self._find("told", self._whole) or self._find("memory", self._whole)):
            found = self._find("weak", clause)
        return found

    @property
    def explained(self) -> int:
        """Characters of the words that the language knows."""
        kinds = (self._language.edge, self._language.words["keeps"], self._language.words["mine"])
        return sum(len(found.group()) for kind in kinds for found in kind.finditer(self._plain))

    def request(self) -> ForgetRequest:
        """Return what it asks to forget."""
        end = len(self._plain)
        stretches = [stretch for place in self.asked for stretch in self._sides(place)]
        stretches += [
            stretch for found in self.asked.values() for stretch in ((found.start(), end), (found.end(), end))
        ]
        if any(map(self._is_everything, stretches)):
            return ForgetRequest(Scope.EVERYTHING)
        topics = (read(place) for read in (self._topic_within, self._topic_beside) for place in self.asked)
        topic = next(filter(None, topics), "")
        return ForgetRequest(Scope.TOPIC, topic) if topic else ForgetRequest(Scope.BEFORE)

    def _is_everything(self, stretch: Stretch) -> bool:
        everything, found = self._language.words["all"], self._language.edge.finditer(self._plain, *stretch)
        return not self._left(stretch) and any(everything.fullmatch(each.group()) for each in found)

    def _sides(self, place: int) -> tuple[Stretch, Stretch]:
        """Return where a topic may be in a clause: on either side of the word that asks, the likelier side first."""
        start, found = self._clauses[place][0], self.asked[place]
        after, before = (found.end(), self._until(place, found.end())), (start, found.start())
        return (before, after) if self._language.puts_verb_last else (after, before)

    def _topic_within(self, place: int) -> str:
        """Return the topic in the clause that asks: what is named rather than what is said besides."""
        after, before = self._sides(place)
        if self._language.puts_verb_last or self._is_named(after) or not self._left(before):
            return self._left(after) or self._left(before)
        is_topic = self._is_named(before) or not self._begins("who", before[0])
        return self._left(before if is_topic else after)

    def _is_named(self, stretch: Stretch) -> bool:
        """Return whether a stretch begins like a topic: 'what I said about', 'my', 'the'."""
        start, end = stretch
        start += len(self._plain[start:end]) - len(self._plain[start:end].lstrip(_MARKS))
        first, last = self._inner((start, end))
        begins = [(kind, at) for kind in ("mine", "the") for at in (start, first)]
        return first < last and any(self._begins(*each) for each in [("told", start), *begins])

    def _until(self, place: int, start: int) -> int:
        """Return where a topic ends that begins in a clause, with what is listed: 'my job, my age'."""
        end = max(start, self._clauses[place][1])
        for number, (first, last) in enumerate(self._clauses[place + 1 :], place + 1):
            is_listed = self._begins("mine", first) and not self._begins("who", first)
            if number in self.asked or not is_listed or len(self._plain[first:last].split()) > _MAX_LISTED:
                break
            end = last
        return end

    def _topic_beside(self, place: int) -> str:
        """Return the topic in the next clause or in those before: 'What I said about Tom, please wipe that'."""
        behind = (self.asked[place].end(), self._clauses[place][1])
        further = [number for number in range(place + 1, len(self._clauses)) if self._left(self._clauses[number])]
        if further and further[0] not in self.asked:
            start = self._clauses[further[0]][0]
            is_apart = self._begins("who", start) or self._begins("ends", start)
            names_nothing = not _WORD.search(self._plain, *behind)
            if self._begins("told", start) or (names_nothing and not is_apart):
                return self._left((start, self._until(further[0], start)))
        end = self._clauses[place - 1][1] if place else 0
        is_apart = self._begins("who", 0) and not self._find("told", (0, end))
        return "" if is_apart or len(self._plain[:end].split()) > _MAX_NAMED else self._left((0, end))

    def _left(self, stretch: Stretch) -> str:
        """Return the text of a stretch up to a reason, without the words of asking at its edges."""
        first, last = self._inner(stretch)
        if first < last and (reason := self._find("ends", (first + 1, last))):
            first, last = self._inner((first, reason.start()))
        left = self._text[first:last].strip(_MARKS)
        return left if _WORD.search(left) else ""

    def _inner(self, stretch: Stretch) -> Stretch:
        """Return where a stretch starts and ends without the words of asking at its edges."""
        start, end = stretch
        spans = [found.span() for found in self._language.edge.finditer(self._plain, start, end) if found.group()]
        for first, last in spans:  # in Japanese and Korean, one letter is a word only at the end
            is_part = self._language.puts_verb_last and last - first == 1 and _WORD.match(self._plain, last)
            if _WORD.search(self._plain, start, first) or is_part:
                break
            start = last
        for first, last in reversed(spans):
            is_glued = last - first == 1 and _GLUED.match(self._plain, first)
            if first < start or is_glued or _WORD.search(self._plain, last, end):
                break
            end = first
        word = _WORD.search(self._plain, start, end)
        return (word.start(), end) if word else (end, end)

    def is_excluded(self) -> bool:
        """Return whether it is negated, another person's, about a plan or about a text; see `Wording.is_excluded`."""
        place, found = next(iter(self.asked.items()))
        before, after = (0, found.start()), (found.end(), len(self._plain))
        is_outright = self._language.words["asks"].fullmatch(found.group())
        names_told = self._find("told", self._whole) or self._find("memory", self._whole)
        reported = [each.end() for each in self._language.words["said"].finditer(self._plain, *before)]
        is_reported = reported and not self._left((reported[-1], found.start())) and self._begins("who", 0)
        who = self._language.words["who"].match(self._plain, self._clauses[place][0], found.start())
        does_not = who and self._language.words["not"].fullmatch(self._plain[who.end() : found.start()].strip())
        is_own = does_not or (is_outright and who and not self._left(after))
        is_plan = self._find("instead", after) and not self._begins("mine", found.end() + 1)
        is_of_text = self._find("text", after) or (self._language.puts_verb_last and self._find("text", before))
        is_idle = self._find("idle", self._whole) and self.request().scope is Scope.BEFORE
        if is_idle or is_reported or (not names_told and (is_own or is_plan or is_of_text)):
            return True
        return self._is_negated(place, found)

    def _is_negated(self, place: int, found: re.Match[str]) -> bool:
        """Return whether a negation is next to the word that asks, with no more than a word between."""
        start, end = self._clauses[place]
        if not self._language.words["negated"].fullmatch(found.group()):
            return False  # what is not to be kept is to be forgotten
        before = [each.end() for each in self._language.words["not"].finditer(self._plain, start, found.start())]
        behind = self._find("not", (found.end(), end)) if self._language.negates_behind else None
        gaps = [self._plain[before[-1] : found.start()]] if before and not self._language.puts_verb_last else []
        gaps += [self._plain[found.end() : behind.start()]] if behind else []
        return any(self._language.gap.fullmatch(gap) for gap in gaps)

    def marks(self) -> tuple[float, ...]:
        """Return what the heads see of the wording."""
        place, found = next(iter(self.asked.items()))
        start, end = clause = self._clauses[place]
        first, last = self._inner((start, found.start()))
        after = self._left((found.end(), end))
        seen = (
            True,
            self._language.words["asks"].fullmatch(found.group()),
            self._find("not", clause),
            self._find("not", self._beside(found, clause, _NEAR)),
            self._find("told", self._whole),
            self._find("memory", self._whole) or self._find("all", self._whole),
            first == last,
            not after,
            self._language.words["mine"].match(after.lower()),
            self.request().scope is Scope.TOPIC,
        )
        return tuple(float(bool(each)) for each in seen)
