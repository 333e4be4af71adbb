"""Slots of facts: which hold several values, which names mean the same, when two values are one. Pure."""

import re

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text import bare, negations, squeeze, stem
from toldonce.text.slot_owner import OWNER_MARK, bare_key, owned_key, slot_owner

# Keys of which a person may have several values at a time: each value is a slot of its own (`allergy:peanuts`). Any
# other key holds one, whatever its name: a second value replaces the first.
MULTI_VALUED = frozenset(
    """allergy like dislike hobby language avoid condition possession rule prefer food_rule household pet dog cat horse
    bird fish child son daughter sibling brother sister friend cousin aunt uncle niece nephew grandchild colleague
    roommate flatmate skill medication supplement instrument sport goal fear dream habit project event appointment trip
    plan subscription device vehicle symptom injury vaccination award certification degree_held publication club
    membership volunteering""".split()
)
# Of these a person has one even where a value follows the colon: `location:oslo` is the location.
SINGLE_VALUED = frozenset(
    """name full_name first_name middle_name last_name birth_name location origin nationality time_zone employer job
    school field_of_study pronouns gender birthday birth_year age marital_status partner mother father boss
    native_language diet answer_language answer_length answer_tone units emoji address_as currency email phone
    height weight blood_type shoe_size handedness religion work_hours""".split()
)
_SYNONYMS = {
    "location": "city home residence lives_in living_in current_location current_city place_of_residence home_city"
    " based_in town where_lives country_of_residence",
    "origin": "hometown home_town birthplace place_of_birth born_in from home_country country_of_origin",
    "employer": "company workplace works_at works_for current_employer organization organisation",
    "job": "occupation profession job_title role work position current_job career title",
    "time_zone": "timezone tz",
    "birthday": "birth_date birthdate date_of_birth dob born",
    "partner": "spouse wife husband girlfriend boyfriend fiance fiancee significant_other",
    "mother": "mom mum",
    "father": "dad",
    "marital_status": "relationship_status civil_status",
    "diet": "dietary_preference dietary_restriction diet_type eating_habits dietary",
    "school": "university college",
    "field_of_study": "major studies course_of_study degree",
    "answer_language": "response_language preferred_language reply_language language_preference output_language",
    "answer_length": "response_length verbosity response_style answer_style",
    "address_as": "nickname preferred_name call_me called",
    "native_language": "mother_tongue first_language",
    "units": "measurement_system unit_system",
    "name": "given_name user_name username",
    "pronouns": "preferred_pronouns",
    "allergy": "allergic_to food_allergy allergic",
    "like": "loves love enjoys enjoy interest",
    "dislike": "hates hate",
    "hobby": "pastime activity",
    "language": "speaks spoken_language",
    "avoid": "does_not_eat cannot_eat cant_eat food_restriction",
    "condition": "health_condition medical_condition illness",
    "possession": "owns has",
    "rule": "instruction standing_instruction standing_rule",
    "prefer": "preference prefers",
    "medication": "medicine drug prescription",
    "instrument": "musical_instrument",
    "child": "kid children",
}
_CANONICAL = {synonym: key for key, synonyms in _SYNONYMS.items() for synonym in synonyms.split()}
# A key that holds several values, or a name for one, is also written in the plural.
_PLURALS = {
    "_".join(stem(word) for word in name.split("_")): key
    for key in sorted(MULTI_VALUED)
    for name in (key, *_SYNONYMS.get(key, "").split())
}
# British spellings of words that name slots, and what else is written in two ways.
_SPELLINGS = {
    "colour": "color", "colours": "colors", "favourite": "favorite", "favourites": "favorites", "fav": "favorite",
    "fave": "favorite", "favoured": "favored", "flavour": "flavor", "flavours": "flavors", "neighbour": "neighbor",
    "neighbourhood": "neighborhood", "behaviour": "behavior", "programme": "program", "organisation": "organization",
    "licence": "license", "centre": "center", "theatre": "theater", "jewellery": "jewelry", "grey": "gray",
    "tyre": "tire", "catalogue": "catalog", "humour": "humor", "labour": "labor", "favorites": "favorite",
}  # fmt: skip
# Words before a key that only say whose it is, or that it is so now.
_LEADING = frozenset("user users user's my the their his her current currently present".split())
# Slots that cannot hold the same value both at once: the newer statement wins.
OPPOSITE = {"like": "dislike", "dislike": "like", "hobby": "dislike"}
MAX_KEY_CHARACTERS = 120
# Between the words of a key, and where one begins with a capital: 'coffee-order', 'coffeeOrder'.
_SEPARATORS = LazyPattern(r"[\s_./-]++")
_HUMP = LazyPattern(r"(?<=[a-z])(?=[A-Z])")
# 'v5.3' is version 5.3.
_VERSION = LazyPattern(r"\Av(?=\d)")


