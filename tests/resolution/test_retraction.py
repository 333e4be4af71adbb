"""What a statement ends by saying that something is over, that somebody moved, or that it is to be forgotten."""

from dataclasses import replace

import pytest

from candidates import BEFORE, NOW, evidence, fact, note, stored
from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.decide import resolve
from recollect.resolution.retraction import may_end
from recollect.resolution.values import Claim, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from recollect.types import Action, Candidate, Memory, MemoryKind

POLICY = ResolvePolicy()


def decide(candidate: Candidate, *known: Memory) -> ResolvedCandidate:
    notes = [Neighbour(memory=memory, similarity=0.0) for memory in known if memory.kind is MemoryKind.NOTE]
    neighbours = Neighbours(near=[notes], facts=[memory for memory in known if memory.kind is MemoryKind.FACT])
    claim, inputs = Claim(candidate, evidence()), ResolveInputs(now=NOW)
    [decided] = resolve([claim], neighbours, policy=POLICY, inputs=inputs).resolved
    return decided


def ends(new: str, old: str, **changes: object) -> bool:
    known = replace(stored(note(old)), **changes)  # type: ignore[arg-type]  # the tests name real fields
    return [closing.memory for closing in decide(note(new), known).closes] == [known]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user is not running the Hamburg marathon any more.", "The user is training for the Hamburg marathon."),
        ("The user doesn't eat meat any more.", "The user eats meat almost every day."),
        ("The user no longer drives the Fiat Panda.", "The user drives a red Fiat Panda from 1994."),
        ("The user sold the Panda.", "The user has a red Fiat Panda."),
        ("The user cancelled their membership at FitHaus.", "The user has a gym membership at FitHaus."),
        ("The user doesn't have the parrot any more.", "The user has a parrot called Kiwi."),
        ("The user doesn't smoke any more.", "The user smokes a pipe in the evening."),
    ],
)
def test_what_is_over_ends_what_said_that_it_was_so(new: str, old: str) -> None:
    assert ends(new, old)
    assert may_end(note(new))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user no longer hikes with Ben.", "The user loves hiking in the Alps."),
        ("The user no longer eats eggs.", "The user no longer eats fish."),
        ("The user sold their guitar.", "The user plays the guitar in a band."),
        ("The user doesn't eat meat any more.", "The user's brother eats meat every day."),
        ("The user doesn't smoke any more.", "The user loves smoked salmon."),
        ("The user sold the house in Rome.", "The user works in Rome."),
        ("The user quit their job.", "The user dreams of a job at sea."),
        ("The user loves meat.", "The user eats meat almost every day."),
    ],
)
def test_what_speaks_of_something_else_stays(new: str, old: str) -> None:
    assert not ends(new, old)


def test_what_took_place_stays_and_what_is_so_since_a_year_ends() -> None:
    assert not ends("The user no longer runs the marathon.", "The user ran the marathon in 2019.", type="event")
    assert ends("The user no longer drives the Panda.", "The user drives a Panda from 1994.", type="event")


def test_what_was_said_later_is_not_ended() -> None:
    known = stored(note("The user drives a red Panda."), said=evidence(at=NOW, seq=12))
    assert decide(note("The user no longer drives the Panda."), known).closes == ()


def test_a_fact_ends_with_what_is_over() -> None:
    panda = stored(replace(fact("possession:red panda", "red Panda"), text="The user has a red Panda."))
    assert [closing.memory for closing in decide(note("The user sold the Panda."), panda).closes] == [panda]


