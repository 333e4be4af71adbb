"""What a clause said to an assistant tells of the work at hand, or of nothing that it names. Pure."""

import re

# What is asked for once: a text, a piece of code, an explanation.
_PIECE = (
    r"(?:summary|summaries|essays?|paragraphs?|emails?|e-mails?|letters?|templates?|poems?|haikus?|limericks?|stor(?:y|ies)|"
    r"recipes?|lists?|translations?|synonyms?|scripts?|snippets?|functions?|formulas?|titles?|slogans?|captions?|outlines?|"
    r"drafts?|reports?|headlines?|examples?|explanations?|answers?|prompts?|regex|quer(?:y|ies)|presentations?|slides|"
    r"speech(?:es)?|toasts?|bios?|logos?|ideas?|suggestions?|tips|advice|help|pictures?|images?|diagrams?|charts?|"
    r"spreadsheets?|itinerar(?:y|ies)|quotes?|jokes?|definitions?|overview|comparison|messages?|texts?|posts?|tweets?|"
    r"reviews?|replies|reply|sentences?|notes?|cards?|applications?|tests?)"
)
_WANTS = r"i(?:'d|\s++would)?\s++(?:also\s++|just\s++|really\s++|still\s++|only\s++)*+(?:need|want|like|require|have)"
_ASKS_FOR = re.compile(
    r"i(?:'d|\s++would)?\s++(?:also\s++|just\s++|really\s++|still\s++|only\s++)*+(?:need|want|like|require)\s++"
    rf"(?:an?|some|the|\d{{1,5}}|two|three|four|five|ten|your|more|another)\s++(?:[\w-]{{1,20}}+\s++){{0,4}}?{_PIECE}\b",
    re.IGNORECASE,
)
_HAS_TO_DO = re.compile(
    rf"{_WANTS}\s++to\s++(?:quickly\s++|also\s++|just\s++)*+(?:"
    rf"(?:write|draft|compose|send|prepare|give|make|create|design|finish|read|answer|submit|print|edit)\s++"
    rf"(?:an?|the|my|this|that|some|two|three|\d{{1,4}})\s++(?:[\w-]{{1,20}}+\s++){{0,4}}?{_PIECE}\b"
    r"|know\s++(?:how|what|why|when|where|which|who|whether|if|more|about)\b|understand\b|find\s++out\b|figure\s++out\b"
    r"|(?:merge|sum|sort|convert|calculate|compute|format|fix|debug|rewrite|proofread|parse|install|plot|filter|"
    r"count|split|round|center|centre|compile|reverse|sanitize|validate|summari[sz]e|translate|paraphrase|shorten)\b)",
    re.IGNORECASE,
)
_AT_HAND = re.compile(
    r"(?:i(?:'ve|\s++have)(?:\s++got)?|there\s++are)\s++(?:an?|two|three|four|five|some|these|this|\d{1,6})\s++(?:[\w-]{1,20}+\s++)?"
    r"(?:lists?|arrays?|columns?|rows|tables?|spreadsheets?|csvs?|files?|strings?|numbers|sentences?|paragraphs?|datasets?|"
    r"dataframes?|variables?|functions?|class(?:es)?(?=\s++(?:that|which|with|called|in|and))|images?|equations?|matri(?:x|ces)|vectors?)\b"
    r"|my\s++(?:[\w-]{1,20}+\s++)?(?:essay|text|sentence|prompt|paragraph|question|input|output|query|code|function|script|draft|answer|"
    r"intro|introduction|conclusion|abstract|headline|title|formula|regex|dataset|dataframe|csv|json|spreadsheet|terminal|compiler|"
    r"build|unit\s++tests?|loop|variable|method)\s++(?:is|are|was|were|has|returns?|contains?|looks?|says?|ends?|"
    r"needs?|isn't|doesn't|does|goes|starts?|begins?|keeps?|fails?|crashes)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b\w{0,40}(?:Error|Exception|Warning)\b(?=\s*+(?:[:.(]|$|in\b|when\b|on\b))|\b(?:segfault|segmentation\s++fault|"
    r"stack\s?trace|traceback|null\s++pointer|exit\s++code)\b"
)
# All that it says is of 'it' or 'those': nobody can read it alone.
_UNNAMED = re.compile(
    r"i(?:'m|'ve|\s++am|\s++have)?\s++(?:(?:always|never|usually|often|sometimes|only|still|also|really|just|keep|don't|didn't|"
    r"can|can't)\s++){0,4}+\w{2,20}+\s++(?:to\s++)?(?:(?:it|that|this|them|those|these|which|one|that\s++one|those\s++two)"
    r"(?:\s++(?:up|out|off|down|wrong|right|mixed\s++up|again|now|today|too|all))*+|which\s++one\s++to\s++\w{2,20}+)[\s.!]*+$"
    r"|(?:she|he|it|they)(?:'s|'re|\s++is|\s++are)\s++(?:(?:finally|now|all|still|just|so|already)\s++)*+(?:here|back|home|gone|over|done|fine|ok|"
    r"okay|good|great|ready|late|early|asleep|awake|in|out|up|off|perfect|lovely)(?:\s++(?:again|now|already|today|too))*+[\s.!]*+$",
    re.IGNORECASE,
)
# 'She's here!' tells of a birth, and ends a pregnancy.
_ARRIVES = re.compile(r"(?:she|he|they)(?:'s|'re|\s++is|\s++are)\s++(?:finally\s++)?here\s*+!", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"(?:at|in|on|for|with|from|by|near|to|about|under|behind|next\s++to)\s++(?:my|our)\s++[^,;:]{1,80}+[.!]*+$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:i|i'm|i've|we|we're|she|he|they|it|is|are|everybody|everyone|nobody|people|there|each|was|were|has|have|had|do|does|did|will|can|won't|can't|doesn't|goes|went|came|got|"
    r"keeps?|makes?|lives?|works?|\w{3,20}(?:ed|ing))\b|\w(?:'s|s')\s++(?:not|very|too|so|always|never)\b",
    re.IGNORECASE,
)


def is_of_the_moment(text: str, *, dated: bool) -> bool:
    """Return whether a clause tells of the work at hand alone, or cannot be understood without what stood before it.

    Args:
        text: A clause said to an assistant.
        dated: Whether it names a time: an essay that is due on a day is worth a memory.

    >>> is_of_the_moment("I need a 200 word summary of the war", dated=False)
    True
    >>> is_of_the_moment("I want to write a novel", dated=False), is_of_the_moment("I need glasses", dated=False)
    (False, False)
    """
    if _ERROR.search(text) or (_UNNAMED.match(text) and not _ARRIVES.match(text)):
        return True
    if _FRAGMENT.match(text) and not _VERB.search(text):
        return True
    return not dated and bool(_ASKS_FOR.match(text) or _HAS_TO_DO.match(text) or _AT_HAND.match(text))
