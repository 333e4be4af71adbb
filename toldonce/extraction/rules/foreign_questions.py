"""How questions begin in other languages, with or without a mark. Pure data.

They match folded, lower-case text: 'kannst du', 'me ayudas', '怎么'.
"""

from toldonce.extraction.rules.foreign.language import pattern_of

_LEAD = r"\W{{0,3}}(?:(?:{}) ){{0,2}}"
_WORDS = {
    "de": (
        "und|ok|also|aber|dann|ja",
        r"""wo|was|wer|wem|wen|wie|wann|warum|wieso|weshalb|woher|wohin|womit|wofur|welche[rsnm]?|wieviel|kannst du|
            konntest du|kann ich|kann man|hast du|gibt es|gibts|kennst du|weisst du|weißt du|soll ich|sollte ich|
            darf ich|muss ich|ist das|ist es|sind das|geht das|lohnt sich|bist du|magst du|wurdest du|reicht|hilft|
            tipps?|ideen|irgendwelche|jemand|findest du|meinst du|glaubst du|was meinst""",
    ),
    "fr": (
        "et|ok|donc|alors|mais|du coup",
        r"""ou|quel(?:le)?s?|qui|quoi|que (?:faire|manger|dois|puis|me|penses|choisir)|qu'est|comment|combien|quand|
            pourquoi|est-ce|tu (?:peux|pourrais|connais|as|sais|me|crois|penses)|peux-tu|pouvez|vous (?:pouvez|avez|
            connaissez)|y a|(?:une|des|un|deux|trois|quelques)? ?(?:idees?|conseils?|recettes?|arguments?|
            suggestions?|trucs?|anime|astuces?|exercices?|liste|livres?) |une idee|des idees|idees?|conseils?|help|
            stp|on fait quoi|c'est (?:grave|normal|quoi|ou)|dois-je|puis-je|faut-il|par quoi|de quoi|a quelle|
            a quoi|avec quoi|c'est quoi""",
    ),
    "es": (
        "y|ok|entonces|pero|pues",
        r"""donde|cual(?:es)?|que (?!no\b|si\b|vivo|tengo|soy)|quien(?:es)?|como (?:puedo|hago|se|le|lo|la|me|
            negocio|empiezo|debo|dejo|podria|funciona|es|esta)|cuando|cuant[oa]s?|por que|por donde|a que|con que|
            de que|en que|me (?:ayudas|recomiendas|das|puedes|afecta|conviene|podrias)|puedes|podrias|puedo|podria|
            tienes|sabes|conoces|hay (?:algun|alguna|algo)|es (?:malo|bueno|normal|mejor|posible)|(?:alguna|algun|
            algunas|unas|una|un|cuentos|recetas?|juegos|frases|libros|tips)\b(?=.{0,30}$)|alguna|algun|ideas|
            consejos|deberia|crees|vale la pena|que""",
    ),
    "pt": (
        "e|ok|entao|mas",
        r"""onde|qual|quais|que (?!nao\b|sim\b)|quem|como (?:posso|faco|se|eu|lhe|devo|que|funciona|e|esta|comeco|
            paro)|quando|quant[oa]s?|por que|porque e|a que|com que|de que|em que|(?:voce|vc|tu) (?:pode|podes|tem|
            sabe|conhece|acha|achas)|pode[s]? (?:me|ajudar)|me (?:ajuda|indica|recomenda|da)|tem (?:alguma|algum|
            como|dica)|posso|devo|ha (?:algum|alguma)|e (?:ruim|normal|bom|melhor|mau)|(?:receitas?|frases|rotina|
            livros|jogos)\b(?=.{0,30}$)|alguma|algum|ideias|dicas|sugestoes|dica|vale a pena|o que|faz mal|sera""",
    ),
    "it": (
        "e|ok|quindi|ma|allora",
        r"""dove|quale|quali|qual|che (?!non\b|ho\b)|chi|come (?:posso|faccio|si|lo|la|mi|li|le|ricomincio|devo|
            dovrei|funziona|e|sta|comincio|inizio|glielo)|quando|quant[oaie]|perche|cosa|che cosa|da dove|a che|
            con che|di che|in che|mi (?:dai|aiuti|consigli|puoi|spieghi|conviene)|puoi|potresti|posso|dovrei|hai|
            conosci|sai|c'e|ci sono|e (?:normal|meglio|vero|grave)|conviene|(?:ricett[ae]|frasi|giochi|un gioco|
            libri|regal[oi]|frase)\b(?=.{0,40}$)|idee|consigli|qualche|un consiglio|regalo|fa male|secondo te""",
    ),
    "nl": (
        "en|ok|dus|maar",
        r"""waar|wat|hoe|wanneer|welke?|wie|waarom|hoeveel|kun je|kan je|kan ik|mag ik|heb je|weet je|ken je|
            moet ik|is (?:het|dat|er)|zijn er|tips|ideeen|iemand|zou je|vind je|denk je|wil je|ben je|helpt|enig""",
    ),
    "ru": (
        "и|а|но|ну|так",
        r"""где|что|кто|кому|кого|как|когда|почему|зачем|сколько|какой|какая|какое|какие|какую|каких|чем|куда|
            откуда|можно ли|можно|стоит ли|есть ли|можешь|можете|сможешь|поможешь|поможете|знаешь|знаете|ты|вы|
            с чего|о чем|на что|во сколько|нужно ли|идеи|советы|есть идеи|думаешь|правда ли|чего|нормально ли|
            это нормально|во что""",
    ),
    "ar": (
        "و|طيب|لكن|بس",
        r"""(?:و|ف)?(?:هل|ما|ماذا|من (?:هو|هي|قال)|متى|اين|وين|كيف|كم|ليش|لماذا|ليه|شو|ايش|وش|اي|مين|ممكن|تقدر|
            تقدري|بتقدر|يمكنك|برايك|ايهما|نصيحه|افكار|هذا (?:كثير|كتير|طبيعي|عادي)|وصفه|اقترح)""",
    ),
}  # fmt: skip
QUESTION_WORDS = {
    **{code: pattern_of(rf"{_LEAD.format(leads)}(?:{words})\b") for code, (leads, words) in _WORDS.items()},
    "ja": pattern_of(r"(?:なぜ|どう|どこ|いつ|何|誰|どんな|どの|どれ|いくら|もう一回.{1,12}思う)"),
    "zh": pattern_of(
        r"""(?:什么|怎么|如何|为什么|谁|哪|几|多少|能不能|可不可以|可以.{1,8}吗|有没有|有什么|要不要|是不是|你说|
            你觉得|能.{1,8}吗|啥)"""
    ),
}
"""By language: matches where a piece begins to ask."""
ASKS_UNSPACED = {
    "zh": pattern_of(
        r"""[吗嗎呢](?:[?？。]|$)|什么|什麼|怎么|怎麼|谁(?!都)|哪|几(?=个|点|岁|分|号|天|年.{0,2}[?？]|次|种|下)|
            多少|为什么|咋|啥|如何|要不要|能不能|好不好|多久"""
    ),
    "ja": pattern_of(
        r"""か[?？。]?$|ですか|ますか|何(?=[をがはでにも]|時|か|が|で|を|色|歳|年|分|個|頼|作|食)|どこ|いつ(?!も)|
            なぜ|どう(?!して.{1,8}ない)|どの|誰|いくら|どれ|ある[?？]$|かな[?？]?$|いる[?？]$|ものは$|は[?？]?$"""
    ),
}
"""Matches what asks anywhere in a piece."""
