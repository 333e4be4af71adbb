"""Whether a sentence in another language speaks of its speaker. Pure data, written for Recollect.

'Il Po è lungo' has no word for 'I', 'my' or 'we' and no verb in the first person: it is hardly a statement about the
user.
"""

from recollect.extraction.rules.foreign_pieces import plain_text
from recollect.lazy_pattern import LazyPattern
from recollect.text.normalize import fold

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"


def _any_of(text: str, more: str = "") -> LazyPattern[str]:
    """Return the pattern of whole words, as `plain_text` writes them, or of `more`."""
    spoken = rf"{_BEGIN}(?:{'|'.join(text.split())}){_END}"
    return LazyPattern(f"{spoken}|{more}" if more else spoken)


FIRST_PERSON = {
    "de": _any_of("ich mich mir mein(?:e[mnrs]?|s)? wir uns unser(?:e[mnrs]?)? hab bin"),
    "nl": _any_of("ik me mij mijn m'n mn wij we ons onze"),
    "fr": _any_of("je moi me mon ma mes nous notre nos on chui", rf"{_BEGIN}[jm]'"),
    "es": _any_of(
        """yo me mi mis mio mia mios mias conmigo nos nosotr[oa]s nuestr[oa]s? soy estoy tengo vivo trabajo he hago voy
        vengo puedo quiero prefiero odio amo adoro llevo tomo bebo fumo uso estudio juego salgo se digo creo toco leo
        corro duermo sufro debo fui era tuve naci creci acabo""",
        rf"{_BEGIN}\w{{2,20}}(?:amos|emos|imos){_END}",
    ),
    "pt": _any_of(
        """eu me mim meus? minhas? comigo nos nossos? nossas? gente sou estou to tou tenho moro vivo trabalho hei faco
        vou venho posso quero prefiro odeio amo adoro levo tomo bebo fumo uso estudo jogo saio sei digo acho toco leio
        corro durmo sofro devo fui era tive nasci cresci gosto torco crio larguei""",
        rf"{_BEGIN}\w{{2,20}}(?:amos|emos|imos){_END}",
    ),
    "it": _any_of(
        """io mi me mio mia miei mie noi nostr[oaie] sono ho sto vivo abito lavoro faccio vado vengo posso voglio
        preferisco odio amo adoro porto prendo bevo fumo uso studio gioco esco so dico credo suono leggo corro dormo
        soffro devo ero avevo mangio""",
        rf"{_BEGIN}\w{{2,20}}iamo{_END}",
    ),
    "ru": _any_of(
        """я мне меня мной мною мо[йяеёию] моего моей моему моим моими моих мою мы нам нас нами наш[аеи]? нашего нашей
        нашу наших"""
    ),
    "zh": LazyPattern("[我咱俺]"),
    "ja": LazyPattern("私|わたし|僕|ぼく|俺|うち[のは]|自分|我が"),
    "ar": _any_of("انا احنا نحن عندي عندنا لدي لدينا معي لي بيتي شغلي عملي اسمي عمري"),
}
FIRST_PERSON_ELSEWHERE = _any_of(
    fold("""я мене мені мною мій моя моє мої мого моєї моїй моїх мо[юї] ми наш[аеі]? ние съм имам јас ја сам
    ja mnie moj[ae]? mojego mojej moim moich jestem mam mieszkam pracuje nasz[ae]? lubie nie lubie
    jsem bydlim pracuji muj moje som mojho mame nas[ei]? ma[mt] rad[a]?
    ben benim bana beni bende biz bizim bize jag mig mitt mina oss var[at]? jeg mit mine vi
    mina minun minulla minua olen meidan en vagyok nekem lakom egy(?:utt)? eu sunt mea meu mele noi nostru
    saya aku kami kita toi minh chung toi εγω μου μας ειμαι εχω εμεις אני שלי אנחנו לי שלנו
    من ما هستم دارم خودم मैं मेरा मेरी मेरे मुझे हम हमारा हमारी আমি আমার"""),
    rf"{_BEGIN}\w{{2,20}}[iıuü]yor(?:um|uz){_END}|"
    + fold("(?<!\\w)나[는도의]|(?<!\\w)내가|(?<!\\w)저[는도의]|(?<!\\w)제가|우리|저희|ฉัน|ผม|ดิฉัน|เรา"),
)
"""The same in languages without rules, of which one is not told from another."""
OFTEN_UNSAID = frozenset({"zh", "ja", "ar"})
"""Languages in which a statement about the speaker often has none of these words."""


def may_speak_of_self(text: str, language: str) -> bool:
    """Return whether a sentence has a word for its speaker, or is in a language of which those are not known.

    >>> may_speak_of_self("Mein Vermieter will die Wohnung", "de"), may_speak_of_self("Il Po è lungo", "it")
    (True, False)
    """
    first_person = FIRST_PERSON.get(language)
    return first_person is None or bool(first_person.search(plain_text(text)))
