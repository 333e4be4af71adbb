"""One recall's request, and the query that is made of it once for all subjects that are read. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cache
from typing import NamedTuple

from toldonce.dates import DateMention, may_name_time, parse_dates
from toldonce.ids import id_bytes
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.destinations import DestinationRule
from toldonce.profiles.policies import RecallPolicy
from toldonce.text import Read, asks, fold, is_opener, other_stems, read_terms, terms, words
from toldonce.types import MemoryId, Subject, Vector

# A memory's hits are bits of one float's 53.
MAX_RELATED_TERMS = 50
# General words of questions, and the words that memories use instead.
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


def find_related_terms(asked: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that memories may use instead of a question's own, for every topic it names.

    >>> "hen" in find_related_terms(terms("Which animals do I need feed for?"))
    True
    >>> find_related_terms(terms("How tall is it?"))
    ()
    """
    known = _load_related_terms()
    own = set(asked)
    found = dict.fromkeys(term for term in own for term in known.get(term, ()))
    return tuple(term for term in found if term not in own)[:MAX_RELATED_TERMS]


@cache
def _load_related_terms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for named, told in _TOPICS:
        instead = tuple(dict.fromkeys(term for word in told.split() for term in terms(word)))
        for word in named.split():
            for term in terms(word):
                found[term] = (*found.get(term, ()), *instead)
    return found


Interval = tuple[datetime, datetime]
"""From the first moment up to, and without, the second (aware, UTC)."""

# A pasted page asks at its head or its end: this many distinct terms are taken from each. A memory's hits are bits of a
# float's 53, and each term costs a pass over the index.
_TERMS_EACH_END = 24
MAX_TERMS = 2 * _TERMS_EACH_END
# Characters at the start of a text in which its first word is looked for.
_MAX_OPENING = 80
# Only this many characters at the end of a question are read for dates: a page of dates must not delay the answer.
MAX_DATED = 1_000

