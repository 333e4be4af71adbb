"""Politeness: whether a sentence is nothing else, and why a model need not see a message. Pure.

A sentence is read clause by clause, and each must be a polite phrase or a form of address. So "Hello, I moved to Oslo"
is not polite only: its second clause states something.
"""

import re
from typing import Literal

from toldonce.extraction.speech_acts import is_small_talk
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import fold, sentences
from toldonce.text import words
from toldonce.text.normalize import fold as fold_letters

# No polite sentence is longer.
_MAX_CHARACTERS = 240
_CLAUSE_END = LazyPattern(
    r"[,;:!?.…–—]++|\s-\s|\band\s(?=(?:thanks?|welcome|good|have|take|until|see|say|how|all|many|sweet|sleep)\b)",
    re.IGNORECASE,
)
_LEADING = frozenset("and but so oh ah now then again yes no please very too also".split())
_GOOD = "(?:good|great|nice|lovely|wonderful|fine|pleasant|beautiful|splendid|safe|happy|merry|delightful)"
_GLADLY = "(?:good|great|nice|lovely|wonderful|pleasure|joy|honou?r|delight|surprise)"
_VERY = "(?:(?:so|very|really|truly|always|such|just|quite|pretty|all) ){0,3}"
_MEETING = (
    "(?:(?:to (?:see|meet|have|welcome)|seeing|meeting|having) (?:you|everyone)|to hear from you"
    "|to (?:talk|speak) (?:to|with) you)"
    "(?: (?:again|here|all|today|tonight|both|too|back|once more|in person|at last|after all this time|with us)){0,4}$"
)
_SPECIAL_DAY = "(?:birthday|new year|christmas|easter|holidays?|anniversary)"
_DAY = f"(?:morning|afternoon|evening|night|day|days|weekend|trip|travels|journey|{_SPECIAL_DAY})"
_WORKS = r"(?!.{0,60}\b(?:is|are|was|were|has|have|had|lives?|works?)\b)"
_PHRASES = tuple(
    LazyPattern(source, re.IGNORECASE)
    for source in (
        rf"(?:hi|hey|hello|hiya|howdy|greetings|hail|ahoy|farewell|goodbye|bye|cheers)\b{_WORKS}.{{0,30}}$",
        rf"welcome\b{_WORKS}.{{0,60}}$",
        rf"{_GOOD} {_DAY}"
        r"(?: (?:to you|my|dear|all|everyone|everybody|sir|madam|friends?|today|then|folks)\b.{0,30})?$",
        r"(?:well met|long time no see|fancy (?:meeting|seeing) you|look who)\b.{0,20}$",
        rf"(?:what )?(?:an? )?{_GLADLY} {_MEETING}",
        rf"(?:it|that|this)(?:'s| is| was| has been| will be) {_VERY}(?:an? )?(?:(?:real|great|true) )?{_GLADLY}"
        rf" {_MEETING}",
        rf"i(?:'m| am) {_VERY}(?:glad|happy|pleased|delighted|honou?red|thrilled) {_MEETING}",
        rf"i(?:'m| am) {_VERY}(?:glad|happy|pleased|delighted|honou?red|thrilled) (?:that )?"
        r"you(?:'re| are|'ve| have)? (?:all )?(?:here|come|came|back|made it|joined|visit|well)\b.{0,30}$",
        rf"(?:i(?:'m| am)|we(?:'re| are)) (?:doing |feeling )?{_VERY}(?:fine|well|good|great|okay|ok|alright)$",
        r"how(?:'s| is| are| about| have| do| goes) (?:you|things|it|life|everything|your (?:day|night|morning|evening|"
        r"weekend|week|family))\b.{0,40}$",
        r"what(?:'s up| about you| brings you\b.{0,20}| (?:can|may|could) (?:i|we) (?:do|get|bring)\b.{0,40})$",
        r"(?:many thanks|much obliged|thanks?(?: you)?)"
        r"(?: (?:all|everyone|everybody|kindly|so|very|much|again|indeed)){0,4}"
        r"(?: for (?:coming|asking|having|being|stopping|visiting|listening|everything|joining|dropping|waiting|your)\b"
        r".{0,40})?$",
        r"(?:(?:see|talk to|speak to|catch) you|(?:until|till) (?:we|next|tomorrow|then|later))\b.{0,30}$",
        r"(?:have )?(?:take (?:good )?care|sleep (?:well|tight)|sweet dreams|safe travels|rest well|be well|"
        r"stay (?:safe|well|warm)|godspeed|best of luck|all the best|best wishes|congratulations|congrats|good luck)"
        r"(?: (?:to|of|for|until|with|on|and) .{0,40})?$",
        rf"(?:(?:do )?have|enjoy|(?:(?:i|we) )?wish(?:ing)? you|(?:i|we) hope (?:that )?you(?:'re| are|'ve)?"
        rf"(?: have| had| having)?)(?: (?:all|an?|the|your|really|very|most|best|rest|of)){{0,4}}(?: {_GOOD})?"
        rf" ?(?:{_DAY}|well|best|time|year)\b.{{0,40}}$",
        r"may (?:the|your|you|all|luck|fortune|god|peace)\b.{0,100}$",
        r"(?:(?:do )?come (?:on )?in|make yourself (?:at home|comfortable)|have a seat|sit down|at your service|"
        r"pleased to meet you|you(?:'re| are) (?:always |most |very )?welcome|don't mention it|my pleasure|"
        r"say (?:hello|hi)\b)(?: (?:and|to|here|my|dear|in|at) .{0,50})?$",
        rf"(?:what )?(?:an? )?{_VERY}{_GOOD} (?:weather|sunshine)(?: (?:today|tonight|outside|again)){{0,2}}$",
        r"(?:dear|my|old|sweet|good|kind|young|fellow|noble|brave|our)"
        r"(?: (?:dear|old|sweet|good|kind|young|little|new|best|fellow)){0,2}"
        r" (?:friends?|travell?er|stranger|guests?|love|lady|ladies|sir|madam|ones?|people|darling|fellow)\b.{0,15}$",
        r"(?:friends?|travell?er|stranger|everyone|everybody|all|folks|guys|sir|madam|darling|love|there|you|again|today|"
        r"isn't it|is it not|you know|as always|for now|soon|please|well|oh|(?:my )?dear [\w'’-]{1,30})$",
        r"(?:after all this time|after so long|once more|once again|by the way)$",
    )
)
_NAME = LazyPattern(r"(?:dear )?[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30})?$")


