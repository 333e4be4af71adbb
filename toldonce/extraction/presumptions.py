"""What an assistant presumes about the user: 'As you live in Paris and have three cats, …'. Pure.

Models make such things up. Whatever is true was said by the user, and is quoted from there. Patterns match from the
start of a sentence (`CLAIMED`, `COURTESY`) or anywhere in it (`GRANTED`); the foreign ones cover German, French,
Spanish, Portuguese, Italian and Dutch.
"""

import re

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.reading.sentences import TextSpan, fold, sentences
from toldonce.text import asks, words

_ONE_TO_THREE_WORDS = r"(?:\w{1,15}\s{1,3}){1,3}?"
# After 'as you' these concern the conversation or a plan, not a life: 'wie du sagst', 'comme tu veux'.
_DE_TALK = (
    r"(?![^,.!?]{0,80}\b(?:erwähnt\w{0,3}|gesagt|sagtest|sagst|gefragt|fragst|geschrieben|schreibst|möchtest|"
    r"möchten|willst|wollen|wünsch\w{1,4}|siehst|sehen|"
    r"weißt|wissen|brauchst|brauchen|suchst|suchen|kannst|können|genannt|angegeben|beschrieben|musst|müssen|"
    r"solltest)\b)"
)
_FR_TALK = (
    r"(?!(?:(?:l'|le\s|me\s|m'|vous\s|y\s|en\s){0,2})?(?:(?:as|avez)\s{1,3}(?:dit|mentionné|demandé|précisé|"
    r"indiqué|écrit|remarqué|vu)|dis|dites|demand\w{1,3}|"
    r"vois|voyez|sais|savez|veux|voulez|souhait\w{1,3}|peux|pouvez|préfér\w{1,3}|cherch\w{1,3}|dev\w{1,3}|dois)\b)"
)
_NL_TALK = (
    r"(?![^,.!?]{0,60}\b(?:zei|zegt|gezegd|vroeg|gevraagd|noemde|genoemd|schreef|weet|ziet|zien|wilt|wil|wilde|"
    r"kunt|kan|zoekt|moet|vermeldde|aangaf)\b)"
)
_ES_LIFE = (
    r"(?:no\s{1,3})?(?:vives|tienes|eres|trabajas|odias|amas|adoras|naciste|creciste|padeces|sufres|cuidas|llevas|"
    r"viajas\s{1,3}siempre|"
    r"te\s{1,3}(?:gusta\w{0,2}|encanta\w{0,2}|dan?\s{1,3}miedo)|usted\s{1,3}(?:vive|tiene|es|trabaja)|"
    r"estás\s{1,3}(?:casad|embarazad|jubilad|divorciad)\w)"
)
_PT_LIFE = (
    r"(?:não\s{1,3})?(?:(?:você|tu|o\s{1,3}senhor|a\s{1,3}senhora)\s{1,3}(?:não\s{1,3})?(?:mora|moras|vive|vives|"
    r"tem|tens|é|és|trabalha|trabalhas|odeia|odeias|"
    r"detesta|detestas|adora|adoras|ama|gosta|gostas|nasceu|cresceu|cuida)|moras|vives|tens|és|trabalhas|odeias|"
    r"adoras|gostas|mora|vive)"
)
_IT_LIFE = (
    r"(?:non\s{1,3})?(?:vivi|abiti|hai|sei|lavori|odi|ami|detesti|adori|soffri|possiedi|vieni\s{1,3}da|"
    r"ti\s{1,3}piac\w{1,4}|lei\s{1,3}(?:vive|abita|ha|è))"
)
_FOREIGN_GRANTED = LazyPattern(
    rf"\b(?:da|weil|nachdem|zumal|jetzt\s{{1,3}}wo|wo)\s{{1,3}}(?:du|(?-i:Sie)|ihr)\s{_DE_TALK}"
    r"|\b(?:angesichts|wegen|aufgrund|dank|bei|mit)\s{1,3}(?:deine[rnms]?|(?-i:Ihre[rnms]?))\s{1,3}(?!(?:frage|"
    r"anfrage|text|code|nachricht|idee|angaben|liste|"
    r"datei|problem|bitte|wunsch|beispiel|daten|projekt|anliegen|beschreibung|vorgaben?|suche|plan)\w{0,3}\b)\w"
    rf"|\b(?:comme|puisque|vu\s{{1,3}}que|sachant\s{{1,3}}que|étant\s{{1,3}}donné\s{{1,3}}que|"
    rf"maintenant\s{{1,3}}que|parce\s{{1,3}}que)\s{{1,3}}(?:tu\s|vous\s|t'){_FR_TALK}"
    r"|\b(?:vu|étant\s{1,3}donné|compte\s{1,3}tenu\s{1,3}de|avec)\s{1,3}(?:ton|ta|tes|votre|"
    r"vos)\s{1,3}(?!(?:question|demande|texte|code|message|idée|liste|fichier|"
    r"problème|projet|exemple|données|description|plan|budget)s?\b)\w"
    rf"|\b(?:ya\s{{1,3}}que|como|dado\s{{1,3}}que|puesto\s{{1,3}}que|porque|sabiendo\s{{1,3}}que|ahora\s{{1,3}}que|"
    rf"considerando\s{{1,3}}que)\s{{1,3}}{_ES_LIFE}\b"
    r"|\b(?:dad[oa]s?|considerando|con|por)\s{1,3}tus?\s{1,3}(?:alergias?|miedo|edad|trabajo|famil\w{1,4}|"
    r"hij\w{1,3}|perr\w{1,3}|gat\w{1,3}|espos\w|marido|mujer|"
    r"diabetes|asma|embarazo|dieta|vértigo)\b"
    rf"|\b(?:já\s{{1,3}}que|como|visto\s{{1,3}}que|uma\s{{1,3}}vez\s{{1,3}}que|dado\s{{1,3}}que|porque|"
    rf"sabendo\s{{1,3}}que|agora\s{{1,3}}que)\s{{1,3}}{_PT_LIFE}\b"
    r"|\b(?:dad[oa]s?|considerando|com|por)\s{1,3}(?:o\s|a\s|os\s|as\s)?(?:teus?|tuas?|seus?|"
    r"suas?)\s{1,3}(?:alergias?|medo|idade|trabalho|fam[íi]lia|filh\w{1,2}|"
    r"c(?:ão|ães)|cachorr\w{1,3}|gat\w{1,3}|marido|mulher|esposa|diabetes|asma|gravidez|dieta|vertigem)\b"
    rf"|\b(?:visto\s{{1,3}}che|dato\s{{1,3}}che|siccome|poiché|sapendo\s{{1,3}}che|già\s{{1,3}}che|"
    rf"considerato\s{{1,3}}che|ora\s{{1,3}}che|perché)\s{{1,3}}{_IT_LIFE}\b"
    r"|\b(?:dat[oaei]|vist[oaei]|considerando|con|per)\s{1,3}(?:il\s|la\s|i\s|le\s|l')?(?:tu[oae]|"
    r"tuoi)\s{1,3}(?:allergi\w|paura|età|lavoro|famiglia|figli\w{0,2}|"
    r"can[ei]|gatt\w|marito|moglie|diabete|asma|gravidanza|dieta|vertigini)\b"
    rf"|\b(?:omdat|aangezien|doordat|nu|gezien\s{{1,3}}dat)\s{{1,3}}(?:je|jij|"
    rf"u)\s{{1,3}}{_NL_TALK}(?=[^,.!?]{{0,80}}\b(?:woont|hebt|heeft|bent|werkt|haat|houdt|komt|leeft|"
    r"lijdt|bezit|gepensioneerd|getrouwd)\b)"
    r"|\b(?:gezien|met|vanwege|door)\s{1,3}(?:jouw|je|uw)\s{1,3}(?:allergie|angst|leeftijd|werk|gezin|kind\w{0,4}|"
    r"hond\w{0,2}|kat\w{0,3}|man|vrouw|diabetes|astma|"
    r"zwangerschap|dieet|hoogtevrees|\w{1,12}\s{1,3}(?:katten|honden|kinderen))\b",
    re.IGNORECASE,
)
_FOREIGN_LEAD = (
    r"(?:(?:also|und|nun|ach|ah|oh|ja|gut|dann|stimmt|donc|alors|et|oui|bien|bon|así\s{1,3}que|entonces|y|sí|bueno|"
    r"vale|então|e|sim|bem|certo|quindi|allora|sì|"
    r"bene|dus|en|nou|oké|ok)\b[,:]?\s{1,3}){0,3}"
)
_DE_KIN = (
    r"(?:kind(?:er)?|sohn|söhne|tochter|töchter|hunde?|katzen?|kater|bruder|brüder|schwestern?|frau|mann|"
    r"partner(?:in)?|freund(?:in)?|pferde?|zwillinge|baby)"
)
_FR_KIN = (
    r"(?:enfants?|fils|filles?|chiens?|chats?|chattes?|frères?|sœurs?|femme|mari|compagn\w{1,4}|chev(?:al|aux)|"
    r"jumeaux|bébé)"
)
_ES_KIN = (
    r"(?:hij[oa]s?|perr[oa]s?|gat[oa]s?|herman[oa]s?|espos[oa]|marido|mujer|novi[oa]|pareja|caballos?|gemel[oa]s|"
    r"bebé|niñ[oa]s?)"
)
_PT_KIN = (
    r"(?:filh[oa]s?|cão|cães|cachorr[oa]s?|gat[oa]s?|irmãos?|irmãs?|espos[oa]|marido|mulher|namorad[oa]|cavalos?|"
    r"gêmeos|bebê|bebé)"
)
_IT_KIN = (
    r"(?:figli[oae]?|can[ei]|gatt[oaie]|fratell[oi]|sorell[ae]|moglie|marito|compagn[oa]|cavall[oi]|gemelli|"
    r"bambin[oaie])"
)
_NL_KIN = (
    r"(?:kind(?:eren)?|zoon|zonen|dochters?|honden?|hond|katten?|kat|broers?|zussen?|zus|vrouw|partner|vriendin|"
    r"vriend|paarden?|tweeling|baby)"
)
_FOREIGN_CLAIMED = LazyPattern(
    rf"¡?{_FOREIGN_LEAD}(?:"
    r"(?:du|(?-i:Sie))\s{1,3}(?:wohnst|lebst|hasst|liebst|arbeitest\s{1,3}(?:als|bei|in)|kommst\s{1,3}aus|wohnen|"
    r"leben|hassen|stammst|"
    rf"(?:hast|haben)\s{{1,3}}{_ONE_TO_THREE_WORDS}{_DE_KIN}\b|(?:bist|"
    rf"sind)\s{{1,3}}(?:eine?\s{{1,3}}\w{{1,30}}(?=[\s,.!]{{0,3}}(?:$|aus|in|und|,|\.))|allergisch|verheiratet|"
    r"vegan\w{0,3}|vegetarier\w{0,2}|schwanger|geschieden|rentner\w{0,2}|in\s{1,3}\w{2,30}\s{1,3}(?:geboren|"
    r"aufgewachsen)))"
    r"|(?:tu|vous)\s{1,3}(?:habite[sz]|habitez|vis|vivez|adore[sz]|détestes?z?|travaill(?:es|ez)\s{1,3}(?:comme|"
    r"chez|à|en)|ven?iens\s{1,3}de|venez\s{1,3}de|possèdes|"
    rf"(?:as|avez)\s{{1,3}}{_ONE_TO_THREE_WORDS}{_FR_KIN}\b|(?:es|êtes)\s{{1,3}}(?:allergique|marié\w{{0,2}}|végan\w{{0,2}}|"
    rf"végétari\w{{2,5}}|enceinte|divorcé\w{{0,2}}|retraité\w{{0,2}}|"
    r"né\w{0,2}\s|originaire|une?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|de|à|et|,|\.))))"
    r"|(?:tú\s{1,3}|usted\s{1,3})?(?:vives\s{1,3}en|trabajas\s{1,3}(?:como|en|de)|odias|adoras|naciste|creciste|"
    r"vienes\s{1,3}de|"
    rf"tienes\s{{1,3}}{_ONE_TO_THREE_WORDS}{_ES_KIN}\b|eres\s{{1,3}}(?:alérgic[oa]|vegan[oa]|vegetarian[oa]|casad[oa]|solter[oa]|"
    rf"jubilad[oa]|de\s|"
    r"una?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|de|en|y|,|\.))))"
    r"|(?:(?:você|tu)\s{1,3})?(?:moras?\s{1,3}em|vives?\s{1,3}em|trabalhas?\s{1,3}(?:como|na|no|em)|odeias?|"
    r"adoras?|nasceu|cresceu|nasceste|"
    rf"(?:tem|tens)\s{{1,3}}{_ONE_TO_THREE_WORDS}{_PT_KIN}\b|(?:é|és)\s{{1,3}}(?:alérgic[oa]|vegan[oa]|vegetarian[oa]|casad[oa]|"
    rf"solteir[oa]|aposentad[oa]|reformad[oa]|"
    r"uma?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|de|em|e\s|,|\.))))"
    r"|(?:tu\s{1,3}|lei\s{1,3})?(?:vivi\s{1,3}a|abiti\s|lavori\s{1,3}(?:come|in|da|per)|odi\s|adori\s|vieni\s{1,3}da|"
    rf"hai\s{{1,3}}{_ONE_TO_THREE_WORDS}{_IT_KIN}\b|sei\s{{1,3}}(?:allergic[oa]|vegan[oa]|vegetarian[oa]|sposat[oa]|single|"
    rf"pensionat[oa]|nat[oa]\s|di\s{{1,3}}(?-i:[A-Z])|"
    r"un(?:a|o)?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|di|a\s|e\s|,|\.))))"
    r"|(?:je|jij|u)\s{1,3}(?:woont\s{1,3}in|werkt\s{1,3}(?:als|bij)|haat|houdt\s{1,3}van|komt\s{1,3}uit|"
    rf"(?:hebt|heeft|heb)\s{{1,3}}{_ONE_TO_THREE_WORDS}{_NL_KIN}\b|bent\s{{1,3}}(?:allergisch|getrouwd|vegan\w{{0,3}}|"
    rf"vegetari\w{{2,4}}|zwanger|gescheiden|gepensioneerd|"
    r"een\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|uit|in|en|,|\.))|in\s{1,3}\w{2,30}\s{1,3}(?:geboren|opgegroeid)))"
    r")",
    re.IGNORECASE,
)
_FOREIGN_COURTESY = LazyPattern(
    r"¡?(?:(?:herzlichen\s{1,3})?glückwunsch|gratul\w{2,5}|willkommen|gern\s{1,3}geschehen|gerne|alles\s{1,3}klar|"
    r"super|toll|prima|klasse|wunderbar|schön|das\s{1,3}"
    r"(?:tut\s{1,3}mir|ist\s{1,3}(?:schön|toll|super|schade|großartig))|viel\s{1,3}(?:spaß|erfolg|glück)|"
    r"verstanden|natürlich|danke|in\s{1,3}ordnung|wie\s{1,3}schön|notiert"
    r"|félicitations|bienvenue|génial|d'accord|bien\s{1,3}sûr|je\s{1,3}suis\s{1,3}(?:désolée?|ravie?)|"
    r"avec\s{1,3}plaisir|de\s{1,3}rien|bonne\s{1,3}chance|compris|merci|"
    r"parfait|quelle?\s|c'est\s{1,3}(?:noté|génial|super|triste|formidable)|très\s{1,3}bien"
    r"|felicidades|enhorabuena|bienvenid[oa]s?|qué\s{1,3}(?:bien|bueno|lástima|alegría|pena)|de\s{1,3}nada|claro|"
    r"por\s{1,3}supuesto|lo\s{1,3}siento|entendido|perfecto|"
    r"gracias|(?:mucha\s{1,3}|buena\s{1,3})suerte|con\s{1,3}gusto|vale|genial|anotado"
    r"|parabéns|bem-vind[oa]s?|que\s{1,3}(?:bom|pena|legal|ótimo|maravilha)|com\s{1,3}certeza|sinto\s{1,3}muito|"
    r"lamento|perfeito|obrigad[oa]|boa\s{1,3}sorte|ótimo|certo|anotado"
    r"|congratulazioni|auguri|benvenut[oaie]|che\s{1,3}(?:bello|bella|peccato|bravo|brava)|prego|mi\s{1,3}dispiace|"
    r"capito|perfetto|grazie|buona\s{1,3}fortuna|ottimo|"
    r"d'accordo|va\s{1,3}bene|figurati|volentieri"
    r"|gefeliciteerd|welkom|wat\s{1,3}(?:leuk|fijn|jammer|mooi|goed)|graag\s{1,3}gedaan|natuurlijk|"
    r"het\s{1,3}spijt\s{1,3}me|begrepen|perfect|bedankt|dank\s{1,3}je|succes|"
    r"veel\s{1,3}(?:plezier|succes)|geweldig|oké|genoteerd)\b",
    re.IGNORECASE,
)


