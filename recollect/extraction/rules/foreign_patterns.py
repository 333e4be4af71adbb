"""Patterns of statements about oneself in eight languages other than English. Pure data, written for Recollect.

They match folded, lower-case text without accents: 'ich wohne in Halle'. Those of `NAMED` match the original text.
"""

from recollect.lazy_pattern import LazyPattern
from recollect.text.normalize import fold


def joined_pattern(text: str) -> LazyPattern[str]:
    """Declare a pattern that is written on several lines; its letters are folded."""
    return LazyPattern(fold("".join(line.strip() for line in text.splitlines())))


def _any(text: str) -> str:
    return "|".join(
        sorted({fold(word.replace("_", " ")) for word in text.split()}, key=lambda word: (-len(word), word))
    )


# Relatives and pets.
_KIN = {
    "de": _any(
        """frau mann ehefrau ehemann freundin freund verlobte verlobter mutter mama vater papa eltern schwester
        bruder tochter sohn kind kinder oma opa großmutter großvater tante onkel cousine cousin nichte neffe enkel
        enkelin mitbewohner mitbewohnerin chef chefin schwiegermutter schwiegervater hund hündin katze kater
        kaninchen pferd hamster papagei wellensittich meerschweinchen welpe zwillinge familie partner partnerin
        kollege kollegin nachbarin nachbar"""
    ),
    "fr": _any(
        """femme mari copain copine compagnon compagne fiancé fiancée mère maman père papa parents sœur frère fille
        fils enfant enfants grand-mère grand-père mamie papi tante oncle cousin cousine nièce neveu colocataire
        coloc chef patron patronne belle-mère beau-père chien chienne chat chatte lapin cheval hamster perroquet
        chiot chaton jumeaux famille amie ami voisin voisine collègue"""
    ),
    "es": _any(
        """mujer marido esposa esposo novia novio pareja prometida prometido madre mamá padre papá padres hermana
        hermano hija hijo hijos hijas abuela abuelo tía tío prima primo sobrina sobrino nieta nieto suegra suegro
        compañera compañero jefa jefe perro perra gato gata conejo caballo hámster loro cachorro gemelos familia
        amiga amigo vecina vecino"""
    ),
    "pt": _any(
        """mulher marido esposa esposo namorada namorado noiva noivo companheira companheiro mãe pai pais irmã irmão
        filha filho filhos filhas avó avô tia tio prima primo sobrinha sobrinho neta neto sogra sogro chefe
        cachorro cachorra cachorros cão cadela gato gata gatos coelho cavalo hamster papagaio filhote gémeos
        gêmeos família amiga amigo vizinha vizinho colega"""
    ),
    "it": _any(
        """moglie marito ragazza ragazzo fidanzata fidanzato compagna compagno madre mamma padre papà genitori
        sorella fratello figlia figlio figli nonna nonno zia zio cugina cugino nipote suocera suocero coinquilina
        coinquilino capo cane cagna gatto gatta coniglio cavallo criceto pappagallo cucciolo gemelli famiglia
        amica amico vicina vicino collega"""
    ),
    "nl": _any(
        """vrouw man vriendin vriend verloofde partner moeder mama vader papa ouders zus broer dochter zoon kind
        kinderen oma opa tante oom nicht neef kleinkind huisgenoot baas schoonmoeder schoonvader hond kat poes
        kater konijn paard hamster papegaai cavia puppy kitten tweeling familie gezin buurvrouw buurman collega"""
    ),
}
_MY = {
    "de": r"(?:mein|meine|meinem|meinen|meiner|unser|unsere|unserem|unseren|unserer)",
    "fr": r"(?:mon|ma|mes|notre|nos)",
    "es": r"(?:mi|mis|nuestro|nuestra|nuestros|nuestras)",
    "pt": r"(?:(?:o |a |os |as )?(?:meu|minha|meus|minhas|nosso|nossa|nossos|nossas))",
    "it": r"(?:(?:il |la |i |le )?(?:mio|mia|miei|mie|nostro|nostra|nostri|nostre))",
    "nl": r"(?:mijn|m'n|onze|ons)",
}