def is_polite_phrase(sentence: str) -> bool:
    """Return whether each clause of a sentence is a polite phrase.

    >>> is_polite_phrase("Good morning to you, dear Marcus, and welcome back to our village!")
    True
    >>> is_polite_phrase("Hello Marcus, the old bridge collapsed last night.")
    False
    """
    plain = " ".join(fold(sentence[: _MAX_CHARACTERS + 1]).split())
    if len(plain) > _MAX_CHARACTERS:
        return False
    polite = False
    for clause in filter(None, map(_without_lead, _CLAUSE_END.split(plain))):
        if any(phrase.match(clause) for phrase in _PHRASES):
            polite = True
        elif not _NAME.match(clause):
            return False
    return polite


def _without_lead(clause: str) -> str:
    words = clause.strip(" \"'*").split()
    while len(words) > 1 and words[0].casefold() in _LEADING:
        words = words[1:]
    return " ".join(words)


SkipReason = Literal["", "empty", "greeting", "thanks", "assent", "code", "carried", "question"]
"""Empty if the message must be shown to the model; `carried`: it has no words but those of others; `question`: it only
asks, and the trained heads see no statement in it."""

_GREETINGS = """
    hi, hey, hello, hiya, yo, howdy, greetings, good morning, good afternoon, good evening, good night, good
    day, morning, evening, bye, bye bye, goodbye, good bye, see you, see you later, see you soon, see you
    tomorrow, see ya, later, take care, welcome, welcome back, nice to meet you, how are you, how are you
    doing, how are you today, how is it going, how's it going, what's up, whats up, sup, have a nice day, have
    a great day, have a good day, have a good one, have a nice evening, have a great weekend, have a nice
    weekend, long time no see, hola, buenas, buenos días, buen día, buenas tardes, buenas noches, qué tal,
    cómo estás, adiós, hasta luego, hasta pronto, hasta mañana, chao, bonjour, salut, coucou, bonsoir, bonne
    nuit, bonne journée, bonne soirée, au revoir, à bientôt, à demain, à plus, ça va, comment ça va, hallo,
    hallöchen, guten tag, guten morgen, guten abend, gute nacht, morgen, moin, moin moin, servus, grüß gott,
    grüß dich, grüezi, tschüss, tschüs, ciao, auf wiedersehen, bis bald, bis später, bis morgen, wie geht's,
    wie geht es dir, schönen tag noch, buongiorno, buon giorno, buonasera, buona sera, buonanotte, buona
    notte, buona giornata, salve, arrivederci, a presto, come stai, come va, olá, oi, bom dia, boa tarde, boa
    noite, tchau, até logo, até mais, até amanhã, tudo bem, hoi, dag, goedemorgen, goedemiddag, goedenavond,
    goedendag, goede morgen, doei, tot ziens, tot morgen, hej, hejsan, tjena, god morgon, god kväll, god natt,
    hej då, vi ses, hei, god morgen, god aften, god dag, ha det, moi, terve, huomenta, hyvää huomenta, hyvää
    päivää, hyvää iltaa, näkemiin, moikka, cześć, hejka, dzień dobry, dobry wieczór, dobranoc, do widzenia,
    pa, ahoj, čau, dobrý den, dobré ráno, dobrý večer, na shledanou, szia, sziasztok, helló, jó napot, jó
    reggelt, jó estét, viszlát, salutare, bună, bună ziua, bună dimineața, bună seara, la revedere, merhaba,
    selam, günaydın, iyi akşamlar, iyi geceler, iyi günler, hoşça kal, görüşürüz, halo, hai, selamat pagi,
    selamat siang, selamat sore, selamat malam, apa kabar, sampai jumpa, xin chào, chào, chào bạn, tạm biệt,
    привет, приветик, здравствуй, здравствуйте, доброе утро, добрый день, добрый вечер, доброй ночи, спокойной
    ночи, пока, до свидания, как дела, привіт, вітаю, добрий день, доброго ранку, до побачення, γεια, γεια
    σου, γεια σας, καλημέρα, καλησπέρα, καληνύχτα, αντίο, مرحبا, أهلا, أهلا وسهلا, السلام عليكم, صباح الخير,
    مساء الخير, مع السلامة, سلام, درود, صبح بخیر, شب بخیر, خداحافظ, שלום, היי, בוקר טוב, ערב טוב, לילה טוב,
    להתראות, नमस्ते, नमस्कार, सुप्रभात, शुभ रात्रि, 你好, 您好, 大家好, 你好啊, 嗨, 哈喽, 早, 早安, 早上好,
    下午好, 晚上好, 晚安, 再见, 再見, 拜拜, こんにちは, こんばんは, おはよう, おはようございます, おやすみ,
    おやすみなさい, さようなら, またね, やあ, もしもし, はじめまして, 안녕, 안녕하세요, 안녕하십니까, 좋은
    아침, 좋은 아침이에요, 잘 자, 안녕히 가세요, 안녕히 계세요, 반갑습니다, สวัสดี, สวัสดีครับ, สวัสดีค่ะ,
    ลาก่อน, নমস্কার, আসসালামু আলাইকুম, শুভ সকাল, শুভ রাত্রি, কেমন আছো, কেমন আছেন, السلام علیکم, آداب, خدا حافظ, شب بخیر,
    வணக்கம், காலை வணக்கம், నమస్కారం, నమస్తే, शुभ सकाळ, jambo, hujambo, habari, habari yako, mambo, kwaheri,
    usiku mwema, kumusta, kamusta, kumusta ka, magandang umaga, magandang hapon, magandang gabi, paalam, здравей,
    здравейте, здрасти, добро утро, добър ден, добър вечер, лека нощ, довиждане, чао, zdravo, bok, dobro jutro,
    dobar dan, dobra večer, dobro veče, laku noć, doviđenja, здраво, добро јутро, добар дан, добро вече, лаку ноћ,
    довиђења
"""
_THANKS = """
    thanks, thank you, thank u, thx, ty, tysm, cheers, much appreciated, appreciated, appreciate it, i
    appreciate it, many thanks, thanks a lot, thanks a million, thanks so much, no thanks, thank you so much,
    thank you very much, much obliged, thanks for your help, thank you for your help, thanks for the help,
    you're welcome, you are welcome, no problem, gracias, muchas gracias, mil gracias, muchísimas gracias, de
    nada, te lo agradezco, merci, merci beaucoup, merci bien, mille mercis, merci à toi, merci à vous, je te
    remercie, de rien, danke, danke schön, danke sehr, vielen dank, herzlichen dank, besten dank, tausend
    dank, danke dir, danke ihnen, ich danke dir, bitte schön, bitte sehr, gern geschehen, grazie, grazie
    mille, grazie tante, molte grazie, tante grazie, ti ringrazio, prego, obrigado, obrigada, muito obrigado,
    muito obrigada, valeu, de nada, bedankt, dank je, dank je wel, dank u, dank u wel, hartelijk dank, heel
    erg bedankt, graag gedaan, tack, tack så mycket, tusen tack, stort tack, tak, mange tak, tusind tak, takk,
    takk skal du ha, mange takk, tusen takk, kiitos, kiitos paljon, paljon kiitoksia, dziękuję, dziękuję
    bardzo, dzięki, wielkie dzięki, děkuji, děkuju, díky, moc děkuji, děkuji moc, köszönöm, köszi, köszönöm
    szépen, nagyon köszönöm, mulțumesc, mersi, mulțumesc mult, teşekkürler, teşekkür ederim, çok teşekkürler,
    çok teşekkür ederim, sağ ol, sağol, eyvallah, terima kasih, terima kasih banyak, makasih, cảm ơn, cảm ơn
    bạn, cám ơn, cảm ơn nhiều, спасибо, большое спасибо, спасибо большое, спасибо тебе, благодарю, огромное
    спасибо, дякую, щиро дякую, ευχαριστώ, ευχαριστώ πολύ, σε ευχαριστώ, شكرا, شكرا جزيلا, شكرا لك, شكرا لكم,
    ممنون, متشکرم, مرسی, تشکر, תודה, תודה רבה, धन्यवाद, बहुत धन्यवाद, शुक्रिया, बहुत शुक्रिया, 谢谢, 謝謝,
    谢谢你, 谢谢您, 非常感谢, 多谢, 感谢, 谢了, ありがとう, ありがとうございます, ありがとうございました,
    どうも, どうもありがとう, どうもありがとうございます, サンキュー, 고마워, 고마워요, 감사합니다, 감사해요,
    정말 고마워요, 정말 감사합니다, 고맙습니다, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, ขอบคุณมาก, ধন্যবাদ, অনেক ধন্যবাদ,
    شکریہ, بہت شکریہ, آپ کا شکریہ, நன்றி, மிக்க நன்றி, ధన్యవాదాలు, చాలా ధన్యవాదాలు, आभारी आहे, asante, asante sana,
    nashukuru, salamat, maraming salamat, salamat po, maraming salamat po, благодаря, много благодаря, мерси,
    hvala, puno hvala, hvala lijepa, hvala lepo, hvala ti, hvala vam, хвала, хвала лепо, хвала пуно
"""
# Words next to a greeting or thanks that say nothing by themselves.
_FILLERS = """
    so much, very much, a lot, again, there, everyone, all, mate, my friend, friend, friends, you too, to you
    too, and, then, well, oh, ok, okay, great, perfect, super, awesome, buddy, team, guys, folks, sir, for
    now, once more, chat, assistant, bot, amigo, amiga, a todos, mon ami, zusammen, alle, alles klar, nochmal,
    nochmals, tutti, a tutti, pessoal, allemaal, всем
"""
# Greetings that can also answer a question: 'When do you train?' 'Morgen.'
_GREETINGS_THAT_ANSWER = frozenset(
    fold_letters(word) for word in ("morning", "evening", "morgen", "later", "tak", "pa", "moi", "no")
)
_MAX_PHRASE_WORDS = 5
_MAX_WORDS = 10
# Only this much of a message is read: no greeting is longer.
_READ_CHARACTERS = 400


