"""Corrections that are no statements by themselves: 'No wait, I meant Lyon', 'Whisky, not Whiskers'. Pure.

The corrected statement is the earlier one with the new value: after 'I moved to Lion', '*Lyon' means 'I moved to Lyon'.
A correction is read only if exactly one earlier value can be meant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.dates.mention import MONTHS
from recollect.extraction.rules.clause_facts import facts_of
from recollect.extraction.sentences import sentences
from recollect.extraction.speech_acts import is_self_denial, is_small_talk, statement_part, takes_back_all
from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS, asks, spelling_similarity

# Openings of a correction. The plain ones may open other sentences too: 'Actually Paris is nice'.
_CORRECTION_OPENING = LazyPattern(
    r"(?:(?P<filler>ah|argh+|haha+|lol|hmm+|oh|well|and|but|yes|ok|okay|apparently|(?:it\s++)?turns\s++out|"
    r"i(?:'m|\s++am|'ve\s++been|\s++was)\s++(?:just\s++|being\s++)?(?:told|informed|corrected))|(?P<plain>sorry|actually|no|nope|rather)"
    r"|(?P<clear>wait|hang\s++on|hold\s++on|oops|whoops|my\s++(?:bad|mistake)|correction|typo|i\s++meant?(?:\s++to\s++(?:say|write|type))?|make\s++that|"
    r"scratch\s++that|i\s++misspoke|autocorrect|should\s++(?:be|have\s++been|say)|i\s++got\s++that\s++wrong|that\s++was\s++wrong))\b[\s,.!:;–*-]*+",
    re.IGNORECASE,
)
_MAX_OPENINGS = 6
# Words of a statement that its speaker may restart.
_MIN_WORDS_BEFORE = 3
# Endings of a correction: '50 mg, sorry', 'Tuesday I mean'.
_CORRECTION_ENDING = LazyPattern(
    r"(?<![\s,.!*–-])[\s,.!*–-]++(?:(?P<plain>sorry|actually|rather)|(?P<clear>i\s++meant?(?:\s++to\s++(?:say|write|type))?|"
    r"my\s++(?:bad|mistake)|oops|whoops|typo|autocorrect))\s*+[.!]*+$",
    re.IGNORECASE,
)
# A restart within a sentence: 'on Monday, no wait, Tuesday', 'Anna - sorry, Hanna'.
_RESTART = LazyPattern(
    r"(?<![\s,;–—.…-])(?:[\s]?[,;–—…]|\s-{1,2}|\.{2,4})\s{0,3}(?:(?:oh|er+|uh+|um+)[\s,]{1,3})?"
    r"(?:no\s++wait|wait\s++no|wait,\s++no|no\s++sorry|no,\s++sorry|sorry|i\s++meant?|or\s++rather|correction|scratch\s++that|make\s++that|"
    r"actually\s++no|oops|whoops)(?:[,:]|\s++[–-])?\s++(?=\S)",
    re.IGNORECASE,
)
_OF_A_KIND = LazyPattern(r"(?P<article>an?|the|in|on|at|from)\s[^/]{1,50}/ (?:(?P=article)|an?)\s\S", re.IGNORECASE)
_BY_THE_WAY = LazyPattern(
    r"(?<![\s,])[\s,]{1,3}(?:by\s++the\s++way|btw|actually|please|pls)(?=\s*+[,.!]|\s*+$)", re.IGNORECASE
)
_IS_NOT = LazyPattern(
    r"(?P<head>(?:my|our|the|his|her)\s++[^.!?;,]{2,60}?)(?:(?<=\w)'s\s++not|\s++(?:isn't|is\s++not|wasn't|aren't|are\s++not|isnt))"
    r"\s++(?:called\s++|named\s++)?(?P<old>[^.!?;,]{1,40}?),?\s++(?:but|(?:it|she|he|they)(?:'s|'re|\s++is|\s++are))\s++"
    r"(?:called\s++|named\s++)?(?P<new>[^.!?;,]{1,40}?)\s*+[.!]*+$",
    re.IGNORECASE,
)
_IT_IS = LazyPattern(
    r"(?:it's|its|it\s++is|that's|that\s++is|she's|he's|i'm|the\s++name\s++is|(?:her|his|its|my)\s++name\s++is|in|on|at|to|from|with)\s++",
    re.IGNORECASE,
)
_WORD = r"(?:[£$€]?\d[\d:.,]{0,10}\d(?![\w])|[\w'’&+-]{1,40}+)"
_TERM = rf"(?<![\w'’&+-]){_WORD}(?:\s++{_WORD}){{0,3}}?"
_TERM_END = (
    r"(?=\s*+(?:$|[,.!?;:()])|\s++(?:and|but|as|like|because|since|sorry|autocorrect|typo|lol|haha|with|"
    r"without|if|when|so|i|it|that|please|pls|obviously|my)\b)"
)
_NOT_OLD = LazyPattern(
    rf"(?P<new>\b[^.!?;]{{1,80}}?)(?:,\s++|\s++)(?:and\s++)?not\s++(?P<old>{_TERM}){_TERM_END}", re.IGNORECASE
)
_NOT_BUT = LazyPattern(
    rf"\bnot\s++(?P<old>{_TERM})(?:,\s++(?:but|it's|rather|instead)|\s++but)\s++(?P<new>{_TERM}){_TERM_END}",
    re.IGNORECASE,
)
_NOT_AFTER_ALL = LazyPattern(
    r"\bnot\s++(?P<old>[A-Z][\w-]{1,30}+)\s++after\s++all\b[^.!?]{0,40}?\b(?P<new>[A-Z][\w-]{1,30}+)\s*+[.!]*+$"
)
_ONLY_NEW = LazyPattern(rf"(?P<new>{_TERM}){_TERM_END}", re.IGNORECASE)
_NAMED = LazyPattern(r"(?<![\w'’-])[A-Z][\w'’-]{0,40}+(?:\s[A-Z][\w'’-]{0,40}+){0,2}")
_MONTH = "|".join(MONTHS)
_UNIT = (
    r"(?:mg|mcg|µg|g|kg|ml|l|cm|mm|m|km|k|miles?|feet|ft|lbs?|pounds?|euros?|dollars?|%|percent|years?|months?|weeks?|days?|"
    r"hours?|minutes?|people|persons?|guests?|kids|children)"
)
# Patterns of values by kind, the narrowest first.
_VALUE_KINDS = (
    LazyPattern(rf"(?<![\w.,])\d[\d.,]{{0,10}}+\s?{_UNIT}(?!\w)|(?<!\w)[£$€]\d[\d.,]{{0,10}}+k?(?!\w)", re.IGNORECASE),
    LazyPattern(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s++(?:of\s++)?(?:{_MONTH})\b|\b(?:{_MONTH})\s++\d{{1,2}}(?:st|nd|rd|th)?\b",
        re.IGNORECASE,
    ),
    LazyPattern(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE),
    LazyPattern(r"\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b", re.IGNORECASE),
    LazyPattern(rf"\b(?:{_MONTH})\b"),
    LazyPattern(r"\b(?:the\s++)?\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE),
    LazyPattern(r"(?<![\w.,])\d(?:[\d.,]{0,10}\d)?(?![\w])"),
    LazyPattern(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)\b", re.IGNORECASE),
)
_SMALL_WORD = LazyPattern(r"(?<![\w'’-])[a-z][a-z'’-]{3,40}+")
_NO_NAMES = frozenset("i i'm i've i'll i'd ok okay".split())
# No corrected value begins with these words: a statement, a question or a reply follows.
_NO_VALUE = LazyPattern(
    r"(?:i|i'm|you|we|they|he|she|it|it's|that|this|there|what|why|how|when|where|who|which|can|could|would|should|do|does|did|is|are|was|were|not|no|"
    r"yes|please|thanks?|never|if|just|for|about|what's|let|the\s++(?:other|first|second|third|last|next|same|latter|former|one)|all|more|less|nothing|forget|ignore|better|much|very|really|good|great|fine|"
    r"sorry|right|sure|because|so|my|your|too|also|maybe|perhaps|both|either)\b",
    re.IGNORECASE,
)
_MAX_VALUE_WORDS, _SHORT_VALUE = 4, 2
_ITEM = r"[^\W\d_][\w'’-]{1,30}+"
_LIST = LazyPattern(rf"\b{_ITEM}(?:,\s{_ITEM}){{0,4}}(?:,?\s(?:and|und|et|y|e|en)|\s&)\s{_ITEM}", re.IGNORECASE)
_LIST_END = LazyPattern(
    r"\s{0,3}(?:$|[,.!;:()–-]|(?:lol|haha\w{0,10}|sorry|now|instead|obviously|of course|apparently|btw)\b)"
)
_ITEMS = LazyPattern(_ITEM)
_JOINS = frozenset("and und et y e en".split())
# From this similarity on, two words are spellings of one name: 'Brightloom', 'Brightroom'.
_SAME_NAME_THRESHOLD = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a speaker said, and what they meant."""

    old: str
    new: str
    meant: str
    """The corrected statement; empty if the earlier one was not found."""


