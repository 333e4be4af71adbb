"""English verbs of first-person sentences: their form and their third person. Pure.

'I study' becomes 'studies'; past forms and modals ('went', 'can') stay.
"""

# Forms that are the same in the third person: irregular pasts and modals.
UNCHANGED = frozenset(
    """was were had did went got made took came saw met bought found felt thought said told gave knew left lost won
    began became broke brought built caught chose drew drank drove ate fell flew forgot grew heard held kept led
    lent meant paid ran rode rang rose sang sent shot slept spoke spent stood stole swam taught threw understood
    woke wore wrote sold dealt fought hid hung laid lit shook sat struck stuck swore tore cut hit hurt put quit
    set shut let cost spread bet split burst cast read beat will would can could shall should may might must
    won't wouldn't can't cannot couldn't shouldn't mustn't didn't wasn't hadn't used gonna outgrew dreamt learnt
    burnt spent withdrew undertook overcame been gone done""".split()
)
IRREGULAR = {
    "am": "is",
    "are": "are",
    "have": "has",
    "do": "does",
    "go": "goes",
    "don't": "doesn't",
    "haven't": "hasn't",
    "ain't": "isn't",
    "wanna": "wants to",
    "gotta": "has to",
}
ADVERBS = frozenset(
    """also just really always never often sometimes usually still already now currently recently actually
    definitely absolutely totally even only ever not almost nearly mostly mainly generally rarely seldom finally
    once then soon first both truly simply kinda sorta basically literally honestly probably maybe""".split()
)
# Words in -ly that are verbs.
_NOT_ADVERBS = frozenset({"fly", "apply", "rely", "reply", "supply", "imply", "comply", "multiply"})
# Base forms in -ed that look like pasts.
_BASE_IN_ED = frozenset(
    {"need", "feed", "breed", "bleed", "succeed", "proceed", "exceed", "speed", "seed", "weed", "embed", "shed", "wed"}
)


def is_adverb(word: str) -> bool:
    """Return whether a word is an adverb that may be between subject and verb."""
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in _NOT_ADVERBS)


def is_past(word: str) -> bool:
    """Return whether a word is a past form or a participle."""
    return (word in UNCHANGED and word not in _MODALS) or (
        word.endswith("ed") and word not in _BASE_IN_ED and len(word) > 3
    )


_MODALS = frozenset(
    """will would can could shall should may might must won't wouldn't can't cannot couldn't shouldn't mustn't
    gonna let""".split()
)


def third_person(verb: str) -> str:
    """Put a first-person verb into the third person; pasts and modals stay.

    >>> [third_person(verb) for verb in ("have", "study", "teach", "play", "went", "moved", "can")]
    ['has', 'studies', 'teaches', 'plays', 'went', 'moved', 'can']
    """
    low = verb.lower()
    if low in IRREGULAR:
        return IRREGULAR[low]
    if low in UNCHANGED or is_past(low):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"
