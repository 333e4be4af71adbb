"""German: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object, none of which denies or weakens it.
_GAP = r"""(?:(?!heute\b|nicht\b|nie\b|niemals\b|kein|ohne\b|selten\b|kaum\b|fast\b|bald\b|manchmal\b|mal\b)
    [\w'-]{1,20} ){0,4}?"""
_V = r"(?P<v>[^\s,.;:!?()\n][^,.;:!?()\n]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n][^.;:!?()\n]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = (
    r"(?![^,.;:!?\n]{0,60}\b(?:abends|morgens|mittags|nachts|nach|vor|heute|unter der woche|tagsuber|am wochenende)\b)"
    + _LIST
)
_MY = r"(?:mein|unser)(?:e|em|en|er|es)?"
_KIN = {
    "partner": any_of("mann ehemann frau ehefrau partner partnerin lebensgefährte lebensgefährtin verlobte verlobter"),
    "son:": "sohn|junge",
    "daughter:": "tochter",
    "child:": "kind|baby|nachwuchs",
    "mother": "mutter|mama|mutti",
    "father": "vater|papa|vati",
    "sister:": "schwester",
    "brother:": "bruder",
    "boss": "chef|chefin|vorgesetzter|vorgesetzte",
    "dog:": any_of("hund hündin welpe hündchen"),
    "cat:": any_of("katze kater kätzchen"),
    "horse:": any_of("pferd pony stute"),
    "rabbit:": "kaninchen|hase",
}
_JOBS = rf"""[\w-]{{0,24}}(?:{
    any_of(
        '''lehrer pfleger techniker ingenieur fahrer entwickler verkäufer berater händler meister mechaniker schlosser
        elektriker bäcker koch metzger friseur tischler schreiner maler gärtner landwirt bauer anwalt notar arzt richter
        apotheker therapeut erzieher sozialarbeiter designer architekt grafiker fotograf journalist autor musiker
        schauspieler student azubi rentner beamter polizist soldat pilot buchhalter kaufmann kauffrau sekretär manager
        informatiker programmierer übersetzer dolmetscher wissenschaftler forscher physiker chemiker biologe psychologe
        optiker handwerker maurer dachdecker klempner installateur kellner barkeeper florist bibliothekar hausmeister
        krankenschwester hebamme ärztin köchin anwältin bäuerin beamtin rentnerin hausfrau hausmann professor dozent
        trainer makler steuerberater sachbearbeiter angestellter zahnarzt tierarzt feuerwehrmann'''
    )
})(?:in|innen)?"""
_DIETS = {"vega": "vegan", "vege": "vegetarian", "peske": "pescatarian", "pesce": "pescatarian", "flexi": "flexitarian"}
_DIET = (
    r"(?P<v>veganer(?:in)?|vegan|vegetarier(?:in)?|vegetarisch|vegetari\w{1,4}|pes[ck]etari\w{2,6}|flexitari\w{2,6})"
)
_LANGUAGES = {
    "deutsch": "German", "englisch": "English", "franzosisch": "French", "spanisch": "Spanish", "turkisch": "Turkish",
    "italienisch": "Italian", "russisch": "Russian", "portugiesisch": "Portuguese", "arabisch": "Arabic",
    "niederlandisch": "Dutch", "polnisch": "Polish", "chinesisch": "Chinese", "japanisch": "Japanese",
    "ukrainisch": "Ukrainian",
}  # fmt: skip
_LANGUAGE = rf"(?P<v>{any_of(' '.join(_LANGUAGES))})"
_CONDITIONS = any_of(
    """diabetes asthma migräne zöliakie epilepsie adhs ads autismus depressionen depression bluthochdruck rheuma
        arthrose neurodermitis schuppenflechte heuschnupfen hashimoto endometriose tinnitus skoliose gicht reizdarm
        morbus_crohn multiple_sklerose höhenangst flugangst schlafapnoe eine_laktoseintoleranz laktoseintoleranz
        fruktoseintoleranz histaminintoleranz glutenunverträglichkeit laktoseunverträglichkeit
        einen_bandscheibenvorfall bandscheibenvorfall"""
)
_ADJECTIVES = any_of(
    """diabetiker diabetikerin laktoseintolerant glutenintolerant farbenblind schwerhörig kurzsichtig weitsichtig
        blind gehörlos legastheniker legasthenikerin asthmatiker asthmatikerin epileptiker epileptikerin linkshänder
        linkshänderin"""
)
_PLEASE = r"""(?:(?:mir|mit mir|bitte|immer|ab jetzt|ab sofort|nur|stets|in zukunft|kunftig|zukunftig|doch|ruhig|
    einfach) ){0,5}"""
_LATER = r"(?:$|[,.!)]| (?:bitte|ab jetzt|ab sofort|mit mir|und|in zukunft|kunftig|immer)\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"\bich hei(?:ss|ß)e? (?:(?:ubrigens|ja|eigentlich) )?{_V}"),
    slot("name", ValueKind.CALLED, rf"\bmein (?:voller |richtiger |ganzer )?name (?:ist|lautet) {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        r"""\bich bin (?:ubrigens )?(?:die|der) (?!meinung\b|ansicht\b|grund\b|chef\w{0,2}\b|erste\b|letzte\b|
            beste\b|neue\b|typ\b|kunde\b|besitzer\w{0,2}\b|einzige\b)(?P<v>[\w-]{2,20})(?=\s*(?:$|[,.!]| und ))""",
    ),
    slot(
        "name",
        ValueKind.NAME,
        rf"""^(?:hi|hallo|hey|moin|servus|guten tag|gruss dich|na),? (?:zusammen,? )?ich bin (?!{_JOBS}\b)
            (?P<v>[\w-]{{2,20}})"""
        r"(?=\s*(?:$|[,.!]| und ))",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        rf"""\b(?:nenn|nennt|nenne|nennen sie) mich (?:bitte |einfach |ruhig |immer |von jetzt an |ab jetzt |
            ab sofort ){{0,3}}{_V}""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        rf"\b(?:alle|freunde|meine freunde|die meisten|sie alle) (?:nennen|rufen) mich (?:nur |einfach )?{_V}",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"\bkannst mich (?:ruhig |gern |gerne |einfach ){0,2}(?P<v>[\w-]{2,20}) nennen\b",
    ),
    slot("location", ValueKind.PLACE, rf"\b(?:wohne?|lebe?)(?: ich)? {_GAP}(?:in|auf) {_V}"),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""\b(?:wohne?n?|lebe?n?)(?: ich| wir)? {_GAP}in de[rnm] (?P<v>schweiz|turkei|ukraine|slowakei|usa|
            niederlanden)\b""",
    ),
    slot("location", ValueKind.PLACE, rf"\b(?:wir (?:wohnen|leben)|(?:wohnen|leben) wir) {_GAP}(?:in|auf) {_V}"),
    slot("location", ValueKind.PLACE, rf"\b(?:ich|wir) {_GAP}(?:in|auf) (?P<v>[\w\s'-]{{2,40}}?) (?:wohn|leb)en?\b"),
    slot(
        "location",
        ValueKind.PLACE,
        rf"\b(?:bin|sind) {_GAP}(?:nach|in die) (?P<v>[\w\s'-]{{2,40}}?) (?:um|hin)?gezogen\b",
    ),
    slot("location", ValueKind.PLACE, rf"\b(?:mein )?wohnort(?: ist|:) {_V}"),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""\b(?:ich )?(?:komme?|stamme?)(?: ich)? (?:(?:ursprunglich|eigentlich|ja|
            selbst) ){{0,2}}aus (?:dem |der )?(?!staunen\b|bett\b|dusche\b|buro\b|urlaub\b|keller\b){_V}""",
    ),
    slot("origin", ValueKind.PLACE, rf"\bich bin (?:ursprunglich |geburtig )?aus {_V}"),
    slot("origin", ValueKind.PLACE, rf"\bbin (?:ich )?{_GAP}in (?P<v>[\w\s'-]{{2,40}}?) (?:geboren|aufgewachsen)\b"),
    slot("job", ValueKind.WORK, rf"\b(?:arbeite?|jobbe)(?: ich)? {_GAP}als {_V}"),
    slot(
        "job",
        ValueKind.WORK,
        rf"""\b(?:ich bin|bin ich|^bin) (?:(?:von beruf|jetzt|selbst|seit [\w\s]{{2,16}}?|gelernter?|
            ausgebildete[rn]?|leider|ja|"""
        rf"\d{{1,3}} (?:jahre alt )?und) ){{0,3}}(?:eine? )?(?P<v>{_JOBS})\b(?! von)",
    ),
    slot("job", ValueKind.WORK, rf"\bmein beruf(?: ist|:) {_V}"),
    slot(
        "age",
        ValueKind.NUMBER,
        r"""\b(?:ich bin|bin ich|^bin) (?:(?:jetzt|schon|gerade|erst) )?(?P<v>\d{1,3})
            (?: jahre?)?(?: alt| jung)?(?=\s*(?:$|[,.!]| und ))""",
    ),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"\b(?:ich|wir|und|^) ?(?:bin|sind|lebe|leben|ernahre mich|ernahren uns|esse|essen)(?: ich| wir)? "
        rf"""(?:(?:jetzt|seit [\w\s]{{2,20}}?|schon|ubrigens|strikt|streng|komplett|rein|uberzeugte[r]?|eine?|
            leider|auch|"""
        rf"inzwischen|mittlerweile|halt|ja|nur|immer|jahren|monaten|kurzem) ){{0,4}}{_DIET}\b",
        values=_DIETS,
    ),
    slot(
        "diet", ValueKind.CLOSED, rf"\b(?:da|weil|dass) ich (?:\w{{2,12}} )?{_DIET} (?:bin|lebe|esse)\b", values=_DIETS
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"\b(?:ess|esse|trinke?|vertrage?)(?: ich)? {_GAP}(?:kein(?:e|en|erlei)?|nie) {_ALWAYS}",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\bwir (?:essen|trinken|vertragen) {_GAP}(?:kein(?:e|en|erlei)?|nie) {_ALWAYS}"),
    slot(
        "avoid:",
        ValueKind.THINGS,
        r"\b(?:darf|kann|soll)(?: ich)? (?:\w{1,12} )?kein(?:e|en)? (?P<v>[\w\s,-]{2,60}?) (?:essen|trinken)\b",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\bverzichte?(?: ich)? (?:\w{{1,12}} )?auf {_ALWAYS}"),
    slot("allergy:", ValueKind.THINGS, rf"\bbin(?: ich)? {_GAP}gegen (?P<v>[^.;:!?()\n]{{2,60}}?) allergisch\b"),
    slot("allergy:", ValueKind.THINGS, rf"\b(?:bin|reagiere)(?: ich)? {_GAP}allergisch (?:gegen|auf) {_LIST}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"\bhabe?(?: ich)? (?:(?:leider|auch|ja|seit \w{{2,10}}) )?(?:eine? )?(?:(?:starke|schwere|leichte) )?"
        rf"(?:allergie|allergien) (?:gegen|auf) {_LIST}",
    ),
    slot(
        "allergy:",
        ValueKind.THINGS,
        r"\bhabe?(?: ich)? (?:(?:leider|auch|ja) )?(?:(?:eine?|ne) )?(?:(?:starke|schwere|leichte) )?"
        r"(?P<v>(?!lebensmittel|kontakt|kreuz)[\w]{3,20}?)-?allergie\b",
    ),
    slot("allergy:", ValueKind.THINGS, rf"\bmeine allergien?(?: sind| ist|:) {_LIST}"),
    slot("condition:", ValueKind.WORK, rf"\b(?:habe?|leide)(?: ich)? {_GAP}(?:an |unter )?(?P<v>{_CONDITIONS})\b"),
    slot("condition:", ValueKind.WORK, rf"\b(?:ich bin|bin ich|^bin) {_GAP}(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b{_MY} (?:[\w-]{{2,15}} ){{0,2}}?(?:{kin})s?,? (?:heisst|heißt|namens|
                hort auf den namen) (?P<v>[\w-]{{2,20}})""",
        )
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:habe?n?|holen?|adoptiert|bekommen)(?: ich| wir)? (?:[\w-]{{1,15}} ){{0,3}}?(?:{kin})
                (?:[^.!?\n]{{0,30}}?, | )"""
            r"(?:(?:er|sie|es|der|die|das) (?:heisst|heißt)|namens|(?:mit|auf den) namen) (?P<v>[\w-]{2,20})",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"\b(?:antworte?|antworten sie|sprich|rede|kommuniziere?) {_PLEASE}(?:auf|in) {_LANGUAGE}(?={_LATER})",
        values=_LANGUAGES,
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"\b(?:schreibe?|immer|antworten) (?:mir )?(?:bitte )?(?:immer|nur|stets|bitte)? ?auf {_LANGUAGE}(?={_LATER})",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        rf"\b(?:antworte?|antworten sie|fass dich|halte? (?:dich|deine antworten)|schreibe?|erklare?) {_PLEASE}(?:so )?"
        rf"(?P<v>kurz|knapp|ausfuhrlich|detailliert|einfach)\w{{0,3}}(?={_LATER}| und (?:knapp|einfach))",
        values={"kurz": "short", "knapp": "short", "ausf": "detailed", "det": "detailed", "ein": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:(?:ich )?(?:mag|will|bevorzuge|mochte)|bitte|immer|gib mir)
            (?: immer| nur| lieber| bitte)? (?P<v>kurze|knappe|ausfuhrliche|lange|einfache) antworten\b""",
        values={"kurz": "short", "knapp": "short", "ausf": "detailed", "lang": "long", "ein": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"(?:^|, )(?P<v>kurze|knappe|ausfuhrliche) antworten,? bitte\b",
        values={"k": "short", "a": "detailed"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:kannst|konnen|darfst) mich (?:\w{2,8} ){0,2}?(?P<v>duzen|siezen)\b",
        values={"d": "informal", "s": "formal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:bitte )?(?P<v>duz|sieze?) mich\b",
        values={"d": "informal", "s": "formal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\bsag (?:bitte |einfach |ruhig )?(?P<v>du|sie) zu mir\b",
        values={"d": "informal", "s": "formal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:antworte?|rede?|sprich|schreibe?) (?:\w{2,8} ){0,4}?per (?P<v>du|sie)\b",
        values={"d": "informal", "s": "formal"},
    ),
    slot(
        "emoji",
        ValueKind.CLOSED,
        r"\b(?P<v>keine|ohne) (?:smileys|emojis?)\b(?! (?:in|im) )",
        values={"k": "no", "o": "no"},
    ),
)
_NO_VALUE = word_set(
    """ich du er sie es wir ihr mich mir dich dir uns euch ihn ihm ihnen mein meine meinem meinen meiner unser
        unsere dein deine was wer wie wo wann warum welche welcher welches das dies diese dieser nicht nichts kein
        keine etwas alles viel mehr sehr so zu zuhause hause allein ruhe frieden angst einer einem einen eine ein
        der dem den die des hier dort da wohnung haus suche brauche möchte will würde kann muss habe hab bin gerne
        gern danke bitte hilfe gerade heute morgen jetzt mal noch nur schon auch tipps ideen hast kannst gibt kurz
        mir_bitte zwei drei vier ende letzter rente elternzeit urlaub teilzeit vollzeit stadt land dorf kind müde
        krank hungrig erste erster abends morgens mittags fleischlos kaum fast rein ja nein ok"""
)


GERMAN = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:und (?:ich|wir|hab|habe|bin|suche?|brauche?|mochte|will|wurde|muss|kann|such|mag|arbeite?|lebe?|
            wohne?|trinke?|esse?|meine?|das|die|der|es|sie|er|kenne?n?|jetzt|nun|seit|werde|komme?|studiere?|hatte|
            war|gehe?|fahre?|mir|mich|heisse?|heiße)|aber|weil|denn|dass|wenn|wo|obwohl|seit|schon|gerade|jetzt|mit|
            ohne|fur|zum|zur|bis|sondern|also|deshalb|daher|als|um|vor|ubrigens|derzeit|momentan|bitte|kannst|
            konntest|mehr|geboren|aufgewachsen|gezogen|umgezogen|wohne|lebe|und suche|schreib|gib|hilf|was|wie|
            welche[rs]?|hast|gibt|ist|war|da|damit|allerdings|leider|eigentlich|lieber|danke|bei|oder so|usw|
            tagsuber|abends|nennen|in der \w{2,30}$)\b|[-–—]\s|$"""
    ),
    no_value=_NO_VALUE,
    articles=pattern_of(r"(?:die|der|das|den|dem|eine?n?|alle|allen|jegliche[rns]?|auf|gegen) "),
    between=pattern_of(r" (?:und|oder|sowie|noch) "),
)
