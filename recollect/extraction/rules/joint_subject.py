"""Subjects of two: 'Dan and I', 'me and my brother', 'both my parents and I'. Pure."""

import re

from recollect.extraction.rules.lexicon import PETS, RELATIONS

_NAME = (
    r"(?-i:(?!(?:Sorry|Thanks|Thank|Yes|Yeah|No|Nope|Ok|Okay|Hi|Hello|Hey|Great|Cool|Nice|Done|Sure|Right|True|Oh|Ah|"
    r"Well|Wait|Anyway|Also|And|But|So|I|It|That|This|There|Here|Now|Then|Today|Yesterday|Tomorrow|Monday|Tuesday|"
    r"Wednesday|Thursday|Friday|Saturday|Sunday|Please|We|You|They|My|Our|Exactly|Agreed|Fine)\b)"
    r"[A-Z][\w'-]{1,30}+(?:\s[A-Z][\w'-]{1,30}+)?)"
)
_KIN = (
    rf"(?:my|our)\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?(?:(?:{RELATIONS}|{PETS})s?+|wives|children|kids|family|team|band|"
    rf"parents|folks|in-laws|ex)(?:,?\s++{_NAME},?+)?"
)
_OTHER = rf"(?:{_NAME}|{_KIN}|she|he|they)"
_WHEN = (
    r"(?:(?:last|this|next)\s++\w{1,12}+|yesterday|today|tomorrow|recently|apparently|sadly|luckily|"
    r"on\s++\w{3,10}day|in\s++\w{3,10}+)"
)
_LEAD = rf"(?:(?:so|and|but|also|because|since|ugh|argh|well|oh|btw|hey|hi|yes|yeah|{_WHEN})\b[,:\s]*+){{0,4}}"
_OPENS = re.compile(rf"{_LEAD}(?:both\s++|neither\s++)?(?:me|myself|{_OTHER}),?", re.IGNORECASE)
_MAX_OPENING = 80
_OTHER_FIRST = re.compile(
    rf"(?P<both>both\s++|neither\s++)?(?P<who>{_OTHER})\s++(?P<joint>and|nor)\s++(?:I|me|myself)\s++(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_ME_FIRST = re.compile(
    rf"(?P<both>both\s++)?(?:me|myself|I)\s++(?P<joint>and)\s++(?P<who>{_OTHER})\s++(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_LEADING = re.compile(_LEAD, re.IGNORECASE)


def is_half_subject(text: str) -> bool:
    """Return whether a clause is but a person, who shares the verb behind 'and' with the speaker.

    >>> is_half_subject("Dan"), is_half_subject("ugh, my sister"), is_half_subject("me"), is_half_subject("I met Dan")
    (True, True, True, False)
    """
    return len(text) <= _MAX_OPENING and bool(_OPENS.fullmatch(text))


def speaker_first(clause: str) -> str:
    """Put the speaker first where a clause begins with them and another; any other clause stays as it is.

    >>> speaker_first("My sister and I share a flat"), speaker_first("me and Kate are off"), speaker_first("I met Dan")
    ('I and my sister share a flat', 'I and Kate are off', 'I met Dan')
    """
    at, found = _two_in(clause)
    if not found:
        return clause
    who = found["who"]
    who = who[0].lower() + who[1:] if who.lower().startswith(("my ", "our ", "she", "he", "they")) else who
    both = {"both": "both ", "neither": "neither "}.get((found["both"] or "").strip().lower(), "")
    return f"{clause[:at]}{both}I {found['joint'].lower()} {who} {found['rest']}"


def without_other(clause: str) -> tuple[str, ...]:
    """Write a subject of two as 'I' and as 'we', so that it can be weighed; empty where there is none.

    >>> without_other("ugh, Dan and I broke up"), without_other("I met Dan")
    (('I broke up', 'we broke up'), ())
    """
    found = _two_in(clause)[1]
    return (f"I {found['rest']}", f"we {found['rest']}") if found else ()


def _two_in(clause: str) -> tuple[int, re.Match[str] | None]:
    lead = _LEADING.match(clause)
    for at in (0, lead.end() if lead else 0):
        found = _OTHER_FIRST.match(clause, at) or _ME_FIRST.match(clause, at)
        if found:
            return at, found
    return 0, None
