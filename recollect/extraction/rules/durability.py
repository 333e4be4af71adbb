"""Whether a clause said to an assistant lasts: habits, states of the user and their people, turning points. Pure.

"I can't swim" and 'I run four times a week' last; 'I run the tests' does not.
"""

import re

from recollect.extraction.rules.verbs import is_adverb, is_past
from recollect.extraction.rules.vocabulary import PETS, POSSESSIONS, RELATIONS
from recollect.lazy_pattern import LazyPattern
from recollect.text import words

_UNIT = r"(?:day|morning|afternoon|evening|night|week|weekend|month|year|summer|winter|\w+day)"
# How often, since when, or how usually.
_HABIT = LazyPattern(
    rf"\b(?:every\s++(?:single\s++|other\s++|second\s++)?{_UNIT}s?|each\s++{_UNIT}|(?:once|twice|\w+\s++times)\s++(?:an?|per|every)"
    rf"\s++{_UNIT}|\w+\s++{_UNIT}s\s++(?:an?|per)\s++{_UNIT}|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|daily|weekly|"
    r"always|usually|never|easily|regularly|rarely|hardly\s++ever|most\s++days|all\s++my\s++life|since\s++(?:i\s++was|my|\d{4})"
    r"|every\s++\w+\s++(?:days|weeks|months|years)|for\s++(?:\d+|\w+)\s++(?:years|decades)|"
    rf"in\s++the\s++(?:morning|evening|afternoon)s?|at\s++(?:night|\d{{1,2}}(?::\d\d)?\s*+[ap]m))\b",
    re.IGNORECASE,
)
_ADVERBS = r"(?:(?:\w+ly|still|also|just|only|always|never|usually|often|sometimes|really)\s++){0,6}"
_OWNED = (
    rf"(?:{RELATIONS}|{PETS}|{POSSESSIONS}|child(?:ren)?|kids?|siblings?|grandchildren|family|driving\s++licen[cs]e|"
    r"driver'?s\s++licen[cs]e|degree|insurance|passport|tv|oven|dishwasher|balcony|garage|tattoos?|"
    r"allergies|allergy|credit\s++card|visa|membership|subscription|twins)"
)
# What the speaker has, lacks, is not or cannot do.
_STATES = LazyPattern(
    rf"i\s++{_ADVERBS}(?:have|own)(?:\s++got)?\s++(?:no|any|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\s++"
    rf"(?:[\w-]+\s++){{0,3}}?{_OWNED}s?\b"
    rf"|i\s++(?:don't|do\s++not|have\s++never)\s++(?:have|own|had)\s++(?:any\s++|an?\s++)?(?:[\w-]+\s++){{0,2}}?{_OWNED}s?\b"
    r"|i(?:'m|\s++am)\s++not\s++(?:an?\s++(?!fan\b|big\b)\w+|married|single|religious|vaccinated|insured|retired|employed|pregnant|"
    r"from\s++\w+|good\s++(?:at|with)\s++\w+|able\s++to\s++(?:drive|walk|swim|eat|drink|see|hear)|comfortable\s++with)\b"
    r"|i\s++(?:can't|cannot|can\s++not|can\s++barely|never\s++learned\s++to|never\s++learnt\s++to|don't\s++know\s++how\s++to)\s++"
    r"(?:really\s++)?(?:swim|drive|cook|dance|sing|ski|ride|read|write|whistle|climb|cycle|knit|sew|draw|type|smell|fly|hear\s++well|"
    r"see\s++well|eat|drink|tolerate|digest|have\s++(?:dairy|gluten|alcohol|caffeine|sugar))\b"
    rf"|i\s++{_ADVERBS}(?:don't\s++|do\s++not\s++)?(?:drink|eat|wear|smoke|take|sleep|snore|commute|cycle|bike|rent|own|vape|"
    r"suffer|belong|volunteer|use(?=\s++(?-i:[A-Z]))|teach|coach|study|lecture|play|sing|dance|paint|collect|"
    r"practi[sc]e|knit|sew|garden|bake|speak|breed|"
    r"foster|attend|wake\s++up|get\s++up|go\s++to\s++(?:an?|the|my)\s++\w+\s++(?:class|club|group|school|gym|choir|course))\b"
    # 'a whippet called Biscuit': animals with a name belong to someone.
    rf"|(?:i|we)(?:'ve)?\s++{_ADVERBS}(?:have|had|got|own|adopted|bought)(?:\s++got)?\s++(?:an?|one|two|three|four)\s++(?:[\w-]+\s++){{1,4}}(?:called|named)\s"
    # Skills the speaker has learnt.
    r"|i\s++can\s++(?:finally\s++|now\s++)?(?:swim|drive|cook|dance|sing|ski|ride|read|write|whistle|climb|cycle|knit|sew|draw|type|smell|fly|"
    r"hear|see|eat|drink|tolerate|walk|run|have)\b[^,.;!?]{0,40}\b(?:now|again)\b|i\s++can\s++(?:finally|now)\s++\w"
    # Things the speaker stopped doing, and long-term searches.
    rf"|i(?:'m|'ve|\s++am|\s++have)?\s++{_ADVERBS}(?:no\s++longer\s++\w+|(?:not|don't|do\s++not|can't|won't)\s++.{{0,200}}?\b(?:any\s?more|any\s++longer)\b"
    r"|stopped\s++\w+ing|quit\s++\w+)"
    rf"|(?:i|we)(?:'m|'re|\s++am|\s++are)?\s++{_ADVERBS}(?:need|want|looking\s++for|searching\s++for)\s++(?:an?|my\s++own|our\s++own|another)\s++"
    r"(?:\w+\s++)?(?:flat|apartment|house|job|therapist|doctor|dentist|flatmate|roommate|nanny|school|car|career|divorce|puppy|dog|cat)\b",
    re.IGNORECASE,
)
# Goals of several months.
_WORKS_TOWARDS = LazyPattern(
    rf"i(?:'m|\s++am)\s++{_ADVERBS}(?:(?:training|preparing|studying|saving(?:\s++up)?)\s++for\s|learning\s++\w|expecting\s|dating\s|"
    r"(?:raising|keeping|renting)\s|on\s++(?-i:[A-Z])\w++\s++with\s|"
    r"(?:writing|finishing|doing)\s++(?:my|an?)\s++(?:[\w-]++\s++){0,2}?(?:novel|book|thesis|dissertation|phd|memoir|degree|masters?|album)\b)",
    re.IGNORECASE,
)
# Ways of life: illnesses, fears, working hours, company at home, looks, size.
_WAYS_OF_LIFE = LazyPattern(
    rf"i\s++{_ADVERBS}(?:can\s++)?get\s++(?:(?:really|so|very|terribly|a\s++bit)\s++)?(?:(?:car|sea|air|motion|travel|"
    rf"bus)[- ]?sick|migraines?|nosebleeds?|"
    r"hives|panic\s++attacks?|heartburn|dizzy\s++(?:from|when|on)|anxious\s++(?:in|on|around|about|when)|cramps|"
    r"sunburnt|sunburned|up\s++(?:at|around)\s++\d)"
    rf"|i(?:'m|\s++am)\s++{_ADVERBS}(?:afraid|scared|terrified|frightened)\s++of\s++(?!(?:it|that|this|you)\b|"
    rf"(?:breaking|losing|messing|doing)\b)"
    rf"|i(?:'ve|\s++have)\s++(?:got\s++)?(?:a|an|this)\s++(?:\w++\s++)?(?:fear|phobia|intolerance|stammer|stutter|"
    rf"limp|lisp)\b"
    rf"|i\s++{_ADVERBS}live\s++(?:alone|with|near|by|above|opposite|on|next\s++to|off|upstairs|in(?!\s++(?:fear|hope|peace|denial|the\s++(?:moment|past|present)|vim)\b))\s"
    rf"|i\s++{_ADVERBS}live\s++alone\b|i\s++{_ADVERBS}share\s++(?:an?|my)\s++(?:\w++\s++)?(?:flat|house|apartment|"
    rf"room|office|studio|desk|kitchen|car)\b"
    rf"|i\s++{_ADVERBS}work\s++(?:nights?|days|mornings|afternoons|evenings|weekends|shifts|part[- ]time|full[- ]time|"
    rf"remotely|from\s++home|late|freelance|"
    r"(?:as|at|in|for|with)\s++(?!(?:it|this|that|the\s++(?:code|file|error|moment)|you|once|all|first|least|theory|"
    r"progress)\b)\w)"
    r"|i(?:'m|\s++am)\s++(?:an?\s++)?(?:(?:early|morning|night|cat|dog|people|city|country|outdoors?|beach|tea|coffee|"
    r"mountain)\s++(?:bird|person|owl|lark)|"
    r"early\s++(?:bird|riser)|night\s++owl|light\s++sleeper|heavy\s++sleeper|(?:big|picky|fussy)\s++eater|"
    r"only\s++child|twin|introvert|extrovert|"
    r"(?:slow|fast|bad|good|nervous|keen|strong|weak)\s++(?:reader|cook|driver|swimmer|sleeper|flyer|runner|hiker|"
    r"typist|listener))\b"
    r"|i(?:'m|\s++am)\s++(?:the\s++only\s++(?:one|person|woman|man|vegetarian|vegan)\b|muslim|jewish|hindu|sikh|"
    r"buddhist|christian|catholic|orthodox|atheist|"
    r"mormon|quaker|trans|non-?binary|gay|lesbian|bisexual|asexual|pregnant|retired|self-employed|unemployed|"
    r"colou?r[- ]?blind|"
    r"(?:an?\s++)?(?:single|stay-at-home|new|first-time|working)\s++(?:mum|mom|dad|mother|father|parent)|"
    r"(?:an?\s++)?(?:mum|mom|dad|mother|father|parent|grandmother|grandfather|grandma|grandpa)\s++(?:of|to)\s|"
    r"(?:an?\s++)?size\s++\w|up\s++at\s++\d|\d(?:[.,]\d\d?)?\s?(?:m|cm|ft)?\s++tall|\d{3}\s?cm|in\s++(?:my|"
    r"the)\s++(?:\w++\s++)?(?:year|semester|trimester|choir|band|orchestra|army|navy|"
    r"team)\b|in\s++(?!(?:(?-i:[A-Z]++)|excel|word|powerpoint|photoshop|figma|vim|python|jupyter|outlook|teams|slack|part|chapter|section)\b)(?-i:[A-Z])[\w-]++(?=\s*+(?:$|[,.!]|and\b|so\b|now\b|at\b))|"
    r"on\s++(?:the\s++)?(?:pill|a\s++(?:diet|budget)|benefits|parental\s++leave|maternity\s++leave|sick\s++leave|"
    r"call\s++every))"
    rf"|i\s++{_ADVERBS}(?:weigh|wake|rise|earn|make)\s++(?:up\s++)?(?:about\s++|around\s++|at\s++|just\s++)*+[$€£]?\d"
    rf"|i\s++{_ADVERBS}(?:go|cycle|walk|hike|fish|run|swim|climb|camp|ski|surf|sail|garden|bake|brew|paint|sew|knit|"
    rf"sing|dance|box|row|fence)\s++(?:\w++\s++){{0,3}}?"
    r"(?:on\s++weekends|most\s++\w++|in\s++(?:a|an|the)\s++\w++|every\s)"
    r"|i(?:'ve|\s++have)(?:\s++got)?\s++an?\s++(?:(?:19|20)\d\d|old|vintage|second-?hand|new)\s++(?!(?:error|idea|"
    r"problem|question|issue|bug|version|file|task|project|plan)\b)[\w-]++"
    rf"|i\s++{_ADVERBS}(?:look\s++after|care\s++for|take\s++care\s++of)\s++(?:my|an?|our|two|three)\s"
    rf"|i(?:'ve|\s++have)?\s++{_ADVERBS}(?:been\s++to|visited)\s++(?-i:[A-Z])"
    r"|i(?:'m|\s++am)\s++(?:an?\s++)?(?:stay[- ]at[- ]home|obsessed\s++with|half\s++(?-i:[A-Z])\w|\d\s++(?:foot|"
    r"feet|ft)\b|going\s++deaf|losing\s++my\s++(?:hearing|sight))"
    r"|i(?:'ve|\s++have)?(?:\s++got)?\s++(?:have\s++)?(?:an?\s++)?(?:bad|weak|flat|sensitive|dry|oily|curly|long|short|red|grey)\s++(?:back|knees?|feet|skin|hair|stomach|teeth|eyes|hips?|shoulders?|wrists?|ankles?)\b"
    r"|i(?:'ve|\s++have)(?:\s++got)?\s++an?\s++(?:\w++\s++)?(?:allotment|workshop|studio|balcony|terrace|yard|greenhouse|pond|stammer|tattoo|piercing|pension|mortgage|student\s++loan|visa|scholarship)\b(?!\s++(?:question|problem|issue|interview|form|application))"
    rf"|i\s++{_ADVERBS}(?:faint|restore|brew|repair|build|breed|sew|crochet|embroider|forage|freelance|babysit|tutor|juggle|blog|stream|rehearse|referee|umpire)\b(?!\s++(?:this|that|it|the|my\s++(?:app|code|project))\b)"
    rf"|(?:every\s++\w+day|(?:mon|tues|wednes|thurs|fri|satur|sun)days|on\s++(?:mon|tues|wednes|thurs|fri|satur|sun)days),?\s++i\s++\w"
    rf"|i\s++{_ADVERBS}want\s++to\s++(?:learn|become|live|move|retire|open|start|have\s++(?:kids|children))\s++(?!(?:how|about|from|this|that|it|with\s++this)\b)\w"
    rf"|i\s++{_ADVERBS}(?:got|scored)\s++(?:an?\s++(?:distinction|first|merit|scholarship|[a-e][+-]?)\b|\d++(?:[.,]\d++)?\s?%?\s++(?:in|on|out\s++of)\s++(?:my|the|(?-i:[A-Z]))(?!\w*+\s(?:test\s++suite|benchmark)))"
    rf"|i\s++{_ADVERBS}(?:moved|emigrated)\s++(?:here|to\s++(?-i:[A-Z]))"
    rf"|i(?:'ll|'m|\s++will|\s++am)\s++{_ADVERBS}(?:be\s++)?(?:going\s++to|go\s++to|fly\s++to|flying\s++to|"
    rf"travelling\s++to|traveling\s++to|off\s++to|moving\s++to|starting\s++(?:at|as)|"
    r"start\s++(?:at|as)|speaking\s++at|running\s++the|presenting\s++at|performing\s++(?:at|in)|playing\s++(?:at|"
    r"in))\s++(?:(?:an?|the)\s++(?!(?:line|step|page|point|top|end|beginning|start|bottom)\b)[\w-]++|(?-i:[A-Z])[\w-]{2,30}+"
    r"(?!\s++(?:the|this|my)\s++(?:log|code|file|text|error)\b))",
    re.IGNORECASE,
)
_WRITES_ON = LazyPattern(
    r"(?:my|our)\s++(?:(?:phd|master'?s?|bachelor'?s?|doctoral|first|next|new|second)\s++){0,2}(?:phd|thesis|"
    r"dissertation|novel|book|research|doctorate|memoir|podcast|"
    r"blog|startup|start-up|company|band|album)(?:\s++(?:topic|project|work))?(?:'s|\s++(?:is|"
    r"was))\s++(?:all\s++)?(?:on|about|called|named|set)\s++\w"
    r"|(?:that's|it's|which\s++is)\s++what\s++my\s++(?:phd|thesis|dissertation|research|book|novel)\s++is\s++(?:on|"
    r"about)",
    re.IGNORECASE,
)
# Habits of a household or a team.
_HOUSEHOLD_HABIT = LazyPattern(
    r"we(?:'re|'ve|\s++are|\s++have)?\s++(?:(?:all|both|only|also|now|always|mostly|just)\s++)*+(?:use|using|deploy|host|indent|live|share|rent|own|"
    r"keep|grow|raise|speak|eat|cook|drink|sleep|named|call\s++(?:him|her|it|them)|(?:have|got)\s++(?:an?|one|two|three|four|no)|"
    r"(?:don't|do\s++not|never)\s++(?:eat|drink|use|have|own)|(?:going|flying|moving|travelling|traveling|driving)\s++to\s++(?-i:[A-Z]))\b",
    re.IGNORECASE,
)
# People, pets and things of a household or a team.
_HOUSEHOLD_THING = LazyPattern(
    rf"our\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?(?:{RELATIONS}|{PETS}|{POSSESSIONS}|kids|children|twins|family|wifi|wi-fi|"
    rf"backend|frontend|stack|database|servers?|"
    r"site|office|anniversary|wedding|kitchen|garden|balcony|rent|mortgage|budget|address|landlord|flat|building|"
    r"street|trip|flight|holiday|honeymoon|"
    r"baby|shop|restaurant|farm|choir|band|club)s?\b(?:\s++(?-i:[A-Z])[\w-]++)?(?:'s|\s++(?:(?:also|"
    r"always|only|still|now|both|all)\s++)*+(?:is|are|has|have|was|were|hates?|loves?|eats?|runs?|"
    r"keeps?|turns?|starts?|won't|can't|doesn't|don't|goes|lives?|uses?|works?|sleeps?|got|moved|expires?|"
    r"costs?))\s++(?!(?:not\s++working|broken|down|slow|loading|failing|"
    r"throwing|returning|crashing)\b)\S",
    re.IGNORECASE,
)
_WE_ARE = LazyPattern(
    r"we(?:'re|\s++are|'ve|\s++have)\s++(?:(?:all|both|only|also|now|just|currently|"
    r"still)\s++)*+(?:(?:an?\s++)?(?:family|team|group|couple|household|band|company)\s++of\s|"
    r"(?:based|living|settled)\s++(?:in|on|near)\s++\S|(?:off|going|flying|driving|travelling|traveling|"
    r"moving)\s++to\s++(?:the\s++)?(?-i:[A-Z])|"
    r"(?:getting\s++(?:married|divorced|a\s++\w++)|married|engaged|divorced|vegan|vegetarian|expecting|pregnant|"
    r"trying\s++for\s++a\s++baby|renting|"
    r"renovating|adopting|retired|vegetarians|vegans|teachers|nurses|farmers)\b|(?:got\s++)?(?:two|three|four|five|"
    r"six|\d+|some|no|a\s++few)?\s*+"
    rf"(?:{PETS})s\b|on\s++(?:the\s++)?(?:\w++\s++)?(?:mortgage|benefits|a\s++budget))",
    re.IGNORECASE,
)
_WHO = (
    r"(?:(?-i:[A-Z])[\w'-]{1,30}+|(?:my\s++)?(?:grandad|granddad|grandpa|grandma|granny|gran|nan|mum|mom|dad|baby))"
    r"(?:\s++and\s++(?:i|(?-i:[A-Z])[\w'-]{1,30}+))?"
)
# Events of named people, and changes that others make for the speaker.
_NAMED_PEOPLE_EVENT = LazyPattern(
    rf"{_WHO}\s++(?:(?:has|have|just|finally|recently|sadly)\s++)*+(?:moved\s++(?:in|out|back|away|to\s++(?-i:[A-Z]))|passed\s++away|died|gave\s++birth|"
    r"got\s++(?:married|engaged|divorced)|(?:is|are)\s++getting\s++(?:married|divorced)|(?:is|are)\s++(?:now\s++)?(?:pregnant|allergic\s++to|"
    r"expecting|vegan|vegetarian|divorced|engaged|married)|was\s++born|graduated|retired|broke\s++up|split\s++up|had\s++(?:a|her|his|our|their)\s++baby)\b"
    r"|(?:they|(?:the|my)\s++(?!(?:function|code|app|script|update|compiler|linter|server|browser|page|tool|file|model|api)\b)[\w-]{2,20}+|"
    r"(?:dr|doctor)\.?\s++\w{2,20}+|(?:he|she)\s++also)\s++(?:(?:has|have|just|also)\s++)*+(?:moved|postponed|cancell?ed|changed|delayed|put|raised|"
    r"lowered|increased|reduced|stopped|prescribed|promoted|transferred)\s++(?:my|our|me|us|the)\b",
    re.IGNORECASE,
)
# Passing states of a thing.
_PASSING = (
    r"(?:here|there|late|ready|back|up|down|off|on|over|out|empty|full|dead|open|closed|broken|stuck|slow|frozen|cold|warm|"
    r"almost|about|gonna|now|being|not\s++working|not\s++here|\w+ing)\b"
)
# 'my budget is', 'my car has': possessions and their attributes.
_ATTRIBUTE = LazyPattern(
    r"my\s++(?:[\w'-]{1,30}+\s++){1,4}?(?:(?:has|have|just)\s++){0,2}(?:went|gone|rose|risen|fell|fallen|dropped|increased|decreased)"
    r"\s++(?:(?:up|down)\s++)?(?:to|from)\s++\S|"
    rf"my\s++(?:[\w'-]+\s++){{1,5}}?(?:(?:is|are)\s++(?!{_PASSING})\S|(?:has|have|costs?|lives?|works?|plays?|likes?|loves?)\s++\S)",
    re.IGNORECASE,
)
_KIN_STATEMENT = LazyPattern(
    rf"\bmy\s++(?:[\w'-]+\s++){{0,2}}?(?:{RELATIONS}|{PETS}|kids|children|family|twins)s?\b(?:\s++\w+){{0,2}}?\s++"
    rf"(?:(?:is|are)(?=\s++(?:\w+ly\s++)?(?:living|working|studying|getting|expecting|moving|dating|teaching|turning)\b|\s++(?!{_PASSING}))|has|have|"
    r"lives?|works?|loves?|hates?|likes?|plays?|goes|studies|teaches|speaks?|suffers?|can't|cannot|doesn't|don't|died|moved)\b",
    re.IGNORECASE,
)
# Turning points of a life.
_TURNING_POINT = LazyPattern(
    r"\b(?:adopted|married|engaged|divorced|born|graduated|retired|enrol?led|diagnosed|pregnant|expecting|promoted|published|"
    r"emigrated|immigrated|separated|widowed|broke\s++up|split\s++up(?!\s++(?:the|it|this|my|into)\b)|moved|passed\s++away|signed\s++(?:up|a|the)|"
    r"(?:got|landed|lost|quit|left|started|changed|took|accepted|found)\s++(?:(?:the|a|an|my|our|another)\s++)?(?:new\s++)?"
    r"(?:job|position|role|offer|flat|house|apartment|school|puppy|kitten|dog|cat|visa|citizenship|degree|place)|"
    r"passed\s++(?:my|the|an?)\s|failed\s++(?:my|the)\s|bought\s++(?:an?|my|our|the)\s|sold\s++(?:my|our|the)\s|won\s++(?:an?|the|my)\s|"
    r"(?:broke|tore|sprained|injured|dislocated|fractured)\s|cancell?ed\s++my|gave\s++up|joined\s|had\s++(?:an?\s++|my\s++)?"
    r"(?:\w+\s++)?(?:surgery|operation|baby|accident|miscarriage|stroke|removed))",
    re.IGNORECASE,
)
# Verbs in the present tense that state no habit, but belong to the conversation.
_NO_HABIT = frozenset(
    """see hear know think guess mean want need hope wonder get got feel try understand agree wish believe suppose
    remember forget appreciate notice look bet doubt assume swear promise expect realise realize say tell ask just
    can could will would should may might must shall cannot can't couldn't won't wouldn't don't didn't shouldn't
    haven't hadn't wasn't ain't am have had did do does let put keep made make thank""".split()
)
HABIT_BONUS, STATE_BONUS, TURNING_POINT_BONUS = 0.15, 0.2, 0.15


