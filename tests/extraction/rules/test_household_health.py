"""Health and diet of the user's household and guests: formed as facts that every prompt has."""

import pytest

from extractor_inputs import logged, source
from recollect.extraction.rules import read_by_rules
from recollect.extraction.rules.patterns.household_health import KEY
from recollect.resolution.slots import slot_mark
from recollect.types import Candidate, MemoryKind

# Each is told of in the user's words, with words that the sentence about it must have.
TOLD = (
    ("Tom has a peanut allergy.", "tom peanut"),
    ("My daughter is coeliac.", "daughter coeliac"),
    ("My wife can't have alcohol, she is pregnant.", "wife alcohol"),
    ("Our son Leo is allergic to eggs.", "leo egg"),
    ("My husband is diabetic.", "husband diabetic"),
    ("My mum is vegetarian and she's staying with us this week.", "mum vegetarian"),
    ("My kids can't eat dairy.", "kid dairy"),
    ("Just so you know, my girlfriend is vegan.", "girlfriend vegan"),
    ("My boyfriend has a severe shellfish allergy.", "boyfriend shellfish"),
    ("My partner is lactose intolerant.", "partner lactose"),
    ("Anna, my sister, is allergic to cats.", "anna cats"),
    ("My youngest has asthma.", "youngest asthma"),
    ("My father-in-law has a heart condition.", "father heart"),
    ("My 4-year-old son has a nut allergy.", "son nut"),
    ("Both my kids are allergic to bee stings.", "kid bee"),
    ("My wife is pregnant.", "wife pregnant"),
    ("My dad has high blood pressure so he needs low-salt food.", "dad blood pressure"),
    ("My roommate doesn't eat pork.", "roommate pork"),
    ("My flatmate Priya eats only halal meat.", "priya halal"),
    ("Mia is allergic to penicillin.", "mia penicillin"),
    ("My grandmother takes blood thinners.", "grandmother blood thinners"),
    ("My son has epilepsy.", "son epilepsy"),
    ("My brother is recovering from alcoholism, so no alcohol in the house please.", "brother alcohol"),
    ("My daughter Emma was diagnosed with type 1 diabetes.", "emma diabetes"),
    ("My wife can't eat gluten.", "wife gluten"),
    ("Can you suggest snacks? My toddler is allergic to strawberries.", "toddler strawberr"),
    ("My mother uses a wheelchair.", "mother wheelchair"),
    ("My husband has gout and can't have red meat.", "husband gout"),
    ("Jonas is intolerant to fructose.", "jonas fructose"),
    ("My stepson has ADHD.", "stepson adhd"),
    ("My best friend is coming over on Friday and she is allergic to sesame.", "friend sesame"),
    ("One of our guests has a soy allergy.", "guest soy"),
    ("The kids have a tree nut allergy.", "kid nut"),
    ("Grandpa isn't allowed to have grapefruit because of his medication.", "grand grapefruit"),
    ("My fiancée avoids caffeine.", "fiancée caffeine"),
    ("My daughter gets hives from strawberries.", "daughter strawberr"),
    ("Nuts could kill my son.", "son nut"),
    ("Peanuts are off limits for Tom.", "tom peanut"),
    ("Remember that Sara carries an EpiPen because of wasp stings.", "sara wasp"),
    ("My son can't tolerate milk.", "son milk"),
    ("My wife is breastfeeding, so she doesn't drink wine.", "wife breastfeeding"),
    ("My nephew is deaf.", "nephew deaf"),
    ("Tom's allergic to peanuts btw", "tom peanut"),
    ("my little girl cant have nuts", "girl nuts"),
    ("heads up: my sister in law is coming tomorrow and she can't do dairy", "sister dairy"),
    ("My 7yo gets really sick if he eats eggs", "7yo egg"),
    ("Ravi, our son, has type 1 diabetes", "son diabetes"),
    ("my girlfriend went vegan last year", "girlfriend vegan"),
    ("My mom's a vegetarian", "mom vegetarian"),
    ("there's a severe nut allergy in our family", "nut"),
    ("We have a nut allergy in the house.", "nut"),
    ("my wife is 6 months pregnant", "wife pregnant"),
    ("One thing to know: Lukas must not eat honey", "lukas honey"),
    ("My dad had a stroke and now needs soft food", "dad soft food"),
    ("my hubby has to watch his sugar because he's prediabetic", "hubby prediabetic"),
    ("Since my mother has celiac disease, everything must be gluten free", "mother celiac"),
    ("The baby is allergic to cow's milk protein.", "baby milk"),
    ("Cooking for Marta who is lactose intolerant, ideas?", "marta lactose"),
    ("Plan a menu for my parents. Both are diabetic.", "parents diabetic"),
    ("My kid is anaphylactic to peanuts", "kid peanuts"),
    ("her name is Zoe, my daughter, and she's deathly allergic to shellfish", "shellfish"),
    ("My roommate Sam has Crohn's", "sam crohn"),
    ("Our little one isn't allowed honey yet", "little one honey"),
    ("My husband takes lithium so watch the salt", "husband lithium"),
    ("Grandma can't chew hard food", "grandma hard food"),
    ("Emil can't stand the sight of blood but he's also allergic to latex", "emil latex"),
    ("My better half can't have caffeine after her heart surgery", "caffeine"),
    ("Just a reminder that Noor is fasting and is diabetic", "noor diabetic"),
    ("my mother-in-law is visiting; she doesn't eat beef", "mother-in-law beef"),
    ("My partner Alex has a latex allergy.", "alex latex"),
    ("both my daughters are lactose intolerant", "daughters lactose"),
    ("My cousin's allergic to iodine", "cousin iodine"),
    ("My teenage son is vegan now", "son vegan"),
    ("my grandpa has dementia and must not use the stove", "grandpa dementia"),
    ("Kim gets migraines from red wine", "kim red wine"),
    ("My flatmate keeps kosher", "flatmate kosher"),
    ("Remember, Joe can't eat spicy food.", "joe spicy"),
    ("My daughter has a severe egg allergy, so no mayo", "daughter egg"),
    ("Dad needs to avoid potassium", "dad potassium"),
    ("Our toddler has eczema and is allergic to wool", "toddler eczema wool"),
    ("My husband is on a low-sodium diet", "husband low-sodium"),
    ("My sister Julia is breastfeeding", "julia breastfeeding"),
    ("my niece has epilepsy so no flashing lights", "niece epilepsy"),
    ("Hana is colour-blind.", "hana blind"),
    ("my wife does not drink", "wife drink"),
    ("the twins are allergic to dust mites", "twins dust mites"),
    ("my brother in law is a recovering alcoholic", "brother alcoholic"),
    ("My aunt was just diagnosed with celiac disease", "aunt celiac"),
    ("My boy has autism and hates loud noises", "boy autism"),
    ("Leyla carries an epipen", "leyla epipen"),
    ("My uncle is allergic to bees.", "uncle bees"),
    ("Nina has a wheat allergy", "nina wheat"),
    ("our nephew is diabetic", "nephew diabetic"),
    ("my cousin can't eat beef", "cousin beef"),
    ("I cook for my aunt. She has gout and can't have offal.", "aunt gout offal"),
    ("What could I bake for my brother, who is allergic to almonds?", "brother almonds"),
    ("Mustard is off limits for Ella.", "ella mustard"),
    ("My grandson reacts badly to kiwi.", "grandson kiwi"),
    ("My niece Ida and my nephew Ole are vegan.", "ida"),
    ("Our lodger keeps halal.", "lodger halal"),
    ("My cousin is on blood thinners", "cousin blood thinners"),
    ("Granny has been diagnosed with dementia", "granny dementia"),
    ("Pia is coming for dinner on Sunday. She's celiac.", "pia celiac"),
    ("Our dog is allergic to chicken.", "dog chicken"),
    ("Please remember that Ole has asthma.", "ole asthma"),
    ("Bo and Liv don't eat fish.", "bo and liv fish"),
)
# Denied, past, supposed, asked, quoted or invented.
NOT_TOLD = (
    ("Tom doesn't have a peanut allergy.", "peanut"),
    ("Tom had a peanut allergy but he outgrew it.", "peanut"),
    ("My daughter used to be allergic to eggs.", "egg"),
    ("My son is no longer lactose intolerant.", "lactose"),
    ("If my wife were vegan, what would I cook?", "vegan"),
    ("In my novel, Tom has a peanut allergy.", "peanut"),
    ("Imagine my daughter is coeliac. What could she eat?", "coeliac"),
    ("Let's play a game: you are Tom and you have a nut allergy.", "nut"),
    ("Is Tom allergic to peanuts?", "peanut"),
    ("My sister isn't allergic to anything.", "allergic"),
    ("The article says one in ten children has a food allergy.", "allerg"),
    ("My boss is allergic to hard work, haha.", "work"),
    ("What does it mean if someone is coeliac?", "coeliac"),
    ("We thought Leo was allergic to eggs, but the test was negative.", "egg"),
    ("Suppose a guest has a soy allergy, which sauce would you use?", "soy"),
    ("My husband isn't diabetic.", "diabet"),
    ("Maybe my son is allergic to cats, we don't know yet.", "cats"),
    ("Write a story about a boy called Tom who has a peanut allergy.", "peanut"),
    ("My daughter isn't vegetarian anymore.", "vegetarian"),
    ("Dad was allergic to pollen as a child.", "pollen"),
    ("My sister thought she was allergic to gluten but she isn't.", "gluten"),
    ("What should a pregnant woman avoid?", "pregnant"),
    ("My neighbour's kid had asthma as a toddler.", "asthma"),
    ("Tom would be allergic to peanuts if he had inherited it from me.", "peanut"),
    ("Harry Potter has a peanut allergy in my fanfic.", "peanut"),
    ("Could my son be allergic to milk?", "milk"),
    ("My wife was vegan for years.", "vegan"),
    ("Translate: 'My son is allergic to nuts.'", "nuts"),
    ("Nobody in my family is allergic to anything.", "allergic"),
    ("Everyone at work is allergic to meetings lol", "meetings"),
    ("My daughter isn't pregnant.", "pregnant"),
    ("My son no longer has asthma.", "asthma"),
    ("I wonder whether Tom is allergic to wheat.", "wheat"),
    ("My son asked if he is allergic to school", "school"),
    ("In the game my wizard friend Bob is allergic to silver.", "silver"),
    ("My mother died of cancer.", "cancer"),
    ("What if my guest has a nut allergy?", "nut"),
    ("My ex was vegetarian.", "vegetarian"),
    ("We had him tested and Max doesn't have a milk allergy after all", "milk"),
    ("Pretend you are my brother and you are diabetic", "diabetic"),
    ("My uncle isn't allergic to bees.", "bees"),
    ("Is my uncle allergic to bees?", "bees"),
    ("My aunt was allergic to cats.", "cats"),
    ("I think my aunt might be allergic to cats.", "cats"),
    ("Does my aunt have asthma?", "asthma"),
    ("My brother doesn't have a car.", "car"),
    ("My son doesn't eat breakfast.", "breakfast"),
    ("If my aunt is diabetic, can she eat this?", "diabetic"),
)