@pytest.mark.parametrize(
    ("new", "old", "ended"),
    [
        ("The user's mum moved to Ankara.", "The user's mum lives in Izmir.", True),
        ("The user's brother Kerem now lives in Oslo.", "The user's brother moved to Rome.", True),
        ("The user's mum moved to Ankara.", "The user's mum is a retired tailor and lives in Izmir.", True),
        ("Defne moved to Ankara in May 2026.", "The user's aunt Defne lives in Izmir and is a vet.", True),
        ("The user said: 'Defne moved to Ankara, to a new job.'", "The user's aunt Defne lives in Izmir.", True),
        ("The user's aunt Defne moved to Ankara.", "The user's aunt Elif lives in Izmir.", False),
        ("Emre moved to Ankara.", "The user's aunt Defne lives in Izmir.", False),
        ("Emre's mum moved to Ankara.", "Emre lives in Izmir.", False),
        ("Emre's mum moved to Ankara.", "Emre's mum lives in Izmir.", True),
        ("The user's mum moved to Ankara.", "The user's mum has a friend who lives in Izmir.", False),
        ("The user's mum moved to Ankara.", "The user's brother lives in Izmir.", False),
        ("The user's mum moved to Ankara.", "The user lives in Izmir.", False),
        ("The user's mum lives in Izmir.", "The user's mum moved to Izmir.", False),
    ],
)
def test_a_move_of_somebody_else_ends_their_old_home_alone(new: str, old: str, *, ended: bool) -> None:
    assert ends(new, old) is ended


def forget(topic: str) -> Candidate:
    return note(f"The user wants forgotten: {topic}", ends=True, forgets=topic)


TOM = stored(note("The user's boyfriend Tom is a drummer."), number=1)
PARTNER = stored(replace(fact("partner", "Tom"), text="The user's boyfriend is called Tom."), number=2)
CELLO = stored(note("The user plays the cello."), number=3)


@pytest.mark.parametrize(
    ("topic", "meant"),
    [
        ("Tom", [PARTNER, TOM]),
        ("Tom and the cello", [PARTNER, TOM, CELLO]),
        ("I play the cello", [CELLO]),
        ("You play the cello in an orchestra on Sundays", [CELLO]),
        ("the piano", []),
        ("it", []),
    ],
)
def test_a_request_to_forget_ends_what_speaks_of_its_topic_and_adds_nothing(topic: str, meant: list[Memory]) -> None:
    decided = decide(forget(topic), TOM, PARTNER, CELLO)
    assert [closing.memory for closing in decided.closes] == meant
    assert decided.action is (Action.CLOSE if meant else Action.IGNORE)
    assert not decided.adds
    assert may_end(forget(topic))


def test_what_was_said_after_the_request_is_not_forgotten() -> None:
    later = stored(note("The user met Tom."), said=evidence(at=NOW, seq=12))
    assert decide(forget("Tom"), later).action is Action.IGNORE


@pytest.mark.parametrize(
    ("key", "value", "liked", "ended"),
    [
        ("avoid", "meat", "a good steak", True),
        ("diet", "vegan", "goat cheese", True),
        ("diet", "vegan", "oat milk", False),
        ("avoid", "meat", "cauliflower", False),
        ("diet", "pescatarian", "salmon", False),
    ],
)
def test_what_a_diet_leaves_out_is_liked_no_more(key: str, value: str, liked: str, *, ended: bool) -> None:
    known = stored(fact(f"like:{liked}", liked, category="preference"))
    decided = decide(fact(key, value, category="constraint"), known)
    assert [closing.memory for closing in decided.closes] == ([known] if ended else [])


def test_a_model_that_says_what_ended_closes_it_however_it_words_it() -> None:
    known = stored(note("The user's boyfriend Tom is a drummer."), said=evidence(at=BEFORE, seq=2, chat="old"))
    same = note(known.text, ends=True, replaces=known.id, by_model=True)
    more = note(f"The user wants this forgotten: {known.text}", ends=True, replaces=known.id, by_model=True)
    for candidate in (same, more):
        decided = decide(candidate, known)
        assert (decided.action, [closing.memory for closing in decided.closes]) == (Action.CLOSE, [known])


@pytest.mark.parametrize("relative", ["friend", "colleague", "cousin", "neighbour"])
def test_a_move_of_one_of_several_people_ends_no_home_of_a_named_one(relative: str) -> None:
    assert not ends(f"The user's {relative} moved to Rome.", f"The user's {relative} Jonas lives in Bergen.")
    assert not ends(f"The user's {relative} Ida moved to Rome.", f"The user's {relative} lives in Bergen.")
    assert ends(f"The user's {relative} Jonas moved to Rome.", f"The user's {relative} Jonas lives in Bergen.")
    assert ends("The user's mother moved to Rome.", "The user's mother Rut lives in Bergen.")
