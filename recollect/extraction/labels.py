"""Labels before a colon: a heading of the user's own, or of something that others wrote. Pure.

Pasted text has endless labels: 'Tool result:', 'cv.txt:', 'Bruno:', 'Résultat de l'outil :'. The labels people use for
their own words are a shorter list: themselves, a matter of their life, or the role of the words ('update', 'by the
way'). So a label counts as another's unless it is known to be the speaker's.
"""

import re

from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS, is_unspaced

# Words in a label; a longer one is a sentence, unless its line ends with the colon.
MAX_LABEL_WORDS = 6
_WORD = LazyPattern(r"[^\W\d_]++(?:['’][^\W\d_]++)*+")
# First-person words, and verbs of languages that leave the pronoun out: 'ho anche spezie: curry, pepe'.
_FIRST_PERSON = frozenset(
    """i i'm im i've i'd i'll me my mine myself we we're we've us our ours ourselves ich mich mir mein meine meinen
    meinem meiner meines wir uns unser unsere unseren unserem unserer je j'ai j'habite moi mon ma mes nous notre
    nos yo mi mis mí mío mía nosotros nosotras nuestro nuestra nuestros nuestras eu meu minha meus minhas mim nós
    nosso nossa nossos nossas io mio mia miei mie noi nostro nostra nostri nostre ik mij mijn wij ons onze
    soy estoy tengo trabajo busco odio prefiero sou estou tenho trabalho ho sono abbiamo abito lavoro preferisco jag mig
    vår våra jeg vores minä minun minulla olen meillä jestem mój moja moje mnie nasz nasza nasze mám jsem můj mně
    náš naše môj я мне меня мой моя моё мои моих моей мы нас наш наша наши мені мене мій моє мої аз моят моята benim
    bana bizim én nekem vagyok sunt meu mea saya aku tôi mình εγώ μου είμαι έχω عندي لدي أنني هستم دارم אני שלי मैं
    मेरा मेरी मेरे मुझे हमारा 저는 제가 저의 나는 내가 우리""".split()
)
# The same, and headings of one's own, in scripts whose words are not parted.
_OWN_UNSPACED = LazyPattern(
    r"我|咱|本人|私|僕|俺|自分|补充|補充|背景|问题|問題|目[标標]|情况|情況|要求|需求|[条條]件|[爱愛]好|年[龄齡]|"
    r"名字|另外|顺便|質問|ผม|ฉัน"
)
_TEXTS_UNSPACED = LazyPattern(
    r"邮件|郵件|信|文|稿|段|句|简历|簡歷|日志|结果|結果|输出|輸出|消息|新闻|新聞|内容|內容|材料|资料|資料|题目|題目|试题|標題|标题|代[码碼]|介[绍紹]|"
    r"歌|[对對][话話]|[剧劇]|小[说說]|故事|物語|合同|[协協][议議]|[评評][论論]|帖|[报報]告|レポート|摘要|笔记|筆記|(?<!我)[说說][：:]|履歴|"
    r"手紙|メール|翻[译譯]|記事|จดหมาย|ข้อความ|บทความ|เรื่อง"
)
# Headings of one's own: the role of the words in a message, and matters of one's life.
_OWN_HEADINGS = frozenset(
    """about address age aim aims allergies allergy also answer answers anyway appointments availability available
    backdrop background basically birthday bonus born breakfast brief budget btw but can car cat cats caveat
    challenge change changes children city clarification company complication concern concerns condition
    conditions cons constraint constraints context correction country current currently day days deal deadline
    deadlines details diagnosis diet dietary dilemma dinner disclaimer dislikes dog dogs due edit education email
    employer equipment experience exception extra fact facts family favorite favorites favourite favourites
    feedback few finally first food foods for friday fun fyi gender goal goals good great habits hardware hate
    hates health heads height hello hey hi hint hobbies hobby home hometown hours however husband idea ideas
    important income info information ingredients interests introduction issue issues job kid kids languages
    language last lastly level life lifestyle like likes limits list living location love loves lunch maybe
    medical medication medications meds mind mission monday mood morning motivation move name news next nickname
    no note nope now nowadays occupation oh ok okay one options origin otherwise partner pets phone pet plan plans
    please point points possibly preference preferences pro problem problems profession pronouns pros ps purpose
    pps question questions quick reality really reason reasons recap recipe recommendation relevant religion
    remember reminder remark request requirement requirements restriction restrictions role routine rule rules
    saturday school second sensitivities setup side situation size skills sleep small so soon sorry spoiler status
    story studies subject suggestion summary sunday supper surname task tastes team tell tl dr tldr third thing
    things thoughts three thursday time timezone tip title to today todo tomorrow topic travel trip truth tuesday
    two uh um university update updates usually wait wednesday weekend weekends weekly weight well what when where
    who why how wife wish wishes work workplace wow yeah years yep yes yesterday you your big huge massive major
    minor little tiny slight sudden another random new old bad sad happy weird crazy funny serious honest silly
    dumb stupid real final only main best worst top total full general simple personal private step steps rewrite
    win wins loss confession progress verdict decision decisions outcome announcement breakthrough milestone
    achievement mistake mistakes surprise twist catch upside downside bottom line fix solution option setback
    start restart beginning end ending rant vent worry worries fear fears hope hopes dream dreams regret lesson
    lessons takeaway opinion view guess bet theory conclusion excuse promise resolution resolutions decree target
    targets house flat apartment room garden kitchen bike boat commute shift shifts schedule calendar vacation
    holiday holidays flight flights train hotel itinerary packing wedding birth baby pregnancy kid's doctor's
    appointment surgery pain symptoms dose blood pressure sugar weightloss workout training running gym yoga sport
    sports league music band instrument film films movie movies book books series show game games colour color
    animal animals plant plants season weather drink drinks coffee tea wine beer snack snacks dessert allergy-wise
    restaurant cuisine meat fish spice spices vegetables fruit fruits cooking baking salary rent mortgage loan
    savings debt money taxes pension insurance bank bill bills subscription degree course courses class classes
    exam exams grade grades thesis teacher laptop computer editor keyboard os stack framework database linter
    phase phases milestones timeline roadmap scope agenda feature features component components deliverable deliverables
    openness sensitivity sprint sprints subtasks checklist risks assumptions dependencies
    indentation tabs spaces code style tone format units strengths weaknesses values beliefs politics star sign
    personality type sister's brother's wife's husband's mom's mum's dad's son's daughter's add hang nb warning
    caution trouwens overigens fait cierto aliás comunque peraltro pregunta long short shoe clothing
    vegetarian vegan alter geburtstag wohnort stadt beruf arbeit ernährung allergie allergien hobbys familie
    kinder haustiere katze hund sprachen sprache ziel ziele frage hinweis wichtig übrigens nachtrag korrektur kurz
    kurzum nochmal ja nein gut größe gewicht hintergrund vorlieben abneigungen adresse nom prénom âge anniversaire
    ville métier travail régime loisirs famille enfants animaux chat chien langues langue problème rappel
    précision bref donc oui non contexte préférences nombre edad cumpleaños ciudad profesión trabajo dieta alergia
    alergias aficiones familia hijos mascotas gato perro idiomas idioma objetivo objetivos problema corrección
    recordatorio nota aclaración resumen sí situación contexto preferencias dirección nome idade aniversário
    cidade profissão trabalho passatempos família filhos animais cachorro línguas pergunta correção lembrete aviso
    resumo sim situação preferências endereço età compleanno città professione lavoro interessi famiglia figli
    animali gatto cane lingue domanda correzione promemoria riassunto situazione contesto preferenze indirizzo
    premessa naam leeftijd verjaardag stad beroep werk dieet allergieën hobby's gezin kinderen huisdieren kat hond
    talen taal doel vraag probleem correctie herinnering samenvatting situatie voorkeuren adres""".split()
)
# What one wants an answer to be like.
_MANNERS = frozenset("style tone format length language languages preference preferences".split())
# Kinds of text; a phrase that names one announces it.
TEXTS = frozenset(
    """abstract intro introduction notes ad advert announcement article bio biography blog book caption chapter chat
    comment conversation cv description dialogue diary draft email e-mail essay eulogy excerpt fable fanfic letter
    line lines lyrics mail message messages monologue novel obituary paragraph paragraphs passage poem post
    profile prologue prompt quote reply resume response review scene screenplay script sentence sentences song
    sonnet speech statement story storyline testimonial tale text texts toast tweet verse whatsapp sms transcript
    interview testimony email's affidavit""".split()
)

