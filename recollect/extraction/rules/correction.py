"""Corrections that have no statement of their own: 'No wait, I meant Lyon', 'Whisky, not Whiskers'. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.dates.mention import MONTHS
from recollect.extraction.rules.facts import facts_of
from recollect.extraction.sentences import sentences
from recollect.extraction.speech_acts import is_self_denial, is_small_talk, statement_part, takes_back_all
from recollect.text import STOP_WORDS, asks, spelling_similarity

# What opens a correction. The plain ones may open anything else: 'Actually Paris is nice'.
_OPENS = re.compile(
    r"(?:(?P<filler>ah|argh+|haha+|lol|hmm+|oh|well|and|but|yes|ok|okay|apparently|(?:it\s++)?turns\s++out|"
    r"i(?:'m|\s++am|'ve\s++been|\s++was)\s++(?:just\s++|being\s++)?(?:told|informed|corrected))|(?P<plain>sorry|actually|no|nope|rather)"
    r"|(?P<clear>wait|hang\s++on|hold\s++on|oops|whoops|my\s++(?:bad|mistake)|correction|typo|i\s++meant?(?:\s++to\s++(?:say|write|type))?|make\s++that|"
    r"scratch\s++that|i\s++misspoke|autocorrect|should\s++(?:be|have\s++been|say)|i\s++got\s++that\s++wrong|that\s++was\s++wrong))\b[\s,.!:;–*-]*+",
    re.IGNORECASE,
)
_MAX_OPENINGS = 6
# Words that make a statement which its speaker may begin again.
_MIN_WORDS_BEFORE = 3
# What may close a correction: '50 mg, sorry', 'Tuesday I mean'.
_CLOSES = re.compile(
    r"(?<![\s,.!*–-])[\s,.!*–-]++(?:(?P<plain>sorry|actually|rather)|(?P<clear>i\s++meant?(?:\s++to\s++(?:say|write|type))?|"
    r"my\s++(?:bad|mistake)|oops|whoops|typo|autocorrect))\s*+[.!]*+$",
    re.IGNORECASE,
)
# Within a sentence its speaker begins again: 'on Monday, no wait, Tuesday', 'Anna - sorry, Hanna'.
_BEGINS_AGAIN = re.compile(
    r"(?<![\s,;–—.…-])(?:[\s]?[,;–—…]|\s-{1,2}|\.{2,4})\s{0,3}(?:(?:oh|er+|uh+|um+)[\s,]{1,3})?"
    r"(?:no\s++wait|wait\s++no|wait,\s++no|no\s++sorry|no,\s++sorry|sorry|i\s++meant?|or\s++rather|correction|scratch\s++that|make\s++that|"
    r"actually\s++no|oops|whoops)(?:[,:]|\s++[–-])?\s++(?=\S)",
    re.IGNORECASE,
)
_OF_A_KIND = re.compile(r"(?P<article>an?|the|in|on|at|from)\s[^/]{1,50}/ (?:(?P=article)|an?)\s\S", re.IGNORECASE)
_BY_THE_WAY = re.compile(
    r"(?<![\s,])[\s,]{1,3}(?:by\s++the\s++way|btw|actually|please|pls)(?=\s*+[,.!]|\s*+$)", re.IGNORECASE
)
_IS_NOT = re.compile(
    r"(?P<head>(?:my|our|the|his|her)\s++[^.!?;,]{2,60}?)(?:(?<=\w)'s\s++not|\s++(?:isn't|is\s++not|wasn't|aren't|are\s++not|isnt))"
    r"\s++(?:called\s++|named\s++)?(?P<old>[^.!?;,]{1,40}?),?\s++(?:but|(?:it|she|he|they)(?:'s|'re|\s++is|\s++are))\s++"
    r"(?:called\s++|named\s++)?(?P<new>[^.!?;,]{1,40}?)\s*+[.!]*+$",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"(?:it's|its|it\s++is|that's|that\s++is|she's|he's|i'm|the\s++name\s++is|(?:her|his|its|my)\s++name\s++is|in|on|at|to|from|with)\s++",
    re.IGNORECASE,
)
_WORD = r"(?:[£$€]?\d[\d:.,]{0,10}\d(?![\w])|[\w'’&+-]{1,40}+)"
_TERM = rf"(?<![\w'’&+-]){_WORD}(?:\s++{_WORD}){{0,3}}?"
_TERM_END = (
    r"(?=\s*+(?:$|[,.!?;:()])|\s++(?:and|but|as|like|because|since|sorry|autocorrect|typo|lol|haha|with|"
    r"without|if|when|so|i|it|that|please|pls|obviously|my)\b)"
)
_NOT_OLD = re.compile(
    rf"(?P<new>\b[^.!?;]{{1,80}}?)(?:,\s++|\s++)(?:and\s++)?not\s++(?P<old>{_TERM}){_TERM_END}", re.IGNORECASE
)
_NOT_BUT = re.compile(
    rf"\bnot\s++(?P<old>{_TERM})(?:,\s++(?:but|it's|rather|instead)|\s++but)\s++(?P<new>{_TERM}){_TERM_END}",
    re.IGNORECASE,
)
_NOT_AFTER_ALL = re.compile(
    r"\bnot\s++(?P<old>[A-Z][\w-]{1,30}+)\s++after\s++all\b[^.!?]{0,40}?\b(?P<new>[A-Z][\w-]{1,30}+)\s*+[.!]*+$"
)
_ONLY_NEW = re.compile(rf"(?P<new>{_TERM}){_TERM_END}", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w'’-])[A-Z][\w'’-]{0,40}+(?:\s[A-Z][\w'’-]{0,40}+){0,2}")
_MONTH = "|".join(MONTHS)
_UNIT = (
    r"(?:mg|mcg|µg|g|kg|ml|l|cm|mm|m|km|k|miles?|feet|ft|lbs?|pounds?|euros?|dollars?|%|percent|years?|months?|weeks?|days?|"
    r"hours?|minutes?|people|persons?|guests?|kids|children)"
)
# What one value of a kind looks like, the narrowest first.
_SHAPES = (
    re.compile(rf"(?<![\w.,])\d[\d.,]{{0,10}}+\s?{_UNIT}(?!\w)|(?<!\w)[£$€]\d[\d.,]{{0,10}}+k?(?!\w)", re.IGNORECASE),
    re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s++(?:of\s++)?(?:{_MONTH})\b|\b(?:{_MONTH})\s++\d{{1,2}}(?:st|nd|rd|th)?\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE),
    re.compile(r"\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b", re.IGNORECASE),
    re.compile(rf"\b(?:{_MONTH})\b"),
    re.compile(r"\b(?:the\s++)?\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE),
    re.compile(r"(?<![\w.,])\d(?:[\d.,]{0,10}\d)?(?![\w])"),
    re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)\b", re.IGNORECASE),
)
_SMALL_WORD = re.compile(r"(?<![\w'’-])[a-z][a-z'’-]{3,40}+")
_NO_NAMES = frozenset("i i'm i've i'll i'd ok okay".split())
# Words no corrected value begins with: a statement of its own, a question or a reply follows.
_NO_VALUE = re.compile(
    r"(?:i|i'm|you|we|they|he|she|it|it's|that|this|there|what|why|how|when|where|who|which|can|could|would|should|do|does|did|is|are|was|were|not|no|"
    r"yes|please|thanks?|never|if|just|for|about|what's|let|the\s++(?:other|first|second|third|last|next|same|latter|former|one)|all|more|less|nothing|forget|ignore|better|much|very|really|good|great|fine|"
    r"sorry|right|sure|because|so|my|your|too|also|maybe|perhaps|both|either)\b",
    re.IGNORECASE,
)
_MAX_VALUE_WORDS, _SHORT_VALUE = 4, 2
_ITEM = r"[^\W\d_][\w'’-]{1,30}+"
_LIST = re.compile(rf"\b{_ITEM}(?:,\s{_ITEM}){{0,4}}(?:,?\s(?:and|und|et|y|e|en)|\s&)\s{_ITEM}", re.IGNORECASE)
_LIST_END = re.compile(
    r"\s{0,3}(?:$|[,.!;:()–-]|(?:lol|haha\w{0,10}|sorry|now|instead|obviously|of course|apparently|btw)\b)"
)
_ITEMS = re.compile(_ITEM)
_JOINS = frozenset("and und et y e en".split())
# Two spellings of one name: 'Brightloom', 'Brightroom'.
_SAME_NAME = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What somebody said and what they meant."""

    old: str
    new: str
    meant: str
    """The corrected statement with the new words; empty where it was not found."""


