"""Tell in which of the languages with rules of their own a sentence is, also where few words tell. Pure.

'odio el cilantro' has one word that only Spanish has: that is too little for search, and enough to try its rules.
"""

from collections import Counter

from toldonce.extraction.rules.foreign.language import word_set
from toldonce.extraction.rules.foreign_exclusions import ORDERS
from toldonce.lazy_pattern import LazyPattern
from toldonce.text.languages import ENGLISH, guess
from toldonce.text.languages import LATIN as LATIN_LANGUAGES
from toldonce.text.normalize import fold, words
from toldonce.text.statement_language import ENGLISH_CODE, language_of

# Characters that are used to detect a language.
_DETECTION_CHARACTERS = 400
_KANA = LazyPattern("[\u3041-\u30ff]")
_HAN = LazyPattern("[\u4e00-\u9fff]")
_CYRILLIC = LazyPattern("[\u0400-\u04ff]")
_ARABIC = LazyPattern("[\u0620-\u064a]")
# Letters that only Vietnamese has, whose short words are also French and Italian ones.
_VIETNAMESE = LazyPattern("[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỵỷỹ]")
# Words of everyday messages, beside the stop words that search knows.
_EVERYDAY = {
    "de": """ich bin habe hab ich's mir mich mein meine meinen meiner meinem wir unser unsere uns esse ess trinke
        wohne arbeite gerne gern kein keine keinen bitte kannst wie warum heute jetzt schon seit jahren immer jeden
        gerade leide lerne spiele komme suche ne nen nem hilf schreib gib tipps für und oder beim zum zur vom im am
        ja nein auch nur noch mal halt""",
    "fr": """je j'ai j'aime suis mon ma mes moi nous notre on ai fait fais mange bois habite travaille bosse
        m'appelle s'appelle femme mari appelle aime deteste adore prefere veux peux tous tout depuis avec sans chez
        pas plus jamais quel quelle comment quoi pour stp svp mais donc une des les vient d'un d'une c'est qu'est
        j'habite attend attends pars viens vais cherche faire samedi dimanche lundi bebe ans mois""",
    "es": """yo soy estoy tengo vivo trabajo mi mis me mi nos nuestro nuestra somos estamos tenemos como bebo odio
        amo adoro prefiero quiero puedo hago voy y el los las una del con sin pero porque que cual donde cuando
        cuanto desde hace siempre nunca todos todas hijo hija perro perra gato gata novio novia anos mes semana dame
        hazme dime porfa le se es muy llevo llamo llama llamame marido mujer hijos acabamos acabo mudamos mudé mude
        tomo fumo uso ceno duermo""",
    "pt": """eu sou estou to tenho moro vivo trabalho meu minha meus minhas nos nosso nossa somos estamos temos como
        bebo odeio amo adoro prefiro quero posso faço vou e o os as uma do da dos das com sem mas porque que qual
        onde quando quanto desde há sempre nunca todos toda todo filho filha cachorro cachorra gato gata namorado
        anos mês semana faz pra pro no na nos nas em não num numa já ao um uns você vc me crio torço tomo leio devo
        dá tá aos fui gosto larguei agora aula adotei nasci cresci chama chamo marido mulher esposa responda""",
    "it": """io sono sto ho vivo abito lavoro mio mia miei mie nostro nostra siamo abbiamo mangio bevo odio amo
        adoro preferisco voglio posso faccio vado il lo gli un una del della con senza ma perché che quale dove
        quando quanto da sempre mai ogni tutti figlio figlia cane gatto ragazza anni mese settimana dammi fammi
        dimmi non è alle nel nella degli dei mi ci si per anche più soffro suono rispondimi chiamami chiamo chiama
        cosa come marito moglie""",
    "nl": """ik ben heb mijn m'n mij me wij we ons onze eet drink woon werk graag geen niet kun hoe waarom vandaag
        nu al sinds jaar altijd elke net leer speel kom zoek een het de van voor met bij naar op te en of maar ook
        nog wel wat welke is zijn heeft gaat ga doe krijg lust zeg maak geef""",
}
_MARKS = {
    code: word_set(text) | LATIN_LANGUAGES[code].stop | LATIN_LANGUAGES[code].marks for code, text in _EVERYDAY.items()
}
_SHARED = Counter(word for marks in _MARKS.values() for word in marks)
_ENGLISH = LATIN_LANGUAGES["en"].stop
# What the words of a language must come to beyond those of English: in a text that search takes for a foreign one or
# that has no word of English, and in others.
_MIN_SCORE, _MIN_SCORE_UNTOLD = 0.5, 1.0
# What English words may come to in a text whose order or statement tells another language: no more than 'in'.
_MAX_ENGLISH = 0.3
CODES = frozenset({*_EVERYDAY, "ru", "zh", "ja", "ar"})
"""Languages with rules of their own."""


