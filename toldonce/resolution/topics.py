"""Topics of requests to forget: the fact keys they name, and the related words that memories may use. Pure."""

import re

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.resolution.tokens import DEGREE, TokenizedSentence, token, tokenize
from toldonce.text import is_unspaced, terms, words
from toldonce.text.languages import LANGUAGES
from toldonce.text.normalize import fold

# Words that name fact keys, in twelve languages. The text of the fact need not contain them.
_TOPIC_WORDS = {
    "location origin": """
        address home city town country location residence live living adresse wohnort wohne stadt adresa
        ville habite domicile dirección ciudad vivo domicilio indirizzo città casa endereço cidade moro
        adres woonplaats woon
        адрес адресе город городе 地址 住址 住所 住處 城市 주소 사는 عنوان عنواني مدينتي سكني
    """,
    "job employer work_hours": """
        job work occupation profession career employer company workplace beruf arbeit arbeitgeber
        arbeite travail métier emploi travaille trabajo empleo profesión lavoro professione trabalho
        emprego werk baan
        работа работу работе профессии профессию 工作 职业 職業 公司 仕事 職場 직업 직장 회사 عملي وظيفتي
    """,
    "name full_name first_name middle_name last_name address_as": """
        name nickname surname nom prénom nombre nome naam
        имя имени 名字 姓名 名前 이름 اسمي
    """,
    "age birthday birth_year": """
        age alter âge edad età idade leeftijd
        возраст возрасте 年龄 年齡 年齢 나이 عمري
    """,
    "birthday birth_year age": """
        birthday birthdate born geburtstag anniversaire cumpleaños compleanno aniversário verjaardag
        рождения 生日 誕生日 생일 ميلادي
    """,
    "diet avoid": "diet eat food ernährung régime dieta essen alimentation alimentación alimentazione dieet",
    "allergy": """
        allergy allergies allergic allergie allergien alergia alergias allergia allergieën
        аллергия аллергию аллергии 过敏 過敏 アレルギー 알레르기 حساسيتي حساسية
    """,
    "condition": """
        illness disease condition diagnosis health sickness krankheit diagnose maladie diagnostic
        enfermedad
    """,
    "partner marital_status": """
        partner girlfriend boyfriend husband wife spouse relationship marriage freund freundin mann frau
        mari femme copain copine novio novia marido esposa marito moglie fidanzato fidanzata namorado
        namorada
        девушку девушке мужа муже жену жене 女朋友 男朋友 妻子 丈夫
        彼女 彼氏 夫 妻 여자친구 남자친구 아내 남편 زوجتي زوجي
    """,
    "phone": """
        phone telephone mobile telefon telefonnummer téléphone teléfono telefono telefone
        телефон телефона 电话 電話 电话号码 電話番号 전화번호 هاتفي
    """,
    "email": "email mail",
    "religion": "religion faith glaube religione religión religião религию вере 宗教 종교 ديني",
    "weight": "weight weigh gewicht poids peso",
    "height": "height tall größe taille estatura altezza altura",
    "pronouns gender": "pronouns pronoun gender pronomen pronoms pronombres pronomi",
    "hobby": "hobby hobbies hobbys loisirs aficiones passatempi",
}
_TOPIC_KEYS = {token(word): tuple(keys.split()) for keys, words in _TOPIC_WORDS.items() for word in words.split()}
# Words that may accompany them: 'my old phone number', 'what I do for work'.
_MODIFIERS = frozenset(
    token(word)
    for word in """old new current exact full real own number numbers details detail info information status
    habits do does ex my mine mein meine meinen mon ma mes mi mis il la lo mio mia meu minha
    mijn номер ich je wo où donde dónde dove onde waar num number""".split()
)