# Words of a message of small talk, and of each sentence in it.
MAX_SMALL_TALK_WORDS = 24
MAX_COURTESY_WORDS = 7
# Characters of a sentence that are searched.
_MAX_SEARCHED = 600

# 'As you can see' presumes nothing about a life.
_NOT_A_LIFE = (
    r"(?:can|could|know|see|wish|like|want|go|said|say|will|would|may|might|need|should|must|prefer|please|noted|asked|"
    r"mentioned|requested|described|pointed|did|do|get|work\s{1,3}(?:through|on\s{1,3}(?:this|it|the))|read|type|write|"
    r"add|move\s{1,3}(?:on|forward|through)|progress|continue|explore|begin|start|learn|practi[cs]e|build|scale|grow)\b"
)
_GRANTED = LazyPattern(
    r"\b(?:as|since|because|given|given\s{1,3}that|knowing|knowing\s{1,3}that|considering|considering\s{1,3}that|"
    r"seeing\s{1,3}that|now\s{1,3}that|seeing\s{1,3}as)\s{1,3}"
    rf"(?:you(?:'re|'ve|'d|r)?\s{{1,3}}(?!{_NOT_A_LIFE})|your\s)",
    re.IGNORECASE,
)
_KIN_OR_ANIMAL = (
    r"(?:kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|wife|husband|sisters?|brothers?|partner|girlfriend|"
    r"boyfriend|horses?|birds?|baby|twins)"
)
_CLAIMED = LazyPattern(
    r"(?:(?:so|and|well|ok|okay|ah|oh|right|yes|then|also|remember)\b[,:]?\s{1,3}){0,3}(?:that\s{1,3})?you"
    r"(?:\s{1,3}(?:live|lived|were\s{1,3}born|grew\s{1,3}up|own|hate|love|always|never|usually|told\s{1,3}me|"
    r"work\s{1,3}(?:as|at|for|in)\s{1,3}(?!this|it\b|the\b))\b"
    r"|(?:'re|\s{1,3}are)\s{1,3}(?:an?\s{1,3}\w{1,30}(?=[\s,.!]{0,3}(?:$|from|in|who|and|so|by|at|,))|allergic|married|"
    r"single|vegan|vegetarian|pregnant|divorced|retired|from\s)"
    rf"|(?:'ve\s{{1,3}}got|\s{{1,3}}have)\s{{1,3}}(?:\w{{1,12}}\s{{1,3}}){{1,3}}?{_KIN_OR_ANIMAL}\b)",
    re.IGNORECASE,
)
# A model has no life: with 'I have lived in Lyon' it writes for another, as in a letter it corrects.
_BORROWED_VOICE = LazyPattern(
    r"\bmy\s{1,3}(?:name\s{1,3}is|wife|husband|kids?|children|son|daughter|mother|father|mum|mom|dad|boss|job|flat|house|"
    r"apartment|landlord|birthday)\b"
    r"|\bi(?:'ve|\s{1,3}have)?\s{1,3}(?:(?:just|recently|currently|also|now|been)\s{1,3}){0,3}(?:lived?|living|moved\s{1,3}(?:to|from|here|in|out|house|away)\b|was\s{1,3}born|grew\s{1,3}up|"
    r"work(?:ed|ing)?\s{1,3}(?:as|at|for|in)\s{1,3}(?!this|it\b|the\s{1,3}(?:code|text|answer))|married|studied\s{1,3}(?:at|in))\b"
    r"|\bi(?:'m|\s{1,3}am)\s{1,3}(?:allergic|married|divorced|pregnant|retired|vegan|vegetarian|from\s|\d{1,3}\s{1,3}years|an?\s{1,3}(?:tenant|"
    r"customer|patient|student|mother|father|resident|new\s))",
    re.IGNORECASE,
)
# 'Aye, captain!'
_MAX_EXCLAIMED_WORDS = 4
_COURTESY = LazyPattern(
    r"(?:great|nice|lovely|wonderful|congrat\w{0,20}|welcome|noted|sure|got\s{1,3}it|okay|ok|alright|all\s{1,3}right|"
    r"of\s{1,3}course|haha|ha|wow|oh|ah|aw|cool|perfect|sounds|i(?:'m|\s{1,3}am)\s{1,3}(?:so\s{1,3}|very\s{1,3})?"
    r"(?:sorry|glad|happy)|sorry|good\s{1,3}luck|enjoy|have\s{1,3}fun|you(?:'re|\s{1,3}are)\s{1,3}welcome|my\s{1,3}pleasure|"
    r"glad|happy\s{1,3}to|no\s{1,3}(?:problem|worries)|thanks|thank\s{1,3}you|done|understood|forgotten|cheers|"
    r"well\s{1,3}done|hooray|amazing|awesome|fantastic|excellent|exciting|what\s{1,3}an?|"
    r"that(?:'s|\s{1,3}is)\s{1,3}(?:great|nice|lovely|wonderful|fantastic|good|exciting|amazing|sad|awful|tough|funny))\b",
    re.IGNORECASE,
)