def foreign_language(text: str, message: str) -> str:
    """Return the language of a sentence if its rules are known; empty for English and others.

    Args:
        text: The sentence.
        message: Its message, which decides if the sentence is too short.

    >>> foreign_language("moro em Setúbal", ""), foreign_language("odio el cilantro", "")
    ('pt', 'es')
    >>> foreign_language("I live in Rome", ""), foreign_language("mieszkam w Krakowie i lubię to", "")
    ('', '')
    >>> foreign_language("Riassumi i promessi sposi in 4 righe", ""), foreign_language("Sum it up in 4 lines", "")
    ('it', '')
    """
    for sample in dict.fromkeys((text, message[:_DETECTION_CHARACTERS])):
        found = _told(sample)
        if found:
            return found if found in CODES else ""
    return ""


def _told(sample: str) -> str:
    """Return the code of a language, known or not; empty for English and where nothing tells."""
    if _KANA.search(sample):
        return "ja"
    if _HAN.search(sample):
        return "zh"
    said = words(sample)
    spoken, _ = guess(said, sample)
    if _CYRILLIC.search(sample):
        return spoken.cyrillic
    if _ARABIC.search(sample):
        return spoken.arabic
    if _VIETNAMESE.search(sample.lower()):
        return "vi"
    best, score, english = _by_everyday_words(said)
    if spoken.latin in _EVERYDAY:
        return best if score >= _MIN_SCORE else spoken.latin
    if spoken.latin != "en":
        return best if score >= _MIN_SCORE_UNTOLD and not spoken.sure else spoken.latin
    english += len(ENGLISH.intersection(said))
    if score - english >= _MIN_SCORE_UNTOLD:
        return best
    if english > _MAX_ENGLISH:
        return ""
    return _by_statement_or_order(said, sample) or (best if not english and score >= _MIN_SCORE else "")


def _by_statement_or_order(said: list[str], sample: str) -> str:
    """Return the language of a text that few words tell, unless it is English.

    'Riassumi i promessi sposi in 4 righe' has two words, both English ones too, and begins with an Italian order.
    """
    language = language_of(sample)
    if language == ENGLISH_CODE or language in _EVERYDAY:
        return language if language in _EVERYDAY else ""
    plain, scores = fold(sample.lower()), _everyday_scores(said)
    ordering = [code for code in _EVERYDAY if ORDERS[code].match(plain)]
    told = [code for code in _EVERYDAY if scores[code] >= _MIN_SCORE]
    return max(ordering or told, key=lambda code: scores[code], default="")


def _by_everyday_words(said: list[str]) -> tuple[str, float, float]:
    """Return the language of the six in Latin letters that most words tell of, how surely, and how surely English."""
    folded, scores = _longer(said), _everyday_scores(said)
    best = max(scores, key=lambda code: scores[code])
    return best, scores[best], sum(1 / (1 + _SHARED[word]) for word in folded & _ENGLISH)


def _everyday_scores(said: list[str]) -> dict[str, float]:
    folded = _longer(said)
    return {code: sum(1 / _SHARED[word] for word in folded & marks) for code, marks in _MARKS.items()}


def _longer(said: list[str]) -> set[str]:
    """Return the words of two letters or more, folded."""
    return {fold(word) for word in said if len(word) > 1}
