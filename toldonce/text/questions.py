"""Whether sentences ask, greet or deny, in the languages of most users. Pure.

English has its own, closer rules where they are needed. What is not listed here counts as telling something: a question
that is kept does less harm than a statement that is lost.
"""

import unicodedata

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold, words

# Characters that may follow a question mark, besides white space.
_CLOSING = "\"'”’)]»」』）】.。!！…"
_MARKS = ("?", "？", "؟", "՞", "፧", "\u037e")
_GREEK_MARK = LazyPattern("[\u0370-\u03ff\u1f00-\u1fff]\\s*+;$")
# Endings that ask without a mark: Chinese 吗 and its like, Japanese か after a verb or "is", Korean 까 and 나요.
_PARTICLE = LazyPattern(
    "(?:[吗嗎]|(?:です|ます|ません|でした|ました|でしょう|だろう|の|ない)か(?:な|ね)?|かしら"
    "|(?:습니|입니|합니|할|을|될)까요?|(?:나|은가|는가|인가)요)$"
)
# Words that ask where a sentence begins with them. Those that often begin a statement ("when", "how") are listed where
# their spelling sets them apart; the rest is left to the question mark.
_OPENERS = frozenset(
    fold(word)
    for word in """est-ce pourquoi combien quel quelle quels quelles lequel laquelle wer wen wem wessen warum wieso
    weshalb wohin woher wann welche welcher welches wieviel dove perché quanto quanti quante qual quale quali
    onde quem quais quantos quantas wie waarom wanneer hoeveel welke waarheen vem vad varför vilken
    vilket vilka hvem hvad hva hvorfor hvilken hvilket hvilke hvornår mikä missä mistä mihin kuka miksi
    milloin kuinka miért mikor melyik hány nerede nereye neden niçin nasıl hangi kaç siapa mengapa
    kenapa bagaimana berapa apakah gdzie kiedy dlaczego czy jaki jaka jakie proč kolik jaký jaká jaké
    cine unde câți câte где кто почему зачем сколько куда откуда какой какая какое какие хто чому навіщо
    скільки куди звідки чи ποιος ποια ποιο ποιοι πότε γιατί πόσο πόσα هل ماذا لماذا كيف أين متى آیا کجا
    چرا چطور چند کدام איפה מתי למה מדוע כמה האם איך היכן क्या कौन कहाँ क्यों कैसे कितना कितने कितनी""".split()
)
# In Spanish and Portuguese the accent tells a question from a conjunction, and Spanish opens with a mark of its own.
_ACCENTED_OPENERS = frozenset(
    "qué quién quiénes dónde adónde cuándo cuál cuáles cómo cuánto cuánta cuántos cuántas où".split()
)
# Words of Chinese, Japanese, Korean, Thai and Vietnamese that ask anywhere in a sentence.
_INSIDE = LazyPattern(
    "什么|什麼|谁|誰|哪|怎么|怎麼|多少|几|幾|为什么|為什麼|呢|何|どこ|いつ|なぜ|どう|どの|どれ|いくら"
    "|어디|누구|언제|무엇|뭐|왜|어떻게|몇|อะไร|ใคร|ที่ไหน|เมื่อไหร่|ทำไม|อย่างไร|ไหม"
    "|^ما (?:هو|هي|اسم)|gì|nào|đâu|bao giờ|tại sao"
)
# Separates a statement from a following question.
_JOINT = LazyPattern("[,;:，、；：،؛—–]|\\s-\\s")

