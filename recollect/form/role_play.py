"""Find games and thought experiments in what a user says: they go on until they are clearly ended. Pure."""

import re

from recollect.form.sentences import fold, sentences
from recollect.form.spans import Span
from recollect.form.tone import imagines, in_earnest

# Longest part of a sentence that is looked at, in characters.
_MAX_SEEN = 400
_ROLE_PLAY = r"role[\s-]?play(?:ing)?"
_TITLE = (
    r"(?:queen|king|prince|princess|emperor|empress|wizard|witch|sorcerer|sorceress|warlock|pirate|knight|paladin|druid|"
    r"necromancer|elf|orc|vampire|werewolf|warlord|goddess)"
)
# A game that both sides play: later messages belong to it.
_OPENS = re.compile(
    rf"\b(?:let's|lets|let us|can we|could we|shall we|wanna|want to|i want to|i'd like to|we'll|we are going to|"
    rf"we're going to)\s"
    rf"(?:start\s|do\s)?(?:an?\s|some\s|this\s)?(?:\w+\s)?(?:{_ROLE_PLAY}|rp|act out|pretend|play (?:pretend|"
    rf"make[\s-]believe|out|the (?:role|part)|"
    r"(?:an?\s)?(?:\w+\s)?(?:game|scenario|scene|story|adventure) (?:where|in which)|d&d|dnd|dungeons))\b"
    rf"|^\W{{0,3}}(?:{_ROLE_PLAY}\b|(?:scenario|scene|setting|in character|ic)\s?:)"
    r"|\byou(?:'re| are|'ll be| will be| play)\s(?:now\s)?(?:an?|my|the)\s[^.!?\n]{1,80}\band\si(?:'m|\sam|'ll be|"
    r"\swill be|\splay)\b"
    r"|\bi(?:'m|\sam|'ll be|\swill be|\splay)\s[^.!?\n]{1,60}\band\syou(?:'re|\sare|'ll be|\swill be|"
    r"\splay)\s(?:an?|my|the)\b"
    r"|\b(?:be|you'll be|you be|play)\s[^.!?\n]{1,40},?\s(?:and\s)?i'll\sbe\b"
    r"|\bpretend\s(?:to be|you're|you are|i'm|i am|we're|we are|that (?:i|you|we))\b"
    r"|\b(?:take on|assume|play) the (?:role|part) of\b|\bi'll play (?:as|the (?:role|part))\b"
    r"|\b(?:write|tell|make up|invent|create|continue|improvise)\s(?:an?|our|this|the|some)\s(?:\w+\s){0,2}"
    r"(?:story|tale|adventure|saga|fan\s?fiction|campaign|scene)\s"
    r"(?:together|with me|in turns|in which (?:i|we|you)|where (?:i|we|you))\b"
    r"|^\W{0,3}once upon a time\b"
    # A title of tales, with a name: 'I am Elowen, queen of the isles', 'I'm King Brannoc'.
    rf"|\bi(?:'m|\sam)\s(?:(?-i:[A-Z])\w{{1,20}},\s(?:the\s|an?\s)?{_TITLE}\b|{_TITLE}\s(?-i:[A-Z])\w)"
    r"|\b(?:stay|remain|speak|answer|reply|respond|talk) in character\b|\bi want you to (?:play|pretend|role)",
    re.IGNORECASE,
)
# What somebody does in a game: '*walks into the tavern*'.
_DOES = re.compile(r"(?<![\w*])\*(?-i:[a-z])\w{1,20}(?:s|ing)\s[^*\n]{2,200}\*(?!\w)", re.IGNORECASE)
_ENDS = re.compile(
    rf"\b(?:ends?|end of|stop|finish|finished|quit|leave|enough|done|pause|exit|"
    rf"out)\b[^.!?\n]{{0,30}}\b(?:{_ROLE_PLAY}|scene|game|story|acting|"
    r"pretending|scenario|character|simulation|rp)\b"
    rf"|\b(?:{_ROLE_PLAY}|scene|game|story|scenario|simulation)\s(?:is\s|has\s)?(?:over|done|finished|ends?|ended)\b"
    r"|\booc\b|\bback to (?:reality|real life|the real world|normal|myself|being me)\b|\bin real life\b|\birl\b"
    r"|^\W{0,3}(?:(?:ok|okay|so|now|but|and|anyway)[\s,.!]{1,3}){0,3}(?:seriously|for real|on a serious note|"
    r"the real me|in truth|in reality)\b"
    r"|\bjok(?:es|ing) aside\b|^the end\W{0,3}$|\bspeaking as myself\b|\b(?:my|i) (?:real|actual)(?:ly)?\b|"
    r"\bthe real me\b"
    r"|\b(?:new|different|change of) (?:topic|subject)\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|my|we|me)\b", re.IGNORECASE)
# A supposition of the speaker's: it lasts as long as the message.
_ACTS = re.compile(
    r"\A\W{0,9}+(?:(?:ok|okay|so|now|please|hey|and|but|then)[\s,]++)*+(?:act as|you(?:'re|\sare)\snow)\b",
    re.IGNORECASE,
)


def find_role_play(text: str) -> list[Span]:
    """Find what a message says within a game or a supposition.

    >>> text = "I ski. Let's role-play: you are a dragon. I live in a cave. Game over! I live in Oslo."
    >>> [text[start:end] for start, end in find_role_play(text)]
    ["Let's role-play: you are a dragon. I live in a cave. "]
    """
    spans, _ = played(text, is_open=False)
    return spans


def played(text: str, *, is_open: bool) -> tuple[list[Span], bool]:
    """Find the games in a text, and whether one is still open behind it.

    Args:
        text: A message.
        is_open: An earlier message of the conversation began a game.
    """
    spans: list[Span] = []
    is_open = is_open or bool(_DOES.search(text))
    start: int | None = 0 if is_open else None
    game = is_open
    pieces = sentences(fold(text))
    for number, sentence in enumerate(pieces):
        seen = sentence.text[:_MAX_SEEN]
        if start is None and number and _ENDS.search(seen) and _closes_what_was_before(seen):
            spans.append((0, sentence.start))
        elif start is not None and (_ENDS.search(seen) if game else in_earnest(seen)) and not _OPENS.search(seen):
            spans.append((start, sentence.start))
            start, game = None, False
        elif _OPENS.search(seen):
            start, game = sentence.start if start is None else start, True
        elif start is None and imagines(seen) and _OF_ONESELF.search(seen) and not _ACTS.match(seen):
            start = sentence.start
    if start is not None:
        spans.append((start, len(text)))
    # What ends a game, or says nothing of its speaker, may stay.
    if is_open and spans and not game and not _OF_ONESELF.search(text, *spans[0]):
        spans = spans[1:]
    return spans, game


_CLOSES = re.compile(
    rf"\b(?:end of|stop|finish|quit|exit|enough)\b[^.!?\n]{{0,20}}\b{_ROLE_PLAY}\b|\bend of (?:the\s)?(?:scene|"
    rf"{_ROLE_PLAY})\b",
    re.I,
)


def _closes_what_was_before(sentence: str) -> bool:
    """Whether a sentence ends a game that this text did not open: what stands before it belongs to that."""
    return bool(_CLOSES.search(sentence))
