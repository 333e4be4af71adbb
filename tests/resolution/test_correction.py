"""What an extractor names as corrected is closed, put to a model, or left, by what speaks for it."""

from dataclasses import replace

import pytest

from candidates import BEFORE, NOW, evidence, fact, note, stored
from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.batch_state import of_memory
from recollect.resolution.correction import MAX_MESSAGES_BACK, Worth, weigh_correction
from recollect.resolution.decide import resolve
from recollect.resolution.llm_judge import open_questions
from recollect.resolution.values import Claim, JudgeVerdict, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from recollect.types import Action, Candidate, Evidence, Memory, MemoryKind

POLICY = ResolvePolicy()


def claim(
    known: Memory,
    candidate: Candidate,
    *,
    message: str = "",
    verdict: JudgeVerdict | None = None,
    said: Evidence | None = None,
    others: tuple[Memory, ...] = (),
) -> tuple[ResolvedCandidate, int]:
    """Resolve a candidate that names `known`; return the decision, and how many questions it leaves."""
    memories = (known, *others)
    neighbours = Neighbours(
        facts=[memory for memory in memories if memory.kind is MemoryKind.FACT],
        near=[[Neighbour(memory=memory, similarity=0.0) for memory in memories if memory.kind is MemoryKind.NOTE]],
    )
    context = ResolveInputs(now=NOW, messages={0: message or candidate.quote}, judged={0: verdict} if verdict else {})
    [decided] = resolve([Claim(candidate, said or evidence())], neighbours, policy=POLICY, inputs=context).resolved
    return decided, len(open_questions([decided], neighbours, POLICY))


def naming(known: Memory, candidate: Candidate, **more: object) -> tuple[ResolvedCandidate, int]:
    return claim(known, replace(candidate, replaces=known.id), **more)  # type: ignore[arg-type]  # passed on to `claim`


CORRECTIONS = [
    (fact("runtime", "Bun"), fact("runtime", "Node"), "We run everything on Node."),
    (fact("js_runtime", "Deno"), fact("runtime", "Bun"), "Bun it is."),
    (note("The user's project runs on Bun."), note("The user switched to Node."), "I switched from Bun to Node."),
    (note("The user lives in New York."), note("The user moved to Los Angeles."), "I moved to Los Angeles."),
    (fact("location", "New York"), note("The user moved to Los Angeles."), "I moved to Los Angeles."),
    (note("The user lives in Porto."), fact("city", "Ghent"), "Ghent is home these days."),
    (note("The user is vegetarian."), note("The user eats meat again."), "I eat meat again."),
    (fact("diet", "vegetarian"), fact("like:steak", "steak"), "I'm back to steak."),
    (note("The user is a student."), note("The user works as a teacher."), "I work as a teacher."),
    (fact("status", "student"), fact("job", "teacher"), "I'm a teacher now, no longer a student."),
    (note("The user works as a baker."), fact("job", "nurse"), "I retrained, I'm a nurse."),
    (note("The user drives a Volvo."), note("The user bought a Tesla."), "I sold the Volvo and bought a Tesla."),
    (note("The user drinks coffee."), note("The user switched to tea."), "I switched to tea."),
    (fact("name", "Alex"), note("The user's name is Sam."), "It's Sam, not Alex."),
    (fact("allergy:peanuts", "peanuts"), fact("allergy:almonds", "almonds"), "Almonds, not peanuts."),
    (note("The user is married."), note("The user got divorced."), "I got divorced."),
    (note("The user is single."), note("The user has a girlfriend called Mia."), "I have a girlfriend, Mia."),
    (note("The user has a dog called Rex."), note("Rex died in March."), "Rex died in March."),
    (
        note("The user's flight leaves on 3 May.", type="event"),
        note("The user's flight leaves on 5 May."),
        "My flight was moved to 5 May.",
    ),
    (fact("favourite_colour", "green"), fact("favorite_color", "blue"), "My favorite color is blue."),
    (note("The user wants short answers."), note("The user wants detailed answers."), "Give me detailed answers."),
]


@pytest.mark.parametrize(("old", "new", "message"), CORRECTIONS)
def test_u5_what_the_extractor_names_is_closed_where_both_speak_of_one_thing(
    old: Candidate, new: Candidate, message: str
) -> None:
    known = stored(old)
    decided, _ = naming(known, new, message=message)
    assert decided.action is Action.REPLACE, decided.reason
    assert [closing.memory for closing in decided.closes] == [known]


