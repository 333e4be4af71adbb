"""What a statement is about, as far as a few dozen everyday words tell: work, home, diet and the like. Pure."""

from recollect.resolution.lexicon import FOODS
from recollect.text import stem, words

_MATTERS = {
    "home": """live lives stay stays staying living moved move relocated settled home house flat apartment city town
    village country based resides residence location address neighborhood emigrated""",
    "work": """work works working job employer company boss career office salary profession occupation employed
    unemployed retired hired fired promoted joined quit student studies studying graduated teacher nurse doctor
    engineer lawyer programmer developer designer cook chef waiter waitress baker carpenter plumber electrician driver
    pilot accountant manager consultant journalist writer editor artist musician photographer architect scientist
    researcher professor lecturer apprentice intern trainee farmer gardener mechanic librarian pharmacist dentist
    midwife physiotherapist therapist translator freelancer freelance salesman saleswoman cashier clerk secretary
    policeman policewoman firefighter soldier analyst tutor painter tailor hairdresser barista bartender university
    college school bakery hospital freelances""",
    "diet": """eat eats eating ate diet vegetarian vegan pescatarian omnivore carnivore keto paleo halal kosher meatless
    veggie plantbased food foods cooking""",
    "drink": "drink drinks drinking coffee tea espresso decaf teetotal sober alcohol beer wine mocha latte juice",
    "health": """allergic allergy allergies intolerant intolerance anaphylactic asthma diabetes diabetic coeliac celiac
    medication medicine insulin diagnosed disease illness condition pregnant injury injured surgery epipen penicillin
    epilepsy migraine""",
    "couple": """single married divorced engaged widowed separated partner husband wife spouse girlfriend boyfriend
    fiance fiancee dating couple wedding relationship""",
    "vehicle": """car drive drives driving bike bicycle motorbike motorcycle scooter commute commutes cycles bus train
    tram tesla volvo volkswagen toyota""",
    "tools": """runtime editor ide framework library linter formatter browser laptop phone shell terminal database
    keyboard python javascript typescript rust golang java kotlin node bun deno npm yarn pnpm vim emacs neovim vscode
    pycharm linux windows macos ubuntu debian fedora react vue svelte angular django flask postgres mysql sqlite docker
    podman tabs spaces indentation""",
    "answers": "answer answers reply replies responses emoji emojis bullet bullets concise brief detailed formal",
    "name": "name named called nickname pronouns surname",
}
_OF_WORD: dict[str, set[str]] = {}
for _matter, _words in _MATTERS.items():
    for _word in _words.split():
        _OF_WORD.setdefault(stem(_word), set()).add(_matter)
for _group, _foods in FOODS.items():
    for _food in (_group, *_foods):
        _OF_WORD.setdefault(_food, set()).add("drink" if _group in (stem("alcohol"), stem("caffeine")) else "diet")
_HEALTH = "health"


def matters(text: str) -> frozenset[str]:
    """Name what a statement is about; empty where no word tells.

    >>> sorted(matters("The user works at a bakery in Oslo.")), sorted(matters("The user is tall."))
    (['work'], [])
    """
    return frozenset(topic for word in words(text) for topic in _OF_WORD.get(stem(word), ()))


def same_matter(one: str, other: str) -> bool:
    """Whether two statements are about one thing, as far as their words tell.

    >>> same_matter("The user is a student.", "The user is a nurse."), same_matter("Lives in Oslo.", "Works in Oslo.")
    (True, False)
    """
    return bool(matters(one) & matters(other))


def only_one_of_health(one: str, other: str) -> bool:
    """Whether one of two statements alone concerns health: 'I eat meat again' ends no allergy.

    >>> only_one_of_health("The user is allergic to milk.", "The user eats meat again.")
    True
    """
    return (_HEALTH in matters(one)) is not (_HEALTH in matters(other))
