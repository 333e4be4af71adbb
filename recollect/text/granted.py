"""What a sentence takes for granted: 'since I joined the post office, …', 'now that we live in Whitby, …?'. Pure."""

import re

from recollect.lazy_pattern import LazyPattern

# Characters of a sentence in which such a clause is read.
MAX_GRANTED = 200
_BY = (
    r"(?:(?:ever\s++)?since|now\s++that|now|as\s++of\s++now|seit(?:dem)?|jetzt\s++wo|depuis\s++que|maintenant\s++que|"
    r"desde\s++que|"
    r"ahora\s++que|agora\s++que|da\s++quando|ora\s++che|adesso\s++che|sinds|nu)"
)
_GERUNDS = {
    "becoming": "became",
    "changing": "changed",
    "getting": "got",
    "going": "went",
    "having": "had",
    "joining": "joined",
    "leaving": "left",
    "losing": "lost",
    "moving": "moved",
    "quitting": "quit",
    "selling": "sold",
    "starting": "started",
    "stopping": "stopped",
    "swapping": "swapped",
    "switching": "switched",
    "taking": "took",
}
_DOING = "|".join(sorted(_GERUNDS))
_SAID_BY = (
    rf"(?:i|i'm|im|i've|ive|we|we're|we've|they|they've|he|she|it's|my|our|the|{_DOING}|ich|wir|je|j'ai|on|nous|"
    r"me|nos|estoy|vivo|trabajo|trabalho|moro|vivimos|trabajamos|empecé|comecei|mudei|mi|sono|lavoro|abito|vivo|ho|ik|"
    r"we)\b"
)
_GRANTED = LazyPattern(
    rf"(?:(?:and|but|so|hi|hey|hiya|ugh|ok|okay|also|btw|plus|oh|honestly)\b[,\s]{{1,3}}){{0,3}}"
    rf"(?:{_BY}\s++(?={_SAID_BY})|after\s++(?={_DOING}\s))(?P<said>[^,;:?!\n]{{3,{MAX_GRANTED}}}+)",
    re.IGNORECASE,
)
# After other words, too: 'he says since I'm shift lead now I do the rota'.
_IN_THE_MIDDLE = LazyPattern(
    rf"\b(?<!how long )(?:(?:ever\s++)?since|now\s++that)\s++(?P<said>(?:i|i'm|im|i've|we|we're|we've|"
    rf"they)\b[^,;:?!\n]{{3,{MAX_GRANTED}}}+)",
    re.IGNORECASE,
)
# Start of the main clause if there is no comma: '… at the bakery i get up at half 3'.
_REST = LazyPattern(
    r"\s(?:(?:i|i'm|im|i've|i'll|i'd|we|we're|we've|he|she|it|it's|they|my|our|how|what|which|where|when|who|why|can|"
    r"could|should|"
    r"is|are|do|does|any)\b)(?!\s++(?:that|who|which)\b)",
    re.IGNORECASE,
)
# Words of the clause before which nothing else begins: 'since i joined'.
_MIN_WORDS = 3
_IN_OTHER_LANGUAGES = LazyPattern(
    r"(?:seit|jetzt\s++wo|depuis|maintenant|desde|ahora|agora|da\s|ora\s|adesso|sinds|nu\s)", re.IGNORECASE
)


def granted_span(sentence: str) -> tuple[int, int] | None:
    """Return the position of the clause that a sentence takes for granted, without 'since' and the like, or None.

    >>> sentence = "since i joined the post office i'm up at 4"
    >>> sentence[slice(*granted_span(sentence))]
    'i joined the post office'
    """
    match = _GRANTED.match(sentence) or _IN_THE_MIDDLE.search(sentence)
    if not match:
        return None
    start, end = match.span("said")
    if not _IN_OTHER_LANGUAGES.match(sentence.lstrip()):
        words = list(re.finditer(r"\S+", sentence[start:end]))
        after = words[_MIN_WORDS - 1].end() if len(words) > _MIN_WORDS else end - start
        rest = _REST.search(sentence, start + after, end)
        end = rest.start() if rest else end
    return start, end


def granted_part(sentence: str) -> str:
    """Return what a sentence takes for granted, as a statement; empty where it is nothing.

    >>> granted_part("Since I moved to Ghent, where can I swim?"), granted_part("After joining Arup, I sleep")
    ('I moved to Ghent', 'I joined Arup')
    """
    span = granted_span(sentence)
    return told_by_me(sentence[slice(*span)].rstrip()) if span else ""


def told_by_me(clause: str) -> str:
    """Return a clause that begins with a gerund as its speaker's: 'becoming a nurse'.

    >>> told_by_me("becoming a nurse"), told_by_me("my shift")
    ('I became a nurse', 'my shift')
    """
    first, _, rest = clause.partition(" ")
    verb = _GERUNDS.get(first.lower())
    return f"I {verb} {rest}" if verb else clause
