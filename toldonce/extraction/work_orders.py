"""Whether words ask the assistant to do something: 'make this sound polite', 'corrige ce texte', '帮我翻译'. Pure.

Such words before a pasted text are the user's own, whatever the text is.
"""

import re

from toldonce.lazy_pattern import LazyPattern

LEAD = (
    r"\A\W{0,9}(?:(?:please|pls|kindly|can you|could you|would you|will you|now|and|then|also|so|but|ok|okay"
    r"|hey|hi|hello|"
    r"help me(?: to)?|i need you to|i want you to|i'd like you to|you should|let's|how (?:do|would|can"
    r"|should) (?:you|i))[ ,]++){0,4}"
)
# English verbs of work on a text that is at hand; the second list also begins labels ('Review:', 'Polish lesson:'), so
# it needs the word of a text beside it, or one that points to it.
_WORKING = LazyPattern(
    LEAD
    + r"(?:translate|rewrite|re-write|rephrase|paraphrase|proofread|summari[sz]e|shorten|reword|simplify|humani[sz]e|"
    r"continue|annotate|say the same)\b",
    re.IGNORECASE,
)
_WORKING_ON = LazyPattern(
    LEAD
    + r"(?:correct|polish|improve|edit|fix|check|review|revise|analy[sz]e|grade|rate|classify|label|expand|complete|"
    r"finish|format|convert|enhance|elevate|critique|optimi[sz]e|read|say)\b(?!\s(?:of|for|in|out)\b)",
    re.IGNORECASE,
)
_POINTING = frozenset(
    "this these those it following below grammar spelling english wording punctuation mistakes".split()
)
# The same in other languages, as orders: the nouns beside them ('Resumen', 'Korrektur') are labels of one's own.
_WORKING_FOREIGN = LazyPattern(
    r"\b(?:"
    # German, Dutch
    r"übersetz(?:e|en|t)?|korrigier(?:e|en|t)?|verbess(?:ere|er|ern|re)|(?:um)?formulier(?:e|en|t)?|fass(?:e|t|en)|"
    r"prüf(?:e|en|t)?|überarbeite[nt]?|vertaal|verbeter|corrigeer|herschrijf|herformuleer|vat|"
    # French
    r"r[ée]{1,2}[ée]?cri(?:s|re|vez|vons)|corrige[zr]?|tradui(?:s|re|sez|t)|résume[zr]?|améliore[zr]?|reformule[zr]?|"
    r"d[ée]velopp(?:e|er|ez)|"
    # Spanish, Portuguese, Italian, Romanian
    r"traduc(?:e|ir|eme|elo|id)|traduz(?:a|ir|e|i)?|traduc[ia]|corrig(?:e|ir|a|elo|eme)|corrij(?:a|e|o)"
    r"|mejora(?:r|me|lo)|"
    r"resum(?:e|a|ir|elo|eme)|reescrib(?:e|ir|a|elo|eme)|revisa(?:r|lo)?|melhor(?:e|ar)|reescrev(?:a|er)|"
    r"corregg(?:i|ere|imi)|migliora(?:re)?|riassum(?:i|ere)|riscriv(?:i|ere)|riformula(?:re)?|corectează|rescrie|"
    # Scandinavian languages, Finnish
    r"översätt|rätta|förbättra|sammanfatta|oversæt|oversett|rett? (?:denne|dette|det|teksten)|käännä|korjaa|tiivistä|"
    # Slavic languages
    r"popraw|przetłumacz|streść|przeredaguj|sparafrazuj|oprav(?:te)?|přelož(?:te)?|prelož(?:te)?|shrň|"
    r"переведи(?:те)?|исправь(?:те)?|перепиши(?:те)?|убери(?:те)?|продолжи(?:те)?|проверь(?:те)?|переделай(?:те)?|"
    r"сократи(?:те)?|улучши(?:те)?|переклади|виправ|преведи|поправи|"
    # Turkish, Hungarian, Greek, Vietnamese, Indonesian
    r"çevir\w{0,4}|düzelt(?:ir|in|iniz|sene)?|özetle(?:r|yin|yiniz)|fordítsd|javítsd|μετάφρασε|διόρθωσε"
    r"|dịch(?=\s)|sửa|"
    r"tóm tắt|terjemahkan|perbaiki|ringkaskan|ringkaslah|"
    # Arabic, Persian, Hebrew, Hindi
    r"ترجم|صحح|لخص|ترجمه کن|اصلاح کن|خلاصه کن|بازنویسی کن|תרגם|תקן|סכם|अनुवाद कर|सुधारें"
    r")(?!\w)",
    re.IGNORECASE,
)
# In scripts without blanks, and in Korean, whose verbs end the sentence.
_WORKING_UNSPACED = LazyPattern(
    r"翻[译譯]|[译譯]成|中[译譯]英|英[译譯]中|改[写寫]|[润潤]色|[续續扩擴缩縮][写寫]"
    r"|(?:[请請帮幫把将]|下面|以下|[这這]).{0,12}?(?:翻|[译譯]|改|[优優]化|完善|精[简簡]|[总總][结結]"
    r"|校[对對正]|[检檢]查|[语語]法)"
    r"|訳して|直して|添削|要約して|번역해|고쳐|요약해|교정해|แปล|แก้ไข|สรุปข้อความ"
)
# Further words that begin a request: what is to be made, said or explained.
_ASKING = LazyPattern(
    r"\b(?:"
    r"please|pls|can you|could you|would you|help me|correct|polish|improve|edit|fix|check|review|revise"
    r"|analy[sz]e|expand|convert|make|write|draft|create|generate|give me|tell me|answer|explain|"
    r"complete|turn|develop|respond|reply|use|grammar|spelling|what (?:does|do|is|are)|what's|(?:is|are|does"
    r"|do) (?:this|these|it)|"
    r"bitte|kannst du|können sie|schreib\w{0,3}|erstell\w{0,2}|mach\w{0,2}|gib|erklär\w{0,3}|hilf|beantworte|"
    r"kun je|kan je|graag|schrijf|maak|geef|peux-tu|pouvez-vous|pourrais-tu|stp|svp|écris|ecris|rédige\w{0,2}"
    r"|fais|faites|"
    r"donne\w{0,3}|aide-moi|explique\w{0,2}|complète|réponds|génère|crée|"
    r"puedes|podrías|por favor|escrib\w{1,4}|escriu\w{0,2}|haz|hazme|dame|redact\w{1,3}|genera|crea|continúa"
    r"|responde|necesito|"
    r"podes|poderia|escrev\w{1,3}|faça|gere|crie|responda|explique|puoi|potresti|per favore|scriv\w{1,4}|fammi|dammi|"
    r"rispondi|aiutami|spiega\w{0,3}|scrie\w{0,2}|te rog|kan du|skriv|hjälp|hjælp|hjelp|forklar|förklara"
    r"|kirjoita|selitä|auta|"
    r"napisz|zrób|podaj|stwórz|wyjaśnij|proszę|pomóż|odpowiedz|napiš\w{0,3}|udělej|vytvoř|vysvětli|prosím|pomoz|"
    r"напиши\w{0,2}|сделай\w{0,2}|придумай\w{0,2}|составь\w{0,2}|дай\w{0,2}|ответь\w{0,2}|реши\w{0,2}|разбей\w{0,2}|"
    r"помоги\w{0,2}|объясни\w{0,2}|опиши\w{0,2}|измени\w{0,2}|пожалуйста|можешь|зроби|створи|поясни|допоможи|направи|"
    r"yaz\w{0,4}|açıkla\w{0,4}|lütfen|oluştur\w{0,4}|írj\w{0,3}|készíts\w{0,2}|kérlek|γράψε|φτιάξε|εξήγησε|παρακαλώ|"
    r"viết|hãy|giải thích|trả lời|giúp|tulis\w{0,3}|buat\w{0,3}|jelaskan|tolong|bantu|jawab|berikan|lanjutkan|"
    r"اكتب|أعطني|اعطني|ساعدني|اشرح|أجب|من فضلك|بنویس|لطفا|توضیح|כתוב|כתבי|הסבר|בבקשה|लिखो|लिखिए|लिखें|बताओ"
    r"|बताइए|कृपया|समझाओ"
    r")(?!\w)",
    re.IGNORECASE,
)
_ASKING_UNSPACED = LazyPattern(
    r"[请請帮幫]|有[无無没沒]|是否|[写寫]一|生成|用.{1,8}[写寫]|解[释釋]|分析|[给給]我|把.{1,12}[用翻改写寫]"
    r"|ください|下さい|してくれ|書いて|教えて|お願い|"
    r"해\s?줘|해\s?주세요|써\s?줘|써\s?주세요|작성|알려\s?줘|설명|เขียน|ช่วย|อธิบาย"
)
# 'Check this out' announces news.
_OUT = LazyPattern(r"\bout\W*\Z", re.IGNORECASE)
_WORD = LazyPattern(r"[^\W\d_][\w'’-]*+")
# Kinds of text.
TEXTS = frozenset(
    """abstract intro introduction notes ad advert announcement article bio biography blog book caption chapter chat
    comment conversation cv description dialogue diary draft email e-mail essay eulogy excerpt fable fanfic letter
    line lines lyrics mail message messages monologue novel obituary paragraph paragraphs passage poem post
    profile prologue prompt quote reply resume response review scene screenplay script sentence sentences song
    sonnet speech statement story storyline testimonial tale text texts toast tweet verse whatsapp sms transcript
    interview testimony email's affidavit""".split()
)

