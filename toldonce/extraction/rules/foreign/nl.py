"""Dutch: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object, none of which denies or weakens it.
_GAP = r"(?:(?!niet\b|nooit\b|geen\b|zonder\b|bijna\b|binnenkort\b|soms\b)[\w'-]{1,20} ){0,4}?"
_V = r"(?P<v>[^\s,.;:!?()\n][^,.;:!?()\n]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n][^.;:!?()\n]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = r"(?![^,.;:!?\n]{0,60}\b(?:avonds|ochtends|middags|na|voor|vandaag|doordeweeks|overdag)\b)" + _LIST
_MY = r"(?:mijn|m'n|mn|ons|onze)"
_KIN = {
    "partner": "man|echtgenoot|vrouw|echtgenote|vriend|vriendin|partner|verloofde",
    "son:": "zoon|zoontje",
    "daughter:": "dochter|dochtertje",
    "child:": "kind|kindje|baby",
    "mother": "moeder|mama",
    "father": "vader|papa",
    "sister:": "zus|zusje",
    "brother:": "broer|broertje",
    "boss": "baas|leidinggevende|chef|manager",
    "dog:": "hond|hondje|pup|puppy|teef",
    "cat:": "kat|poes|kater|kitten|poesje",
    "horse:": "paard|pony|merrie",
    "rabbit:": "konijn|konijntje",
    "parrot:": "papegaai",
}
_JOBS = rf"""[\w-]{{0,20}}(?:{
    any_of(
        '''
        leraar lerares docent docente juf meester verpleegkundige verpleger verpleegster arts huisarts
        dokter advocaat advocate ingenieur programmeur ontwikkelaar developer informaticus ontwerper
        ontwerpster designer kok kokkin bakker slager kapper kapster boekhouder accountant verkoper
        verkoopster kassière ober serveerster barista chauffeur monteur automonteur elektricien loodgieter
        metselaar timmerman schilder boer boerin tuinman hovenier architect fotograaf fotografe journalist
        schrijver schrijfster muzikant acteur actrice student studente gepensioneerde agent politieagent
        militair brandweerman piloot secretaresse vroedvrouw verloskundige fysiotherapeut tandarts
        dierenarts apotheker psycholoog psychologe logopedist opvoeder vertaler vertaalster tolk onderzoeker
        onderzoekster bioloog chemicus bibliothecaris bloemist schoonheidsspecialiste makelaar bankier
        consultant adviseur technicus arbeider postbode zelfstandige freelancer zzp'er ambtenaar oppas
        conciërge koerier notaris rechter trainer coach huisvrouw huisman thuiszorgmedewerker medewerker
        manager directeur lasser visser gids stewardess ondernemer magazijnmedewerker
        '''
    )
})"""
_DIETS = {"vegetar": "vegetarian", "vega": "vegan", "pesc": "pescatarian", "flexi": "flexitarian"}
_DIETS = {"vega(": "vegetarian", **_DIETS}
_DIET = (
    r"(?P<v>vegetari(?:er|sch|ers)|vegan(?:ist|istisch|isten)?|veganistisch|pescotari(?:er|sch)|flexitari(?:er|sch))"
)
_LANGUAGES = {
    "neder": "Dutch", "vlaams": "Dutch", "engels": "English", "frans": "French", "duits": "German", "spaans": "Spanish",
    "italia": "Italian", "turks": "Turkish", "arab": "Arabic", "pools": "Polish", "fries": "Frisian",
    "port": "Portuguese",
}  # fmt: skip
_LANGUAGE = r"(?P<v>nederlands|vlaams|engels|frans|duits|spaans|italiaans|turks|arabisch|pools|fries|portugees)"
_CONDITIONS = any_of(
    """diabetes suikerziekte astma migraine coeliakie epilepsie adhd add autisme depressie reuma artrose eczeem
        psoriasis hooikoorts hashimoto endometriose tinnitus scoliose jicht crohn de_ziekte_van_crohn hoogtevrees
        vliegangst slaapapneu slapeloosheid lactose-intolerantie lactoseintolerantie glutenintolerantie een_hernia
        hernia hoge_bloeddruk lage_bloeddruk hypothyreoïdie dyslexie pcos pds bloedarmoede angststoornis"""
)
_ADJECTIVES = any_of(
    """diabeet diabetisch lactose-intolerant lactoseintolerant glutenintolerant kleurenblind slechthorend doof
        blind slechtziend bijziend linkshandig dyslectisch autistisch astmatisch hoogsensitief"""
)
_LATER = r"(?=$|[,.!)]| (?:alsjeblieft|aub|svp|graag|altijd|voortaan|vanaf|en|met mij)\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"\bik heet {_V}"),
    slot("name", ValueKind.CALLED, rf"\b(?:mijn|m'n) (?:volledige |echte )?naam is {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        rf"""^(?:hoi|hallo|hey|hi|dag|goedemorgen|goedemiddag|goedenavond),? (?:allemaal,? )?(?:ik ben|
            met) (?!{_JOBS}\b)(?P<v>[\w-]{{2,20}})(?=\s*(?:$|[,.!]| en ))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"\b(?:noem|noemt) (?:me|mij) (?:maar |gewoon |alsjeblieft ){0,2}(?P<v>[\w-]{2,20})\b",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:iedereen|vrienden|mijn vrienden|ze|thuis) noem(?:t|en) (?:ze )?(?:me|
            mij) (?:gewoon |altijd )?(?P<v>[\w-]{2,20})\b""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""\b(?:ik woon|woon ik|^woon|ik leef|wij wonen|we wonen|wonen we|wonen wij|
            ben ik komen wonen) {_GAP}(?:in|op|te) {_V}""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        r"\b(?:ik|we|wij) (?:[\w'-]{1,16} ){0,4}?in (?P<v>[\w\s'-]{2,40}?) (?:woon|wonen)\b",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"\b(?:ben|zijn) {_GAP}(?:naar|in) (?P<v>[\w\s'-]{{2,40}}?) (?:verhuisd|gaan wonen|komen wonen)\b",
    ),
    slot("location", ValueKind.PLACE, rf"\b(?:ben|zijn) {_GAP}verhuisd naar {_V}"),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""\b(?:ik )?kom(?: ik)? (?:(?:oorspronkelijk|eigenlijk|zelf) ){{0,2}}uit (?!een\b|bed\b|de kast|
            het niets){_V}""",
    ),
    slot("origin", ValueKind.PLACE, rf"\bben (?:ik )?{_GAP}(?:geboren(?: en getogen)?|opgegroeid) in {_V}"),
    slot("origin", ValueKind.PLACE, rf"\bben (?:ik )?{_GAP}in (?P<v>[\w\s'-]{{2,40}}?) (?:geboren|opgegroeid)\b"),
    slot("job", ValueKind.WORK, rf"\b(?:ik werk|werk ik|^werk) {_GAP}als {_V}"),
    slot(
        "job",
        ValueKind.WORK,
        rf"""\b(?:ik ben|ben ik|^ben) (?:(?:een|nu|zelf|ook|al \w{{2,8}} jaar|van beroep|sinds \w{{2,10}}|
            gediplomeerd|zelfstandig) ){{0,3}}(?P<v>{_JOBS})\b(?! van| af\b)""",
    ),
    slot(
        "age",
        ValueKind.NUMBER,
        r"\b(?:ik ben|ben ik|^ben) (?:(?:nu|al|net) )?(?P<v>\d{1,3})(?: jaar)?(?: oud| jong)?(?=\s*(?:$|[,.!]| en ))",
    ),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""\b(?:ik|we|wij|en|^) ?(?:ben|zijn|eet|eten|leef|leven)(?: ik| we)? (?:(?:nu|al [\w\s]{{2,12}}?|ook|
            strikt|sinds [\w\s]{{2,16}}?|volledig|een|helaas|overtuigd|allebei) ){{0,3}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"\b(?:eet|drink|verdraag|rook)(?: ik)? (?:[\w-]{{1,12}} )?(?:geen|nooit) {_ALWAYS}",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\b(?:we|wij) (?:eten|drinken) (?:[\w-]{{1,12}} )?(?:geen|nooit) {_ALWAYS}"),
    slot(
        "avoid:",
        ValueKind.THINGS,
        r"\b(?:mag|kan)(?: ik)? (?:[\w-]{1,12} )?geen (?P<v>[\w\s,-]{2,60}?) (?:eten|drinken|hebben)\b",
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        r"\bkan(?: ik)? niet tegen (?P<v>lactose|gluten|melk|zuivel|alcohol|koffie|noten|ui|uien|knoflook|soja)\b",
    ),
    slot("allergy:", ValueKind.THINGS, rf"\bben(?: ik)? {_GAP}allergisch voor {_ALWAYS}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"\bheb(?: ik)? (?:[\w-]{{1,12}} )?(?:een )?(?:(?:zware|ernstige|lichte) )?allergie voor {_LIST}",
    ),
    slot(
        "allergy:",
        ValueKind.THINGS,
        r"""\bheb(?: ik)? (?:(?:ook|een|een zware|een ernstige) )?(?P<v>(?!voedsel|kruis|contact)[\w]{3,20}?)
            -?allergie\b""",
    ),
    slot("condition:", ValueKind.WORK, rf"\b(?:heb|lijd)(?: ik)? {_GAP}(?:aan )?(?P<v>{_CONDITIONS})\b"),
    slot("condition:", ValueKind.WORK, rf"\b(?:ik ben|ben ik|^ben) {_GAP}(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(key, ValueKind.CALLED, rf"\b{_MY} (?:[\w-]{{2,15}} ){{0,2}}?(?:{kin}) heet (?P<v>[\w-]{{2,20}})")
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:heb|hebben|geadopteerd|gekregen)(?: ik| we)? (?:[\w'-]{{1,15}} ){{0,3}}?(?:{kin})
                (?: [\w'-]{{1,15}}){{0,4}}?,? (?:(?:hij|ze|zij|die|dat) heet|genaamd|
                met de naam) (?P<v>[\w-]{{2,20}})""",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:antwoord|praat|spreek|schrijf)(?: (?:me|mij|met mij|altijd|graag|alsjeblieft|voortaan|alleen|maar|
            gewoon)){{0,4}} in het {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:antwoord|praat|spreek)(?: (?:me|mij|met mij|altijd|graag|alsjeblieft|voortaan|
            alleen)){{0,4}} {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:antwoord|hou het|houd het|hou je antwoorden|houd je antwoorden|leg (?:het|dingen|alles))(?: (?:me|
            altijd|graag|alsjeblieft|voortaan|maar|gewoon|lekker|steeds)){0,3} (?P<v>kort|beknopt|bondig|uitgebreid|
            simpel|eenvoudig)\b""",
        values={"k": "short", "be": "short", "bo": "short", "u": "detailed", "s": "simple", "e": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:ik wil|ik hou van|geef me|graag|liever|altijd|liefst)
            (?: altijd| graag| liever| het liefst)? (?P<v>korte|beknopte|bondige|uitgebreide|lange|simpele|
            eenvoudige) antwoorden\b""",
        values={"k": "short", "be": "short", "bo": "short", "u": "detailed", "l": "long", "s": "simple", "e": "simple"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:mag|kunt|kan) (?:je |u )?(?:me|mij) (?:gerust |gewoon )?(?P<v>tutoyeren)\b",
        values={"t": "informal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\bzeg (?:maar |gerust |gewoon ){0,2}(?P<v>je|jij|u)(?: tegen me| tegen mij)?(?=\s*(?:$|[,.!]| tegen))",
        values={"j": "informal", "u": "formal"},
    ),
    slot(
        "emoji",
        ValueKind.CLOSED,
        r"\b(?P<v>geen|zonder) (?:emoji'?s?|smileys?)\b(?! in )",
        values={"g": "no", "z": "no"},
    ),
)


