"""How a sentence is meant: asked, supposed, wished, joked, commanded, or in earnest. Pure.

'If I lived in Rome' is hypothetical, 'I own nine yachts, jk' a joke, and of "I'm vegetarian, what should I eat?" only
the first part states something.
"""

import re

from toldonce.extraction.role_play_patterns import IN_EARNEST, INTRODUCES_FIGURE, OPENS_SUPPOSITION
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text import asks, only_greets

_QUESTION_START = LazyPattern(
    r"(?:so\s++|and\s++|but\s++|or\s++|hey,?\s++|then\s++)?(?:whats?|wheres?|when|why|hows?|who|whom|whose|"
    r"which|can|could|would|should|shall"
    r"|do|does|did|is|are|am|was|were|will|have\s++you|has|any|anyone|don't|doesn't|isn't|aren't|won't|wouldn't|may\s++i"
    r"|might|got\s++any|wanna|ever|know\s++any)\b",
    re.IGNORECASE,
)
# Where a question may begin after a statement.
_QUESTION_JOINT = LazyPattern(r"[,;:]\s++(?:(?:so|and|but)\s++)?|(?<!\s)\s++(?:[-–—]++|so|and|but)\s++")
# An order after a statement, about the task at hand: "I'm vegan, suggest three dinners".
_ORDER_JOINT = LazyPattern(
    r"(?<!\s),\s++(?:(?:so|please|pls|now)\s++){0,2}(?:suggest|recommend|teach\s++me|calm\s++me|shorten|draft|write\s++(?:me|an?)|"
    r"help\s++me|make\s++me\s++an?|plan\s++me|find\s++me)\b",
    re.IGNORECASE,
)
# A short request after a statement: 'my son starts school on Monday, lunchbox ideas?'
_SHORT_REQUEST = LazyPattern(
    r"(?<!\s)\s*+[,;:.–-]\s++(?:any\s++|some\s++|a\s++|an\s++|good\s++|quick\s++){0,3}(?:[\w'-]++\s++){0,3}?(?:ideas?|tips?|suggestions?|recommendations?|"
    r"thoughts|advice|recipes?|help|options|tricks|gifts?|presents?|remed(?:y|ies)|playlists?)(?:\s++(?:for|on|with|about|please|pls)\b[^,;.?!]{0,60}+)?\s*+\?+\s*+$",
    re.IGNORECASE,
)
_SUPPOSITION = LazyPattern(
    r"^(?:and\s++|but\s++|so\s++)?(?:if|imagine|suppose|supposing|assume|assuming|pretend|unless|"
    r"let's\s++(?:say|pretend)|say\s++i\b"
    r"|what\s++if|hypothetically|in\s++(?:theory|a\s++dream|my\s++dream|this\s++(?:story|scenario)|"
    r"my\s++(?:novel|story|book))"
    r"|for\s++(?:example|instance)|e\.g\.)"
    r"|\b(?:if\s++i\s++(?:were|was|had|lived|worked|could|have|am|'m)|if\s++i'm|as\s++if\s++i|as\s++though|"
    r"i\s++wish|wish\s++i|if\s++only"
    r"|i\s++(?:would|might|could|may)\s++(?:be|have|become)|i'd\s++be|i'd\s++have|hypothetically|role[\s-]?play|"
    r"in\s++character"
    r"|my\s++(?:character|protagonist|narrator|hero|persona)|whether\s++i|not\s++sure\s++(?:if|whether)"
    r"|i\s++doubt|i\s++dreamt|i\s++dreamed"
    r"|is\s++it\s++true\s++that|lorem)\b",
    re.IGNORECASE,
)
_JOKE = LazyPattern(
    r"\b(?:just\s++kidding|only\s++kidding|i'?m\s++kidding|(?:just|only|was)\s++joking|i'?m\s++joking|"
    r"jk|j/k|it'?s\s++a\s++joke"
    r"|was\s++a\s++joke|sarcasm|not\s++really\s*+!)\b|(?:^|\s)/s(?:\s|$)|^kidding\b|;-?\)\s*+(?:jk|kidding)"
    r"|\b(?:sorry|oops|whoops|no|ah),?\s++wrong\s++(?:chat|window|thread|tab|person|conversation)\b"
    r"|\(not(?:\s++really)?[.!]*\)|(?<=[\s,.])(?-i:NOT)[.!]*+$"
    r"|^(?:not\s*+!+|(?:sike|psych)\s*+[.!]*)$|\bsaid\s++(?:no\s?one|nobody)\s++ever\b|\bin\s++my\s++dreams\b|\byeah,?\s++right\b"
    r"|^oh,?\s(?:sure|yes|yeah|great|joy|wonderful|perfect|fantastic|lovely|of\scourse)\b,?\s(?:because\s|as\s)?"
    r"(?:i\b|i'|my\b)|\bas\s(?:everybody|everyone|we\sall)\s(?:does|do)\b|\bwho\sdoesn't\b|\U0001f644",
    re.IGNORECASE,
)
# Words of a joke that only takes back another sentence.
_MAX_BARE_JEST = 4
_NAMES_JOKE = LazyPattern(
    r"\b(?:kidding|jok(?:e|ed|ing)|jk|j/k|sarcas(?:m|tic)|wrong\s++(?:chat|window|thread|tab|person|conversation))\b",
    re.IGNORECASE,
)
# Exaggerations.
_EXAGGERATION = LazyPattern(
    r"\bcould\s++(?:eat\s++a|kill\s++for|sleep\s++for\s++a)|\b(?:million|billion|zillion|gazillion|bazillion)\s++times\b"
    r"|\b(?:literally|basically|practically|almost|nearly)\s++(?:died|dead|dying|exploded|melted|melting|cried\s++a\s++river)\b"
    r"|\bi(?:'m|\s++am)\s++(?:(?:so|literally|basically|just)\s++)*(?:dead|dying|deceased|screaming|starving)\b"
    r"|\b(?:i|it|this|that)\s++(?:nearly\s++|almost\s++)?(?:died|killed\s++me|broke\s++me)\s++(?:laughing|of\s++(?:laughter|boredom|shame))\b",
    re.IGNORECASE,
)
# Figurative allergies and marriages: 'allergic to mornings', 'married to my job'.
_FIGURE_OF_SPEECH = LazyPattern(
    r"\ballergic\s++to\s++(?:(?:my|the|all|these|those|this|early|other|stupid|rude|lazy|doing|the\s++word)\s++){0,3}"
    r"(?:boss|manager|landlord|job|work|working|school|homework|chores|housework|cleaning|cooking|mornings?|mondays?|"
    r"meetings?|deadlines?|emails?|exercise|gyms?|sports?|maths?|taxes|drama|bullshit|nonsense|stupidity|idiots?|fools|"
    r"people|kids|children|men|women|husband|wife|ex|in-laws|mother-in-law|commitment|responsibility|waking\s++up|"
    r"getting\s++up|bad\s++\w{1,20}|small\s++talk|paperwork|bureaucracy|marketing|jargon|microsoft|java|php|javascript|"
    r"css|excel|jira|stress|failure|winter|politics|politicians)\b(?!'|\s++(?:dogs?|cats?|drinks?|tape|products?|dust|mould|mold|rubber|grass|hair|dander|polish))"
    r"|\bmarried\s++to\s++(?:my|the)\s++(?:job|work|career|company|business|sea|game|laptop|phone|inbox|e-?mails?|office|gym|"
    r"desk|sofa|couch|kitchen|garden|internet|computer|spreadsheets?|calendar|road|mountains?|military|church|music|dog|"
    r"cats?|bike|thesis|startup|idea)\b"
    r"|\bfrom\s++(?:mars|venus|jupiter|pluto|the\s++moon|another\s++planet|outer\s++space|the\s++future)\b",
    re.IGNORECASE,
)
# Illness or injury: such a sentence is meant literally, however exaggerated.
_HEALTH_WORD = LazyPattern(
    r"\b(?:allerg\w{1,6}|anaphyla\w{1,6}|penicillin|epipen|reaction|intoleran\w{1,3}|disease|diagnos\w{1,4}|"
    r"condition|asthma|diabet\w{1,3}|"
    r"epilep\w{1,3}|seizures?|stroke|heart|cancer|sepsis|infection|fever|illness|covid|surgery|operation|hospital|"
    r"accident|crash|"
    r"overdose|poisoning|pregnan\w{1,2}|medication|doctors?|transplant|coma|sting|stings|nuts?|peanuts?)\b",
    re.IGNORECASE,
)
# Events in stories, dreams and games, and lives that were almost led.
_INVENTED = LazyPattern(
    r"\bmy\s(?:main\s)?(?:character|protagonist|narrator|hero|heroine|persona|villain|avatar|oc)\b"
    r"|\bin\s(?:a|the|this|my|our|that|another)\s(?:\w+\s)?(?:dream|novel|story|game|film|movie|book|series|play|"
    r"scene|life|universe|"
    r"world|timeline|fantasy|campaign)\b,?\s(?:i\b|i'|my\b|the\s\w+\ssays)"
    r"|\bin\s(?:my\s)?(?:stardew(?:\svalley)?|(?:the\s)?sims(?:\s\d)?|minecraft|animal\scrossing|skyrim|zelda|pok[eé]mon"
    r"|world\sof\swarcraft|wow\sclassic|gta(?:\s\w{1,3})?|fallout(?:\s\d)?|the\switcher|baldur'?s\sgate|bg3|elden\sring"
    r"|factorio|rimworld|civ(?:ili[sz]ation)?(?:\s(?:\d|vi?))?|crusader\skings|ck[23]|football\smanager|red\sdead"
    r"|mass\seffect|terraria|valheim|roblox|fortnite|dark\ssouls|monopoly|catan"
    r"|my\s(?:save|playthrough))\b"
    r"|^had\si\b|\bfor\sthe\ssake\sof\s(?:argument|example)\b|\bi\s(?:almost|nearly)\s(?:moved|became|married|"
    r"took|bought|got|joined)\b",
    re.IGNORECASE,
)
_HEDGE = LazyPattern(
    r"\b(?:i\s++think|i\s++guess|i\s++suppose|probably|maybe|perhaps|possibly|might|sort\s++of|kind\s++of)\b", re.I
)
_COMMAND_VERBS = (
    "write|explain|summari[sz]e|translate|generate|create|give|list|show|tell|fix|make|help|rewrite|refactor|convert|compare"
    "|describe|draft|compose|find|suggest|recommend|calculate|compute|solve|implement|add|remove|debug|check|review|improve"
    "|analy[sz]e|provide|continue|proofread|correct|paraphrase|outline|plan|design|build|print|run|read|look|search|open"
    "|define|classify|extract|identify|name|go|try|let's|let\\s++me|do|repeat|rephrase|shorten|expand|format|sort|say|play|act"
    "|act\\s++as|pretend|imagine|forget|ignore"
)
_COMMAND = LazyPattern(
    rf"^(?:(?:please|pls|now|ok(?:ay)?,?|then|can\s++you|could\s++you)\s++)*(?:{_COMMAND_VERBS})\b", re.I
)
_SMALL_TALK = LazyPattern(
    r"^(?:(?>(?:hi|hey|hello|hiya|yo|howdy|good\s++(?:morning|evening|afternoon|night|day)|thanks?|"
    r"thank\s++you|thx|ty|cheers|ok(?:ay)?"
    r"|yes|yep|yeah|yup|no|nope|nah|sure|great|cool|nice|awesome|perfect|lol|haha\w*|hmm+|wow|"
    r"bye|goodbye|see\s++you|later|please|got\s++it"
    r"|makes\s++sense|sounds\s++good|never\s?mind|np|right|exactly|correct|welcome|congrats|congratulations|"
    r"continue|go\s++on|next"
    r"|all\s++good|a\s++lot|so\s++much|very\s++much|again|there|you|mate|everyone|all|much|very|that|"
    r"works|it|helps?|good|well|done)\b)"
    r"[\s,.!:;)(-]*+)+$",
    re.IGNORECASE,
)