# Words of questions about what users said, did or want, but for those that are names or other words in another
# language; and phrases about what they were told.
_ONESELF = frozenset(
    """i i'm i've i'd i'll me my mine myself we we're we've we'd us our ours
    ich mein meine meinen meinem meiner meines wir unser unsere unseren unserem unserer
    je j'ai j'habite mon notre nous yo mi mis soy estoy tengo vivo nosotros nuestro nuestra
    meu minha meus minhas sou tenho nosso nossa mio miei sono abito nostro nostra ik mijn wij onze
    jag jeg minun mój moja moje mnie benim bana
    я мой моя моё мои меня моей моего мою мне мы наш наша мене мій моє мої εγώ μου είμαι
    أنا لي عندي אני שלי मैं मेरा मेरी मेरे मुझे tôi saya aku
    저는 제 제가 저의 나는 내 내가 나의 나에 우리""".split()
)
# The same in scripts without blanks, but for one who is helped: "write me a poem".
_ONESELF_UNSPACED = LazyPattern(r"(?<![给給帮幫替为為教])我|私|僕|俺")
_TOLD = LazyPattern(
    r"\b(?:did|have|had) you\b|\byou (?:said|say|told|suggest\w*|recommend\w*|mention\w*|advise\w*|explain\w*|gave)\b"
)
# Idioms whose single words mean something else, with the words that memories use instead.
_IDIOMS = {
    "for a living": "for work job",
    "line of work": "work job",
    "how old am i": "my age birthday born",
}
# First words of a question that came without its question mark.
_ASKING = frozenset(
    """what when where which who whom whose why how is are was were do does did can could will would should has have
    am""".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What a caller wants recalled. The same value goes from the request through embedding to the query."""

    text: str
    """The question, or the newest user message."""
    subject: Subject
    """Owner of the memories; its reading list is read as well."""
    policy: RecallPolicy
    limit: int
    """Maximum number of memories to return, standing facts not counted."""
    beside: Subject | None = None
    """Another subject whose memories are read as well; own ones win."""
    before: str = ""
    """The conversation before `text`, newest message last; used where the policy queries by the conversation."""
    present: frozenset[int] = frozenset()
    """`Message.hash` of the messages that the request already contains."""
    excluded: frozenset[MemoryId] = frozenset()
    """Memories that the prompt shows in another place."""
    tag: str = ""
    """Only memories with this tag count as the newest; empty: all do."""
    for_prompt: bool = False
    """Put standing facts first, and leave out what scores below the policy's floor."""
    explain: bool = False
    """Say of which parts each score is made."""
    budget_tokens: int | None = None
    """Room for the memories in the prompt; None is unbounded."""
    half_life_days: float = 0.0
    """A memory unused for this long weighs half; 0: weights do not decay."""
    cold_start: int = 0
    """Read global memories too while the subject has fewer of its own, quotations not counted; 0: never."""
    rules: tuple[DestinationRule, ...] = ()
    """Rules whose memories are left out, as they may not go where the result goes."""
    withheld: frozenset[MemoryId] = frozenset()
    """Memories that are known to be left out for these rules."""
    zone: tzinfo | None = None
    """The asker's time zone, which says when a day begins; None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked: by words, meaning and time."""

    text: str
    terms: Counter[str]
    """Terms of the text; `MAX_TERMS` distinct ones at most."""
    vector: Vector | None
    """Embedding of the text; None without one, or for a text without content."""
    dates: tuple[Interval, ...]
    """Times that the text asks about."""
    now: datetime
    present: frozenset[int]
    """`Message.hash` of what the request already contains."""
    limit: int
    """Maximum number of memories to return, standing facts not counted."""
    budget_tokens: int | None
    """Room in the prompt; None is unbounded."""
    policy: RecallPolicy
    question: bool
    """The text is a question."""
    personal: bool
    """It is about its author: what they said, did or want, not what they were told."""
    for_prompt: bool = False
    """Standing facts come first, and what scores below the policy's floor stays out."""
    explain: bool = False
    """Say of which parts each score is made."""
    withheld: frozenset[bytes] = frozenset()
    """Ids of memories that stay out."""
    spoken: Mapping[str, str] = field(default_factory=dict)
    """The word of the text for each term, for explanations."""
    dated: frozenset[str] = frozenset()
    """The folded words of the text that name times."""
    elsewhere: tuple[Read, ...] = ()
    """Words with their stems in other languages, if the text does not tell its language."""
    background: tuple[str, ...] = ()
    """Terms of the conversation before, if the policy uses it; at most `MAX_TERMS`."""
    related_terms: tuple[str, ...] = ()
    """Terms that memories may use instead of the text's own; see `find_related_terms`."""
    newest: frozenset[bytes] | None = None
    """Ids of memories that take part whatever is asked; None: the newest read, as many as the policy says."""
    half_life_days: float = 0.0
    """A memory unused for this long weighs half; 0: weights do not decay."""


class QueryText(NamedTuple):
    """What the text of a query says at any time."""

    terms: Counter[str]
    """`MAX_TERMS` distinct ones at most."""
    spoken: Mapping[str, str]
    """The word of the text for each term."""
    elsewhere: tuple[Read, ...]
    """See `Query.elsewhere`."""
    question: bool
    personal: bool
    may_name_time: bool


def read_query(text: str) -> QueryText:
    """Read the text of a query."""
    own_terms, spoken = _read_terms(_without_idioms(text))
    found = words(text)
    return QueryText(
        terms=own_terms,
        spoken=spoken,
        elsewhere=tuple(other_stems(text)),
        question=_is_question(text, found if len(text) <= _MAX_OPENING else words(text[:_MAX_OPENING])),
        personal=_is_personal(found) or bool(_ONESELF_UNSPACED.search(text)),
        may_name_time=may_name_time(text[-MAX_DATED:]),
    )


def make_query(
    request: RecallRequest,
    *,
    vector: Vector | None,
    now: datetime,
    zone: tzinfo,
    dates: Sequence[Interval] | None = None,
    read: Callable[[str], QueryText] = read_query,
) -> Query:
    """Prepare the query of a request.

    Args:
        request: What is asked.
        vector: Embedding of its text, in the space whose vectors will be read.
        now: When it is asked (aware).
        zone: The asker's time zone, if the request names none.
        dates: The times asked about; None reads them from the text.
        read: Does as `read_query`, perhaps from a cache.
    """
    text = request.text
    reading = read(text)
    mentions: Sequence[DateMention] = ()
    if dates is None:
        if reading.may_name_time:
            mentions = parse_dates(text[-MAX_DATED:], said_at=now, zone=request.zone or zone)
        dates = [(mention.start, max(now, mention.end) if mention.since else mention.end) for mention in mentions]
    wants_known = request.for_prompt and (reading.personal or not reading.question)
    return Query(
        text=text,
        terms=reading.terms,
        vector=vector,
        dates=tuple(dates),
        now=now,
        present=request.present,
        limit=request.limit,
        budget_tokens=request.budget_tokens,
        policy=request.policy,
        question=reading.question,
        personal=reading.personal,
        for_prompt=request.for_prompt,
        explain=request.explain,
        spoken=reading.spoken,
        dated=frozenset(fold(word) for mention in mentions for word in words(mention.quote)),
        elsewhere=reading.elsewhere,
        background=_background_terms(request.before, reading.terms),
        related_terms=find_related_terms(reading.terms) if wants_known else (),
        half_life_days=request.half_life_days,
        withheld=frozenset(filter(None, map(id_bytes, request.withheld))),
    )


def _background_terms(before: str, current: Counter[str]) -> tuple[str, ...]:
    """Return the terms of the conversation before that the current message does not have."""
    return tuple(term for term in _read_terms(before)[0] if term not in current) if before else ()


def is_question(text: str) -> bool:
    """Return whether a text is a question.

    >>> is_question("where do I live"), is_question("I moved."), is_question("你住在哪里吗")
    (True, False, True)
    """
    return _is_question(text, words(text[:_MAX_OPENING]))


def _is_question(text: str, opening: Sequence[str]) -> bool:
    """Do as `is_question` with the words that a text begins with."""
    first = opening[0] if opening else ""
    return asks(text) or first in _ASKING or text.lstrip().startswith("¿") or is_opener(first)


def _is_personal(found: Sequence[str]) -> bool:
    return not _ONESELF.isdisjoint(found) and not _TOLD.search(" ".join(found))


def _without_idioms(text: str) -> str:
    """Replace idioms by the words that memories use.

    >>> _without_idioms("What do I do for a living?")
    'what do i do for work job?'
    """
    lower = text.lower()
    if not any(idiom in lower for idiom in _IDIOMS):
        return text
    for idiom, meant in _IDIOMS.items():
        lower = lower.replace(idiom, meant)
    return lower


def _read_terms(text: str) -> tuple[Counter[str], dict[str, str]]:
    found: Counter[str] = Counter()
    spoken: dict[str, str] = {}
    for word, own in read_terms(text):
        for term in own:
            found[term] += 1
            spoken.setdefault(term, word)
    if len(found) > MAX_TERMS:
        names = list(found)
        kept = names[:_TERMS_EACH_END] + names[-_TERMS_EACH_END:]
        found = Counter({name: found[name] for name in kept})
        spoken = {name: spoken[name] for name in kept}
    return found, spoken
