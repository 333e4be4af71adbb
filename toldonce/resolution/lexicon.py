"""Words that decide whether two sentences may be one: opposites, equals, negations, numbers, people. Pure."""

from toldonce.text import stem

NEGATIONS = frozenset(
    """not no never none nobody nothing neither nor without cannot hardly barely stopped quit former formerly ex used
    anymore unable refuses avoids lack lacks""".split()
)
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()
    )
} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "first": "1st", "second": "2nd", "third": "3rd",
    "once": "1x", "twice": "2x", "both": "2", "couple": "2", "dozen": "12", "half": "0.5",
}  # fmt: skip
DATES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday spring summer autumn winter today yesterday tomorrow weekend morning
    evening""".split()
)
# Months that are everyday words as well: dates only where they are written like names.
AMBIGUOUS_DATES = frozenset({"may", "march"})

_ANTONYMS = """
    like hate, like dislike, love hate, love dislike, enjoy hate, enjoy dislike, adore hate, prefer avoid, hot cold,
    warm cold, big small, large small, large tiny, tall short, long short, early late, old young, old new, morning
    evening, morning night, day night, left right, up down, north south, east west, start stop, start end, begin
    end, open close, buy sell, bought sold, win lose, won lost, give take, gave took, come go, arrive leave, join
    leave, accept refuse, accept reject, agree disagree, always never, often rarely, often seldom, more less, most
    least, many few, before after, above below, inside outside, indoor outdoor, indoors outdoors, married divorced,
    married single, employed unemployed, healthy sick, healthy ill, happy sad, happy unhappy, strong weak, easy
    hard, easy difficult, cheap expensive, rich poor, fast slow, light dark, loud quiet, introvert extrovert,
    allergic immune, brother sister, mother father, son daughter, wife husband, aunt uncle, boy girl, man woman,
    male female, cat dog, tea coffee, sweet salty, sweet sour, raw cooked, private public, full empty, near far,
    safe dangerous, present absent, true false, right wrong, good bad, best worst, better worse, clean dirty, wet
    dry, city countryside, urban rural, formal informal, short long, brief detailed, gain lose, gained lost,
    increase decrease, rise fall, borrow lend, teach learn, remember forget, alive dead, vegetarian carnivore,
    metric imperial, celsius fahrenheit, upstairs downstairs, push pull, on off, in out, into out, with without,
    over under, reveal conceal, show hide, hired fired, arrived left, sit stand, sleep wake, asleep awake, add
    remove, attach detach, lift drop, raise lower, climb descend, enter exit, float sink, forward backward, front
    back, front behind, top bottom, first last, fix break, build demolish, allow forbid, can cannot, possible
    impossible, visible invisible, legal illegal, appear disappear, connect disconnect, dress undress, pack unpack,
    tie untie, lock unlock, plug unplug, load unload, likely unlikely, able unable, sharp blunt, thick thin, wide
    narrow, deep shallow, heavy light, rough smooth, calm rough, calm nervous, noisy quiet, empty crowded, solo
    together, alone together, awake sleep, run sit, stand lie, run stand, walk sit, whole broken, employer employee