def read_correction(sentence: str, before: Sequence[str], *, answers: str = "") -> Correction | None:
    """Read a sentence as a correction of what its speaker said before; None where it is none, or unclear.

    Args:
        sentence: With plain quotes.
        before: What the speaker said before it, the newest first.
        answers: What the other side said last: a bare value behind a question answers that.
    """
    again = _BEGINS_AGAIN.search(sentence)
    if again and len(sentence[: again.start()].split()) >= _MIN_WORDS_BEFORE:
        fix = _of_last(sentence[again.end() :].strip("* "), [sentence[: again.start()]], clearly=True)
        if fix:
            return fix
    body, opened, clearly = _opening(sentence)
    denied = _IS_NOT.fullmatch(body)
    if denied and (_alike(denied["old"], denied["new"]) or _OF_A_KIND.match(f"{denied['old']} / {denied['new']}")):
        meant = f"{denied['head']} is {denied['new']}"
        return Correction(old=denied["old"], new=denied["new"], meant=f"{meant[0].upper()}{meant[1:]}.")
    for pattern in (_NOT_AFTER_ALL, _NOT_OLD, _NOT_BUT):
        found = pattern.search(body)
        pair = _pair(found["old"], found["new"], turned=pattern is not _NOT_OLD) if found else None
        if pair and (opened or _alike(*pair)):
            old, new = pair
            said = next((part for text in before for part in reversed(_parts(text)) if _has(part, old)), "")
            meant = _put(said, old, new)
            if not meant and _is_called(old, answers):
                meant = f"My name is {new}."
            return Correction(old=old, new=new, meant=meant)
    if not opened or (not clearly and asks(answers)):
        return None
    return _of_list(body, before) or _of_last(body, before, clearly=clearly)


