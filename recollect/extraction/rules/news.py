"""News whose subject is left out, or is another person or thing: 'Mia moved out', 'quit the choir'. Pure."""

import re

from recollect.extraction.rules.vocabulary import PETS, RELATIONS
from recollect.lazy_pattern import LazyPattern

_WHO = (
    rf"(?:(?:my|our|the)\s++(?:[\w'-]{{1,30}}+\s++){{0,3}}?(?:{RELATIONS}|{PETS})s?|(?:{RELATIONS}))(?:,?\s++[A-Z][\w-]{{1,30}}+)?"
    r"|[A-Z][\w-]{1,30}+(?:\s++[A-Z][\w-]{1,30}+)?(?:\s++the\s++\w{2,20}+)?|(?i:she|he|they|it)"
)
_THING = (
    r"(?:my|our)\s++(?:[\w'-]{1,30}+\s++){1,3}?|the\s++(?:[\w'-]{1,30}+\s++){1,2}?"
    r"|(?!(?:what|how|where|when|why|who|that|this|there|if|so|but|and|or|not|no|i|we|you|please)\b)[\w-]{3,30}+\s++(?:[\w-]{1,30}+\s++)?"
)
_DONE = (
    r"(?:'s|'ve|\s++has|\s++have|\s++had|\s++is|\s++are|\s++was|\s++were|\s++got|\s++just|\s++also|\s++finally|\s++already|\s++now|\s++sadly|\s++recently|"
    r"\s++both|\s++\w+ly){0,4}\s++"
)
# Events of a person or an animal.
_PERSON_EVENT = (
    r"(?:moved\s++(?:in|out|to(?=\s++(?-i:[A-Z]))|back|away|house)|died|dead|dying|passed\s++away|passed\s++on|didn't\s++make\s++it|put\s++(?:down|to\s++sleep)|"
    r"hit\s++by|run\s++over|gave\s++birth|had\s++(?:a|the|her|our|their)\s++baby|broke\s++(?:up|his|her|their)|back(?!\s++(?:and|in\s++time))\b|"
    r"home\s++again|gone(?=\s*+(?:$|[,.!]))|missing|came\s++back|returned|turned\s++up|found\s++(?:him|her|it)|ran\s++away|escaped|retired|graduated|"
    r"pregnant|expecting|married|engaged|divorced|separated|fired|sacked|laid\s++off|promoted|diagnosed|adopted|born|(?i:here)(?=\s*+(?:!|$))|"
    r"(?:got|has|found|started)\s++an?\s++(?:new\s++)?job|quit|left\s++(?:me|us|home|school)|recovered|healed|(?:fine|well|healthy|okay|ok)\s++again|"
    r"all\s++clear|cancer[\s-]free|called|named|allergic|vegan|vegetarian|coeliac|celiac|diabetic)\b"
)
# Changes of a plan or a thing.
_CHANGES = (
    r"(?:cancell?ed|postponed|rescheduled|called\s++off|(?:moved|pushed)\s++(?:up|forward|back|(?:to|from)\s++(?=(?:the\s++)?\d|next|tomorrow|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))|brought\s++forward|put\s++off|"
    r"off(?=\s*+(?:$|[,.!]))|fell\s++through|went\s++bust|closed\s++down|shut\s++down|folded|sold|stolen|died|broke|back\s++on\s++the\s++menu|healed|gone|history|"
    r"over(?=\s*+(?:$|[,.!]))|lifted|finished|fine\s++again|better\s++again|ok\s++again|okay\s++again|fixed|repaired|expired|valid\s++(?:till|until)|"
    r"approved|rejected|refused|accepted)\b"
)
# Actions of others on something of the speaker's, or known to both.
_DONE_TO = (
    r"(?:moved|postponed|pushed|changed|rescheduled|cancell?ed|put|switched|transferred|brought|offered|promoted|fired|sacked|increased|raised|"
    r"lowered|cut|reduced|stopped|took|closed|sold|extended|upgraded|delayed|let)\s++(?:my|our|me|us|it|the)\b"
)
_HAPPENED = LazyPattern(rf"(?:{_WHO}){_DONE}{_PERSON_EVENT}", re.DOTALL)
_CHANGED = LazyPattern(
    rf"(?:{_THING})(?<=\s)(?:(?:is|are|was|were|has|have|had|got|been|just|finally|now|also|really|\w+ly)\s++){{0,4}}{_CHANGES}",
    re.IGNORECASE,
)
_IS_CHANGED = LazyPattern(
    rf"[\w-]{{3,30}}+'s\s++(?:(?:been|finally|now|all|\w+ly)\s++){{0,3}}{_CHANGES}", re.IGNORECASE
)
_BY_OTHERS = LazyPattern(
    rf"(?:(?:my|our|the)\s++[\w'-]{{1,30}}+(?:\s++[\w'-]{{1,30}}+)?|they|he|she|dr\.?\s++\w{{1,30}}+|[A-Z][\w-]{{1,30}}+)"
    rf"(?:\s++(?:has|have|just|also|finally|now|\w+ly)|'ve|'s){{0,4}}\s++{_DONE_TO}",
    re.IGNORECASE,
)
# 'We had to put Moose down.'
_PUT_DOWN = LazyPattern(
    r"(?:i|we)(?:'ve)?\s++(?:have\s++|had\s++)?(?:to\s++)?put\s++"
    rf"(?:(?:my|our|the)\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?(?:{PETS})\s++(?:(?-i:[A-Z])[\w-]{{1,30}}+\s++)?|(?-i:[A-Z])[\w-]{{1,30}}+\s++)"
    r"(?:down|to\s++sleep)\b",
    re.IGNORECASE,
)
_NOW_IS = LazyPattern(
    r"(?:(?:so|and|but|now)\s++){0,3}(?:it's|it\s++is|it'll\s++be|everything's|everything\s++is|we're|that's)\s++(?:[^,.!?;]{1,60}?\s++)??(?:now|instead|again)\b",
    re.IGNORECASE,
)
_ALL_NOW = LazyPattern(
    r"[\w\s,'-]{2,80}?\ball\s++the\s++way(?:\s++(?:now|from\s++now\s++on))?\s*+[.!]*+$", re.IGNORECASE
)
# Without 'I', starting with a verb of a turning point.
_LEFT_OUT = LazyPattern(
    r"(?:(?:just|finally|recently|officially|nearly|also|only|already)\s++){0,3}(?:"
    r"(?:broke|sprained|tore|fractured|twisted|dislocated|injured)\s++(?:my|an?)\b|"
    r"(?:got|been|was)\s++(?:laid\s++off|made\s++redundant|fired|sacked|married|engaged|divorced|promoted|diagnosed|accepted|hired|let\s++go|"
    r"an?\s++(?:new\s++)?(?:job|offer|place|promotion|puppy|dog|cat|kitten|flat))\b|"
    r"(?:quit|left)\s++(?:my|the|our)\b|gave\s++up\s++\w|sold\s++(?:my|the|our|(?-i:[A-Z]))|booked\s++(?:\w)|cancell?ed\s++(?:my|the|our)\b|"
    r"(?:adopted|bought|rescued)\s++(?:an?|the|my|our|two|three)\b|passed\s++my\b|failed\s++(?:my|the)\b|graduated\b|retired\b|"
    r"(?:started|finished|joined)\s++(?:at|as|my|an?|the|\w+ing)\b|turned\s++\d|picked\s++up\s++(?:my|the|our)\s++new\b|switched\s++(?:to|from)\b|"
    r"lost\s++(?:my|our)\b|found\s++out\s++(?:i|that\s++i|my)\b|"
    r"(?:been|gone)\s++(?:an?\s++)?(?:vegan|vegetarian|sober|single|married|divorced|gluten[\s-]free|off|on)\b|been\s++\w+ing\s++(?:for|since)\b)",
    re.IGNORECASE,
)
_GOING = LazyPattern(
    r"(?:flying|driving|travell?ing|leaving|moving|going|sailing|heading|off|staying|visiting|meeting|starting|speaking|running|getting\s++married)\s++"
    r"(?:to|from|out|back|in|at|with|for|on|my|the|a|\w+)\b",
    re.IGNORECASE,
)
# Habits and lasting changes of a household or a team.
_WE = LazyPattern(
    r"we(?:'ve|'re|\s++have|\s++are|\s++had)?(?:\s++(?:all|both|mostly|usually|always|only|now|still|just|also|finally|don't|never|do))*+\s++"
    r"(?:use|deploy|run|write|code|indent|build|ship|host|work|live|speak|eat|have|own|keep|rent|share|celebrate|homeschool|drive|grow|drink|are|"
    r"call|called|named|name|adopted|moved|bought|sold|dropped|switched|picked\s++up|got|going\s++to\s++(?-i:[A-Z])\w{0,20}|flying|moving|expecting|getting|having|decided|"
    r"booked|cancell?ed|planning|leaving|using|married|from|allergic|vegan|vegetarian)\b",
    re.IGNORECASE,
)
# 'We have a bug', 'we are at step 3': work at hand.
_WE_NOW = LazyPattern(
    r"we(?:'ve|'re|\s++have|\s++are)?\s++(?:(?:already|just|now|also)\s++)*+(?:got\s++(?:to|an?\s++(?:error|issue|problem))|have\s++to|run\s++(?:into|out)|"
    r"(?:have\s++)?an?\s++(?:\w+\s++)?(?:bug|issue|problem|error|question|deadline|meeting)|going\s++to\s++(?:need|have|use|do|see|write|look|start|try)|"
    r"use\s++(?:this|that|it|the\s++following)|getting\s++(?:an?|this|the|there)\b|called\s++(?:the|it|this))",
    re.IGNORECASE,
)


def leaves_out_subject(text: str, *, dated: bool) -> bool:
    """Return whether a clause without 'I' states a turning point, or a journey with its day.

    >>> leaves_out_subject("sold my cello", dated=False), leaves_out_subject("fix the tests", dated=False)
    (True, False)
    """
    return bool(_LEFT_OUT.match(text)) or (dated and bool(_GOING.match(text)))


def is_household_habit(text: str) -> bool:
    """Return whether a clause states how a household or a team lives or works.

    >>> is_household_habit("we rent a farm near Lugo"), is_household_habit("we have a problem")
    (True, False)
    """
    return bool(_WE.match(text)) and not _WE_NOW.match(text)


def is_news(text: str) -> bool:
    """Return whether a clause states what happened to a person or thing.

    >>> is_news("Ilse moved to Ghent"), is_news("they postponed it"), is_news("the function is called twice")
    (True, True, False)
    """
    return any(
        sign.match(text) for sign in (_HAPPENED, _PUT_DOWN, _BY_OTHERS, _NOW_IS, _ALL_NOW, _CHANGED, _IS_CHANGED)
    )
