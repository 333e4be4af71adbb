"""Whether words ask the assistant to do something: 'make this sound polite', 'corrige ce texte', '帮我翻译'. Pure.

Such words before a pasted text are the user's own, whatever the text is.
"""

import re

from recollect.lazy_pattern import LazyPattern

# Words that begin a request in languages with blanks, as people write them to assistants: imperatives and pleas.
_ASKING = LazyPattern(
    r"\b(?:"
    # English
    r"please|pls|can you|could you|would you|help me|translate|rewrite|rephrase|paraphrase|correct|proofread|polish|"
    r"summari[sz]e|shorten|improve|edit|fix|check|review|revise|analy[sz]e|make|write|draft|create|generate|give me|"
    r"tell me|answer|explain|continue|complete|turn|convert|reword|simplify|expand|develop|respond|reply|use|"
    r"optimi[sz]e|enhance|say the same|"
    r"grammar|spelling|what (?:does|do|is|are)|what's|(?:is|are|does|do) (?:this|these|it)|"
    # German, Dutch
    r"bitte|kannst du|können sie|schreib\w{0,3}|erstell\w{0,2}|mach\w{0,2}|gib|übersetze?n?|korrigier\w{0,3}|"
    r"verbesser\w{0,3}|formulier\w{0,3}|fasse?|erklär\w{0,3}|hilf|beantworte|prüf\w{0,3}|überarbeite\w?|kürze?|"
    r"kun je|kan je|graag|schrijf|maak|geef|vertaal|verbeter|corrigeer|herschrijf|herformuleer|"
    # French
    r"peux-tu|pouvez-vous|pourrais-tu|stp|svp|écris|ecris|r[ée]{1,2}[ée]?cri\w{1,3}|rédige\w{0,2}|fais|faites|"
    r"corrige\w{0,2}|tradui\w{1,3}|résume\w{0,2}|améliore\w{0,2}|reformule\w{0,2}|donne\w{0,3}|aide-moi|explique\w{0,2}|"
    r"d[ée]velopp\w{1,3}|complète|réponds|génère|crée|"
    # Spanish, Portuguese, Italian, Catalan, Romanian
    r"puedes|podrías|por favor|escrib\w{1,4}|escriu\w{0,2}|haz|hazme|dame|traduc\w{1,5}|traduz\w{0,4}|corrig\w{1,4}|"
    r"corrij\w{1,2}|mejora\w{0,2}|resum\w{1,3}|redact\w{1,3}|reescrib\w{1,4}|genera|crea|continúa|responde|necesito|"
    r"revisa|podes|poderia|escrev\w{1,3}|faça|melhor[ae]|reescrev\w{1,3}|gere|crie|responda|explique|"
    r"puoi|potresti|per favore|scriv\w{1,4}|fammi|dammi|corregg\w{1,3}|migliora|riassum\w{1,2}|riscriv\w{1,3}|"
    r"rispondi|aiutami|spiega\w{0,3}|riformula|scrie\w{0,2}|tradu|corectează|rescrie|te rog|"
    # Scandinavian languages, Finnish
    r"kan du|skriv|översätt|rätta|förbättra|sammanfatta|oversæt|oversett|ret|rett|hjälp|hjælp|hjelp|forklar|förklara|"
    r"kirjoita|käännä|korjaa|tiivistä|selitä|auta|"
    # Slavic languages
    r"napisz|popraw|przetłumacz|zrób|podaj|stwórz|streść|przeredaguj|wyjaśnij|proszę|pomóż|odpowiedz|sparafrazuj|"
    r"napiš\w{0,3}|oprav\w{0,3}|přelož\w{0,3}|prelož\w{0,3}|udělej|vytvoř|shrň|vysvětli|prosím|pomoz|"
    r"напиши\w{0,2}|перевед\w{1,3}|исправь\w{0,2}|перепиши\w{0,2}|сделай\w{0,2}|придумай\w{0,2}|составь\w{0,2}|дай\w{0,2}|"
    r"ответь\w{0,2}|реши\w{0,2}|разбей\w{0,2}|убери\w{0,2}|продолжи\w{0,2}|помоги\w{0,2}|объясни\w{0,2}|опиши\w{0,2}|"
    r"проверь\w{0,2}|измени\w{0,2}|переделай\w{0,2}|сократи\w{0,2}|улучши\w{0,2}|пожалуйста|можешь|переклади|виправ|зроби|створи|поясни|допоможи|"
    r"преведи|поправи|направи|"
    # Turkish, Hungarian, Greek, Vietnamese, Indonesian
    r"yaz\w{0,4}|çevir\w{0,4}|düzelt\w{0,4}|özetle\w{0,4}|açıkla\w{0,4}|lütfen|oluştur\w{0,4}|"
    r"írj\w{0,3}|fordíts\w{0,2}|javíts\w{0,2}|készíts\w{0,2}|kérlek|γράψε|μετάφρασε|διόρθωσε|φτιάξε|εξήγησε|παρακαλώ|"
    r"viết|dịch|sửa|hãy|tóm tắt|giải thích|trả lời|giúp|tulis\w{0,3}|buat\w{0,3}|terjemah\w{0,3}|perbaiki|"
    r"ringkas\w{0,3}|jelaskan|tolong|bantu|jawab|berikan|lanjutkan|"
    # Arabic, Persian, Hebrew, Hindi
    r"اكتب|ترجم|صحح|لخص|أعطني|اعطني|ساعدني|اشرح|أجب|من فضلك|بنویس|ترجمه|اصلاح|خلاصه|لطفا|توضیح|بازنویسی|"
    r"כתוב|כתבי|תרגם|תקן|סכם|הסבר|בבקשה|लिखो|लिखिए|लिखें|अनुवाद|सुधारें|बताओ|बताइए|कृपया|समझाओ"
    r")(?!\w)",
    re.IGNORECASE,
)
# The same in scripts without blanks, and in Korean, whose verbs end the sentence.
_ASKING_UNSPACED = LazyPattern(
    r"[请請帮幫]|[优優]化|改[进進]|完善|有[无無没沒]|是否|翻[译譯]|中[译譯]英|英[译譯]中|改[写寫]|[写寫]一|[润潤]色|[总總][结結]|[扩擴][写寫]|[缩縮][写寫]|[续續][写寫]|生成|"
    r"精[简簡]|修改|用.{1,8}[写寫]|解[释釋]|分析|[检檢]查|[给給]我|把.{1,12}[用翻改写寫]|ください|下さい|してくれ|訳して|書いて|直して|教えて|要約|お願い|"
    r"해\s?줘|해\s?주세요|써\s?줘|써\s?주세요|번역|고쳐|요약|작성|알려\s?줘|설명|เขียน|แปล|แก้|สรุป|ช่วย|อธิบาย"
)

