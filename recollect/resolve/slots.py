"""Slots of facts: which hold one value, which names mean the same, when two values are one. Pure."""

import re

from recollect.resolve.lexicon import DIETS, FOODS
from recollect.text import bare, squeeze, stem

# Keys of which a person has one value at a time: another value replaces it. Keys that begin with `favorite_` are too.
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
    "allergy": "allergies allergic_to food_allergy allergic",
    "like": "likes loves love enjoys enjoy interest interests",
    "dislike": "dislikes hates hate",
    "hobby": "hobbies pastime pastimes activity",
    "language": "languages speaks spoken_language spoken_languages",
    "avoid": "avoids does_not_eat cannot_eat cant_eat food_restriction",
    "condition": "conditions health_condition medical_condition illness",
    "possession": "possessions owns has",
    "rule": "rules instruction standing_instruction standing_rule",
}
_CANONICAL = {synonym: key for key, synonyms in _SYNONYMS.items() for synonym in synonyms.split()}
# Slots that cannot hold the same value both at once: the newer statement wins.
OPPOSITE = {"like": "dislike", "dislike": "like", "hobby": "dislike"}
# Milk of oats and steak of cauliflower are neither milk nor steak.
PLANT_BASED = frozenset(
    stem(word) for word in "vegan veggie vegetarian plant soy oat almond rice coconut nut tofu".split()
)
# Longest key, in characters.
LONGEST_KEY = 120


def canonical_key(key: str, value: str) -> str:
    """Return the slot's one name; a slot that can hold several values carries the value.

    >>> canonical_key("City", "Oslo"), canonical_key("allergies", "Peanuts"), canonical_key("allergy:nuts", "nuts")
    ('location', 'allergy:peanuts', 'allergy:nuts')
    """
    head, colon, tail = squeeze(key).partition(":")
    name = re.sub(r"[\s-]++", "_", head.strip().casefold()).replace("favourite", "favorite")
    name = _CANONICAL.get(name, name)
    if is_single(name):
        return name[:LONGEST_KEY]
    held = squeeze(tail if colon and tail.strip() else value).casefold()
    return f"{name}:{held}"[:LONGEST_KEY]


def is_single(key: str) -> bool:
    """Whether a canonical key holds one value at a time."""
    return key in SINGLE_VALUED or key.startswith("favorite_")


def slot_mark(key: str, value: str) -> str:
    """Return what two facts share exactly if they are in one slot: `allergy:peanut` for peanuts and for a peanut.

    >>> slot_mark("allergy:peanuts", "peanuts") == slot_mark("allergic to", "a peanut")
    True
    """
    name, colon, held = canonical_key(key, value).partition(":")
    return f"{name}:{value_mark(held)}" if colon else name


def opposite_mark(key: str, value: str) -> str | None:
    """Return the mark of the slot that this one rules out; None where there is none."""
    name, colon, held = canonical_key(key, value).partition(":")
    other = OPPOSITE.get(name)
    return f"{other}:{value_mark(held)}" if colon and other else None


def leaves_out(key: str, value: str, other_key: str, other_value: str) -> bool:
    """Whether what somebody avoids, or their diet, leaves out what another fact says they like.

    >>> leaves_out("avoid", "meat", "like", "a good steak"), leaves_out("diet", "vegan", "like", "oat milk")
    (True, False)
    """
    name, liked = (canonical_key(*one).partition(":")[0] for one in ((key, value), (other_key, other_value)))
    if liked != "like" or name not in ("avoid", "diet"):
        return False
    held = value_mark(value)
    out = DIETS.get(bare(value), frozenset()) if name == "diet" else FOODS.get(held, frozenset()) | {held}
    words = value_mark(other_value).split()
    return bool(words) and words[-1] in out and not PLANT_BASED & set(words)


def value_mark(value: str) -> str:
    """Fold a value for comparison: case, articles, punctuation and number of words.

    >>> value_mark("the Peanuts") == value_mark("peanut")
    True
    """
    kept = [stem(word) for word in bare(value).split() if word not in ("the", "a", "an", "my", "some")]
    signs = "".join(re.findall(r"[+#]", value))
    return " ".join(kept) + signs