# Before a list of what the assistant is to write or make: 'Write a bio with the following details', 'Make 2 versions',
# 'Format each response like this'.
_WISHES = LazyPattern(
    r"\A(?:(?:please|pls|can you|could you|now|and|then|also|so|ok|okay|hey|hi)[ ,]++){0,3}+(?:"
    r"(?:write|draft|create|compose|generate|make|give me|build|design|prepare|plan|suggest|invent|come up with)\b"
    r"[^\n]{0,200}\b(?:following|these|those)\s(?:\w{1,20}\s){0,2}(?:things?|words|aspects?|points?|details"
    r"|requirements?"
    r"|criteria|features?|elements?|topics?|conditions?|rules?|parts?|sections?|ingredients|constraints?"
    r"|characteristics|instructions|guidelines|themes?|keywords?|properties|preferences)"
    r"|(?:write|create|generate|make|give me|list|use|include|add|show|suggest|find|recommend|plan|split|divide)"
    r"\s(?:me\s)?(?:\d{1,3}|two|three|four|five|six|seven|ten)\s(?:\w{1,20}\s){0,3}?\w{1,20}"
    r"|(?:format|write|start|begin|end|structure)\s(?:each|every|all|your)\s(?:\w{1,20}\s){0,3}?"
    r"(?:responses?|answers?|repl(?:y|ies)|messages?|outputs?)\b[^\n]{0,40}"
    r")\W*+\Z",
    re.IGNORECASE,
)


