"""Italian: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object.
_GAP = r"(?:(?!non\b|mai\b|quasi\b|senza\b|neanche\b)[\w'-]{1,20} ){0,3}?"
# What denies a verb that follows it.
_YES = r"(?<!\bnon\s)(?<!\bmai\s)(?<!\bchi\s)(?<!\bche\s)"
_V = r"(?P<v>[^\s,.;:!?()\n][^,.;:!?()\n]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n][^.;:!?()\n]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = (
    r"(?![^,.;:!?\n]{0,60}\b(?:(?:la|di) (?:sera|mattina|notte)|dopo|prima|oggi|a (?:colazione|cena|pranzo))\b)" + _LIST
)
_MY = r"(?:(?:il |la |i |le |l')?(?:mio|mia|miei|mie|nostr[oaie]))"
_IN = r"(?:a|ad|in|nel|nella|nelle|nei|negli|sul|sulla)"
_KIN = {
    "partner": "moglie|marito|ragazza|ragazzo|fidanzata|fidanzato|compagna|compagno|morosa|moroso|convivente",
    "son:": "figlio|bimbo",
    "daughter:": "figlia|bimba",
    "mother": "madre|mamma",
    "father": "padre|papa|babbo",
    "sister:": "sorella|sorellina",
    "brother:": "fratello|fratellino",
    "boss": "capo|responsabile",
    "dog:": "cane|cagna|cagnolino|cagnolina|cagnetta|cucciolo|cucciola",
    "cat:": "gatto|gatta|gattino|gattina|micio|micia",
    "horse:": "cavallo|cavalla",
    "rabbit:": "coniglio|coniglietto",
    "parrot:": "pappagallo|pappagallino",
}
_JOBS = any_of(
    """prof professore professoressa insegnante maestro maestra docente infermiere infermiera medico dottore
        dottoressa avvocato avvocata avvocatessa ingegnere programmatore programmatrice sviluppatore sviluppatrice
        informatico informatica grafico grafica designer cuoco cuoca chef pasticcere pasticcera panettiere fornaio
        macellaio parrucchiere parrucchiera barbiere contabile ragioniere ragioniera commercialista commesso
        commessa cassiere cassiera cameriere cameriera barista tassista autista camionista meccanico elettricista
        idraulico muratore falegname agricoltore agricoltrice contadino allevatore giardiniere architetto architetta
        geometra fotografo fotografa giornalista scrittore scrittrice musicista attore attrice studente studentessa
        universitario universitaria pensionato pensionata poliziotto poliziotta carabiniere militare pompiere pilota
        segretario segretaria impiegato impiegata operaio operaia magazziniere ostetrica fisioterapista dentista
        veterinario veterinaria farmacista psicologo psicologa logopedista educatore educatrice traduttore
        traduttrice ricercatore ricercatrice biologo biologa chimico fisico bibliotecario bibliotecaria fiorista
        fioraio estetista agente_immobiliare bancario commerciale consulente tecnico postino postina artigiano
        artigiana sarta libero_professionista freelance imprenditore imprenditrice casalinga casalingo disoccupato
        disoccupata babysitter portiere rider notaio giudice allenatore allenatrice personal_trainer oss badante
        bidello bidella assistente_sociale hostess saldatore pescatore guida_turistica dj"""
)
_DIETS = {"vegetar": "vegetarian", "vega": "vegan", "pesc": "pescatarian", "flexi": "flexitarian"}
_DIET = r"(?P<v>vegetarian[oaie]|vegan[oaie]|pesc[eo]tarian[oaie]|pescetarian[oaie]|flexitarian[oaie])"
_LANGUAGES = {
    "ital": "Italian", "ingl": "English", "fran": "French", "tede": "German", "spag": "Spanish", "port": "Portuguese",
    "russ": "Russian", "arab": "Arabic", "cine": "Chinese", "giap": "Japanese", "rume": "Romanian",
}  # fmt: skip
_LANGUAGE = r"(?P<v>italiano|inglese|francese|tedesco|spagnolo|portoghese|russo|arabo|cinese|giapponese|rumeno)"
_CONDITIONS = any_of(
    """diabete asma emicrania emicranie celiachia epilessia ipertensione artrite artrosi endometriosi eczema
        psoriasi vertigini acufene acufeni scoliosi gotta fibromialgia ipotiroidismo tiroidite_di_hashimoto adhd
        apnee_notturne insonnia rinite depressione ansia reflusso gastrite ernia_al_disco un'ernia_al_disco
        colon_irritabile anemia intolleranza_al_lattosio intolleranza_al_glutine dislessia autismo colesterolo_alto
        pressione_alta pressione_bassa cervicale dermatite attacchi_di_panico morbo_di_crohn sclerosi_multipla lupus
        miopia"""
)
_ADJECTIVES = any_of(
    """diabetico diabetica asmatico asmatica celiaco celiaca epilettico epilettica dislessico dislessica autistico
        autistica daltonico daltonica sordo sorda cieco cieca ipovedente miope mancino mancina iperteso ipertesa
        intollerante_al_lattosio intollerante_al_glutine intollerante_al_nichel bipolare anemico anemica"""
)
_LATER = r"(?=$|[,.!)]| (?:per favore|per piacere|sempre|d'ora|con me|e|grazie)\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"{_YES}\bmi chiamo {_V}"),
    slot("name", ValueKind.CALLED, rf"\bil mio (?:vero )?nome (?:completo )?e {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        rf"""(?:^|^(?:ciao|salve|buongiorno|buonasera|ehi|hey)(?: a tutti)?,? )(?:io )?sono (?!{_JOBS}\b)
            (?:la |il |l')?(?P<v>[\w-]{{2,20}})(?=\s*(?:$|[,.!]| e ))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:chiamami|puoi chiamarmi|mi chiami|chiamatemi) (?:pure |semplicemente )?(?!quando\b|se\b|un\b|una\b|
            alle\b|domani\b|al\b)(?P<v>[\w-]{2,20})(?=\s*(?:$|[,.!]| per favore))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"\b(?:tutti|gli amici|i miei amici|in famiglia|a casa) mi chiamano (?P<v>[\w-]{2,20})\b",
    ),
    slot("location", ValueKind.PLACE, rf"{_YES}\b(?:vivo|abito|viviamo|abitiamo|risiedo|sto di casa) {_GAP}{_IN} {_V}"),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:mi sono (?:appena )?trasferit[oa]|ci siamo (?:appena )?trasferiti|sono andat[oa] a vivere|
            siamo andati a vivere) {_GAP}{_IN} {_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:sono|vengo) (?:(?:originari[oa]|nativ[oa]) )?(?:di|da|dalla|dal) (?!quelli\b|quelle\b|
            corsa\b|fretta\b|turno\b|parte\b|nuovo\b|poco\b|sempre\b|casa\b|solo\b|sola\b|un\b|una\b|\d|anni\b|
            tempo\b|lavoro\b|destra\b|sinistra\b|recente\b|famiglia\b|ieri\b){_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"{_YES}\bsono (?:nat[oa]|cresciut[oa])(?: e cresciut[oa])? {_IN} (?!una\b|un\b|campagna\b|montagna\b){_V}",
    ),
    slot("job", ValueKind.WORK, rf"{_YES}\blavoro (?:(?:ora|adesso|da \w{{2,8}} anni) )?come {_V}"),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\b(?:sono|faccio) (?:(?:un|una|un'|il|la|lo|l'|anche|attualmente) ?){{0,2}}(?P<v>(?:{_JOBS})
            (?: (?:di|in|a|alle) [\w-]{{2,20}})?)\b""",
    ),
    slot("job", ValueKind.WORK, rf"\bdi (?:mestiere|lavoro|professione) (?:faccio|sono) (?:il |la |l'|lo )?{_V}"),
    slot("age", ValueKind.NUMBER, r"\bho (?:(?:ormai|gia|appena compiuto) )?(?P<v>\d{1,3}) anni\b(?! d[i'])"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sono|siamo|mangio|diventat[oa]) (?:(?:ora|ormai|diventat[oa]|anche|tutti|una?|strettamente|
            da [\w\s]{{2,12}}?) ){{0,2}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"""\bnon (?:mangio|bevo|mangiamo|beviamo|tollero|digerisco)(?: mai| piu| assolutamente)? (?!molto\b|
            tanto\b|niente\b|bene\b|quasi\b|a\b|da\b|per\b|abbastanza\b|in\b|fuori\b|spesso\b){_ALWAYS}""",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\bnon posso (?:mangiare|bere) {_ALWAYS}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"{_YES}\bsono (?:(?:molto|anche|fortemente) )?allergic[oa] (?:(?:al|alla|alle|ai|agli|allo) |all'|a ){_LIST}",
    ),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"{_YES}\bho (?:un'|una (?:forte |grave )?)allergia (?:(?:al|alla|alle|ai|agli|allo) |all'|a ){_LIST}",
    ),
    slot(
        "condition:",
        ValueKind.WORK,
        rf"""{_YES}\b(?:ho|soffro(?: spesso| da anni)? di|soffro d'|mi hanno diagnosticato) ?(?:(?:la|il|l'|una|un'|
            le|gli|spesso) ?)?(?P<v>{_CONDITIONS})\b""",
    ),
    slot("condition:", ValueKind.WORK, rf"{_YES}\bsono (?:(?:un po'|molto|anche) )?(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(key, ValueKind.CALLED, rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin}) si chiama (?P<v>[\w-]{{2,20}})")
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:ho|abbiamo|adottato|preso) (?:[\w'-]{{1,15}} ){{0,3}}?(?:{kin})
                (?: [\w'-]{{1,15}}){{0,4}}?,? (?:(?:che )?si chiama|di nome|chiamat[oa]) (?P<v>[\w-]{{2,20}})""",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:rispondimi|rispondi|parlami|parla|scrivimi) (?:(?:sempre|solo|per favore|
            d'ora in poi) ){{0,3}}in {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:preferisco|voglio|dammi(?: sempre)?|sempre|
            mi piacciono le) (?:le |delle )?risposte (?:piu |molto )?(?P<v>brevi|corte|concise|lunghe|dettagliate|
            semplici)\b""",
        values={"b": "short", "c": "short", "l": "long", "d": "detailed", "s": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:sii|rispondi|rispondimi) (?:sempre |piu )?(?P<v>breve|concis[oa]|brevemente|in breve|
            dettagliat[oa]|in dettaglio|in modo semplice)\b""",
        values={"b": "short", "c": "short", "in b": "short", "d": "detailed", "in d": "detailed", "in m": "simple"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:dammi|puoi darmi|diamoci|mi dia) (?:pure )?del (?P<v>tu|lei)\b",
        values={"t": "informal", "l": "formal"},
    ),
    slot(
        "emoji", ValueKind.CLOSED, r"\b(?P<v>senza|niente|non usare) (?:emoji|faccine)\b", values={"s": "no", "n": "no"}
    ),
)


