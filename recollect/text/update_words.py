"""Words by which people say that something changed or ended, in seven languages. Data, our own. Pure.

All words are written as `fold` leaves them: in small letters, without accents.
"""

from recollect.text.normalize import fold


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in text.split())


def _numbered(*lines: str) -> dict[str, int]:
    return {fold(word): number for number, line in enumerate(lines, 1) for word in line.split()}


MONTHS = _numbered(
    "january jan januar janvier enero janeiro gennaio januari jänner",
    "february feb februar février febrero fevereiro febbraio februari",
    "march mar märz mars marzo março maart",
    "april apr avril abril aprile",
    "may mai mayo maio maggio mei",
    "june jun juni juin junio junho giugno",
    "july jul juli juillet julio julho luglio",
    "august aug août agosto augustus",
    "september sep sept septembre septiembre setembro settembre",
    "october oct oktober octobre octubre outubro ottobre",
    "november nov novembre noviembre novembro",
    "december dec dezember décembre diciembre dezembro dicembre",
)
WEEKDAYS = _numbered(
    "monday mondays mon montag montags lundi lundis lunes segunda segundas lunedì maandag maandags",
    "tuesday tuesdays tue tues dienstag dienstags mardi mardis martes terça terças martedì dinsdag",
    "wednesday wednesdays wed mittwoch mittwochs mercredi mercredis miércoles quarta quartas mercoledì woensdag",
    "thursday thursdays thu thurs donnerstag donnerstags jeudi jeudis jueves quinta quintas giovedì donderdag",
    "friday fridays fri freitag freitags vendredi vendredis viernes sexta sextas venerdì vrijdag",
    "saturday saturdays sat samstag samstags samedi samedis sábado sábados sabato zaterdag",
    "sunday sundays sun sonntag sonntags dimanche dimanches domingo domingos domenica zondag",
)
CURRENCIES = _words("$ € £ eur euro euros usd dollar dollars gbp pound pounds quid bucks reais franken chf")
UNITS = _words(
    """mg mcg ml g gram grams kg kilo kilos lb lbs stone km mile miles m cm percent hours hour hrs days weeks months
    years stunden tage wochen jahre heures jours semaines mois ans horas días semanas meses años anos dias ore giorni
    settimane mesi anni uur dagen weken jaar people guests nights persons"""
)

CHANGED = _words(
    """now nowadays instead actually moved shifted pushed switched postponed rescheduled delayed bumped swapped upped
    raised increased reduced lowered changed
    jetzt nun inzwischen mittlerweile stattdessen neuerdings verschoben verlegt geändert erhöht gesenkt vorgezogen
    maintenant désormais plutôt finalement reporté reportée déplacé déplacée décalé décalée avancé avancée changé
    ahora cambiado cambiamos cambié cambió cambiaron movido movimos movieron mover aplazado aplazaron aplazamos
    pospuesto adelantado adelantaron agora mudou mudei mudaram mudamos mudar adiado adiada adiou adiaram adiamos
    antecipado adesso ora ormai invece spostato spostata spostiamo rimandato rimandata rinviato rinviata cambiato
    anticipato nu tegenwoordig voortaan verplaatst verzet uitgesteld vervroegd gewijzigd"""
)
"""One of these beside a new value says that it takes the place of an older one."""
UNSURE = _words(
    """might maybe perhaps could would should if whether thinking considering hope hoping wish want wants suppose
    imagine unless vielleicht könnte würde wenn falls ob überlege hoffe möchte will peut-être pourrait voudrais
    espère envie quizás quizá tal vez podría quiero espero talvez poderia quero forse potrebbe vorrei spero
    misschien zou hoop tomorrow mañana amanhã domani demain morgen"""
)
"""Beside one of these nothing has changed yet."""
NEGATIONS = _words(
    """not isn't wasn't don't doesn't didn't haven't hasn't never nicht kein keine keinen pas jamais no nunca não nem
    non mai niet geen nooit"""
)
ALSO = _words("also too additionally auch zusätzlich aussi également también además também anche pure ook")


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(fold(word) for word in phrase.split()) for phrase in text.split(","))


