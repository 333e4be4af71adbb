"""Whom a clause is about, if not the speaker: relatives, children, guests, pets, people by name. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.extraction.rules.patterns.fact_pattern import short_pattern
from recollect.extraction.rules.vocabulary import PETS, RELATIONS
from recollect.lazy_pattern import LazyPattern

# Characters before a pronoun that are searched for the person it means.
_MAX_BEFORE = 240
# People that one sentence describes in passing.
_MAX_DESCRIBED = 4
_PLURAL = r"kids|children|twins|triplets|boys|girls|grandkids|grandchildren|in-laws|guests|visitors|pets|housemates"
_PERSON = (
    rf"(?:{RELATIONS}|{PETS}|toddler|newborn|infant|youngest|oldest|eldest|middle one|little one|girl|boy|hubby|"
    r"(?:other|better) half|in-law|guest|visitor|houseguest|lodger|tenant|au pair|nanny|grandkid|family|"
    rf"\d{{1,2}}(?: ?yo| ?y/o|[ -]years?[ -]old)(?! (?:{RELATIONS}|girl|boy)\b))"
)
_CHILDREN = r"kids|children|twins|triplets|boys|girls|grandkids|grandchildren|baby|little one|in-laws|guests|visitors"
_NAME = (
    r"(?-i:(?!(?:I|It|He|She|They|We|You|This|That|These|Those|There|Here|Who|What|Which|How|Why|When|Where|If|My|Our|Your|His|"
    r"Her|Their|The|A|An|And|But|So|Or|Not|No|Yes|Some|Someone|Somebody|Anyone|Anybody|Everyone|Everybody|Nobody|Nothing|"
    r"Something|Everything|People|Person|Man|Woman|One|Both|Many|Most|All|Each|Every|Please|Also|Maybe|Perhaps|Today|Tomorrow|"
    r"Tonight|Does|Do|Is|Are|Was|Can|Imagine|Suppose|Remember|Note|Children|Kids|Babies|Patients|Dogs|Cats|Humans|Food|Milk|"
    r"Just|Now|Then|Mine|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)"
    r"[A-Z][\w-]{1,30}+(?: (?!I\b)[A-Z][\w-]{1,30}+)?)"
)
_FAMILY_NAME = r"(?-i:Mum|Mom|Mummy|Dad|Daddy|Grandma|Grandpa|Granny|Gran|Nan|Nana|Grandad|Granddad)"
# Adjectives that tell one relative from another; 'four-year-old' soon tells nothing.
_TELLING = LazyPattern(
    r"\b(?:younger|older|youngest|oldest|eldest|middle|best|twin|little|step|dinner|new|other)\b", re.IGNORECASE
)
_PEOPLE = (
    rf"(?:(?:one|two|three|some|several|all|both|most) (?:of )?)?(?:my|our) (?P<adjectives>(?:[\w-]{{1,20}} ){{0,3}}?)"
    rf"(?P<rel>{_PERSON}s?|{_PLURAL})(?!\w)(?:,? (?P<name>{_NAME}))?"
    rf"|(?:(?:both|all) )?(?:one of )?the (?P<rel2>{_CHILDREN})(?!\w)"
    rf"|(?P<family>{_FAMILY_NAME})(?!\w)"
    rf"|(?P<name2>{_NAME})(?P<more>(?:,| and|, and) {_NAME})?"
    rf"(?:,? (?:my|our) (?:[\w-]{{1,20}} ){{0,2}}?(?P<rel3>{_PERSON}))?"
)
_SUBJECT = short_pattern(_PEOPLE)
_ANYONE = short_pattern(rf"\b(?:{_PEOPLE})")
_PRONOUN = short_pattern(r"(?:he|she|they|who|both(?: of them)?|all of them)(?=\s|')")
_RELATIVE = rf"(?:my|our) (?:[\w-]{{1,20}} ){{0,3}}?(?:{_PERSON}s?|{_PLURAL})(?:,? {_NAME})?"
_DESCRIBED = short_pattern(rf"\b(?:(?P<whom>{_RELATIVE})|(?:for|with|and|of) (?P<whom2>{_NAME})),? (?=who\b)")
# Where another statement begins within a clause: 'heads up: my son …', 'he is late but my daughter …'.
_AFTER_JOINT = short_pattern(
    rf"(?:[:,;–-]|\b(?:and|but|so|because|since|as|that|importantly|know)) (?={_RELATIVE}|{_NAME}|{_FAMILY_NAME})"
)
# Words before a statement that make it a guess or a wish.
_DOUBT = LazyPattern(
    r"\b(?:if|whether|wonder\w*|thought|think|thinks|maybe|perhaps|might|may|could|would|asks?|asked|imagine|suppose|wish|"
    r"hope|hopes|worried|afraid|fear|unless|not|n't|never|nobody|story|says|said)\b|n't\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a clause is about."""

    words: str
    """As in a sentence: 'son Leo' of the speaker, or 'Tom'."""
    key: str
    owned: bool
    """The words follow the speaker's name: 'The user's son Leo'."""
    plural: bool