GREETINGS = frozenset(
    fold(word)
    for word in """hola buenas buenos días tardes noches gracias muchas de nada vale sí no claro perfecto genial adiós
    hasta luego por favor bonjour salut bonsoir merci beaucoup oui non d'accord accord parfait super au
    revoir bonne journée nuit s'il vous te plaît hallo guten tag morgen abend danke schön sehr vielen
    dank bitte ja nein genau gut super prima tschüss servus moin ciao buongiorno buonasera grazie mille
    prego sì va bene perfetto arrivederci olá oi bom dia boa tarde noite obrigado obrigada muito sim não
    tchau hoi goedemorgen bedankt dank je u wel nee prima doei hej hejsan tack så mycket tak mange hei
    takk kiitos paljon moi kyllä szia köszönöm igen jó napot merhaba selam teşekkürler teşekkür ederim
    sağ ol evet tamam günaydın halo selamat pagi siang malam terima kasih iya ya tidak cześć dziękuję
    dzięki tak dobrze ahoj děkuji díky ano bună salut mulțumesc mersi da nu xin chào cảm ơn vâng dạ
    привет здравствуйте здравствуй спасибо большое да нет хорошо пожалуйста пока привіт дякую так ні
    добре γεια σου σας ευχαριστώ ναι όχι καλημέρα καλησπέρα مرحبا السلام عليكم أهلا شكرا جزيلا نعم لا
    حسنا سلام ممنون متشکرم بله خیر خوب שלום תודה רבה כן לא בסדר नमस्ते धन्यवाद शुक्रिया हाँ नहीं ठीक है
    你好 您好 谢谢 謝謝 好的 好 是 是的 对 不 不是 再见 再見 嗨 早上好 晚安 没问题 こんにちは こんばんは
    おはよう おはようございます ありがとう ありがとうございます どうも はい いいえ うん 了解 了解です
    さようなら 안녕 안녕하세요 감사합니다 고마워 고마워요 네 예 아니요 아니오 좋아요 알겠습니다 สวัสดี
    สวัสดีครับ สวัสดีค่ะ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ ใช่ ไม่ โอเค ok okay""".split()
)
"""Words of greeting, thanks and assent in many languages, folded."""
_COURTESIES = GREETINGS | frozenset(
    fold(word)
    for word in """hi hey hello hiya yo howdy dear good morning evening afternoon night day bye goodbye see later soon
    thanks thank thx ty cheers appreciate appreciated please pls sorry welcome congrats congratulations
    ok okay yes yep yeah yup no nope nah sure fine right exactly correct indeed agreed alright
    great cool nice awesome perfect lovely wonderful amazing excellent brilliant fantastic interesting neat wow oh ah
    lol haha hahaha hehe hmm helps help helped helpful sense make makes made sound sounds looks works worked works
    never mind np problem worries got get understood noted see lot best needed need wanted exactly useful
    go going goes goin how's what's up doing continue next done well done ready here again now then you're that's
    hilft geholfen weiter verstanden klar läuft geht's gehts wie aide aidé compris va vas ça tal ayuda entiendo
    entendido aiuta capito aiutato ajuda ajudou entendi helpt begrepen snap hjälper hjelper hjælper помогло помогает
    понял поняла понятно ясно дела 明白 明白了 知道了 谢谢你 非常感谢 分かりました わかりました 네네 شكرا""".split()
)
"""Folded; a text of nothing else, apart from function words, is a courtesy."""
# Longer texts say something, whatever their words are in another language.
_MAX_COURTESY_WORDS = 12
# So many characters at the end of a text tell whether it asks.
_ENDING = 40
# A greeting is short, whatever its words are in another language.
_MAX_GREETING_WORDS = 4


def asks(text: str) -> bool:
    """Tell whether a text ends asking: with a question mark of its script, or a particle that asks.

    >>> asks("Où est-ce ?"), asks("你住在奥斯陆吗"), asks("静か")
    (True, True, False)
    """
    end = len(text)
    while end and (text[end - 1].isspace() or text[end - 1] in _CLOSING):
        end -= 1
    plain = text[max(0, end - _ENDING) : end]
    if plain.isascii():
        return plain.endswith("?")
    plain = unicodedata.normalize("NFC", plain)
    return plain.endswith(_MARKS) or bool(_GREEK_MARK.search(plain) or _PARTICLE.search(plain))


