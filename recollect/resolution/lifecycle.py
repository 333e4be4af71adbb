"""What news end: a birth ends a pregnancy, a recovery an injury, a new day of a flight the old one. Pure."""

import re
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.resolution.batch_state import Case, KnownMemory, is_newer
from recollect.resolution.lexicon import DEGREE, PEOPLE
from recollect.resolution.tokens import is_sign, names, token, tokenize
from recollect.types import Candidate, Evidence, MemoryKind

# Whose news it is, or what it is about, before the verb.
_WHAT = (
    r"(?:^|[\"\s,(])(?:The user's |the user's |My |my |our |Our |the |The |their |his |her |[A-Z][\w-]{1,30}+'s )?"
    r"(?P<what>(?:[a-z-]{2,30}+ )?(?:[A-Z][\w-]{1,30}+|[a-z-]{3,30}+)(?: the [a-z]{2,20}+)?)"
)
_IS = (
    r"(?:'s|'ve| has| have| had| is| are| was| were| got| been| just| finally| now| also| sadly| all| really| "
    r"officially){0,4} "
)
_MANY_MEANT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A kind of news and what it ends."""

    news: LazyPattern[str]
    """What tells of it; its group `what` names what a memory must share to be ended."""
    ends: LazyPattern[str] | None = None
    """How memories read that it ends; None: all that speak of `what`."""
    words: str = ""
    """Words of such memories, where they need not share one with the news."""
    past: bool = False
    """What took place ends as well, since it is told for what came of it."""


_DATED = (
    r"(?=.{0,80}?\b(?:\d{1,2}(?:st|nd|rd|th)?|\d{4}|January|February|March|April|May|June|July|August|September|"
    r"October|November|December|\w+day|week|month)\b)"
)
_PLANNED = (
    r"\b(?:going to|flying|flies|flight|trip|travel\w*|booked|holiday|vacation|moving|plans?|planning|wedding|"
    r"party|appointment|interview|visit\w*|"
    r"conference|concert|meeting|training|course|in (?:January|February|March|April|May|June|July|August|"
    r"September|October|November|December)|"
    r"on \d{1,2} \w+|next \w+)\b"
)
_TURNS = (
    _Turn(
        news=LazyPattern(
            rf"{_WHAT}(?:{_IS}(?:died|passed away|passed on|put (?:down|to sleep)|dead)"
            r"|(?: was| got) [^.!?]{0,60}?\b(?:died|didn't make it|did not make it))\b"
            r"|\bput (?:my |our |the |their )?(?P<what2>[\w-]{2,30}(?: [A-Z][\w-]{1,30})?) (?:down|to sleep)\b"
        )
    ),
    _Turn(
        news=LazyPattern(
            r"\bgave birth\b|\b(?:[Ss]he|[Hh]e|[Tt]he baby|[Bb]aby|[Tt]hey)(?:'s| is| are) here\b|\bhad (?:the|"
            r"our|a|her|their) (?:baby|twins)\b|"
            r"\b[Ww]e(?:'ve)? (?:named|called) (?:her|him|them)\b|\b(?:baby|son|daughter|twins|girl|"
            r"boy)\b[^.!?]{0,30}?\b(?:was|were) born\b|\bwelcomed (?:a|our|their)\b"
        ),
        ends=LazyPattern(r"\b(?:pregnant|expecting|due (?:on|in|date)|trying for a baby)\b"),
        words="pregnant expecting due baby",
    ),
    _Turn(
        news=LazyPattern(
            r"\b(?:[Tt]he user|[Ww]e|user)(?: and (?:[\w'-]{1,30} ){0,3}?[\w'-]{1,30})?"
            r"(?:'re)?(?: (?:are|is|has|have|just|both|finally|now|officially|"
            r"and)){0,4} (?:getting (?:a )?divorced?|got divorced|"
            r"divorced|filed for (?:a )?divorce|separated|split up|broke up|broken up|splitting up)\b|\bleft the user\b"
        ),
        ends=LazyPattern(
            r"\b(?:[Tt]he user's|their|[Mm]y|[Oo]ur) (?:[\w-]+ )?(?:husband|wife|partner|girlfriend|boyfriend|"
            r"fianc\w+|spouse)\b|\b(?:is|are) (?:married|engaged)\b"
        ),
        words="husband wife partner girlfriend boyfriend fiance married engaged",
    ),
    _Turn(
        news=LazyPattern(
            r"\b(?:got married|tied the knot|(?:[Tt]he user|[Ww]e)(?:'re| is| are)? married\b|[Mm]arried now)\b"
        ),
        ends=LazyPattern(
            r"\b(?:engaged|fianc\w+|getting married|wedding is|planning (?:the|a|their|our|my) wedding)\b"
        ),
        words="engaged fiance fiancee wedding married getting",
    ),
    _Turn(
        news=LazyPattern(
            rf"{_WHAT}{_IS}?(?:'s |is |are |has )?(?:healed|cured|mended|recovered|better again|better now|"
            rf"(?:fine|ok|okay|well|good|normal) again|"
            rf"back to normal|all clear)\b|(?P<what2>[a-z-]{{3,30}}+)(?:'s| is| are) history\b"
        ),
        ends=LazyPattern(
            r"\b(?:broke|broken|injured|sprained|tore|torn|fractured|hurts?|injury|ill|sick|sore|infect\w+|no|not|can't|cannot|doesn't|isn't|until|only|has|is)\b"
        ),
        past=True,
    ),
    _Turn(
        news=LazyPattern(
            rf"{_WHAT}{_IS}(?:off(?=\s*[,.!\"]|$)|cancell?ed|called off|scrapped|bust|not happening)\b|"
            rf"\b(?P<what2>[\w-]{{1,30}}+ )fell through\b|"
            r"\bcancell?ed (?:my|our|the|their) (?P<what3>[\w-]{1,30}+(?: [\w-]{1,30}+)?)"
        ),
        ends=LazyPattern(_PLANNED),
    ),
    _Turn(
        news=LazyPattern(
            rf"\b(?:moved|postponed|rescheduled|pushed|brought|delayed|changed|shifted|"
            rf"switched)\b{_DATED}(?=[^.!?]{{0,80}}?\b(?:the user's|my|our|the|their) "
            r"(?P<what>(?:[a-z-]{1,30}+ )?[a-z-]{1,30}+))"
        ),
        ends=LazyPattern(r"\b(?:is|are|on|in|at|from|has|have)\b.{0,60}\d"),
    ),
    _Turn(
        news=LazyPattern(
            rf"{_WHAT}{_IS}(?:moved|postponed|rescheduled|pushed back|put off|brought forward|delayed){_DATED}"
        ),
        ends=LazyPattern(r"\b(?:is|are|on|in|at|from|has|have)\b.{0,60}\d"),
    ),
    _Turn(
        news=LazyPattern(
            r"\b(?:picked up|got|renewed|collected|have|has|bought|received) (?:the |my |their |our |a |his |"
            r"her )?(?:brand )?new (?P<what>[\w-]{1,30}+)"
        ),
        ends=LazyPattern(
            r"\b(?:expires?|runs? out|is (?:broken|lost|stolen|old|dead|dying)|died|broke|stolen|lost|needs? "
            r"(?:a new|to renew|replacing|renewing))\b"
        ),
        past=True,
    ),
    _Turn(
        news=LazyPattern(rf"{_WHAT}{_IS}(?:back|found|home again|home safe|returned|turned up|came back)\b"),
        ends=LazyPattern(
            r"\b(?:escaped|missing|lost|ran away|run away|can't find|cannot find|disappeared|vanished|gone)\b"
        ),
        past=True,
    ),
)
_CHANGES = LazyPattern(
    r"\b(?:now|again|instead|after all|all the way|back on|back to|lifted|these days|from now on)\b", re.IGNORECASE
)
# What a memory rules out: 'no sugar', 'avoids nuts', 'gave up meat'.
_RULED_OUT = LazyPattern(
    r"\b(?:no(?! longer)|without|avoids?|not|doesn't|don't|gave up|given up|stopped|quit)\s++(?:(?:any|the|eat|"
    r"drink|use|have|take|eating|drinking|using|taking)\s++)?"
    r"(?P<what>[a-z][\w-]{2,30}+)",
    re.IGNORECASE,
)
# Words that mean one kind of plan.
_KIN_OF_PLANS = {
    token(word): frozenset(token(other) for other in group.split())
    for group in (
        "flight fly flying flies plane",
        "trip travel journey holiday vacation going",
        "exam test examination",
        "wedding marry married",
        "operation op surgery",
    )
    for word in group.split()
}
# What took place stays; what came of it and lasted ends.
_EVENT = "event"
_LASTED = LazyPattern(
    r"\b(?:no|not|can't|cannot|couldn't|until|only|unable|doesn't|isn't|missing|lost|escaped|gone)\b", re.IGNORECASE
)
_NAME = LazyPattern(r"(?<![\w'’.])[A-Z][\w-]{1,30}+")
_NO_NAMES = frozenset(
    """The My Our She He They It Their And But January February March April May June July August September
    October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday""".split()
)
_GENERIC = frozenset(
    token(word)
    for word in "user they it he she one thing time day week month year airline new old first last also more".split()
)


def brings_news(candidate: Candidate) -> bool:
    """Whether a candidate tells of what may end memories that are not like it."""
    return bool(_CHANGES.search(candidate.text)) or any(turn.news.search(candidate.text) for turn in _TURNS)


def collect_ended_words(candidate: Candidate) -> str:
    """Return words of memories that the news may end, beside its own."""
    turn_words = [turn.words for turn in _TURNS if turn.words and turn.news.search(candidate.text)]
    extra = [word for known in tokenize(candidate.text).content for word in _KIN_OF_PLANS.get(known, ())]
    return " ".join((*turn_words, *extra))


def kin_of_plans(word: str) -> frozenset[str]:
    """Return words that mean the same kind of plan: 'trip' for 'going'."""
    return _KIN_OF_PLANS.get(word, frozenset())


def find_outlived(case: Case) -> list[KnownMemory]:
    """Find what holds no more since this happened: 'The baby is here' ends 'Ida is pregnant'."""
    candidate, evidence = case.candidate, case.evidence
    active = [known for known in case.active() if is_newer(evidence, known) and not _same_words(known, evidence)]
    ended: list[KnownMemory] = []
    for turn in _TURNS:
        for news in turn.news.finditer(candidate.text):
            ended += [known for known in _ended(turn, _shared_words(news), candidate, active) if known not in ended]
    ended += [known for known in active if known not in ended and _allows_again(candidate.text, known)]
    return ended if len(ended) <= _MANY_MEANT else []


def _same_words(known: KnownMemory, evidence: Evidence) -> bool:
    """Whether a memory rests on the same words as the news: what a sentence says it does not end."""
    return any(
        source.ref == evidence.ref and (source.quote in evidence.quote or evidence.quote in source.quote)
        for source in known.evidence
    )


def _shared_words(news: re.Match[str]) -> frozenset[str] | None:
    """Return the words of which an ended memory has one; None where the news need not name it."""
    groups = news.groupdict()
    if not groups:
        return None
    what = next((text for text in groups.values() if text), "")
    # A name says more than what it is the name of: 'the second cat Otto died' says nothing of the first.
    named = [name for name in _NAME.findall(what + news.group().partition(what)[2]) if name not in _NO_NAMES]
    what = " ".join(named) or what
    words = frozenset(word for word in tokenize(what).content - DEGREE - _GENERIC if not is_sign(word))
    return words.union(*(_KIN_OF_PLANS.get(word, frozenset()) for word in words))


def _ended(
    turn: _Turn, shared: frozenset[str] | None, candidate: Candidate, active: list[KnownMemory]
) -> list[KnownMemory]:
    if shared is not None and not shared:
        return []
    news = tokenize(candidate.text)
    ended = []
    for known in active:
        wording = tokenize(known.text)
        if shared is not None and not shared & wording.content:
            continue
        if turn.ends is not None and not turn.ends.search(known.text):
            continue
        if (known.type == _EVENT and not (turn.past and _LASTED.search(known.text))) or turn.news.search(known.text):
            continue
        ours, theirs = news.content & PEOPLE, wording.content & PEOPLE
        if ours and theirs and not ours & theirs and turn.words == "":
            continue
        ended.append(known)
    return ended if _of_one(shared, ended) else []


def _of_one(shared: frozenset[str] | None, ended: list[KnownMemory]) -> bool:
    """Whether it is clear who is meant: 'my friend died' says it of none of two friends."""
    if not shared or not shared <= PEOPLE:
        return True
    named = [names(tokenize(known.text), tokenize("")) - {"user"} for known in ended]
    return len(frozenset().union(*named)) <= 1


def _allows_again(text: str, known: KnownMemory) -> bool:
    """Whether a statement of what is so now speaks of what a memory rules out: 'no sugar'."""
    if not _CHANGES.search(text) or known.kind is not MemoryKind.NOTE:
        return False
    out = {token(match["what"].casefold()) for match in _RULED_OUT.finditer(known.text)} - _GENERIC
    denied = {token(match["what"].casefold()) for match in _RULED_OUT.finditer(text)}
    return bool((out & tokenize(text).content) - denied - DEGREE) and not tokenize(text).negations