def may_be_correction(message: str) -> bool:
    """Return whether a short message may put right, or take back, what was said before it.

    >>> [may_be_correction(text) for text in ("*Pickles", "oops, Turin", "haha jk", "Nice, thanks")]
    [True, True, True, False]
    """
    said = message.strip()
    if len(said) > _MAX_SHORT or said.endswith("?"):
        return False
    body, opened, _ = _opening(said)
    return bool(opened and body) or takes_back_all(said) or is_self_denial(said)


# Longest message that is read as a correction and nothing else, in characters.
_MAX_SHORT = 120


def _is_called(name: str, answers: str) -> bool:
    """Whether the other side addressed the speaker by a name."""
    found = _ADDRESSED.findall(answers[:_MAX_ADDRESSED])
    return name[:1].isupper() and any(name.casefold() == called.casefold() for called in found)


_ADDRESSED = re.compile(
    r"(?:\b(?:hi|hello|hey|dear|thanks|thank\s++you|welcome(?:\s++back)?|sure|ok(?:ay)?|great|alright|sorry|morning|afternoon|evening|"
    r"you|that|course)\b,?\s|^)([A-Z][\w'-]{1,30}+)(?=[,.!?:]|\s*+$)",
    re.IGNORECASE,
)
_MAX_ADDRESSED = 2000


def _opening(sentence: str) -> tuple[str, bool, bool]:
    """Cut off what opens a correction; say whether anything did, and whether it can open nothing else."""
    at, opened, clearly = 0, False, False
    for _ in range(_MAX_OPENINGS):
        found = _OPENS.match(sentence, at)
        if not found:
            break
        at, opened, clearly = found.end(), opened or not found["filler"], clearly or bool(found["clear"])
    starred = sentence.startswith("*") or bool(_STARRED.fullmatch(sentence))
    body = sentence[at:]
    closes = _CLOSES.search(body)
    if closes:
        body, opened, clearly = body[: closes.start()], True, clearly or bool(closes["clear"])
    return _BY_THE_WAY.sub("", body).strip("* "), opened or starred, clearly or starred


# 'Pickles*'
_STARRED = re.compile(r"[\w'’-]{1,40}+(?:\s[\w'’-]{1,40}+){0,2}\s?\*[.!]?")