# Words for texts by others, output of programs, and what contains them. A label with one of these announces another's
# text even if it also says 'my'.
_TEXT_CONTAINERS = frozenset(
    """ad advert api article attachment caption clipboard comment copy description doc document documents excerpt
    extract file filename files function header headline html json letter log logs lyrics message messages meeting
    minutes observation ocr output page pages paragraph passage paste pasted pdf poem post posting printout prompt
    quote receipt reply response retrieved returned scan screenshot script search snippet snippets source sources
    statement stderr stdout story subtitles testimony text thread ticket transcript transcription tweet url verse
    webpage website ausgabe datei dateien seite webseite werkzeug werkzeugergebnis suchergebnis suchergebnisse
    bildschirmfoto nachricht brief mail lebenslauf artikel auszug protokoll zitat bild antwort fehlermeldung
    zwischenablage résultat résultats outil sortie fichier contenu texte lettre extrait capture écran image
    courriel réponse citation resultado resultados herramienta salida archivo página contenido texto mensaje carta
    artículo extracto captura pantalla imagen correo respuesta cita currículum ferramenta saída arquivo ficheiro
    conteúdo mensagem artigo trecho tela resposta citação currículo risultato risultati strumento uscita pagina
    contenuto testo messaggio lettera articolo estratto schermata immagine risposta citazione curriculum resultaat
    resultaten uitvoer bestand inhoud tekst bericht fragment schermafbeelding beeld antwoord citaat cv
    brev svar artikel berättelse dikt novell uppsats besked fortælling digt kirje viesti artikkeli tarina runo vastaus
    wiadomość artykuł opowiadanie wiersz odpowiedź plik esej wypracowanie zprava zpráva dopis článek příběh báseň
    odpověď soubor povídka správa poviedka письмо текст статья статьи сообщение ответ отрывок цитата перевод резюме
    лог код файл документ описание сочинение эссе пост комментарий стих стихотворение песня история рассказ
    результат вывод роман сказка сценарий диалог лист стаття повідомлення відповідь оповідання вірш mektup metin
    mesaj makale hikaye şiir cevap dosya özet levél szöveg üzenet cikk történet válasz scrisoare povestea pesan
    cerita puisi jawaban thư văn bài truyện thơ γράμμα κείμενο μήνυμα άρθρο ιστορία ποίημα απάντηση رسالة نص مقال
    قصة قصيدة رد ملف سيرة نامه متن پیام مقاله داستان شعر پاسخ מכתב טקסט הודעה מאמר סיפור שיר תשובה पत्र पाठ संदेश
    लेख कहानी कविता उत्तर 편지 글 메시지 기사 이야기 답변 소설 이력서""".split()
)
SPEAKING_VERBS = (
    r"(?:schreibt|schrieb|sagt|sagte|meint|meinte|erzählt|erzählte|fragt|fragte|antwortet|antwortete|geschrieben|gesagt|gemeint"
    r"|écrit|dit|répond|répondu|raconte|raconté|écrivait|disait"
    r"|dice|dijo|escribe|escribió|preguntó|respondió|contó|escrito|dicho"
    r"|diz|disse|escreve|escreveu|perguntou|respondeu|contou"
    r"|scrive|scritto|detto|diceva|risponde|risposto|chiede|chiesto|racconta"
    r"|schrijft|schreef|zegt|zei|vraagt|vroeg|antwoordt|antwoordde|geschreven|gezegd"
    r"|say|says|said|tell|tells|wrote|writes|told|texted|texts|asked|asks|replied|replies|answered|claims|claimed|reads|states)"
)
"""Verbs of speaking, in seven languages."""
_ENDS_IN_SPEAKING = LazyPattern(rf"\b{SPEAKING_VERBS}\b(?:\s[^\s]{{1,20}}){{0,2}}\W*+$", re.IGNORECASE)
_I_SPOKE = LazyPattern(
    rf"\b(?:i|i've|i'd|we|ich|wir|j'ai|je|nous|yo|eu|io|ho|ik|wij)\s(?:\S{{1,20}}\s){{0,4}}{SPEAKING_VERBS}\b",
    re.IGNORECASE,
)
# A period, as plans have it: 'Nov 16 - Dec 15, 2023', '3 to 9 March'.
_DATE = r"(?:[^\W\d_]{3,9}\.?\s)?\d{1,4}(?:st|nd|rd|th|\.)?(?:\s[^\W\d_]{3,9}\.?)?(?:,?\s\d{4})?"
_PERIOD = LazyPattern(rf"{_DATE}\s?(?:[-–—]|to|until|bis)\s?{_DATE}", re.IGNORECASE)
_LINE_NUMBER = LazyPattern(r"\W{0,6}\d{1,3}\W{0,6}")
# Phrases of one's own that name a text.
_SAYINGS = LazyPattern(
    r"\b(?:long story|story time|short answer|note to self|in other words|for the record)\b", re.IGNORECASE
)
_ABOUT_ME = LazyPattern(
    r"\b(?:about|of|on) (?:me|myself|us)\b|\b(?:über|zu) (?:mich|mir|uns)\b|\bà propos de (?:moi|nous)\b"
    r"|\bsobre (?:mí|mi|mim|nós|nosotros)\b|\bsu di (?:me|noi)\b|\bover (?:mij|mezelf|ons)\b",
    re.IGNORECASE,
)