# A question without a verb: ', any tips?', ', lunchbox ideas?'.
_SHORT_QUESTION = LazyPattern(
    r"[,;:.]\s++(?:any\s++|some\s++|your\s++)?(?:[\w-]{1,20}+\s++){0,3}?(?:tips?|tricks|ideas?|thoughts|suggestions|"
    r"advice|recommendations|recs|help|recipes|options|"
    r"inspiration|opinions?|hints|pointers|substitutes?|alternatives)\b(?:\s++[\w-]{1,20}+){0,4}\s*+\?++[\s?!]*+$",
    re.IGNORECASE,
)


@remembered
def statement_part(sentence: str) -> str:
    """Return the stated part of a sentence: all of it, or the part before its question; empty for a bare question.

    >>> statement_part("I'm vegetarian, what should I eat?")
    "I'm vegetarian"
    >>> statement_part("I'm vegan, suggest three dinners"), statement_part("I get up at 5, whats a sane bedtime")
    ("I'm vegan", 'I get up at 5')
    >>> statement_part("What should I eat?")
    ''
    """
    asked = asks(sentence)
    if _QUESTION_START.match(sentence):
        return "" if asked or _inverted(sentence) else sentence
    for joint in _QUESTION_JOINT.finditer(sentence):
        if _QUESTION_START.match(sentence, joint.end()) and (asked or _asks_after(sentence, joint)):
            return sentence[: joint.start()]
    if not asked:
        order = _ORDER_JOINT.search(sentence)
        return sentence[: order.start()] if order else sentence
    wish = _SHORT_QUESTION.search(sentence) or _SHORT_REQUEST.search(sentence)
    return sentence[: wish.start()] if wish else ""


