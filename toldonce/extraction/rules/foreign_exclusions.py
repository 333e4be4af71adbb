"""Patterns of foreign sentences that state nothing about the user, in eight languages. Pure data.

They match folded, lower-case text without accents. Examples: 'wenn ich reich wäre' supposes, 'schreib mir' orders.
"""

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold


def joined_pattern(text: str) -> LazyPattern[str]:
    """Declare a pattern that is written on several lines; its letters are folded."""
    return LazyPattern(fold("".join(line.strip() for line in text.splitlines())))


# Suppositions, wishes and uncertainty.
_HYPOTHETICAL = {
    "de": r"""
        \b(?:wenn (?:ich|wir)|falls|angenommen|stell dir vor|vielleicht|uberlege|ob ich|als ob|wunschte|traumte?|hoffe
        |haette|waere|moechte|wuerde|koennte|mal angenommen)\b""",
    "fr": r"""
        \b(?:si (?:je|j'|on|nous)|imagine|imaginons|supposons|peut-etre|j'aimerais|je voudrais|j'espere|je reve
        |serais|aurais|comme si|au cas ou)\b|\bsi j'""",
    "es": r"""
        \b(?:si (?:\w{2,12}(?:ara|iera|iese|ase|aramos|ieramos)\b|yo|soy|vivo|tengo|fuera|tuviera|estoy|vivimos|
        somos)|imagina|imaginate|supon|supongamos
        |quizas?
        |tal vez|quisiera|ojala|sueno con|espero|seria|tendria|como si|me gustaria)\b""",
    "pt": r"""
        \b(?:se (?:\w{2,12}(?:asse|esse|isse)\b|eu|sou|moro|tenho|fosse|tivesse|estou)|imagine|imagina|suponha|
        talvez|queria|quem dera
        |sonho em|espero|seria|teria|como se|gostaria)\b""",
    "it": r"""
        \b(?:se (?:io|sono|vivo|ho|abito|\w{2,12}ssi(?:mo)?)|immagina|supponi|supponiamo|forse|vorrei|magari|sogno di
        |spero|sarei|avrei|come se)\b""",
    "nl": r"\b(?:als ik|stel dat|stel je voor|misschien|zou|hoop|wil graag|wou dat|of ik|alsof|droom)\b",
    "ja": """
        もし|たら(?:どう|いい)|かもしれ|たいです|たいと思|つもりで|仮に|みたい(?:です|な)|だろう|はず|ふりを|なりき
        |夢で""",
    "zh": "如果|假如|假设|要是|也许|可能|想象|扮演|希望|梦见|好像|想要|我想|吧$|会怎么?样",
    "ru": r"""
        \b(?:если (?:я|мы|бы|у меня)|бы|представь|представим|допустим|предположим|возможно|наверное|может быть|хотел бы
        |хотела бы|надеюсь|мечтаю чтобы|как будто|словно|вдруг я|приснилось|снится)\b""",
    "ar": r"""
        \b[وف]?(?:لو|اذا كنت|افترض|لنفترض|تخيل|تخيلي|ربما|يمكن اكون|اتمنى|ليتني|ياريت|يا ريت|نفترض|كاني|حلمت|
        لنتخيل)\b""",
}
HYPOTHETICAL = {code: joined_pattern(text) for code, text in _HYPOTHETICAL.items()}