# 'And this one too:' repeats the previous order for another text.
_FOR_ANOTHER_TEXT = LazyPattern(
    r"(?:(?:and|now|then|ok|okay|next|also|please|pls|plus)[ ,]){0,4}(?:this|that|these|the next|another|one more"
    r"|(?:the )?same (?:for|with) (?:this|that|these))"
    r"(?: (?:one|ones|too|as well|here|next|now|please|pls|bit|part|text|sentence|line|paragraph|message|mail)){0,3}",
    re.IGNORECASE,
)


def ends_in_speaking(text: str) -> bool:
    """Return whether a text ends with a verb of speaking: 'my friend told me'."""
    return bool(_ENDS_IN_SPEAKING.search(text))


def is_own_speech(text: str) -> bool:
    """Return whether a text says that its writer said something: 'I told him'."""
    return bool(_I_SPOKE.search(text))


def is_own_label(label: str) -> bool:
    """Return whether a label before a colon announces the writer's own words.

    >>> is_own_label("About me"), is_own_label("Quick question"), is_own_label("meine Allergien")
    (True, True, True)
    >>> is_own_label("Tool result"), is_own_label("Bruno"), is_own_label("Mein Freund schreibt")
    (False, False, False)
    """
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(label)]
    if words in (["from"], ["to"], ["via"]):
        return True  # ends of a journey: 'From: Rome'
    if _FOR_ANOTHER_TEXT.fullmatch(label.strip(" \t*_-•:")):
        return False
    if not words:  # marks alone, or the number of a line: '1 : How far is it?'
        return not any(character.isalnum() for character in label) or bool(_LINE_NUMBER.fullmatch(label))
    if _PERIOD.fullmatch(label.strip(" \t*_-•:")):
        return True
    if _ABOUT_ME.search(label) or _SAYINGS.search(label):
        return True
    if ends_in_speaking(label):
        return is_own_speech(label)
    if words[-1] in _MANNERS and len(words) > 1:  # 'Response style' heads what one wants, not a response
        return True
    if _TEXT_CONTAINERS.intersection(words):
        return False
    if is_unspaced(label) and _OWN_UNSPACED.search(tail := _after_comma(label)):
        return not _TEXTS_UNSPACED.search(tail)
    return any(word in _FIRST_PERSON or word in _OWN_HEADINGS for word in words)