def _asks_after(sentence: str, joint: re.Match[str]) -> bool:
    """Return whether the text after a comma asks without a question mark: ', can you suggest curtains'."""
    return not joint.group().isspace() and joint.group()[0] in ",;:" and _inverted(sentence[joint.end() :])


def _inverted(sentence: str) -> bool:
    """Return whether a sentence asks without a question mark: 'can you help me', 'what is my name'."""
    return bool(
        re.match(
            r"(?:can|could|would|should|do|does|did|is|are|am|will|have)\s++(?:you|i|we|he|she|"
            r"they|it|there|the|this|that|my)\b"
            r"|(?:what|where|when|why|how|who|which)(?:'?s|\s++(?:is|are|was|were|do|does|did|can|"
            r"should|would|to|about|much|many))\b",
            sentence,
            re.IGNORECASE,
        )
    )


@remembered
def is_hypothetical(sentence: str) -> bool:
    """Return whether a sentence supposes or wishes something rather than states it."""
    return bool(_SUPPOSITION.search(sentence))


@remembered
def is_joke(sentence: str) -> bool:
    """Return whether a sentence takes itself, or itself and the previous one, back as a joke."""
    return bool(_JOKE.search(sentence))


def takes_back_previous(jest: str) -> bool:
    """Return whether a joke also takes back the previous sentence.

    >>> takes_back_previous("haha only kidding about that of course"), takes_back_previous("I just LOVE forms /s")
    (True, False)
    """
    return len(jest.split()) <= _MAX_BARE_JEST or bool(_NAMES_JOKE.search(jest))