UNLIKE = [
    (fact("allergy:nuts", "nuts"), fact("location", "Oslo"), "I moved to Oslo."),
    (note("The user is allergic to milk."), note("The user eats meat again."), "I eat meat again."),
    (note("The user is allergic to penicillin."), note("The user moved to Oslo."), "I moved to Oslo."),
    (note("The user likes jazz."), note("The user likes running."), "I like running."),
    (note("The user is allergic to cats."), note("The user got a dog."), "I got a dog."),
    (note("The user's exam is on 3 June."), note("The user's choir sings on 5 June."), "Choir is on 5 June."),
    (note("Ana plays the cello."), note("Ana moved to Turin."), "I moved to Turin."),
    (note("The user's mother lives in Lyon."), note("The user moved to Lille."), "I moved to Lille."),
    (note("Eva moved to Oslo."), note("Ana moved to Bergen."), "Ana moved to Bergen."),
    (fact("employer", "Acme"), fact("location", "Rome"), "I moved to Rome."),
    (note("The user works as a nurse."), note("The user also works as a tutor."), "I also work as a tutor."),
    (note("The user ran a race in Kyoto.", type="event"), note("The user ran a race in Lima."), "I ran one in Lima."),
    (fact("location", "Rome"), note("The user's office is in Rome."), "My office is in Rome."),
]


@pytest.mark.parametrize(("old", "new", "message"), UNLIKE)
def test_what_speaks_against_a_claim_is_asked_and_closes_nothing_by_itself(
    old: Candidate, new: Candidate, message: str
) -> None:
    known = stored(old)
    decided, questions = naming(known, new, message=message)
    assert (decided.action, decided.closes, questions) == (Action.ADD, (), 1), decided.reason
    assert decided.doubted == known
    agreed = JudgeVerdict(action=Action.REPLACE, target=known.id)
    decided, _ = naming(known, new, message=message, verdict=agreed)
    assert [closing.memory for closing in decided.closes] == [known]
    for verdict in (JudgeVerdict(action=Action.ADD), JudgeVerdict(problem="no model answered")):
        decided, _ = naming(known, new, message=message, verdict=verdict)
        assert (decided.action, decided.closes) == (Action.ADD, ())


def test_of_a_key_for_several_another_value_ends_nothing_and_nothing_is_asked() -> None:
    known = stored(fact("allergy:peanuts", "peanuts"))
    decided, questions = naming(known, fact("allergy:soy", "soy", quote="allergic to soy"), message="Allergic to soy.")
    assert (decided.action, decided.closes, questions) == (Action.ADD, (), 0)


def test_a_claim_of_an_older_statement_stores_it_as_ended() -> None:
    known = stored(note("The user moved to Los Angeles."), said=evidence(at=NOW, chat="old"))
    decided, _ = naming(
        known, note("The user lives in New York.", valid_from=BEFORE), said=evidence(at=BEFORE, chat="import")
    )
    assert (decided.action, decided.valid_to, decided.closes) == (Action.ADD, NOW, ())


def test_t6_a_claim_gives_a_less_sure_fact_no_more_weight() -> None:
    known = stored(fact("editor", "vim", confidence=1.0))
    said = [Claim(fact("editor", "emacs", confidence=0.6, replaces=known.id), evidence())]
    policy = ResolvePolicy(change_beats_confidence=False)
    [decided] = resolve(said, Neighbours(facts=[known]), policy=policy, inputs=ResolveInputs(now=NOW)).resolved
    assert (decided.action, decided.closes) == (Action.IGNORE, ())


def test_what_is_known_already_still_closes_what_it_corrects() -> None:
    old, new = stored(note("The user lives in Rome.")), stored(note("The user lives in Oslo."), number=2)
    decided, _ = naming(old, note("The user lives in Oslo."), others=(new,), message="No, Oslo.")
    assert (decided.action, decided.target, decided.strengthens) == (Action.IGNORE, new, True)
    assert [closing.memory for closing in decided.closes] == [old]


def test_the_fact_of_a_corrected_note_ends_and_others_of_its_message_stay() -> None:
    said = evidence(at=BEFORE, seq=2, chat="old")
    home = stored(note("The user lives in New York."), said=said)
    location = stored(fact("location", "New York"), number=2, said=said)
    job = stored(fact("job", "nurse"), number=3, said=said)
    decided, _ = naming(home, note("The user moved to Los Angeles."), others=(location, job))
    assert [closing.memory for closing in decided.closes] == [home, location]


def test_an_end_that_names_another_memory_is_asked() -> None:
    allergy = stored(fact("allergy:nuts", "nuts"))
    ended = fact("employer", "Acme", ends=True, quote="I left Acme")
    decided, questions = naming(allergy, ended, message="I left Acme.")
    assert (decided.action, decided.closes, questions) == (Action.IGNORE, (), 1)
    decided, _ = naming(allergy, ended, verdict=JudgeVerdict(action=Action.REPLACE, target=allergy.id))
    assert (decided.action, [closing.memory for closing in decided.closes]) == (Action.CLOSE, [allergy])