def _after_comma(label: str) -> str:
    """Return the last part of a label, which is what names the text in a script without blanks."""
    return max(map(label.rpartition, "，、；,"), key=lambda parts: len(parts[0]))[2]


def is_phrase(label: str) -> bool:
    """Return whether a label is a phrase rather than a text or its writer: 'on top of that'.

    >>> is_phrase("out of character"), is_phrase("Text in the image"), is_phrase("the customer")
    (True, False, False)
    """
    words = _WORD.findall(label)
    folded = {word.casefold() for word in words}
    if (
        _FOR_ANOTHER_TEXT.fullmatch(label.strip(" \t*_-•:"))
        or any(character.isdecimal() for character in label)
        or any(not word.islower() for word in words[1:])
    ):
        return False
    if (_TEXT_CONTAINERS | TEXTS | _WRITERS).intersection(folded) or _ENDS_IN_SPEAKING.search(label):
        return False
    return bool(folded & _LINKING_WORDS)


def is_text_container(label: str) -> bool:
    """Return whether a label names something that contains text.

    >>> is_text_container("Server log"), is_text_container("工具结果"), is_text_container("Sister")
    (True, True, False)
    """
    if is_unspaced(label) and _TEXTS_UNSPACED.search(_after_comma(label)):
        return True
    return any(word.casefold() in _TEXT_CONTAINERS for word in _WORD.findall(label))


