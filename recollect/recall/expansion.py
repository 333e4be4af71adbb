"""Words that memories have where a question has more general ones: 'which animals …' and 'keeps hens'. Pure."""

from collections.abc import Iterable
from functools import cache

from recollect.text import terms

# A memory's hits are bits of one float's 53.
MAX_KINDRED_TERMS = 50
# What a question may name, and what memories of it say instead.
_TOPICS = (
    (
        "animal pet feed vet kennel cattery",
        """dog puppy cat kitten hen chicken duck goose horse mare pony donkey rabbit hamster guinea-pig mouse rat fish
        goldfish parrot budgie canary bird tortoise turtle snake lizard sheep goat cow pig bee ferret greyhound
        terrier spaniel""",
    ),
    (
        "family household relative kid child parent home us everyone together guest",
        """wife husband partner spouse girlfriend boyfriend fiancé fiancée son daughter child children kids baby toddler
        twin mother father mum mom dad stepson stepdaughter sister brother aunt uncle cousin niece nephew grandmother
        grandfather grandma grandad grandpa granny gran flatmate roommate lodger""",
    ),
    (
        """eat food cook cooking recipe dinner lunch breakfast brunch meal dish restaurant menu cake bake baking dessert
        snack groceries grocery shopping picnic barbecue bbq buffet takeaway lunchbox pizza""",
        """allergy allergic intolerant intolerance vegan vegetarian pescatarian coeliac celiac gluten lactose dairy
        halal kosher diabetic diabetes diet eat eats food salt sugar pregnant dislike hate""",
    ),
    (
        """medicine medication drug pill tablet prescription antibiotic painkiller pharmacy pharmacist doctor hospital
        dentist vaccine surgery anaesthetic anesthetic health medical symptom""",
        """mg ml dose tablet pill inhaler insulin take takes prescribed allergic allergy asthma diabetes diabetic
        epilepsy pregnant condition diagnosed coeliac pressure cholesterol thyroid migraine pacemaker surgery""",
    ),
    (
        "job work employer company career colleague office profession cv resume linkedin boss",
        "work works worked employed hired laid quit retired freelance teach teacher shift apprentice student",
    ),
    (
        "trip travel holiday vacation flight fly packing pack journey luggage suitcase train ferry",
        "trip flight fly train ferry visit holiday seasick carsick airsick passport visa hotel camping wheelchair",
    ),
    (
        "hobby hobbies fun leisure pastime weekend free",
        "play plays sing sings swim swims learn learning collect collects dance knit paint climb cycle run hike choir",
    ),
    ("music song playlist record concert", "listen listens jazz folk piano guitar techno opera choir band sing sings"),
    (
        "deploy hosting code script program framework library server component",
        "use uses python javascript typescript rust java svelte react vue linux docker postgres deploys indent",
    ),
    ("owe debt budget money afford salary", "loan owes debt mortgage saving earns euro dollar pound rent"),
    ("exercise workout sport gym training run fit", "injury knee back wrist asthma heart runs swims pregnant surgery"),
)


def kindred_terms(asked: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that memories may have instead of a question's own, of every topic that it names.

    >>> "hen" in kindred_terms(terms("Which animals do I need feed for?")), kindred_terms(terms("How tall is it?"))
    (True, ())
    """
    known = _kindred()
    own = set(asked)
    found = dict.fromkeys(term for term in own for term in known.get(term, ()))
    return tuple(term for term in found if term not in own)[:MAX_KINDRED_TERMS]


@cache
def _kindred() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for named, told in _TOPICS:
        instead = tuple(dict.fromkeys(term for word in told.split() for term in terms(word)))
        for word in named.split():
            for term in terms(word):
                found[term] = (*found.get(term, ()), *instead)
    return found
