"""Salience of a text as a record: whether to keep it, its type, importance and summary, by rule. Pure.

'I learned that the old lighthouse was built by my grandfather in 1921' is a DISCOVERY and kept; 'Hello there!' is not.
"""

import re
from dataclasses import dataclass
from typing import Literal

from toldonce.extraction.speech_acts import is_hedged, is_joke, is_small_talk, statement_part
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import TextSpan, fold, sentences, within
from toldonce.text import STOP_WORDS, words
from toldonce.text.byte_runs import BYTE_MARK

RecordType = Literal["UNKNOWN", "DISCOVERY", "BEHAVIOR", "OUTCOME", "NOTE", "INSIGHT", "DECISION", "ERROR_LESSON"]
# A text of up to this length is a remark; only longer ones can be worth a record.
MAX_REMARK_CHARACTERS = 50
MAX_SUMMARY_CHARACTERS = 150
# Only this much of a text is read: a longer one is a document.
_MAX_READ_CHARACTERS = 8_000

# In this order, the first wins if a text has as many cues of several.
_TYPES: tuple[tuple[RecordType, LazyPattern[str]], ...] = (
    (
        "DISCOVERY",
        LazyPattern(
            r"\b(?:learn(?:ed|t)|discover(?:ed|y|ies)|found\s++out|(?:have|has|had)\s++uncovered|uncovered|"
            r"(?:it\s++)?turn(?:s|ed)\s++out|came\s++across|stumbled\s++(?:up)?on|never\s++knew|new\s++to\s++me|revealed)\b",
            re.I,
        ),
    ),
    (
        "DECISION",
        LazyPattern(
            r"\b(?:decid(?:ed|es|ing)|decision|chose|chosen|choos(?:es|ing)|opted|settled\s++on|agreed\s++(?:to|on|that)|"
            r"made\s++up\s++(?:my|his|her|our|their)\s++minds?|committed\s++to|resolved\s++to|picked|"
            r"(?:will|'ll)\s++go\s++with|going\s++to\s++go\s++with)\b",
            re.I,
        ),
    ),
    (
        "ERROR_LESSON",
        LazyPattern(
            r"\b(?:fail(?:ed|s|ure|ures)|mistakes?|mistaken(?:ly)?|went\s++wrong|got\s++it\s++wrong|was\s++wrong|errors?|"
            r"blunder|messed\s++up|screwed\s++up|broke\s++(?:down|it)|lesson|regret(?:s|ted)?|should(?:n't)?\s++(?:not\s++)?have|"
            r"never\s++again)\b",
            re.I,
        ),
    ),
    (
        "OUTCOME",
        LazyPattern(
            r"\b(?:as\s++a\s++result|result(?:ed)?\s++in|resulted|outcome|succeeded|success(?:fully)?|managed\s++to|finished|"
            r"completed|achieved|won|passed|ended\s++(?:up|with|in)|finally\s++(?:got|made|did)|accomplished|reached|"
            r"worked\s++out|paid\s++off)\b",
            re.I,
        ),
    ),
    (
        "BEHAVIOR",
        LazyPattern(
            r"\b(?:always|usually|often|rarely|never|tends?\s++to|keeps?\s++\w+ing|used\s++to|habit(?:s|ually)?|routine|"
            r"every\s++(?:day|morning|evening|night|week|weekend|month|year|time)|whenever|most\s++(?:days|mornings|"
            r"evenings|nights|weekends))\b",
            re.I,
        ),
    ),
    (
        "INSIGHT",
        LazyPattern(
            r"\b(?:reali[sz](?:e|ed|es|ing)|understood|insight|(?:now|finally)\s++(?:see|understand|know)|it\s++means\s++that|"
            r"which\s++means|the\s++(?:point|key|truth|reason|pattern)\s++is|makes\s++(?:me|us)\s++think|it\s++struck\s++me|"
            r"in\s++(?:the\s++end|hindsight|retrospect))\b",
            re.I,
        ),
    ),
)
_FACT_WORD = LazyPattern(
    r"\b\d[\d.,:]*\b|\b(?:is|are|was|were|has|have|had|lives?|lived|works?|worked|owns?|belongs?|born|called|named|"
    r"located|costs?|contains?)\b",
    re.IGNORECASE,
)
_NAME = LazyPattern(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
_FEELING_WORD = LazyPattern(
    r"\b(?:love[ds]?|hate[ds]?|afraid|fear(?:s|ed)?|scared|terrified|happy|happiest|sad|heartbroken|proud|ashamed|angry|"
    r"furious|anxious|worried|excited|grateful|thankful|jealous|lonely|hurt|hope[ds]?|miss(?:es|ed)?|cried|cry|crying|"
    r"tears|dream(?:s|ed|t)?|trust(?:s|ed)?|betrayed|relieved|overwhelmed|devastated|joy|grief|died|death|lost)\b",
    re.IGNORECASE,
)
# Courtesies without content: "Hello Marcus!", "That is great."
_PLEASANTRY = LazyPattern(
    r"(?:(?:hi|hey|hello|hiya|howdy|dear|good\s++(?:morning|evening|afternoon|night|day)|thanks?|thank\s++you|cheers|bye|"
    r"goodbye|farewell|see\s++you|welcome|congratulations|sorry)\b[^.!?:;]{0,30}"
    r"|(?:that|this|it)(?:'s|\s++is|\s++was|\s++sounds|\s++looks|\s++seems)\s++(?:all\s++|so\s++|very\s++|really\s++|just\s++)*"
    r"(?:great|good|nice|fine|cool|ok(?:ay)?|wonderful|lovely|perfect|awesome|amazing|interesting|funny|right|true)"
    r"(?:\s++to\s++(?:hear|know))?)[.!…]*$",
    re.IGNORECASE,
)
# No polite sentence is longer.
_MAX_POLITE_CHARACTERS = 240
_CLAUSE_END = LazyPattern(
    r"[,;:!?.…–—]++|\s-\s|\band\s(?=(?:thanks?|welcome|good|have|take|until|see|say|how|all|many|sweet|sleep)\b)",
    re.IGNORECASE,
)
_LEADING = frozenset("and but so oh ah now then again yes no please very too also".split())
_GOOD = "(?:good|great|nice|lovely|wonderful|fine|pleasant|beautiful|splendid|safe|happy|merry|delightful)"
_GLADLY = "(?:good|great|nice|lovely|wonderful|pleasure|joy|honou?r|delight|surprise)"
_VERY = "(?:(?:so|very|really|truly|always|such|just|quite|pretty|all) ){0,3}"
_MEETING = (
    "(?:(?:to (?:see|meet|have|welcome)|seeing|meeting|having) (?:you|everyone)|to hear from you"
    "|to (?:talk|speak) (?:to|with) you)"
    "(?: (?:again|here|all|today|tonight|both|too|back|once more|in person|at last|after all this time|with us)){0,4}$"
)
_SPECIAL_DAY = "(?:birthday|new year|christmas|easter|holidays?|anniversary)"
_DAY = f"(?:morning|afternoon|evening|night|day|days|weekend|trip|travels|journey|{_SPECIAL_DAY})"
_WORKS = r"(?!.{0,60}\b(?:is|are|was|were|has|have|had|lives?|works?)\b)"
_POLITE_PHRASES = tuple(
    LazyPattern(source, re.IGNORECASE)
    for source in (
        rf"(?:hi|hey|hello|hiya|howdy|greetings|hail|ahoy|farewell|goodbye|bye|cheers)\b{_WORKS}.{{0,30}}$",
        rf"welcome\b{_WORKS}.{{0,60}}$",
        rf"{_GOOD} {_DAY}"
        r"(?: (?:to you|my|dear|all|everyone|everybody|sir|madam|friends?|today|then|folks)\b.{0,30})?$",
        r"(?:well met|long time no see|fancy (?:meeting|seeing) you|look who)\b.{0,20}$",
        rf"(?:what )?(?:an? )?{_GLADLY} {_MEETING}",
        rf"(?:it|that|this)(?:'s| is| was| has been| will be) {_VERY}(?:an? )?(?:(?:real|great|true) )?{_GLADLY}"
        rf" {_MEETING}",
        rf"i(?:'m| am) {_VERY}(?:glad|happy|pleased|delighted|honou?red|thrilled) {_MEETING}",
        rf"i(?:'m| am) {_VERY}(?:glad|happy|pleased|delighted|honou?red|thrilled) (?:that )?"
        r"you(?:'re| are|'ve| have)? (?:all )?(?:here|come|came|back|made it|joined|visit|well)\b.{0,30}$",
        rf"(?:i(?:'m| am)|we(?:'re| are)) (?:doing |feeling )?{_VERY}(?:fine|well|good|great|okay|ok|alright)$",
        r"how(?:'s| is| are| about| have| do| goes) (?:you|things|it|life|everything|your (?:day|night|morning|evening|"
        r"weekend|week|family))\b.{0,40}$",
        r"what(?:'s up| about you| brings you\b.{0,20}| (?:can|may|could) (?:i|we) (?:do|get|bring)\b.{0,40})$",
        r"(?:many thanks|much obliged|thanks?(?: you)?)"
        r"(?: (?:all|everyone|everybody|kindly|so|very|much|again|indeed)){0,4}"
        r"(?: for (?:coming|asking|having|being|stopping|visiting|listening|everything|joining|dropping|waiting|your)\b"
        r".{0,40})?$",
        r"(?:(?:see|talk to|speak to|catch) you|(?:until|till) (?:we|next|tomorrow|then|later))\b.{0,30}$",
        r"(?:have )?(?:take (?:good )?care|sleep (?:well|tight)|sweet dreams|safe travels|rest well|be well|"
        r"stay (?:safe|well|warm)|godspeed|best of luck|all the best|best wishes|congratulations|congrats|good luck)"
        r"(?: (?:to|of|for|until|with|on|and) .{0,40})?$",
        rf"(?:(?:do )?have|enjoy|(?:(?:i|we) )?wish(?:ing)? you|(?:i|we) hope (?:that )?you(?:'re| are|'ve)?"
        rf"(?: have| had| having)?)(?: (?:all|an?|the|your|really|very|most|best|rest|of)){{0,4}}(?: {_GOOD})?"
        rf" ?(?:{_DAY}|well|best|time|year)\b.{{0,40}}$",
        r"may (?:the|your|you|all|luck|fortune|god|peace)\b.{0,100}$",
        r"(?:(?:do )?come (?:on )?in|make yourself (?:at home|comfortable)|have a seat|sit down|at your service|"
        r"pleased to meet you|you(?:'re| are) (?:always |most |very )?welcome|don't mention it|my pleasure|"
        r"say (?:hello|hi)\b)(?: (?:and|to|here|my|dear|in|at) .{0,50})?$",
        rf"(?:what )?(?:an? )?{_VERY}{_GOOD} (?:weather|sunshine)(?: (?:today|tonight|outside|again)){{0,2}}$",
        r"(?:dear|my|old|sweet|good|kind|young|fellow|noble|brave|our)"
        r"(?: (?:dear|old|sweet|good|kind|young|little|new|best|fellow)){0,2}"
        r" (?:friends?|travell?er|stranger|guests?|love|lady|ladies|sir|madam|ones?|people|darling|fellow)\b.{0,15}$",
        r"(?:friends?|travell?er|stranger|everyone|everybody|all|folks|guys|sir|madam|darling|love|there|you|again|today|"
        r"isn't it|is it not|you know|as always|for now|soon|please|well|oh|(?:my )?dear [\w'’-]{1,30})$",
        r"(?:after all this time|after so long|once more|once again|by the way)$",
    )
)
_ADDRESSED = LazyPattern(r"(?:dear )?[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30})?$")
# English function words: a text without any is in a language whose cues are not known here.
_ENGLISH_FUNCTION_WORD = LazyPattern(
    r"\b(?:the|i|i'm|you|it|is|are|was|of|and|this|that|my|we|he|she|they|with|not|to|a|an|in|for|have|had)\b", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Salience:
    """Assessment of a text."""

    keep: bool
    """Whether it is worth a record."""
    type: RecordType
    importance: int
    """1 to 10."""
    summary: str
    """At most 150 characters; empty if nothing is stated."""
    lead: str
    """The first sentence of the summary, as it is in the text: the quote of a record."""


def assess_salience(text: str) -> Salience:
    """Assess a text without a model.

    A text is kept if it has more than 50 characters and states something: no greeting, small talk or bare question.
    Facts, decisions, outcomes, behaviour, discoveries and feelings make it more important.

    >>> assess_salience("I learned that the old lighthouse was built by my grandfather in 1921.").type
    'DISCOVERY'
    >>> assess_salience("Hello there! How are you doing on this fine and sunny day, my friend?").keep
    False
    """
    plain = fold(text[:_MAX_READ_CHARACTERS])
    stated = _stated(plain)
    keep = len(plain.strip()) > MAX_REMARK_CHARACTERS and bool(stated)
    lead = _lead(stated)
    stated_text = " ".join(piece.text for piece in stated)
    return Salience(
        keep=keep,
        type=record_type(stated_text or plain),
        importance=_importance(stated_text),
        summary=_summary(stated, lead),
        lead=text[lead.start : lead.end] if lead else "",
    )


def record_type(text: str) -> RecordType:
    """Return the type of a text by its words.

    >>> record_type("We decided to leave at dawn."), record_type("I failed the exam."), record_type("The sky is grey.")
    ('DECISION', 'ERROR_LESSON', 'NOTE')
    """
    if not _ENGLISH_FUNCTION_WORD.search(text):
        return "UNKNOWN"
    hits = [(len({found.group().lower() for found in cues.finditer(text)}), name) for name, cues in _TYPES]
    most = max(count for count, _ in hits)
    return next(name for count, name in hits if count == most) if most else "NOTE"


def information_weight(sentence: str) -> float:
    """Return how much a sentence says: 0 for small talk and questions, about 1 for statements, more if they last."""
    pleasant = is_pleasantry(sentence) or _is_polite_phrase(sentence)
    if pleasant or not statement_part(sentence) or is_joke(sentence):
        return 0.0
    content = sum(1 for word in words(sentence) if word not in STOP_WORDS)
    weight = min(content, 12) / 12
    weight += 0.5 * any(cues.search(sentence) for _, cues in _TYPES)
    weight += 0.3 * bool(_FEELING_WORD.search(sentence)) + 0.2 * len(_NAME.findall(sentence)[:2])
    weight += 0.2 * bool(re.search(r"\d", sentence)) - 0.2 * is_hedged(sentence)
    return max(weight, 0.01)


def is_pleasantry(sentence: str) -> bool:
    """Return whether a sentence is only a greeting, thanks, assent or politeness, or the mark of bytes.

    >>> is_pleasantry("Hello Marcus!"), is_pleasantry("Hello, I moved to Oslo and found the house")
    (True, False)
    """
    is_bytes = not BYTE_MARK.sub("", sentence).strip()
    return is_bytes or is_small_talk(sentence) or bool(_PLEASANTRY.match(fold(sentence).strip()))


def _is_polite_phrase(sentence: str) -> bool:
    """Return whether each clause of a sentence is a polite phrase.

    >>> _is_polite_phrase("Good morning to you, dear Marcus, and welcome back to our village!")
    True
    >>> _is_polite_phrase("Hello Marcus, the old bridge collapsed last night.")
    False
    """
    plain = " ".join(fold(sentence[: _MAX_POLITE_CHARACTERS + 1]).split())
    if len(plain) > _MAX_POLITE_CHARACTERS:
        return False
    polite = False
    for clause in filter(None, map(_without_lead, _CLAUSE_END.split(plain))):
        if any(phrase.match(clause) for phrase in _POLITE_PHRASES):
            polite = True
        elif not _ADDRESSED.match(clause):
            return False
    return polite


def _without_lead(clause: str) -> str:
    parts = clause.strip(" \"'*").split()
    while len(parts) > 1 and parts[0].casefold() in _LEADING:
        parts = parts[1:]
    return " ".join(parts)


def shorten(text: str, max_characters: int = MAX_SUMMARY_CHARACTERS) -> str:
    """Shorten a text to a summary's length.

    >>> shorten("word " * 100)[-6:], len(shorten("word " * 100)) <= MAX_SUMMARY_CHARACTERS
    (' word…', True)
    """
    return within(" ".join(text.split()), max_characters)


def _stated(text: str) -> list[TextSpan]:
    """Return the sentences that state something."""
    return [piece for piece in sentences(text) if information_weight(piece.text)]


def _lead(stated: list[TextSpan]) -> TextSpan | None:
    """Return the first sentence of at least average information: openings like "Well, let me see" have less."""
    if not stated:
        return None
    weights = [information_weight(piece.text) for piece in stated]
    # Rounding may put the mean of equal weights above each of them.
    enough = min(sum(weights) / len(weights), max(weights))
    return next(piece for piece, weight in zip(stated, weights, strict=True) if weight >= enough)


def _summary(stated: list[TextSpan], lead: TextSpan | None) -> str:
    if lead is None:
        return ""
    summary = shorten(lead.text)
    for piece in stated[stated.index(lead) + 1 :]:
        longer = f"{summary} {' '.join(piece.text.split())}"
        if len(longer) > MAX_SUMMARY_CHARACTERS:
            break
        summary = longer
    return summary


def _importance(text: str) -> int:
    kinds = sum(bool(cues.search(text)) for _, cues in _TYPES)
    feelings = len({found.group().lower() for found in _FEELING_WORD.finditer(text)})
    score = (
        2
        + 2 * min(kinds, 2)
        + min(feelings, 2)
        + bool(_FACT_WORD.search(text))
        + min(len(_NAME.findall(text)), 2) * 0.5
    )
    score += 1 if len(text) > 300 else 0
    return int(min(max(score, 1), 10))