def is_hyperbole(sentence: str) -> bool:
    """Return whether a sentence is a figure of speech, not meant literally.

    >>> is_hyperbole("I'm so hungry I could eat a horse"), is_hyperbole("My fish died")
    (True, False)
    >>> is_hyperbole("I'm allergic to my boss"), is_hyperbole("I'm allergic to cats")
    (True, False)
    """
    if _FIGURE_OF_SPEECH.search(sentence):
        return True
    return bool(_EXAGGERATION.search(sentence)) and not _HEALTH_WORD.search(sentence)


def is_invented(sentence: str) -> bool:
    """Return whether a sentence is about a character, a dream or a life that was not led.

    >>> is_invented("In my novel I live in Rome and I ski."), is_invented("I play a game in Rome.")
    (True, False)
    """
    return bool(_INVENTED.search(sentence))


def opens_role_play(sentence: str) -> bool:
    """Return whether a sentence opens a game or a thought experiment that the next sentences continue."""
    return bool(OPENS_SUPPOSITION.match(sentence))


def introduces_figure(sentence: str) -> bool:
    """Return whether a sentence introduces a character who then speaks as "I".

    >>> introduces_figure("help with my d&d backstory: i'm Vex"), introduces_figure("I play d&d, I'm a nurse")
    (True, False)
    """
    return bool(INTRODUCES_FIGURE.search(sentence))


def ends_role_play(sentence: str) -> bool:
    """Return whether a sentence ends a game or a supposition."""
    return bool(IN_EARNEST.match(sentence))


def is_hedged(sentence: str) -> bool:
    """Return whether the speaker is unsure."""
    return bool(_HEDGE.search(sentence))


def is_command(sentence: str) -> bool:
    """Return whether a sentence orders a one-off task: 'write a poem'."""
    return bool(_COMMAND.match(sentence))


@remembered
def is_small_talk(sentence: str) -> bool:
    """Return whether a sentence is only a greeting, thanks or assent."""
    return bool(_SMALL_TALK.match(sentence)) or only_greets(sentence)
