"""Words the built-in extractor knows: relations, professions, nationalities, languages, diets. Pure data."""

PROFESSIONS = frozenset(
    """accountant actor actress admin administrator agent analyst apprentice architect artist assistant astronomer
    athlete attorney baker banker barber barista bartender biologist blacksmith bookkeeper bouncer broker
    builder butcher caretaker carer carpenter cashier ceo cfo chef chemist clerk co-founder coach coder composer
    consultant contractor cook coordinator counselor counsellor cto dancer dentist dermatologist designer
    detective developer dietitian director doctor drummer economist editor electrician engineer entrepreneur
    farmer filmmaker firefighter fisherman florist founder freelancer gardener geologist guitarist hairdresser
    historian housewife illustrator influencer instructor intern interpreter investor janitor journalist judge
    lawyer lecturer librarian linguist locksmith manager marketer mathematician mechanic midwife minister model
    musician neurologist notary novelist nurse nutritionist officer optician paediatrician painter paralegal
    paramedic pastor pediatrician pharmacist philosopher photographer physician physicist physiotherapist
    pianist pilot plumber poet policeman politician postman potter priest principal producer professor
    programmer psychiatrist psychologist radiologist realtor receptionist recruiter representative researcher
    retiree sailor salesman salesperson scholar scientist sculptor secretary shepherd singer sociologist soldier
    solicitor specialist statistician strategist streamer student supervisor surgeon surveyor tailor teacher
    technician therapist trader trainer translator tutor undertaker vet veterinarian videographer violinist
    waiter waitress warehouseman welder writer zoologist
    actuary ambassador anchor animator announcer anthropologist appraiser archaeologist archivist astronaut auditor
    barrister beautician beekeeper botanist boxer brewer bricklayer butler captain cardiologist cartographer cellist
    chaplain chauffeur chiropractor choreographer cleaner cobbler columnist comedian concierge conductor confectioner
    copywriter councillor courier curator diplomat dispatcher dj dressmaker driver epidemiologist farrier fitter
    flutist geneticist glassblower goldsmith grocer groomer guard gynecologist housekeeper imam jeweller jockey
    joiner lobbyist lumberjack machinist magician magistrate maid masseur masseuse mayor miner missionary monk nanny
    nun oncologist operator optometrist organist orthodontist osteopath percussionist playwright podiatrist
    policewoman presenter publisher rabbi radiographer ranger referee reporter roofer saxophonist screenwriter
    seamstress shopkeeper sommelier sonographer steward stewardess stylist sysadmin tattooist tester trucker umpire
    upholsterer urologist warden watchmaker winemaker zookeeper""".split()
)


def _any_of(words: str) -> str:
    """Build a pattern of alternatives, longest first; a hyphen also matches a blank."""
    alternatives = sorted((" ".join(word.split()) for word in words.split("|")), key=len, reverse=True)
    return "|".join(word.replace("-", r"[\s-]?").replace(" ", r"\s++") for word in alternatives)


RELATIONS = _any_of(
    """wife | husband | partner | spouse | fiancé | fiancée | fiance | fiancee | girlfriend | boyfriend | ex-wife |
    ex-husband | mother | father | mom | mum | dad | parents? | sister | brother | twin | daughter | son | child |
    kid | baby | grandson | granddaughter | grandchild | stepchild | stepbrother | stepsister | half-brother |
    half-sister | nan | gran | grandad | granddad | niece | mate | housemate | supervisor | tutor | girlfriend |
    godchild | godmother | godfather | grandmother | grandfather | grandma | grandpa | granny | nephew | niece |
    cousin | aunt | uncle | mother-in-law | father-in-law | sister-in-law | brother-in-law | stepson | stepdaughter
    | stepmother | stepfather | godson | goddaughter | roommate | flatmate | best friend | friend | boss | manager |
    neighbou?r | colleague | coworker | therapist | doctor | teacher | coach | landlord"""
)
PETS = _any_of(
    """dog | cat | puppy | pup | kitten | kitty | parrot | hamster | rabbit | bunny | horse | pony | turtle | tortoise |
    goldfish | guinea pig | ferret | snake | lizard | budgie | canary | pet | labrador | poodle | corgi | beagle |
    retriever | golden retriever | german shepherd | husky | dachshund | gecko | mare | stallion | foal | gelding |
    donkey | goat | hen | rooster | chicken | duck | sheep | lamb | alpaca | llama | cow | whippet | greyhound |
    spaniel | terrier | collie | pug | chihuahua | dalmatian | mastiff | boxer dog | tomcat | tabby | cockatiel |
    parakeet | cockatoo | chinchilla | hedgehog | axolotl | gerbil | pet rat | iguana"""
)
# Relations of which a person has one: a new name replaces the old one.
ONE_OF = frozenset(
    """wife husband partner spouse fiance fiancee fiancé fiancée girlfriend boyfriend mother father mom mum dad
    boss""".split()
)