# Orders to the assistant, at the start of a clause.
_ORDERS = {
    "de": r"""
        (?:bitte |kannst du |konntest du |und ){0,4}(?:schreib|schreibe(?! gerade| an| seit| meine)|gib|erklar|
        erklare|mach|mache(?! ich| jed| seit| beim| im| gerade| eine ausbildung| \w{2,12}(?: seit|$))|sag
        |sage|ubersetz
        |ubersetze|nenn|nenne|hilf|zeig|zeige|such|suche|formulier|formuliere|erstell|erstelle|vergiss|merk
        |merke
        |korrigier|korrigiere|beschreib|beschreibe|vergleich|vergleiche|analysier|analysiere|ubertrag|ubertrage
        |beantworte|fass|du bist|plan|plane|empfiehl|empfehle|schlag|schlage|sei|nimm|rechne|
        berechne|pruf|prufe|liste|nutze|verwende|bau|kurz|kurze|verbessere|hilfe|erstelle?)\b""",
    "fr": r"""
        (?:s'il te plait |stp |peux-tu |et ){0,4}(?:ecris|ecrivez|redige|redigez|donne|donnez|explique
        |expliquez|fais
        |faites|dis|dites|traduis|traduisez|aide|aidez|montre|cherche|trouve|resume|corrige|reformule|cree|creez
        |oublie|oubliez|tu es|vous etes|reponds|propose|raccourcis|relis|calcule|prepare|suggere|organise|liste|
        recommande|conseille|decris|decrivez|raconte|racontez|analyse|transforme|imagine|invente|compare|ameliore
        |utilise|adapte|planifie)\b""",
    "es": r"""
        (?:por favor |porfa |y |puedes ){0,4}(?:escribe|escribeme|dame|da|explica|explicame|haz|hazme|di|dime
        |traduce
        |traduceme|ayuda|ayudame|muestra|busca|encuentra|resume|corrige|reescribe|crea|genera|olvida|olvidate
        |eres
        |actua|contesta|contestale|responde|respondeme|dile|hazlo|redacta|revisa|usa|mejora|acorta|cambia|
        recomienda|recomiendame|sugiere|organiza|planea|calcula|prepara|arma|inventa|compara|enumera|disena|
        convierte|ordena|describe|describeme|analiza|define|cuentame|ensename|pon|sigue|continua)\b""",
    "pt": r"""
        (?:por favor |pfv |e |pode ){0,4}(?:escreva|escreve|de|da|me de|explique|explica|faca|faz|diga|diz
        |traduza
        |traduz|ajude|ajuda|me ajude|mostre|procure|busque|encontre|resuma|corrija|reescreva|crie|gere|esqueca
        |esquece|voce e|aja|responda|redija|revise|revisa|indique|indica|me indica|sugira|sugere|monte|monta|
        organize|calcule|prepare|prepara|invente|recomende|recomenda|use|usa|liste|lista|compare|melhore|troque|
        troca|planeje|conte|me conta|descreva|descreve|analise|analisa|defina|da-me|diz-me|cria|continua)\b""",
    "it": r"""
        (?:per favore |e |puoi ){0,4}(?:scrivi|scrivimi|dammi|da|spiega|spiegami|fai|fammi|di'|dimmi|traduci
        |aiutami
        |mostra|cerca|trova|riassumi|correggi|riscrivi|crea|genera|dimentica|tu sei|agisci|rispondi|rispondimi|
        fallo|usa|consigliami|consiglia|suggerisci|proponi|organizza|calcola|prepara|inventa|controlla|migliora|
        accorcia|descrivi|descrivimi|racconta|raccontami|parlami|analizza|trasforma|elenca|pianifica|sistema|confronta
        |continua
        |redigi)\b""",
    "nl": r"""
        (?:alsjeblieft |en |kun je ){0,4}(?:schrijf|geef|leg|maak|zeg|vertaal|help|toon|zoek|vind|vat|corrigeer
        |herschrijf|beschrijf|vertel|analyseer|genereer|vergeet|jij bent|je bent|beantwoord|bedenk|doe jij|doe dat
        |bereken|plan|raad|stel|
        verzin|verbeter|check|gebruik|vergelijk|noem (?!me\b|mij\b)|lijst|begin|wees|ga verder)\b""",
    "ja": "(?:あなたは|君は|お前は)",
    "zh": """
        (?:请|帮我|给我|告诉我|你是|你|写|翻译|解释|总结|生成|作为|假装|忘记|忘掉|
        推荐|讲|改|帮忙|来个|来一|列|给个|教我|续写|用.{1,6}(?:概括|总结|解释|写))""",
    "ru": r"""
        (?:пожалуйста |плиз |а |и |можешь |можете |ты можешь ){0,4}(?:напиши|напишите|дай|дайте|объясни|объясните|
        сделай|сделайте
        |скажи|скажите|переведи|переведите|помоги|помогите|покажи|найди|найдите|придумай|придумайте|посоветуй|
        посоветуйте|подскажи
        |подскажите|исправь|исправьте|сократи|перескажи|составь|составьте|продолжи|перефразируй|проверь|забудь|
        ответь|расскажи|перепиши
        |ты теперь|опиши|сравни|представь|предложи|порекомендуй|реши|назови|подбери|сгенерируй|рассчитай|поздравь)\b""",
    "ar": r"""
        (?:من فضلك |لو سمحت |ممكن |هل يمكنك |و){0,4}(?:اكتب|اكتبي|اكتبلي|اعطني|اعطيني|عطني|اشرح|اشرحلي|اعمل لي|
        اعملي|اعمل|سوي|سويلي|قل|قول
        |ترجم|ترجمي|ساعدني|ساعديني|اعرض|ابحث|جد|لخص|صحح|صحح لي|اقترح|اقترحي|انصحني|اختصر|اكمل|اعد صياغه|تصرف|
        انت الان|تخيل|انسي|انسى
        |اجب|جاوب|احكي|رتب|صمم|حل|اذكر|خطط|رد|قارن|عدل)\b""",
}
ORDERS = {code: joined_pattern(text) for code, text in _ORDERS.items()}