ITALIAN = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:e (?:io|mi|sono|ho|non|cerco|vorrei|sto|lavoro|vivo|abito|il|la|i|le|ora|adesso|anche|mio|mia|
            studio|faccio|siamo|ci|amo|odio)|ma|pero|perche|quindi|da (?!\w{1,3}$)|dal|quando|che|se|dove|con|per|
            come|ora|adesso|attualmente|anche se|allora|puoi|mi|mentre|senza|ogni|dammi|fammi|dimmi|grazie|ormai|
            cosa|quale|quanto|consigli|idee|sono|piu|questo|questa|da sempre|per favore|insieme|vicino|presso|
            almeno|tranne|solo|a parte|la sera|la mattina|anche|di notte|quindi|nel|nella)\b|(?:\s[-–—]\s)"""
    ),
    no_value=word_set(
        """io tu lui lei noi voi loro mi ti ci si vi me te mio mia tuo tua suo sua nostro nostra questo questa
            quello quella niente nulla tutto tutti che chi come dove quando quanto quale cosa perché non mai un uno
            una il lo la i gli le qui qua lì là casa città campagna centro periferia affitto appartamento famiglia
            pace solo sola estero zona montagna mare paese provincia cerco voglio vorrei posso grazie aiuto idee
            ricetta consigli qualcosa qualcuno bene male molto molta più meno tanto tanta sempre ora oggi poco
            stanco stanca nuovo nuova curioso pronto pronta sicuro sicura così vero cena pranzo due tre lontano
            vicino mezzo tempo a di da in con per ma e o se allora felice contento contenta dimenticato arrivato
            arrivata indeciso indecisa madre padre mamma papà coppia residenza condominio serio colpa"""
    ),
    articles=pattern_of(
        r"""(?:(?:il|lo|la|i|gli|le|un|uno|una|dei|delle|degli|del|della|alle|ai|agli|alla|al|nessun[ao]?|ne) |(?:l|
            un|all|dell)')"""
    ),
    between=pattern_of(r" (?:e|ed|o|ne) "),
)
