"""Names of professions. Pure data."""

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