@pytest.mark.parametrize("key", ["coffee order", "commute", "editor", "favourite_mug", "gym-days", "seat", "bikeLock"])
def test_t4_any_key_holds_one_value(key: str) -> None:
    known = stored(fact(key, "one thing"))
    decided, _ = claim(known, fact(key.upper() if key.islower() else key, "another thing"))
    assert (decided.action, [closing.memory for closing in decided.closes]) == (Action.REPLACE, [known])


@pytest.mark.parametrize("key", ["allergy", "languages", "hobby", "pet", "skills", "tractor:{}"])
def test_t4_a_key_declared_to_hold_several_values_keeps_them(key: str) -> None:
    decided, _ = claim(stored(fact(key.format("red"), "red")), fact(key.format("blue"), "blue"))
    assert (decided.action, decided.closes) == (Action.ADD, ())


def worth(old: Candidate, new: Candidate, message: str, *, said: Evidence | None = None) -> Worth:
    """Weigh a claim; the old statement was said in conversation `old` as message 2."""
    known = of_memory(stored(old))
    return weigh_correction(Claim(new, said or evidence()), known, message, POLICY)[0]


def test_a_note_corrects_none_that_says_the_same() -> None:
    home = note("The user lives in Graz.")
    assert worth(home, note("The user lives in Graz."), "Graz, not Linz.") is Worth.REFUSED
    assert worth(home, note("The user lives in Linz."), "Linz, not Graz.") is Worth.TAKEN


def test_that_the_same_is_over_corrects_it() -> None:
    assert worth(note("The user rents a garage."), note("The user rents a garage.", ends=True), "no more garage") is (
        Worth.TAKEN
    )


def test_facts_are_told_apart_by_their_values_not_their_words() -> None:
    text = "The user's tent has a size."
    old, new = fact("tent_size", "two people", text=text), fact("tent_size", "four people", text=text)
    assert worth(old, new, "It sleeps four.") is Worth.TAKEN


@pytest.mark.parametrize(
    ("distance", "chat", "taken"),
    [
        (1, "old", True),
        (MAX_MESSAGES_BACK, "old", True),
        (MAX_MESSAGES_BACK + 1, "old", False),
        (0, "old", False),
        (-1, "old", False),
        (1, "new", False),
    ],
)
def test_i_meant_takes_back_what_was_said_right_before_it_in_the_same_talk(
    distance: int, chat: str, taken: bool
) -> None:
    said = evidence(seq=2 + distance, chat=chat)
    old, new = note("The user drew a heron."), note("The meeting is at nine.")
    assert (worth(old, new, "No wait, I meant nine.", said=said) is Worth.TAKEN) is taken
    assert worth(old, new, "The meeting is at nine.", said=said) is not Worth.TAKEN


@pytest.mark.parametrize(
    ("old", "new", "message", "taken"),
    [
        # What both say is not what the contrast is about.
        (note("Ana plays the cello."), note("Ana repairs the cello."), "not the cello itself", False),
        (note("Ana plays the cello."), note("Ana moved to Turin."), "She sold the cello.", True),
        # What is denied, or over, is named in the new statement as well.
        (note("Ana plays the cello."), note("Ana does not play the cello."), "not the cello", True),
        (note("Ana plays the cello."), note("Ana plays the cello.", ends=True), "She quit the cello.", True),
        # The contrast stands right before the word.
        (note("Ana plays the cello."), note("Ana moved to Turin."), "not now, but one day she plays the cello", False),
        # Words that hold of many things name nothing, nor do signs and degrees.
        (note("Ana likes it again."), note("Ana moved to Turin."), "She does not like Rome again.", False),
        (fact("snack", "dates"), note("Ana moved to Turin."), "Not dates.", True),
    ],
)
def test_a_message_corrects_what_it_names_as_over(old: Candidate, new: Candidate, message: str, taken: bool) -> None:
    _, reason = weigh_correction(Claim(new, evidence()), of_memory(stored(old)), message, POLICY)
    assert (reason == "it names what it corrects") is taken


@pytest.mark.parametrize(
    ("old", "new", "related"),
    [
        (note("Rex sleeps in the kitchen."), note("Rex has a kennel in the yard."), False),
        (note("The user uses Vim."), note("The user uses Helix."), False),
        (note("The user uses Vim."), note("The user now uses Helix instead."), True),
        (note("The user uses Vim."), fact("editor", "Helix", text="The user uses Helix."), True),
        (note("The garage door is open."), note("The garage door is closed."), True),
        (note("The user is rich."), note("The user is poor."), True),
        (note("The user visits Rome.", type="event"), note("The user visits Turin.", type="event"), False),
        (fact("uses_tabs", "no", text="x"), fact("uses_tabs", "yes", text="y"), True),
        (note("The user's exam is on 3 June."), note("The choir sings on 3 June."), False),
    ],
)
def test_a_claim_is_taken_where_both_speak_of_one_thing_alone(old: Candidate, new: Candidate, related: bool) -> None:
    assert (worth(old, new, new.text) is Worth.TAKEN) is related
