"""Sentences end at their marks, not at abbreviations, initials, ordinals or decimals, in many languages."""

import random
import tomllib
from importlib.resources import files
from time import thread_time

import pytest

from toldonce.reading.sentences import sentences
from toldonce.text import sentence_ends, split_sentences
from toldonce.text.languages import LANGUAGES

# By language: texts of our own, with "|" where a sentence ends.
NATIVE = {
    "english": (
        "I met Dr. Ray at 8 p.m. yesterday.|She was late.",
        "J. K. Rowling wrote it, e.g. the first one.|I read it twice.",
        "We moved to St. Ives, i.e. to the sea.|It's lovely!",
        "I work at Foss Inc. in Hull.|My boss is nice.",
        "I used to work at Foss Inc.|I left in May.",
        "My prof. gave me no. 5.|No.|I gave it back.",
        "So I chose plan B.|Yesterday it failed.",
        "It weighs 3.5 kg, costs 12.50 and runs v2.10.1.|Fine?",
        "See https://example.org/a.b?c=d.|Or mail a.b@example.org.",
        "Well... we moved.|I like it…|It is near the sea.",
        'She said "Go!" and left.|I stayed (sadly!) at home.',
        "i like tea.|i live in hull.|wait, what?",
        "1. Tea\n|2. Milk\n|3. Sugar",
        "My children don't.|But I do.",
        "I love art.|5 years ago I began.",
        "We live on Main St.|My sister lives on 5th Ave. in a flat.",
        "He was born in 1990.|Mars is far.",
        "I grew up in the U.S. Army camp.|He works for the U.S.|We don't.",
    ),
    "german": (
        "Ich komme z.B. am 3. März um 8.30 Uhr.|Das passt, d.h. meistens.",
        "Ich mag Tiere, z. B. Katzen.|Hast du welche?",
        "Frau Dr. Klein wohnt im 2. Stock.|Mein Opa ist 80.|Er lebt in Ulm.",
        "Wir essen Brot, Käse usw.|Danach gehen wir.",
        "Wir sind ca. 20 Leute, u.a. Prof. Weiß.|Gut, bzw. sehr gut.",
        "Er sagte: „Komm mit!“ und ging.|Ich blieb.",
        "„Ich bleibe.“|Dann ging er.",
        "Ich helfe dir.|Das ist meine Art.|Ok.|Bis morgen.",
        "Sie ist am 14. Mai 1990 geboren.|Ich bin 30.|Und du?",
    ),
    "french": (
        "M. Dupont habite av. Foch, p.ex. près de la gare.|Et vous ?",
        "J'ai 3,5 ans de métier, env. la moitié à Lyon.|J'aime ça !",
        "Mme. Roux aime le thé, le café, etc. et les gâteaux.|Moi aussi.",
        "Elle m'a dit « Viens ! » et je suis venu.|C'était bien.",
        "J'en parle avec mon ex.|Il habite à Nantes.",
    ),
    "spanish": (
        "El Sr. García y la Sra. López viven en la av. Colón.|¿Dónde vives?|¡Qué bien!",
        "Tengo dos gatos, p. ej. uno negro.|Me gustan.",
        "Vivo en Lima desde mayo|¿y tú?",
        "Vivo en el no. 5 de la calle Mayor.|No.|No como carne.",
        "Como fruta, pan, etc.|Mi hermana también.",
        "Viajé a EE. UU. en mayo.|La Dra. Ruiz también.",
        "Mide 1.75 m y pesa 70,5 kg.|Yo no.",
    ),
    "portuguese": (
        "O Sr. Silva mora na av. Paulista, nº. 5.|E você?",
        "Gosto de frutas, p. ex. mangas.|A Dra. Ana também.",
        "Trabalho na Foz Ltda. há dois anos.|Gosto disso!",
    ),
    "italian": (
        "Ho visto il dott. Rossi e l'avv. Bianchi.|Poi sono tornato.",
        "Mi piacciono i dolci, p.es. le torte, ecc.|Anche a te?",
        "Il sig. Verdi abita in p.zza Duomo.|Io no.",
    ),
    "dutch": (
        "Ik hou van dieren, bijv. katten, o.a. Siamezen.|Jij ook?",
        "Dhr. Jansen en mevr. de Vries wonen hier.|Ik ook, d.w.z. bijna.",
        "We eten brood, kaas, enz.|Ik drink thee a.u.b. zonder melk.",
    ),
    "swedish": (
        "Jag gillar djur, t.ex. katter, bl.a. siameser.|Gör du?",
        "Vi äter bröd, ost m.m.|Jag dricker te, dvs. grönt te.",
        "Det kostar 50 kr. per dag.|Det är dyrt.",
    ),
    "norwegian": (
        "Jeg bor her bl.a. fordi det er fint.|Hun ble født 1. mai 1990.",
        "Vi møtes kl. 8.30 den 17. mai.|Jeg kommer, dvs. kanskje.",
    ),
    "danish": (
        "Jeg kan godt lide dyr, f.eks. katte.|Kan du?",
        "Hun er født den 3. juli.|Jeg bor på 2. sal.|Min bror bor i Vejle.",
    ),
    "finnish": (
        "Pidän eläimistä, esim. kissoista, yms.|Entä sinä?",
        "Synnyin 5. toukokuuta 1990.|Asun 3. kerroksessa.|Pidän siitä.",
    ),
    "polish": (
        "Lubię psy, np. jamniki, koty itd.|Mieszkam na ul. Długiej 5.",
        "To jest inż. Nowak, tzn. mój szef.|Urodziłem się w 1990 r. w Łodzi.|Tak.",
        "Zarabiam 5 tys. złotych.|Ok.|To wszystko.",
    ),
    "czech": (
        "Mám rád zvířata, např. kočky, psy atd.|A ty?",
        "Narodil jsem se 3. května 1990.|Bydlím v 5. patře, tj. vysoko.|Dobře.",
        "Ing. Novák bydlí na nám. Míru.|Já ne.",
    ),
    "slovak": ("Mám rád zvieratá, napr. mačky, psy atď.|A ty?", "Narodil som sa 3. mája 1990.|Bývam v Nitre."),
    "hungarian": (
        "Szeretem az állatokat, pl. a macskát, kutyát stb.|Te is?",
        "1990. május 3-án születtem.|A 2. emeleten lakom.|Jó itt.",
    ),
    "romanian": (
        "Îmi plac animalele, de ex. pisicile, etc.|Ție?",
        "Dl. Popescu locuiește pe str. Lungă, nr. 5.|Eu nu sunt de aici.",
    ),
    "turkish": (
        "Dr. Ayşe Hanım kedi, köpek vb. hayvanları sever.|Ya sen?",
        "Evim 5. katta ve çok güzel.|Örn. manzarası var.",
    ),
    "croatian": ("Volim životinje, npr. mačke, pse itd.|A ti?", "Rođen sam 3. svibnja 1990.|Živim u Zadru."),
    "slovene": ("Imam rad živali, npr. mačke itd.|Pa ti?", "Rojen sem 3. maja 1990.|Živim na ul. Cankarja."),
    "lithuanian": ("Mėgstu gyvūnus, pvz. kates ir t. t.|O tu?",),
    "latvian": ("Man patīk dzīvnieki, piem. kaķi, suņi utt.|Un tev?",),
    "estonian": ("Mulle meeldivad loomad, kassid jne.|Aga sulle?", "Sündisin 3. mail 1990.|Elan Tartus."),
    "icelandic": ("Ég á dýr, t.d. ketti, hunda o.s.frv.|En þú?",),
    "catalan": ("El Sr. Puig viu a la ctra. de Vic.|I tu?",),
    "indonesian": ("Saya suka kucing, anjing, dll.|Bpk. Budi tinggal di Jl. Mawar.|Anda?",),
    "vietnamese": ("Tôi sống ở TP. Hồ Chí Minh.|ThS. Lan thích mèo, chó, v.v.|Còn bạn?",),
    "swahili": ("Napenda wanyama, k.m. paka.|Bw. Juma pia.|Na wewe?",),
    "tagalog": ("Gusto ko ng aso, pusa, atbp.|Si Gng. Reyes din.|Ikaw?",),
    "russian": (
        "Я живу на ул. Ленина, д. 5, т.е. в центре.|А ты?",
        "Мне нравятся кошки, собаки и т. д.|Я люблю чай.",
        "Я родился в 1990 г. в г. Москва.|Это я.|Привет!",
        "Я работаю у А. С. Петрова, т.к. это близко.|Зарплата 80 тыс. рублей.",
    ),
    "ukrainian": ("Я живу на вул. Лесі, буд. 5.|А ти?", "Люблю котів, напр. чорних, і т. д.|Мій брат теж."),
    "bulgarian": ("Живея на ул. Шипка, бл. 5.|Обичам котки, т.е. всички.|А ти?",),
    "serbian": ("Волим животиње, нпр. мачке, псе итд.|А ти?", "Рођен сам 3. маја 1990.|Живим у Нишу."),
    "greek": ("Μένω εδώ.|Πού μένεις;|Ο κ. Νίκος έχει ζώα, π.χ. γάτες, σκύλους κ.λπ.|Εγώ όχι.",),
    "armenian": ("Ես ապրում եմ այստեղ։|Իսկ դու:|Լավ:",),
    "arabic": ("أسكن في القاهرة.|أين تسكن؟|د. سامي هنا.|لا أعرف!",),
    "persian": ("من در تهران زندگی می‌کنم.|شما کجا هستید؟",),
    "urdu": ("میں لاہور میں رہتا ہوں۔|آپ؟",),
    "hebrew": ("אני גר בחיפה.|ואתה?",),
    "hindi": ("मैं दिल्ली में रहता हूँ।|डॉ. शर्मा कहाँ रहते हैं?|यहाँ।",),
    "bengali": ("আমি ঢাকায় থাকি।|ডা. রহমান কোথায়?",),
    "marathi": ("मी पुण्यात राहतो.|डॉ. जोशी इथे आहेत.",),
    "telugu": ("నేను ఇక్కడ ఉన్నాను.|డా. రావు ఎక్కడ?",),
    "chinese": (
        "我住在奥斯陆。|你呢？|太好了！",
        "他说：“好。”|然后走了。",
        "我有3.5公斤……不，4公斤。",
        "真的吗?|我住上海.",
    ),
    "japanese": ("京都に住んでいます。|猫が二匹います！", "私は行く．|版は３．５です．"),
    "korean": ("저는 부산에 살아요.|고양이가 있어요!|네.|알았어요.",),
    "thai": ("ผมชื่อสมชายครับ |ผมอยู่กรุงเทพ", "เกิดวันที่ 5 ม.ค. 2533 ที่เชียงใหม่"),
    "burmese": ("ကျွန်တော် ရန်ကုန်မှာ နေတယ်။|ကောင်းတယ်။",),
    "khmer": ("ខ្ញុំរស់នៅភ្នំពេញ។|អ្នកនៅឯណា?",),
    "amharic": ("እኔ እዚህ እኖራለሁ።|አንተስ፧|ደህና።",),
}
TEXTS = [text for texts in NATIVE.values() for text in texts]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_cut_where_its_sentences_end(text: str) -> None:
    assert split_sentences(text.replace("|", "" if _is_tight(text) else " ")) == [
        piece.strip() for piece in text.split("|")
    ]


