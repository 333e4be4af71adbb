"""Patterns of foreign sentences that state nothing about the user, in eight languages. Pure data.

They match folded, lower-case text without accents. Examples: 'wenn ich reich wäre' supposes, 'schreib mir' orders.
"""

from recollect.extraction.rules.foreign_patterns import joined_pattern

# Suppositions, wishes and uncertainty.
_HYPOTHETICAL = {
    "de": r"""
        \b(?:wenn ich|falls|angenommen|stell dir vor|hatte|ware|vielleicht|uberlege|mochte|wurde|ob ich|als ob
        |wunschte|traumte?|konnte|hoffe)\b""",
    "fr": r"""
        \b(?:si (?:je|j'|on|nous)|imagine|imaginons|supposons|peut-etre|j'aimerais|je voudrais|j'espere|je reve
        |serais|aurais|comme si|au cas ou)\b|\bsi j'""",
    "es": r"""
        \b(?:si (?:yo|soy|vivo|tengo|fuera|tuviera|estoy|vivimos|somos)|imagina|imaginate|supon|supongamos
        |quizas?
        |tal vez|quisiera|quiero|ojala|sueno con|espero|seria|tendria|como si|me gustaria)\b""",
    "pt": r"""
        \b(?:se (?:eu|sou|moro|tenho|fosse|tivesse|estou)|imagine|imagina|suponha|talvez|queria|quero|quem dera
        |sonho em|espero|seria|teria|como se|gostaria)\b""",
    "it": r"""
        \b(?:se (?:io|sono|vivo|ho|fossi|avessi|abito)|immagina|supponi|supponiamo|forse|vorrei|magari|sogno di
        |spero|sarei|avrei|come se)\b""",
    "nl": r"\b(?:als ik|stel dat|stel je voor|misschien|zou|hoop|wil graag|wou dat|of ik|alsof|droom)\b",
    "ja": """
        もし|たら(?:どう|いい)|かもしれ|たいです|たいと思|つもりで|仮に|みたい(?:です|な)|だろう|はず|ふりを|なりき
        |夢で""",
    "zh": "如果|假如|假设|要是|也许|可能|想象|扮演|希望|梦见|好像|打算|想要|我想|吧$",
}
HYPOTHETICAL = {code: joined_pattern(text) for code, text in _HYPOTHETICAL.items()}

# Orders to the assistant, at the start of a clause.
_ORDERS = {
    "de": r"""
        (?:bitte |kannst du |konntest du |und ){0,4}(?:schreib|schreibe|gib|erklar|erklare|mach|mache|sag
        |sage|ubersetz
        |ubersetze|nenn|nenne|hilf|zeig|zeige|such|suche|formulier|formuliere|erstell|erstelle|vergiss|merk
        |merke
        |korrigier|korrigiere|beantworte|fass|du bist)\b""",
    "fr": r"""
        (?:s'il te plait |stp |peux-tu |et ){0,4}(?:ecris|ecrivez|redige|redigez|donne|donnez|explique
        |expliquez|fais
        |faites|dis|dites|traduis|traduisez|aide|aidez|montre|cherche|trouve|resume|corrige|reformule|cree|creez
        |oublie|oubliez|tu es|vous etes|reponds|propose)\b""",
    "es": r"""
        (?:por favor |porfa |y |puedes ){0,4}(?:escribe|escribeme|dame|da|explica|explicame|haz|hazme|di|dime
        |traduce
        |traduceme|ayuda|ayudame|muestra|busca|encuentra|resume|corrige|reescribe|crea|genera|olvida|olvidate
        |eres
        |actua|contesta|contestale|responde|dile|hazlo|redacta)\b""",
    "pt": r"""
        (?:por favor |pfv |e |pode ){0,4}(?:escreva|escreve|de|da|me de|explique|explica|faca|faz|diga|diz
        |traduza
        |traduz|ajude|ajuda|me ajude|mostre|procure|busque|encontre|resuma|corrija|reescreva|crie|gere|esqueca
        |esquece|voce e|aja|responda|redija)\b""",
    "it": r"""
        (?:per favore |e |puoi ){0,4}(?:scrivi|scrivimi|dammi|da|spiega|spiegami|fai|fammi|di'|dimmi|traduci
        |aiutami
        |mostra|cerca|trova|riassumi|correggi|riscrivi|crea|genera|dimentica|tu sei|agisci|rispondi
        |redigi)\b""",
    "nl": r"""
        (?:alsjeblieft |en |kun je ){0,4}(?:schrijf|geef|leg|maak|zeg|vertaal|help|toon|zoek|vind|vat|corrigeer
        |herschrijf|genereer|vergeet|jij bent|je bent|beantwoord)\b""",
    "ja": "(?:あなたは|君は|お前は)",
    "zh": "(?:请|帮我|给我|告诉我|你是|你|写|翻译|解释|总结|生成|作为|假装|忘记|忘掉)",
}
ORDERS = {code: joined_pattern(text) for code, text in _ORDERS.items()}