HAD_TO = _phrases(
    """sell, give away, get rid of, give up, rehome, cancel, call off, scrap, drop, pull out of, hand over,
    stop taking, stop doing, stop playing, stop eating, stop drinking, stop using, stop going to"""
)
"""Those of `ENDED` that mean an end only after 'had to': 'we had to sell the boat'."""
ENDED_IN_ENGLISH = HAD_TO + _phrases(
    """sold, gave away, given away, got rid of, gave up, given up, rehomed, quit, lost, stopped going to,
    stopped taking, stopped doing, stopped playing, stopped eating, stopped drinking, stopped using, stopped,
    cancelled, canceled, called off, scrapped, pulled out of, broke up with, split up with, packed in, gone off,
    no more, threw out, ditched, handed over, handed off, stepped back from, no longer have, no longer use,
    no longer do"""
)
ENDED = ENDED_IN_ENGLISH + _phrases(
    """kein, keine, keinen, aufgehört mit, fertig mit, schluss mit, aus mit, getrennt von, uit met, rompu avec,
    me separé de, lo dejé con, lo he dejado con, terminei com, acabei com, ho rotto con, mi sono lasciata con,
    mi sono lasciato con, gescheiden van,
    ai arrêté le, ai arrêté la, ai arrêté les, ai arrêté de, ai vendu, ai perdu, ai annulé, ai abandonné,
    avons vendu, avons perdu, avons annulé, a vendu, a annulé, ai laissé tomber, a laissé tomber, fini avec,
    dejé, he dejado, hemos dejado, dejamos, vendí, he vendido, hemos vendido, vendimos, perdí, perdimos, cancelé,
    he cancelado, hemos cancelado, cancelamos, abandoné,
    larguei, larguamos, parei de, parei com, deixei, vendi, vendemos, perdi, perdemos, cancelei, abandonei,
    ho lasciato, ho smesso di, ho smesso con, ho venduto, abbiamo venduto, ho perso, abbiamo perso,
    ho annullato, abbiamo annullato, ho abbandonato, ho mollato,
    ben gestopt met, gestopt met, klaar met, geen,
    uit met, ist aus mit, vorbei mit, rompu avec, terminé con, terminado con, roto con, rompí con, terminamos con,
    terminei com, acabei com, rompi com, chiuso con, finita con"""
)
"""What follows one of these has ended."""
ENDED_BY_WORD = {
    first: tuple(phrase for phrase in ENDED if phrase[0] == first) for first in {phrase[0] for phrase in ENDED}
}
"""The phrases of `ENDED` by their first words."""
LEADS = _words("i we ve have had just finally also and so even already officially then m am re are")
"""The speaker, and words between them and a verb of ending; an end told of other people is theirs."""
NEEDS_NO_MORE = _words("kein keine keinen geen")
"""Of `ENDED`, those that say so only together with `mehr`, `meer`: 'keine Katze mehr'."""
NO_MORE = _words("mehr meer")
PARTED = {
    "handed": ("over", "off", "back"),
    "gave": ("away", "up", "back"),
    "given": ("away", "up", "back"),
    "passed": ("on",),
    "called": ("off",),
    "sold": ("off",),
    "threw": ("out", "away"),
    "packed": ("in",),
    "sent": ("back",),
    "took": ("back",),
    "traded": ("in",),
}
"""Verbs that end the words between them and such a particle: 'handed the choir over'."""
GONE = _phrases(
    """fell through, is cancelled, was cancelled, got cancelled, been cancelled, s cancelled, is canceled, was canceled,
    is dead, died, passed away, is history, is sold, ran away,
    verkauft, abgesagt, aufgegeben, abgesetzt, gekündigt, gestorben, gestrichen, nicht mehr, ist vorbei, ist aus,
    war falsch, stimmt nicht,
    est annulé, est annulée, est mort, est morte, est fini, est finie, est tombé,
    se canceló, se murió, murió, se acabó, está cancelado, está cancelada,
    morreu, acabou, foi cancelado, foi cancelada,
    è morto, è morta, è finito, è finita, è annullato, è annullata, è saltato, è saltata,
    verkocht, afgezegd, opgezegd, overleden, niet meer, gaat niet door, klopt niet"""
)
"""What comes before one of these has ended."""
RECOVERED = _phrases(
    """is back to normal, s back to normal, are back to normal, is fine again, s fine again, are fine again,
    is fine now, s fine now, are fine now, has healed, s healed"""
)
"""What comes before one of these is well again; past events stay true."""

LIKES = _words("""love loves adore enjoy liebe mag adore aime encanta gusta adoro amo gosto piace hou""")
DISLIKES = _words("hate hates loathe detest dislike hasse verabscheue déteste odio detesto odeio haat")

