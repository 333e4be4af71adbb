"""French: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object, none of which denies or weakens it.
_GAP = r"(?:(?!pas\b|plus\b|jamais\b|rien\b|sans\b|presque\b|parfois\b|bientot\b)[\w'-]{1,20} ){0,4}?"
_V = r"(?P<v>[^\s,.;:!?()\n][^,.;:!?()\n]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n][^.;:!?()\n]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = r"(?![^,.;:!?\n]{0,60}\b(?:le (?:soir|matin|midi)|avant|apres|aujourd'hui|en semaine)\b)" + _LIST
_MY = r"(?:mon|ma|mes|notre|nos)"
_IN = r"(?:a|en|au|aux|dans le|dans la|dans les|dans l'|sur)"
_KIN = {
    "partner": any_of(
        "femme mari épouse époux copain copine compagnon compagne conjoint conjointe fiancé fiancée chéri chérie"
    ),
    "son:": "fils|garcon",
    "daughter:": "fille",
    "child:": "enfant|bebe",
    "mother": "mere|maman",
    "father": "pere|papa",
    "sister:": "soeur|sœur",
    "brother:": "frere|frangin",
    "boss": "chef|cheffe|patron|patronne|manager|responsable",
    "dog:": "chien|chienne|chiot",
    "cat:": "chat|chatte|chaton",
    "horse:": "cheval|jument|poney",
    "rabbit:": "lapin|lapine",
}
_JOBS = any_of(
    """prof professeur professeure enseignant enseignante instit institutrice instituteur infirmier infirmière
        médecin docteur avocat avocate ingénieur ingénieure développeur développeuse dev informaticien
        informaticienne graphiste cuisinier cuisinière chef_cuisinier boulanger boulangère boucher coiffeur
        coiffeuse comptable vendeur vendeuse caissier caissière serveur serveuse chauffeur chauffeur_routier routier
        taxi mécanicien électricien plombier maçon menuisier agriculteur agricultrice éleveur jardinier paysagiste
        architecte designer photographe journaliste écrivain musicien musicienne comédien comédienne étudiant
        étudiante lycéen lycéenne collégien retraité retraitée policier policière gendarme militaire pompier pilote
        secrétaire assistant assistante assistante_sociale aide-soignant aide-soignante sage-femme kiné
        kinésithérapeute dentiste vétérinaire pharmacien pharmacienne psychologue orthophoniste éducateur éducatrice
        traducteur traductrice chercheur chercheuse biologiste chimiste physicien libraire bibliothécaire fleuriste
        esthéticienne agent_immobilier banquier commercial commerciale consultant consultante technicien
        technicienne ouvrier ouvrière facteur factrice artisan artisane couturière auto-entrepreneur freelance
        manager chômeur fonctionnaire nounou assistante_maternelle concierge gardien livreur notaire juge
        maître_nageur coach"""
)
_DIETS = {"vegeta": "vegetarian", "vega": "vegan", "vege": "vegetarian", "pesc": "pescatarian", "flexi": "flexitarian"}
_DIETS = {"vegetal": "vegan", **_DIETS}
_DIET = r"""(?P<v>vegetarien(?:ne)?s?|vegan(?:e)?s?|vegetalien(?:ne)?s?|vege|pesc[eo]-?vegetarien(?:ne)?s?|
    pescetarien(?:ne)?s?|flexitarien(?:ne)?s?)"""
_LANGUAGES = {
    "franc": "French", "angl": "English", "allem": "German", "espa": "Spanish", "ital": "Italian", "arab": "Arabic",
    "port": "Portuguese", "neer": "Dutch", "russ": "Russian", "turc": "Turkish", "chin": "Chinese", "jap": "Japanese",
    "polo": "Polish",
}  # fmt: skip
_LANGUAGE = r"""(?P<v>francais|anglais|allemand|espagnol|italien|arabe|portugais|neerlandais|russe|turc|chinois|
    japonais|polonais)"""
_CONDITIONS = any_of(
    """diabète asthme migraines migraine épilepsie hypertension arthrose arthrite endométriose eczéma psoriasis
    vertige acouphènes scoliose goutte maladie_de_crohn sclérose_en_plaques fibromyalgie hypothyroïdie tdah
    apnée_du_sommeil insomnies insomnie rhume_des_foins dépression reflux hernie_discale maladie_cœliaque
    intolérance_au_lactose intolérance_au_gluten phobie_de_l'avion tension"""
)
_ADJECTIVES = any_of(
    """diabétique asthmatique cœliaque épileptique dyslexique autiste daltonien daltonienne sourd sourde
    malentendant malentendante aveugle malvoyant myope gaucher gauchère hypothyroïdien intolérant_au_lactose
    intolérante_au_lactose intolérant_au_gluten intolérante_au_gluten bipolaire migraineux migraineuse insomniaque"""
)
_LATER = r"(?=$|[,.!)]| (?:stp|svp|s'il|a partir|desormais|et|avec moi|toujours|pour)\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"\bje m'appelle {_V}"),
    slot("name", ValueKind.CALLED, rf"\b(?:mon (?:vrai )?(?:nom|prenom) (?:complet )?(?:est|c'est)|moi,? c'est) {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        rf"""^(?:salut|bonjour|coucou|hello|bonsoir),? (?:a tous,? )?je suis (?!{_JOBS}\b)(?P<v>[\w-]{{2,20}})
            (?=\s*(?:$|[,.!]| et ))""",
    ),
    slot("address_as", ValueKind.CALLED, rf"\b(?:appelle|appelez)-? ?moi (?:simplement |juste )?{_V}"),
    slot(
        "address_as",
        ValueKind.CALLED,
        rf"""\b(?:(?:mes|les) (?:potes|amis|copains|copines|proches|gens|collegues)|tout le monde|on|
            ils) m'appell?ent? (?:juste |toujours )?{_V}""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""\b(?:j'habite|je vis|je reside|je loge|on habite|on vit|nous habitons|nous vivons|
            j'vis) {_GAP}{_IN}(?: |(?<='))(?!\w{{1,12}} ans?\b){_V}""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""\b(?:on vient d'|je viens d'|j'ai |on a |nous avons |j')(?:emmenage|emmenager|demenage|demenager|
            amenage) {_GAP}{_IN} {_V}""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""\b(?:je viens de|on vient de|je me suis|on s'est|nous nous sommes|je viens de m'|
            on vient de s') ?(?:demenager|installe\w{{0,3}}|installer) {_GAP}{_IN} {_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""\bje (?:viens|suis originaire|suis natif|suis native) (?:de |d'|du |des )(?!voir\b|lire\b|finir\b|
            \w{{2,20}}er\b){_V}""",
    ),
    slot("origin", ValueKind.PLACE, rf"\bje suis nee? {_GAP}{_IN} {_V}"),
    slot(
        "job", ValueKind.WORK, rf"\b(?:je travaille|je bosse) {_GAP}(?:comme|en tant que|en tant qu') ?(?:une? )?{_V}"
    ),
    slot(
        "job",
        ValueKind.WORK,
        rf"""\b(?:je suis|moi,? suis|chuis|j'suis) (?:(?:actuellement|aussi|un|une|moi-meme|jeune|futur|future|
            maintenant|\d{{1,2}} ans et) ){{0,2}}(?P<v>(?:{_JOBS})(?: (?:de|en|d') ?[\w-]{{2,20}})?)\b""",
    ),
    slot("job", ValueKind.WORK, rf"\bmon (?:metier|boulot) (?:est|c'est) (?!de\b){_V}"),
    slot("age", ValueKind.NUMBER, r"\bj'ai (?:(?:maintenant|deja|bientot) )?(?P<v>\d{1,3}) ans\b(?! (?:de|d'))"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""\b(?:je suis|on est|nous sommes|chuis|j'suis|je suis devenue?|on mange|je mange) (?:(?:devenue?s?|
            maintenant|strictement|uniquement|aussi|totalement|"""
        rf"depuis [\w\s]{{2,16}}?|plutot|tous|un|une|tous les deux) ){{0,2}}{_DIET}\b",
        values=_DIETS,
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"""\b(?:je ne (?:mange|bois|fume|supporte|digere)|je (?:mange|bois|digere)|j'(?:mange|bois)|
            on (?:ne )?(?:mange|boit)|nous ne (?:mangeons|buvons))"""
        rf" (?:pas|plus|jamais) (?:du tout )?(?:de la |de l'|de |d'|du |des ){_ALWAYS}",
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"\bje ne (?:peux|dois) (?:pas|plus) (?:manger|boire) (?:de la |de l'|de |d'|du |des ){_ALWAYS}",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\bj'evite (?:le |la |les |l'){_ALWAYS}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"\bje suis (?:(?:tres|super|gravement|aussi|hyper|fortement) )?allergique (?:au |a la |a l'|aux |a ){_LIST}",
    ),
    slot(
        "allergy:", ValueKind.THINGS, rf"\bj'ai une (?:(?:grosse|forte|grave) )?allergie (?:au |a la |a l'|aux ){_LIST}"
    ),
    slot(
        "condition:",
        ValueKind.WORK,
        rf"""\b(?:j'ai|je souffre) (?:(?:souvent|beaucoup|aussi) )?(?:de |du |de l'|d'une |d'|
            des |une |le |la |l')?(?P<v>{_CONDITIONS})\b(?! (?:a|au) \d)""",
    ),
    slot("condition:", ValueKind.WORK, rf"\bje suis (?:(?:un peu|tres|aussi) )?(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin})s? (?:s'appelle|se nomme) (?P<v>[\w-]{{2,20}})",
        )
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:j'ai|on a|nous avons|adopter|adopte) (?:[\w'-]{{1,15}} ){{0,3}}?(?:{kin})
                (?: [\w'-]{{1,15}}){{0,4}}?,?"""
            r" (?:(?:il|elle|qui) s'appelle|nommee?|appelee?|prenommee?) (?P<v>[\w-]{2,20})",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:repond[sz]?|repondez|reponds|parle|parlez|ecris|ecrivez)(?:-? ?moi)? (?:(?:toujours|uniquement|
            seulement|stp|svp|desormais) ){{0,3}}en {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:(?:fais|donne|faites|donnez)(?:-? ?moi)? (?:toujours )?(?:des )?|je (?:prefere|
            veux) (?:les |des )?|toujours des )reponses (?:plus |tres |assez )?(?P<v>courtes|breves|concises|
            detaillees|longues|simples)\b""",
        values={"c": "short", "b": "short", "d": "detailed", "l": "long", "s": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"\b(?:sois|soyez) (?:plus |toujours )?(?P<v>brefs?|breve|concise?s?|detaillee?)\b",
        values={"b": "short", "c": "short", "d": "detailed"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"\brepond[sz]?(?:-? ?moi)? (?:toujours )?(?P<v>brievement|en detail|simplement)\b",
        values={"b": "short", "en": "detailed", "s": "simple"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?P<v>tutoie|tutoyez|vouvoie|vouvoyez)-? ?moi\b",
        values={"t": "informal", "v": "formal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:tu peux|vous pouvez|on peut) (?:me |se )(?P<v>tutoyer|vouvoyer)\b",
        values={"t": "informal", "v": "formal"},
    ),
    slot(
        "emoji",
        ValueKind.CLOSED,
        r"\b(?P<v>pas d'|sans |plus d'|evite les |arrete les )(?:emojis?|smileys?)\b",
        values={"p": "no", "s": "no", "e": "no", "a": "no"},
    ),
)


FRENCH = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:et (?:je|j'|on|nous|mon|ma|mes|il|elle|ca|c'est|cherche|suis|la|le|les|mon|n'ai|ai|maintenant|j)|
            mais|car|parce|donc|depuis|quand|qui|que|si|ou|avec|pour|comme|en tant|alors|du coup|maintenant|
            actuellement|stp|svp|s'il|tu|vous|peux|aussi|sinon|a cause|pendant|jusqu|avant|apres|il y a|dans|chez|
            et j'|tout|deja|merci|pas|ni|en ce moment|la semaine|le mois|cette|ce|cet|est-ce|quel\w{0,3}|quoi|
            comment|j'|je|on|a part|en cdi|en cdd|sauf)\b|(?:\s[-–—]\s)"""
    ),
    no_value=word_set(
        """je tu il elle on nous vous ils elles me te moi toi lui mon ma mes ton ta tes son sa ses notre votre leur
            ce cet cette ces ça cela rien tout tous toute quoi qui que où comment quand quel quelle pas plus jamais
            un une le la les l' l des du de d' ici là bas côté maison ville campagne banlieue centre centre-ville
            appart appartement colocation coloc couple famille solo seul seule étranger étage calme paix moment fait
            train cause chez mieux demi temps beaucoup trop peu viande_rouge_mais cherche veux voudrais besoin peux
            dois suis ai merci stp svp fan fatigué fatiguée perdu perdue prêt désolé désolée content contente malade
            mère père enceinte nouveau nouvelle sûr sûre curieux une_recette idées idée bonjour salut rdc résidence
            immeuble zone montagne plage province région retraite deux trois"""
    ),
    articles=pattern_of(r"(?:(?:les?|la|des?|du|aux?|une?) |(?:de la|a la|de l'|a l') ?|[ldaà]')"),
    between=pattern_of(r" (?:et|ou|ni) "),
)