# Work on a text, in which the first person may be anyone.
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
        翻译|改写|润色|修改|写一|写个|写封|写篇|总结|续写|扩写|作文|论文|文章|小说|故事|角色|扮演|剧本|台词|歌词|邮件|信|「|“|"|英文|句子
        |你是|提示词|文案|造句|假如""",
}
TEXT_WORK = {code: joined_pattern(text) for code, text in _TEXT_WORK.items()}

# First-person phrases about the conversation and the task at hand.
_TRIVIAL = {
    "de": r"""
        \b(?:heute|heut|gerade|grad|momentan|im moment|etwas mude|so mude|hunger|langeweile)\b|
        \b(?:ich (?:hab|habe) (?:eine?n?|noch eine|da eine|folgende) (?:kurze |kleine )?(?:frage|problem
        |fehler|text
        |datei|code|aufgabe|liste|idee)|ich (?:mache|bin) (?:gerade|mir) (?:sicher|nicht sicher|verwirrt)
        |ich bin (?:\w{1,30} )?(?:nicht )?(?:sicher|beeindruckt|wieder da|erwachsen|dabei|fertig|gespannt
        |froh|zufrieden
        |einverstanden|neugierig|interessiert|verwirrt|bereit|begeistert|der meinung)
        |(?:ich )?hab (?:ich )?(?:nicht )?verstanden|ich habe? (?:es|das|den|die) (?:versucht|probiert|gemacht
        |ausprobiert))\b""",
    "fr": r"""
        \b(?:aujourd'hui|ce soir|ce matin|en ce moment|maintenant la|fatiguee?|malade aujourd|stressee?)\b|
        \b(?:j'ai (?:besoin|une question|un probleme|une erreur|un texte|un fichier|un exercice|essaye
        |compris|vu|lu
        |fait|trouve|bien|pas compris|eu une erreur|oublie de te)
        |je (?:\w{1,30} )?suis (?:\w{1,30}ment )?(?:desolee?|d'accord
        |curieu\w{1,30}|perdue?|pas sure?|sure?|en train de|conscient\w?|avec|ravie?|contente?|interesse\w?
        |prete?|votre
        |ton|la|de retour|sur|tombee?)|j'aime (?:bien )?(?:ta|votre|cette|ce|la|ton)|je fais (?:un|une|le|ce
        |cet)
        |je vais (?:essayer|voir|faire|te|vous)|on a (?:besoin|un probleme))\b""",
    "es": r"""
        \b(?:hoy|ahora mismo|esta noche|esta manana|en este momento|cansad[oa]|aburrid[oa])\b|
        \b(?:soy (?:todo oidos|consciente)|tengo (?:una?|otra|esta) (?:duda|consulta|pregunta|problema|error
        |texto
        |archivo|idea|lista)|me gusta (?:tu|su|esta|esa|la respuesta|esa idea|como)|tengo (?:razon|entendido
        |ganas)
        |tuve un (?:error|problema)|me encanta (?:tu|esta|esa)|empece a (?:leer|escribir)|cambie el (?:codigo
        |texto
        |archivo)|prefiero (?:la|el|esa|ese|que|esta|este)|juego de|dime)\b""",
    "pt": r"""
        \b(?:hoje|agora mesmo|esta noite|neste momento|cansad[oa]|entediad[oa])\b|
        \b(?:tenho (?:razao|certeza|vontade)|tenho (?:uma?|outra|esta) (?:duvida|pergunta|problema|erro|texto
        |arquivo|ficheiro|ideia|lista)|gosto d(?:a tua|a sua|essa|esta|este|esse|o seu)|tive um (?:erro
        |problema)
        |prefiro (?:a|o|essa|esse|que|esta|este)|comecei a (?:ler|escrever)|troquei o (?:codigo|texto)|jogo de
        |falo (?:de|sobre))\b""",
    "it": r"""
        \b(?:oggi|stasera|stamattina|in questo momento|stanc[oa]|annoiat[oa])\b|
        \b(?:ho (?:una?|un'altra) (?:domanda|problema|dubbio|errore|testo|idea)|mi piace (?:la tua|questa|il tuo
        |questo|come|l'idea)|abbiamo (?:un problema|un errore|visto|bisogno)|preferisco (?:la|il|questa|che
        |quella)
        |siamo (?:d'accordo)|parlo di|mi sono (?:chiest|dimenticat|sbagliat))\b""",
    "nl": r"""
        \b(?:vandaag|vanavond|vanochtend|op dit moment|moe|verveel)\b|
        \b(?:ik heb (?:een|nog een|hier een) (?:korte )?(?:vraag|probleem|fout|tekst|bestand|opdracht|lijst
        |idee)
        |ik ben (?:benieuwd|het eens|er|klaar|op zoek|niet zeker)|ik heb (?:het|dit|dat|nodig)
        |ik was (?:aan het)
        |ik hou van (?:je|deze|dit))\b""",
    "ja": "今日|今夜|今朝|疲れ|眠い|質問|教えて|エラー|コード|ください|お願い|思います|考えてい|探して|調べ",
    "zh": "今天|今晚|刚才|累了|困了|问题|代码|报错|程序|文件|你觉得|请问|帮我|告诉我|给我|怎么|如何",
}
TRIVIAL = {code: joined_pattern(text) for code, text in _TRIVIAL.items()}