def canonical_key(key: str, value: str) -> str:
    """Return the slot's one name; a slot that can hold several values carries the value.

    A key that an extractor itself wrote with a value after a colon holds several, unless it is known to hold one.

    >>> canonical_key("City", "Oslo"), canonical_key("allergies", "Peanuts"), canonical_key("allergy:nuts", "nuts")
    ('location', 'allergy:peanuts', 'allergy:nuts')
    >>> canonical_key("favouriteColour", "red"), canonical_key("coffee order", "latte"), canonical_key("cup:1", "red")
    ('favorite_color', 'coffee_order', 'cup:1')
    """
    head, _, tail = squeeze(key).partition(":")
    name = _one_name(head)
    several = name in MULTI_VALUED or (bool(tail.strip()) and not is_single(name))
    if not several:
        return name[:MAX_KEY_CHARACTERS]
    value_part = squeeze(tail if tail.strip() else value).casefold()
    return f"{name}:{value_part}"[:MAX_KEY_CHARACTERS]


def _one_name(head: str) -> str:
    """Return the one name of a key: without its writer's spelling, separators, capitals and "user" before it."""
    parted = _HUMP.sub("_", head.strip())
    words = [_SPELLINGS.get(word, word) for word in _SEPARATORS.split(parted.casefold()) if word]
    for start in range(len(words)):
        name = "_".join(words[start:])
        known = _CANONICAL.get(name) or (name if name in SINGLE_VALUED or name in MULTI_VALUED else None)
        known = known or _PLURALS.get("_".join(stem(word) for word in words[start:]))
        if known:
            return known
        if words[start] not in _LEADING or start + 1 == len(words):
            return _favorite(words[start:]) or name
    return head.strip().casefold()


def _favorite(words: list[str]) -> str:
    """Return `favorite_X` for the other names of the same: 'most liked X', 'preferred X', 'X preference'."""
    if words[0] in ("preferred", "favored") and len(words) > 1:
        return "_".join(("favorite", *words[1:]))
    if words[-1] in ("preference", "favorite") and len(words) > 1:
        return "_".join(("favorite", *words[:-1]))
    return ""


def is_single(key: str) -> bool:
    """Whether a canonical key is known to hold one value at a time, even where a colon follows it."""
    return key in SINGLE_VALUED or key.startswith("favorite_")


def stored_key(key: str, value: str, speaker: str) -> str:
    """Return the key under which a speaker's fact is stored.

    >>> stored_key("City", "Oslo", "user"), stored_key("City", "Oslo", "Ana")
    ('location', 'location@ana')
    """
    return owned_key(canonical_key(key, value), speaker, MAX_KEY_CHARACTERS)


@remembered
def slot_mark(key: str, value: str, speaker: str = "") -> str:
    """Return what two facts share exactly if they are in one slot: `allergy:peanut` for peanuts and for a peanut.

    Each named speaker has slots of their own, whether the key names them or not.

    >>> slot_mark("allergy:peanuts", "peanuts") == slot_mark("allergic to", "a peanut")
    True
    >>> slot_mark("coffee_orders", "latte") == slot_mark("CoffeeOrder", "mocha")
    True
    >>> slot_mark("city", "Oslo", "Ana") == slot_mark("location@ana", "Rome", "Ana") != slot_mark("city", "Oslo", "Ben")
    True
    """
    name, colon, value_part = canonical_key(bare_key(key, speaker), value).partition(":")
    name = "".join(stem(word) for word in name.split("_"))
    owner = slot_owner(speaker)
    mark = f"{name}:{value_mark(value_part)}" if colon else name
    return f"{mark}{OWNER_MARK}{owner}" if owner else mark


def opposite_mark(key: str, value: str, speaker: str = "") -> str | None:
    """Return the mark of the slot that this one rules out; None where there is none."""
    name, colon, value_part = canonical_key(bare_key(key, speaker), value).partition(":")
    other = OPPOSITE.get(name)
    return slot_mark(f"{other}:{value_part}", value_part, speaker) if colon and other else None


def says_fuller(key: str, value: str, other: str) -> bool:
    """Return whether a value names the thing that its slot is about, as another does, and says more of it.

    >>> says_fuller("tool:python", "Python 3.11", "Python"), says_fuller("tool:python", "Python 3.12", "Python 3.11")
    (True, False)
    >>> says_fuller("tool:python", "kein Python", "Python")
    False
    """
    thing = set(value_mark(canonical_key(key, value).partition(":")[2]).split())
    words, others = set(value_mark(value).split()), set(value_mark(other).split())
    return bool(thing) and thing <= others < words and negations(value) == negations(other)


def value_mark(value: str) -> str:
    """Fold a value for comparison: case, articles, punctuation and number of words.

    >>> value_mark("the Peanuts") == value_mark("peanut")
    True
    """
    words = [_VERSION.sub("", word) for word in bare(value).split()]
    kept = [stem(word) for word in words if word not in ("the", "a", "an", "my", "some")]
    signs = "".join(re.findall(r"[+#]", value))
    return " ".join(kept) + signs