# Work on a text, in which the first person may be anyone from there on.
_TEXT_WORK = {
    "de": r"""
        \b(?:ubersetz\w{0,20}|korrigier\w{0,20}|umformulier\w{0,20}|formulier\w{0,20}|zusammenfass\w{0,20}
        |umschreib\w{0,20}|schreib\w{0,20} (?:mir|uns|bitte)?
        [ ]?(?:eine?n?|das|den|die)|verfass\w{0,20}|brief|bewerbung|anschreiben|aufsatz|geschichte|gedicht
        |rollenspiel|du bist (?:ein|jetzt)|roman|dialog|liedtext|figur)\b""",
    "fr": r"""
        \b(?:tradui\w{0,20}|traduction|corrige\w{0,20}|reformul\w{0,20}|resum\w{0,20}|redige\w{0,20}
        |reecri\w{0,20}|ecris\w{0,20} (?:moi |une?|le|la
        |un)|lettre|dissertation|histoire|poeme|jeu de role|tu es (?:un|une|maintenant)|agis comme|roman
        |dialogue
        |paroles|personnage|motivation)\b""",
    "es": r"""
        \b(?:tradu(?:ce|cir|zca|ccion)\w{0,20}|corrig\w{0,20}|correg\w{0,20}|reformul\w{0,20}|resum\w{0,20}
        |redact\w{0,20}|reescrib\w{0,20}|escrib(?:e
        |eme|ir|a) (?:un|una|el|la)|carta|correo que|ensayo|cuento|historia de|poema|juego de rol|eres (?:un
        |una|el
        |la)|actua como|novela|dialogo|cancion|personaje)\b""",
    "pt": r"""
        \b(?:tradu(?:za|z|zir|cao)\w{0,20}|corrij\w{0,20}|corrig\w{0,20}|reformul\w{0,20}|resum\w{0,20}
        |redij\w{0,20}|redig\w{0,20}|reescrev\w{0,20}
        |escrev(?:a|e|er) (?:um|uma|o|a)|carta|redacao|conto|historia de|poema|rpg|voce e (?:um|uma|o|a)
        |aja como
        |atue como|romance|dialogo|musica|personagem)\b""",
    "it": r"""
        \b(?:traduc\w{0,20}|traduzione|corregg\w{0,20}|riformul\w{0,20}|riassum\w{0,20}|redig\w{0,20}
        |riscriv\w{0,20}|scriv(?:i|ere|imi) (?:un|una
        |il|la)|lettera|tema|saggio|racconto|poesia|gioco di ruolo|sei (?:un|una|il|la)|agisci come|romanzo
        |dialogo
        |canzone|personaggio)\b""",
    "nl": r"""
        \b(?:vertaal\w{0,20}|vertaling|corrigeer\w{0,20}|herformuleer\w{0,20}|samenvat\w{0,20}
        |vat \w{1,30} samen|herschrijf\w{0,20}
        |schrijf (?:een|de|het|mij|me)|brief|sollicitatiebrief|essay|verhaal|gedicht|rollenspel|(?:jij
        |je) bent (?:een|nu)|roman|dialoog|liedje|personage)\b""",
    "ja": """
        翻訳|訳し|添削|書いて|書き直|要約|校正|文章|作文|メール|手紙|小説|物語|ロールプレイ|キャラ|台本|セリフ|「|『
        |英語に|例文|演じ""",
    "zh": r"""
        翻译|改写|润色|修改|写一|写个|写封|写篇|总结|续写|扩写|作文|论文|文章|小说|故事|角色|扮演|剧本|台词|歌词|
        邮件|写信|封信|回信|「|“|"|句子
        |你是|提示词|文案|造句|假如""",
    "ru": r"""
        \b(?:перевед\w{0,10}|перевод\w{0,4}|исправь\w{0,4}|перефраз\w{0,10}|
        напиши\w{0,4} (?:\w{2,12} )?(?:рассказ|стих\w{0,8}|сказк\w|истори\w
        |письмо|эссе|сочинение|пост|песн\w)|сочини\w{0,2}|сочинение|рассказ\w?|сказк[аиу]|письмо|эссе|роман|
        стихотворени\w|ролев\w{2,4}|ты теперь
        |сыграй|персонаж\w{0,3}|сценарий|диалог|текст песни|изложение|пословиц\w|продолжи)\b""",
    "ar": r"""
        \b[وفب]?(?:ال)?(?:ترجم\w{0,4}|ترجمه|صحح\w{0,3}|لخص\w{0,3}|صياغه|قصه|روايه عن|قصيده|شعر|رساله|ايميل|مقال|
        خطاب|سيناريو|حوار|شخصيه|تمثيل|لعب ادوار
        |تصرف كانك|انت الان|موضوع تعبير|اكمل|اغنيه|جمله|منشور)\b""",
}
TEXT_WORK = {code: joined_pattern(text) for code, text in _TEXT_WORK.items()}

