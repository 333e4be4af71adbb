"""Whether a sentence is politeness alone: greeting, farewell, thanks, a wish, praise of the weather. Pure.

A sentence is read clause by clause, and each must be a polite phrase or a form of address. So "Hello, I moved to Oslo"
is none: its second clause says something.
"""

import re

from recollect.extraction.sentences import fold

# Longer than any sentence of politeness.
_MAX_CHARACTERS = 240
_CLAUSE_END = re.compile(
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
_PHRASES = tuple(
    re.compile(source, re.IGNORECASE)
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
_NAME = re.compile(r"(?:dear )?[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30})?$")


def is_polite_phrase(sentence: str) -> bool:
    """Whether each clause of a sentence is a polite phrase.

    >>> is_polite_phrase("Good morning to you, dear Marcus, and welcome back to our village!")
    True
    >>> is_polite_phrase("Hello Marcus, the old bridge collapsed last night.")
    False
    """
    plain = " ".join(fold(sentence[: _MAX_CHARACTERS + 1]).split())
    if len(plain) > _MAX_CHARACTERS:
        return False
    polite = False
    for clause in filter(None, map(_without_lead, _CLAUSE_END.split(plain))):
        if any(phrase.match(clause) for phrase in _PHRASES):
            polite = True
        elif not _NAME.match(clause):
            return False
    return polite


def _without_lead(clause: str) -> str:
    words = clause.strip(" \"'*").split()
    while len(words) > 1 and words[0].casefold() in _LEADING:
        words = words[1:]
    return " ".join(words)