"""
OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _ANTONYMS.split(","):
    _one, _two = (stem(word) for word in _pair.split())
    OPPOSITES[_one] = OPPOSITES.get(_one, frozenset()) | {_two}
    OPPOSITES[_two] = OPPOSITES.get(_two, frozenset()) | {_one}

# Words that say the same in most sentences, each in one group. Never an animal, a food, a colour or whatever else
# people have and like: a spaniel is a dog, and still another value.
_EQUALS = """
    kid child children, sofa couch, picture photo photograph image, movie film, phone telephone, bike bicycle, plane
    airplane aeroplane aircraft, tv television, lady woman women, guy man men, begin start commence launch, buy
    purchase, finish complete, aid assist help, attempt try, reply answer, allow permit let, own possess, say state
    tell announce declare, show display, big large huge, small little tiny, quick fast rapid, quickly rapidly
    swiftly, smart clever, glad happy, ill sick, mad angry, rich wealthy, scared afraid, famous renowned, odd weird
    strange, difficult hard, simple easy, right correct, wrong incorrect, entire whole, nearly almost, often
    frequently, seldom rarely, street road, shop store, doctor physician, lawyer attorney, job occupation, salary
    wage, company firm, gift present, error mistake, jacket coat, stone rock, garbage trash, automobile car, last
    final concluding, discover find found, win victory, hurt injured injure, unemployment joblessness, odor smell
    scent, location place, section part portion, particular specific, purpose aim, motion movement, vanish
    disappear, commit perpetrate, spend disburse, promise pledge vow, fund money asset, military army, rebel
    insurgent, quake earthquake, strong powerful, detain arrest, murder assassinate, hail praise, reject refuse,
    stance stand, collision crash, get receive obtain, choose pick select, explain clarify, happen occur, hate
    detest loathe, speak talk, shout yell, repair mend fix, depart leave, abrupt sudden, old elderly, mom mother
    mum, dad father daddy, grandma grandmother, grandpa grandfather, adore love, enjoy like, uk britain, usa
    america, okay ok, sea ocean, leap jump hop, slice cut chop, infant baby, close near, tough hard, funny amusing,
    reside live, residence home, colour color, favourite favorite, jail prison, strict harsh, free release,
    conclusion ending, sight view, proof evidence, flat apartment, holiday vacation, pupil student, instructor
    teacher, physician doctor, bunch group
"""
EQUALS: dict[str, str] = {}
"""A stem to the one that its group counts as."""
for _group in _EQUALS.split(","):
    _stems = [stem(word) for word in _group.split()]
    _name = next((EQUALS[name] for name in _stems if name in EQUALS), _stems[0])
    for _one in _stems:
        EQUALS[_one] = _name

_FOODS = {
    "meat": "steak beef pork chicken bacon ham sausage burger lamb turkey rib salami veal duck meatball barbecue kebab",
    "fish": "salmon tuna cod trout herring sushi anchovy sardine mackerel",
    "seafood": "shrimp prawn lobster crab oyster mussel clam scallop squid",
    "dairy": "milk cheese butter yogurt yoghurt cream icecream mozzarella parmesan feta",
    "alcohol": "wine beer whisky whiskey vodka gin rum cider champagne cocktail liquor",
    "caffeine": "coffee espresso cappuccino latte",
    "gluten": "bread pasta pizza wheat barley rye",
    "sugar": "candy sweet chocolate cake cookie soda",
}
_DIETS = {
    "vegan": "meat fish seafood dairy egg honey",
    "vegetarian": "meat fish seafood",
    "pescatarian": "meat",
    "plant based": "meat fish seafood dairy egg honey",
}
FOODS = {stem(group): frozenset(stem(food) for food in foods.split()) for group, foods in _FOODS.items()}
"""Stems of what belongs to a group of foods: who avoids the group does not like these any more."""
DIETS: dict[str, frozenset[str]] = {}
"""Stems of all that a diet leaves out."""
for _diet, _groups in _DIETS.items():
    _left_out = {stem(group) for group in _groups.split()}
    DIETS[_diet] = frozenset(_left_out.union(*(FOODS.get(group, frozenset()) for group in _left_out)))

# Words that only colour a statement: one with and one without them say the same.
DEGREE = frozenset(
    stem(word)
    for word in """lot much bit quite pretty super truly actually currently now again still also always usually kind
    slightly somewhat approximately roughly particularly especially explicitly simply basically generally""".split()
)
# Whose life it is: a sentence with such a word and one without it speak of different people.
PEOPLE = frozenset(
    stem(word)
    for word in """mother father parent sister brother sibling son daughter wife husband partner spouse girlfriend
    boyfriend fiance fiancee friend roommate flatmate neighbour neighbor boss manager colleague coworker cousin aunt
    uncle niece nephew grandmother grandfather grandparent twin ex landlord client teacher mom dad""".split()
)
# What is only wished, planned or possible is not what is.
MODAL = frozenset(stem(word) for word in "want wish hope plan might could would should almost maybe perhaps".split())
# Small words that headings write with a capital.
PLACING = frozenset(
    stem(word)
    for word in """across against along amid among around behind beside despite during near onto per since toward
    towards until upon via while within""".split()
)
