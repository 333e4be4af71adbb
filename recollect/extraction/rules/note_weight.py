"""Decide which clauses are worth a note, and how important it is. Pure.

'I want to write a novel' is worth one; 'I need a 200 word summary' is work at hand, and 'I think so' says nothing.
"""

import re
from dataclasses import dataclass, replace

from recollect.extraction.rules.clause_subjects import lacks_i, readings_alone, restore_subject, with_apostrophes
from recollect.extraction.rules.durability import (
    durability_bonus,
    is_household_statement,
    is_people_event,
    is_present_habit,
    is_turning_point,
)
from recollect.extraction.rules.news import is_household_habit, is_news, leaves_out_subject
from recollect.extraction.rules.pursuits import is_pursuit
from recollect.extraction.rules.rewrite import leaves_out_i, starts_without_subject
from recollect.extraction.rules.verbs import is_adverb, is_past
from recollect.extraction.rules.vocabulary import PETS, RELATIONS
from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS, words

# Products of one-off tasks: a text, a piece of code, an explanation.
_PIECE = (
    r"(?:summary|summaries|essays?|paragraphs?|emails?|e-mails?|letters?|templates?|poems?|haikus?|limericks?|stor(?:y|ies)|"
    r"recipes?|lists?|translations?|synonyms?|scripts?|snippets?|functions?|formulas?|titles?|slogans?|captions?|outlines?|"
    r"drafts?|reports?|headlines?|examples?|explanations?|answers?|prompts?|regex|quer(?:y|ies)|presentations?|slides|"
    r"speech(?:es)?|toasts?|bios?|logos?|ideas?|suggestions?|tips|advice|help|pictures?|images?|diagrams?|charts?|"
    r"spreadsheets?|itinerar(?:y|ies)|quotes?|jokes?|definitions?|overview|comparison|messages?|texts?|posts?|tweets?|"
    r"reviews?|replies|reply|sentences?|notes?|cards?|applications?|tests?)"
)
_WANTS = r"i(?:'d|\s++would)?\s++(?:also\s++|just\s++|really\s++|still\s++|only\s++)*+(?:need|want|like|require|have)"
_PRODUCT_REQUEST = LazyPattern(
    r"i(?:'d|\s++would)?\s++(?:also\s++|just\s++|really\s++|still\s++|only\s++)*+(?:need|want|like|require)\s++"
    rf"(?:an?|some|the|\d{{1,5}}|two|three|four|five|ten|your|more|another)\s++(?:[\w-]{{1,20}}+\s++){{0,4}}?{_PIECE}\b",
    re.IGNORECASE,
)
_TASK_TO_DO = LazyPattern(
    rf"{_WANTS}\s++to\s++(?:quickly\s++|also\s++|just\s++)*+(?:"
    rf"(?:write|draft|compose|send|prepare|give|make|create|design|finish|read|answer|submit|print|edit)\s++"
    rf"(?:an?|the|my|this|that|some|two|three|\d{{1,4}})\s++(?:[\w-]{{1,20}}+\s++){{0,4}}?{_PIECE}\b"
    r"|know\s++(?:how|what|why|when|where|which|who|whether|if|more|about)\b|understand\b|find\s++out\b|figure\s++out\b"
    r"|(?:merge|sum|sort|convert|calculate|compute|format|fix|debug|rewrite|proofread|parse|install|plot|filter|"
    r"count|split|round|center|centre|compile|reverse|sanitize|validate|summari[sz]e|translate|paraphrase|shorten)\b)",
    re.IGNORECASE,
)
_TASK_MATERIAL = LazyPattern(
    r"(?:i(?:'ve|\s++have)(?:\s++got)?|there\s++are)\s++(?:an?|two|three|four|five|some|these|this|\d{1,6})\s++(?:[\w-]{1,20}+\s++)?"
    r"(?:lists?|arrays?|columns?|rows|tables?|spreadsheets?|csvs?|files?|strings?|numbers|sentences?|paragraphs?|datasets?|"
    r"dataframes?|variables?|functions?|class(?:es)?(?=\s++(?:that|which|with|called|in|and))|images?|equations?|matri(?:x|ces)|vectors?)\b"
    r"|my\s++(?:[\w-]{1,20}+\s++)?(?:essay|text|sentence|prompt|paragraph|question|input|output|query|code|function|script|draft|answer|"
    r"intro|introduction|conclusion|abstract|headline|title|formula|regex|dataset|dataframe|csv|json|spreadsheet|terminal|compiler|"
    r"build|unit\s++tests?|loop|variable|method)\s++(?:is|are|was|were|has|returns?|contains?|looks?|says?|ends?|"
    r"needs?|isn't|doesn't|does|goes|starts?|begins?|keeps?|fails?|crashes)\b",
    re.IGNORECASE,
)
_ERROR = LazyPattern(
    r"\b\w{0,40}(?:Error|Exception|Warning)\b(?=\s*+(?:[:.(]|$|in\b|when\b|on\b))|\b(?:segfault|segmentation\s++fault|"
    r"stack\s?trace|traceback|null\s++pointer|exit\s++code)\b"
)
# It only refers to 'it' or 'those', so it makes no sense alone.
_ONLY_PRONOUNS = LazyPattern(
    r"i(?:'m|'ve|\s++am|\s++have)?\s++(?:(?:always|never|usually|often|sometimes|only|still|also|really|just|keep|don't|didn't|"
    r"can|can't)\s++){0,4}+\w{2,20}+\s++(?:to\s++)?(?:(?:it|that|this|them|those|these|which|one|that\s++one|those\s++two)"
    r"(?:\s++(?:up|out|off|down|wrong|right|mixed\s++up|again|now|today|too|all))*+|which\s++one\s++to\s++\w{2,20}+)[\s.!]*+$"
    r"|(?:she|he|it|they)(?:'s|'re|\s++is|\s++are)\s++(?:(?:finally|now|all|still|just|so|already)\s++)*+(?:here|back|home|gone|over|done|fine|ok|"
    r"okay|good|great|ready|late|early|asleep|awake|in|out|up|off|perfect|lovely)(?:\s++(?:again|now|already|today|too))*+[\s.!]*+$",
    re.IGNORECASE,
)
# 'She's here!' announces a birth, and ends a pregnancy.
_ARRIVAL = LazyPattern(r"(?:she|he|they)(?:'s|'re|\s++is|\s++are)\s++(?:finally\s++)?here\s*+!", re.IGNORECASE)
_PREPOSITIONAL_FRAGMENT = LazyPattern(
    r"(?:at|in|on|for|with|from|by|near|to|about|under|behind|next\s++to)\s++(?:my|our)\s++[^,;:]{1,80}+[.!]*+$",
    re.IGNORECASE,
)
_VERB = LazyPattern(
    r"\b(?:i|i'm|i've|we|we're|she|he|they|it|is|are|everybody|everyone|nobody|people|there|each|was|were|has|have|had|do|does|did|will|can|won't|can't|doesn't|goes|went|came|got|"
    r"keeps?|makes?|lives?|works?|\w{3,20}(?:ed|ing))\b|\w(?:'s|s')\s++(?:not|very|too|so|always|never)\b",
    re.IGNORECASE,
)


