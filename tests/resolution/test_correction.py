"""What an extractor names as corrected is closed, put to a model, or left, by what speaks for it."""

from dataclasses import replace

import pytest

from candidates import BEFORE, NOW, evidence, fact, note, stored
from tables import check_each
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import of_memory
from toldonce.resolution.decide import resolve
from toldonce.resolution.extractor_word import Worth, weigh_correction
from toldonce.resolution.llm_judge import open_questions
from toldonce.resolution.values import Claim, JudgeVerdict, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action, Candidate, Comparison, Evidence, Memory, MemoryKind

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
    return claim(known, replace(candidate, replaces=known.id, by_model=True), **more)  # type: ignore[arg-type]  # passed on to `claim`


CORRECTIONS = [
    (fact("runtime", "Bun"), fact("runtime", "Node"), "We run everything on Node."),
    (note("The user's project runs on Bun."), note("The user switched to Node."), "I switched from Bun to Node."),
    (fact("status", "student"), fact("job", "teacher"), "I'm a teacher now, no longer a student."),
    (note("The user drives a Volvo."), note("The user bought a Tesla."), "I sold the Volvo and bought a Tesla."),
    (fact("name", "Alex"), note("The user's name is Sam."), "It's Sam, not Alex."),
    (note("The user has a dog called Rex."), note("Rex died in March."), "Rex died in March."),
    (
        note("The user's flight leaves on 3 May.", type="event"),
        note("The user's flight leaves on 5 May."),
        "My flight was moved to 5 May.",
    ),
    (fact("favourite_colour", "green"), fact("favorite_color", "blue"), "My favorite color is blue."),
    (note("The user wants short answers."), note("The user wants detailed answers."), "Give me detailed answers."),
    (note("The user uses Vim."), note("The user uses Helix."), "I use Helix."),
    (note("Der Nutzer lebt in Graz."), note("Der Nutzer lebt in Linz."), "Ich bin nach Linz gezogen."),
    (note("La usuaria trabaja de enfermera."), note("La usuaria trabaja de maestra."), "Ahora soy maestra."),
    (note("用户对花生过敏。"), note("用户对腰果过敏，不是花生。"), "其实不是花生，是腰果"),
    (note("ユーザーは猫を飼っている。"), note("ユーザーは犬を飼っている。"), "猫じゃなくて犬です"),
]


@check_each(("old", "new", "message"), CORRECTIONS)
def test_u5_what_the_extractor_names_is_closed_where_both_speak_of_one_thing(
    old: Candidate, new: Candidate, message: str
) -> None:
    known = stored(old)
    decided, _ = naming(known, new, message=message)
    assert decided.action is Action.REPLACE, decided.reason
    assert [closing.memory for closing in decided.closes] == [known]


FATHER = note("The user's father Karl, 71, lives in Graz, has high blood pressure and takes 5 mg of ramipril.")
VATER = note("Der Vater des Nutzers, 71, wohnt in Graz, hat Bluthochdruck und nimmt täglich 5 mg Ramipril.")
父亲 = note("用户的父亲71岁，住在格拉茨，患有高血压，每天服用5毫克雷米普利。")
ASKED = [
    # Nothing in common: a slip of the number is likelier than a correction.
    (fact("allergy:nuts", "nuts"), fact("location", "Oslo"), "I moved to Oslo."),
    (note("The user is allergic to penicillin."), note("The user moved to Oslo."), "I moved to Oslo."),
    (note("The user gets up at dawn."), note("The user is a night owl."), "I'm a night owl."),
    (note("Der Nutzer hat zwei Katzen."), note("Der Nutzer wohnt in Linz."), "Ich wohne in Linz."),
    (note("用户养了两只猫。"), note("用户住在上海。"), "我住上海"),
    # Two values of a slot that holds several.
    (fact("allergy:peanuts", "peanuts"), fact("allergy:almonds", "almonds"), "Almonds, not peanuts."),
    (fact("allergy:花生", "花生"), fact("allergy:腰果", "腰果"), "其实不是花生，是腰果"),
    # A part changed, and the rest would be gone.
    (FATHER, note("The user's father takes 10 mg of ramipril."), "Dad takes 10 mg now."),
    (FATHER, note("The user's father no longer takes ramipril.", ends=True), "Dad stopped taking ramipril."),
    (VATER, note("Der Vater des Nutzers nimmt 10 mg Ramipril."), "Papa nimmt jetzt 10 mg."),
    (父亲, note("用户的父亲每天服用10毫克雷米普利。"), "爸爸现在吃10毫克"),
]