# Words by which a person names a topic, and words that memories of it may have instead.
_RELATED_WORDS = {
    "kid child": "kid child son daughter boy girl twin baby toddler",
    "pet animal": "dog cat puppy kitten rabbit hamster parrot horse fish budgie tortoise",
    "money finance debt": "euro dollar pound owe debt loan mortgage salary earn income saving € $ £ eur usd gbp",
    "salary income pay wage": "salary earn income wage euro dollar pound eur usd gbp",
    "ex": "divorce separate split break broke",
    "girlfriend boyfriend partner relationship": """
        date dating girlfriend boyfriend partner wife husband fiance relationship
    """,
    "family": """
        mother father parent sister brother son daughter wife husband aunt uncle cousin grandmother
        grandfather
    """,
    "parent": "mother father",
    "allergy allergies allergie allergia alergia": "allergy allergic allergisch allergique alérgico allergico",
    "divorce": "divorce divorced",
    "pregnancy grossesse embarazo gravidanza gravidez schwangerschaft zwangerschap": """
        pregnant enceinte embarazada incinta grávida schwanger zwanger
    """,
    "therapy terapia thérapie therapie therapeut": """
        therapy therapist counsellor psychologist psychiatrist terapeuta psicólogo psicóloga psicologo psicologa
        thérapeute psychologue therapeut therapeutin psychologe psychologin
    """,
    "owe borrow lend loan repay": "owe borrow lend lent loan repay debt",
    "debit deber prestar emprestar prêter prêt leihen geliehen": """
        debe debo debe prestó presté prestado deve devo emprestou emprestei prêté emprunté doit dois geliehen leiht
        geborgt schuldet
    """,
    "fight argument quarrel row dispute conflict feud": "fight fought argue argument quarrel row dispute feud clash",
    "surgery operation procedure": "surgery operation operated procedure",
    "lawsuit trial court case legal lawyer": "lawsuit sue trial court lawyer attorney legal settlement judge",
    "affair cheating infidelity": "affair cheat unfaithful",
    "layoff dismissal firing redundancy": "fired dismiss laid layoff redundant",
    "drinking alcohol booze sobriety rehab": "drink drunk alcohol alcoholic sober booze wine beer rehab aa",
    "arrest prison jail police": "arrest prison jail police custody probation",
    "miscarriage abortion ivf fertility": "miscarriage miscarry abortion ivf fertility embryo",
    "debt deuda deudas debito debiti dette dettes schulden dívida dívidas schuld": """
        debt owe debo debe devo deve schulde schuldig doit dois euro euros
    """,
    "marriage": "marriage marry married",
    "sibling": "sister brother",
    "health illness disease medical": """
        illness disease asthma diabetes cancer depression anxiety migraine allergy allergic surgery
        operation hospital doctor therapist diagnosis diagnose medication pill insulin arthritis
        epilepsy injury pregnant
    """,
    "diagnosis diagnoses condition disorder illness disease health medical": """
        diagnose diagnosed diagnosis disorder syndrome disease illness condition bipolar adhd autism depression
        depressed anxiety ptsd ocd asthma diabetes diabetic cancer tumour tumor epilepsy arthritis migraine hiv celiac
        coeliac crohn colitis schizophrenia thyroid endometriosis psoriasis eczema lupus parkinson sclerosis
        anorexia bulimia
    """,
    "med meds medication medications medicine medicines pill pills tablet tablets prescription drug drugs dose": """
        medication medicine meds pill tablet prescription dose mg mcg insulin antidepressant ssri inhaler contraceptive
        lithium ritalin prozac xanax ozempic metformin lamotrigine quetiapine warfarin prednisone hrt testosterone
    """,
    "mental": "depression depressed anxiety bipolar therapy therapist ptsd adhd ocd panic burnout psychiatrist",
    "trip travel vacation holiday": "trip travel flight fly vacation holiday visit",
    "car": "car drive van",
    "accident": "accident crash",
    "wedding marriage": "wedding marry marriage",
    "school study": "school study student university college",
}


def _build_index() -> dict[str, frozenset[str]]:
    """Map each topic word to the related words of all topics that it names."""
    related: dict[str, frozenset[str]] = {}
    for names, others in _RELATED_WORDS.items():
        for word in names.split():
            related[token(word)] = related.get(token(word), frozenset()) | {token(other) for other in others.split()}
    return related


_RELATED_BY_WORD = _build_index()
# Endings of many medicine names: a request to forget 'my meds' means a memory that has such a name.
_MEDICINE = LazyPattern(
    r"[a-z]{3,14}(?:statin|traline|sartan|alopram|oxetine|triptylin|thyroxin|cillin|mycin|azepam|azolam|prazol|gliptin|gliflozin|"
    r"triptan|lukast|dipin|trigin|tiapin|olapin|azapin|epin|olol|pril|formin|olon|ison)e?"
)
_MEDICINES = frozenset(
    token(word) for word in "med meds medication medicine pill tablet prescription drug drugs treatment dose".split()
)


