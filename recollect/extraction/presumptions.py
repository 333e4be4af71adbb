"""What an assistant takes for granted about the user: 'As you live in Paris and have three cats, …'. Pure.

Models make such things up. What is true of the user the user has said, and is quoted from there.
"""

import re

from recollect.extraction import presumptions_abroad as abroad
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.text import asks, words

# Longest message that is read as small talk, and its longest sentence, in words.
MAX_SMALL_TALK_WORDS = 24
MAX_COURTESY_WORDS = 7
# Longest sentence that is searched, in characters.
_MAX_SEARCHED = 600

# 'As you can see' takes nothing for granted about a life.
_NOT_A_LIFE = (
    r"(?:can|could|know|see|wish|like|want|go|said|say|will|would|may|might|need|should|must|prefer|please|noted|asked|"
    r"mentioned|requested|described|pointed|did|do|get|work\s{1,3}(?:through|on\s{1,3}(?:this|it|the))|read|type|write|"
    r"add|move\s{1,3}(?:on|forward|through)|progress|continue|explore|begin|start|learn|practi[cs]e|build|scale|grow)\b"
)
_GRANTED = re.compile(
    r"\b(?:as|since|because|given|given\s{1,3}that|knowing|knowing\s{1,3}that|considering|considering\s{1,3}that|"
    r"seeing\s{1,3}that|now\s{1,3}that|seeing\s{1,3}as)\s{1,3}"
    rf"(?:you(?:'re|'ve|'d|r)?\s{{1,3}}(?!{_NOT_A_LIFE})|your\s)",
    re.IGNORECASE,
)
_KIN_OR_ANIMAL = (
    r"(?:kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|wife|husband|sisters?|brothers?|partner|girlfriend|"
    r"boyfriend|horses?|birds?|baby|twins)"
)
_CLAIMED = re.compile(
    r"(?:(?:so|and|well|ok|okay|ah|oh|right|yes|then|also|remember)\b[,:]?\s{1,3}){0,3}(?:that\s{1,3})?you"
    r"(?:\s{1,3}(?:live|lived|were\s{1,3}born|grew\s{1,3}up|own|hate|love|always|never|usually|told\s{1,3}me|"
    r"work\s{1,3}(?:as|at|for|in)\s{1,3}(?!this|it\b|the\b))\b"
    r"|(?:'re|\s{1,3}are)\s{1,3}(?:an?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|from|in|who|and|so|by|at|,))|allergic|married|"
    r"single|vegan|vegetarian|pregnant|divorced|retired|from\s)"
    rf"|(?:'ve\s{{1,3}}got|\s{{1,3}}have)\s{{1,3}}(?:\w{{1,12}}\s{{1,3}}){{1,3}}?{_KIN_OR_ANIMAL}\b)",
    re.IGNORECASE,
)
# A model has no life: where it says 'I have lived in Lyon' it writes for somebody else, as in a letter it corrects.
_BORROWED = re.compile(
    r"\bmy\s{1,3}(?:name\s{1,3}is|wife|husband|kids?|children|son|daughter|mother|father|mum|mom|dad|boss|job|flat|house|"
    r"apartment|landlord|birthday)\b"
    r"|\bi(?:'ve|\s{1,3}have)?\s{1,3}(?:(?:just|recently|currently|also|now|been)\s{1,3}){0,3}(?:lived?|living|moved\s{1,3}(?:to|from|here|in|out|house|away)\b|was\s{1,3}born|grew\s{1,3}up|"
    r"work(?:ed|ing)?\s{1,3}(?:as|at|for|in)\s{1,3}(?!this|it\b|the\s{1,3}(?:code|text|answer))|married|studied\s{1,3}(?:at|in))\b"
    r"|\bi(?:'m|\s{1,3}am)\s{1,3}(?:allergic|married|divorced|pregnant|retired|vegan|vegetarian|from\s|\d{1,3}\s{1,3}years|an?\s{1,3}(?:tenant|"
    r"customer|patient|student|mother|father|resident|new\s))",
    re.IGNORECASE,
)
# 'Aye, captain!'
_MAX_EXCLAIMED_WORDS = 4
_COURTESY = re.compile(
    r"(?:great|nice|lovely|wonderful|congrat\w{0,20}|welcome|noted|sure|got\s{1,3}it|okay|ok|alright|all\s{1,3}right|"
    r"of\s{1,3}course|haha|ha|wow|oh|ah|aw|cool|perfect|sounds|i(?:'m|\s{1,3}am)\s{1,3}(?:so\s{1,3}|very\s{1,3})?"
    r"(?:sorry|glad|happy)|sorry|good\s{1,3}luck|enjoy|have\s{1,3}fun|you(?:'re|\s{1,3}are)\s{1,3}welcome|my\s{1,3}pleasure|"
    r"glad|happy\s{1,3}to|no\s{1,3}(?:problem|worries)|thanks|thank\s{1,3}you|done|understood|forgotten|cheers|"
    r"well\s{1,3}done|hooray|amazing|awesome|fantastic|excellent|exciting|what\s{1,3}an?|"
    r"that(?:'s|\s{1,3}is)\s{1,3}(?:great|nice|lovely|wonderful|fantastic|good|exciting|amazing|sad|awful|tough|funny))\b",
    re.IGNORECASE,
)


def presumptions(text: str) -> list[TextSpan]:
    """Find the sentences of an assistant's message that state something about the user.

    >>> [piece.text for piece in presumptions("As you have a cat, no. The bus leaves at 9. As you know, it rains.")]
    ['As you have a cat, no.']
    """
    return [piece for piece in sentences(fold(text)) if _presumes(piece.text[:_MAX_SEARCHED])]


def _presumes(sentence: str) -> bool:
    if _BORROWED.search(sentence) or _GRANTED.search(sentence) or abroad.GRANTED.search(sentence):
        return True
    claimed = _CLAIMED.match(sentence) or abroad.CLAIMED.match(sentence)
    return bool(claimed) and not asks(sentence)


def is_assistants_small_talk(text: str) -> bool:
    """Return whether an assistant's message only reacts: courtesies and questions, without a number.

    >>> is_assistants_small_talk("Welcome, Otto!"), is_assistants_small_talk("Great, it leaves at 9.")
    (True, False)
    """
    said = words(text[: MAX_SMALL_TALK_WORDS * 20])
    if len(said) > MAX_SMALL_TALK_WORDS or any(character.isdigit() for word in said for character in word):
        return False
    parts = [piece.text for piece in sentences(fold(text)) if piece.text.strip()]
    return all(_is_courtesy(part) or asks(part) for part in parts)


def _is_courtesy(sentence: str) -> bool:
    said = len(words(sentence))
    exclaims = said <= _MAX_EXCLAIMED_WORDS and sentence.rstrip().endswith("!")
    courteous = _COURTESY.match(sentence) or abroad.COURTESY.match(sentence)
    return exclaims or (said <= MAX_COURTESY_WORDS and bool(courteous))
