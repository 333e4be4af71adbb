"""Whether an English clause is about its speaker's life, whatever its subject, and is meant. Pure.

"rent there's 695" and 'they made me permanent' are; 'the sky is blue' and 'we might move to Leeds' are not.
"""

import re

from recollect.extraction.rules.asides import mentions_fiction
from recollect.extraction.rules.vocabulary import CONDITIONS, DIETS, PETS, POSSESSIONS, RELATIONS
from recollect.extraction.speech_acts import (
    introduces_figure,
    is_hyperbole,
    is_hypothetical,
    is_invented,
    is_joke,
    opens_role_play,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS, words

# What may only be so, and what someone is said to be.
SUPPOSED = LazyPattern(
    r"\b(?:if|unless|would|wouldn't|could|might|maybe|perhaps|wish|imagine"
    r"|(?:i|we|he|she|they|it)(?:\s++may\b|'d)(?!\s++(?:like|love|prefer|rather)\b))\b",
    re.IGNORECASE,
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings|evenings|afternoons|weekends|weeknights|nights"
_DWELLING = (
    r"(?:flat|apartment|house|home|place|room|studio|cottage|bungalow|condo|terrace|farm|houseboat|loft|villa|caravan|"
    r"allotment|garden|kitchen|cupboard|attic|basement|garage|balcony|cellar|shed)"
)
# Words of a life rather than of a task.
_LIFE = (
    r"(?:teachers?|allerg(?:y|ies|ic)|intoleran(?:t|ce)|birthday|school|nursery|reception|kindergarten|daycare|shifts?|nights|lates|"
    r"earlies|job|work|pregnant|weeks?\s++old|months?\s++old|years?\s++old|vegan|vegg?ie|vegetarian|coeliac|celiac|diabetic|asthma|"
    r"epipen|inhaler|insulin|braces|wheelchair|hearing\s++aids?|glasses|uni|university|college|year\s++\d{1,2}|grade\s++\d{1,2}|"
    rf"surgery|chemo|physio|wedding|married|engaged|rent|mortgage|salary|landlord|kids|boyfriend|girlfriend|{_DWELLING})"
)
_OWN_NOUN = (
    rf"(?:{RELATIONS}|{PETS}|{POSSESSIONS}|{_DWELLING}|{_LIFE}|"
    r"kids|children|family|money|name|in-laws|birthday|legs?|feet|hands?)"
)
_VERB = (
    r"(?:'s|'re|'ve|\s++(?:is|are|was|were|went|has|have|had|got|gets?|lives?|works?|starts?|ends?|begins?|costs?|moved?|came|comes|"
    r"takes?|took|loves?|hates?|needs?|runs?|fell|turned|turns|passed|will|won't|can't|cannot|doesn't|isn't|goes|ate|eats?|owns?|teaches|"
    r"plays|studies|speaks|keeps|kept|thinks\s++it's|chews?|died|says\s++no))\b"
)
_NUMBER = r"[$€£]?\d"
_NAME = r"(?-i:[A-Z][a-z])\w{0,20}"
# Possessions without 'my': 'rent there's 695', 'game night's on sundays now'.
_BARE_NOUN = (
    r"(?:rent|salary|pay|mortgage|deposit|goal|target|budget|commute|shifts?|landlord|landlady|due\s++date|wedding|exams?|finals|"
    r"thesis|viva|surgery|op|operation|flight|party|birthday|anniversary|appointment|dentist|daycare|nursery|school|"
    r"school\s++run|physio|chemo|scan|results?|iron|blood\s++pressure|cholesterol|achilles|knee|back|ankle|wrist|shoulder|hip|cast|"
    r"stitches|braces|visa|passport|lease|contract|probation|notice\s++period|bonus|pension|car|bike|boiler|roof|book\s++club|choir|"
    r"game\s++night|quiz\s++night|band\s++practice|rehearsals?|training|midwife|consultant|wife|husband|mum|mom|dad|hubby|kids|baby|"
    r"dog|cat|puppy|kitten|honeymoon|reception|venue|hotel|airbnb|topic|office|work|uni|course|class)"
)
_SOON = (
    r"(?:now|again|instead|until|till|since|from|every|back\s++to|any\s?more|no\s++longer|finally|at\s++last|"
    r"these\s++days)"
)
# Conditions of a body or a possession.
_FARES = (
    r"(?:good\s++as\s++new|healed|better|worse|back\s++to\s++normal|playing\s++up|broken|torn|sprained|sore|swollen|signed\s++off|fixed|sorted|"
    r"cancelled|canceled|postponed|approved|rejected|booked|confirmed|high|low)"
)
# Says something only with a number, a day, a name or a word of change.
_OF_BARE_NOUN = LazyPattern(
    rf"(?:(?:the|new|his|her|their|and|so|but|also)\s++){{0,2}}{_BARE_NOUN}(?:\s++(?:there|here|for\s++\w{{2,15}}|with\s++\w{{2,15}}|at\s++\w{{2,15}}|in\s++\w{{2,15}}))?"
    rf"{_VERB}(?=[^?]{{0,160}}?(?:{_NUMBER}|\b(?:{_DAY}|{_SOON}|{_FARES}|my|our)\b|\s{_NAME}))",
    re.IGNORECASE,
)
_ADVERBS = (
    r"(?:(?:just|finally|already|also|officially|only|even|recently|currently|still|now|nearly|oh|and|so|but|well|"
    r"then)\s++){0,4}"
)
_OF_WORK = (
    r"(?!(?:(?:an?|the|this|that|my|some|no|these|those|your)\s++)?(?:\w{1,15}\s++)?(?:error|exception|traceback|warning|bug|message|"
    r"response|answer|result|output|file|function|table|line|button|server|process|query|string|null|idea|point|feeling|question|"
    r"problem|issue|prompt|text|list|code|it|this|that|them)\b)"
)
# Life changes and states without their 'I'.
_SUBJECT_LEFT_OUT = LazyPattern(
    rf"{_ADVERBS}(?:"
    r"paid\s++(?:off|back)\s++(?:the|my|our|all)|cleared\s++(?:the|my|our)\s++(?:loan|debt|mortgage|overdraft)|"
    r"(?:fostering|babysitting|dogsitting|catsitting|expecting|subletting|renting|breastfeeding)\s++\w|"
    rf"(?:got|bought|ordered|collected|chose|picked)\s++{_OF_WORK}(?:the|an?|my|our|two|three|engaged|married|signed\s++off|cleared|accepted|offered|"
    r"home|tickets|in(?:to)?|rid\s++of)\b|put\s++(?:down|in)\s++(?:an?|my|our)\s++(?:offer|deposit|notice)|accepted\s++(?:the|an)\s++offer|"
    r"signed\s++(?:the|a|my|our)\s++(?:lease|contract|papers)|came\s++off\s++(?:the\s++)?\w{4,}|"
    r"went\s++(?:vegan|veggie|vegetarian|freelance|part[\s-]?time|full[\s-]?time|private)|dropped\s++(?:out|to\s++part|gluten|dairy|sugar)|"
    r"(?:on|off)\s++(?:antibiotics|nights|lates|earlies|day\s++shifts|night\s++shifts|maternity|paternity|parental|sick\s++leave|insulin|"
    r"statins?|beta\s++blockers|blood\s++thinners|dairy|gluten|sugar|alcohol|meat|caffeine|coffee)\b|"
    r"born\s++(?:on|in|and|at)\s|raised\s++in\s|grew\s++up\s++(?:in|on)\s|single\s++again|"
    r"signed\s++(?:off|up)\b|moving\s++(?:on|in|to|out|house)\b|started\s++(?:my|at|on)\s|stuck\s++with\s++(?:the|my|our)|"
    r"can't\s++(?:have|eat|drink|drive|swim|afford)\s|no\s++(?:car|kids|pets|oven|garden|dairy|gluten|nuts|meat|alcohol)\s++(?:here|for\s++me|in\s++(?:the|my|our))"
    r")",
    re.IGNORECASE,
)
_NO_OPINION = (
    r"(?!\s++(?:laugh|cry|feel|think|smile|happy|sad|angry|realise|realize|wonder|want|an?\s++(?:error|answer|list)|"
    r"the\s++(?:error|same|answer|wrong)))"
)
# Actions of others that change the speaker's life: 'they made me permanent', 'she put me up to 75'.
_DONE_TO_ME = LazyPattern(
    r"(?:(?:so|and|but|then|now|turns\s++out)\s++){0,3}(?:they|he|she|hr|work|school|the\s++\w{2,20}|my\s++\w{2,20}(?:\s++\w{2,20})?|(?:dr|mr|mrs|ms)\.?\s++\w{2,20}|"
    r"(?-i:[A-Z])\w{1,20})(?:'ve|'s)?\s++(?:(?:has|have|had|just|finally|also|now)\s++){0,3}"
    r"(?:made|put|moved|let|kept|took|signed|switched|offered|promoted|transferred|referred|weaned|has|started|booked|gave)\s++"
    rf"(?:me|us)\b{_NO_OPINION}\s++\w",
    re.IGNORECASE,
)
_NOT_A_PLACE = (
    r"(?!(?:it|this|that|the\s++same|track|step|page|schedule|hold|time|fire|trouble|luck|agreement|production|a\s++hurry|an?\s++(?:meeting|call|agreement)|"
    r"phase|sprint|lesson|chapter|line|level|point|good\s++terms|my\s++way|here|there\s++yet|in)\b)"
)
_WE_ARE = LazyPattern(
    r"(?:we're|we\s++are|were\s++all)\s++(?:(?:all|both|only|just|now|still|currently|also|back|there|here|off)\s++){0,3}"
    rf"(?:(?:in|on|at|near|from|outside|to)\s++{_NOT_A_PLACE}\w{{2,}}|{_NUMBER}|(?:two|three|four|five|six|seven|eight)\b|a\s++(?:family|team|couple|household)\b|moving\b|expecting\b|trying\s++for\b)",
    re.IGNORECASE,
)
_WE_DO = LazyPattern(
    r"we(?:'ve|\s++have)?\s++(?:(?:just|finally|also|now|already|usually|always|only|recently)\s++){0,3}"
    r"(?:found|bought|got|signed|booked|put|chose|picked|settled\s++on|named|welcomed|own|rent|share|swapped|kept|sold|moved|exchanged|completed)\s++"
    rf"{_OF_WORK}(?=[^?]{{0,120}}?(?:{_DWELLING}|{_NUMBER}|\b(?:{PETS})s?\b|\s{_NAME}))"
    r"\w",
    re.IGNORECASE,
)
_BY_DAY = LazyPattern(
    r"(?:we|i)(?:'ll|\s++will)?\s++(?:(?:also|then|now|just|both|all)\s++){0,2}(?:fly|leave|travel|arrive|land|get\s++back|move|close|complete|exchange|get\s++married|marry|meet|"
    r"play|train|rehearse|open|start|go|drive|set\s++off|come\s++back|finish|return|check\s++in)\b",
    re.IGNORECASE,
)
# 'Sundays I'm out with the birding group'.
_ON_DAYS = LazyPattern(
    rf"(?:on\s++)?(?:{_DAY})\s++(?:(?:are|is)\s++(?:my|our|for)\s++\w|(?:and\s++(?:{_DAY})\s++)?(?:i|i'm|im|i've|we|we're|my|our)\s++\w)",
    re.IGNORECASE,
)
_TRAITS = LazyPattern(
    r"(?:i'm|im|i\s++am|we're)\s++(?:(?:also|really|very|so|actually|just|both)\s++){0,2}(?:"
    r"(?:left|right)[\s-]?handed|(?:a\s++)?leftie?y?\b|ambidextrous|tone\s++deaf|double[\s-]jointed|(?:happy|settled|staying|stuck|based|home)\s++(?:here\s++)?in\s++"
    r"(?!(?:it|this|that|the|my|a|an|case|general|here|love|bed|pain|fear|order|traffic)\b)\w|back\s++(?:to|on)\s++\w|used\s++to\s++\w|"
    r"\d{1,2}\s++weeks\b|on\s++my\s++(?:own|second|third|last)\b|up\s++(?:at|to)\s++\d|off\s++(?:meat|dairy|sugar|alcohol|caffeine|gluten)\b)",
    re.IGNORECASE,
)
_GETS = LazyPattern(
    r"i\s++(?:(?:always|usually|also|really|just|often)\s++){0,2}(?:swell\s++up|come\s++out\s++in|break\s++out\s++in|bruise|faint|get\s++(?:\w{3,12}ly\s++)?"
    r"(?:sea|car|air|motion|travel)[\s-]?sick)\b",
    re.IGNORECASE,
)
# 'Sulfa drugs nearly killed me once'.
_HARMED = LazyPattern(
    r"[\w\s'-]{2,40}?\b(?:(?:nearly|almost)\s++killed\s++me|(?:makes?|made)\s++me\s++(?:sick|ill|swell|itch|throw\s++up|faint|come\s++out)|"
    r"(?:gives?|gave)\s++me\s++(?:hives|migraines?|a\s++rash|heartburn|headaches|nightmares|cramps|an?\s++(?:allergic\s++)?reaction)|"
    r"(?:knocks?|knocked)\s++me\s++out)\b",
    re.IGNORECASE,
)
_MEDICAL = LazyPattern(
    r"\b(?:drugs?|pills?|penicillin|antibiotics?|ibuprofen|aspirin|medicine|medication|nuts?|peanuts?|shellfish|prawns?|shrimps?|milk|dairy|"
    r"lactose|gluten|wheat|eggs?|latex|pollen|bee|wasp|stings?|strawberr\w{1,4}|kiwi|soy|anaesthetic|anesthetic|codeine|morphine|vaccine)\b",
    re.IGNORECASE,
)
_OWN = LazyPattern(
    rf"\b(?:my|our)\s++(?:own\s++)?(?:[\w'-]{{1,20}}+\s++){{0,2}}?{_OWN_NOUN}(?:s|es)?\b|\bmine(?:'s|\s++is|\s++are)\b",
    re.IGNORECASE,
)
_FINITE = LazyPattern(
    r"\b(?:is|are|was|were|am|has|have|had|can't|won't|don't|doesn't|didn't|isn't|aren't|no|got|lives?|works?|goes|went|uses?|loves?|hates?|"
    r"needs?|starts?|takes?|owns?|keeps?|kept|ate|teaches|plays|\w{3,20}(?:ed|'s|'re|'m|'ve))\b|'(?:s|re|m|ve)\b",
    re.IGNORECASE,
)
# Events of named people and animals, also in lower case: 'leila went up to year 1'.
_NAMED_FIRST = LazyPattern(
    rf"(?:(?:oh|and|so|but|now|well)\s++){{0,3}}(?!(?:it|this|that|there|here|what|who|how|why|when|where|if|i|you|we|they|she|he|no|not|the|a|an|my|our|your)\b)"
    r"[a-z][\w-]{1,20}+(?:'s\s++(?!on\b|in\b|at\b)(?:teacher|vet|school|class|birthday|boss|wife|husband|boyfriend|girlfriend|mum|mom|dad|shift)|\s++and\s++[a-z][\w-]{1,20})?+"
    r"(?:'s|'re|\s++(?:is|are|has|have|was|went|got|kept|lives|works|moved|starts|started|turned|turns|goes|can't|hates|loves|needs|eats|doesn't))\b[^?]{0,80}?"
    rf"\b(?:{_LIFE}|(?:mr|mrs|ms|miss|dr)\.?\s++\w++|staying\s++with\s++(?:us|me)|living\s++with|{CONDITIONS}|{DIETS}|{_DAY})\b",
    re.IGNORECASE,
)
# Informal words, which show that a name belongs to the user's people rather than to a text.
_INFORMAL = LazyPattern(
    r"\b(?:now|btw|lol|tho|us|me|my|our|still|already|haha|again|thank\s++god|oh|put\s++that\s++in)\b|!", re.IGNORECASE
)
_THE_PET = LazyPattern(
    rf"the\s++(?:[\w-]{{1,15}}+\s++)?(?:{PETS}|kids|twins|baby|hens|chickens|boys|girls|dogs|cats)s?\b{_VERB}[^?]{{0,120}}?(?:\b(?:my|our|me|us)\b|[,\s]{_NAME})",
    re.IGNORECASE,
)
_AT_HOME = LazyPattern(
    rf"(?:it|that|mine|ours)(?:'s|\s++is)\s++(?:an?|the|our|my)\s++[\w\s,'-]{{3,60}}?\b(?:in|under|behind|on)\s++(?:the|my|our)\s++(?:\w{{2,15}}\s++)?{_DWELLING}\b",
    re.IGNORECASE,
)
# 'It's 940 here': a new figure for something mentioned before.
_IS_NOW = LazyPattern(
    r"(?:it's|its|it\s++is|that's)\s++(?:now\s++|actually\s++|only\s++)?[$€£]?\d[\d.,:]{0,9}k?\s++(?:here|now|there|instead|a\s++month|per\s++month|these\s++days)\b",
    re.IGNORECASE,
)
_NOT_FOR_LIFE = LazyPattern(
    r"\bi\s++(?:don't|do\s++not|won't|can't|never)\s++(?:want|do|work|like|eat|drink|take|wear|need|have)\s++(?:any\s++|the\s++)?"
    rf"(?:{_LIFE}|more\s++{_LIFE})\b",
    re.IGNORECASE,
)
_PATTERNS = (
    _OF_BARE_NOUN,
    _SUBJECT_LEFT_OUT,
    _DONE_TO_ME,
    _WE_ARE,
    _WE_DO,
    _ON_DAYS,
    _TRAITS,
    _GETS,
    _AT_HOME,
    _NOT_FOR_LIFE,
    _IS_NOW,
)
_LEAD = LazyPattern(
    r"(?:(?:for\s++(?:context|reference|info)|fyi|btw|also|and|oh|well|ok|so|anyway|yeah|no|good\s++news|bad\s++news|(?:real\s++|big\s++|other\s++)?news(?:\s++(?:tho|though))?|"
    r"update|ps|p\.s\.|note|edit)(?:\s*+[:,.–-]++)?\s++){1,4}",
    re.IGNORECASE,
)
_JOINT = LazyPattern(
    r"(?<!\s)(?:,\s++|\s++)(?:so|and|but|because|cause|since|plus)\s++|,\s++|(?<!\s)\s*+:\s++", re.IGNORECASE
)
MAX_JOINTS = 6
_UNMEANT = LazyPattern(
    r"\b(?:if(?!\s++(?:that|it)\s++(?:matters|helps))|unless|would|wouldn't|could|should|might|maybe|perhaps|probably|(?:i|we)\s++(?:think|guess|hope|wish|wonder|suppose|want\s++to|wanna)|"
    r"hoping|wondering|thinking|considering|rumou?r\w{0,2}|apparently|supposedly|obviously|of\s++course|pretend\w{0,3}|imagine|whether|wish\w{0,3}|"
    r"(?:i|we|he|she|they|it)\s++may|you|your|you're|yours|u|ur|yourself|(?-i:LOVE|LOVING|GREAT|BEST|PERFECT|SO))\b"
    r"|\A(?:additionally|moreover|furthermore|however|consequently|in\s++addition|overall|therefore|thus|hence|alongside|throughout|across|during\s++my)\b"
    r"|\b(?:grammar|rewrite|rephrase|reword|proofread|paraphrase|translate)\b|https?:|[{}<>=\\`|#@]|\w_\w|\w\(|\boh\s++(?:great|joy|sure|wonderful|perfect|lovely)\b",
    re.IGNORECASE,
)
# Occasions that are no fiction.
_GAME_NIGHT = LazyPattern(r"\b(?:game|film|movie|book)s?\s++(?:night|club|evening)s?\b", re.IGNORECASE)
# Opinions and claims of others.
_REPORTED = LazyPattern(
    r"\b(?:says?|said|thinks?|thought|claims?|claimed|reckons?|believes?|insists?|told|tells|swears?|suggests?|suggested)\b",
    re.IGNORECASE,
)
# Needs of a task.
_NEEDS = LazyPattern(
    r"(?:(?:hi|hiya|hey|hello|ok|so|also)[\s,!]++){0,2}(?:(?:i|we)(?:'d|\s++would)?\s++)?(?:also\s++|just\s++|really\s++)?(?:need|want|require|like\s++to|have\s++to|must)\b",
    re.IGNORECASE,
)
MIN_CONTENT_WORDS = 1


def is_unmeant(text: str) -> bool:
    """Return whether a statement is supposed, wished, joked or exaggerated, or addresses the assistant.

    >>> is_unmeant("rent there's 695"), is_unmeant("we might move to Leeds"), is_unmeant("your answer is on page 2")
    (False, True, True)
    """
    if _HARMED.match(text) and _MEDICAL.search(text):
        return False
    unmeant = (is_hypothetical, is_hyperbole, is_joke, opens_role_play, introduces_figure, is_invented)
    if _UNMEANT.search(text) or any(predicate(text) for predicate in unmeant):
        return True
    return mentions_fiction(_GAME_NIGHT.sub("", text))


def is_reported(text: str) -> bool:
    """Return whether a clause reports what others say or think."""
    return bool(_REPORTED.search(text))


def tells_of_illness(text: str) -> bool:
    """Return whether a sentence that ends in a laugh still states an allergy or illness."""
    return bool(_OWN.search(text)) and bool(
        re.search(r"\b(?:allergic|allergy|diabetic|asthma|coeliac|celiac)\b", text, re.I)
    )


def tells_of_life(text: str, *, dated: bool) -> bool:
    """Return whether a clause is about its speaker's own life, even if 'I' is not its subject.

    Args:
        text: The clause, without its lead.
        dated: Whether it contains a date.

    >>> [tells_of_life(text, dated=False) for text in ("rent there's 695", "they made me permanent", "the sky is blue")]
    [True, True, False]
    """
    if sum(word not in STOP_WORDS for word in words(text)) < MIN_CONTENT_WORDS:
        return False
    if _HARMED.match(text) and _MEDICAL.search(text):
        return True
    needed = _NEEDS.match(text)
    if needed:
        text = text[needed.end() :].partition(", ")[2]
    if _THE_PET.match(text):
        return True
    if _REPORTED.search(text):
        return False
    openings = _openings(text)
    if any(_opens_with_life(text, start, dated=dated) for start in openings):
        return True
    if any(_tells_of_named(text, start) for start in openings[:2]):
        return True
    return bool(_OWN.search(text) and _FINITE.search(text))


def _opens_with_life(text: str, start: int, *, dated: bool) -> bool:
    return any(sign.match(text, start) for sign in _PATTERNS) or (dated and bool(_BY_DAY.match(text, start)))


def _tells_of_named(text: str, start: int) -> bool:
    informal = text[start : start + 1].islower() or _INFORMAL.search(text, start)
    return bool(informal and _NAMED_FIRST.match(text, start))


def _openings(text: str) -> list[int]:
    """Return where a clause may begin: at its start, after its lead, and after 'so' and similar words."""
    lead = _LEAD.match(text)
    joints = [joint.end() for joint in _JOINT.finditer(text)][:MAX_JOINTS]
    return [0, lead.end() if lead else 0, *joints]