@remembered
def presumptions(text: str) -> tuple[TextSpan, ...]:
    """Find the sentences of an assistant's message that presume something about the user.

    >>> [piece.text for piece in presumptions("As you have a cat, no. The bus leaves at 9. As you know, it rains.")]
    ['As you have a cat, no.']
    """
    return tuple(piece for piece in sentences(fold(text)) if _presumes(piece.text[:_MAX_SEARCHED]))


def _presumes(sentence: str) -> bool:
    if _BORROWED_VOICE.search(sentence) or _GRANTED.search(sentence) or _FOREIGN_GRANTED.search(sentence):
        return True
    claimed = _CLAIMED.match(sentence) or _FOREIGN_CLAIMED.match(sentence)
    return bool(claimed) and not asks(sentence)


def is_assistants_small_talk(text: str) -> bool:
    """Return whether an assistant's message only reacts: courtesies and questions, without a number.

    >>> is_assistants_small_talk("Welcome, Otto!"), is_assistants_small_talk("Great, it leaves at 9.")
    (True, False)
    """
    message_words = words(text[: MAX_SMALL_TALK_WORDS * 20])
    if len(message_words) > MAX_SMALL_TALK_WORDS or any(
        character.isdigit() for word in message_words for character in word
    ):
        return False
    parts = [piece.text for piece in sentences(fold(text)) if piece.text.strip()]
    return all(_is_courtesy(part) or asks(part) for part in parts)


def _is_courtesy(sentence: str) -> bool:
    word_count = len(words(sentence))
    exclaims = word_count <= _MAX_EXCLAIMED_WORDS and sentence.rstrip().endswith("!")
    courteous = _COURTESY.match(sentence) or _FOREIGN_COURTESY.match(sentence)
    return exclaims or (word_count <= MAX_COURTESY_WORDS and bool(courteous))