def durability_bonus(text: str) -> float:
    """Return the bonus of a clause that states something lasting; 0 for any other.

    >>> [durability_bonus(clause) for clause in ("I can't swim", "I run the tests", "I run four times a week")]
    [0.2, 0.0, 0.15]
    """
    gained = 0.0
    if _STATES.match(text) or _WORKS_TOWARDS.match(text) or _WAYS_OF_LIFE.match(text) or _WRITES_ON.match(text):
        gained = STATE_BONUS
    elif is_household_statement(text) or is_people_event(text) or _KIN_STATEMENT.search(text) or _ATTRIBUTE.match(text):
        gained = HABIT_BONUS
    if _TURNING_POINT.search(text):
        gained = max(gained, TURNING_POINT_BONUS)
    return gained + HABIT_BONUS * bool(_HABIT.search(text)) if gained < STATE_BONUS else gained


def is_household_statement(text: str) -> bool:
    """Return whether a clause states how a household or a team lives or works.

    >>> is_household_statement("we deploy on Fly"), is_household_statement("we talked")
    (True, False)
    """
    return bool(_HOUSEHOLD_HABIT.match(text) or _HOUSEHOLD_THING.match(text) or _WE_ARE.match(text))


def is_people_event(text: str) -> bool:
    """Return whether a clause is about named people, or about changes that others made for the speaker.

    >>> [is_people_event(text) for text in ("Oksana moved in", "the airline moved our flight", "the code moved it")]
    [True, True, False]
    """
    return bool(_NAMED_PEOPLE_EVENT.match(text))


def is_turning_point(text: str, *, habits: bool = True) -> bool:
    """Return whether a clause states a turning point or, with `habits`, a habit."""
    return bool(_TURNING_POINT.search(text) or (habits and _HABIT.search(text)))


def is_present_habit(text: str) -> bool:
    """Return whether a clause states a habit in the present tense: 'I commute', 'we rehearse'.

    >>> is_present_habit("I mostly paint birds"), is_present_habit("I think so"), is_present_habit("I painted it")
    (True, False, False)
    """
    found = words(text)
    for place, word in enumerate(found):
        if word in ("i", "we"):
            rest = [other for other in found[place + 1 : place + 4] if not is_adverb(other)]
            return bool(rest) and rest[0] not in _NO_HABIT and not is_past(rest[0])
    return False