def facts(*said: str) -> list[Candidate]:
    """Form facts of a user's messages, all in one conversation."""
    found = read_by_rules(source(*(logged(seq, text) for seq, text in enumerate(said, start=1)))).candidates
    return [candidate for candidate in found if candidate.kind is MemoryKind.FACT and not candidate.ends]


@pytest.mark.parametrize(("said", "words"), TOLD)
def test_what_the_household_must_avoid_becomes_a_standing_fact(said: str, words: str) -> None:
    told = " ".join(fact.text for fact in facts(said) if fact.importance >= 0.5).lower()
    assert all(word in told for word in words.split()), told


@pytest.mark.parametrize(("said", "word"), NOT_TOLD)
def test_what_nobody_has_does_not(said: str, word: str) -> None:
    assert not [fact.text for fact in facts(said) if word in fact.text.lower()]


@pytest.mark.parametrize(
    "said", ["My brother is allergic to peanuts.", "my sister is on warfarin", "Tom can't eat gluten", "Mia is vegan"]
)
def test_it_is_no_fact_about_the_user(said: str) -> None:
    assert [fact.key.partition(":")[0] for fact in facts(said)] == [KEY]


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ("Tom has a peanut allergy.", "Tom isn't allergic to peanuts anymore."),
        ("My son is allergic to eggs.", "My son outgrew his egg allergy."),
        ("My wife is pregnant.", "My wife is no longer pregnant."),
        ("My dad is vegan.", "My dad is not vegan anymore."),
        ("Eva can't eat gluten.", "Eva can eat gluten again."),
    ],
)
def test_its_end_names_the_same_slot(said: str, ended: str) -> None:
    [fact] = facts(said)
    found = read_by_rules(source(logged(1, ended))).candidates
    ends = {slot_mark(candidate.key, candidate.value) for candidate in found if candidate.ends}
    assert slot_mark(fact.key, fact.value) in ends