# Work on the wording of a text, in Chinese, Japanese and Korean.
_ON_WORDING = LazyPattern(
    r"翻|[译譯]|改[写寫成为為]|修改|重[写寫]|[润潤]色|[总總][结結]|[扩擴缩縮续續][写寫]|校[对對正]|[检檢]查|[语語]法|訳|直して|添削|要約|"
    r"번역|고쳐|요약|교정"
)

# Before a list of what the assistant is to write or make: 'Write a bio with the following details', 'Make 2 versions',
# 'Format each response like this'.
_WISHES = LazyPattern(
    r"\A(?:(?:please|pls|can you|could you|now|and|then|also|so|ok|okay|hey|hi)[ ,]++){0,3}+(?:"
    r"(?:write|draft|create|compose|generate|make|give me|build|design|prepare|plan|suggest|invent|come up with)\b"
    r"[^\n]{0,200}\b(?:following|these|those)\s(?:\w{1,20}\s){0,2}(?:things?|words|aspects?|points?|details|requirements?"
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
    return bool(_ASKING.search(text) or _ASKING_UNSPACED.search(text))


def is_on_wording(text: str) -> bool:
    """Return whether a few words in Chinese, Japanese or Korean ask to work on the wording of a text.

    >>> is_on_wording("请翻译成英文"), is_on_wording("请推荐一本书")
    (True, False)
    """
    return bool(_ON_WORDING.search(text))