@check_each(("old", "new", "message"), ASKED)
def test_what_a_slip_would_cost_is_put_to_the_judge_and_closes_nothing(
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


@check_each(("old", "new", "message"), ASKED)
def test_where_nobody_may_be_asked_the_models_word_is_taken(old: Candidate, new: Candidate, message: str) -> None:
    policy = ResolvePolicy(judge=False)
    worth, _ = weigh_correction(Claim(new, evidence()), of_memory(stored(old)), message, policy)
    assert worth is Worth.TAKEN


@pytest.mark.parametrize("ended", [False, True])
def test_what_the_judge_wrote_anew_takes_the_place_of_the_whole(*, ended: bool) -> None:
    known = stored(FATHER)
    anew = "The user's father Karl, 71, lives in Graz, has high blood pressure and takes 10 mg of ramipril."
    verdict = JudgeVerdict(action=Action.REPLACE, target=known.id, text=anew)
    decided, _ = naming(known, note("The user's father takes 10 mg of ramipril.", ends=ended), verdict=verdict)
    assert (decided.action, decided.target, decided.candidate.text) == (Action.REPLACE, known, anew)
    assert [closing.memory for closing in decided.closes] == [known]
    assert decided.adds
    assert not decided.candidate.ends


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (note("The user lives in Oslo."), fact("location", "Oslo", text="The user's home: Oslo.")),
        (fact("location", "Oslo", text="The user: location Oslo."), note("The user lives in Oslo.")),
        (note("用户住在上海。"), fact("location", "上海", text="用户的住址：上海。")),
        (note("Der Nutzer ist Vegetarier."), fact("diet", "Vegetarier", text="Ernährung des Nutzers: Vegetarier.")),
    ],
)
def test_a_repetition_that_the_model_names_holds_across_kinds(old: Candidate, new: Candidate) -> None:
    known = stored(old)
    new = replace(new, by_model=True, comparison=Comparison(seen=frozenset({known.id}), repeats=known.id))
    decided, questions = claim(known, new)
    assert (decided.strengthens, decided.target, decided.adds, questions) == (True, known, False, 0), decided.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (note("The user does not live in Oslo."), fact("location", "Oslo", text="The user's home: Oslo.")),
        (note("The user has two dogs in Oslo."), fact("pets", "three dogs", text="The user's pets: three dogs.")),
        (
            fact("location", "Oslo", text="The user: location Oslo."),
            note("The user moved to Oslo in May because of a new job at the harbour office."),
        ),
    ],
)
def test_a_repetition_across_kinds_that_differs_or_says_more_is_judged(old: Candidate, new: Candidate) -> None:
    known = stored(old)
    new = replace(new, by_model=True, comparison=Comparison(seen=frozenset({known.id}), repeats=known.id))
    decided, questions = claim(known, new)
    assert (decided.strengthens, decided.adds, questions) == (False, True, 1), decided.reason


def test_a_claim_of_an_older_statement_stores_it_as_ended() -> None:
    known = stored(note("The user moved to Los Angeles."), said=evidence(at=NOW, chat="old"))
    decided, _ = naming(
        known, note("The user moved to New York.", valid_from=BEFORE), said=evidence(at=BEFORE, chat="import")
    )
    assert (decided.action, decided.valid_to, decided.closes) == (Action.ADD, NOW, ())


def test_t6_a_claim_gives_a_less_sure_fact_no_more_weight() -> None:
    known = stored(fact("editor", "vim", confidence=1.0))
    said = [Claim(fact("editor", "emacs", confidence=0.6, replaces=known.id, by_model=True), evidence())]
    policy = ResolvePolicy(change_beats_confidence=False)
    [decided] = resolve(said, Neighbours(facts=[known]), policy=policy, inputs=ResolveInputs(now=NOW)).resolved
    assert (decided.action, decided.closes) == (Action.IGNORE, ())


def test_what_is_known_already_still_closes_what_it_corrects() -> None:
    old, new = stored(note("The user lives in Rome.")), stored(note("The user lives in Oslo."), number=2)
    decided, _ = naming(old, note("The user lives in Oslo."), others=(new,), message="No, Oslo.")
    assert (decided.action, decided.target, decided.strengthens) == (Action.IGNORE, new, True)
    assert [closing.memory for closing in decided.closes] == [old]


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
