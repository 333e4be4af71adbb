"""Secrets that a name announces: 'the wifi password is sunshine', `pw: letmein`, '| PIN | 4821 |'. Pure.

All names are looked for in one pass; at each, the words after it are read for a tie and a value, then those before it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.extraction.secret_kinds.names import FAMILIES, NO_SECRET_CODES, WORD_ENDINGS
from toldonce.extraction.secret_kinds.stems import MIN_DIGITS, has_stem
from toldonce.extraction.secret_kinds.values import ASCII_TOKEN, FORMS, Named, Tie, ValueForm
from toldonce.lazy_pattern import LazyPattern

_OPTIONAL = "?"
_QUANTIFIERS = "?*+{"


def by_first_letter(pattern: str) -> str:
    """Return an expression that matches what `pattern` does, with one branch for each first letter.

    A search is faster by that: `re` skips to the places with one of these letters.

    Args:
        pattern: Alternatives of letters, classes, and groups that capture nothing.

    >>> by_first_letter("(?:door|gate) code|digicode|pin")
    '(?:d(?:oor code|igicode)|g(?:ate code)|p(?:in))'
    """
    branches: dict[str, list[str]] = {}
    for alternative in _alternatives(pattern):
        for opened in _opened(alternative):
            branches.setdefault(opened[0], []).append(opened[1:])
    return "(?:" + "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in branches.items()) + ")"


def _alternatives(pattern: str) -> Iterator[str]:
    """Split an expression at the bars outside its groups and classes."""
    depth = start = place = 0
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif char == "[":
            place = pattern.index("]", place)
        elif char == "|" and depth == 0:
            yield pattern[start:place]
            start = place + 1
        else:
            depth += (char == "(") - (char == ")")
        place += 1
    yield pattern[start:]


def _opened(alternative: str) -> Iterator[str]:
    """Yield an alternative once for each way in which it may begin, so that each begins with a letter."""
    if alternative.startswith("(?:"):
        end = _group_end(alternative)
        rest = alternative[end + 1 :]
        if rest.startswith(_OPTIONAL):
            rest = rest[1:]
            yield from _opened(rest)
        for inner in _alternatives(alternative[3:end]):
            yield from _opened(inner + rest)
    elif alternative.startswith("["):
        end = alternative.index("]")
        for char in alternative[1:end]:
            yield from _opened(char + alternative[end + 1 :])
    elif not alternative[:1].isalnum() or alternative[1:2] in tuple(_QUANTIFIERS):
        raise ValueError(f"begins with no letter: {alternative!r}")
    else:
        yield alternative


def _group_end(pattern: str) -> int:
    depth = place = 0
    while True:
        char = pattern[place]
        if char == "\\":
            place += 1
        elif char == "[":
            place = pattern.index("]", place)
        else:
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return place
        place += 1


_I = re.IGNORECASE
_RIGHT = r"(?:(?<=[a-z])s)?(?:(?![^\W_])|(?<=[^\x00-\u2fff])|(?=[^\x00-\u2fff]))"
# Searched in the text in lower case: with IGNORECASE they would take ten times as long.
_NAMES = {family: LazyPattern(by_first_letter(names.lower()) + _RIGHT) for family, names in FAMILIES.items()}
_CLOSE, _OPEN = r"[\"'`*_)\]]{0,3}", r"(?P<open>[\"'`“«‹„「『*_]{0,3})"
# Words between a name and its verb: 'the password FOR THE ROUTER is', 'пароль ОТ ВАЙФАЯ', 'PIN (blue card)'.
_PLACE = (
    r"(?:\s(?:for|of|on|to|at|in|with|from|that|für|von|vom|zu|zum|zur|am|an|im|bei|meiner|meines|der|des|de|"
    r"del|du|da|das|do|di|della|"
    r"dello|van|voor|op|bij|sur|pour|para|от|для|к|на)\s[^\n.:;=|>→?!,\"]{1,40}?|\s?\([^)\n]{1,30}\)"
    r"|(?<![\"'`])[^\S\n][^\n.:;=|>→?!,\"\d]{1,24}?(?=\s{0,2}(?:[:：=→]|[=-]>)))?"
)
_VERBS = (
    r"(?<=\s)(?:is|was|are|were|will be|being|became|reads|equals|ist|lautet|lauten|war|heißt|es|era|son|será|"
    r"est|c[’']est|était|sont|è|"
    r"sono|era|é|são|ficou|luidt|это|был|jest|är|er)(?![^\W_])|是|为|為|就是|は|が|이|은|는"
)
_SIGNS = r":=|[=-]{1,2}>|→|⇒|➜|➡️?|»|\|{1,2}|=|[:：＝]|>|\t|(?<=\s)[-–—](?=\s)"
# Ways in which a value follows its name, in the order in which they are tried.
_TIES = (
    LazyPattern(
        rf"(?:{_CLOSE}{_PLACE}{_CLOSE}\s{{0,3}}(?:(?P<sign>{_SIGNS})(?:\*{{1,2}}(?=\s))?|"
        rf"(?P<verb>{_VERBS})(?:\s(?:now|still|"
        r"currently|just|simply|set to|probably|always|jetzt|noch|ahora|maintenant|adesso|ora|agora|nu|теперь|"
        r"le|la|el|il|lo|o|a|the|number|"
        rf"n[°º])(?=\s))?[:：]?)|(?P<possessive>[’']s))\s{{0,4}}{_OPEN}",
        _I,
    ),
    LazyPattern(rf"(?:[^.\n:=]{{0,30}}?\s(?P<to>to|auf|a|à|in|naar|на)\s{{1,2}}|\s?(?P<set>改成|改为)\s?){_OPEN}", _I),
    LazyPattern(
        rf"{_CLOSE}{_PLACE}\s?(?P<comma>[,，]|(?<=\s)[(（])\s?(?:(?:it[’']?s|it is|that[’']?s|that is|which is|"
        rf"namely|das ist|c[’']est|es|è|é|dat is|"
        rf"это)\s)?{_OPEN}",
        _I,
    ),
    LazyPattern(rf"{_CLOSE}\s{{1,3}}{_OPEN}", _I),
)
# Up to a few words without a digit or the end of a sentence, before a value that is hard to mistake.
_GAP = LazyPattern(r"[^\d\n.!?;:]{1,32}?(?=[^\W_]{0,6}\d)")
_CHANGED = LazyPattern(
    r"\b(?:set|chang\w{1,3}|reset|switch\w{0,3}|updat\w{1,3}|made|geändert|gesetzt|cambi\w{1,4}|chang\w{1,3}|"
    r"mud\w{1,3}|veranderd|сменил\w?|поменял\w?)\b",
    _I,
)
_BEFORE = LazyPattern(
    r"(?<![^\s\"'`“”«»|<>,;(])(?P<value>[^\s\"'`“”«»|<>,;(]{3,80}+)[\"'`”»)]{0,2}(?P<tie>,?\s(?:is|was|as|ist|"
    r"war|als|es|era|como|est|comme|è|come|é|como|är|это|как)\s|,?\s[—–-]\s|\s?=\s?|"
    r"[^.\n!?]{0,40},\s(?:that(?:[’']?s|\sis)|this is|which is|it[’']?s|das ist|c[’']est|es|è|é)\s)"
    r"(?:(?:my|the|our|a|his|her|mein|meine|das|die|der|unser|mi|la|el|nuestra|mon|ma|le|notre|mio|mia|il|minha|"
    r"meu|a|o|mijn|het|de|ons|мой|моя|наш)\s)?"
    r"(?:new\s|old\s|current\s)?(?:[\w’'-]{1,20}\s){0,3}$",
    _I,
)
_BEFORE_NUMBER = LazyPattern(
    r"(?<![A-Za-z0-9])(?P<value>(?:[A-Z]{0,6}\d[A-Z0-9]{0,20})(?:[ ./-](?:[A-Z]{0,3}\d[A-Z0-9]{0,12}|"
    r"[A-Z]{1,2}(?=[ -]\d))){0,7}(?:[ -][A-Z]{1,2})?)[\"'`”»)]{0,2}(?P<tie>,?\s(?:is|was|as|ist|als|es|como|est|"
    r"comme|è|come|é|это|как)\s|"
    r",?\s[—–-]\s|\s?=\s?|[^.\n!?\d]{0,40},\s(?:that(?:[’']?s|\sis)|this is|which is|it[’']?s|das ist|c[’']est|"
    r"es|è|é)\s)"
    r"(?:(?:my|the|our|a|his|her|mein|meine|das|die|der|unser|mi|la|el|mon|ma|le|mio|mia|il|minha|meu|a|o|mijn|"
    r"het|de|ons|мой|моя|наш)\s)?"
    r"(?:[\w’'-]{1,20}\s){0,3}$"
)
_DIGIT, _WORD = LazyPattern(r"\d"), LazyPattern(r"\w+")
_USE = LazyPattern(
    r"\b(?:use|using|used|choose|chose|choosing|pick|picked|picking|set|put|type|enter|typed|entered|nimm|nutze|"
    r"usa|uso|utilise)\s+[\"'`“«]?$",
    re.IGNORECASE,
)
_BEFORE_CHARACTERS, _AFTER_CHARACTERS = 120, 24
_BLOCKED_CODE = LazyPattern(NO_SECRET_CODES, _I)
_FLAG = LazyPattern(r"(?:^|\s)--?[\w-]{0,20}$")
_HEADER_BELOW = LazyPattern(r"[^\n]{0,400}\n[ \t]{0,8}\|?[ :|-]{3,200}")


def find_named(text: str) -> Iterator[FoundSecret]:
    """Yield the secrets in a text that a name announces.

    >>> text = "The wifi password is sunshine, and the door code is 4821."
    >>> [text[found.start : found.end] for found in find_named(text)]
    ['sunshine', '4821']
    """
    taken = 0
    for family, name in _names(text):
        if family == "bare_code" and _BLOCKED_CODE.search(text[max(0, name.start() - 20) : name.start()]):
            continue
        if text[name.start() - 1 : name.start()] == "[" and text[name.end() : name.end() + 1] == "]":  # our own label
            continue
        if name.start() < taken:  # a name within a value: 'pwd: mypassword1'
            continue
        form = FORMS[family]
        span = _value_behind(text, name, form) or _value_before(text, name, form)
        if span is not None:
            taken = span[1]
            yield FoundSecret(*span, form.shape)


def _names(text: str) -> list[tuple[str, re.Match[str]]]:
    """Return the names in a text from left to right; of two at one place, that of the earlier family."""
    folded = fold(text)
    digits = len(_DIGIT.findall(text))
    words = frozenset(_WORD.findall(folded))
    found: list[tuple[str, re.Match[str]]] = []
    for family, pattern in _NAMES.items():
        if digits >= MIN_DIGITS.get(family, 0) and has_stem(folded, words, family):
            found += ((family, name) for name in pattern.finditer(folded) if _begins(text, name))
    order = {family: place for place, family in enumerate(_NAMES)}
    found.sort(key=lambda each: (each[1].start(), order[each[0]]))
    return found


def fold(text: str) -> str:
    """Return a text in lower case that has as many characters.

    >>> fold("STRAẞE"), fold("Straße")
    ('straẞe', 'straße')
    """
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(small if len(small := char.casefold()) == 1 else char for char in text)


def _begins(text: str, name: re.Match[str]) -> bool:
    """Return whether a word begins where a name does, also within 'DB_PASSWORD', 'dbPassword' and '我的密码'."""
    start = name.start()
    before = text[start - 1 : start]
    if not before.isalnum() or before > "\u2fff" or name.group().endswith(WORD_ENDINGS):
        return True
    return before.islower() and text[start].isupper()


def _value_behind(text: str, name: re.Match[str], form: ValueForm) -> tuple[int, int] | None:
    for pattern in _TIES:
        tie = pattern.match(text, name.end())
        kind = None if tie is None else _kind(text, name, tie)
        if tie is None or kind is None:
            continue
        if kind is Tie.SIGN and tie["sign"].startswith("|") and _HEADER_BELOW.match(text, tie.end()):
            return None
        lead = Named(name=text[name.start() : name.end()], tie=kind, sign=tie["sign"] if kind is Tie.SIGN else "")
        if (span := _value_at(text, tie.end(), form, lead, opened=tie["open"])) is not None:
            return span
    if form.is_strong and (gap := _GAP.match(text, name.end())):
        return _value_at(text, gap.end(), form, Named(name=text[name.start() : name.end()], tie=Tie.GAP))
    return None


def _kind(text: str, name: re.Match[str], tie: re.Match[str]) -> Tie | None:
    """Return how a value is tied to a name, or None if it is not."""
    found = tie.groupdict()
    if found.get("sign"):
        return Tie.SIGN
    if found.get("verb") or found.get("possessive"):
        return Tie.VERB
    if found.get("to") or found.get("set"):
        is_changed = found.get("set") or _CHANGED.search(text[max(0, name.start() - 40) : tie.end()])
        return Tie.CHANGED if is_changed else Tie.TO if (found["to"] or "").lower() == "to" else None
    if found.get("comma"):
        return Tie.COMMA
    return Tie.FLAG if _FLAG.search(text[max(0, name.start() - 24) : name.start()]) else Tie.BLANK


def _value_at(text: str, at: int, form: ValueForm, lead: Named, *, opened: str = "") -> tuple[int, int] | None:
    """Return the span of the secret that begins at a place; one in quotation marks reaches to their end.

    Args:
        text: The text.
        at: The place.
        form: Form of the family's values.
        lead: The name and its tie.
        opened: Marks before the value.
    """
    quote = next((mark for mark in opened if mark in _CLOSING), "")
    end = _closing(text, at, quote) if quote and form.shape in _QUOTED_SHAPES else None
    is_quoted = end is not None
    if end is None:
        is_wide = form.shape == "password" and lead.name[0] > "\u2fff"
        match = (ASCII_TOKEN if is_wide else form.pattern).match(text, at)
        if match is None or text[at] == "[":
            return None
        end = at + len(match.group().rstrip(".:?)]}*_" if form.shape == "password" else " .:?)]}*-"))
    after = text[end : end + _AFTER_CHARACTERS]
    is_secret = form.is_secret(replace(lead, value=text[at:end], after=after, is_quoted=is_quoted))
    return (at, end) if end > at and is_secret else None


_QUOTED_SHAPES = frozenset({"password", "key", "seed_phrase"})
_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "«": "»", "‹": "›", "„": "“", "「": "」", "『": "』"}
_MAX_QUOTED = 160


def _closing(text: str, at: int, quote: str) -> int | None:
    end = text.find(_CLOSING[quote], at, at + _MAX_QUOTED)
    value = text[at:end] if end > at + 2 else ""
    return end if value and "\n" not in value and value[0] != "[" and value == value.strip() else None


def _value_before(text: str, name: re.Match[str], form: ValueForm) -> tuple[int, int] | None:
    """Read 'hunter2 is my PASSWORD', 'open it with 4821, that is the CODE'."""
    start = max(0, name.start() - _BEFORE_CHARACTERS)
    before = text[start : name.start()]
    is_number = form.shape in ("code", "one_time_code", "id", "account")
    match = (_BEFORE_NUMBER if is_number else _BEFORE).search(before)
    if match is None or match["value"].startswith("[") or form.shape == "seed_phrase":
        return None
    value = match["value"].rstrip(".:?)]}")
    is_used = _USE.search(before[: match.start("value")]) is not None
    tie = Tie.VERB if is_used or is_number else Tie.BEFORE
    if not form.is_secret(Named(name=text[name.start() : name.end()], tie=tie, value=value)):
        return None
    return start + match.start("value"), start + match.start("value") + len(value)