NATIONALITIES = frozenset(
    """albanian algerian american argentine argentinian australian austrian bangladeshi belgian bosnian brazilian
    british bulgarian canadian chilean chinese colombian croatian cuban czech danish dutch egyptian english
    estonian ethiopian filipina filipino finnish french german ghanaian greek hungarian icelandic indian
    indonesian iranian iraqi irish israeli italian japanese kenyan kiwi korean latvian lebanese lithuanian
    malaysian mexican moroccan nepali nigerian norwegian pakistani persian peruvian polish portuguese romanian
    russian scottish serbian slovak slovenian south-african spanish swedish swiss syrian thai tunisian turkish
    ukrainian venezuelan vietnamese welsh""".split()
)

LANGUAGES = frozenset(
    """afrikaans albanian amharic arabic basque bengali bokmål bulgarian cantonese catalan chinese croatian czech
    danish dutch english esperanto estonian farsi finnish french gaelic galician german greek hausa hebrew hindi
    hungarian icelandic indonesian irish italian japanese korean latin latvian lithuanian malay mandarin nepali
    norwegian nynorsk persian polish portuguese punjabi romanian russian serbian slovak slovenian spanish
    swahili swedish tagalog tamil telugu thai turkish ukrainian urdu vietnamese welsh yoruba zulu""".split()
)
LANGUAGE = "|".join(sorted(LANGUAGES, key=len, reverse=True))

# Diets of which a person follows one at a time.
DIETS = _any_of(
    """vegetarian | vegan | pescatarian | pescetarian | flexitarian | omnivore | omnivorous | carnivore |
    fruitarian | lacto-vegetarian | plant-based"""
)
# Diets that can be combined with others.
RULES_OF_FOOD = _any_of(
    """gluten-free | lactose-free | dairy-free | sugar-free | nut-free | keto | ketogenic | paleo | low-carb |
    low-fodmap | low-sodium | halal | kosher | mediterranean"""
)
CONDITIONS = _any_of(
    """type 1 diabetes | type 2 diabetes | diabetes | asthma | celiac disease | celiac | coeliac disease |
    epilepsy | adhd
    | autism | depression | anxiety | migraines? | arthritis | hypertension | high blood pressure | dyslexia |
    insomnia | crohn'?s disease | crohn'?s | ibs | pcos | endometriosis | hay fever | eczema | psoriasis | tinnitus
    | scoliosis | anemia | anaemia | lupus | fibromyalgia | ocd | ptsd | sleep apno?ea | a bad back | a bad knee | a
    pacemaker | a heart condition | heart disease | hypothyroidism | gout | glaucoma | cancer | long covid | a stoma
    | a heart murmur | osteoporosis | multiple sclerosis | parkinson'?s | sciatica | gerd | acid reflux | ulcerative
    colitis | vertigo | narcolepsy | rosacea | kidney stones | a stammer | a stutter | bipolar disorder | a slipped
    disc | a hernia | an ulcer | plantar fasciitis | carpal tunnel | raynaud'?s | tendinitis | haemophilia |
    hemophilia | high cholesterol | low blood pressure | an underactive thyroid"""
)
CONDITION_ADJECTIVES = _any_of(
    """diabetic | asthmatic | celiac | coeliac | epileptic | dyslexic | autistic | colou?r-blind | blind |
    deaf | hard of
    hearing | left-handed | anemic | lactose-intolerant | gluten-intolerant | neurodivergent | immunocompromised |
    sober | short-sighted | near-sighted | long-sighted | hard-of-hearing | visually impaired | hearing impaired |
    bipolar | narcoleptic | haemophiliac | hemophiliac | anaemic | gluten intolerant | hypothyroid | hypertensive |
    prediabetic | wheelchair-bound | lactose intolerant"""
)
POSSESSIONS = _any_of(
    """car | bike | bicycle | motorcycle | motorbike | guitar | piano | violin | house | flat | apartment | boat |
    cabin | garden | greenhouse | camera | telescope | van | tesla | truck | e-bike | scooter | drone | 3d
    printer | laptop | macbook | iphone | ipad | kindle | ps5 | xbox | switch | drum kit | farm | cottage |
    sailboat | campervan | rv | sewing machine | record player | synth | cello | saxophone | tent | kayak |
    android | pixel | thinkpad"""
)
INSTRUMENTS_AND_GAMES = _any_of(
    """guitar | piano | violin | drums | bass | cello | flute | saxophone | ukulele | trumpet | harp | keyboard |
    football | soccer | basketball | baseball | tennis | golf | hockey | chess | volleyball | rugby | cricket |
    badminton | squash | padel | poker | video games | board games | handball"""
)