def _pair(old: str, new: str, *, turned: bool) -> tuple[str, str] | None:
    """Take as many words for the new as for the old: 'my cat is called Whisky, not Whiskers'."""
    old, new = old.strip(" ,*"), new.strip(" ,*")
    lead = _IT_IS.match(new)
    words = new.split()
    if not turned and len((new[lead.end() :] if lead else new).split()) > _SHORT_VALUE:
        words = words[-len(old.split()) :]
    elif lead:
        words = new[lead.end() :].split()
    new = " ".join(words)
    if not new or _NO_VALUE.match(new) or _NO_VALUE.match(old) or new.casefold() == old.casefold():
        return None
    return old, new


def _alike(old: str, new: str) -> bool:
    """Whether both are names or both numbers: then a correction needs no other sign."""
    return (old[:1].isupper() and new[:1].isupper()) or (old[:1].isdigit() and new[:1].isdigit())


def _of_last(body: str, before: Sequence[str], *, clearly: bool) -> Correction | None:
    """Read a value alone as the correction of the one value of its kind in what was said last."""
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
            said = (
                parts[-1]
                if len(parts) == 1 or clearly
                else next((part for part in reversed(parts) if _old_of(part, new, clearly=clearly)), "")
            )
            old = _old_of(said, new, clearly=clearly) if said else ""
            return Correction(old=old, new=new, meant=_put(said, old, new)) if old else None
    return None


def _of_list(body: str, before: Sequence[str]) -> Correction | None:
    """Read a list as the correction of one as long that has some of its items: 'no wait, it's Elsa and Olaf'."""
    lead = _IT_IS.match(body)
    found = _LIST.match(body, lead.end() if lead else 0)
    if not found or not _LIST_END.match(body, found.end()):
        return None
    new = _items(found.group())
    for part in (part for text in before for part in reversed(_parts(text))):
        for old in _LIST.finditer(part):
            held = _items(old.group())
            if len(held) == len(new) and held & new and held != new:
                return Correction(old=old.group(), new=found.group(), meant=_put(part, old.group(), found.group()))
    return None


def _items(listed: str) -> frozenset[str]:
    return frozenset(item.casefold() for item in _ITEMS.findall(listed)) - _JOINS - STOP_WORDS


def _parts(text: str) -> list[str]:
    """Return what a message states, sentence by sentence."""
    stated = [statement_part(piece.text) for piece in sentences(text)]
    return [part for part in stated if part and not is_small_talk(part)]


def _old_of(said: str, new: str, *, clearly: bool) -> str:
    """Find the one value in a statement that has the kind of the new one; empty where there is none, or several."""
    for shape in _SHAPES:
        if shape.fullmatch(new):
            values = [match.group() for match in shape.finditer(said)]
            return values[0] if len(values) == 1 else ""
    if any(shape.search(new) for shape in _SHAPES):
        return ""
    named = [name for name in _NAMED.findall(said) if name.casefold() not in _NO_NAMES and name not in MONTHS]
    named = [name for name in named if not said.startswith(name) or len(named) == 1 or _is_spelled_like(name, new)]
    near = [name for name in named if _is_spelled_like(name, new)]
    if new[:1].isupper():
        chosen = near if len(near) == 1 else named
        return chosen[0] if len(chosen) == 1 and (clearly or near or _is_value(said, chosen[0])) else ""
    held = {fact.value for fact in facts_of(said, []) if fact.value and not fact.ends and _has(said, fact.value)}
    misspelled: list[str] = [word for word in _SMALL_WORD.findall(said) if _is_spelled_like(word, new)]
    if clearly and len(misspelled) == 1:
        return misspelled[0]
    old = held.pop() if clearly and len(held) == 1 else ""
    return old if not old[:1].isupper() or old not in said else ""


def _is_value(said: str, name: str) -> bool:
    return any(name in fact.value for fact in facts_of(said, []))


def _is_spelled_like(name: str, new: str) -> bool:
    return name != new and spelling_similarity(name.casefold(), new.casefold()) >= _SAME_NAME


def _place(text: str, words: str) -> int:
    """Return where words stand in a text as whole words, whatever their case; -1 where they do not."""
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


def _put(said: str, old: str, new: str) -> str:
    at = _place(said, old) if said else -1
    return f"{said[:at]}{new}{said[at + len(old) :]}" if at >= 0 else ""