# Generic nouns and words of politeness, which say nothing about the topic: 'the thing with the lawyer, please'.
_GENERIC = frozenset(
    token(word)
    for word in """thing things stuff story part bit value values reading readings result results level levels count
    matter business situation topic subject whole please favor favore
    cosa cose storia faccenda questione chose histoire affaire sujet plaît asunto tema historia lío cosa favor coisa
    história assunto sache geschichte thema bitte ding zaak verhaal onderwerp
    like love enjoy hate dislike prefer adore mag liebe hasse gern gerne aime adore déteste gusta gustan encanta odio
    amo adoro piace piacciono gosto detesto hou haat lust люблю ненавижу нравится أحب أكره""".split()
)
# Letters of a word that may be short for another.
MIN_SHORT_FORM = 5
_APART = LazyPattern(r",|;|\b(?:and|or|und|et|y|e|en|oder|ou|o)\b", re.IGNORECASE)
# Function words of all languages, as `fold` writes them.
_FUNCTION_WORDS = frozenset().union(*(language.stop for language in LANGUAGES.values()))


@remembered
def _terms(content: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in content for term in terms(word))


def topic_keys(topic: TokenizedSentence) -> frozenset[str]:
    """Return the fact keys that a topic names: 'my address', 'where I live', 'mein Beruf'.

    >>> sorted(topic_keys(tokenize("where I live"))), sorted(topic_keys(tokenize("my work trip to Oslo")))
    (['location', 'origin'], [])
    """
    named = [word for word in topic.content - DEGREE - {"user"} if word not in _MODIFIERS]
    if not named or any(word not in _TOPIC_KEYS for word in named):
        return frozenset()
    return frozenset(key for word in named for key in _TOPIC_KEYS[word])


def topic_parts(topic: str) -> list[str]:
    """Return a topic and each of the things that it lists: 'my job, my age and my flat'.

    >>> topic_parts("my job and my age")
    ['my job and my age', 'my job', 'my age']
    """
    parts = [part.strip() for part in _APART.split(topic)]
    return list(dict.fromkeys(part for part in (topic.strip(), *parts) if part))


def topic_words(topic: str) -> frozenset[str]:
    """Return the words that say what a topic is about, in any language.

    >>> sorted(topic_words("ma grossesse"))
    ['grossess']
    """
    content = frozenset(tokenize(topic).content - DEGREE - {"user"})
    content = content or frozenset(word for word in words(topic) if is_unspaced(word))  # one character: a cat
    kept = frozenset(word for word in content if fold(word) not in _FUNCTION_WORDS) or content
    return kept - _GENERIC or kept


def related_words(topic: frozenset[str]) -> frozenset[str]:
    """Return the words that memories of a topic may have instead of the topic's own words."""
    return frozenset().union(*(_RELATED_BY_WORD.get(word, frozenset()) for word in topic))


def shared_words(topic: frozenset[str], content: frozenset[str]) -> frozenset[str]:
    """Return the words of a topic that a memory has, as they are or begun: 'the micro exam', 'microeconomics'."""
    begun = {word for word in topic if len(word) >= MIN_SHORT_FORM and any(other.startswith(word) for other in content)}
    return (topic & content) | begun


def is_about(topic: frozenset[str], content: frozenset[str]) -> bool:
    """Return whether a memory's content words include each word of a topic, or a word related to it.

    >>> is_about(tokenize("my kids").content, tokenize("The user has two sons.").content)
    True
    """
    return bool(topic) and all(_is_named(word, content) for word in topic)


def _is_named(word: str, content: frozenset[str]) -> bool:
    if word in content or not _RELATED_BY_WORD.get(word, frozenset()).isdisjoint(content):
        return True
    if not word.isascii():  # other scripts inflect in other ways, or write without blanks
        named = frozenset(terms(word))
        return bool(named) and named <= _terms(content)
    return word in _MEDICINES and any(_MEDICINE.fullmatch(other) for other in content)