# Other nouns after 'my'.
_THINGS = {
    "de": _any(
        """wohnung haus auto job arbeit arbeitgeber geburtstag hochzeit name vermieter miete schule studium allergie
        team garten arzt"""
    ),
    "fr": _any(
        """appart appartement maison voiture boulot travail anniversaire mariage nom prénom propriétaire loyer école
        allergie jardin médecin"""
    ),
    "es": _any(
        """piso casa coche trabajo cumpleaños boda nombre casero alquiler escuela alergia jardín médico médica
        empresa"""
    ),
    "pt": _any(
        """apê apartamento casa carro trabalho aniversário casamento nome senhorio aluguel renda escola alergia
        jardim médico médica empresa"""
    ),
    "it": _any(
        """appartamento casa macchina auto lavoro compleanno matrimonio nome padrone affitto scuola allergia giardino
        medico azienda"""
    ),
    "nl": _any(
        """appartement huis auto baan werk werkgever verjaardag bruiloft naam huisbaas huur school studie allergie
        tuin dokter kamer"""
    ),
}


def _my(code: str) -> str:
    return rf"\b{_MY[code]} (?:[\w-]{{2,15}} )?(?:{_KIN[code]}|{_THINGS[code]})(?: \w{{2,20}})?"


# First-person verbs and states of a life, without wishes, questions and attempts.
_NUMBERS = {
    "de": r"(?:\d{1,9}|eine?n?|zwei|drei|vier)",
    "fr": r"(?:\d{1,9}|une?|deux|trois|quatre|des)",
    "es": r"(?:\d{1,9}|un|una|dos|tres|cuatro|muchos)",
    "pt": r"(?:\d{1,9}|um|uma|dois|duas|tres|quatro)",
    "it": r"(?:\d{1,9}|un|una|un'|due|tre|quattro)",
    "nl": r"(?:\d{1,9}|een|twee|drie|vier)",
}
_STATES = {
    "de": rf"""
        \b(?:ich|wir) (?:\w{{1,30}} ){{0,2}}?(?:bin|sind|wohne|wohn|wohnen|lebe|leben|arbeite|arbeiten
        |studiere|heisse
        |heiße|mag|hasse|liebe|esse|essen|trinke|trinken|spiele|nehme|vertrage|vertrag|ziehe|ziehen|heirate
        |heiraten
        |fliege|fliegen|fahre|fahren|reise|reisen|lerne|rauche|jogge|leite|unterrichte|sammle)\b|\b(?:ich
        |wir) (?:\w{{1,30}} ){{0,2}}?(?:hab|habe|haben) (?:\w{{1,30}} ){{0,2}}?(?:{_NUMBERS["de"]} \w
        |diabetes|asthma|angst
        |geburtstag|seit|gekundigt|geheiratet|geerbt|angefangen|aufgehort|meinen|mein|meine)|\b(?:bin|wohne|wohn
        |wohnen|arbeite|arbeiten|studiere|heisse|heiße|esse|nehme|vertrage|ziehe|heirate|fliege|spiele|mag
        |hasse) (?:\w{{1,30}} ){{0,2}}?(?:ich|wir)\b|^(?:(?:also|ach|und|ja|nein|hi|hallo|moin|ubrigens|oh|naja
        |ne),? ){{0,3}}(?:bin|wohne|wohn|arbeite|studiere|heisse|heiße|esse|nehme|vertrage|spiele|lerne|mag
        |hasse
        |lebe|habe? {_NUMBERS["de"]}) \w|\b(?:ich|wir) \w[^.!?]{{0,60}}? (?:arbeite|arbeiten|wohne|wohnen
        |lebe|leben
        |studiere)\b|\b(?:der|die) (?:arzt|arztin) (?:sagt|meint)\b|\bdas mit d\w\w \w{{1,30}} (?:war falsch
        |stimmt nicht
        |hat sich)\b|\bumzug geschafft\b|{_my("de")} (?:ist|sind|heißt|heisst|hat|wohnt|arbeitet|lebt|hasst
        |liebt
        |mag|kommt|wird|zieht|war|geht|fangt|beginnt)\b""",
    "fr": rf"""
        \bje (?:\w{{1,30}} )?(?:suis|vis|travaille|bosse|etudie|deteste|adore|prefere|mange|bois|joue|prends
        |pars|fume
        |cours|nage|apprends|dors|conduis|enseigne|gagne|garde|eleve|demenage)\b|\bj'(?:habite|etudie|adore
        |enseigne
        |eleve|apprends|emmenage)\b|\bj'aime (?!bien (?:ta|votre|cette|ce)|ta|votre|cette|ce|pas)
        |\bj'ai (?:{_NUMBERS["fr"]} \w|toujours|demenage|arrete|commence|achete|adopte|perdu|vendu|quitte
        |change de
        |accouche|peur|horreur|le vertige|l'asthme|le diabete|du diabete|mon|ma)|\bje (?:n'aime pas (?!ta
        |votre|cette|ce\b|ca\b)|m'appelle
        |me suis (?:marie
        |installe|separe|mis|inscrit|casse|fait)|me marie|me leve|ne mange|ne bois|ne supporte|ne fume)|\b(?:on
        |nous) (?:habite|habitons|vit|vivons|part|partons|se marie|nous marions|attend un|attendons un|demenage
        |demenageons|sommes (?:\d|deux|trois|quatre|cinq|maries|en couple|vegeta)|a (?:adopte|achete|demenage
        |deux
        |trois|un)|avons (?:adopte|achete|demenage|deux|trois|un))|^(?:(?:moi|et|alors|oui|non|salut|coucou
        |bonjour
        |euh|au fait),? ){{0,3}}(?:suis|habite|travaille|bosse) \w|{_my("fr")} (?:est|sont|s'appelle
        |s'appellent|a
        |ont|habite|travaille|vit|deteste|adore|aime|vient|commence|arrive|ne)\b|\bc'est fini avec\b""",
    "es": rf"""
        \b(?:soy (?!consciente|todo|sauce|milk|beans?|protein)|vivo|vivimos|trabajamos|odio|detesto|adoro
        |naci|llevo (?:\d|un|dos|tres
        |cuatro
        |muchos|anos)|llevamos (?:\d|un|dos|tres)|me llamo|me mude|nos mudamos|me caso|nos casamos|me case
        |me separe
        |me divorcie|me jubile|deje (?:de|el|la|mi)|dejamos (?:de|el|la)|empece (?:a|en|el|la|con)|compre un
        |compramos un|adopte|adoptamos|vendi (?:el|la|mi)|vendimos|perdi (?:el|la|mi)|toco (?:el|la)
        |cuido (?:a|de)
        |ensen[oe] (?:en|a)|peso \d|mido \d|viajamos a|viajo a|volamos|vuelo a|tenemos {_NUMBERS["es"]}
        |tuvimos que
        |somos (?:\d|dos|tres|cuatro|cinco|de|veg|una familia|pareja|casad|novios|herman))
        |(?<!un )(?<!el )(?<!este )(?<!del )(?<!al )(?<!de )(?<!mi )(?<!buen )\b(?:trabajo|estudio) (?:en|de
        |como
        |desde|por|para|con|\w{{1,30}}ria|derecho|medicina|arquitectura|psicologia|historia|enfermeria)\b
        |\bestoy (?:casad
        |embarazad|jubilad|divorciad|separad|solter|en paro|de baja|aprendiendo|estudiando|viviendo|a dieta
        |trabajando)|\btengo (?:{_NUMBERS["es"]} \w|alergia|intolerancia|diabetes|asma|miedo|hij|vertigo
        |insomnio
        |migra|cita)|\b(?:me gustan? (?!tu|su|est|es[ao]|la respuesta|que|el prompt|como)|me encantan? (?!tu
        |su|est
        |es[ao]|que)|me dan? miedo|no como|no bebo|no tomo|no tomamos|no puedo (?:comer|beber|tomar)
        |nunca (?:como
        |bebo|tomo))|{_my("es")} (?:es|son|se llama|se llaman|tiene|tienen|vive|viven|trabaja|trabajan|odia
        |adora
        |viene|nacio|esta|estan|cumple|empieza|murio)\b|\bya no (?:como|bebo|tomo|vivo|trabajo|fumo|soy)\b
        |\bvoy a (?:vivir|mudarme|casarme|tener un|ser (?:padre|madre|papa|mama|tio|tia))\b""",
    "pt": rf"""
        \b(?:sou (?!consciente)|moro|moramos|vivo|vivemos|odeio|detesto|adoro|nasci|me chamo|chamo-me|me mudei
        |mudei-me|mudei (?:de|para|pra)|mudamos (?:de|para|pra)|casei|me casei|me separei|me divorciei
        |me aposentei
        |larguei|parei de|comecei (?:a|no|na|em)|comprei um|compramos um|adotei|adotamos|vendi (?:o|a|meu|minha)
        |vendemos (?:o|a)|perdi (?:o|a|meu|minha)|toco (?:o|a|violao|piano|guitarra|bateria)|cuido d|peso \d
        |viajo para|viajo pra|viajamos|dou aula|dou aulas|temos {_NUMBERS["pt"]}|tivemos que|somos (?:\d|dois
        |tres
        |quatro|cinco|de|veg|casad))
        |(?<!um )(?<!o )(?<!este )(?<!esse )(?<!do )(?<!ao )(?<!no )(?<!de )(?<!meu )\b(?:trabalho
        |estudo) (?:em|de
        |como|na|no|num|numa|com|para|desde|direito|medicina|arquitetura|psicologia|historia|enfermagem)\b
        |\b(?:estou|to) (?:casad|gravid|aposentad|divorciad|separad|solteir|desempregad|de licenca|aprendendo
        |a aprender|estudando|a estudar|morando|a morar|de dieta|trabalhando|a trabalhar)
        |\btenho (?:{_NUMBERS["pt"]} \w|alergia|intolerancia|diabetes|asma|medo|filh|insonia|enxaqueca|consulta)
        |\b(?:gosto (?:muito )?d\w? |nao como|nao bebo|nao tomo|nao posso (?:comer|beber|tomar)|nunca (?:como
        |bebo
        |tomo))|{_my("pt")} (?:e|sao|se chama|se chamam|chama-se|tem|mora|moram|vive|trabalha|trabalham|odeia
        |adora
        |vem|nasceu|esta|faz|comeca|morreu)\b|\ba gente (?:mora|tem|vive)\b|\bvou (?:morar|me mudar|casar|ter um
        |ser (?:pai|mae|tio|tia))\b|\bnao e \w{{1,30}},? e \w{{1,30}} com \w\b""",
    "it": rf"""
        \b(?:vivo|viviamo|abito|abitiamo|odio|detesto|adoro|mi chiamo|mi sono (?:trasferit|sposat|laureat
        |separat
        |iscritt|mess|rott|licenziat)|ci siamo (?:trasferit|sposat|mess|separat|conosciut)|mi sposo|ci sposiamo
        |mi trasferisco|suono (?:il|la|lo|in)|insegno|fumo|peso \d|non mangio|non bevo|non sopporto
        |non posso mangiare|mi piac(?:e|ciono) (?!la tua|le tue|il tuo|i tuoi|quest|come|l'idea)
        |abbiamo {_NUMBERS["it"]}
        |siamo (?:\d|in due|in tre|in quattro|veg|sposat|di ))|\bsono (?:un |una |allergic|intollerant|vegan
        |vegetarian|celiac|incinta|sposat|divorziat|separat|single|in pensione|disoccupat|a dieta
        |nat[oa] |cresciut
        |mancin|diabetic)|\bho (?:\d{{1,9}} anni|smesso|iniziato a|cominciato a|comprato un|adottato
        |perso (?:il|la|mi)
        |venduto (?:il|la)|lasciato|cambiato (?:lavoro|casa)|due |tre |un (?:cane|gatto|figlio|bambino
        |appartamento
        |lavoro|fratello|nuovo)|una (?:figlia|bambina|gatta|casa|sorella|allergia|nuova)|paura d|l'asma
        |il diabete)
        |(?<!il )(?<!un )(?<!mio )(?<!di )(?<!del )(?<!al )(?<!lo )(?<!uno )\b(?:lavoro|studio) (?:in|a|al|da
        |come
        |per|nel|nella|con|presso|giurisprudenza|medicina|architettura|psicologia|storia|economia)\b
        |{_my("it")} (?:e|si chiama|si chiamano|ha|hanno|vive|vivono|lavora|lavorano|odia|adora|viene|sta|fa
        |compie
        |inizia|morto|morta)\b|\b(?:vado|andiamo) a vivere\b|\bpartiamo (?:il|per)\b""",
    "nl": rf"""
        \b(?:ik|we|wij) (?:\w{{1,30}} ){{0,2}}?(?:ben|zijn|woon|wonen|werk|werken|studeer|heet|haat|hou van
        |houd van|eet
        |eten|drink|drinken|speel|neem|ga trouwen|gaan trouwen|trouw|trouwen|verhuis|verhuizen|vlieg|vliegen
        |leef
        |rook|zit op|zit in|kan geen|mag geen|verdien|geef les|leer)\b|\b(?:ik|we
        |wij) (?:\w{{1,30}} ){{0,2}}?(?:heb
        |hebben) (?:\w{{1,30}} ){{0,2}}?(?:{_NUMBERS["nl"]} \w|diabetes|astma|kinderen|mijn|onze)|\b(?:ben
        |woon|werk
        |studeer|heet|eet|speel|neem) ik\b|^(?:(?:en|ja|nee|hoi|trouwens|oh),? ){{0,3}}(?:ben|woon|werk|studeer
        |heet) (?!je|jij|u|er)\w|{_my("nl")} (?:is|zijn|heet|heten|heeft|hebben|woont|wonen|werkt|werken|haat
        |houdt
        |komt|gaat|wordt|begint|was)\b""",
    "ja": r"""
        (?:猫|犬|うさぎ|子供|子ども|娘|息子|兄|姉|弟|妹)(?:が|を)[^?？]{0,12}(?:います|いて|いる|飼)
        |(?:に住ん(?:でい|でる|でま|でいた)|に引っ?越し
        |アレルギー(?:です|があ|なん|持ち|だ)|を飼っ(?:てい|てる)
        |歳(?:です|になり|になっ)|才です|に勤め(?:てい|てる)|で働い(?:てい|てる)|(?:会社|仕事|大学|学校)を(?:辞め
        |やめ)|(?:が|は)(?:苦手|大好き|好き|嫌い)(?:です|なん|だ)|妊娠(?:し|中)|結婚し(?:まし|た|て)|離婚し|転職し
        |出身です|と申します|(?:が|は|も)(?:食べられ|飲め|食べ|飲み)(?:ない|ません)|に通っ(?:てい|てる)|を(?:勉強
        |練習)し(?:てい|てる)|を始めまし|という名前)|(?:私|僕|俺|わたし|ぼく|うち|我が家|私たち)(?:は|の|も|には
        |が)[^?？]{2,60}(?:です|ます|ました|でした|ません|ている|てる|だよ|なんだ|だった|います)|(?:私の|僕の|俺の
        |うちの)(?:夫|妻|旦那|母|父|娘|息子|兄|姉|弟|妹|彼氏|彼女|猫|犬|子供|家族)""",
    "zh": r"""
        (?:我|我们|咱们|俺)(?:现在|目前|已经|今年|也|都|就|还|刚|刚刚|一直|从小|是在|本来)?(?:住在|住
        |在[^,，。?？]{1,12}(?:工作|上班|上学|读书|读研|生活|长大|实习)|叫|姓|来自|养了|有(?:一只|两只|一条|两条
        |一个(?:儿子|女儿|弟弟|妹妹|哥哥|姐姐|孩子)|两个(?:儿子|女儿|孩子))|不吃|不喝|不能吃|对[^,，。?？]{1,12}过敏
        |怀孕|(?:要|准备|已经)?结婚(?!吧)|离婚|搬到|搬家|换了工作|换工作|辞职|退休|失业|毕业|喜欢(?:吃|喝|听|看|打
        |玩|跑|旅)|讨厌|最喜欢|害怕|\d+岁|[一二三四五六七八九十]+岁|是(?!不是|否|说|想|要|问|怎|什|在说|谁|指|觉
        |认)[^,，。?？]{1,16}(?:师|生|员|人|者|家|教|工|主|迷|手|党|妈|爸|岁)|学(?:的是|习了)|从事|得了|患有|每天
        |每周)|(?:我|我们|我家)的?(?:老婆|老公|妻子|丈夫|妈妈|爸爸|妈|爸|儿子|女儿|哥哥|姐姐|弟弟|妹妹|男朋友|女朋友
        |男友|女友|孩子|猫|狗|奶奶|爷爷|外婆|外公)(?!吗)[^,，。?？]{1,30}""",
}
STATES = {code: joined_pattern(text) for code, text in _STATES.items()}