@dataclass(frozen=True, slots=True)
class _Opening:
    """How a sentence opens a correction."""

    body: str
    """The sentence without its opening and ending."""
    is_opened: bool
    """Something opens or closes a correction."""
    is_clear: bool
    """It can open nothing else."""


def read_correction(sentence: str, before: Sequence[str], *, previous_reply: str = "") -> Correction | None:
    """Read a sentence as a correction of what its speaker said before; None if it is none, or unclear.

    Args:
        sentence: With plain quotes.
        before: What the speaker said before it, newest first.
        previous_reply: The last message of the other side: after a question, a bare value is an answer.
    """
    again = _RESTART.search(sentence)
    if again and len(sentence[: again.start()].split()) >= _MIN_WORDS_BEFORE:
        fix = _of_last(sentence[again.end() :].strip("* "), [sentence[: again.start()]], clearly=True)
        if fix:
            return fix
    opening = _opening(sentence)
    body = opening.body
    denied = _IS_NOT.fullmatch(body)
    if denied and (_alike(denied["old"], denied["new"]) or _OF_A_KIND.match(f"{denied['old']} / {denied['new']}")):
        meant = f"{denied['head']} is {denied['new']}"
        return Correction(old=denied["old"], new=denied["new"], meant=f"{meant[0].upper()}{meant[1:]}.")
    for pattern in (_NOT_AFTER_ALL, _NOT_OLD, _NOT_BUT):
        found = pattern.search(body)
        pair = _pair(found["old"], found["new"], new_last=pattern is not _NOT_OLD) if found else None
        if pair and (opening.is_opened or _alike(*pair)):
            old, new = pair
            statement = next((part for text in before for part in reversed(_parts(text)) if _has(part, old)), "")
            meant = _put(statement, old, new)
            if not meant and _is_called(old, previous_reply):
                meant = f"My name is {new}."
            return Correction(old=old, new=new, meant=meant)
    if not opening.is_opened or (not opening.is_clear and asks(previous_reply)):
        return None
    return _of_list(body, before) or _of_last(body, before, clearly=opening.is_clear)