def _phrases(listed: str) -> frozenset[tuple[str, ...]]:
    """Parse a comma-separated list into phrases of folded words."""
    folded = (tuple(fold_letters(word) for word in words(" ".join(phrase.split()))) for phrase in listed.split(","))
    return frozenset(phrase for phrase in folded if phrase)


_KINDS: tuple[tuple[SkipReason, frozenset[tuple[str, ...]]], ...] = (
    ("thanks", _phrases(_THANKS)),
    ("greeting", _phrases(_GREETINGS)),
    ("", _phrases(_FILLERS)),
)


def skip_reason(text: str, *, asked: bool = False, fenced: bool = False) -> SkipReason:
    """Return why a message holds nothing for a model to read; empty if it may hold something.

    Args:
        text: The message's own words.
        asked: The other side has just asked something, so a mere 'yes' means something.
        fenced: The message held words of others or of programs, which do not count as its own.

    >>> skip_reason("¡Muchas gracias!"), skip_reason("Yes, peanuts."), skip_reason("ok"), skip_reason("ok", asked=True)
    ('thanks', '', 'assent', '')
    """
    plain = fold(text)
    if not any(character.isalnum() for character in plain):
        return "carried" if fenced else "empty"
    if len(plain.strip()) <= _READ_CHARACTERS:
        found = {_courtesy(piece.text, may_end_in_name=not asked) for piece in sentences(plain) if words(piece.text)}
        if found <= {"thanks", "greeting"} and not (asked and _may_answer(plain)):
            return "thanks" if "thanks" in found else "greeting"
        if not asked and all(
            _courtesy(piece.text, may_end_in_name=True) or is_small_talk(piece.text) for piece in sentences(plain)
        ):
            return "assent"
    return "code" if _is_bare_code(plain) else ""


