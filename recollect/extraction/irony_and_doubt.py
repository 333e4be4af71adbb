"""Sentences that are not meant as they read: ironic praise, and tastes their speaker doubts. Pure.

'My boss is an angel obviously, only 14 emails on Sunday' and 'I like fantasy, I think' form no memory.
"""

import re

from recollect.lazy_pattern import LazyPattern
from recollect.memo import remembered

# Praise of someone or something, in words that are as often meant as not.
_PRAISE = (
    r"(?:angels?|saints?|gems?|dreams?|charmers?|delights?|joys?|treats?|geniuse?s?|heroe?s?|peach|"
    r"ray\s++of\s++sunshine|"
    r"legends?|stars?|prince|princess|paragon|masterpiece|picnic|darlings?|sweethearts?|paradise|heaven|bliss|blast|"
    r"model\s++of\s++\w{2,20}|wonderful|lovely|perfect|amazing|fantastic|brilliant|marvellous|delightful|charming|"
    r"magical|"
    r"thrilling|glorious|generous|considerate|thoughtful|punctual|reliable|efficient|virtuoso|highlight|pleasure|fun|"
    r"great|"
    r"fabulous|awesome|superb|thrilled|delighted|lucky|blessed|living\s++the\s++dream)"
)
_LOVES = r"(?:love|loves|adore|adores|enjoy|enjoys|cherish|treasure|can't\s++get\s++enough\s++of)"
# Words that signal irony.
_WINK = r"(?:obviously|of\s++course|clearly|naturally|evidently)"
_HUGE = r"(?:such\s++an?|a\s++real|an?\s++absolute|an?\s++total|a\s++true)"
# Annoyances that show that praise of a person or thing is ironic.
_BOTHER = (
    r"(?:only\s++(?:took|had|cost|waited|\d)|\d{1,4}\s++(?:emails?|texts?|calls?|meetings?|messages|hours?|minutes|"
    r"mins|times|"
    r"weeks?|months?|forms?|bugs?|tickets?|pages)|stuck|queu\w{1,5}|traffic|on\s++hold|overtime|mandatory|paperwork|"
    r"delay(?:s|ed)?|"
    r"cancell?ed|broken|breaks\s++down|leak\w{0,3}|at\s++(?:midnight|\d{1,2}\s?[ap]m)|on\s++(?:a\s++)?(?:sunday|"
    r"saturday|friday|christmas)|"
    r"drums|scream\w{0,3}|shout\w{0,3}|honking|mould|mold|rats?|spam)"
)
# Things that people do not enjoy.
_NUISANCE = (
    r"(?:being\s++(?:woken|ignored|yelled|shouted|stuck|on\s++hold|blamed|left|kept|overlooked|interrupted)|"
    r"stuck\s++(?:in|at|on|behind)|queu\w{1,5}|"
    r"(?:sitting|sat)\s++in\s++traffic|waiting\s++(?:for|in|on|at)|root\s++canals?|mandatory|compulsory|"
    r"bin\s++(?:lorries|day)|on\s++hold|unpaid\s++overtime|"
    r"team[- ]building|tax\s++returns?|paperwork|\d{1,2}\s++hours?\s++(?:at|in|on)|getting\s++(?:soaked|rained|yelled|"
    r"shouted|ignored)|delays?|spam)"
)
_NEAR = r"[^.!?\n]{0,80}?"
_IRONY = LazyPattern(
    rf"\b{_PRAISE}\b,?\s++{_WINK}\b"
    rf"|(?:\b(?:is|are|was)|'s|'re)\s++(?:{_WINK}\s++(?:an?\s++)?|"
    rf"{_HUGE}\s++){_PRAISE}\b{_NEAR}[,;:–-]\s{_NEAR}\b{_BOTHER}\b"
    rf"|\b{_PRAISE}\s++as\s++(?:ever|always|usual)\b{_NEAR}\b{_BOTHER}\b"
    rf"|\b(?:{_WINK}|absolutely|simply|truly|totally|really|just|"
    rf"so)\s++{_LOVES}\s++(?:it\s++when\s++)?{_NEAR}\b{_NUISANCE}\b"
    r"|^(?:oh,?\s++(?:great|joy|good|lovely|wonderful|fantastic|brilliant|perfect|goody)|what\s++(?:a|an)\s++(?:joy|"
    r"treat|delight|thrill)|"
    r"(?:just\s++)?(?:wonderful|fantastic|brilliant|lovely|perfect)),\s++(?:another|more|yet|because|now|just|again|"
    r"my|the|they|it)\b"
    r"|\b(?:love|loving)\s++(?:that|this)\s++for\s++(?:me|us)\b|\b(?:lucky|yay)\s++(?:me|us|for\s++me)\b"
    r"|\blive\s++for\s++[^.!?\n]{1,60}?,?\s++(?:as\s++you\s++can\s++(?:tell|see|imagine)|obviously|clearly)\b",
    re.IGNORECASE,
)


@remembered
def is_ironic(sentence: str) -> bool:
    """Return whether a sentence praises what it complains about.

    >>> is_ironic("my boss is an angel obviously, only 14 emails on sunday"), is_ironic("my boss is an angel")
    (True, False)
    """
    return bool(_IRONY.search(sentence))


_TASTE = r"(?:like|likes|love|enjoy|prefer|into|fan\s++of|fond\s++of|keen\s++on)"
_DOUBT = (
    r"(?:i\s++(?:think|guess|suppose)|maybe|perhaps|probably|possibly|idk|i\s++dunno|i\s++don't\s++know|"
    r"not\s++sure(?:\s++yet|\s++really)?|"
    r"who\s++knows|could\s++be|hard\s++to\s++say)"
)
_DOUBTED = LazyPattern(
    rf"\b{_TASTE}\b[^.!?\n]{{1,80}}?[,;–-]?\s{_DOUBT}[\s.!?…:)(]{{0,10}}$"
    rf"|^(?:well,?\s|hmm,?\s|so,?\s)?{_DOUBT},?\s(?:that\s)?i(?:'d|\swould|\smight|\scould)\s(?:probably\s|maybe\s|"
    rf"even\s|rather\s|be\s){{0,2}}{_TASTE}\b",
    re.IGNORECASE,
)


def is_doubted_taste(sentence: str) -> bool:
    """Return whether a sentence states a taste that its speaker is not sure of.

    >>> is_doubted_taste("i like fantasy, i think"), is_doubted_taste("I think I like it")
    (True, False)
    """
    return bool(_DOUBTED.search(sentence))