def lists_wishes(text: str) -> bool:
    """Return whether a clause with a colon heads what the assistant is to write or make, not a text to work on.

    >>> lists_wishes("Write a poem with the following words:"), lists_wishes("Make 2 versions:")
    (True, True)
    >>> lists_wishes("Write a bio of Ana:"), lists_wishes("Summarize the following points:")
    (False, False)
    """
    return bool(_WISHES.match(text.strip()))


def is_order(text: str) -> bool:
    """Return whether a few words ask the assistant to do something.

    >>> is_order("Corrige ce texte"), is_order("帮我翻译这段"), is_order("Tool result"), is_order("Bruno")
    (True, True, False, False)
    """
    return works_on_text(text) or bool(_ASKING.search(text) or _ASKING_UNSPACED.search(text))


def _last_part(text: str) -> str:
    """Return what follows the last comma of a script without blanks: there the order is."""
    return text[max(text.rfind(comma) for comma in "，、；") + 1 :]


def works_on_text(text: str) -> bool:
    """Return whether a few words order work on a text that is at hand: what follows them need not be the user's own.

    >>> works_on_text("Please translate:"), works_on_text("请翻译成英文："), works_on_text("Korrigiere das:")
    (True, True, True)
    >>> works_on_text("Plan a dinner for me:"), works_on_text("请推荐一本书："), works_on_text("Check this out:")
    (False, False, False)
    """
    if _WORKING.match(text) or _WORKING_FOREIGN.search(text) or _WORKING_UNSPACED.search(_last_part(text)):
        return True
    found = _WORKING_ON.match(text)
    words = {word.casefold() for word in _WORD.findall(text[found.end() :])} if found else set()
    return not words.isdisjoint(TEXTS | _POINTING) and not _OUT.search(text)