# Work on a text that the message itself gives, before or after the request: none of it is about the writer.
_GIVEN_TEXT = {
    "de": r"""
        \b(?:ubersetz\w{0,20}|korrigier\w{0,20}|umformulier\w{0,20}|zusammenfass\w{0,20}|umschreib\w{0,20}|
        auf (?:englisch|franzosisch|spanisch) (?:sagen|schreiben)
        |rollenspiel|die geschichte weiter|weiterschreiben|rechtschreibung|grammatik|schreib das (?:um|besser|
        schoner)|du bist (?:ein|jetzt))\b""",
    "fr": r"""
        \b(?:tradui\w{0,20}|traduction|corrige\w{0,20}|reformul\w{0,20}|resume[sz]?|reecri\w{0,20}|jeu de role|
        tu es (?:un|une|maintenant)|agis comme
        |la suite|orthographe|grammaire)\b""",
    "es": r"""
        \b(?:tradu(?:ce|cir|zca|ccion)\w{0,20}|corrig\w{0,20}|correg\w{0,20}|reformul\w{0,20}|resum(?:e|ir|en)
        \w{0,6}|reescrib\w{0,20}|juego de rol
        |eres (?:un|una|el|la)|actua como|continua (?:la|el)|ortografia|gramatica)\b""",
    "pt": r"""
        \b(?:tradu(?:za|z|zir|cao)\w{0,20}|corrij\w{0,20}|corrig\w{0,20}|reformul\w{0,20}|resum(?:a|e|ir|o)
        \w{0,6}|reescrev\w{0,20}|rpg
        |voce e (?:um|uma|o|a)|aja como|atue como|continue a|ortografia|gramatica)\b""",
    "it": r"""
        \b(?:traduc\w{0,20}|traduzione|corregg\w{0,20}|riformul\w{0,20}|riassum\w{0,20}|riscriv\w{0,20}|
        gioco di ruolo|sei (?:un|una|il|la)|agisci come
        |continua (?:la|il)|ortografia|grammatica)\b""",
    "nl": r"""
        \b(?:vertaal\w{0,20}|vertaling|corrigeer\w{0,20}|herformuleer\w{0,20}|samenvat\w{0,20}|vat \w{1,30} samen|
        herschrijf\w{0,20}|rollenspel
        |(?:jij|je) bent (?:een|nu)|vervolg|spelling|grammatica)\b""",
    "ja": "翻訳|訳し|訳す|書き直|要約|校正|ロールプレイ|キャラ|台本|セリフ|英語に|英訳|例文|演じ|続きを|直して",
    "zh": "翻译|翻譯|改写|润色(?!一下$)|修改|续写|扩写|角色|扮演|剧本|台词|歌词|病句|造句|缩写|你是一|你现在是|译成",
    "ru": r"""
        \b(?:перевед\w{0,10}|перевод\w{0,4}|исправь\w{0,4}|перефраз\w{0,10}|перескажи\w{0,3}|ролев\w{2,4}|
        ты теперь|продолжи|отредактируй|орфограф\w{2,5}
        |грамматик\w|на английск\w{2,3} (?:будет|скажи|напиши))\b""",
    "ar": r"""
        \b[وفب]?(?:ال)?(?:ترجم\w{0,4}|ترجمه|صحح\w{0,3}|لخص\w{0,3}|صياغه|لعب ادوار|تصرف كانك|انت الان|اكمل القصه|
        املاء|بالانجليزي\w{0,2} (?:كيف|يعني))\b""",
}
GIVEN_TEXT = {code: joined_pattern(text) for code, text in _GIVEN_TEXT.items()}