def is_own_text(label: str) -> bool:
    """Return whether a label claims a text for the speaker: 'My letter', 'Ma lettre'.

    >>> is_own_text("Ma lettre"), is_own_text("The letter"), is_own_text("我的文章")
    (True, False, True)
    """
    words = {word.casefold() for word in _WORD.findall(label)}
    return bool(words & _FIRST_PERSON) or (is_unspaced(label) and bool(_OWN_UNSPACED.search(label)))


def names_person_or_pet(label: str) -> bool:
    """Return whether a label names a relative, friend, colleague or pet.

    'Sister: Ana' states a fact about the user; 'Sister: I ski' quotes someone else.

    >>> names_person_or_pet("Sister"), names_person_or_pet("Bruno")
    (True, False)
    """
    return not _ENDS_IN_SPEAKING.search(label) and any(
        word.casefold() in _PERSON_OR_PET_WORDS for word in _WORD.findall(label)
    )


# Words that join others into a phrase; articles and pronouns of the third person do not.
_LINKING_WORDS = STOP_WORDS - frozenset(
    "a an he her here hers him his its on one she that that's the their theirs them these they this those".split()
)
# Other people and programs that write.
_WRITERS = frozenset(
    """agent applicant assistant author bot browser caller candidate client customer employee function girl
    guest guy hero human lady landlord lawyer man model narrator officer patient person program result results
    search server student system teacher terminal tool tools user witness woman writer""".split()
)
_PERSON_OR_PET_WORDS = frozenset(
    """aunt boss boyfriend brother brothers cousin dad daughter daughters doctor father fiancé fiancée flatmate
    friend friends girlfriend grandma grandpa grandmother grandfather grandson granddaughter husband mother mom
    mum nephew niece neighbour neighbor parents partner roommate sister sisters son sons spouse team uncle wife
    horse rabbit hamster parrot bruder mutter vater schwester sohn tochter frau mann oma opa chef hund katze
    freund freundin frère sœur mère père fils fille mari femme hermano hermana madre padre hijo hija marido mujer
    irmão irmã mãe pai filho filha esposa fratello sorella figlio figlia marito moglie broer zus moeder vader zoon
    dochter""".split()
)
