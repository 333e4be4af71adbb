"""Rewrite a first-person clause into a sentence that needs no context. Pure.

"and I'm allergic to peanuts" becomes 'The user is allergic to peanuts.': the name for 'I', verbs that agree, no
dangling start. If a safe rewriting is not known, the words are quoted: 'Ana said: "We went to the beach."'
"""

import re
from dataclasses import dataclass

from recollect.extraction.rules.clause_subjects import (
    lacks_i,
    lacks_my,
    restore_subject,
    speaker_first,
    with_apostrophes,
)
from recollect.extraction.rules.verbs import COORDINATED, is_adverb, is_participle, third_person
from recollect.lazy_pattern import LazyPattern

_TOKEN = LazyPattern(r"[A-Za-z]+(?:'[A-Za-z]+)*|[^A-Za-z]+|'")
_CONTRACTED = {
    "i'm": ("i", "am"),
    "im": ("i", "am"),
    "i've": ("i", "have"),
    "ive": ("i", "have"),
    "i'll": ("i", "will"),
    "i'd": ("i", "'d"),
}
_QUOTED = LazyPattern(r"\"[^\"\n]{1,400}\"")
# Replaces a quotation while the words around it are rewritten.
_HELD = "\ue000"
# Openings that only tie a clause to the previous one.
_OPENING = LazyPattern(
    r"^(?:(?:and|but|so|or|well|oh|ah|hey|hi|hello|yes|yeah|yep|yup|no(?=\s*+[,.!;:–-]|\s++(?:i|i'm|i've|my|we|it|actually)\b)|nope|nah|wow|btw|by\s++the\s++way|"
    r"also|plus|anyway|anyways"
    r"|actually|honestly|guess\s++what|speaking\s++of\s++which|in\s++fact|you\s++know|thanks?(?:\s++(?:a\s++lot|"
    r"so\s++much))?|thank\s++you"
    r"|scratch\s++that|no\s++wait|wait|correction|oops|whoops|sorry(?=\s*+[,.!:])|i\s++mean(?=\s*+,)"
    r"|sure|right|definitely|absolutely|totally|of\s++course|exactly|ok|okay|cool|great|nice|haha|"
    r"lol|fyi|ugh|argh|omg|like\s++i\s++said"
    r"|as\s++(?:i\s++said|you\s++know)|to\s++be\s++honest|tbh|well\s++then|because|cause|since|though)\b[\s,.!:;–-]*+){1,12}",
    re.IGNORECASE,
)
_DROPPED_SUBJECT = LazyPattern(
    r"^(?:been|just|recently|started|got|went|had|finished|bought|gonna|going|looking|planning|"
    r"thinking|trying|working|took"
    r"|broke|sprained|tore|fractured|twisted|dislocated|injured|quit|left|gave|sold|booked|cancell?ed|adopted|rescued|passed|failed|graduated|"
    r"retired|turned|picked|switched|lost|found|relocated|flying|driving|travell?ing|leaving|moving|sailing|heading|staying|visiting|meeting|"
    r"starting|speaking|running|getting|nearly|finally|officially|was"
    r"|made|met|joined|signed|moved|haven't|haven’t|can't\s++wait|won't|used|still|currently)\b(?!\s++(?:like|"
    r"for\s++it|on\b))",
    re.IGNORECASE,
)
# Statements about one's life without 'I': 'sold my car', 'got laid off', 'passed the exam'.
_LEFT_OUT = LazyPattern(
    r"(?:(?:just|finally|already|officially|recently|basically|actually|also|even)\s++){0,6}+"
    r"(?:moved|relocated|adopted|gave\s++up|given\s++up|graduated|retired|booked|became|broke\s++(?:my|up)|tore\s++my|"
    r"sprained\s++my|lost\s++my|sold\s++(?:my|our|the|(?-i:[A-Z])\w++)|bought\s++(?:my|an?|our|the)|passed\s++(?:my|the)|failed\s++(?:my|the)|"
    r"picked\s++up\s++(?:my|the|our)|signed\s++up|quit\s++(?!being\b|it\b|with\b|that\b|saying\b|asking\b|talking\b|using\b)|"
    r"left\s++(?:my|our)|joined|switched\s++(?:to|from)|stopped\s++\w++(?<=ing)|"
    r"started\s++(?:at|as|my|an?|working|learning|teaching|studying)|"
    r"got\s++(?:laid\s++off|fired|promoted|hired|married|engaged|divorced|diagnosed|accepted|my|an?|"
    r"the\s++(?:job|results?|keys?|flat|house|place))"
    r"|turned\s++\d|(?:flying|travelling|traveling|heading)\s++to|staying\s++(?:in|at|with)|live\s++(?:in|with)|living\s++(?:in|with)|work(?:ing)?\s++(?:at|as|for)|"
    r"been\s++(?:living|working|learning|vegan|vegetarian|married|single))\b",
    re.IGNORECASE,
)
_IN_ING = frozenset({"living", "working", "flying", "travelling", "traveling", "heading", "staying"})
# Objects of work on a text or a program: 'got an error' is not about a life.
_OF_WORK = LazyPattern(
    r"(?<!\s)\s++(?:\w++\s++)?(?:error|exception|traceback|warning|bug|message|response|answer|result|output|file|function|table|line|button|"
    r"server|process|query|string|null|\d)",
    re.IGNORECASE,
)
# 'Going to those places is my dream': the verb in -ing is itself the subject.
_GERUND_SUBJECT = LazyPattern(
    r"^\w+ing\b[^,;]*\b(?:is|are|was|were|has|had|makes?|made|helps?|helped|feels?|felt|gives?|"
    r"gave|can|brings?|keeps?)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """The speaker of a clause, and the listener."""

    name: str
    """'Caroline' or 'The user'."""
    named: bool
    """Whether it is a person's name, which keeps its capital inside a sentence."""
    listener: str = ""
    """The person addressed as 'you'; empty if unknown."""

    @property
    def inner(self) -> str:
        """The name within a sentence: 'Caroline' or 'the user'."""
        return self.name if self.named else self.name[0].lower() + self.name[1:]


def starts_without_subject(clause: str) -> bool:
    """Return whether a clause leaves out its 'I': 'Gonna continue my studies', 'Just finished a book'."""
    body = _OPENING.sub("", clause)
    return bool(_DROPPED_SUBJECT.match(body)) and not _GERUND_SUBJECT.match(body)


def leaves_out_i(clause: str) -> bool:
    """Return whether a clause is about its speaker's life but leaves out 'I'.

    >>> leaves_out_i("sold my car"), leaves_out_i("Sold out again"), leaves_out_i("got an error")
    (True, False, False)
    """
    found = _LEFT_OUT.match(clause)
    return bool(found) and not _OF_WORK.match(clause, found.end() if found else 0) and not _GERUND_SUBJECT.match(clause)


def restore_i(clause: str) -> str:
    """Restore the 'I' that a clause left out.

    >>> restore_i("just sold my car"), restore_i("living in Oslo"), restore_i("been vegan for years")
    ('I just sold my car', 'I am living in Oslo', 'I have been vegan for years')
    """
    first = next((word for word in clause.lower().split() if not is_adverb(word)), "")
    helps = " am" if first in _IN_ING else " have" if first in ("been", "given") else ""
    rest = clause.lower() if clause.isupper() else clause[0].lower() + clause[1:]
    return f"I{helps} {rest}"


def reporting(clause: str, speaker: Speaker) -> str:
    """Rewrite a clause that quotes others, whose words stay unchanged.

    >>> reporting('My boss told me "I hate it".', Speaker("The user", False))
    'The user\\'s boss told the user "I hate it".'
    """
    quoted = _QUOTED.findall(clause)
    sentence = stand_alone(_QUOTED.sub(_HELD, clause), speaker)
    for words in quoted:
        sentence = sentence.replace(_HELD, words, 1)
    return sentence


def stand_alone(clause: str, speaker: Speaker, *, frame: bool = True) -> str:
    """Rewrite a clause of the speaker into one sentence that needs no context.

    A clause with 'we', or with 'you' as its subject, is framed as a quotation, so that agreement is never guessed;
    with `frame`, so is a clause about others only.

    >>> stand_alone("and I'm allergic to peanuts", Speaker("The user", False))
    'The user is allergic to peanuts.'
    >>> stand_alone("My sister lent me her car.", Speaker("Ana", True))
    "Ana's sister lent Ana her car."
    >>> stand_alone("We went to the beach", Speaker("Ana", True))
    'Ana said: "We went to the beach."'
    """
    body = _OPENING.sub("", clause).strip(" ,;:–-") or clause.strip()
    body = with_apostrophes(body.rstrip(".!…").strip())
    if leaves_out_i(body):
        body = restore_i(body)
    elif lacks_i(body) or lacks_my(body):
        body = restore_subject(body)
    elif starts_without_subject(body):
        body = _with_subject(body)
    body = speaker_first(body)
    if re.search(r"\b(?:we|we're|we've|we'll|we'd|us|our|ours|ourselves|let's|yourself|y'all)\b", body, re.I):
        return _framed(body, speaker)
    if not speaker.listener and re.search(r"\b(?:you|you're|you've|you'd|you'll|your|yours)\b", body, re.I):
        return _framed(body, speaker)
    if re.search(
        r"\b(?:you're|you've|you'd|you'll|yours|you\s++(?:are|were|have|do|don't|can|will|guys|all|all))\b", body, re.I
    ):
        return _framed(body, speaker)
    if not re.search(r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|myself)\b", body, re.I):
        return _framed(body, speaker) if frame else f"{body[0].upper()}{body[1:]}."
    sentence = _rewritten(body, speaker)
    return sentence[0].upper() + sentence[1:] + "."


_PARTICIPLES = frozenset(
    """gonna going looking planning thinking trying working flying driving travelling traveling leaving moving sailing
    heading staying visiting meeting starting speaking running getting off""".split()
)


def _with_subject(body: str) -> str:
    first, _, rest = body.partition(" ")
    low = first.lower()
    if low in ("been",):
        low = "have been"
    elif low in _PARTICIPLES:
        low = f"am {low}"
    return f"I {low} {rest}"


def _framed(body: str, speaker: Speaker) -> str:
    plain = body.replace('"', "'")
    return f'{speaker.name} said: "{plain[0].upper()}{plain[1:]}."'


@dataclass(slots=True)
class _Agreement:
    """State of the rewriting, word by word: what the next verb must agree with."""

    agree: bool = False
    """The next verb belongs to the speaker."""
    present: bool = False
    """The speaker's last verb is in the present, and another may follow after 'and'."""
    speaks: bool = False
    """The speaker alone was the last subject."""
    aside: bool = False
    """Within an apposition: 'I, a trained baker, …'."""

    def begin(self, *, alone: bool) -> None:
        """Make the speaker the subject, alone or with another."""
        self.agree = self.speaks = alone
        self.aside = False

    def pause(self, token: str) -> None:
        """Enter or leave an apposition between the speaker and the verb."""
        self.aside ^= self.agree and "," in token

    def goes_on(self, low: str, following: str) -> bool:
        """Return whether another verb of the speaker follows after this word."""
        if low not in ("and", "but", "or"):
            return False
        return (self.present and following in COORDINATED) or (self.speaks and following in _AUXILIARY)


# After 'and', these always have the same subject: 'I was born in Rome and have lived in Oslo'.
_AUXILIARY = frozenset({"am", "have", "haven't", "don't"})
# Verbs before an infinitive; the verb after 'and' is one too: 'I love to swim and run'.
_BEFORE_TO = frozenset(
    """want need love like hate prefer try have hope plan wish tend aim intend start begin continue learn decide
    expect""".split()
)


def _rewritten(body: str, speaker: Speaker) -> str:
    tokens = _expanded(_TOKEN.findall(body))
    out: list[str] = []
    named = False
    state = _Agreement()
    for place, token in enumerate(tokens):
        low = token.lower()
        state.pause(token)
        if low == "i" and not _is_roman(tokens, place):
            out.append(speaker.inner)
            named = True
            state.begin(alone=not _is_plural(tokens, place))
        elif low in ("me", "my", "mine", "myself"):
            out.append(_other_case(low, speaker, is_named=named))
            named = True
        elif low in ("you", "your") and speaker.listener:
            out.append(speaker.listener if low == "you" else f"{speaker.listener}'s")
        elif _is_verb(token, low, state):
            out.append(_agreeing(tokens, place, state))
        else:
            out.append(token)
            state.agree |= state.goes_on(low, _next_word(tokens, place))
    return "".join(out)


def _is_verb(token: str, low: str, state: _Agreement) -> bool:
    if not state.agree or state.aside or low in ("no", "longer"):
        return False
    return (token[0].isalpha() or low == "'d") and not is_adverb(low)


def _agreeing(tokens: list[str], place: int, state: _Agreement) -> str:
    """Put the speaker's verb into the third person, and update the state."""
    token, low, following = tokens[place], tokens[place].lower(), _next_word(tokens, place)
    verb = _verb(low, token, following)
    infinitive = low.endswith("n't") or (following == "to" and low in _BEFORE_TO)
    state.present = verb != token and low != "'d" and not infinitive
    state.speaks = not infinitive
    state.agree = False
    return verb


def _expanded(tokens: list[str]) -> list[str]:
    out: list[str] = []
    for token in tokens:
        parts = _CONTRACTED.get(token.lower())
        out.extend((parts[0], " ", parts[1]) if parts else (token,))
    return out


def _is_roman(tokens: list[str], place: int) -> bool:
    before = "".join(tokens[max(0, place - 2) : place]).split()
    return bool(before) and before[-1] in ("Part", "World", "War", "Type", "Phase", "Chapter")


def _is_plural(tokens: list[str], place: int) -> bool:
    """Return whether the 'I' at `place` shares its verb with another: 'I and my wife'."""
    following = (token.lower() for token in tokens[place + 1 :] if token.strip())
    return next(following, "") in ("and", "nor")


def _next_word(tokens: list[str], place: int) -> str:
    return next((t.lower() for t in tokens[place + 1 :] if t[0].isalpha() and not is_adverb(t.lower())), "")


def _verb(low: str, token: str, following: str) -> str:
    if low == "'d":
        return "had" if is_participle(following) or following == "better" else "would"
    return third_person(token)


def _other_case(low: str, speaker: Speaker, *, is_named: bool) -> str:
    if low == "me":
        return speaker.inner
    if low == "myself":
        return "themselves"
    return "their" if is_named and low == "my" else "theirs" if is_named else f"{speaker.inner}'s"