HOMES = _words(
    """wohne wohnen lebe leben studier studiere gezogen umgezogen wechsel wechsle ziehe
    zieh habite habitons vis vivons déménagé emménagé vivo vivimos mudado mudé
    mudamos moro moramos mudei abito abitiamo viviamo trasferito trasferita trasferiti woon wonen verhuisd"""
)
MOVES = _words(
    """gezogen umgezogen wechsel wechsle ziehe zieh déménagé emménagé mudado mudé mudamos mudei trasferito trasferita
    trasferiti verhuisd"""
)
JOBS = _words(
    "arbeite arbeiten travaille travaillons bosse trabajo trabajamos trabalho trabalhamos lavoro lavoriamo werk"
)
JOB_NEWS = _words(
    """now seit jetzt nun inzwischen depuis maintenant désormais desde ahora agora adesso ora sinds nu neuen nouveau
    nouvelle nueva nuevo novo nova nuovo nuova nieuwe"""
)
NEW_JOBS = _phrases(
    """ma mutation, mon nouveau poste, nouveau travail, nouveau boulot, nouvel emploi, changé de boulot,
    changé de travail,
    neue stelle, neuen job, neuer job, neuen stelle, neuen arbeit, job gewechselt, stelle gewechselt,
    nuevo trabajo, nuevo empleo, cambié de trabajo, he cambiado de trabajo, novo emprego, novo trabalho,
    mudei de emprego, mudei de trabalho, nuovo lavoro, nuovo impiego, cambiato lavoro, nieuwe baan, nieuwe job,
    van baan veranderd, van baan gewisseld"""
)
"""One of these tells of another workplace."""
OTHERS = _words(
    "her his their its ihr ihre ihren sein seine seinen sa son ses leur su sus seu sua dela dele suo loro haar hun"
)
"""Before what is another person's."""
AM = _words("bin suis soy sou sono ben")
PROFESSIONS = frozenset(
    fold(word)
    for word in """erzieher erzieherin lehrer lehrerin krankenpfleger krankenschwester arzt ärztin ingenieur ingenieurin
    koch köchin kellner kellnerin verkäufer verkäuferin buchhalter buchhalterin anwalt anwältin entwickler entwicklerin
    pfleger pflegerin fahrer fahrerin friseur friseurin tischler tischlerin maurer bäcker bäckerin student studentin
    infirmier infirmière professeur professeure enseignant enseignante médecin ingénieur ingénieure cuisinier cuisinière
    serveur serveuse vendeur vendeuse comptable avocat avocate développeur développeuse chauffeur coiffeur coiffeuse
    boulanger boulangère étudiant étudiante prof profa instit azubi
    enfermero enfermera profesor profesora maestro maestra médico médica
    ingeniero ingeniera cocinero cocinera camarero camarera vendedor vendedora contable abogado abogada programador
    programadora conductor conductora peluquero peluquera panadero panadera estudiante enfermeiro enfermeira professor
    professora engenheiro engenheira cozinheiro cozinheira garçom garçonete contador contadora advogado advogada
    motorista cabeleireiro cabeleireira padeiro padeira estudante ilustrador ilustradora infermiere infermiera
    insegnante professore professoressa medico ingegnere cuoco cuoca cameriere cameriera commesso commessa
    contabile avvocato avvocata programmatore programmatrice autista parrucchiere parrucchiera panettiere
    studente studentessa verpleegkundige leraar lerares docent arts kok ober verkoper verkoopster boekhouder
    advocaat programmeur chauffeur kapper kapster bakker student studente illustrator illustratorin illustrateur
    illustratrice illustratore designer grafiker grafikerin journalist journalistin journaliste periodista jornalista
    giornalista""".split()
)
"""Professions; English ones are in the rules."""
PLACED = _words(
    """in im nach bei beim am als à au aux en dans chez comme a em no na para como al alla nel nella a come da naar bij
    op als"""
)
DEBT = _words(
    "loan owe owed left finance financed mortgage debt credit pay paying repay schulden kredit crédit crédito"
)
WITHOUT_MEANING = _words(
    """not like more today within
    every each first second third fourth fifth other meet meets meeting runs held happens takes place usually always
    normally user here there
    thing things stuff bit lot way time times day days week month year sorry btw lol again really still just also
    only new old my our the a an this that these those please pls ok okay yeah yes no oh hey hi wait
    habe hab haben bin ist sind war mich mir uns mein meine meinen meiner unser unsere das die der den dem des ein eine
    suis est ai avons mon ma mes notre nos le la les un une des du de l d j c es son era he hemos mi mis nuestro nuestra
    el los las una del que me se nos eu o os as um uma meu minha meus minhas nosso nossa da do das dos foi sono ho
    abbiamo mio mia miei mie nostro nostra il lo gli i di che si ik heb is zijn mijn ons onze het een we
    con com avec mit met they them there
    here got get has have had been be was were are am s t ve re ll m back from last next"""
)
ONE_TOPIC = {
    fold(word): "wedding"
    for word in """wedding marry married marrying hochzeit heirate heiraten heiratet mariage marie marier marions boda
    caso casamos casarme casarnos casarse casamento casar casando matrimonio nozze sposo sposa sposiamo sposarmi
    bruiloft trouwen trouw""".split()
}
"""Words by which one thing is named, and the one that they count as."""