def opens_asking(text: str) -> bool:
    """Tell whether a sentence of another language than English begins as questions do.

    >>> opens_asking("¿Dónde vivo?"), opens_asking("Donde vivo hay montañas."), opens_asking("Warum nicht")
    (True, False, True)
    """
    return text.lstrip().startswith("¿") or is_opener(next(iter(words(text[:80])), ""))


def is_opener(first: str) -> bool:
    """Tell whether questions of another language than English begin with a normalised word."""
    return first in _ACCENTED_OPENERS or fold(first) in _OPENERS


def only_asks(sentence: str) -> bool:
    """Tell whether a sentence of another language than English is a question and nothing is told in it.

    >>> only_asks("¿Qué debo evitar?"), only_asks("Vivo en Oslo, ¿qué debo ver?"), only_asks("我住哪里？")
    (True, False, True)
    """
    told = _JOINT.search(sentence.rstrip()[:-1]) or not asks(sentence)
    return not told and (opens_asking(sentence) or bool(_INSIDE.search(sentence)))


def only_greets(sentence: str) -> bool:
    """Tell whether a sentence is greeting, thanks or assent alone.

    >>> only_greets("¡Muchas gracias!"), only_greets("谢谢！"), only_greets("Gracias a Ana vivo en Oslo")
    (True, True, False)
    """
    said = words(sentence)
    return 0 < len(said) <= _MAX_GREETING_WORDS and all(fold(word) in GREETINGS for word in said)


_WORDS = frozenset(
    """no not never none nobody nothing neither nor without cannot nowhere hardly
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder
    ne n'est n'ai n'a n'aime pas jamais rien personne aucun aucune sans plus guère
    nunca jamás nada nadie ningún ninguno ninguna sin tampoco non mai niente nessuno nessuna senza né neanche
    não nenhum nenhuma ninguém sem nem jamais niet geen nooit niets niemand zonder
    inte aldrig ingen inget inga utan ikke aldri aldrig uten uden intet ei en et emme eivät ilman koskaan
    nie nigdy nic nikt żaden żadna bez ne není nejsem nemám nikdy nikdo nem soha semmi senki nélkül nincs
    nu niciodată nimic nimeni fără değil yok hiç asla tidak bukan tak tanpa jangan không chẳng chưa
    не нет ни никогда ничего никто без нельзя ні ніколи нічого ніхто немає δεν μην όχι ποτέ τίποτα κανείς χωρίς
    لا ليس ليست لم لن ما بدون غير لست نیست نه هرگز بدون לא אין אף בלי לעולם नहीं नही न मत कभी बिना""".split()
)
# Contractions as they read without their apostrophe; those that spell another word ("wont", "cant") are meant anyway.
CONTRACTED = frozenset(
    """isnt arent wasnt werent dont doesnt didnt havent hasnt hadnt wont wouldnt cant couldnt shouldnt mustnt neednt
    aint""".split()
)
_INSIDE_WORD = LazyPattern(r"[不没沒無无未别莫非]|ない|なかった|ません|ぬ|안 |않|못|없|아니|ไม่|มิได้")


def negations(text: str) -> int:
    """Count the words, or signs of an unspaced script, that deny.

    >>> negations("Ich esse kein Fleisch."), negations("我不吃肉"), negations("I don't eat meat."), negations("I eat.")
    (1, 1, 1, 0)
    """
    told = sum(word in _WORDS or word.endswith("n't") or word in CONTRACTED for word in words(text))
    return told + len(_INSIDE_WORD.findall(text))


def is_courtesy(text: str, content_words: frozenset[str]) -> bool:
    """Return whether a text only greets, thanks or assents.

    Args:
        text: The text.
        content_words: Its words without the stop words of its language.

    >>> is_courtesy("Thanks, that helps.", frozenset({"thanks", "helps"}))
    True
    >>> is_courtesy("Help Ana.", frozenset({"help", "ana"}))
    False
    """
    if only_greets(text):
        return True
    return len(content_words) <= _MAX_COURTESY_WORDS and all(fold(word) in _COURTESIES for word in content_words)