def may_be_correction(message: str) -> bool:
    """Return whether a short message may correct or take back what was said before it.

    >>> [may_be_correction(text) for text in ("*Pickles", "oops, Turin", "haha jk", "Nice, thanks")]
    [True, True, True, False]
    """
    text = message.strip()
    if len(text) > _MAX_SHORT or text.endswith("?"):
        return False
    opening = _opening(text)
    return bool(opening.is_opened and opening.body) or takes_back_all(text) or is_self_denial(text)


# Characters of a message that is nothing but a correction.
_MAX_SHORT = 120


def _is_called(name: str, previous_reply: str) -> bool:
    """Return whether the other side addressed the speaker by a name."""
    found = _ADDRESSED.findall(previous_reply[:_MAX_ADDRESSED])
    return name[:1].isupper() and any(name.casefold() == called.casefold() for called in found)


_ADDRESSED = LazyPattern(
    r"(?:\b(?:hi|hello|hey|dear|thanks|thank\s++you|welcome(?:\s++back)?|sure|ok(?:ay)?|great|alright|sorry|morning|afternoon|evening|"
    r"you|that|course)\b,?\s|^)([A-Z][\w'-]{1,30}+)(?=[,.!?:]|\s*+$)",
    re.IGNORECASE,
)
_MAX_ADDRESSED = 2000


def _opening(sentence: str) -> _Opening:
    """Cut off the opening and the ending of a correction."""
    at, opened, clearly = 0, False, False
    for _ in range(_MAX_OPENINGS):
        found = _CORRECTION_OPENING.match(sentence, at)
        if not found:
            break
        at, opened, clearly = found.end(), opened or not found["filler"], clearly or bool(found["clear"])
    starred = sentence.startswith("*") or bool(_STARRED.fullmatch(sentence))
    body = sentence[at:]
    closes = _CORRECTION_ENDING.search(body)
    if closes:
        body, opened, clearly = body[: closes.start()], True, clearly or bool(closes["clear"])
    body = _BY_THE_WAY.sub("", body).strip("* ")
    return _Opening(body, is_opened=opened or starred, is_clear=clearly or starred)


# 'Pickles*'
_STARRED = LazyPattern(r"[\w'’-]{1,40}+(?:\s[\w'’-]{1,40}+){0,2}\s?\*[.!]?")


def _pair(old: str, new: str, *, new_last: bool) -> tuple[str, str] | None:
    """Pair the old value with as many new words: 'my cat is called Whisky, not Whiskers'."""
    old, new = old.strip(" ,*"), new.strip(" ,*")
    lead = _IT_IS.match(new)
    words = new.split()
    if not new_last and len((new[lead.end() :] if lead else new).split()) > _SHORT_VALUE:
        words = words[-len(old.split()) :]
    elif lead:
        words = new[lead.end() :].split()
    new = " ".join(words)
    if not new or _NO_VALUE.match(new) or _NO_VALUE.match(old) or new.casefold() == old.casefold():
        return None
    return old, new