DUTCH = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:en (?:ik|we|wij|heb|ben|zoek|wil|kan|moet|mijn|het|de|ze|hij|werk|woon|eet|drink|hou|studeer|mag|nu|
            kom|ken|dat|daar)|maar|want|omdat|dus|sinds|al \w{2,8} jaar|als (?!\w{1,20}$)|dat|die|waar|met|voor|om|
            nu|ook|meer|momenteel|alsjeblieft|aub|kun|kan je|heb je|weet je|geef|wat|hoe|welke|bij mijn|bij de|
            zonder|tot|daarom|sowieso|helaas|eigenlijk|toch|trouwens|geboren|opgegroeid|verhuisd|woon|wonen|is|was|
            vanwege|tegenwoordig|elke|op dit|na|graag|ja|al|bij|samen|behalve)\b|(?:\s[-–—]\s)"""
    ),
    no_value=word_set(
        """ik jij je u hij zij ze wij we jullie mij me jou hem haar hen hun mijn jouw zijn ons onze dit dat deze
            die wat wie waar hoe wanneer waarom welke niet niets geen iets alles veel meer erg heel zo te een het de
            hier daar thuis huis appartement kamer flat stad dorp platteland centrum buurt rust vrede vandaag morgen
            nu dan nog maar ook zoek wil moet kan heb ben graag hulp dank tips ideeën kun weet geef kort even alleen
            samen twee drie einde laatste pensioen verlof moe ziek hongerig avonds ochtends 's bijna amper genoeg
            goed slecht blij klaar bezig op van voor met of als nieuw nieuwe studentenhuis rijtjeshuis mezelf mama
            papa ontbijt lunch diner"""
    ),
    articles=pattern_of(r"(?:de|het|een|alle|enkele|geen|voor) "),
    between=pattern_of(r" (?:en|of|noch) "),
)
