"""Italian: slots, and statements about oneself. Pure data, written for Recollect."""

from recollect.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

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
_ANY_KIN = "|".join(_KIN.values())
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
    slot("location", ValueKind.PLACE, rf"\bnon (?:vivo|abito|viviamo|abitiamo) piu {_IN} {_V}", ends=True),
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
    slot(
        "employer",
        ValueKind.WORK,
        rf"""{_YES}\b(?:lavoro|lavoriamo) {_GAP}(?:per|presso|alla|alle|da|dalla|all') ?(?!anni\b|casa\b|sol[oa]\b|
            \d|un anno\b|poco\b|tempo\b|sempre\b|conto\b|me\b|mattina\b|notte\b|\w{{2,8}} (?:anni|mesi)\b|remoto\b|
            turni\b|quando\b|due\b|tre\b){_V}""",
    ),
    slot(
        "employer",
        ValueKind.NAME,
        rf"""{_YES}\blavoro (?:(?:ora|adesso|come [\w-]{{2,20}}) )?in (?P<v>[\w&.'-]{{2,20}})(?=\s*(?:$|
            [,.!]| da | come ))""",
    ),
    slot("employer", ValueKind.WORK, rf"\bnon lavoro piu (?:per|presso|alla|da|in) {_V}", ends=True),
    slot("job", ValueKind.WORK, rf"{_YES}\blavoro (?:(?:ora|adesso|da \w{{2,8}} anni) )?come {_V}"),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\b(?:sono|faccio) (?:(?:un|una|un'|il|la|lo|l'|anche|attualmente) ?){{0,2}}(?P<v>(?:{_JOBS})
            (?: (?:di|in|a|alle) [\w-]{{2,20}})?)\b""",
    ),
    slot("job", ValueKind.WORK, rf"\bdi (?:mestiere|lavoro|professione) (?:faccio|sono) (?:il |la |l'|lo )?{_V}"),
    slot(
        "field_of_study",
        ValueKind.WORK,
        rf"""{_YES}\bstudio (?!a\b|in\b|per\b|con\b|di\b|da\b|all|al\b|molto\b|tanto\b|legale\b|medico\b|tecnico\b|
            ogni\b|tutt){_V}""",
    ),
    slot("age", ValueKind.NUMBER, r"\bho (?:(?:ormai|gia|appena compiuto) )?(?P<v>\d{1,3}) anni\b(?! d[i'])"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sono|siamo|mangio|diventat[oa]) (?:(?:ora|ormai|diventat[oa]|anche|tutti|una?|strettamente|
            da [\w\s]{{2,12}}?) ){{0,2}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot("diet", ValueKind.CLOSED, rf"\bnon (?:sono|siamo) (?:piu )?{_DIET}\b", values=_DIETS, ends=True),
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
        "allergy:",
        ValueKind.THINGS,
        rf"\bnon sono (?:piu )?allergic[oa] (?:(?:al|alla|alle|ai|agli|allo) |all'|a ){_LIST}",
        ends=True,
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
    *(
        slot(key, ValueKind.NAME, rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin}),? (?P<v>[\w-]{{2,20}})(?![\w-]| ed? io\b)")
        for key, kin in _KIN.items()
    ),
    slot(
        "marital_status",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sono|siamo) (?:(?:ancora|felicemente|appena) )?(?P<v>sposat[oai]|divorziat[oa]|single|
            nubile|celibe|fidanzat[oai]|vedov[oa]|separat[oa])\b""",
        values={
            "spo": "married",
            "div": "divorced",
            "sin": "single",
            "nub": "single",
            "cel": "single",
            "fid": "engaged",
            "ved": "widowed",
            "sep": "separated",
        },
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