def _may_answer(text: str) -> bool:
    return bool(_GREETINGS_THAT_ANSWER & {fold_letters(word) for word in words(text)})


def _courtesy(sentence: str, *, may_end_in_name: bool) -> SkipReason:
    """Return the courtesy a sentence consists of; empty if it says more, except a name if `may_end_in_name`."""
    folded = [fold_letters(word) for word in words(sentence)]
    if not folded or len(folded) > _MAX_WORDS:
        return ""
    found: set[SkipReason] = set()
    place = 0
    while place < len(folded):
        length, kind = _phrase_at(folded, place)
        if not length:
            addressed = (
                may_end_in_name
                and place > 0
                and place == len(folded) - 1
                and bool(found - {""})
                and _ends_in_name(sentence)
            )
            if not addressed:
                return ""
            length = 1
        found.add(kind)
        place += length
    return "thanks" if "thanks" in found else "greeting" if "greeting" in found else ""


def _phrase_at(folded: list[str], place: int) -> tuple[int, SkipReason]:
    """Find the longest phrase that starts at a place; length 0 if there is none."""
    for length in range(min(_MAX_PHRASE_WORDS, len(folded) - place), 0, -1):
        phrase = tuple(folded[place : place + length])
        for kind, phrases in _KINDS:
            if phrase in phrases:
                return length, kind
    return 0, ""