def _is_tight(text: str) -> bool:
    return not any(letter.isascii() and letter.isalpha() for letter in text) and any(
        "\u3040" <= letter <= "\u9fff" for letter in text
    )


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_found_at_their_places(text: str) -> None:
    text = text.replace("|", " ")
    assert all(text[piece.start : piece.end] == piece.text for piece in sentences(text))


def test_pieces_joined_give_the_text_back() -> None:
    drawn = random.Random(7)
    parts = [
        *" .!?…。！？¿¡;:\n\"'”“»)(1",
        "Dr. ",
        "z. B. ",
        " 3. ",
        "🎉 ",
        "ครับ ",
        "ca. ",
        "I ",
        "я. ",
        "...",
        "．",
        "Ж",
    ]
    for _ in range(2_000):
        text = "".join(drawn.choices(parts, k=drawn.randrange(40)))
        ends = sentence_ends(text, pictures=True)
        assert ends == sorted(set(ends))
        assert all(0 < end <= len(text) for end in ends)
        assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "unit", ["a. ", "Dr. A. ", "ca. ", "\n1. a", "5. mai ", "z. B. ", "x ¿", '! "', "ครับ ", ". . "]
)
def test_the_time_is_linear(unit: str) -> None:
    def cost(length: int) -> float:
        text = unit * (length // len(unit))
        began = thread_time()
        sentence_ends(text)
        return thread_time() - began

    cost(1_000)
    short, long = min(cost(4_000) for _ in range(3)), min(cost(16_000) for _ in range(3))
    assert long < max(0.05, 10 * short)


def test_the_lists_are_sound() -> None:
    data = tomllib.loads(files("toldonce.text").joinpath("abbreviations.toml").read_text("utf-8"))
    assert len(data) >= 34
    for language, lists in data.items():
        listed = " ".join(words for kind, words in lists.items() if kind != "own").split()
        own = lists.get("own", "").split()
        assert set(lists) <= {"within", "last", "numbered", "unit", "own"}
        assert set(own) <= set(listed)
        assert not own or language in LANGUAGES
        assert not any(word.endswith(".") for word in listed)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3. März ist mein Geburtstag.", ["3. März ist mein Geburtstag."]),
        ("42. Why do you ask?", ["42.", "Why do you ask?"]),
        ("My list:\n1. Tea\n2. Milk", ["My list:", "Tea", "Milk"]),
        ("1) Tea 2) Milk", ["Tea 2) Milk"]),
        ("Big news 🎉 we moved", ["Big news 🎉", "we moved"]),
    ],
)
def test_numbers_of_lines_are_left_out_and_others_stay(text: str, found: list[str]) -> None:
    assert [piece.text for piece in sentences(text)] == found