def is_of_the_moment(text: str, *, dated: bool) -> bool:
    """Return whether a clause is only about the work at hand, or makes no sense without its context.

    Args:
        text: A clause said to an assistant.
        dated: It has a date: an essay that is due on a day is worth a memory.

    >>> is_of_the_moment("I need a 200 word summary of the war", dated=False)
    True
    >>> is_of_the_moment("I want to write a novel", dated=False), is_of_the_moment("I need glasses", dated=False)
    (False, False)
    """
    if _ERROR.search(text) or (_ONLY_PRONOUNS.match(text) and not _ARRIVAL.match(text)):
        return True
    if _PREPOSITIONAL_FRAGMENT.match(text) and not _VERB.search(text):
        return True
    return not dated and bool(_PRODUCT_REQUEST.match(text) or _TASK_TO_DO.match(text) or _TASK_MATERIAL.match(text))


# Openings about the conversation, not about the speaker's life.
_TALK_OPENING = LazyPattern(
    r"i\s++(?:think|guess|suppose|agree|hope|wonder|bet|see\b|hear\s++(?:you|that)|understand|know|"
    r"mean|believe|feel\s++you|appreciate|admire|can\s++(?:see"
    r"|imagine|relate|tell|understand)|couldn't\s++agree|totally|completely\s++(?:agree|understand)"
    r"|get\s++(?:it|that|what|you|where)|recommend|suggest|(?:want|need"
    r"|would\s++like)\s++(?:you|it|this|that|the)|would\s++(?:love|like)\s++to\s++(?:see|hear|know|"
    r"check|ask|try\s++(?:it|that))|have\s++(?:a|one|another|some|no"
    r"|the)?\s*+(?:\w+\s++)?(?:questions?|idea|doubts?|issues?|problems?|feeling)|don't\s++(?:know|"
    r"think|understand|see|get|mind|care|blame|have\s++(?:any\s++)?(?:idea"
    r"|questions?))|didn't\s++(?:know|realize|mean|understand)|can't\s++(?:wait|imagine|believe|"
    r"agree|thank|help|seem|figure|tell|get\s++it)|will\s++(?:let\s++you"
    r"|definitely|try|check|keep\s++(?:that|you|it|pushing|going)|be\s++(?:here|there|sure)|do\s++(?:that|"
    r"it)|see|look|give|take\s++(?:a\s++look|your|that)|think|remember)"
    r"|love\s++(?:that|how|it|this|your|you|the\s++way|those|these)|like\s++(?:that|how|it|this|your|"
    r"the\s++(?:way|idea)|those|these)|saw\s++(?:that|your)|am\s++(?:so\s++|really"
    r"|very\s++|just\s++|super\s++|also\s++|always\s++)*(?:glad|sure|happy\s++(?:for|to\s++(?:hear|help|"
    r"see)|you)|sorry|proud\s++of\s++you|excited\s++(?:for\s++you|to\s++(?:hear|see))|here|impressed"
    r"|curious|wondering|asking|looking\s++(?:for|at)|afraid|confused|not\s++sure|lucky\s++to\s++have\s++you|"
    r"with\s++you|there\s++for|rooting|doing\s++(?:well|good|great|ok|okay|fine|alright)"
    r"|good|fine|ok|okay|great|back|in|all\s++ears|thankful\s++for\s++(?:you|your)|grateful\s++(?:for\s++(?:you|"
    r"your)|to\s++(?:you|have\s++you))))\b"
    r"|my\s++(?:pleasure|bad|guess|question|point|advice|opinion|best\s++(?:to|wishes)|god|goodness|"
    r"problem|code|error|apologies|next\s++question)\b"
    r"|(?:can't\s++wait|looking\s++forward|going\s++(?:well|great|good|ok)|been\s++(?:good|great|well|ok|okay|busy\s*+$))",
    re.IGNORECASE,
)
# Phrases of work in progress, which is not worth remembering.
_WORK_IN_PROGRESS = LazyPattern(
    r"\b(?:we\s++discussed|we\s++talked\s++about|as\s++discussed|currently\s++(?:working|looking|reading|"
    r"editing)\s++(?:on|at)|right\s++now|at\s++the\s++moment"
    r"|this\s++(?:file|code|function|error|bug|issue|problem|script|line|page|text|document|email|"
    r"question|task|exercise|example|method|class|test|query|table|paragraph"
    r"|essay|sentence|message|chat|conversation|answer|prompt)|(?:an?|the|following|some)\s++(?:\w+\s++)"
    r"?(?:error|exception|traceback|bug|stack\s++trace|function|script|dataset"
    r"|dataframe|csv|json|array|string|regex|query|endpoint|repo|loop|variable|api|code|list\s++of)"
    r"|debug\w*|compil\w+|stuck\s++(?:on|with)|trying\s++to\s++(?:fix|get|make"
    r"|understand|write|find|figure|run|install|use|solve|build|do|create|debug)|(?:i\s++)?(?:ran|"
    r"run|got|get|getting|tried|pasted|attached|uploaded|copied|typed|asked|changed|updated"
    r"|renamed|imported)\s++(?:the|this|that|it|your|an?\s++error|your|to\s++(?:run|fix|use|install)))\b",
    re.IGNORECASE,
)
# Opinions of others about the speaker.
_REPORTED_OPINION = LazyPattern(
    r"(?:my|the|our)\s++(?!doctor|dentist|physician|gp\b|therapist|psychiatrist|psychologist|nurse|specialist)(?:[\w'-]+\s++){1,3}?"
    r"(?:(?:always|often|just|once|even|sometimes|still|also)\s++)?(?:says?|said|thinks?|thought|claims?|"
    r"claimed|believes?|insists?|insisted|keeps?\s++(?:saying|telling)|tells\s++me|told\s++me|calls?\s++me|called\s++me|accuses?|accused)\s++"
    r"(?!\")(?:me\s++|us\s++)?(?:that\s++)?(?:i|i'm|i've|my|of|lazy|an?)\b",
    re.IGNORECASE,
)
# A single failure states no habit.
_SINGLE_FAILURE = LazyPattern(
    r"i\s++(?:didn't|did\s++not|couldn't|could\s++not)\s++(?:make\s++it|manage\s++to|get\s++(?:to|around)|finish)\b",
    re.I,
)
# It only refers to 'it' or 'that', so it makes no sense alone.
_REFERS_BACK = LazyPattern(
    r"i(?:'m|'ve|\s++am|\s++have)?\s++(?:(?:not|don't|do|didn't|never|no\s++longer|really|just|also|still)\s++)*\w+\s++(?:to\s++)?(?:it|that|this|them|those|"
    r"one|there)(?:\s++(?:any\s?more|any\s++longer|now|again|today|too|all|either))?[\s.!]*+$",
    re.IGNORECASE,
)
# Weight that news add to a clause: enough for a note of three words.
NEWS_BONUS = 0.2
_FIRST_PERSON = LazyPattern(r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|mine|me|myself)\b", re.IGNORECASE)
_WE = LazyPattern(r"(?:we|we're|we've|our)\b", re.IGNORECASE)
_YOU = LazyPattern(r"\b(?:you|your|you're|you've|you'd|you'll|yours|u|ur)\b", re.IGNORECASE)
_SUBJECT = LazyPattern(
    r"(?:(?:on|in|last|this|next|over|during|for|since|after|before|when|while|as|at|one|just|"
    r"then|yesterday|today|tonight|tomorrow|recently|lately|sometimes|usually|also"
    r"|(?:a|two|three|few|couple)\s++\w+\s++ago|the\s++other\s++day|growing\s++up|back\s++then)\b[^,.!?;]{0,60}?,?\s++)"
    r"?(?P<i>i(?:'m|'ve|'d|'ll)?|im|ive|my|mine)\b",
    re.IGNORECASE,
)
_PLAN = LazyPattern(
    r"\b(?:going\s++to|gonna|planning|plan\s++to|thinking\s++(?:of|about)|hoping\s++to|hope\s++to|want\s++to|"
    r"wanna|dream|goal|decided|considering|looking\s++(?:into|forward)"
    r"|aim\s++to|starting|signed\s++up|will\s++be|aspire|wish\s++to|intend)\b",
    re.IGNORECASE,
)
# 'I'm giving a talk on 9 April': with a date it is a plan.
_ONGOING_ACTION = LazyPattern(
    r"(?:i'm|im|i\s++am|we're|we\s++are)\s++(?:\w+ly\s++|also\s++|now\s++)?\w+ing\b", re.IGNORECASE
)
_STATE = LazyPattern(
    r"\bi(?:'m|\s++am|'ve|\s++have|\s++live|\s++work|\s++own|\s++study|\s++teach|\s++run|\s++play|\s++love|"
    r"\s++enjoy|\s++like|\s++hate|\s++prefer|\s++usually|\s++always|\s++often|\s++never|\s++use"
    r"|\s++need|\s++collect|\s++volunteer|\s++believe\s++in|\s++grew|\s++do\s++\w+|\s++find|\s++make|\s++go|"
    r"\s++try|\s++keep|\s++spend|\s++write|\s++read|\s++watch|\s++cook|\s++paint|\s++drive|\s++wake)\b",
    re.IGNORECASE,
)
_KIN = LazyPattern(
    rf"\bmy\s++(?:\w+\s++){{0,2}}(?:{RELATIONS}|{PETS}|kids|children|family|folks|fam|pets|team|students|"
    rf"buddies)s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WeighedClause:
    """A clause with what is needed to weigh it."""

    text: str
    """With plain quotes, others' words blanked."""
    dated: bool
    """It contains a date."""
    between_people: bool
    """Said in a conversation between named people rather than to an assistant."""
    stated: bool = False
    """A fact pattern matched it."""


def is_reported_speech(text: str) -> bool:
    """Return whether a clause reports what others say or think about the speaker."""
    return bool(_REPORTED_OPINION.match(text))


def begins_with_speaker(text: str) -> bool:
    """Return whether a clause begins with 'I', 'my' or 'we'."""
    return bool(_SUBJECT.match(text) or _WE.match(text))


def note_weight(clause: WeighedClause) -> float:
    """Return the importance of a clause as a note; 0 where it is not worth one."""
    text = clause.text if clause.between_people else restore_subject(with_apostrophes(clause.text))
    if not clause.between_people and (alone := readings_alone(text)):
        if any(_TALK_OPENING.match(version) for version in alone):
            return 0.0
        return max(note_weight(replace(clause, text=version)) for version in alone)
    pursued = not clause.between_people and is_pursuit(text)
    if not pursued and _is_passing(clause, text):
        return 0.0
    subject = _SUBJECT.match(text)
    left_out = leaves_out_i(text) or lacks_i(clause.text) or leaves_out_subject(text, dated=clause.dated)
    dropped = starts_without_subject(text) if clause.between_people else left_out
    ours = bool(_WE.match(text)) and (
        clause.between_people or is_turning_point(text) or is_household_statement(text) or is_household_habit(text)
    )
    about = clause.between_people and bool(_FIRST_PERSON.search(text)) and not _YOU.search(text)
    news = not clause.between_people and (dropped or ours or pursued or is_people_event(text) or is_news(text))
    if not (subject or dropped or ours or about or news or (clause.stated and _FIRST_PERSON.search(text))):
        return 0.0
    last = 0.0 if clause.between_people else max(durability_bonus(text), NEWS_BONUS * news)
    if _content(text) < (1 if last else 2):
        return 0.0
    return _weigh(replace(clause, text=text), owner=bool(subject and subject["i"].lower() in ("my", "mine")), last=last)


def _is_passing(clause: WeighedClause, text: str) -> bool:
    """Return whether a clause is about the moment, the conversation or others' opinions, and so does not last."""
    if _TALK_OPENING.match(text):
        return True
    if clause.between_people:
        return False
    if _REPORTED_OPINION.match(text) or _SINGLE_FAILURE.match(text) or _REFERS_BACK.match(text):
        return True
    return is_of_the_moment(text, dated=clause.dated) or bool(
        _WORK_IN_PROGRESS.search(text) and not is_turning_point(text, habits=False)
    )


def _weigh(clause: WeighedClause, *, owner: bool, last: float) -> float:
    text = clause.text
    eventful = _has_past(text)
    planned = bool(_PLAN.search(text) or (clause.dated and _ONGOING_ACTION.match(text)))
    kin = bool(_KIN.search(text))
    present = bool(_STATE.search(text)) or (not clause.between_people and is_present_habit(text))
    weight = 0.3 * (eventful or planned or owner or present or clause.stated or last > 0) + last
    weight += 0.1 * eventful + 0.1 * planned + 0.15 * kin + 0.15 * clause.dated + 0.2 * clause.stated
    # Lasting statements may be short.
    weight += 0.05 * min(max(_content(text) - 3, 0 if last else -3), 4)
    weight += 0.05 * len(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", text)[:2])
    if _YOU.search(text):
        weight -= 0.15
    return round(min(max(weight, 0.0), 0.9), 2)


def _content(text: str) -> int:
    return sum(1 for word in words(text) if word not in STOP_WORDS)


def _has_past(text: str) -> bool:
    """Return whether 'I' or 'we' is followed by a past verb, ignoring adverbs."""
    found = words(text)
    for place, word in enumerate(found):
        if word in ("i", "i've", "ive", "we", "we've"):
            rest = [other for other in found[place + 1 : place + 4] if not is_adverb(other)]
            if rest and (is_past(rest[0]) or (rest[0] in ("have", "had") and len(rest) > 1 and is_past(rest[1]))):
                return True
    first = next((word for word in found if not is_adverb(word)), "")
    return is_past(first)