_LIFE = pattern_of(
    rf"""
    \b(?:tutti|gli amici|i miei amici|a casa|in famiglia) mi chiamano\b|\bsono (?:la|il) \w{{2,20}}(?=,| e |$)
    |\b(?:sono|siamo) (?:\w{{1,12}} )?(?:(?:{_JOBS})|sicilian[oa]|roman[oa]|napoletan[oa]|milanes[ei]|sard[oa]|
    pugliese|venet[oa]|toscan[oa]|calabrese|piemontese|lombard[oa]|ligure|friulan[oa]|italian[oa]|
    figli[oa] unic[oa]|fan|tifos[oa]|at[eo][oa]|cattolic[oa]|credente|buddista|mamma|papa|nonn[oa]|zi[oa]|
    introvers[oa]|timid[oa]|mancin[oa]|incinta|volontari[oa]|iscritt[oa]|appassionat[oa]|contrari[oa]|
    innamorat[oa]|
    intollerante|stat[oa] (?:operat|licenziat|assunt|bocciat|adottat|promoss|lasciat)[oa]|andat[oa] in pensione|
    in pensione|in cassa|in affitto|laureat[oa]|abbonat[oa])\b
    |\b(?:faccio|facciamo) (?:\w{{1,12}} )?(?:(?:il|la|lo|l'|le|i) ?(?:{_JOBS})|(?:sport|palestra|nuoto|yoga|
    pilates|calcetto|danza|karate|judo|trekking|volontariato|colazione|la spesa|il pane|i turni|turni|sempre|ogni|
    spesso|la dieta|la pendolare|il pendolare|smart working))\b
    |\b(?:non )?(?:soffro|mangio|mangiamo|bevo|beviamo|fumo|dormo|mi sveglio|mi alzo|vado|andiamo|corro|nuoto|
    gioco|
    giochiamo|leggo|ascolto|guardo|suono|canto|ballo|dipingo|disegno|cucino|cuciniamo|colleziono|coltivo|allevo|
    curo|guadagno|prendo|pago|paghiamo|risparmio|affitto|guido|uso|porto|tifo|voto|prego|medito|pratico|alleno|
    mi alleno|studio|imparo|frequento|insegno|gestisco|dirigo|vendo|viaggio|pranzo|pranziamo|ceno|ceniamo|credo|
    sopporto|tollero|odio|adoro|amo|detesto|parlo|scrivo|cammino|pedalo|scio) (?!di (?:questo|quello|te)\b|
    il (?:codice|testo|file|messaggio)|che\b|come\b|se\b|perche\b|cosa\b|tutto\b|niente\b|capire\b)
    (?:\w{{1,16}} ){{0,4}}?(?:sempre|ogni|tutti i|tutte le|mai|spesso|solo|soltanto|da (?:anni|sempre|
    \w{{2,8}} anni|un|poco|due|tre)|il (?:lunedi|martedi|mercoledi|giovedi|venerdi|sabato|mattino|weekend)|
    la (?:domenica|mattina|sera|notte|batteria|chitarra)|al giorno|a settimana|alle \d|di (?:reflusso|mal|
    insonnia|
    ansia|emicrani\w|notte)|in (?:palestra|bici|treno|macchina|metro|piscina|affitto|chiesa)|a (?:piedi|lavoro|
    messa|calcio|tennis|scacchi|padel)|i (?:centri|gialli|romanzi|libri|film|gatti|cani|funghi)|gli|le|un mutuo|
    l'affitto|\d|dai|dalle|toro|juve|inter|milan|roma|napoli|lazio|nell|nel|nella|in dio|pesce|carne|verdure|
    latticini|caffe|alcol|il (?:mutuo|piano|violino|basso|calcio|caffe|pesce|corriandolo|coriandolo|giapponese|
    tedesco|russo|cinese|francese|freddo|caldo))\b
    |\b(?:non )?(?:soffro|mangio|mangiamo|bevo|beviamo|dormo|mi sveglio|mi alzo|ci alziamo|corro|nuoto|leggo|
    ascolto|suono|canto|ballo|dipingo|disegno|cucino|coltivo|allevo|guadagno|guadagniamo|paghiamo|risparmio|
    risparmiamo|affittiamo|guido|tifo|prego|medito|insegno|viaggio|ceno|ceniamo|pranziamo|credo|sopporto|tollero|
    odio|adoro|amo|detesto|cammino|pedalo|scio|imparo|frequento|gestisco|colleziono|pratico|mi alleno|fumo|
    digerisco|possiedo|convivo|conviviamo|fatturo|dirigo|curo|vinco|mi piacciono|mi piace (?!la tua|questa|il tuo|
    questo|come|l'idea|molto la|se)) (?!di (?:questo|quello|te|aver|essere)\b|che\b|sia\b|se\b|tutto\b|niente\b|
    questo\b|questa\b|nel testo|il testo|il codice)\w
    |\b(?:ho|abbiamo) (?!(?:una?|un'altra|questo|questa|il seguente|bisogno|fame|sete|sonno|fretta|freddo|caldo|
    paura che|capito|letto|visto|provato|
    fatto (?:questo|una domanda)|ricevuto (?:questo|una mail)|scritto (?:questo|il|un)|trovato (?:questo|
    un errore)|
    un (?:problema|dubbio|errore|testo|file|codice|compito|progetto da)|deciso di scrivere|notato|sentito (?:dire|
    che)|pensato|voglia|ragione|sbagliato|dimenticato di|chiesto|detto|usato|messo)\b)\w|\b(?:ho|abbiamo) (?:una?|
    un') ?(?!domanda|altra|dubbio|problema|errore|testo|idea|file|codice|compito|lista|piccola domanda|altro)
    \w{{3}}
    |\b(?:sono|siamo) (?!(?:qui|qua|pronto|pronta|curios|sicur|d'accordo|confus|content|felice|stanc|annoiat|
    in dubbio|indecis|interessat|alla ricerca|in cerca|un po' confus|riuscit|tornat|arrivat|io|loro|questi|queste|
    i|
    le|gli|\d|molti|tante|tanti|tutti|consapevol|convint|dispost|bloccat|le|stati|presenti)\w{{0,3}}\b)\w{{3}}
    |\b(?:sto|stiamo) (?:imparando|studiando|scrivendo la|cercando (?:casa|lavoro)|aspettando|facendo (?:la dieta|
    un corso|il dottorato)|frequentando|preparando (?:l'esame|la tesi|il concorso)|ristrutturando|divorziando|
    risparmiando|seguendo una dieta|prendendo la patente)\b
    |\b(?:ho|abbiamo|avevo) (?:\w{{1,12}} ){{0,3}}?(?:fratelli|sorelle|figli|figlie|gemelli|cani|gatti|cane|gatto|
    nipoti|orto|giardino|officina|negozio|bar|ristorante|azienda|ditta|studio|bottega|mutuo|debito|debiti|
    prestito|
    macchina|moto|bici|casa|appartamento|pressione|reflusso|emicrania|ansia|paura|vertigini|colloquio|esame|
    concorso|matrimonio|operazione|tatuaggi|tatuaggio|ragazza|ragazzo|patente|laurea|vissuto|lavorato|studiato|
    giocato|suonato|fatto|perso|comprato|venduto|preso|adottato|aperto|iniziato|smesso|vinto|corso|superato|
    passato|
    cambiato|lasciato|partorito|avuto|ereditato|pubblicato) (?!un (?:errore|dubbio)|questo|codice)
    |\b(?:mi (?:hanno|ha) (?:tolt|vietat|prescritt|licenziat|diagnosticat|operat|assunt|bocciat|lasciat|rubat|
    regalat|promoss)[oa]|
    mi e (?:morto|morta|nato|nata)|ci e (?:nato|nata|morto)|e (?:morto|morta|nato|nata) (?:il|la|mio|mia)|
    mi piacciono|mi fa(?:nno)? (?:paura|schifo|male)|mi (?:alleno|laureo|diplomo|iscrivo|opero|trasferisco|sposo|
    occupo|intendo|vesto)|mi sono (?:\w{{1,10}} )?(?:rott|fatt|comprat|dat|mess|iscritt)[oa])\b
    |\b(?:ogni|tutte le|tutti i) (?:\w{{3,12}}) (?!che\b)(?:\w{{1,12}} ){{0,2}}?(?:pranzo|ceno|vado|andiamo|
    mangio|
    faccio|facciamo|bevo|corro|prendo|gioco|mi|leggo|cucino|esco|guardo|lavoro|dormo|chiamo|pranziamo|ceniamo)\b
    |\b(?:a casa|da noi|in famiglia|nel mio (?:ufficio|lavoro)|nella mia (?:azienda|ditta)),? (?:mangiamo|siamo|
    facciamo|parliamo|abbiamo|si|ceniamo|non)\b|\b(?:da (?:ragazz[oa]|bambin[oa]|giovane|piccol[oa])|anni fa|
    in passato|una volta|l'anno scorso|il mese scorso) (?:\w{{1,12}} ){{0,2}}?(?:suonavo|giocavo|facevo|ero|
    vivevo|
    abitavo|lavoravo|studiavo|andavo|avevo|ho|sono|fumavo|ballavo|nuotavo|cantavo)\b
    |\b(?:da ragazz[oa]|da bambin[oa]|da giovane|da piccol[oa]) \w|\b(?:suonavo|giocavo|facevo|vivevo|abitavo|
    lavoravo|andavo a|fumavo|ballavo|nuotavo) (?!sempre notare)\w|\b(?:voglio|vorremmo|devo|pensiamo di|penso di|
    ho intenzione di|abbiamo deciso di|ho deciso di|andro a|andremo a|faro|faremo|a (?:gennaio|febbraio|marzo|
    aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre) (?:mi|ci|vado|andiamo|parto|partiamo|
    inizio|nasce|compio))(?: (?:aprire|sposarmi|laurearmi|trasferirmi|trasferirci|comprare (?:casa|una|un)|
    cambiare (?:lavoro|casa)|smettere di|prendere (?:la patente|un cane|un gatto)|iscrivermi|imparare|dimagrire|
    operarmi|adottare|andare in pensione|fare (?:il|la|un) (?:dottorato|erasmus|maratona|corso)|il|la|un|una|a|
    in))
    |\baspett(?:o|iamo) (?:un bambino|una bambina|due gemelli|il (?:primo|secondo))\b
    |{_MY} (?:[\w-]{{2,15}} )?(?:{_ANY_KIN}|genitori|nonn[aoi]|suocer[aoi]|zi[aoi]|cugin[aoi]|nipot[ei]|
    vicin[aoi]|
    famiglia|azienda|ditta|ufficio|squadra|stipendio|affitto|casa|macchina|matrimonio|mutuo|compleanno|sogno|
    lingua madre|colore|film|libro|piatto|cantante|gruppo)(?: preferit[oa])?(?: [\w-]{{2,20}})? (?:e|sono|ha|
    hanno|
    vive|vivono|lavora|odia|adora|ama|compie|era|viene|va|sta|fa|costa|si|parla)\b
"""
)

ITALIAN = ForeignLanguage(
    slots=_SLOTS,
    statement=_LIFE,
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