_NAME_AT_END = LazyPattern(r"[^\W\d_][\w'’-]{0,30}\W{0,5}$")


def _ends_in_name(sentence: str) -> bool:
    found = _NAME_AT_END.search(sentence[-40:])
    return found is not None and found.group()[0].isupper()


# A line that only code has. Prose may begin with a keyword, end in a semicolon, or contain an equals sign before
# several words.
_CODE_LINE = LazyPattern(
    r"[{}]$|[)\]'\"\d];$|^\w{1,40};$|^(?:def|const|elif|func|fn|#include|Traceback)\b|^import\s{1,9}[\w.]{1,99}(?:\s{1,9}as\s\w+)?$"
    r"|^from\s{1,9}\S{1,99}\s{1,9}import\b|^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|GROUP|ORDER|JOIN|VALUES)\b"
    r"|^(?:class|return|let|var|public|private|static|function|struct|enum|interface|using|package|echo|print|sudo|else|try|"
    r"except|finally|raise|yield|await|throw|new)\b(?:\s{1,9}\w{1,40})?(?:$|.{0,300}[(){}\[\]<>=;*])"
    r"|^(?:else|try|finally|except):$|^(?:for|if|while|with|async|switch|case|match|except)\b.{0,300}[:{)]$"
    r"|^(?:</?\w|@\w|\$\s|#!|//|/\*|\*/|--\s)|^File \"|=>|->|==|!=|\+=|-=|(?<![CcСс])\+\+|&&|\|\||::|\w\(\)"
    r"|^[\w.\[\]\"']{1,60}\s{0,9}=\s{0,9}\S{1,200}$|^[\w.]{1,60}\([^)]{0,300}\)[;:]?$"
)
_CODE_MARKS = frozenset("(){}[]<>=_|\\$")
_CODE_SHARE = 0.5
_PROSE_WORDS = 4
# Characters of a line that are searched.
_MAX_LINE = 500


def _is_bare_code(text: str) -> bool:
    """Return whether a message is code only: most lines look like code, and none like a sentence."""
    lines = [line.strip()[:_MAX_LINE] for line in text.splitlines() if line.strip()]
    hits = sum(bool(_CODE_LINE.search(line)) for line in lines)
    return hits > _CODE_SHARE * len(lines) and not any(_is_prose(line) for line in lines)


def _is_prose(line: str) -> bool:
    """Return whether a line reads as a sentence: several words, and no sign of code."""
    text = line.rstrip(";,.!?")
    return len(text.split()) >= _PROSE_WORDS and not (_CODE_MARKS & set(text) or _CODE_LINE.search(text))