def _alike(old: str, new: str) -> bool:
    """Return whether both are names or both numbers: then a correction needs no opening."""
    return (old[:1].isupper() and new[:1].isupper()) or (old[:1].isdigit() and new[:1].isdigit())


def _of_last(body: str, before: Sequence[str], *, clearly: bool) -> Correction | None:
    """Read a bare value as the correction of the only value of its kind in the last statement."""
    lead = _IT_IS.match(body)
    rest = body[lead.end() :] if lead else body
    found = _ONLY_NEW.match(rest)
    if not found or _NO_VALUE.match(rest) or len(found["new"].split()) > _MAX_VALUE_WORDS:
        return None
    new = found["new"]
    if new[:1].isupper() and not _NAMED.fullmatch(new):
        return None
    if not clearly and len(rest.split()) > len(new.split()) and not new[:1].isupper() and not new[:1].isdigit():
        return None
    for text in before:
        parts = _parts(text)
        if parts:
            statement = (
                parts[-1]
                if len(parts) == 1 or clearly
                else next((part for part in reversed(parts) if _old_of(part, new, clearly=clearly)), "")
            )
            old = _old_of(statement, new, clearly=clearly) if statement else ""
            return Correction(old=old, new=new, meant=_put(statement, old, new)) if old else None
    return None


def _of_list(body: str, before: Sequence[str]) -> Correction | None:
    """Read a list as the correction of an equally long one with common items: "no wait, it's Elsa and Olaf"."""
    lead = _IT_IS.match(body)
    found = _LIST.match(body, lead.end() if lead else 0)
    if not found or not _LIST_END.match(body, found.end()):
        return None
    new = _items(found.group())
    for part in (part for text in before for part in reversed(_parts(text))):
        for old in _LIST.finditer(part):
            old_items = _items(old.group())
            if len(old_items) == len(new) and old_items & new and old_items != new:
                return Correction(old=old.group(), new=found.group(), meant=_put(part, old.group(), found.group()))
    return None


def _items(listed: str) -> frozenset[str]:
    return frozenset(item.casefold() for item in _ITEMS.findall(listed)) - _JOINS - STOP_WORDS


def _parts(text: str) -> list[str]:
    """Return the stated parts of a message, sentence by sentence."""
    stated = [statement_part(piece.text) for piece in sentences(text)]
    return [part for part in stated if part and not is_small_talk(part)]


def _old_of(statement: str, new: str, *, clearly: bool) -> str:
    """Find the only value in a statement of the same kind as the new one; empty if there is none, or several."""
    for shape in _VALUE_KINDS:
        if shape.fullmatch(new):
            values = [match.group() for match in shape.finditer(statement)]
            return values[0] if len(values) == 1 else ""
    if any(shape.search(new) for shape in _VALUE_KINDS):
        return ""
    named = [name for name in _NAMED.findall(statement) if name.casefold() not in _NO_NAMES and name not in MONTHS]
    named = [name for name in named if not statement.startswith(name) or len(named) == 1 or _is_spelled_like(name, new)]
    near = [name for name in named if _is_spelled_like(name, new)]
    if new[:1].isupper():
        chosen = near if len(near) == 1 else named
        return chosen[0] if len(chosen) == 1 and (clearly or near or _is_value(statement, chosen[0])) else ""
    old_values = {
        fact.value for fact in facts_of(statement, []) if fact.value and not fact.ends and _has(statement, fact.value)
    }
    misspelled: list[str] = [word for word in _SMALL_WORD.findall(statement) if _is_spelled_like(word, new)]
    if clearly and len(misspelled) == 1:
        return misspelled[0]
    old = old_values.pop() if clearly and len(old_values) == 1 else ""
    return old if not old[:1].isupper() or old not in statement else ""


def _is_value(statement: str, name: str) -> bool:
    return any(name in fact.value for fact in facts_of(statement, []))


def _is_spelled_like(name: str, new: str) -> bool:
    return name != new and spelling_similarity(name.casefold(), new.casefold()) >= _SAME_NAME_THRESHOLD


def _place(text: str, words: str) -> int:
    """Return where a text contains whole words, ignoring case; -1 if it does not."""
    there, wanted = text.casefold(), words.casefold()
    at = there.find(wanted)
    while at >= 0:
        before, after = there[at - 1 : at] if at else "", there[at + len(wanted) : at + len(wanted) + 1]
        if not (before.isalnum() or after.isalnum()):
            return at
        at = there.find(wanted, at + 1)
    return -1


def _has(text: str, words: str) -> bool:
    return bool(words) and _place(text, words) >= 0


def _put(statement: str, old: str, new: str) -> str:
    at = _place(statement, old) if statement else -1
    return f"{statement[:at]}{new}{statement[at + len(old) :]}" if at >= 0 else ""