@dataclass(frozen=True, slots=True)
class NamedSubject:
    """The person at the head of a text, and what is said of them."""

    person: Person
    rest: str


def read_subject(text: str, before: str = "") -> NamedSubject | None:
    """Read the person at the head of a text.

    Args:
        text: A clause without its lead.
        before: Text before it, which names the person a pronoun means.

    >>> read_subject("our youngest has asthma").person.words, read_subject("I have asthma")
    ('youngest', None)
    >>> read_subject("she has asthma", "I live with my aunt Bea. ").person.words
    'aunt Bea'
    """
    named = _SUBJECT.match(text)
    if named:
        return NamedSubject(_person(named), text[named.end() :].removeprefix(","))
    pronoun = _PRONOUN.match(text)
    meant = _last_person(before[-_MAX_BEFORE:]) if pronoun else None
    return NamedSubject(meant, text[pronoun.end() :]) if pronoun and meant else None


def described_people(text: str) -> Iterator[NamedSubject]:
    """Find the people of the speaker that a relative clause describes: 'my son, who is allergic to nuts'."""
    for found in islice(_DESCRIBED.finditer(text), _MAX_DESCRIBED):
        subject = _SUBJECT.match(found["whom"] or found["whom2"])
        if subject:
            yield NamedSubject(_person(subject), text[found.end() + len("who") :])


def later_subjects(text: str) -> Iterator[NamedSubject]:
    """Find the people whom later parts of a clause are about, unless what comes before doubts them.

    >>> [subject.person.words for subject in later_subjects("heads up: my son is ill, and my sister is too")]
    ['son', 'sister']
    >>> list(later_subjects("I wonder if it is so, and my son is ill"))
    []
    """
    for joint in islice(_AFTER_JOINT.finditer(text), _MAX_DESCRIBED):
        subject = None if _DOUBT.search(text, 0, joint.end()) else read_subject(text[joint.end() :])
        if subject:
            yield subject


def _person(match: "re.Match[str]") -> Person:
    groups = match.groupdict()
    relation = groups["rel"] or groups["rel2"] or groups["rel3"] or groups["family"] or ""
    relation = re.sub(r"\s++", " ", relation.lower())
    name = groups["name"] or groups["name2"] or ""
    if groups["more"]:
        second = groups["more"].removeprefix(",").strip().removeprefix("and ").strip()
        return Person(words=f"{name} and {second}", key=f"{name} and {second}", owned=False, plural=True)
    if not relation:
        return Person(words=name, key=name, owned=False, plural=False)
    if match.group().lower().startswith("one of"):
        relation = relation.removesuffix("s")
    plural = bool(re.fullmatch(_PLURAL, relation)) or (relation.endswith("s") and not name and relation != "boss")
    telling = " ".join(_TELLING.findall(groups["adjectives"] or "")).lower()
    words = " ".join(part for part in (telling, relation, name) if part)
    # A boss Kim and a sister Kim are two people.
    return Person(words=words, key=f"{relation} {name}" if name else words, owned=True, plural=plural)


def _last_person(before: str) -> Person | None:
    """Return the last person of a text whom a pronoun may mean."""
    people = [_person(found) for found in _ANYONE.finditer(before)]
    related = [person for person in people if person.owned]
    candidates = related or people
    return candidates[-1] if candidates else None
